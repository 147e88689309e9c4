import { createHash } from 'node:crypto';
import { groupBy } from '../groups.ts';
import { IdRanges } from '../run/id-ranges.ts';
import type { Latency } from '../run/latency.ts';
import type { Verdict } from '../run/result.ts';
import { KEPT } from '../run/tally.ts';
import { cutShort, outcomeOf, summaryOf } from '../run/verdict.ts';
import { UsageError } from '../usage-error.ts';
import { united } from './fingerprint.ts';
import { gateOf } from './gate.ts';
import type { Baseline, Gate, RecordedResult, RunRecord } from './record.ts';
import { rounded } from './recorded.ts';

/** A record and the file that it was read from. */
export interface Part {
  readonly file: string;
  readonly record: RunRecord;
}

/**
 * Joins the records of all the shards of one run into the record that the whole run would have made, but for times.
 * @throws UsageError where a shard is missing, is there twice, or is of another run
 */
export function mergeOf(parts: readonly Part[]): RunRecord {
  const [first, ...others] = inOrder(parts);
  const records = [first, ...others];
  const { gate, waited: _waited, collisions: _collisions, closedUnderRequests: _closed, ...head } = first;
  const collisions = sum(records, (record) => record.collisions ?? 0);
  const waited = sum(records, (record) => record.waited ?? 0);
  const closedUnderRequests = sum(records, (record) => record.closedUnderRequests ?? 0);
  const results = first.results.map((result, index) =>
    joined([result, ...others.map((other) => resultAt(other, index))]),
  );
  const summary = summaryOf(results);
  const stop = records.find((record) => record.stop !== null)?.stop ?? null;
  const merged = {
    ...head,
    target: { ...head.target, server: firstOf(records, ({ target }) => target.server) },
    options: { ...head.options, shard: null },
    ...timeOf(records),
    requests: sum(records, ({ requests }) => requests),
    ...(waited === 0 ? {} : { waited: rounded(waited) }),
    ...(closedUnderRequests === 0 ? {} : { closedUnderRequests }),
    created: createdBy(records),
    ...(collisions === 0 ? {} : { collisions }),
    latency: latencyOf(records.flatMap(({ latency }) => latency ?? [])),
    outcome: outcomeOf(summary, head.options.strict, cutShort(stop, results), results.some(isLeftOut)),
    stop,
    advice: firstOf(records, ({ advice }) => advice),
    summary,
    results,
    observations: Object.assign({}, ...results.map(({ observations }) => observations)),
  };
  const { results: _results, observations: _observations, ...rest } = merged;
  return { ...rest, gate: gateOf(merged, baselineOf(gate)), results, observations: merged.observations };
}

/** The shards of one run by their number. */
function inOrder(parts: readonly Part[]): readonly [RunRecord, ...RunRecord[]] {
  const [first] = parts;
  if (first === undefined) throw new UsageError('There is nothing to merge; name the records of all shards.');
  const found = new Map<number, Part>();
  const { of } = shardOf(first);
  for (const part of parts) {
    const { number, of: own } = shardOf(part);
    const other = own === of ? foreign(first.record, part.record) : `is one of ${own} shards, not of ${of}`;
    if (other !== undefined)
      throw new UsageError(`${part.file} is not of the same run as ${first.file}: it ${other}`);
    const known = found.get(number);
    if (known !== undefined)
      throw new UsageError(
        `${part.file} is shard ${number}/${of} once more, as ${known.file} is; leave one out`,
      );
    found.set(number, part);
  }
  const numbers = Array.from({ length: of }, (_, index) => index + 1);
  const missing = numbers.filter((number) => !found.has(number));
  if (missing.length > 0)
    throw new UsageError(
      `${missing.map((number) => `${number}/${of}`).join(', ')} of the run ${missing.length === 1 ? 'is' : 'are'} missing; run ${missing.length === 1 ? 'it' : 'them'} with --shard and name the record${missing.length === 1 ? '' : 's'} as well`,
    );
  const [one, ...rest] = numbers.flatMap((number) => found.get(number)?.record ?? []);
  return [one ?? first.record, ...rest];
}

function shardOf({ file, record }: Part): { readonly number: number; readonly of: number } {
  const [number = 0, of = 0] = (record.options.shard ?? '').split('/').map(Number);
  if (number < 1 || number > of)
    throw new UsageError(`${file} is the record of a whole run; there is nothing to merge it with`);
  return { number, of };
}

/** In what the run of another shard differs from the first, if it does. */
function foreign(first: RunRecord, other: RunRecord): string | undefined {
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
    ['--only or --skip', ({ results }) => digest(results.filter(isLeftOut).map(({ id }) => id))],
    ['baseline', ({ gate }) => digest({ ...baselineOf(gate), file: '' })],
  ];
  const differing = traits.find(([, of]) => of(first) !== of(other))?.[0];
  return differing === undefined ? undefined : `has another ${differing}`;
}

const digest = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex');

const isLeftOut = ({ blockedBy }: RecordedResult) => blockedBy === 'user';

function resultAt({ results }: RunRecord, index: number): RecordedResult {
  const result = results[index];
  if (result === undefined) throw new UsageError('The records to merge hold different numbers of results.');
  return result;
}

/** What the shards found out about one check. */
function joined(parts: readonly [RecordedResult, ...RecordedResult[]]): RecordedResult {
  const carried = parts.filter(({ verdict, blockedBy }) => verdict !== 'skipped' || blockedBy !== 'shard');
  const [one = parts[0], ...others] = carried;
  const coverage = coveredTogether(carried);
  if (others.length === 0) return { ...without(one, 'coverage'), ...coverage };
  // The part that met the first failure has what is to be looked at first.
  const lead = carried.toSorted((a, b) => placeOf(a) - placeOf(b))[0] ?? one;
  const causes = united(carried.flatMap((part) => part.causes));
  const verdict = verdictOf(carried);
  const alike = carried.filter((part) => part.verdict === verdict);
  const blocked = (verdict === 'fail' || alike.length === 0 ? carried : alike).find(
    ({ blockedBy }) => blockedBy !== undefined,
  );
  return {
    ...without(lead, 'expected', 'actual', 'blockedBy', 'reason', 'counterexample', 'coverage'),
    verdict,
    cases: sum(carried, ({ cases }) => cases),
    failed: sum(carried, ({ failed }) => failed),
    seconds: rounded(sum(carried, ({ seconds }) => seconds)),
    causes,
    ...pick(lead, 'expected', 'actual', 'counterexample'),
    ...(blocked === undefined ? {} : pick(blocked, 'blockedBy', 'reason')),
    exchanges: exchangesOf(carried, causes),
    observations: Object.assign({}, ...carried.map(({ observations }) => observations)),
    ...coverage,
  };
}

/** What the shards cover together, where each has tried its part to the end; else nobody knows. */
function coveredTogether(parts: readonly RecordedResult[]): Pick<RecordedResult, 'coverage'> {
  const each = parts.flatMap(({ coverage }) => coverage ?? []);
  const [first] = each;
  if (first === undefined) return {};
  const { together = first, ...coverage } = first;
  const { rows, covered } = together;
  return sum(each, (one) => one.rows) === rows ? { coverage: { ...coverage, rows, covered } } : {};
}

const placeOf = ({ causes }: RecordedResult) => causes[0]?.place ?? Number.POSITIVE_INFINITY;

/** The worst of the parts; what a part had no occasion for, another may have had. */
function verdictOf(parts: readonly RecordedResult[]): Verdict {
  const worst: readonly Verdict[] = ['fail', 'untestable', 'pass', 'observed'];
  const found = worst.find((verdict) => parts.some((part) => part.verdict === verdict));
  if (found !== undefined) return found;
  // Each had cases, and referred to the check that says why it saw nothing in them.
  return parts.every(({ cases, blockedBy }) => cases > 0 && blockedBy?.includes('/'))
    ? 'untestable'
    : 'skipped';
}

/** The failure that came first of each of the first causes, whatever was asked. */
function exchangesOf(
  parts: readonly RecordedResult[],
  causes: RecordedResult['causes'],
): RecordedResult['exchanges'] {
  const firsts = groupBy(causes, ({ cause }) => cause).flatMap(([, [first]]) => first ?? []);
  return firsts.slice(0, KEPT).flatMap(({ cause, place }) => {
    const part = parts.find((one) => one.causes.some((own) => own.cause === cause && own.place === place));
    return part?.exchanges.find((exchange) => exchange.cause === cause) ?? [];
  });
}

function timeOf(records: readonly RunRecord[]): Pick<RunRecord, 'startedAt' | 'seconds'> {
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

/** The times of all answers together. The samples are gone, so that medians are those of the buckets. */
function latencyOf(parts: readonly Latency[]): Latency | null {
  if (parts.length === 0) return null;
  const buckets = new Map<number, Latency['buckets'][number]>();
  for (const bucket of parts.flatMap((part) => part.buckets)) {
    const answers = (buckets.get(bucket.from)?.answers ?? 0) + bucket.answers;
    buckets.set(bucket.from, { ...bucket, answers });
  }
  const sorted = [...buckets.values()].sort((a, b) => a.from - b.from);
  const answers = sum(parts, (part) => part.answers);
  const at = (share: number) => {
    let seen = 0;
    for (const bucket of sorted) {
      seen += bucket.answers;
      if (seen >= answers * share) return bucket.from;
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

function baselineOf({ baseline }: Gate): Baseline | undefined {
  if (baseline === null) return undefined;
  const entries = baseline.entries.map(({ state: _state, remedy: _remedy, ...entry }) => entry);
  return { ...baseline, entries };
}

const firstOf = (records: readonly RunRecord[], of: (record: RunRecord) => string | null): string | null =>
  records.map(of).find((value) => value !== null) ?? null;

const sum = <T>(list: readonly T[], of: (one: T) => number): number =>
  list.reduce((total, one) => total + of(one), 0);

const pick = <T extends object, K extends keyof T>(from: T, ...keys: readonly K[]): Partial<Pick<T, K>> =>
  Object.fromEntries(keys.filter((key) => from[key] !== undefined).map((key) => [key, from[key]])) as Partial<
    Pick<T, K>
  >;

const without = <T extends object, K extends keyof T>(from: T, ...keys: readonly K[]): Omit<T, K> =>
  Object.fromEntries(
    Object.entries(from).filter(([key]) => !(keys as readonly string[]).includes(key)),
  ) as Omit<T, K>;
