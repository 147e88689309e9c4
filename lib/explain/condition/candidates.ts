import { groupBy } from '../../collections.ts';
import type { RequestState } from '../../payloads/model/dimension.ts';
import { alternatives, type Condition, except, MAX_NAMES, mostly } from '../wording/condition.ts';

/** One value to try for a part of a request. */
export interface Candidate {
  /** The value, as an experiment is listed: `255 letters`. */
  readonly value: string;
  /** How a request that has it is described. */
  readonly condition: Condition;
  readonly apply: (state: RequestState) => RequestState;
  /** Ids of the classes that it belongs to. */
  readonly classes: readonly string[];
  /** Its place on the scale of its sweep, if it has one. */
  readonly point?: bigint;
  /** The name of the defect or credential as labels of test cases have it. */
  readonly label?: string;
  /**
   * Matches text, such as NUL, that many stores reject for unrelated reasons; try it only if the failing body
   * contains it.
   */
  readonly skipUnlessFailing?: RegExp | undefined;
}

/** A named set of values. */
export interface CandidateClass {
  readonly id: string;
  readonly condition: Condition;
  /** Values of different groups count as different faults, unless a class that spans both fails as a whole. */
  readonly group: string;
  /** Words for several of its members, if not all of them show the fault. */
  readonly some?: (first: Candidate) => Condition;
  /** Its name says too much if some of its members do not show the fault. */
  readonly isWhole?: true;
  /** Words for most of its members, before their number; by default the words for all of them. */
  readonly most?: Condition;
}

/** Values in an order in which faults have limits: lengths, sizes, magnitudes. */
export interface Scale {
  readonly points: readonly bigint[];
  /** A point as an experiment is listed: `255 letters`. */
  readonly valueAt: (point: bigint) => string;
  readonly apply: (state: RequestState, point: bigint) => RequestState;
  readonly above: (point: bigint) => Condition;
  readonly below: (point: bigint) => Condition;
  readonly between: (first: bigint, last: bigint) => Condition;
  /** The place of a request on the scale, if its value has one. */
  readonly pointOf?: (state: RequestState) => bigint | undefined;
  /** Another scale, on which to look for limits if there are none on this one. */
  readonly instead?: Scale | undefined;
}

/** What to try for one part of a request. */
export interface Sweep {
  readonly part: string;
  readonly candidates: readonly Candidate[];
  /** The broadest first. */
  readonly classes: readonly CandidateClass[];
  readonly scale?: Scale;
}

/** What was tried: whether the fault showed with a value; undefined if the value says nothing about it. */
export type CandidateResults = ReadonlyMap<Candidate, boolean | undefined>;

/** The values with which the fault showed, or those with which it did not. */
export const thoseIn = (
  tries: Iterable<readonly [Candidate, boolean | undefined]>,
  wanted: boolean,
): readonly Candidate[] => [...tries].filter(([, shows]) => shows === wanted).map(([candidate]) => candidate);

export const isIn =
  ({ id }: CandidateClass) =>
  ({ classes }: Candidate): boolean =>
    classes.includes(id);

/** A set of values with which the fault shows, and its name. */
export interface NamedCandidates {
  readonly condition: Condition;
  readonly group: string;
  readonly candidates: readonly Candidate[];
  /** Whether it is one class or value, and all of it but for the exceptions that are named. */
  readonly isExact: boolean;
  /** Whether it lists several values of one property. */
  readonly isListed?: true;
}

/**
 * Names the values with which a fault shows: the broadest classes of which all members show it, then parts of classes,
 * then single values. Those of one group are joined, as one change is likely to repair them.
 */
export function named(
  tries: CandidateResults,
  classes: readonly CandidateClass[],
): readonly NamedCandidates[] {
  const [shown, hidden] = [thoseIn(tries, true), thoseIn(tries, false)];
  const silent = [...tries].filter(([, shows]) => shows === undefined).map(([candidate]) => candidate);
  const found: NamedCandidates[] = [];
  let left = shown;
  const addName = (condition: Condition, group: string, candidates: readonly Candidate[], isExact = true) => {
    found.push({ condition, group, candidates, isExact });
    left = left.filter((candidate) => !candidates.includes(candidate));
  };
  for (const one of bySize(classes, shown)) {
    const has = isIn(one);
    const candidates = left.filter(has);
    if (candidates.length === 0 || hidden.some(has)) continue;
    // A store that does something else with most of a class does not fail with the class.
    if (silent.filter(has).length > shown.filter(has).length) continue;
    // Skip a class if a broader one already took all but one of its failing members.
    if (candidates.length === shown.filter(has).length || candidates.length > 1)
      addName(one.condition, one.group, candidates);
  }
  const narrowest = (candidate: Candidate) => classes.find(({ id }) => id === candidate.classes.at(-1));
  for (const candidate of left) {
    if (!left.includes(candidate)) continue;
    const own = narrowest(candidate);
    const siblings = left.filter((other) => own !== undefined && narrowest(other) === own);
    if (own?.some !== undefined && siblings.length > 1)
      addName(own.some(candidate), own.group, siblings, false);
    else addName(candidate.condition, own?.group ?? candidate.classes[0] ?? '', [candidate]);
  }
  const groups = inGroups(found, tries, classes);
  // Prefer a nearly complete class to fragments of several.
  const around = groups.length > 1 ? smallestAround(shown, tries, classes, MIN_PART_OF_CLASS) : undefined;
  if (around !== undefined) return [around];
  const [broadest] = classes;
  if (groups.length <= MAX_GROUPS || broadest === undefined) return groups;
  return [
    {
      ...broadest,
      condition: mostly(broadest.most ?? broadest.condition, shown.length, shown.length + hidden.length),
      candidates: shown,
      isExact: false,
    },
  ];
}

const MAX_GROUPS = 3;

/** The class with the most members first; of two with the same members, the one that is listed first. */
const bySize = (
  classes: readonly CandidateClass[],
  candidates: readonly Candidate[],
): readonly CandidateClass[] => {
  const sizes = new Map(classes.map((one) => [one, candidates.filter(isIn(one)).length]));
  return classes.toSorted((a, b) => (sizes.get(b) ?? 0) - (sizes.get(a) ?? 0));
};

/** Minimum share of failing members before a class name is used: for values of several groups, and of one group. */
const [MIN_PART_OF_CLASS, MIN_PART_OF_GROUP] = [0.75, 0.5];

/** Members of a group that are listed rather than a class around them. */
const MAX_PARTS = 4;

function inGroups(
  named: readonly NamedCandidates[],
  tries: CandidateResults,
  classes: readonly CandidateClass[],
): readonly NamedCandidates[] {
  return groupBy(named, ({ group }) => group).map(([group, members]) => {
    const candidates = members.flatMap((one) => one.candidates);
    const whole =
      members.length > MAX_PARTS ? smallestAround(candidates, tries, classes, MIN_PART_OF_GROUP) : undefined;
    // Preference: class with listed exceptions, then a list of members, then a count.
    const around = whole?.isExact === true || members.length > MAX_NAMES ? whole : undefined;
    return {
      group,
      candidates,
      condition: around?.condition ?? alternatives(members.map(({ condition }) => condition)),
      isExact: members.length === 1 && members[0]?.isExact === true,
      ...(around === undefined && isListed(members) ? { isListed: true } : {}),
    };
  });
}

const isListed = ([first, ...others]: readonly NamedCandidates[]): boolean =>
  first?.condition.property !== undefined &&
  [first, ...others].every(
    ({ condition, isExact }) => isExact && condition.property === first.condition.property,
  );

/** The smallest class that contains all of some values, if so much of it shows the fault. */
function smallestAround(
  candidates: readonly Candidate[],
  tries: CandidateResults,
  classes: readonly CandidateClass[],
  part: number,
): NamedCandidates | undefined {
  const hidden = thoseIn(tries, false);
  const conclusive = [...thoseIn(tries, true), ...hidden];
  const around = classes.filter((one) => one.isWhole !== true && candidates.every(isIn(one)));
  const sizeOf = (one: CandidateClass) => conclusive.filter(isIn(one)).length;
  const [smallest] = around.toSorted((a, b) => sizeOf(a) - sizeOf(b));
  if (smallest === undefined) return undefined;
  const size = sizeOf(smallest);
  if (candidates.length < size * part) return undefined;
  const excepted = hidden.filter(isIn(smallest));
  // Something else may be wrong with a few of many.
  if (excepted.length <= size * MAX_PART_UNNAMED)
    return { condition: smallest.condition, group: smallest.group, candidates, isExact: false };
  const exceptions = exactCover(excepted, candidates, classes);
  const condition =
    exceptions === undefined
      ? mostly(smallest.most ?? smallest.condition, candidates.length, size)
      : except(smallest.condition, exceptions);
  return { condition, group: smallest.group, candidates, isExact: exceptions !== undefined };
}

const MAX_EXCEPTIONS = 2;

/** The share of a class that is not worth naming as exceptions. */
const MAX_PART_UNNAMED = 0.05;

/** Names the few classes or values that together make up exactly this set. */
function exactCover(
  candidates: readonly Candidate[],
  others: readonly Candidate[],
  classes: readonly CandidateClass[],
): readonly Condition[] | undefined {
  const parts: Condition[] = [];
  let left = candidates;
  for (const one of bySize(classes, candidates)) {
    const has = isIn(one);
    if (left.filter(has).length < 2 || others.some(has)) continue;
    parts.push(one.condition);
    left = left.filter((candidate) => !has(candidate));
  }
  parts.push(...left.map(({ condition }) => condition));
  return parts.length <= MAX_EXCEPTIONS ? parts : undefined;
}
