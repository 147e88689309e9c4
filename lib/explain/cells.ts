import type { RequestState } from '../payloads/model/dimension.ts';

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
  /** Whether it is one class or value, and all of it. */
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
  const [broadest] = classes;
  if (all.length <= MAX_TOPICS || broadest === undefined) return all;
  return [
    {
      ...broadest,
      words: mostly(broadest.words, shown.length, shown.length + hidden.length),
      cells: shown,
      isExact: false,
    },
  ];
}

/** Topics that are named one by one. */
const MAX_TOPICS = 3;

/** Words for many values that have nothing in common but a class of which they are not all. */
function mostly({ clause, phrase, noun }: Words, count: number, tried: number): Words {
  const often = (text: string) => `${text} (${count} of ${tried} tried)`;
  return {
    ...(clause === undefined ? {} : { clause: often(clause) }),
    ...(phrase === undefined ? {} : { phrase: often(phrase) }),
    ...(noun === undefined
      ? {}
      : {
          noun: often(
            noun.replace(/^any body that is/, 'many bodies that are').replace(/^any /, 'many kinds of '),
          ),
        }),
  };
}

/** The class with the most members first; of two with the same members, the one that is listed first. */
const bySize = (classes: readonly CellClass[], cells: readonly Cell[]): readonly CellClass[] => {
  const size = ({ id }: CellClass) => cells.filter((cell) => cell.classes.includes(id)).length;
  return classes
    .map((one) => [one, size(one)] as const)
    .toSorted(([, a], [, b]) => b - a)
    .map(([one]) => one);
};

/** Names joined into one. */
const MAX_NAMES = 3;

function joined(all: readonly Named[], tries: Tries, classes: readonly CellClass[]): readonly Named[] {
  const byTopic = new Map<string, Named[]>();
  for (const one of all) byTopic.set(one.topic, [...(byTopic.get(one.topic) ?? []), one]);
  return [...byTopic].map(([topic, members]) => {
    const cells = members.flatMap((one) => one.cells);
    const around = members.length > MAX_NAMES ? smallestAround(cells, tries, classes) : undefined;
    return {
      topic,
      cells,
      words: around ?? wordsOf(members.map(({ words }) => words)),
      isExact: members.length === 1 && members[0]?.isExact === true,
    };
  });
}

/** The words of the smallest class that contains all of some values, if most of it shows the fault. */
function smallestAround(
  cells: readonly Cell[],
  tries: Tries,
  classes: readonly CellClass[],
): Words | undefined {
  const sizes = classes.map(({ id, words }) => {
    const members = [...tries].filter(([cell, shows]) => shows !== undefined && cell.classes.includes(id));
    return { id, words, size: members.length };
  });
  const [smallest] = sizes
    .filter(({ id }) => cells.every((cell) => cell.classes.includes(id)))
    .toSorted((a, b) => a.size - b.size);
  if (smallest === undefined || cells.length < smallest.size / 2) return undefined;
  return mostly(smallest.words, cells.length, smallest.size);
}

function wordsOf(all: readonly Words[]): Words {
  const [only, ...others] = all;
  if (only === undefined || others.length === 0) return only ?? {};
  const one = (form: keyof Words) => alternatives(all.flatMap((words) => words[form] ?? []));
  const [clause, phrase, noun] = [one('clause'), one('phrase'), one('noun')];
  return {
    ...(clause === undefined ? {} : { clause }),
    ...(phrase === undefined ? {} : { phrase }),
    ...(noun === undefined ? {} : { noun }),
  };
}

function alternatives(texts: readonly string[]): string | undefined {
  if (texts.length === 0) return undefined;
  const [start, end] = [common(texts, /^\S+ (?:is |has |contains )?/), common(texts, / as \S+$/)];
  const short = texts.map((text) => text.slice(start.length, text.length - end.length));
  const shown = short.slice(0, MAX_NAMES);
  const more = short.length - shown.length;
  const list = more > 0 ? [...shown, more === 1 ? 'one other value' : `${more} other values`] : shown;
  return `${start}${list.slice(0, -1).join(', ')} or ${list.at(-1)}${end}`;
}

/** What all texts have in common at one end, such as ` as id`. */
function common(texts: readonly string[], pattern: RegExp): string {
  const [found = ''] = pattern.exec(texts[0] ?? '') ?? [];
  return texts.every((text) => pattern.exec(text)?.[0] === found) ? found : '';
}
