import { groupBy, omit, pick, sum } from '../../collections.ts';
import { IdRanges } from '../../run/plan/id-ranges.ts';
import type { FailureCount, Verdict } from '../../run/result/result.ts';
import { MAX_FAILURES } from '../../run/result/tally.ts';
import { cutShort, runOutcome, summaryOf } from '../../run/result/verdict.ts';
import type { Latency } from '../../run/send/latency.ts';
import { UsageError } from '../../usage-error.ts';
import { withCiResult } from '../baseline/ci-result.ts';
import { united } from './fingerprint.ts';
import type {
  Baseline,
  CiResult,
  RecordedCause,
  RecordedResult,
  RunRecord,
  WithoutCiResult,
} from './record.ts';
import { rounded } from './record-exchange.ts';
import { explainedIn, mustFirst, withUnexplained } from './unexplained.ts';

interface ShardRecord {
  readonly file: string;
  readonly record: RunRecord;
}

/**
 * Merges the records of shards into the record of the whole run. Only times differ from those of a single
 * run.
 * @throws UsageError if a shard is missing, occurs twice or belongs to another run
 */
export function mergeOf(parts: readonly ShardRecord[]): RunRecord {
  const [first, ...others] = inOrder(parts);
  const records = [first, ...others];
  const { ciResult, ...head } = omit(first, 'waited', 'collisions', 'closedMidRequest', 'failedWhenRaised');
  const total = (key: 'waited' | 'closedMidRequest' | 'failedWhenRaised' | 'collisions') => {
    const overall = sum(records, (record) => record[key] ?? 0);
    return overall === 0 ? {} : { [key]: rounded(overall) };
  };
  const results = first.results.map((result, index) =>
    mergedResult([result, ...others.map((other) => resultAt(other, index))]),
  );
  const summary = summaryOf(results);
  const stop = firstOf(records, (record) => record.stop);
  const merged: WithoutCiResult = {
    ...head,
    target: { ...head.target, server: firstOf(records, ({ target }) => target.server) },
    options: { ...head.options, shard: null },
    ...timeOf(records),
    requests: sum(records, ({ requests }) => requests),
    ...total('waited'),
    ...total('closedMidRequest'),
    ...total('failedWhenRaised'),
    created: createdBy(records),
    ...total('collisions'),
    latency: latencyOf(records.flatMap(({ latency }) => latency ?? [])),
    outcome: runOutcome(summary, head.options.strict, cutShort(stop, results), results.some(isDeselected)),
    stop,
    advice: firstOf(records, ({ advice }) => advice),
    summary,
    causes: causesOf(records, results),
    results,
    observations: Object.assign({}, ...results.map(({ observations }) => observations)),
  };
  return withCiResult(merged, baselineOf(ciResult));
}

function inOrder(parts: readonly ShardRecord[]): readonly [RunRecord, ...RunRecord[]] {
  const [first] = parts;
  if (first === undefined) throw new UsageError('There is nothing to merge; name the records of all shards.');
  const partsByNumber = new Map<number, ShardRecord>();
  const { of } = shardOf(first);
  for (const part of parts) {
    const { number, of: total } = shardOf(part);
    const difference =
      total === of ? differenceOf(first.record, part.record) : `it is one of ${total} shards, not of ${of}`;
    if (difference !== undefined)
      throw new UsageError(`${part.file} is not from the same run as ${first.file}: ${difference}`);
    const known = partsByNumber.get(number);
    if (known !== undefined)
      throw new UsageError(
        `${known.file} and ${part.file} are both shard ${number}/${of}; name only one of them`,
      );
    partsByNumber.set(number, part);
  }
  const numbers = Array.from({ length: of }, (_, index) => index + 1);
  const missing = numbers.filter((number) => !partsByNumber.has(number));
  if (missing.length > 0)
    throw new UsageError(
      `${missing.map((number) => `${number}/${of}`).join(', ')} of the run ${missing.length === 1 ? 'is' : 'are'} missing; run ${missing.length === 1 ? 'it' : 'them'} with --shard and name the record${missing.length === 1 ? '' : 's'} too`,
    );
  const [one, ...rest] = numbers.flatMap((number) => partsByNumber.get(number)?.record ?? []);
  return [one ?? first.record, ...rest];
}

function shardOf({ file, record }: ShardRecord): { readonly number: number; readonly of: number } {
  const [number = 0, of = 0] = (record.options.shard ?? '').split('/').map(Number);
  if (number < 1 || number > of) throw new UsageError(`${file} is the record of a whole run, not of a shard`);
  return { number, of };
}

/** How the run of another shard differs from that of the first shard; undefined if it does not. */
function differenceOf(first: RunRecord, other: RunRecord): string | undefined {
  const traits: readonly (readonly [name: string, of: (record: RunRecord) => unknown])[] = [
    ['version of the suite', ({ suite }) => suite.version],
    ['catalogue', ({ suite }) => suite.catalogue],
    ['document', ({ document }) => document.sha256],
    ['base URL', ({ target }) => target.baseUrl],
    ['--seed', ({ options }) => options.seed],
    ['--first-id', ({ options }) => options.firstId],
    ['--cases', ({ options }) => options.cases],
    ['--thorough', ({ options }) => options.thorough],
    ['--strict', ({ options }) => options.strict],
    ['--only or --skip', ({ results }) => String(results.filter(isDeselected).map(({ id }) => id))],
    ['baseline', ({ ciResult }) => JSON.stringify({ ...baselineOf(ciResult), file: '' })],
  ];
  const differing = traits.find(([, of]) => of(first) !== of(other))?.[0];
  return differing === undefined ? undefined : `its ${differing} differs`;
}

const isDeselected = ({ blockedBy }: RecordedResult) => blockedBy === 'user';

function resultAt({ results }: RunRecord, index: number): RecordedResult {
  const result = results[index];
  if (result === undefined)
    throw new UsageError('The records to merge contain different numbers of results.');
  return result;
}

function mergedResult(parts: readonly [RecordedResult, ...RecordedResult[]]): RecordedResult {
  const ran = parts.filter(({ verdict, blockedBy }) => verdict !== 'skipped' || blockedBy !== 'shard');
  const [one = parts[0], ...others] = ran;
  const coverage = coveredTogether(ran);
  if (others.length === 0) return { ...omit(one, 'coverage'), ...coverage };
  // The part with the first failure leads.
  const lead = ran.toSorted((a, b) => positionOf(a) - positionOf(b))[0] ?? one;
  const problems = united(ran.flatMap((part) => part.problems));
  const verdict = verdictOf(ran);
  const sameVerdict = ran.filter((part) => part.verdict === verdict);
  const blocked = (verdict === 'fail' || sameVerdict.length === 0 ? ran : sameVerdict).find(
    ({ blockedBy }) => blockedBy !== undefined,
  );
  return {
    ...omit(lead, 'expected', 'actual', 'blockedBy', 'reason', 'counterexample', 'coverage'),
    verdict,
    cases: sum(ran, ({ cases }) => cases),
    failed: sum(ran, ({ failed }) => failed),
    ...(lead.random === undefined ? {} : { random: sum(ran, ({ random = 0 }) => random) }),
    seconds: rounded(sum(ran, ({ seconds }) => seconds)),
    problems,
    ...pick(lead, 'expected', 'actual', 'counterexample'),
    ...(blocked === undefined ? {} : pick(blocked, 'blockedBy', 'reason')),
    exchanges: exchangesOf(ran, problems),
    observations: Object.assign({}, ...ran.map(({ observations }) => observations)),
    ...coverage,
  };
}

/** What all shards cover together; absent unless each of them tried all of its rows. */
function coveredTogether(parts: readonly RecordedResult[]): Pick<RecordedResult, 'coverage'> {
  const each = parts.flatMap(({ coverage }) => coverage ?? []);
  const [first] = each;
  if (first === undefined) return {};
  const { together = first, ...coverage } = first;
  const { rows, covered } = together;
  return sum(each, (one) => one.rows) === rows ? { coverage: { ...coverage, rows, covered } } : {};
}

const positionOf = ({ problems }: RecordedResult) => problems[0]?.position ?? Number.POSITIVE_INFINITY;

/** The worst verdict of all parts. A part may have been skipped while another was not. */
function verdictOf(parts: readonly RecordedResult[]): Verdict {
  const worst: readonly Verdict[] = ['fail', 'untestable', 'pass', 'observed'];
  const found = worst.find((verdict) => parts.some((part) => part.verdict === verdict));
  if (found !== undefined) return found;
  // Each part had cases, but they showed nothing because of another check.
  return parts.every(({ cases, blockedBy }) => cases > 0 && blockedBy?.includes('/'))
    ? 'untestable'
    : 'skipped';
}

/** An exchange for each of the first problems, ignoring differences between requests. */
function exchangesOf(
  parts: readonly RecordedResult[],
  problems: RecordedResult['problems'],
): RecordedResult['exchanges'] {
  const firsts = groupBy(problems, ({ problem }) => problem).map(([, [first]]) => first);
  return firsts.slice(0, MAX_FAILURES).flatMap(({ problem, position }) => {
    const part = parts.find((one) =>
      one.problems.some((own) => own.problem === problem && own.position === position),
    );
    return part?.exchanges.find((exchange) => exchange.problem === problem) ?? [];
  });
}

/** The causes of all shards. A cause that several shards found is merged into one. */
function causesOf(
  records: readonly RunRecord[],
  results: readonly RecordedResult[],
): readonly RecordedCause[] {
  const same = groupBy(records.flatMap(explainedIn), ({ fingerprint }) => fingerprint);
  const explained = mustFirst(
    same.map(([, all]): RecordedCause => {
      const checks = new Set(all.flatMap((cause) => cause.checks));
      const tried = (of: 'inside' | 'outside'): FailureCount => [
        sum(all, ({ confirmed }) => confirmed[of][0]),
        sum(all, ({ confirmed }) => confirmed[of][1]),
      ];
      return {
        ...all[0],
        level: all.some(({ level }) => level === 'MUST') ? 'MUST' : 'SHOULD',
        confirmed: { inside: tried('inside'), outside: tried('outside') },
        checks: results.map(({ id }) => id).filter((id) => checks.has(id)),
      };
    }),
  );
  return withUnexplained(explained, results);
}

/** Returns the time from the first start to the last end. */
export function timeOf(records: readonly RunRecord[]): Pick<RunRecord, 'startedAt' | 'seconds'> {
  const starts = records.map(({ startedAt }) => Date.parse(startedAt));
  const ends = records.map(({ startedAt, seconds }) => Date.parse(startedAt) + seconds * 1000);
  const start = Math.min(...starts);
  return { startedAt: new Date(start).toISOString(), seconds: rounded((Math.max(...ends) - start) / 1000) };
}

function createdBy(records: readonly RunRecord[]): RunRecord['created'] {
  const all = new IdRanges();
  for (const { created } of records) all.join(IdRanges.from(created.ids));
  const unlisted = all.dropped + sum(records, ({ created }) => created.unlisted ?? 0);
  return {
    plants: sum(records, ({ created }) => created.plants),
    ids: all.text,
    ...(unlisted === 0 ? {} : { unlisted }),
  };
}

/** Records do not contain the samples, so percentiles are approximated by the buckets. */
function latencyOf(parts: readonly Latency[]): Latency | null {
  if (parts.length === 0) return null;
  const all = parts.flatMap((part) => part.buckets);
  const sorted = groupBy(all, ({ from }) => String(from))
    .map(([, same]) => ({ ...same[0], answers: sum(same, ({ answers }) => answers) }))
    .sort((a, b) => a.from - b.from);
  const answers = sum(parts, (part) => part.answers);
  const at = (fraction: number) => {
    let seen = 0;
    for (const bucket of sorted) {
      seen += bucket.answers;
      if (seen >= answers * fraction) return bucket.from;
    }
    return 0;
  };
  return {
    answers,
    median: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    longest: Math.max(...parts.map(({ longest }) => longest)),
    buckets: sorted,
  };
}

function baselineOf({ baseline }: CiResult): Baseline | undefined {
  if (baseline === null) return undefined;
  const entries = baseline.entries.map(({ state: _state, remedy: _remedy, ...entry }) => entry);
  return { ...baseline, entries };
}

const firstOf = <T>(records: readonly RunRecord[], of: (record: RunRecord) => T | null): T | null =>
  records.map(of).find((value) => value !== null) ?? null;
