/** Omits items that are false, null or undefined: `condition && item` includes an item conditionally. */
export const compact = <T>(...items: readonly (T | false | null | undefined)[]): readonly T[] =>
  items.filter((item): item is T => item !== false && item !== null && item !== undefined);

/** Returns at most `max` items of a list. If there are more, the last item says how many are left out. */
export const capped = <T>(max: number, list: readonly T[], more: (count: number) => T): readonly T[] =>
  list.length > max ? [...list.slice(0, max - 1), more(list.length - max + 1)] : list;

/** Returns at most `max` names of a list in one line, followed by the number of further ones. */
export const firstNames = (max: number, names: readonly string[]): string =>
  `${names.slice(0, max).join(', ')}${names.length > max ? ` and ${names.length - max} more` : ''}`;

/** Returns the item with the smallest number, the first of several; undefined for an empty list. */
export const leastBy = <T>(list: readonly T[], numberOf: (one: T) => number): T | undefined =>
  list.toSorted((a, b) => numberOf(a) - numberOf(b))[0];

export const sum = <T>(list: readonly T[], of: (one: T) => number): number =>
  list.reduce((total, one) => total + of(one), 0);

/** Groups a list by key. The groups are in the order in which their keys first occur. */
export function groupBy<T>(
  list: readonly T[],
  keyOf: (one: T) => string,
): [key: string, members: [T, ...T[]]][] {
  const groups = new Map<string, [T, ...T[]]>();
  for (const one of list) {
    const key = keyOf(one);
    const members = groups.get(key);
    if (members === undefined) groups.set(key, [one]);
    else members.push(one);
  }
  return [...groups];
}

/** Joins neighbours with `merge`, which returns undefined for two that stay apart. */
export function joinNeighbours<T>(list: readonly T[], merge: (last: T, next: T) => T | undefined): T[] {
  const joined: T[] = [];
  for (const one of list) {
    const last = joined.at(-1);
    const both = last === undefined ? undefined : merge(last, one);
    if (both === undefined) joined.push(one);
    else joined[joined.length - 1] = both;
  }
  return joined;
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** Returns the named properties of an object, in this order. Undefined ones are omitted. */
export const pick = <T extends object, K extends keyof T>(from: T, ...keys: readonly K[]) =>
  Object.fromEntries(
    keys.filter((key) => from[key] !== undefined).map((key) => [key, from[key]]),
  ) as unknown as Defined<Pick<T, K>>;

/** Returns an object without the named properties. */
export const omit = <T extends object, K extends keyof T>(from: T, ...keys: readonly K[]): Omit<T, K> =>
  Object.fromEntries(
    Object.entries(from).filter(([key]) => !(keys as readonly string[]).includes(key)),
  ) as Omit<T, K>;
