import type { Column, Comparison } from '../../lib/compare/comparison.ts';
import { type RunColumn, ran, verdictOf } from '../../lib/compare/table.ts';
import { cell, inBlocks, lines, prose } from '../../lib/report/formats/markdown-text.ts';
import { isResponseTime } from '../../lib/report/wording/facts.ts';
import { shownText } from '../../lib/report/wording/format-text.ts';
import type { Setup } from './setup.ts';

/** Failed checks that are listed. */
const MAX_NAMED = 5;

/** How the result differs from what the manifest of the set-up expects. */
export function surpriseOf({ expect }: Pick<Setup, 'expect'>, column: Column): string | undefined {
  if (column.state === 'not-run') return column.reason;
  const text = [...advised(column), ...failed(column)].join('\n');
  return column.outcome === expect.outcome && text.includes(expect.says)
    ? undefined
    : `expected to be ${expect.outcome}${expect.says === '' ? '' : `, and to report: ${expect.says}`}`;
}

/** What a reader looks for first: why there is no verdict, or what failed. */
export function noticed(column: Column): readonly string[] {
  if (column.state === 'not-run') return [column.reason];
  const all = failed(column);
  const more = all.length > MAX_NAMED ? [`and ${all.length - MAX_NAMED} more checks`] : [];
  return [...advised(column), ...all.slice(0, MAX_NAMED), ...more];
}

const advised = ({ stop, advice }: RunColumn): string[] =>
  [stop?.reason, stop?.remedy, advice].filter((text) => text !== undefined && text !== null);

const failed = ({ cells }: RunColumn): string[] =>
  Object.entries(cells)
    .filter(([, { verdict }]) => verdict === 'fail')
    .map(([id, { actual = '' }]) => shownText(`${id}: ${actual}`, 120));

const counted = ({ pass, fail, untestable }: { pass: number; fail: number; untestable: number }) =>
  `${pass} of ${pass + fail + untestable}`;

/** One row per set-up, then what the servers do where the interface leaves it open. */
export function infrastructureMarkdown(comparison: Comparison): string {
  const rows = comparison.columns.map((column) => {
    const { name, implementation } = column;
    const head = `| ${prose(name)} | ${prose(implementation?.version ?? '')} | ${prose(implementation?.note ?? '')} | ${verdictOf(column).words} |`;
    const seen = noticed(column)
      .map((one) => cell(one))
      .join('<br>');
    if (column.state === 'not-run') return `${head} | | | | ${seen} |`;
    const { summary, requests, seconds } = column;
    return `${head} ${counted(summary.MUST)} | ${counted(summary.SHOULD)} | ${requests} | ${seconds.toFixed(1)} | ${seen} |`;
  });
  return `${inBlocks([
    '## The reference store behind real infrastructure',
    lines([
      '| server, set-up | version | what it is | outcome | MUST | SHOULD | requests | seconds | noticed |',
      '| --- | --- | --- | --- | --- | --- | --: | --: | --- |',
      ...rows,
    ]),
    `Seed ${comparison.options.seed}, ${comparison.options.cases} cases, ${comparison.startedAt.slice(0, 10)}, suite ${comparison.suite.version}.`,
    leftOpen(comparison),
  ])}\n`;
}

/** Where the servers differ from the bare store in what the interface leaves open; over plain HTTP. */
function leftOpen(comparison: Comparison): string {
  const plain = { ...comparison, columns: ran(comparison).filter(({ name }) => name.endsWith(', http')) };
  const [, ...servers] = plain.columns.map(({ name }) => name.replace(/, http$/, ''));
  const rows = differingObservations(plain).map(({ key, values }) => {
    const [own, ...others] = values.map((value) => (value === undefined ? 'not observed' : String(value)));
    const text = [...new Set(others)]
      .filter((value) => value !== own)
      .map((value) => {
        const names = others.flatMap((other, place) => (other === value ? [servers[place]] : []));
        return `${cell(value, 60)} ${prose(names.join(', '))}`;
      });
    return `| \`${key}\` | ${cell(own ?? '', 60)} | ${text.join('; ')} |`;
  });
  return inBlocks([
    '### Differences from the bare store where the interface leaves the behaviour open',
    lines(['| observation | the store | others, over plain HTTP |', '| --- | --- | --- |', ...rows]),
  ]);
}

/** The observations that differ, with the value at each store. Omits response times: they always differ. */
function differingObservations(comparison: Comparison) {
  const columns = ran(comparison);
  const keys = [...new Set(columns.flatMap(({ observations }) => Object.keys(observations)))];
  return keys
    .filter((key) => !isResponseTime(key))
    .map((key) => ({ key, values: columns.map(({ observations }) => observations[key]) }))
    .filter(({ values }) => new Set(values.filter((value) => value !== undefined)).size > 1);
}
