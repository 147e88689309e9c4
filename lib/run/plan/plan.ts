import { areaOf } from '../../check-ids.ts';
import { groupBy, sum } from '../../collections.ts';
import type { TestCase } from '../../payloads/test-case.ts';
import type { Check, PlantFactory, Test } from '../check.ts';
import { DEFAULTS } from '../defaults.ts';
import { type CheckIds, type IdLayout, type Ids, RETRY_IDS_PER_CASE } from './ids.ts';
import type { Shard } from './shard.ts';
import { typicalEstimates } from './typical-estimates.ts';

/** Names of contexts whose requests belong to no check. */
export const PREFLIGHT = 'preflight';
export const OUTSIDE_CHECKS = 'outside checks';
export const COLLISIONS = 'collisions';

/** Number of ids for each property of the document, for a check whose requests are not counted in advance. */
const IDS_PER_PROPERTY = 64;
/** Number of ids for a check's requests beyond the planned ones; enough for a covering array. */
const OVERFLOW = { pairs: 2 ** 16, triples: 2 ** 18 } as const;
/** Number of shards with separate ids for requests that belong to no case. */
const SHARDS = 16;
/**
 * Number of slots for retry ids. Two cases rarely share a slot, and that matters only to a store that
 * requires unique ids.
 */
const SLOTS = 61;

export const sampleCount = (weight: number, cases: number): number => Math.max(1, Math.ceil(cases * weight));

/**
 * Returns the number of cases of a generated check. By default, and with --thorough, a check that covers all
 * combinations sends all of its named cases.
 */
export const caseCountOf = (
  { weight, covers }: Test & { kind: 'property' },
  cases: number,
  { strength }: PlantFactory,
  named: readonly TestCase[],
): number => {
  const mustCover = covers !== undefined && (strength === 3 || cases >= DEFAULTS.cases);
  return Math.max(sampleCount(weight, cases), mustCover ? named.length : 0);
};

/**
 * Assigns ids to all checks, selected or not, so that a filtered run, or a shard, sends the same requests as
 * the whole run.
 * @returns the ids of a check. If the document allows too few, all checks of a shard share theirs.
 */
export function assignIds(
  catalogue: readonly Check[],
  {
    cases,
    properties,
    thorough = false,
  }: { readonly cases: number; readonly properties: number; readonly thorough?: boolean | undefined },
  ids: Ids,
  { index, of }: Shard,
): (checkId: string) => CheckIds {
  const uncounted = IDS_PER_PROPERTY * (properties + 1);
  const overflow = OVERFLOW[thorough ? 'triples' : 'pairs'];
  const sizes: [id: string, size: number][] = [
    [PREFLIGHT, 16],
    [COLLISIONS, 0],
    ...catalogue.map(({ id, test }): [string, number] => {
      if (test.kind === 'invariant') return [id, 0];
      return [id, test.kind === 'property' ? sampleCount(test.weight, cases) + 1 : uncounted];
    }),
    [OUTSIDE_CHECKS, uncounted],
  ];
  const planned = sum(sizes, ([, size]) => size);
  const layouts = new Map<string, IdLayout>();
  let up = 0;
  for (const [item, [id, size]] of sizes.entries()) {
    layouts.set(id, {
      up,
      size,
      overflow: planned + item * overflow,
      down: item * (SLOTS + SHARDS) * RETRY_IDS_PER_CASE,
      slots: SLOTS,
      own: SLOTS + (index % SHARDS),
    });
    up += size;
  }
  const start = Math.floor(ids.count / of) * index;
  const shared = ids.in({ up: start, size: ids.count, overflow: 0, down: -start, slots: 1, own: 0 });
  if (planned + sizes.length * (overflow + (SLOTS + SHARDS) * RETRY_IDS_PER_CASE) > ids.count)
    return () => shared;
  return (checkId) => {
    const layout = layouts.get(checkId);
    return layout === undefined ? shared : ids.in(layout);
  };
}

/** Most faults show in fewer requests than this, so checks with more of them come later. */
const FEW_REQUESTS = 20;
/** This many rows of a covering array contain most values. */
const FIRST_ROWS = 40;
/** The rest of a longer check comes once all generated checks have tried this many cases. */
const FIRST_CASES = DEFAULTS.cases + 1;
const BATCH_SIZE = 2000;

export interface WorkItem {
  readonly check: Check;
  readonly limit: number;
}

/**
 * Puts checks with few requests first, then the first rows of the covering arrays, so that most faults show
 * early; then the other checks with named cases, random checks and scenarios; then extra random cases in
 * alternating batches, so that a run that is cut short has tried every random check about equally often.
 * Invariants come last.
 * @param isDistant whether random checks and long scenarios, too, run side by side, so that none waits for the
 * last responses of another
 * @returns batches of work items; the items of one batch run side by side
 */
export function* plannedBatches(
  catalogue: readonly Check[],
  isEnded: (check: Check) => boolean,
  isDistant: () => boolean,
): Generator<readonly WorkItem[]> {
  const once = (checks: readonly Check[]) => checks.map((check) => ({ check, limit: 1 }));
  const sideBySideIfDistant = (items: readonly WorkItem[]) =>
    isDistant() ? [items] : items.map((item) => [item]);
  const of = (kind: Check['test']['kind']) => catalogue.filter(({ test }) => test.kind === kind);
  const [sampling, scenarios] = [of('property'), of('scenario')];
  /** Up to this many cases of each check, beyond those that it has tried already. */
  function* upTo(count: number, checks = sampling): Generator<readonly WorkItem[]> {
    const items = checks
      .map((check) => ({ check, limit: Math.min(defaultCaseCount(check), count) - (tried.get(check) ?? 0) }))
      .filter(({ check, limit }) => limit > 0 && !isEnded(check));
    for (const { check } of items) tried.set(check, count);
    yield* sideBySideIfDistant(items);
  }
  const tried = new Map<Check, number>();
  const named = bySize(of('cases'));
  yield once(named.filter(sendsFew));
  yield* upTo(FIRST_ROWS, sampling.filter(coversCombinations));
  yield once(named.filter((check) => !sendsFew(check)));
  yield* upTo(FIRST_CASES);
  yield* upTo(Number.POSITIVE_INFINITY);
  const exclusive = (how: 'always' | 'unless-distant' | undefined) =>
    scenarios.filter(({ test }) => test.kind === 'scenario' && test.exclusive === how);
  yield* byArea(exclusive(undefined)).map(once);
  yield* sideBySideIfDistant(once(exclusive('unless-distant')));
  for (const check of exclusive('always')) yield once([check]);
  while (!sampling.every(isEnded))
    for (const check of sampling) if (!isEnded(check)) yield [{ check, limit: BATCH_SIZE }];
  yield once(of('invariant'));
}

/** Areas run one after the other: one may use up the ids of another, or get its credentials locked out. */
const byArea = (checks: readonly Check[]) => groupBy(checks, areaOf).map(([, members]) => members);

const bySize = (checks: readonly Check[]): readonly Check[] =>
  checks.toSorted((one, other) => typicalRequests(one) - typicalRequests(other));

const sendsFew = (check: Check): boolean => typicalRequests(check) <= FEW_REQUESTS;

const typicalRequests = ({ id }: Check): number => typicalEstimates()[id]?.requests ?? 0;

const coversCombinations = ({ test }: Check): boolean =>
  test.kind === 'property' && test.covers !== undefined;

/** The default number of random cases of a check, plus one for its control request. */
const defaultCaseCount = ({ test }: Check): number =>
  test.kind === 'property' ? sampleCount(test.weight, DEFAULTS.cases) + 1 : 1;
