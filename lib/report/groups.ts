import { groupBy } from '../groups.ts';
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
