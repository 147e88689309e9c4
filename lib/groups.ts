/** A list in groups, in the order in which their keys first turn up. */
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

/** The area of a check: what stands before the slash of its id. */
export const areaOf = ({ id }: { readonly id: string }): string => id.slice(0, id.indexOf('/'));
