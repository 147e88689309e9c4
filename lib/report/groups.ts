import { groupBy } from '../groups.ts';
import type { RecordedResult } from './record.ts';

export interface CauseGroup {
  readonly cause: string;
  readonly members: readonly RecordedResult[];
}

/**
 * Groups failed checks by their likely cause, which is the cause of their first exchange. The largest group
 * comes first; within a group, checks are in the order of the catalogue.
 */
export const groupsOf = (failed: readonly RecordedResult[]): readonly CauseGroup[] =>
  groupBy(failed, ({ exchanges, statement }) => exchanges[0]?.cause ?? statement)
    .map(([cause, members]) => ({ cause, members }))
    .sort((a, b) => b.members.length - a.members.length);
