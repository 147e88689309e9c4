import { gzipSync } from 'node:zlib';
import fc, { type Arbitrary } from 'fast-check';

export interface Edit {
  readonly name: string;
  readonly apply: (text: string) => string | Uint8Array;
}

const edit = (name: string, apply: Edit['apply']): Edit => ({ name, apply });

const cut = (fraction: number) => (text: string) =>
  text.slice(0, Math.max(1, Math.floor(text.length * fraction)));

/** The id in a text. An edit reuses it, so that the request has a fresh id and is no duplicate. */
const idInText = (text: string): string => /"id"\s*:\s*(\d+)/.exec(text)?.[1] ?? '12';

export const randomBytes: Edit = edit('random bytes', () =>
  Uint8Array.from([0x8b, 0x1f, 0x00, 0xff, 0x10, 0x7f, 0x80, 0xc0]),
);

/** Texts that, by any reading of RFC 8259, are not a single JSON object. */
export const notJson: readonly Edit[] = [
  edit('white space only', () => ' \r\n\t '),
  edit('truncated after the first character', (text) => text.slice(0, 1)),
  edit('truncated in the middle', cut(0.5)),
  edit('truncated before the last quarter', cut(0.75)),
  edit('without the closing brace', (text) => text.slice(0, text.lastIndexOf('}'))),
  edit('without the closing quote of a string', (text) => text.replace(/}\s*$/, ',"colour":"green}')),
  edit('closed with a square bracket', (text) => text.replace(/}(?=\s*$)/, ']')),
  edit('with a comma after the opening brace', (text) => text.replace('{', '{,')),
  edit('without the opening brace', (text) => text.slice(text.indexOf('{') + 1)),
  edit('without separators', (text) => {
    if (text.includes(',"')) return text.replaceAll(',"', ' "');
    return text.includes('":') ? text.replaceAll('":', '" ') : '{"name" "Aloe"}';
  }),
  edit('plain text', () => 'a plant called Aloe'),
  edit('XML', (text) => `<plant><id>${idInText(text)}</id><name>Aloe</name></plant>`),
  edit('YAML', (text) => `id: ${idInText(text)}\nname: Aloe\n`),
  randomBytes,
  edit('twice in a row', (text) => text + text),
  edit('two values on separate lines', (text) => `${text}\n${text}`),
  edit('followed by another value', (text) => `${text} null`),
  edit('followed by text', (text) => `${text} and more`),
  edit('followed by a NUL', (text) => `${text}\0`),
  edit('followed by a brace', (text) => `${text}}`),
  edit('preceded by text', (text) => `plant: ${text}`),
  edit('two values separated by a comma', (text) => `${text},${text}`),
  edit('a URL-encoded form', (text) => `id=${idInText(text)}&name=Aloe&tag=succulent`),
  edit('empty', () => ''),
];

/** Returns the texts whose names begin with one of these words. */
export const notJsonNamed = (...beginnings: readonly string[]): readonly Edit[] =>
  notJson.filter(({ name }) => beginnings.some((words) => name.startsWith(words)));

/** Texts whose malformed part lies beyond the first block of a buffered reader, which has 4, 8 or 16 KiB. */
export const notJsonBeyondBuffers: readonly Edit[] = [5, 17].map((kibibytes) =>
  edit(
    `followed by ${kibibytes} KiB of white space and text`,
    (text) => `${text}${' '.repeat(kibibytes * 1024)}and more`,
  ),
);

export const multipart: Edit = edit('a multipart form', (text) =>
  [
    '--b\r\nContent-Disposition: form-data; name="id"\r\n',
    `${idInText(text)}\r\n--b\r\nContent-Disposition: form-data; name="name"\r\n`,
    'Aloe\r\n--b--\r\n',
  ].join('\r\n'),
);

/** Forms at or beyond the default limits of form libraries on size and structure. */
const unusualForms: readonly Edit[] = [
  edit('a form with a value of 60 KiB', (text) => `id=${idInText(text)}&name=${'a'.repeat(60 * 1024)}`),
  edit('a form with 4000 fields', (text) => `id=${idInText(text)}&name=Aloe${'&a=1'.repeat(4000)}`),
  edit('a form with nested fields', (text) => `id=${idInText(text)}&name${'[a]'.repeat(200)}=Aloe`),
  edit('a form that is not well-formed', (text) => `id=${idInText(text)}&name=%&=%E4&&[=]`),
];

/** Other formats, each with the media types under which a framework may read it. */
export const otherFormats: readonly { readonly contentType: string; readonly edits: readonly Edit[] }[] = [
  {
    contentType: 'application/x-www-form-urlencoded',
    edits: [...notJsonNamed('a URL-encoded form'), ...unusualForms],
  },
  { contentType: 'multipart/form-data; boundary=b', edits: [multipart] },
  ...['application/xml', 'text/xml'].map((contentType) => ({
    contentType,
    edits: notJsonNamed('XML'),
  })),
  { contentType: 'application/yaml', edits: notJsonNamed('YAML') },
];

/** Extensions of JSON that some parsers accept (RFC 8259 section 9). */
export const extensions: readonly Edit[] = [
  edit('trailing-comma', (text) => text.replace(/}\s*$/, ',}')),
  edit('comment', (text) => text.replace('{', '{/* a comment */')),
  edit('single-quotes', (text) => text.replaceAll('"', "'")),
  edit('unquoted-names', (text) => text.replace(/"(\w+)":/g, '$1:')),
  edit('nan', (text) => text.replace(/}\s*$/, ',"height":NaN}')),
  edit('leading-zero', (text) => text.replace(/}\s*$/, ',"height":01}')),
  edit('raw-newline-in-string', (text) => text.replace(/("name":"[^"])/, '$1\n')),
];

export const gzipped: Edit = edit('gzip', (text) => gzipSync(text));

/** Compressed text that is not JSON: a store may parse decompressed bodies with different code. */
export const compressedText: Edit = edit('plain text, compressed with gzip', () =>
  gzipSync('a plant called Aloe'),
);

const NOT_UTF8 = [
  ['a lone continuation byte', [0x80]],
  ['a truncated sequence', [0xe2, 0x82]],
  ['a Latin-1 letter', [0xe9]],
  ['an overlong encoding of a slash', [0xc0, 0xaf]],
  ['an encoded surrogate', [0xed, 0xa0, 0x80]],
  ['a byte that is never valid', [0xff]],
] as const;

/** Puts bytes that are not UTF-8 (RFC 8259 section 8.1) into each of these properties, and into a name. */
export const notUtf8 = (properties: readonly string[]): readonly Edit[] =>
  NOT_UTF8.flatMap(([name, bytes]) => [
    ...properties.map((property) =>
      edit(`${name} in ${property}`, (text) => inserted(text, bytes, startOf(property, text))),
    ),
    edit(`${name} in a property name`, (text) => inserted(text, bytes, text.indexOf('"') + 2)),
  ]);

const startOf = (property: string, text: string): number => {
  const member = new RegExp(`"${property}"\\s*:\\s*"`).exec(text);
  return member === null ? text.indexOf('"') + 1 : member.index + member[0].length;
};

const inserted = (text: string, bytes: readonly number[], at: number): Uint8Array =>
  Buffer.concat([Buffer.from(text.slice(0, at)), Uint8Array.from(bytes), Buffer.from(text.slice(at))]);

const word: Arbitrary<string> = fc
  .array(fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz{[(<&=:;@!'), { minLength: 2, maxLength: 12 })
  .map((letters) => letters.join(''))
  .map((text) => (['null', 'true', 'false'].includes(text) ? `${text}s` : text));

const TAILS = ['}', ']', ':', '"', ' 0', ' {}', ' []', ' null', '\n"x"', ' x'];
const tail = fc.oneof(fc.constantFrom(...TAILS), word);
const perMille = fc.integer({ min: 1, max: 998 });
const gap = fc.constantFrom('', ' ', '\n', ', ', '\u001e');

export const malformedText: Arbitrary<Edit> = fc.oneof(
  { weight: 3, arbitrary: perMille.map((of) => edit('truncated', (text) => cutShort(text, of))) },
  { weight: 2, arbitrary: tail.map((after) => edit('followed by more text', (text) => `${text}${after}`)) },
  { weight: 1, arbitrary: gap.map((between) => edit('twice', (text) => `${text}${between}${text}`)) },
  { weight: 1, arbitrary: word.map((garbage) => edit('garbage', () => garbage)) },
);

function cutShort(text: string, perMille: number): string {
  const [start, end] = [text.indexOf('{') + 1, text.lastIndexOf('}')];
  return text.slice(0, start + Math.floor(((end - start) * perMille) / 1000));
}
