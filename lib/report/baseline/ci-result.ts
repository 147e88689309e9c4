import { countToJudge, cutShort } from '../../run/result/verdict.ts';
import { counted } from '../../text.ts';
import type { Baseline, CiResult, RecordedResult, RunRecord, WithoutCiResult } from '../record/record.ts';
import { entriesOf, isKnown } from './deviations.ts';
import { judgedEntry } from './entry-state.ts';

/** Returns the CI result of a run. The day on which the run began decides which entries have expired. */
export function ciResultOf(record: WithoutCiResult, baseline?: Baseline): CiResult {
  const judged = baseline?.entries.map((entry) => judgedEntry(entry, record, baseline)) ?? [];
  const noneKnown = judged.every(({ state }) => state !== 'known');
  const entries = judged.map(({ byChance, remedy, ...entry }) =>
    byChance && !noneKnown
      ? { ...entry, state: 'not-evaluated' as const }
      : { ...entry, ...(remedy === undefined ? {} : { remedy }) },
  );
  const evaluated = baseline === undefined ? null : { ...baseline, entries };
  return { ...decided(record, evaluated), baseline: evaluated };
}

/** Adds the CI result to a record, in front of the long parts. */
export function withCiResult(record: WithoutCiResult, baseline?: Baseline): RunRecord {
  const { causes, results, observations, ...head } = record;
  return { ...head, ciResult: ciResultOf(record, baseline), causes, results, observations };
}

/** Returns whether a result makes the CI result fail, unless it is a known deviation. */
export const blocks = (
  { level, verdict }: RecordedResult,
  { options }: Pick<RunRecord, 'options'>,
): boolean => verdict === 'fail' && (level === 'MUST' || options.strict);

function decided(
  record: WithoutCiResult,
  baseline: CiResult['baseline'],
): Pick<CiResult, 'exitCode' | 'reason'> {
  const { outcome, summary, stop, results, options } = record;
  const withBaseline = { ...record, ciResult: { baseline } };
  const failed = results.filter(({ verdict }) => verdict === 'fail');
  const deviations = failed.filter((result) => isKnown(result, withBaseline));
  const all = counted(deviations.length, 'known deviation');
  const known = deviations.length === 0 ? '' : `, ${all}`;
  const blocking = failed.filter((result) => blocks(result, record) && !deviations.includes(result));
  if (blocking.length > 0) {
    const noun = options.strict ? 'failed check' : 'failed MUST check';
    const unlisted = baseline === null ? '' : ' not in the baseline';
    return { exitCode: 1, reason: `${counted(blocking.length, noun)}${unlisted}${known}` };
  }
  if (outcome === 'undetermined' || cutShort(stop, results) || summary.MUST.untestable > 0)
    return { exitCode: 3, reason: `could not be judged${known}` };
  // If no check sends requests, the invariants have nothing to judge.
  const isSent = results.some(({ kind, verdict }) => kind !== 'invariant' && verdict !== 'skipped');
  const judged = isSent
    ? countToJudge(summary.MUST) + (options.strict ? countToJudge(summary.SHOULD) : 0)
    : 0;
  if (outcome === 'partial' && options.shard === null && judged === 0)
    return { exitCode: 2, reason: `nothing was judged${known}` };
  const outdated = entriesOf(withBaseline, 'stale', 'expired').length;
  const stale = counted(outdated, 'outdated baseline entry', 'outdated baseline entries');
  if (outdated > 0) return { exitCode: 1, reason: `${stale}${known}` };
  const none = outcome === 'partial' ? 'no failures in the selected checks' : 'no failures';
  return { exitCode: 0, reason: deviations.length === 0 ? none : `${none} except ${all}` };
}
