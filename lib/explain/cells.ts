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
}

/** How a condition is worded in a title. */
export interface Words {
  /** After `when`: `name contains an apostrophe`. */
  readonly clause?: string;
  /** After `requests`: `with a query`. */
  readonly phrase?: string;
  /** After `accepts`, for what has to be rejected: `null as id`. */
  readonly noun?: string;
}

/** A named set of values. */
export interface CellClass {
  readonly id: string;
  readonly words: Words;
  /** Values of different topics are different faults, unless a class of both is accepted as a whole. */
  readonly topic: string;
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
}

/**
 * Names the values with which a fault shows: the broadest classes of which all members show it, then single values.
 * Those of one topic are joined, as one change is likely to repair them.
 */
export function named(tries: Tries, classes: readonly CellClass[]): readonly Named[] {
  const shown = [...tries].filter(([, shows]) => shows === true).map(([cell]) => cell);
  const hidden = [...tries].filter(([, shows]) => shows === false).map(([cell]) => cell);
  const found: Named[] = [];
  let left = shown;
  for (const { id, words, topic } of classes) {
    const has = (cell: Cell) => cell.classes.includes(id);
    const cells = left.filter(has);
    if (cells.length === 0 || hidden.some(has)) continue;
    // Of a class that is covered but for what others name already, the others say more.
    if (shown.filter(has).length > 1 && cells.length === 1 && cells[0]?.classes.at(-1) !== id) continue;
    found.push({ words, topic, cells });
    left = left.filter((cell) => !has(cell));
  }
  const topicOf = (cell: Cell) =>
    classes.find(({ id }) => id === cell.classes.at(-1))?.topic ?? cell.classes[0] ?? '';
  const single = left.map((cell): Named => ({ words: cell.words, topic: topicOf(cell), cells: [cell] }));
  return joined([...found, ...single]);
}

/** Names joined into one. */
const MAX_NAMES = 3;

function joined(all: readonly Named[]): readonly Named[] {
  const byTopic = new Map<string, Named[]>();
  for (const one of all) byTopic.set(one.topic, [...(byTopic.get(one.topic) ?? []), one]);
  return [...byTopic].map(([topic, members]) => ({
    topic,
    cells: members.flatMap(({ cells }) => cells),
    words: wordsOf(members.map(({ words }) => words)),
  }));
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
  const end = commonEnd(texts);
  const short = texts.map((text) => text.slice(0, text.length - end.length));
  const shown = short.slice(0, MAX_NAMES);
  const more = short.length - shown.length;
  const list = more > 0 ? [...shown, `${more} other values`] : shown;
  return `${list.slice(0, -1).join(', ')} or ${list.at(-1)}${end}`;
}

/** The words with which all texts end, such as ` as id`. */
function commonEnd(texts: readonly string[]): string {
  const [first = ''] = texts;
  const end = / as \S+$/.exec(first)?.[0] ?? '';
  return texts.every((text) => text.endsWith(end)) ? end : '';
}
