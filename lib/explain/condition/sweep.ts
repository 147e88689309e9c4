import { type RequestState, templateOf } from '../../payloads/model/dimension.ts';
import { isValid } from '../../payloads/validity.ts';
import type { Ladder } from '../../run/result/cause.ts';
import type { Search } from '../search.ts';
import type { SymptomKind } from '../symptom/symptom.ts';
import type { Wording } from '../wording/wording.ts';
import {
  type Candidate,
  type NamedCandidates,
  named,
  type Scale,
  type Sweep,
  type Tries,
  thoseIn,
} from './candidates.ts';

/** Stop a sweep after this many unanswered values. */
const MAX_HANGS = 4;
/** Values that are tried together if the symptom takes as long to see as the timeout. */
const SLOW_AT_ONCE = 8;

/** Symptoms that an unrelated rejection of an unusual value hides or resembles. */
const HIDDEN_BY_REJECTION: readonly SymptomKind[] = ['accepts', 'rejects'];

/** How far one part of a condition reaches. */
export interface SweepResult {
  readonly named: readonly NamedCandidates[];
  readonly ladder: Ladder;
  /** Values with which the symptom showed, and values with which it did not. */
  readonly shown: readonly Candidate[];
  readonly hidden: readonly Candidate[];
}

/** Whether the symptom shows with a value; undefined if that cannot be said. */
type Attempt = (candidate: Candidate) => Promise<boolean | undefined>;

/**
 * Tries the values of a part, with everything else as in `state`.
 * @param isPlant whether only valid plants are to be tried
 */
export async function sweep(
  { part, candidates, classes, scale }: Sweep,
  state: RequestState,
  search: Search,
  isPlant: boolean,
): Promise<SweepResult> {
  const tries = new Map<Candidate, boolean | undefined>();
  const own = search.experiments.textOf(state);
  const isOther = ({ skipUnlessFailing: oddity }: Candidate) =>
    HIDDEN_BY_REJECTION.includes(search.sought.kind) && oddity !== undefined && !oddity.test(own);
  const stateWith = (candidate: Candidate): RequestState | undefined => {
    if (isOther(candidate)) return undefined;
    const next = candidate.apply(state);
    return isPlant && !isValid(search.contract, next.plant) ? undefined : next;
  };
  const attempt = async (candidate: Candidate) => {
    const next = stateWith(candidate);
    return next && search.shows(next);
  };
  for (let left = candidates; left.length > 0; ) {
    const batch = left.slice(0, search.isSlow ? SLOW_AT_ONCE : 1);
    left = left.slice(batch.length);
    const results = search.isSlow ? await allAtOnce(batch.map(stateWith), search) : undefined;
    for (const [index, candidate] of batch.entries())
      tries.set(candidate, results === undefined ? await attempt(candidate) : results[index]);
    // Each missing answer costs one timeout.
    if (search.isSlow && [...tries.values()].filter((shows) => shows === true).length >= MAX_HANGS) break;
  }
  let found = named(tries, classes);
  let onScale = scale && (await limitsOn(scale, attempt, search.isSlow));
  if (scale?.instead !== undefined && onScale?.limits === undefined)
    onScale = await limitsOn(scale.instead, attempt, search.isSlow);
  const limits = onScale?.limits;
  if (limits !== undefined) {
    const [only, ...others] = found;
    const place = scale?.pointOf?.(state);
    // One odd value may show it for another reason.
    const isOdd = only?.candidates.length === 1 && place !== undefined && limits.has(place);
    const isExact = only?.isExact === true && others.length === 0 && !isOdd;
    const isClass = isExact && (await isConsistent(tries, attempt));
    if (agrees(tries, limits, isClass ? 0 : MAX_CONTRADICTIONS))
      found = [{ words: limits.words, group: part, candidates: [], isExact: true }];
  }
  const conclusive = [...tries, ...(onScale?.tries ?? [])].filter(([, shows]) => shows !== undefined);
  return {
    named: found,
    ladder: { part, tried: conclusive.map(([{ value }, shows]) => ({ value, shows: shows === true })) },
    shown: thoseIn(conclusive, true),
    hidden: thoseIn(conclusive, false),
  };
}

/** Values that are tried once more to see whether their kind decides. */
const MAX_SECOND_TRIES = 16;

/** Whether each candidate gives the same result again with fresh values (rules out coincidence). */
async function isConsistent(tries: Tries, attempt: Attempt): Promise<boolean> {
  for (const [candidate, shows] of [...tries].slice(0, MAX_SECOND_TRIES))
    if (shows !== undefined && (await attempt(candidate)) === !shows) return false;
  return true;
}

/**
 * Whether some requests that are sent together show a symptom.
 * @returns undefined if an ordinary one among them is not answered, so that they say nothing by themselves
 */
async function allAtOnce(
  states: readonly (RequestState | undefined)[],
  search: Search,
): Promise<readonly (boolean | undefined)[] | undefined> {
  const sent = [...states, search.ordinary].flatMap((state) => state ?? []);
  const exchanges = await search.experiments.together(sent.map(templateOf));
  if (exchanges.at(-1)?.kind !== 'answered') return undefined;
  return states.map((state) => {
    const exchange = state && exchanges[sent.indexOf(state)];
    return exchange && search.isShown(exchange, state);
  });
}

interface ScaleBounds {
  readonly words: Wording;
  readonly has: (point: bigint) => boolean;
}

/** The fraction of values that may contradict the limits found on a scale: another rule may apply to them. */
const MAX_CONTRADICTIONS = 0.25;

/** Whether the values beside the scale show the symptom if their place on the scale is within the limits. */
function agrees(tries: Tries, { has }: ScaleBounds, maxFraction: number): boolean {
  const clear = [...tries].filter(([, shows]) => shows !== undefined);
  const against = clear.filter(([{ point }, shows]) => shows !== (point !== undefined && has(point)));
  return against.length <= clear.length * maxFraction;
}

/** Finds the limits between which a symptom shows. */
async function limitsOn(
  { points, valueAt, apply, above, below, between }: Scale,
  attempt: Attempt,
  isSlow: boolean,
): Promise<{ readonly tries: Tries; readonly limits?: ScaleBounds }> {
  const tries = new Map<Candidate, boolean | undefined>();
  const at = async (point: bigint) => {
    const candidate: Candidate = {
      value: valueAt(point),
      words: {},
      apply: (state) => apply(state, point),
      classes: [],
    };
    const shows = await attempt(candidate);
    tries.set(candidate, shows);
    return shows;
  };
  const known: (readonly [point: bigint, shows: boolean])[] = [];
  for (const [index, point] of points.entries()) {
    // Two consecutive failures usually mean that all later values fail too.
    const isKnown = isSlow && known.slice(-2).length === 2 && known.slice(-2).every(([, shows]) => shows);
    if (isKnown && index < points.length - 1) continue;
    const shows = await at(point);
    if (shows !== undefined) known.push([point, shows]);
  }
  /** The last point like the first of two neighbours. */
  const border = async (from: bigint, to: bigint, showsFrom: boolean): Promise<bigint> => {
    let [low, high] = [from, to];
    while (high - low > 1n) {
      const middle = (low + high) / 2n;
      const shows = await at(middle);
      if (shows === showsFrom) low = middle;
      else high = middle;
    }
    return low;
  };
  const changes = known.flatMap(([point, shows], index) => {
    const next = known[index + 1];
    return next !== undefined && next[1] !== shows ? [{ from: point, to: next[0], shows }] : [];
  });
  const [first, second, ...others] = changes;
  if (first === undefined || others.length > 0) return { tries };
  const start = await border(first.from, first.to, first.shows);
  if (second === undefined)
    return {
      tries,
      limits: first.shows
        ? { words: below(start + 1n), has: (point) => point <= start }
        : { words: above(start), has: (point) => point > start },
    };
  if (first.shows) return { tries };
  const end = await border(second.from, second.to, second.shows);
  return {
    tries,
    limits: { words: between(start + 1n, end), has: (point) => point > start && point <= end },
  };
}
