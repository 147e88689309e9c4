import { isDeepStrictEqual } from 'node:util';
import {
  Document,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parse,
  parseDocument,
  visit,
  YAMLMap,
} from 'yaml';
import { firstNames } from '../collections.ts';
import type { Baseline, RunRecord } from '../report/record/record.ts';
import { visible } from '../report/wording/format-text.ts';
import type { KeptEntry } from './baseline.ts';
import type { ListedBaseline } from './baseline-schema.ts';
import { schemaLine } from './schema-line.ts';

/** Days until a new entry should be reviewed. */
const SUGGESTED_DAYS = 90;
const MS_PER_DAY = 24 * 60 * 60 * 1000;

interface Earlier {
  readonly baseline: Baseline;
  readonly text: string;
}

/** Keeps the comments of the earlier file, except those of removed entries. */
export function baselineText(
  keptEntries: readonly KeptEntry[],
  record: RunRecord,
  file: string,
  earlier?: Earlier,
): string {
  const { seed, cases, thorough } = record.options;
  const before = earlier?.baseline;
  const added = keptEntries.filter(({ from }) => from === undefined).length;
  const whole = {
    seed,
    cases,
    ...(thorough === true ? { thorough } : {}),
    since: before?.since ?? record.startedAt.slice(0, 10),
    total: (before?.total ?? before?.entries.length ?? 0) + added,
    ...listed(keptEntries),
  };
  const until = new Date(Date.parse(record.startedAt) + SUGGESTED_DAYS * MS_PER_DAY);
  const comments = { until: until.toISOString().slice(0, 10), titles: keptEntries.map(titleOf) };
  const text = earlier === undefined ? undefined : edited(earlier.text, keptEntries, whole, comments);
  return text ?? written(whole, record, file, comments);
}

function titleOf({ entry, title }: KeptEntry): string | undefined {
  if (title === undefined || !('cause' in entry)) return title;
  return `${title} (${firstNames(1, Object.keys(entry.checks))})`;
}

/** The entries for reviewers, and apart from them, what failed. */
function listed(keptEntries: readonly KeptEntry[]): Pick<ListedBaseline, 'entries' | 'failures'> {
  const causes = keptEntries.flatMap(({ entry }) => ('cause' in entry ? [entry] : []));
  const failures = Object.fromEntries(
    causes.flatMap(({ cause, checks }) => (Object.keys(checks).length === 0 ? [] : [[cause, checks]])),
  );
  return {
    entries: keptEntries.map(({ entry }) => {
      if (!('cause' in entry)) return entry;
      const { checks: _, ...rest } = entry;
      return rest;
    }),
    ...(Object.keys(failures).length === 0 ? {} : { failures }),
  };
}

interface Comments {
  readonly until: string;
  /** The title for each entry; undefined for entries of the previous baseline. */
  readonly titles: readonly (string | undefined)[];
}

function written(
  whole: ListedBaseline,
  { suite, target }: RunRecord,
  file: string,
  comments: Comments,
): string {
  const document = new Document<Node>(whole);
  document.commentBefore = [
    schemaLine(file, 'baseline.schema.json'),
    ` ${suite.name}: known deviations of ${visible(target.name)}; they do not make the CI result fail.`,
    " Replace each TODO with the team's reason for accepting the deviation until it is fixed. An entry may",
    ' also have `issue` (a link) and `until` (the last day on which it applies).',
    ' Give later runs this seed and at least as many cases, so that every entry is evaluated.',
  ].join('\n');
  comment(document, comments);
  return printedYaml(document);
}

function comment(document: Document<Node>, { until, titles }: Comments): void {
  for (const [index, title] of titles.entries()) {
    const entry = document.getIn(['entries', index]);
    if (title === undefined || !isMap(entry)) continue;
    entry.commentBefore = ` ${visible(title)}`;
    entry.comment = ` until: ${until}`;
  }
  const { contents } = document;
  const key = isMap(contents) ? contents.items.find((item) => nameOf(item) === 'failures')?.key : undefined;
  if (!isScalar(key)) return;
  key.spaceBefore = true;
  key.commentBefore = ' What failed, for runs that do not find the causes. Not for review.';
}

const nameOf = ({ key }: Pair): unknown => (isScalar(key) ? key.value : key);

function printedYaml(document: Document<Node>): string {
  visit(document, {
    Seq(_key, list) {
      list.flow = list.items.every((item) => !isMap(item));
    },
  });
  return document.toString({ lineWidth: 100 });
}

/** The previous text with the changes applied; undefined if anchors or tags in it prevent that. */
function edited(
  earlier: string,
  keptEntries: readonly KeptEntry[],
  whole: ListedBaseline,
  comments: Comments,
): string | undefined {
  try {
    const document = parseDocument<Node>(earlier);
    const root = document.contents;
    const list = isMap(root) ? root.get('entries') : root;
    if (!isSeq(list)) return undefined;
    const items = [...list.items];
    list.items = whole.entries.map((entry, index) => {
      const from = keptEntries[index]?.from;
      const node = from === undefined ? undefined : items[from];
      if (!isMap(node)) return document.createNode(entry);
      const names = 'cause' in entry ? undefined : entry.fingerprints;
      const was = node.get('fingerprints');
      if (names === undefined) node.delete('fingerprints');
      else if (!isDeepStrictEqual(isSeq(was) ? was.toJSON() : was, names))
        node.set('fingerprints', document.createNode(names));
      return node;
    });
    const map: YAMLMap<unknown, unknown> = isMap(root) ? root : new YAMLMap(document.schema);
    for (const name of ['seed', 'cases', 'thorough', 'since', 'total'] as const)
      if (whole[name] === undefined) map.delete(name);
      else map.set(name, whole[name]);
    if (!isMap(root)) map.set('entries', list);
    map.delete('failures');
    if (whole.failures !== undefined) map.items.push(document.createPair('failures', whole.failures));
    document.contents = map;
    comment(document, comments);
    const text = printedYaml(document);
    return isDeepStrictEqual(parse(text), JSON.parse(JSON.stringify(whole))) ? text : undefined;
  } catch {
    return undefined;
  }
}
