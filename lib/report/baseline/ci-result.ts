import { countToJudge, cutShort } from '../../run/result/verdict.ts';
import { counted } from '../../text.ts';
import type { Baseline, CiResult, RecordedResult, RunRecord, WithoutCiResult } from '../record/record.ts';
import { isKnown } from './deviations.ts';
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
  const judgedBaseline = baseline === undefined ? null : { ...baseline, entries };
  const withBaseline = { ...record, ciResult: { baseline: judgedBaseline } };
  const failed = record.results.filter(({ verdict }) => verdict === 'fail');
  const known = failed.filter((result) => isKnown(result, withBaseline));
  const unknown = failed.filter((result) => blocks(result, record) && !known.includes(result)).length;
  const outdated = entries.filter(({ state }) => state === 'stale' || state === 'expired').length;
  return {
    ...decided(record, unknown, outdated, known.length, baseline !== undefined),
    baseline: judgedBaseline,
  };
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
  { outcome, summary, stop, results, options }: WithoutCiResult,
  unknown: number,
  outdated: number,
  deviations: number,
  hasBaseline: boolean,
): Pick<CiResult, 'exitCode' | 'reason'> {
  const all = counted(deviations, 'known deviation');
  const known = deviations === 0 ? '' : `, ${all}`;
  const failed = `${counted(unknown, options.strict ? 'failed check' : 'failed MUST check')}${hasBaseline ? ' not in the baseline' : ''}`;
  if (unknown > 0) return { exitCode: 1, reason: `${failed}${known}` };
  if (outcome === 'undetermined' || cutShort(stop, results) || summary.MUST.untestable > 0)
    return { exitCode: 3, reason: `could not be judged${known}` };
  // If no check sends requests, the invariants have nothing to judge.
  const isSent = results.some(({ kind, verdict }) => kind !== 'invariant' && verdict !== 'skipped');
  const judged = isSent
    ? countToJudge(summary.MUST) + (options.strict ? countToJudge(summary.SHOULD) : 0)
    : 0;
  if (outcome === 'partial' && options.shard === null && judged === 0)
    return { exitCode: 2, reason: `nothing was judged${known}` };
  const stale = counted(outdated, 'outdated baseline entry', 'outdated baseline entries');
  if (outdated > 0) return { exitCode: 1, reason: `${stale}${known}` };
  const none = outcome === 'partial' ? 'no failures in the selected checks' : 'no failures';
  return { exitCode: 0, reason: deviations === 0 ? none : `${none} except ${all}` };
}
