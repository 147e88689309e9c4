import { leastBy } from '../../collections.ts';
import { type ModelRequest, templateOf } from '../../payloads/model/model-request.ts';
import { isValid } from '../../payloads/validity.ts';
import type { Ladder } from '../../run/result/cause.ts';
import { isTimeout } from '../../wire/exchange.ts';
import {
  type Candidate,
  type CandidateResults,
  candidatesWith,
  exactNameIn,
  type Limits,
  type NamedCandidates,
  nameCandidates,
  type Scale,
  type Sweep,
} from '../values/candidates.ts';
import { HIDDEN_BY_REJECTION, mayBeDuplicate } from './duplicates.ts';
import type { Search } from './search.ts';

/** Number of unanswered values after which a sweep stops. */
const MAX_HANGS = 4;
/** Number of values tried concurrently if seeing the symptom takes a full timeout. */
const SLOW_AT_ONCE = 8;

/** How far one part of a condition reaches. */
export interface SweepResult {
  readonly named: readonly NamedCandidates[];
  readonly ladder: Ladder;
  /** Values that showed the symptom, and values that did not. */
  readonly shown: readonly Candidate[];
  readonly notShown: readonly Candidate[];
}

/** Whether a value shows the symptom; undefined if the response proves nothing. */
type Attempt = (candidate: Candidate) => Promise<boolean | undefined>;

/** Tries the values of one part, leaving everything else as in `request`; if `isPlant`, only valid plants. */
export async function sweep(
  { part, candidates, classes, scale, closer }: Sweep,
  request: ModelRequest,
  search: Search,
  isPlant: boolean,
): Promise<SweepResult> {
  const body = search.experiments.textOf(request);
  const isSkipped = ({ skipUnlessFailing: oddity }: Candidate) =>
    HIDDEN_BY_REJECTION.includes(search.symptom.kind) && oddity?.test(body) === false;
  const stateWith = (candidate: Candidate): ModelRequest | undefined => {
    if (isSkipped(candidate)) return undefined;
    const next = candidate.apply(request);
    return isPlant && !isValid(search.contract, next.plant) ? undefined : next;
  };
  const attempt = async (candidate: Candidate) => {
    const next = stateWith(candidate);
    return next && search.shows(next);
  };
  const results = await resultsOf(candidates, stateWith, search);
  let names = nameCandidates(results, classes);
  const scaled = scale && (await limitsOn(scale, attempt, search.isSlow));
  const limits = scaled?.limits && withNegative(scaled.limits, results);
  if (limits !== undefined) {
    const exact = exactNameIn(names);
    const point = scale?.pointOf?.(request);
    // A single failing value may fail for another reason.
    const isOdd = exact?.candidates.length === 1 && point !== undefined && limits.has(point);
    const isClass = exact !== undefined && !isOdd && (await isConsistent(results, attempt));
    if (agrees(results, limits, isClass ? 0 : MAX_CONTRADICTING_PART))
      names = [{ condition: limits.condition, candidates: [], isExact: true }];
  }
  const finer = limits === undefined && !search.isSlow ? closer?.(candidatesWith(results, true)) : undefined;
  const closerNames = finer === undefined ? [] : (await sweep(finer, request, search, isPlant)).named;
  // Several values of the same part are no better than the one that was found.
  if (closerNames.length === 1 && (exactNameIn(closerNames) !== undefined || finer?.part !== part))
    // A limit covers all values from which the finer sweep was made.
    names = closerNames.map((one) =>
      one.candidates.length > 0 ? one : { ...one, candidates: candidatesWith(results, true) },
    );
  const conclusive = [...results, ...(scaled?.results ?? [])].filter(([, shows]) => shows !== undefined);
  return {
    named: names,
    ladder: { part, tried: conclusive.map(([{ value }, shows]) => ({ value, shows: shows === true })) },
    shown: candidatesWith(conclusive, true),
    notShown: candidatesWith(conclusive, false),
  };
}

/** After this many timeouts in a sweep, its candidates are tried several at once. */
const MAX_TIMEOUTS_IN_SEQUENCE = 2;

/** Tries candidates one by one or, if that takes full timeouts, several at once. */
async function resultsOf(
  candidates: readonly Candidate[],
  stateWith: (candidate: Candidate) => ModelRequest | undefined,
  search: Search,
): Promise<CandidateResults> {
  const results = new Map<Candidate, boolean | undefined>();
  let timeouts = search.isSlow ? MAX_TIMEOUTS_IN_SEQUENCE : 0;
  const shows = async ({ condition }: Candidate, request: ModelRequest) => {
    const exchange = await search.send(request);
    if (isTimeout(exchange)) timeouts += 1;
    return (await mayBeDuplicate(condition, exchange, search))
      ? undefined
      : search.isShown(exchange, request);
  };
  for (let from = 0, size = 1; from < candidates.length; from += size) {
    const isSlow = timeouts >= MAX_TIMEOUTS_IN_SEQUENCE;
    size = isSlow ? SLOW_AT_ONCE : 1;
    const batch = candidates.slice(from, from + size).flatMap((candidate) => {
      const request = stateWith(candidate);
      return request === undefined ? [] : [{ candidate, request }];
    });
    const atOnce = isSlow
      ? await allAtOnce(
          batch.map(({ request }) => request),
          search,
        )
      : undefined;
    for (const [index, { candidate, request }] of batch.entries())
      results.set(candidate, atOnce === undefined ? await shows(candidate, request) : atOnce[index]);
    if (search.isSlow && candidatesWith(results, true).length >= MAX_HANGS) break;
  }
  return results;
}

/** Number of candidates that are tried again to rule out coincidence. */
const MAX_SECOND_TRIES = 16;

/** Whether the candidates give the same results again with fresh values. */
async function isConsistent(results: CandidateResults, attempt: Attempt): Promise<boolean> {
  for (const [candidate, shows] of [...results].slice(0, MAX_SECOND_TRIES))
    if (shows !== undefined && (await attempt(candidate)) === !shows) return false;
  return true;
}

/** Tries requests concurrently; undefined if an ordinary one is not answered either: they prove nothing. */
async function allAtOnce(
  requests: readonly ModelRequest[],
  search: Search,
): Promise<readonly (boolean | undefined)[] | undefined> {
  const exchanges = await search.experiments.sendConcurrently([...requests, search.ordinary].map(templateOf));
  if (exchanges.at(-1)?.kind !== 'answered') return undefined;
  return requests.map((request, index) => exchanges[index] && search.isShown(exchanges[index], request));
}

interface FoundLimits extends Limits {
  /** The same limits, and negative values: those beyond a limit, or all of them. */
  readonly withNegative?: readonly Limits[];
}

/** Extends the limits to negative values if more of the values that were tried agree with that. */
function withNegative(limits: FoundLimits, results: CandidateResults): Limits {
  const all = [limits, ...(limits.withNegative ?? [])];
  return leastBy(all, (one) => contradicting(results, one, true).length) ?? limits;
}

/** Maximum fraction of values that may contradict the limits: another rule of the store may apply to them. */
const MAX_CONTRADICTING_PART = 0.25;

/** Whether the values that were tried agree with the limits found on the scale. */
function agrees(results: CandidateResults, limits: Limits, maxFraction: number): boolean {
  const tried = [...results].filter(([{ point }, shows]) => shows !== undefined && point !== 0n).length;
  return contradicting(results, limits).length <= tried * maxFraction;
}

/** The values that contradict the limits. Many programs treat 0 and the empty string as missing. */
const contradicting = (results: CandidateResults, { has }: Limits, withZero = false) =>
  [...results].filter(
    ([{ point }, shows]) =>
      shows !== undefined && (withZero || point !== 0n) && shows !== (point !== undefined && has(point)),
  );

/** Finds the limits between which the symptom shows, on the second scale if the first one reveals none. */
async function limitsOn(
  scale: Scale,
  attempt: Attempt,
  isSlow: boolean,
): Promise<{ readonly results: CandidateResults; readonly limits?: FoundLimits }> {
  const results = new Map<Candidate, boolean | undefined>();
  const at: AttemptAt = async (point) => {
    const candidate: Candidate = {
      value: scale.valueAt(point),
      condition: {},
      apply: (request) => scale.apply(request, point),
      classes: [],
    };
    const shows = await attempt(candidate);
    results.set(candidate, shows);
    return shows;
  };
  const [first, second, ...others] = changesIn(await triedPoints(scale.points, at, isSlow));
  const isOneRange = others.length === 0 && !(second !== undefined && first?.shows === true);
  if (first === undefined || !isOneRange)
    return scale.instead === undefined ? { results } : limitsOn(scale.instead, attempt, isSlow);
  const start = await bisect(first, at);
  if (second !== undefined) {
    const end = await bisect(second, at);
    const has = (point: bigint) => point > start && point <= end;
    return { results, limits: { condition: scale.between(start + 1n, end), has } };
  }
  const limit = first.shows ? undefined : scale.exactly?.(start);
  const isIncluded = limit !== undefined && (await attempt(limit)) === true;
  if (first.shows)
    return { results, limits: { condition: scale.below(start + 1n), has: (point) => point <= start } };
  const condition = isIncluded ? limit.condition : scale.above(start);
  const has = (point: bigint) => point > start;
  return { results, limits: { condition, has, withNegative: scale.withNegative?.(start, condition) ?? [] } };
}

type AttemptAt = (point: bigint) => Promise<boolean | undefined>;
type TriedPoint = readonly [point: bigint, shows: boolean];

/** Tries the points of a scale in order; inconclusive ones are omitted. */
async function triedPoints(
  points: readonly bigint[],
  at: AttemptAt,
  isSlow: boolean,
): Promise<readonly TriedPoint[]> {
  const tried: TriedPoint[] = [];
  for (const [index, point] of points.entries()) {
    // If two points in a row show a slow symptom, later ones probably do, too: try only the last one.
    const lastTwo = tried.slice(-2);
    const isLikely = isSlow && lastTwo.length === 2 && lastTwo.every(([, shows]) => shows);
    if (isLikely && index < points.length - 1) continue;
    const shows = await at(point);
    if (shows !== undefined) tried.push([point, shows]);
  }
  return tried;
}

/** Neighbouring points, only one of which shows the symptom. `shows` is the result of the lower one. */
interface Change {
  readonly low: bigint;
  readonly high: bigint;
  readonly shows: boolean;
}

const changesIn = (tried: readonly TriedPoint[]): readonly Change[] =>
  tried.flatMap(([low, shows], index) => {
    const [high, showsNext] = tried[index + 1] ?? [low, shows];
    return showsNext === shows ? [] : [{ low, high, shows }];
  });

/** Finds the highest point below the change, that is, with the same result as `low`. */
export async function bisect({ low, high, shows }: Change, at: AttemptAt): Promise<bigint> {
  if (high - low <= 1n) return low;
  const middle = (low + high) / 2n;
  const isLikeLow = (await at(middle)) === shows;
  return bisect(isLikeLow ? { low: middle, high, shows } : { low, high: middle, shows }, at);
}
