import type { RecordedResult, RunRecord } from '../report/record.ts';
import { UsageError } from '../usage-error.ts';
import type { Cell, Column, Comparison, Portrait } from './comparison.ts';

/** A store that was run against, or that could not be. */
export type Entry = { readonly name: string; readonly portrait?: Portrait } & (
  | { readonly record: RunRecord }
  | { readonly reason: string }
);

/**
 * Puts the records of several stores side by side.
 * @throws UsageError when they were not asked the same
 */
export function comparisonOf(
  entries: readonly Entry[],
  differential: Comparison['differential'],
): Comparison {
  const records = entries.flatMap((entry) => ('record' in entry ? [entry] : []));
  const [first, ...others] = records;
  if (first === undefined) throw new UsageError('None of the stores was run; there is nothing to compare.');
  for (const other of others) requireAlike(first, other);
  const { suite, document, options, results } = first.record;
  const begin = records.map(({ record }) => record.startedAt).sort()[0] ?? '';
  const end = Math.max(...records.map(({ record }) => Date.parse(record.startedAt) + record.seconds * 1000));
  const columns = entries.map(columnOf);
  return {
    schemaVersion: 1,
    kind: 'comparison',
    suite,
    document,
    options: {
      seed: options.seed,
      cases: options.cases,
      ...(options.thorough === true ? { thorough: true } : {}),
      strict: options.strict,
    },
    startedAt: begin,
    seconds: Math.round(end - Date.parse(begin)) / 1000,
    exitCode: worst(columns),
    checks: results.map(({ id, level, statement, basis, hint }) => ({ id, level, statement, basis, hint })),
    columns,
    differential,
  };
}

function requireAlike(
  a: { readonly name: string; readonly record: RunRecord },
  b: { readonly name: string; readonly record: RunRecord },
): void {
  if (a.record.suite.catalogue !== b.record.suite.catalogue)
    throw new UsageError(
      `${a.name} and ${b.name} were checked with different catalogues (${a.record.suite.version} and ${b.record.suite.version}); run both with one suite.`,
    );
  if (a.record.document.sha256 !== b.record.document.sha256)
    throw new UsageError(
      `${a.name} and ${b.name} were held to different documents; run both with the same --openapi and --overlay.`,
    );
}

/** A failure is worse than what could not be judged, that than nothing to judge, and that than all being well. */
function worst(columns: readonly Column[]): Comparison['exitCode'] {
  const codes = columns.map((column) => (column.state === 'run' ? column.exitCode : 3));
  return ([1, 3, 2] as const).find((code) => codes.includes(code)) ?? 0;
}

/** What became of one store, beside others. */
export function columnOf(entry: Entry): Column {
  const { name, portrait } = entry;
  const about = portrait === undefined ? { name } : { name, portrait };
  if ('reason' in entry) return { ...about, state: 'not-run', reason: entry.reason };
  const { target, outcome, stop, advice, summary, latency, observations, requests, created, seconds, gate } =
    entry.record;
  return {
    ...about,
    state: 'run',
    target,
    outcome,
    exitCode: gate.exitCode,
    stop,
    advice,
    summary,
    requests,
    created,
    seconds,
    latency,
    observations,
    cells: Object.fromEntries(entry.record.results.map((result) => [result.id, cellOf(result)])),
  };
}

function cellOf({
  verdict,
  cases,
  failed,
  causes,
  expected,
  actual,
  reason,
  exchanges,
}: RecordedResult): Cell {
  const [cause] = causes;
  const [exchange] = exchanges;
  return {
    verdict,
    cases,
    failed,
    ...(cause === undefined ? {} : { cause: cause.cause }),
    ...(expected === undefined ? {} : { expected }),
    ...(actual === undefined ? {} : { actual }),
    ...(reason === undefined ? {} : { reason }),
    ...(exchange === undefined ? {} : { curl: exchange.curl }),
  };
}
