import { atMost, compact } from '../../collections.ts';
import { counted } from '../../text.ts';
import { problemText } from '../record/fingerprint.ts';
import type {
  EntryState,
  JudgedBaseline,
  RecordedCause,
  RecordedResult,
  RunRecord,
} from '../record/record.ts';
import { truncate } from '../wording/format-text.ts';
import { NOTHING_JUDGED } from '../wording/headline.ts';
import { entryName, isAbout, newProblems } from './baseline-entry.ts';
import { acceptedBy, covering, unaccounted } from './known-deviations.ts';

const MAX_REASON_CHARACTERS = 300;

const MAX_NEW_PROBLEMS = 3;

export type EvaluatedEntry = JudgedBaseline['entries'][number];

export const entriesOf = (
  { ciResult }: RunRecord,
  ...states: readonly EntryState[]
): readonly EvaluatedEntry[] =>
  ciResult.baseline?.entries.filter(({ state }) => states.includes(state)) ?? [];

/** Baseline entries that cover every problem of a failed check; empty if any problem is uncovered. */
export const knownBy = (result: RecordedResult, record: RunRecord): readonly EvaluatedEntry[] =>
  acceptedBy(result, record, record.ciResult.baseline);

/** New failures of a check that has known deviations for other problems. */
function newProblemsOf(result: RecordedResult, record: RunRecord): RecordedResult['problems'] | undefined {
  const own = covering(record.ciResult.baseline).filter((entry) => isAbout(entry, result));
  return own.length === 0 || knownBy(result, record).length > 0 ? undefined : newProblems(result, own);
}

/** Puts an exchange with a new problem first, if one is recorded. */
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

/** The new problems of a check that was known to fail for others. */
export function newProblemsText(result: RecordedResult, record: RunRecord): string | undefined {
  const problems = newProblemsOf(result, record);
  if (problems === undefined) return undefined;
  if (problems.length === 0)
    return `${counted(unaccounted(result), 'failure')} of a known failing check, about which nothing was recorded`;
  const texts = problems.map((problem) => truncate(problemText(problem), 120));
  const shown = atMost(MAX_NEW_PROBLEMS, texts, (count) => `${count} more`);
  return `${counted(problems.length, 'new problem')} in a known failing check: ${shown.join('; ')}`;
}

/** A cause with the failed checks that it explains. */
export interface ExplainedChecks {
  readonly cause: RecordedCause;
  /** That of its gravest check that is not a known deviation. */
  readonly level: RecordedCause['level'];
  /** In the order of the record. */
  readonly checks: readonly RecordedResult[];
  readonly known: boolean;
  /** What is new about those that were known to fail. */
  readonly news: readonly string[];
}

/** The causes of a run: what is to be fixed, MUST before SHOULD, and then the known deviations. */
export function explainedChecks(record: RunRecord): readonly ExplainedChecks[] {
  const names = new Set(
    covering(record.ciResult.baseline).flatMap((one) => ('cause' in one ? [one.cause] : [])),
  );
  const unnamed = record.causes.filter(({ fingerprint }) => !names.has(fingerprint));
  const all = record.causes.map((cause): ExplainedChecks => {
    const own = new Set(cause.checks);
    const checks = record.results.filter(({ id, verdict }) => verdict === 'fail' && own.has(id));
    // A new failure of a known cause's check is listed under the new cause, if there is one.
    const open = checks.filter(
      (result) =>
        knownBy(result, record).length === 0 &&
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
  ];
}

/** What is to be fixed, MUST before SHOULD. */
export const openCauses = (record: RunRecord): readonly ExplainedChecks[] =>
  explainedChecks(record).filter(({ known }) => !known);

/** The causes of nothing but known deviations. */
export const knownCauses = (record: RunRecord): readonly ExplainedChecks[] =>
  explainedChecks(record).filter(({ known }) => known);

export function whyKnown({ reason, issue, until }: EvaluatedEntry): string {
  const more = compact(issue, until !== undefined && `until ${until}`);
  return truncate(more.length === 0 ? reason : `${reason} (${more.join(', ')})`, MAX_REASON_CHARACTERS);
}

/** What an entry is about: the cause that experiments found, else its name. */
export const aboutEntry = (entry: EvaluatedEntry, { causes }: RunRecord): string =>
  causes.find(({ fingerprint }) => 'cause' in entry && entry.cause === fingerprint)?.title ??
  entryName(entry);

/** What the team has done about its baseline so far, and what it has left open. */
export function baselineNotes({ ciResult: { baseline } }: RunRecord): readonly string[] {
  if (baseline === null) return [];
  const { entries, since, total = entries.length } = baseline;
  const all = Math.max(total, entries.length);
  const noun = entries.every((entry) => 'cause' in entry) ? 'causes' : 'deviations';
  const fixed = all - entries.filter(({ state }) => state !== 'stale').length;
  const open = entries.filter(({ reason }) => /^TODO\b/.test(reason)).length;
  return compact(
    fixed > 0 && `${fixed} of ${all} known ${noun} fixed${since === undefined ? '' : ` since ${since}`}`,
    open > 0 &&
      `${counted(open, 'entry has', 'entries have')} the reason TODO: say why the deviation is accepted`,
  );
}

/** The checks that --only and --skip left out. */
export const deselected = ({ results }: Pick<RunRecord, 'results'>): readonly RecordedResult[] =>
  results.filter(({ blockedBy }) => blockedBy === 'user');

/** The checks that do not apply to the document or the store. */
export const notApplicable = ({ results }: Pick<RunRecord, 'results'>): readonly RecordedResult[] =>
  results.filter(({ blockedBy }) => blockedBy === 'document');

/** Why the run could not be judged, or not completely. */
export function unjudged({ ciResult, stop, summary }: RunRecord): string | undefined {
  const asAsked = stop?.kind === 'limit' || stop?.kind === 'bailed';
  if (stop !== null && (!asAsked || ciResult.exitCode === 3))
    return `${truncate(stop.reason)}; ${stop.remedy}`;
  if (ciResult.exitCode === 2) return NOTHING_JUDGED;
  if (ciResult.exitCode !== 3) return undefined;
  const { untestable } = summary.MUST;
  return untestable === 0
    ? 'some checks of the catalogue were not run'
    : `${counted(untestable, 'MUST check')} could not be tested`;
}
