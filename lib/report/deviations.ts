import { covers, isKnown, newCauses, unaccounted } from './ci-result.ts';
import { causeText } from './fingerprint.ts';
import { NOTHING_JUDGED } from './headline.ts';
import type { EntryState, JudgedBaseline, RecordedCause, RecordedResult, RunRecord } from './record.ts';
import { summarise } from './text.ts';

const MAX_REASON_CHARACTERS = 300;

const MAX_NEW_CAUSES = 3;

export type EvaluatedEntry = JudgedBaseline['entries'][number];

/** The baseline entries in any of these states. */
export const entriesOf = (
  { ciResult }: RunRecord,
  ...states: readonly EntryState[]
): readonly EvaluatedEntry[] =>
  ciResult.baseline?.entries.filter(({ state }) => states.includes(state)) ?? [];

/** The entries that make a failed check a known deviation; none if one of its causes is not known. */
export function knownBy(result: RecordedResult, record: RunRecord): readonly EvaluatedEntry[] {
  const entries = coveringOf(result, record);
  return isKnown(result, entries) ? entries : [];
}

const coveringOf = ({ id }: RecordedResult, { ciResult }: RunRecord): readonly EvaluatedEntry[] =>
  ciResult.baseline?.entries.filter((entry) => entry.id === id && covers(entry)) ?? [];

/** Puts an exchange with a new cause first, if one is recorded. */
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

/** The new causes of a check that was known to fail for others. */
export function novelty(result: RecordedResult, record: RunRecord): string | undefined {
  const entries = coveringOf(result, record);
  if (entries.length === 0 || isKnown(result, entries)) return undefined;
  const causes = newCauses(result, entries);
  if (causes.length === 0)
    return `${unaccounted(result)} failures of a known failing check have causes that were not recorded`;
  const named = causes.slice(0, MAX_NEW_CAUSES).map((cause) => summarise(causeText(cause), 120));
  const more = causes.length > MAX_NEW_CAUSES ? [`${causes.length - MAX_NEW_CAUSES} more`] : [];
  return `${causes.length} new ${causes.length === 1 ? 'cause' : 'causes'} of a known failing check: ${[...named, ...more].join('; ')}`;
}

/** A cause with the failed checks that it explains. */
export interface ExplainedChecks {
  readonly cause: RecordedCause;
  /** That of its gravest check that is not a known deviation. */
  readonly level: RecordedCause['level'];
  /** In the order of the record. */
  readonly checks: readonly RecordedResult[];
  /** Whether all of these checks are known deviations. */
  readonly known: boolean;
  /** What is new about those that were known to fail. */
  readonly news: readonly string[];
}

/** The causes of a run: what is to be fixed, MUST before SHOULD, and then the known deviations. */
export function explainedChecks(record: RunRecord): readonly ExplainedChecks[] {
  const all = record.causes.map((cause): ExplainedChecks => {
    const named = new Set(cause.checks);
    const checks = record.results.filter(({ id, verdict }) => verdict === 'fail' && named.has(id));
    const open = checks.filter((result) => knownBy(result, record).length === 0);
    const isMust = open.length === 0 ? cause.level === 'MUST' : open.some(({ level }) => level === 'MUST');
    return {
      cause,
      level: isMust ? 'MUST' : 'SHOULD',
      checks: checks.map((result) => newFirst(result, record)),
      known: checks.length > 0 && open.length === 0,
      news: checks.flatMap((result) => novelty(result, record) ?? []),
    };
  });
  const open = all.filter(({ known }) => !known);
  return [
    ...open.filter(({ level }) => level === 'MUST'),
    ...open.filter(({ level }) => level === 'SHOULD'),
    ...all.filter(({ known }) => known),
  ];
}

/** What is to be fixed, MUST before SHOULD. */
export const openCauses = (record: RunRecord): readonly ExplainedChecks[] =>
  explainedChecks(record).filter(({ known }) => !known);

/** The reason, issue and expiry date of a known deviation. */
export function whyKnown({ reason, issue, until }: EvaluatedEntry): string {
  const more = [issue, until === undefined ? undefined : `until ${until}`].filter((one) => one !== undefined);
  return summarise(more.length === 0 ? reason : `${reason} (${more.join(', ')})`, MAX_REASON_CHARACTERS);
}

/** The id of an entry, with its fingerprint or how many it has. */
export function entryName({ id, fingerprint, fingerprints = [] }: EvaluatedEntry): string {
  const names = [...(fingerprint === undefined ? [] : [fingerprint]), ...fingerprints];
  return names.length === 0 ? id : `${id} (${names.length === 1 ? names[0] : `${names.length} causes`})`;
}

/** Why the run could not be judged, or not completely. */
export function unjudged({ ciResult, stop, summary }: RunRecord): string | undefined {
  const asAsked = stop?.kind === 'limit' || stop?.kind === 'bailed';
  if (stop !== null && (!asAsked || ciResult.exitCode === 3))
    return `${summarise(stop.reason)}; ${stop.remedy}`;
  if (ciResult.exitCode === 2) return NOTHING_JUDGED;
  if (ciResult.exitCode !== 3) return undefined;
  const { untestable } = summary.MUST;
  return untestable === 0
    ? 'some checks of the catalogue were not run'
    : `${untestable} MUST ${untestable === 1 ? 'check' : 'checks'} could not be tested`;
}
