import { omit, pick } from '../collections.ts';
import { timeOf } from '../report/record/merge.ts';
import type { RecordedResult, RunRecord } from '../report/record/record.ts';
import { UsageError } from '../usage-error.ts';
import type { Cell, Column, Comparison, ImplementationInfo } from './comparison.ts';

export type Entry = { readonly name: string; readonly implementation?: ImplementationInfo } & (
  | { readonly record: RunRecord }
  | { readonly reason: string }
);

/**
 * Builds a comparison of records.
 * @throws UsageError if the records come from different catalogues or documents
 */
export function comparisonOf(
  entries: readonly Entry[],
  differential: Comparison['differential'],
): Comparison {
  const records = entries.flatMap((entry) => ('record' in entry ? [entry] : []));
  const [first, ...others] = records;
  if (first === undefined)
    throw new UsageError('None of the stores was run, so there is nothing to compare.');
  for (const other of others) requireComparable(first, other);
  const { suite, document, options, results } = first.record;
  const columns = entries.map(columnOf);
  return {
    schemaVersion: 1,
    kind: 'comparison',
    suite,
    document,
    options: pick(options, 'seed', 'cases', 'thorough', 'strict'),
    ...timeOf(records.map(({ record }) => record)),
    exitCode: worstExitCode(columns),
    checks: results.map((result) => pick(result, 'id', 'level', 'statement', 'basis', 'hint')),
    columns,
    differential,
  };
}

type Ran = Extract<Entry, { record: RunRecord }>;

function requireComparable(a: Ran, b: Ran): void {
  if (a.record.suite.catalogue !== b.record.suite.catalogue)
    throw new UsageError(
      `${a.name} and ${b.name} were checked with different catalogues (${a.record.suite.version} and ${b.record.suite.version}); run both with the same version of the suite.`,
    );
  if (a.record.document.sha256 !== b.record.document.sha256)
    throw new UsageError(
      `${a.name} and ${b.name} were checked against different documents; run both with the same --openapi and --overlay.`,
    );
}

/** From worst to best: failed, could not be judged, nothing to judge, passed. */
function worstExitCode(columns: readonly Column[]): Comparison['exitCode'] {
  const codes = columns.map((column) => (column.state === 'run' ? column.exitCode : 3));
  return ([1, 3, 2] as const).find((code) => codes.includes(code)) ?? 0;
}

export function columnOf(entry: Entry): Column {
  const about = pick(entry, 'name', 'implementation');
  if ('reason' in entry) return { ...about, state: 'not-run', reason: entry.reason };
  const { record } = entry;
  return {
    ...about,
    state: 'run',
    ...pick(record, 'target', 'outcome'),
    exitCode: record.ciResult.exitCode,
    ...pick(record, 'stop', 'advice', 'summary', 'requests', 'created', 'seconds', 'latency', 'observations'),
    causes: record.causes.map((cause) => omit(cause, 'counterexample', 'matters', 'ladders')),
    cells: Object.fromEntries(record.results.map((result) => [result.id, cellOf(result)])),
  };
}

function cellOf(result: RecordedResult): Cell {
  const [first] = result.problems;
  const [exchange] = result.exchanges;
  return {
    ...pick(result, 'verdict', 'cases', 'failed'),
    ...(first && { problem: first.problem }),
    ...pick(result, 'expected', 'actual', 'reason'),
    ...(exchange && { command: exchange.command }),
  };
}
