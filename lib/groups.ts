/** Groups a list by key, in the order in which the keys first occur. */
export function groupBy<T>(list: readonly T[], keyOf: (one: T) => string): [key: string, members: T[]][] {
  const groups = new Map<string, T[]>();
  for (const one of list) {
    const key = keyOf(one);
    const members = groups.get(key);
    if (members === undefined) groups.set(key, [one]);
    else members.push(one);
  }
  return [...groups];
}

/** The area of a check: the part of its id before the slash. */
export const areaOf = ({ id }: { readonly id: string }): string => id.slice(0, id.indexOf('/'));
