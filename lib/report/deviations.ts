import { short } from './explain.ts';
import { isExcused } from './gate.ts';
import { type Group, groupsOf } from './groups.ts';
import type { EntryState, Gate, RunRecord } from './record.ts';

/** Characters of a reason. */
const LONGEST = 300;

export type Entry = NonNullable<Gate['baseline']>['entries'][number];

/** The entries of the baseline of which this or that has become. */
export const entriesOf = ({ gate }: RunRecord, ...states: readonly EntryState[]): readonly Entry[] =>
  gate.baseline?.entries.filter(({ state }) => states.includes(state)) ?? [];

/** Failed checks of a level that the baseline does not excuse, by cause. */
export function openGroups(record: RunRecord, level: 'MUST' | 'SHOULD'): readonly Group[] {
  const excusing = entriesOf(record, 'excuses');
  return groupsOf(
    record.results.filter(
      (result) => result.level === level && result.verdict === 'fail' && !isExcused(result, excusing),
    ),
  );
}

/** Why a deviation is known, where more is said of it, and how long it may last. */
export function excuse({ reason, issue, until }: Entry): string {
  const more = [issue, until === undefined ? undefined : `until ${until}`].filter((one) => one !== undefined);
  return short(more.length === 0 ? reason : `${reason} (${more.join(', ')})`, LONGEST);
}

/** Why the run could not be judged, or not to the end. */
export function unjudged({ gate, stop, summary }: RunRecord): string | undefined {
  const asAsked = stop?.kind === 'limit' || stop?.kind === 'bailed';
  if (stop !== null && (!asAsked || gate.exitCode === 3)) return `${short(stop.reason)}; ${stop.remedy}`;
  if (gate.exitCode !== 3) return undefined;
  const { untestable } = summary.MUST;
  return untestable === 0
    ? 'not every check of the catalogue was carried out'
    : `${untestable} MUST ${untestable === 1 ? 'check' : 'checks'} could not be tested`;
}
