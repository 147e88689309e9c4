import { capped, compact, sum } from '../../collections.ts';
import { counted } from '../../text.ts';
import { problemText } from '../record/fingerprint.ts';
import type {
  CiResult,
  EntryState,
  EvaluatedEntry,
  JudgedBaseline,
  RecordedCause,
  RecordedResult,
  RunRecord,
  WithoutCiResult,
} from '../record/record.ts';
import { shownText } from '../wording/format-text.ts';
import { causeIn, concernsCheck, entryName, fingerprintsIn, newProblems } from './baseline-entry.ts';
import { sendsTheSame } from './entry-state.ts';

const MAX_REASON_CHARACTERS = 300;
const MAX_NEW_PROBLEMS = 4;

type WithBaseline = WithoutCiResult & { readonly ciResult: Pick<CiResult, 'baseline'> };

export const entriesOf = (
  { ciResult }: WithBaseline,
  ...states: readonly EntryState[]
): readonly EvaluatedEntry[] =>
  ciResult.baseline?.entries.filter(({ state }) => states.includes(state)) ?? [];

/** The entries that apply: those that are known and, for failures that still occur, those that are stale. */
const covering = (record: WithBaseline) => entriesOf(record, 'known', 'stale');

const entriesForCheck = (result: RecordedResult, record: WithBaseline) =>
  covering(record).filter((entry) => concernsCheck(entry, result));

/** Counts the failures of a check beyond those of its recorded problems, whose number is limited. */
export const unaccounted = ({ failed, problems }: RecordedResult): number =>
  failed - sum(problems, (problem) => problem.failed);

/** Returns the entries that make a failed check a known deviation: none unless all its failures are known. */
export function knownBy(result: RecordedResult, record: WithBaseline): readonly EvaluatedEntry[] {
  const entries = entriesForCheck(result, record);
  if (entries.length > 0 && newProblems(result, entries).length === 0) {
    const named = entries.flatMap(fingerprintsIn);
    const isWhole = named.some(({ id, names }) => id === result.id && names === undefined);
    if (isWhole || unaccounted(result) === 0) return entries;
  }
  return byCause(result, record);
}

/** Returns whether a failed check is a known deviation. */
export const isKnown = (result: RecordedResult, record: WithBaseline): boolean =>
  knownBy(result, record).length > 0;

/**
 * The entries for the causes of a check, if all of its causes are known. If the check sent the same requests
 * as in the recorded run, a failure that no entry lists is new, unless it is intermittent, or a cause that
 * has been fixed may have hidden it.
 */
function byCause(result: RecordedResult, record: WithBaseline): readonly EvaluatedEntry[] {
  const { baseline } = record.ciResult;
  if (baseline === null) return [];
  const entries = covering(record).filter((entry) => 'cause' in entry);
  const causes = record.causes.filter(({ checks }) => checks.includes(result.id));
  const known = compact(
    ...causes.map(
      ({ kind, fingerprint }) => kind !== 'once' && entries.find((entry) => entry.cause === fingerprint),
    ),
  );
  if (known.length < causes.length) return [];
  const comesAndGoes = causes.some(({ kind }) => kind !== 'always');
  const mayHaveBeenHidden = fixedIn(baseline) > 0;
  const areNamed = known.every(({ checks }) => Object.keys(checks).length > 0);
  const isNew = areNamed && sendsTheSame(result, record, baseline) && !comesAndGoes && !mayHaveBeenHidden;
  return isNew ? [] : known;
}

/** The new failures of a check that has known deviations for other problems. */
function newProblemsOf(result: RecordedResult, record: RunRecord): RecordedResult['problems'] | undefined {
  const entries = entriesForCheck(result, record);
  return entries.length === 0 || isKnown(result, record) ? undefined : newProblems(result, entries);
}

/** Moves an exchange with a new problem to the front, if one is recorded. */
export function withNewProblemFirst(result: RecordedResult, record: RunRecord): RecordedResult {
  const problems = newProblemsOf(result, record) ?? [];
  const isNew = ({ problem, label }: RecordedResult['exchanges'][number]) =>
    problems.some((one) => one.problem === problem && (one.request ?? label) === label);
  const [shown] = result.exchanges;
  const lead = result.exchanges.find(isNew);
  if (lead === undefined || lead === shown) return result;
  const { counterexample: _, ...rest } = result;
  const { expected, actual } = lead;
  return { ...rest, expected, actual, exchanges: [lead, ...result.exchanges.filter((one) => one !== lead)] };
}

export function newProblemsText(result: RecordedResult, record: RunRecord): string | undefined {
  const problems = newProblemsOf(result, record);
  if (problems === undefined) return undefined;
  if (problems.length === 0)
    return `${counted(unaccounted(result), 'failure')} of a known failing check, about which nothing was recorded`;
  const texts = problems.map((problem) => shownText(problemText(problem), 120));
  const shown = capped(MAX_NEW_PROBLEMS, texts, (count) => `${count} more`);
  return `${counted(problems.length, 'new problem')} in a known failing check: ${shown.join('; ')}`;
}

export interface ExplainedChecks {
  readonly cause: RecordedCause;
  /** The number of the cause in all reports, from 1. */
  readonly rank: number;
  /** The level of its most serious check that is not a known deviation. */
  readonly level: RecordedCause['level'];
  /** Sorted as in the record. */
  readonly checks: readonly RecordedResult[];
  readonly known: boolean;
  /** The new problems of checks that were already known to fail. */
  readonly news: readonly string[];
}

/** Returns the causes of a run: first those to be fixed, MUST before SHOULD, then the known deviations. */
export function explainedChecks(record: RunRecord): readonly ExplainedChecks[] {
  const names = new Set(covering(record).map(causeIn));
  const unnamed = record.causes.filter(({ fingerprint }) => !names.has(fingerprint));
  const all = record.causes.map((cause): Omit<ExplainedChecks, 'rank'> => {
    const checkIds = new Set(cause.checks);
    const checks = record.results.filter(({ id, verdict }) => verdict === 'fail' && checkIds.has(id));
    // If a check of a known cause has a new failure with a new cause, it is listed only under the new one.
    const open = checks.filter(
      (result) =>
        !isKnown(result, record) &&
        !(names.has(cause.fingerprint) && unnamed.some((one) => one.checks.includes(result.id))),
    );
    const isMust = open.length === 0 ? cause.level === 'MUST' : open.some(({ level }) => level === 'MUST');
    return {
      cause,
      level: isMust ? 'MUST' : 'SHOULD',
      checks: checks.map((result) => withNewProblemFirst(result, record)),
      known: checks.length > 0 && open.length === 0,
      news: checks.flatMap((result) => newProblemsText(result, record) ?? []),
    };
  });
  const open = all.filter(({ known }) => !known);
  return [
    ...open.filter(({ level }) => level === 'MUST'),
    ...open.filter(({ level }) => level === 'SHOULD'),
    ...all.filter(({ known }) => known),
  ].map((one, index) => ({ ...one, rank: index + 1 }));
}

/** Returns the causes to be fixed, of one level or of both. */
export const openCauses = (record: RunRecord, only?: ExplainedChecks['level']): readonly ExplainedChecks[] =>
  explainedChecks(record).filter(({ known, level }) => !known && (only ?? level) === level);

export const knownCauses = (record: RunRecord): readonly ExplainedChecks[] =>
  explainedChecks(record).filter(({ known }) => known);

/** Returns the entry that accepts a known cause: its own, or that of one of its checks. */
export function entryFor({ cause, checks }: ExplainedChecks, record: RunRecord): EvaluatedEntry | undefined {
  const own = covering(record).find((entry) => causeIn(entry) === cause.fingerprint);
  return own ?? checks.flatMap((result) => knownBy(result, record))[0];
}

export function whyKnown({ reason, issue, until }: EvaluatedEntry): string {
  const more = compact(issue, until !== undefined && `until ${until}`);
  return shownText(more.length === 0 ? reason : `${reason} (${more.join(', ')})`, MAX_REASON_CHARACTERS);
}

/** Says what an entry is about: the cause that experiments found or, without one, the name of the entry. */
export const aboutEntry = (entry: EvaluatedEntry, { causes }: RunRecord): string =>
  causes.find(({ fingerprint }) => fingerprint === causeIn(entry))?.title ?? entryName(entry);

/** The number of entries that a baseline has ever had. */
const totalOf = ({ entries, total = 0 }: JudgedBaseline): number => Math.max(total, entries.length);

/** The number of entries that have been fixed: they are stale, or no longer in the file. */
const fixedIn = (baseline: JudgedBaseline): number =>
  totalOf(baseline) - baseline.entries.filter(({ state }) => state !== 'stale').length;

/** Describes the progress of the team since it began the baseline, and what is missing in the file. */
export function baselineNotes({ ciResult: { baseline } }: RunRecord): readonly string[] {
  if (baseline === null) return [];
  const { entries, since } = baseline;
  const all = totalOf(baseline);
  const noun = entries.every((entry) => 'cause' in entry) ? 'causes' : 'deviations';
  const fixed = fixedIn(baseline);
  const open = entries.filter(({ reason }) => /^TODO\b/.test(reason)).length;
  return compact(
    fixed > 0 && `${fixed} of ${all} known ${noun} fixed${since === undefined ? '' : ` since ${since}`}`,
    open > 0 &&
      `${counted(open, 'entry has', 'entries have')} the reason TODO: say why the deviation is accepted`,
  );
}
