import { groupBy } from '../../groups.ts';
import type { RequestState } from '../../payloads/model/dimension.ts';
import { alternatives, except, MAX_NAMES, mostly } from '../wording/several.ts';

/** One value to try for a part of a request. */
export interface Cell {
  /** The value, as an experiment is listed: `255 letters`. */
  readonly value: string;
  /** How a request that has it is described. */
  readonly words: Words;
  readonly apply: (state: RequestState) => RequestState;
  /** The classes that it belongs to. */
  readonly classes: readonly string[];
  /** Its place on the scale of its sweep, if it has one. */
  readonly point?: bigint;
  /** The name of the defect or credential as labels of test cases have it. */
  readonly label?: string;
  /** What the text of a request with a value has that many stores reject for its own sake. */
  readonly oddity?: RegExp;
}

/** How a condition is worded in a title. */
export interface Words {
  /** After `when`: `name contains an apostrophe`. */
  readonly clause?: string;
  /** After `requests`: `with a query`. */
  readonly phrase?: string;
  /** After `accepts`, for what has to be rejected: `null as id`. */
  readonly noun?: string;
  /** At the end: `to about one request in 25`. */
  readonly note?: string;
}

/** A named set of values. */
export interface CellClass {
  readonly id: string;
  readonly words: Words;
  /** Values of different topics are different faults, unless a class of both is accepted as a whole. */
  readonly topic: string;
  /** Words for several of its members, if not all of them show the fault. */
  readonly some?: (first: Cell) => Words;
}

/** Values in an order in which faults have limits: lengths, sizes, magnitudes. */
export interface Scale {
  readonly points: readonly bigint[];
  readonly cellAt: (point: bigint) => Cell;
  readonly above: (point: bigint) => Words;
  readonly below: (point: bigint) => Words;
  readonly between: (first: bigint, last: bigint) => Words;
  /** The place of a request on the scale, if its value has one. */
  readonly pointOf?: (state: RequestState) => bigint | undefined;
}

/** What to try for one part of a request. */
export interface Sweep {
  readonly part: string;
  readonly cells: readonly Cell[];
  /** The broadest first. */
  readonly classes: readonly CellClass[];
  readonly scale?: Scale;
}

/** What was tried: whether the fault showed with a value; undefined if the value says nothing about it. */
export type Tries = ReadonlyMap<Cell, boolean | undefined>;

/** A set of values with which the fault shows, and its name. */
export interface Named {
  readonly words: Words;
  readonly topic: string;
  readonly cells: readonly Cell[];
  /** Whether it is one class or value, and all of it but for the exceptions that are named. */
  readonly isExact: boolean;
}

/**
 * Names the values with which a fault shows: the broadest classes of which all members show it, then parts of classes,
 * then single values. Those of one topic are joined, as one change is likely to repair them.
 */
export function named(tries: Tries, classes: readonly CellClass[]): readonly Named[] {
  const shown = [...tries].filter(([, shows]) => shows === true).map(([cell]) => cell);
  const hidden = [...tries].filter(([, shows]) => shows === false).map(([cell]) => cell);
  const found: Named[] = [];
  let left = shown;
  const take = (words: Words, topic: string, cells: readonly Cell[], isExact = true) => {
    found.push({ words, topic, cells, isExact });
    left = left.filter((cell) => !cells.includes(cell));
  };
  for (const { id, words, topic } of bySize(classes, shown)) {
    const has = (cell: Cell) => cell.classes.includes(id);
    const cells = left.filter(has);
    if (cells.length === 0 || hidden.some(has)) continue;
    // What a broader class has left of this one is not all of it.
    if (cells.length === shown.filter(has).length || cells.length > 1) take(words, topic, cells);
  }
  const narrowest = (cell: Cell) => classes.find(({ id }) => id === cell.classes.at(-1));
  for (const cell of left) {
    if (!left.includes(cell)) continue;
    const own = narrowest(cell);
    const siblings = left.filter((other) => own !== undefined && narrowest(other) === own);
    if (own?.some !== undefined && siblings.length > 1) take(own.some(cell), own.topic, siblings, false);
    else take(cell.words, own?.topic ?? cell.classes[0] ?? '', [cell]);
  }
  const all = joined(found, tries, classes);
  // Most of one class is likelier than parts of several.
  const around = all.length > 1 ? smallestAround(shown, tries, classes, MOST) : undefined;
  if (around !== undefined) return [around];
  const [broadest] = classes;
  if (all.length <= MAX_TOPICS || broadest === undefined) return all;
  return [{ ...broadest, words: mostly(broadest.words, shown, tries), cells: shown, isExact: false }];
}

/** Topics that are named one by one. */
const MAX_TOPICS = 3;

/** The class with the most members first; of two with the same members, the one that is listed first. */
const bySize = (classes: readonly CellClass[], cells: readonly Cell[]): readonly CellClass[] => {
  const size = ({ id }: CellClass) => cells.filter((cell) => cell.classes.includes(id)).length;
  return classes
    .map((one) => [one, size(one)] as const)
    .toSorted(([, a], [, b]) => b - a)
    .map(([one]) => one);
};

/** The part of a class that has to show the fault for its name to be given to values of several topics, or of one. */
const [MOST, HALF] = [0.75, 0.5];

function joined(all: readonly Named[], tries: Tries, classes: readonly CellClass[]): readonly Named[] {
  return groupBy(all, ({ topic }) => topic).map(([topic, members]) => {
    const cells = members.flatMap((one) => one.cells);
    const around = members.length > MAX_NAMES ? smallestAround(cells, tries, classes, HALF) : undefined;
    return {
      topic,
      cells,
      words: around?.words ?? alternatives(members.map(({ words }) => words)),
      isExact: members.length === 1 && members[0]?.isExact === true,
    };
  });
}

/** The smallest class that contains all of some values, if so much of it shows the fault. */
function smallestAround(
  cells: readonly Cell[],
  tries: Tries,
  classes: readonly CellClass[],
  part: number,
): Named | undefined {
  const of = ({ id }: CellClass) =>
    new Map([...tries].filter(([cell, shows]) => shows !== undefined && cell.classes.includes(id)));
  const [smallest] = classes
    .filter(({ id }) => cells.every((cell) => cell.classes.includes(id)))
    .map((one) => ({ ...one, members: of(one) }))
    .toSorted((a, b) => a.members.size - b.members.size);
  if (smallest === undefined || cells.length < smallest.members.size * part) return undefined;
  const hidden = [...smallest.members].flatMap(([cell, shows]) => (shows === false ? [cell] : []));
  const exceptions = partsOf(hidden, cells, classes);
  const words =
    exceptions === undefined
      ? mostly(smallest.words, cells, smallest.members)
      : except(smallest.words, exceptions);
  return { words, topic: smallest.topic, cells, isExact: exceptions !== undefined };
}

/** Exceptions that are named. */
const MAX_EXCEPTIONS = 2;

/** The words of the few classes or values that make up some values, without any of others. */
function partsOf(
  cells: readonly Cell[],
  others: readonly Cell[],
  classes: readonly CellClass[],
): readonly Words[] | undefined {
  const parts: Words[] = [];
  let left = cells;
  for (const { id, words } of bySize(classes, cells)) {
    const has = (cell: Cell) => cell.classes.includes(id);
    if (left.filter(has).length < 2 || others.some(has)) continue;
    parts.push(words);
    left = left.filter((cell) => !has(cell));
  }
  parts.push(...left.map(({ words }) => words));
  return parts.length <= MAX_EXCEPTIONS ? parts : undefined;
}
