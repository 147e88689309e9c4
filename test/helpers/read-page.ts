interface Tag {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
}

export interface Page {
  readonly tags: readonly Tag[];
  /** The content of style and script elements, by name. */
  readonly raw: ReadonlyMap<string, string>;
}

/** Elements without an end tag. */
const VOID = new Set(['meta', 'br', 'input']);

const TAG = /<(\/?)([a-z][a-z0-9]*)((?: [a-zA-Z][\w:-]*(?:="[^"]*")?)*) ?(\/?)>/y;

/** Parses a page more strictly than a browser: tags are balanced, attribute values are in double quotes. */
export function readPage(page: string): Page {
  const tags: Tag[] = [];
  const raw = new Map<string, string>();
  const open: string[] = [];
  const begin = '<!doctype html>\n';
  if (!page.startsWith(begin)) throw new Error('no doctype');
  for (let at = page.indexOf('<', begin.length); at >= 0; ) {
    TAG.lastIndex = at;
    const [whole, end, name = '', attributes = '', closed] = TAG.exec(page) ?? [];
    if (whole === undefined) throw new Error(`not a tag: ${page.slice(at, at + 80)}`);
    at += whole.length;
    if (end === '/') {
      const last = open.pop();
      if (last !== name) throw new Error(`${name} ends where ${last} is open`);
    } else {
      const list = [...attributes.matchAll(/ ([a-zA-Z][\w:-]*)(?:="([^"]*)")?/g)];
      tags.push({ name, attributes: new Map(list.map(([, key = '', value = '']) => [key, value])) });
      if (name === 'style' || name === 'script') {
        const until = page.indexOf(`</${name}>`, at);
        raw.set(name, page.slice(at, until));
        at = until + name.length + 3;
      } else if (closed !== '/' && !VOID.has(name)) open.push(name);
    }
    at = page.indexOf('<', at);
  }
  if (open.length > 0) throw new Error(`not closed: ${open.join(' ')}`);
  return { tags, raw };
}

export const attributesOf = ({ tags }: Page): string[] =>
  tags.flatMap(({ attributes }) => [...attributes.keys()]);

/** The values of an attribute in all tags. */
export const valuesOf = ({ tags }: Page, name: string): string[] =>
  tags.flatMap(({ attributes }) => attributes.get(name) ?? []);
