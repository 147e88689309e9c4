import { sum } from '../../collections.ts';
import type { CiResult, EvaluatedEntry, RecordedResult, WithoutCiResult } from '../record/record.ts';
import { isAbout, namedBy, newProblems } from './baseline-entry.ts';
import { sendsTheSame } from './entry-state.ts';

/** The entries that apply: known ones, and stale ones for the failures that still occur. */
export const covering = (baseline: CiResult['baseline']): readonly EvaluatedEntry[] =>
  (baseline?.entries ?? []).filter(({ state }) => state === 'known' || state === 'stale');

/** The number of failures of a check beyond those of its recorded problems, whose number is limited. */
export const unaccounted = ({ failed, problems }: RecordedResult): number =>
  failed - sum(problems, (problem) => problem.failed);

/** The entries that make a failed check a known deviation; empty unless all of its failures are known. */
export function acceptedBy(
  result: RecordedResult,
  record: WithoutCiResult,
  baseline: CiResult['baseline'],
): readonly EvaluatedEntry[] {
  const entries = covering(baseline);
  const entriesForCheck = entries.filter((entry) => isAbout(entry, result));
  if (entriesForCheck.length > 0 && newProblems(result, entriesForCheck).length === 0) {
    const isWhole = entriesForCheck
      .flatMap(namedBy)
      .some(({ id, names }) => id === result.id && names === undefined);
    if (isWhole || unaccounted(result) === 0) return entriesForCheck;
  }
  return byCause(result, entries, record, baseline);
}

/**
 * The entries for the causes of a check, if all of its causes are known. If the check sent the same requests
 * as in the recorded run, a failure that no entry names is new, unless it comes and goes or a fixed cause hid
 * it.
 */
function byCause(
  result: RecordedResult,
  entries: readonly EvaluatedEntry[],
  record: WithoutCiResult,
  baseline: CiResult['baseline'],
): readonly EvaluatedEntry[] {
  const causes = record.causes.filter(({ checks }) => checks.includes(result.id));
  const comesAndGoes = causes.some(({ kind }) => kind !== 'always');
  const wasHidden = entries.some((entry) => entry.state === 'stale' && isAbout(entry, result));
  if (sendsTheSame(result, record, baseline ?? undefined) && !comesAndGoes && !wasHidden) return [];
  const entriesOfCauses = causes.map(({ kind, fingerprint }) =>
    kind === 'once' ? undefined : entries.find((entry) => 'cause' in entry && entry.cause === fingerprint),
  );
  return entriesOfCauses.length > 0 && entriesOfCauses.every((entry) => entry !== undefined)
    ? entriesOfCauses
    : [];
}
