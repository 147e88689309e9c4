import { short } from './explain.ts';
import { causeText } from './fingerprint.ts';
import { covers, isKnown, newCauses, unaccounted } from './gate.ts';
import { type Group, groupsOf } from './groups.ts';
import { NOTHING_JUDGED } from './headline.ts';
import type { EntryState, JudgedBaseline, RecordedResult, RunRecord } from './record.ts';

/** Characters of a reason. */
const LONGEST = 300;

/** Causes that are named where there are new ones. */
const NAMED = 3;

export type Entry = JudgedBaseline['entries'][number];

/** The entries of the baseline of which this or that has become. */
export const entriesOf = ({ gate }: RunRecord, ...states: readonly EntryState[]): readonly Entry[] =>
  gate.baseline?.entries.filter(({ state }) => states.includes(state)) ?? [];

/** The entries that make a failed check a known deviation; none where something that it failed for is not known. */
export function knownBy(result: RecordedResult, record: RunRecord): readonly Entry[] {
  const entries = coveringOf(result, record);
  return isKnown(result, entries) ? entries : [];
}

const coveringOf = ({ id }: RecordedResult, { gate }: RunRecord): readonly Entry[] =>
  gate.baseline?.entries.filter((entry) => entry.id === id && covers(entry)) ?? [];

/** A failed check that shows a new cause first, where one of those that it shows is new. */
export function newFirst(result: RecordedResult, record: RunRecord): RecordedResult {
  const entries = coveringOf(result, record);
  if (entries.length === 0 || isKnown(result, entries)) return result;
  const causes = newCauses(result, entries);
  const isNew = ({ cause, label }: RecordedResult['exchanges'][number]) =>
    causes.some((one) => one.cause === cause && (one.request ?? label) === label);
  const [shown] = result.exchanges;
  const lead = result.exchanges.find(isNew);
  if (lead === undefined || lead === shown) return result;
  const { counterexample: _, ...rest } = result;
  const { expected, actual } = lead;
  return { ...rest, expected, actual, exchanges: [lead, ...result.exchanges.filter((one) => one !== lead)] };
}

/** What is new in a failing check of which a part is known. */
export function novelty(result: RecordedResult, record: RunRecord): string | undefined {
  const entries = coveringOf(result, record);
  if (entries.length === 0 || isKnown(result, entries)) return undefined;
  const causes = newCauses(result, entries);
  if (causes.length === 0)
    return `${unaccounted(result)} failures in a known failing check have causes that are not told apart`;
  const named = causes.slice(0, NAMED).map((cause) => short(causeText(cause), 120));
  const more = causes.length > NAMED ? [`${causes.length - NAMED} more`] : [];
  return `${causes.length} new ${causes.length === 1 ? 'cause' : 'causes'} in a known failing check: ${[...named, ...more].join('; ')}`;
}

/** Failed checks of a level that the baseline does not know, by cause. */
export const openGroups = (record: RunRecord, level: 'MUST' | 'SHOULD'): readonly Group[] =>
  groupsOf(
    record.results
      .filter(
        (result) =>
          result.level === level && result.verdict === 'fail' && knownBy(result, record).length === 0,
      )
      .map((result) => newFirst(result, record)),
  );

/** Why a deviation is known, where more is said of it, and how long it may last. */
export function whyKnown({ reason, issue, until }: Entry): string {
  const more = [issue, until === undefined ? undefined : `until ${until}`].filter((one) => one !== undefined);
  return short(more.length === 0 ? reason : `${reason} (${more.join(', ')})`, LONGEST);
}

/** An entry as it is listed: the id, and how many causes it names. */
export function entryName({ id, fingerprint, fingerprints = [] }: Entry): string {
  const names = [...(fingerprint === undefined ? [] : [fingerprint]), ...fingerprints];
  return names.length === 0 ? id : `${id} (${names.length === 1 ? names[0] : `${names.length} causes`})`;
}

/** Why the run could not be judged, or not to the end. */
export function unjudged({ gate, stop, summary }: RunRecord): string | undefined {
  const asAsked = stop?.kind === 'limit' || stop?.kind === 'bailed';
  if (stop !== null && (!asAsked || gate.exitCode === 3)) return `${short(stop.reason)}; ${stop.remedy}`;
  if (gate.exitCode === 2) return NOTHING_JUDGED;
  if (gate.exitCode !== 3) return undefined;
  const { untestable } = summary.MUST;
  return untestable === 0
    ? 'not every check of the catalogue was carried out'
    : `${untestable} MUST ${untestable === 1 ? 'check' : 'checks'} could not be tested`;
}
