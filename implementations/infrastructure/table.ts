import type { Column, Comparison } from '../../lib/compare/comparison.ts';
import { differingObservations, ran, reasonOf, verdictOf } from '../../lib/compare/table.ts';
import { short } from '../../lib/report/explain.ts';
import { cell, joined, lines, prose } from '../../lib/report/markdown-text.ts';
import type { Setup } from './setup.ts';

/** Failed checks that are named. */
const MAX_NAMED = 5;

/** What is not as the manifest of a set-up expects. */
export function surpriseOf(
  { undetermined, nonconformant }: Pick<Setup, 'undetermined' | 'nonconformant'>,
  column: Column,
): string | undefined {
  if (column.state === 'not-run') return column.reason;
  const { outcome, cells, stop, advice } = column;
  if (undetermined !== undefined) {
    const told = [stop?.reason, stop?.remedy, advice].join(' ');
    return outcome === 'undetermined' && told.includes(undetermined)
      ? undefined
      : `expected to end without a verdict, and to say ${undetermined}`;
  }
  if (nonconformant !== undefined)
    return cells[nonconformant]?.verdict === 'fail' ? undefined : `expected to fail ${nonconformant}`;
  return outcome === 'conformant' ? undefined : 'expected to be conformant';
}

/** What a reader looks at first: why there is no verdict, what failed. */
export function noticed(column: Column): readonly string[] {
  if (column.state === 'not-run') return [column.reason];
  const reason = reasonOf(column);
  const failed = Object.entries(column.cells).filter(([, { verdict }]) => verdict === 'fail');
  const named = failed.slice(0, MAX_NAMED).map(([id, { actual = '' }]) => short(`${id}: ${actual}`, 120));
  const more = failed.length > MAX_NAMED ? [`and ${failed.length - MAX_NAMED} more checks`] : [];
  return [...(reason === undefined ? [] : [reason]), ...named, ...more];
}

const counted = ({ pass, fail, untestable }: { pass: number; fail: number; untestable: number }) =>
  `${pass} of ${pass + fail + untestable}`;

/** One row for each set-up, then what the servers do with what the interface leaves open. */
export function infrastructureMarkdown(comparison: Comparison): string {
  const rows = comparison.columns.map((column) => {
    const { name, portrait } = column;
    const head = `| ${prose(name)} | ${prose(portrait?.version ?? '')} | ${prose(portrait?.note ?? '')} | ${verdictOf(column)} |`;
    const seen = noticed(column)
      .map((one) => cell(one))
      .join('<br>');
    if (column.state === 'not-run') return `${head} | | | | ${seen} |`;
    const { summary, requests, seconds } = column;
    return `${head} ${counted(summary.MUST)} | ${counted(summary.SHOULD)} | ${requests} | ${seconds.toFixed(1)} | ${seen} |`;
  });
  return `${joined([
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

/** What the servers do otherwise than the store by itself, where the interface leaves it open; over plain HTTP. */
function leftOpen(comparison: Comparison): string {
  const plain = { ...comparison, columns: ran(comparison).filter(({ name }) => name.endsWith(', http')) };
  const [, ...servers] = plain.columns.map(({ name }) => name.replace(/, http$/, ''));
  const rows = differingObservations(plain).map(({ key, values }) => {
    const [own, ...others] = values.map((value) => (value === undefined ? 'not seen' : String(value)));
    const said = [...new Set(others)]
      .filter((value) => value !== own)
      .map((value) => {
        const names = others.flatMap((other, place) => (other === value ? [servers[place]] : []));
        return `${cell(value, 60)} ${prose(names.join(', '))}`;
      });
    return `| \`${key}\` | ${cell(own ?? '', 60)} | ${said.join('; ')} |`;
  });
  return joined([
    '### What they do with what the interface leaves open, where it is not what the store does by itself',
    lines(['| observation | the store | others, over plain HTTP |', '| --- | --- | --- |', ...rows]),
  ]);
}
