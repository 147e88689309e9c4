import type { RecordedResult } from './record.ts';

export interface Group {
  readonly cause: string;
  readonly members: readonly RecordedResult[];
}

/**
 * Failed checks by what is likely to be one cause: what their first counterexample was found guilty of.
 * The cause that explains most comes first; within one, the check that comes first in the catalogue.
 */
export const groupsOf = (failed: readonly RecordedResult[]): readonly Group[] =>
  groupBy(failed, ({ exchanges, statement }) => exchanges[0]?.cause ?? statement)
    .map(([cause, members]) => ({ cause, members }))
    .sort((a, b) => b.members.length - a.members.length);

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
