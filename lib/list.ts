/** The items that are there: `condition && item` leaves one out. */
export const compact = <T>(...items: readonly (T | false | null | undefined)[]): readonly T[] =>
  items.filter((item): item is T => item !== false && item !== null && item !== undefined);

/** The first items of a list, and a last one that says how many more there are. */
export const atMost = (
  most: number,
  list: readonly string[],
  more = (count: number) => `and ${count} more`,
): readonly string[] => (list.length > most ? [...list.slice(0, most), more(list.length - most)] : list);

/** The first names of a list in one line, and how many more there are. */
export const firstNames = (most: number, names: readonly string[]): string =>
  `${names.slice(0, most).join(', ')}${names.length > most ? ` and ${names.length - most} more` : ''}`;
