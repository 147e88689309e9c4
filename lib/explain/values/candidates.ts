import { groupBy } from '../../collections.ts';
import type { ModelRequest } from '../../payloads/model/model-request.ts';
import {
  alternatives,
  type Condition,
  except,
  fullText,
  MAX_NAMES,
  mostly,
} from '../explanation/condition.ts';

/** A value to try for one part of a request. */
export interface Candidate {
  /** The value as the list of experiments shows it: `255 letters`. */
  readonly value: string;
  /** The wording for a request with this value. */
  readonly condition: Condition;
  readonly apply: (request: ModelRequest) => ModelRequest;
  readonly classes: readonly string[];
  /** The position of the value on the scale of its sweep, if it has one. */
  readonly point?: bigint;
  /** The name of the defect or credential, as in labels of test cases. */
  readonly label?: string;
  /** Text that many stores reject, such as NUL: tried only if the failing body contains it, too. */
  readonly skipUnlessFailing?: RegExp | undefined;
}

export interface CandidateClass {
  readonly id: string;
  readonly condition: Condition;
  /**
   * Values of different groups are different faults, unless all values of a class that spans both fail. By
   * default, all values are of one group.
   */
  readonly group?: string;
  /** Wording for several members, if not all of them show the fault. */
  readonly some?: (first: Candidate) => Condition;
  /** The name of the class may be used only if all of its members show the fault. */
  readonly isWhole?: true;
  /** Wording for most of the members, followed by their number; by default `condition`. */
  readonly most?: Condition;
}

/** Values that show the symptom, as positions on a scale. */
export interface Limits {
  readonly condition: Condition;
  readonly has: (point: bigint) => boolean;
}

/** Ordered values, such as lengths, sizes or magnitudes, for finding the limits of a fault. */
export interface Scale {
  readonly points: readonly bigint[];
  /** A point as the list of experiments shows it: `255 letters`. */
  readonly valueAt: (point: bigint) => string;
  readonly apply: (request: ModelRequest, point: bigint) => ModelRequest;
  readonly above: (point: bigint) => Condition;
  readonly below: (point: bigint) => Condition;
  readonly between: (first: bigint, last: bigint) => Condition;
  /** The exact value that a limit is probably next to, and the condition if it shows the symptom itself. */
  readonly exactly?: (point: bigint) => Candidate | undefined;
  /** Limits to try that include negative values, if values above a limit show the symptom (`above`). */
  readonly withNegative?: (limit: bigint, above: Condition) => readonly Limits[];
  /** The position of a request's own value on the scale, if it has one. */
  readonly pointOf?: (request: ModelRequest) => bigint | undefined;
  /** A second scale, to try if this one reveals no limits. */
  readonly instead?: Scale | undefined;
}

/** The values to try for one part of a request. */
export interface Sweep {
  readonly part: string;
  readonly candidates: readonly Candidate[];
  /** From broad to narrow. */
  readonly classes: readonly CandidateClass[];
  readonly scale?: Scale;
  /** Makes a finer sweep from the values that showed the fault, if there is one. */
  readonly closer?: (shown: readonly Candidate[]) => Sweep | undefined;
  /** Values to try instead if all values of this sweep show the fault. */
  readonly instead?: Sweep;
}

/** The results so far: whether the fault showed with a value; undefined if the response proved nothing. */
export type CandidateResults = ReadonlyMap<Candidate, boolean | undefined>;

export const candidatesWith = (
  results: Iterable<readonly [Candidate, boolean | undefined]>,
  wanted: boolean | undefined,
): readonly Candidate[] =>
  [...results].filter(([, shows]) => shows === wanted).map(([candidate]) => candidate);

export const isIn =
  ({ id }: Pick<CandidateClass, 'id'>) =>
  ({ classes }: Candidate): boolean =>
    classes.includes(id);

/** A set of values with which the fault shows, and its name. */
export interface NamedCandidates {
  readonly condition: Condition;
  readonly candidates: readonly Candidate[];
  /** Whether the name is exact: a single class or value, if necessary with all exceptions named. */
  readonly isExact: boolean;
  /** Whether the name lists several values of one property. */
  readonly isListed?: true;
}

/** Returns the only name, if there is exactly one and it is exact. */
export const exactNameIn = ([only, ...others]: readonly NamedCandidates[]): NamedCandidates | undefined =>
  only?.isExact === true && others.length === 0 ? only : undefined;

/**
 * Names the values with which a fault shows: first the broadest classes in which every member shows it, then
 * parts of classes, then single values. Values of one group are joined, since a single change is likely to
 * fix them.
 */
export function nameCandidates(
  results: CandidateResults,
  classes: readonly CandidateClass[],
): readonly NamedCandidates[] {
  const [shown, notShown] = [candidatesWith(results, true), candidatesWith(results, false)];
  const inconclusive = candidatesWith(results, undefined);
  const found: (NamedCandidates & { readonly group: string })[] = [];
  let unnamed = shown;
  const addName = (
    { group = USUAL_GROUP }: Pick<CandidateClass, 'group'>,
    condition: Condition,
    candidates: readonly Candidate[],
    isExact = true,
  ) => {
    found.push({ condition, group, candidates, isExact });
    unnamed = unnamed.filter((candidate) => !candidates.includes(candidate));
  };
  for (const one of bySize(classes, shown)) {
    const has = isIn(one);
    const candidates = unnamed.filter(has);
    if (candidates.length === 0 || notShown.some(has)) continue;
    // If most members of a class gave no result, the class as a whole cannot be said to fail.
    if (inconclusive.filter(has).length > shown.filter(has).length) continue;
    // Skip a class if a broader one already covers all but one of its failing members.
    if (candidates.length === shown.filter(has).length || candidates.length > 1)
      addName(one, one.condition, candidates);
  }
  const narrowest = (candidate: Candidate) => classes.find(({ id }) => id === candidate.classes.at(-1));
  for (const candidate of unnamed) {
    if (!unnamed.includes(candidate)) continue;
    const own = narrowest(candidate);
    const siblings = unnamed.filter((other) => narrowest(other) === own);
    if (own?.some !== undefined && siblings.length > 1) addName(own, own.some(candidate), siblings, false);
    else addName(own ?? { group: candidate.classes[0] ?? '' }, candidate.condition, [candidate]);
  }
  const tried: Tried = { shown, notShown, classes };
  const groups = groupBy(found, ({ group }) => group).map(([, members]) => joinedGroup(members, tried));
  // One nearly complete class is better than fragments of several.
  const around = groups.length > 1 ? smallestAround(shown, MIN_PART_OF_CLASS, tried) : undefined;
  if (around !== undefined) return [around];
  const [broadest] = classes;
  const isMost = shown.length > notShown.length;
  if (groups.length <= (isMost ? MAX_GROUPS_OF_MOST : MAX_GROUPS) || broadest === undefined) return groups;
  const condition = mostly(broadest.most ?? broadest.condition, shown.length, shown.length + notShown.length);
  return [{ condition, candidates: shown, isExact: false }];
}

const USUAL_GROUP = 'usual';

/** The values that gave a result, and their classes. */
interface Tried {
  readonly shown: readonly Candidate[];
  readonly notShown: readonly Candidate[];
  readonly classes: readonly CandidateClass[];
}

/** Values of more groups than this are probably one fault, in particular if most values show it. */
const [MAX_GROUPS_OF_MOST, MAX_GROUPS] = [3, 8];

/** Classes by the number of members, the largest first; equally large ones in their original order. */
function bySize(classes: readonly CandidateClass[], candidates: readonly Candidate[]) {
  const sizes = new Map(classes.map((one) => [one, candidates.filter(isIn(one)).length]));
  return classes.toSorted((a, b) => (sizes.get(b) ?? 0) - (sizes.get(a) ?? 0));
}

/** Minimum fraction of members that must fail for a class to be named: for several groups, and for one. */
const [MIN_PART_OF_CLASS, MIN_PART_OF_GROUP] = [0.75, 0.5];

/** Maximum number of members of a group to list; if there are more, a class that contains them is named. */
const MAX_PARTS = 3;

/** Names the values of one group. */
function joinedGroup(members: readonly NamedCandidates[], tried: Tried): NamedCandidates {
  const candidates = members.flatMap((one) => one.candidates);
  const whole = members.length > MAX_PARTS ? smallestAround(candidates, MIN_PART_OF_GROUP, tried) : undefined;
  // In order of preference: a class with named exceptions, a list of members, a class with a count.
  const around = whole?.isExact === true || members.length > MAX_NAMES ? whole : undefined;
  const areExact = members.every(({ isExact }) => isExact);
  const [property, ...others] = new Set(members.map(({ condition }) => condition.property));
  const isListed = areExact && property !== undefined && others.length === 0;
  return {
    candidates,
    condition: around?.condition ?? alternatives(members.map(({ condition }) => condition)),
    isExact: areExact && members.length === 1,
    ...(around === undefined && isListed ? { isListed } : {}),
  };
}

/** The smallest class that contains all the values, if at least the fraction `part` of it shows the fault. */
function smallestAround(
  candidates: readonly Candidate[],
  part: number,
  { shown, notShown, classes }: Tried,
): NamedCandidates | undefined {
  const mayBePartial = classes.filter(({ isWhole }) => isWhole !== true);
  const { smallest, size } = smallestWith(candidates, [...shown, ...notShown], mayBePartial);
  if (smallest === undefined || candidates.length < size * part) return undefined;
  const { condition } = smallest;
  const excepted = notShown.filter(isIn(smallest));
  // A few exceptions among many members may have another reason.
  if (excepted.length <= Math.max(size * MAX_PART_UNNAMED, size >= MIN_SIZE_UNNAMED ? 1 : 0))
    return { condition, candidates, isExact: false };
  const cover = exactCover(excepted, candidates, classes);
  // Names of values must differ from that of the class, or they would not say which part of it is meant.
  return cover?.every((one) => fullText(one) !== fullText(condition)) === true
    ? { condition: except(condition, cover), candidates, isExact: true }
    : { condition: mostly(smallest.most ?? condition, candidates.length, size), candidates, isExact: false };
}

/** Returns the smallest class that contains all of some candidates, and how many it contains in total. */
export function smallestWith(
  some: readonly Candidate[],
  all: readonly Candidate[],
  classes: readonly CandidateClass[],
): { readonly smallest: CandidateClass | undefined; readonly size: number } {
  const sizeOf = (one: CandidateClass) => all.filter(isIn(one)).length;
  const [smallest] = classes.filter((one) => some.every(isIn(one))).toSorted((a, b) => sizeOf(a) - sizeOf(b));
  return { smallest, size: smallest === undefined ? 0 : sizeOf(smallest) };
}

const MAX_EXCEPTIONS = 2;

/** If the exceptions are at most this fraction of a class, they are not named. */
const MAX_PART_UNNAMED = 0.05;
/** In a class of this size, a single exception is not named either. */
const MIN_SIZE_UNNAMED = 15;

/** Names the few classes or values that together make up exactly this set. */
function exactCover(
  candidates: readonly Candidate[],
  others: readonly Candidate[],
  classes: readonly CandidateClass[],
): readonly Condition[] | undefined {
  const parts: Condition[] = [];
  let uncovered = candidates;
  for (const one of bySize(classes, candidates)) {
    const has = isIn(one);
    if (uncovered.filter(has).length < 2 || others.some(has)) continue;
    parts.push(one.condition);
    uncovered = uncovered.filter((candidate) => !has(candidate));
  }
  parts.push(...uncovered.map(({ condition }) => condition));
  return parts.length <= MAX_EXCEPTIONS ? parts : undefined;
}
