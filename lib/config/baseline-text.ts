import { isDeepStrictEqual } from 'node:util';
import { Document, isMap, isSeq, type Node, parse, parseDocument, visit, YAMLMap } from 'yaml';
import type { BaselineEntry, RunRecord } from '../report/record.ts';
import { visible } from '../report/text.ts';
import type { KeptEntry } from './baseline.ts';

/**
 * The text of a baseline file.
 * @param earlier the text of the file that it replaces; comments are kept, except those of removed entries
 */
export function baselineText(keptEntries: readonly KeptEntry[], record: RunRecord, earlier?: string): string {
  const { seed, cases, thorough } = record.options;
  const whole = {
    seed,
    cases,
    ...(thorough === true ? { thorough } : {}),
    entries: keptEntries.map(({ entry }) => entry),
  };
  const text = earlier === undefined ? undefined : edited(earlier, keptEntries, whole);
  return text ?? written(whole, record);
}

interface Whole {
  readonly seed: number;
  readonly cases: number;
  readonly thorough?: true;
  readonly entries: readonly BaselineEntry[];
}

function written(whole: Whole, { suite, target }: RunRecord): string {
  const document = new Document(whole);
  document.commentBefore = [
    ` ${suite.name}: known deviations of ${visible(target.name)}; they do not make the CI result fail.`,
    ' Checks that send random requests are evaluated only in runs with the same seed and at least as many cases.',
    ' An entry has id and reason, and optionally issue, until (the last day on which it applies) and fingerprints.',
  ].join('\n');
  return textOf(document);
}

/** Lists of fingerprints are written inline, as many to a line as fit. */
function textOf(document: Document): string {
  visit(document, {
    Seq(_key, list) {
      list.flow = list.items.every((item) => !isMap(item));
    },
  });
  return document.toString({ lineWidth: 100 });
}

/** The earlier text with the changes applied; undefined if anchors or tags in it prevent that. */
function edited(earlier: string, keptEntries: readonly KeptEntry[], whole: Whole): string | undefined {
  try {
    const document = parseDocument<Node>(earlier);
    const root = document.contents;
    const list = isMap(root) ? root.get('entries') : root;
    if (!isSeq(list)) return undefined;
    const items = [...list.items];
    list.items = keptEntries.map(({ entry, from }) => {
      const node = from === undefined ? undefined : items[from];
      if (!isMap(node)) return document.createNode(entry);
      for (const name of ['fingerprint', 'fingerprints'] as const) {
        const [was, is] = [node.get(name), entry[name]];
        if (is === undefined) node.delete(name);
        else if (!isDeepStrictEqual(isSeq(was) ? was.toJSON() : was, is))
          node.set(name, document.createNode(is));
      }
      return node;
    });
    const map: YAMLMap<unknown, unknown> = isMap(root) ? root : new YAMLMap(document.schema);
    map.set('seed', whole.seed);
    map.set('cases', whole.cases);
    if (whole.thorough === true) map.set('thorough', true);
    else map.delete('thorough');
    if (!isMap(root)) map.set('entries', list);
    document.contents = map;
    const text = textOf(document);
    return isDeepStrictEqual(parse(text), JSON.parse(JSON.stringify(whole))) ? text : undefined;
  } catch {
    return undefined;
  }
}
