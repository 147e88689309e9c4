import { cutShort } from '../run/verdict.ts';
import type { Baseline, BaselineEntry, EntryState, Gate, RecordedResult, RunRecord } from './record.ts';

/** A record before it is known what it means for a pipeline. */
export type Ungated = Omit<RunRecord, 'gate'>;

/**
 * What a run means for a pipeline, given the deviations that are known. A pure function of both: what is
 * past its date is so on the day on which the run began.
 */
export function gateOf(record: Ungated, baseline?: Baseline): Gate {
  const today = record.startedAt.slice(0, 10);
  const judged = (baseline?.entries ?? []).map((entry) => ({ ...entry, ...stateOf(entry, record, today) }));
  const faulty = judged.some(({ state }) => state === 'excuses');
  const entries = judged.map((entry) => (faulty && isByChance(entry, record) ? unseen(entry) : entry));
  const excused = entries.filter(({ state }) => state === 'excuses');
  const open = record.results.filter(
    (result) => blocks(result, record) && !isExcused(result, excused),
  ).length;
  const stale = entries.filter(({ state }) => state === 'mended' || state === 'past').length;
  return {
    ...decided(record, open, stale, excused.length),
    baseline: baseline === undefined ? null : { file: baseline.file, entries },
  };
}

/**
 * Whether an entry is for a check that draws at random: where the store still has known faults, such a check
 * may have met none of them this time.
 */
const isByChance = ({ id, state }: { id: string; state: EntryState }, { results }: Ungated): boolean =>
  state === 'mended' && results.some((one) => one.id === id && one.kind !== 'cases');

const unseen = <T extends BaselineEntry & { readonly remedy?: string }>({ remedy: _, ...entry }: T) => ({
  ...entry,
  state: 'unseen' as const,
});

/** Whether a result keeps the gate shut. */
export const blocks = (
  { level, verdict }: RecordedResult,
  { options }: Pick<RunRecord, 'options'>,
): boolean => verdict === 'fail' && (level === 'MUST' || options.strict);

/** Whether every cause that a check failed for is a known one. */
export function isExcused(
  { id, failed, causes }: RecordedResult,
  entries: readonly BaselineEntry[],
): boolean {
  const own = entries.filter((entry) => entry.id === id);
  if (own.some(({ fingerprint }) => fingerprint === undefined)) return true;
  const known = causes.filter((cause) => own.some(({ fingerprint }) => fingerprint === cause.fingerprint));
  // Where there are more causes than are told apart, the counts do not add up.
  return own.length > 0 && known.reduce((sum, cause) => sum + cause.failed, 0) === failed;
}

function stateOf(
  { id, until, fingerprint }: BaselineEntry,
  { results }: Ungated,
  today: string,
): { readonly state: EntryState; readonly remedy?: string } {
  const result = results.find((one) => one.id === id);
  const name = fingerprint === undefined ? id : `${id} with the fingerprint ${fingerprint}`;
  if (until !== undefined && until < today) {
    return {
      state: 'past',
      remedy: `delete the entry ${name}, or give it another date: it held until ${until}`,
    };
  }
  if (result === undefined || result.verdict === 'skipped' || result.verdict === 'untestable') {
    return { state: 'unseen' };
  }
  if (result.verdict === 'pass')
    return { state: 'mended', remedy: `delete the entry ${name}: the check passes now` };
  if (fingerprint !== undefined && result.causes.every((cause) => cause.fingerprint !== fingerprint))
    return { state: 'mended', remedy: `delete the entry ${name}: the check no longer fails for that cause` };
  return { state: 'excuses' };
}

function decided(
  { outcome, summary, stop, results }: Ungated,
  open: number,
  stale: number,
  excused: number,
): Pick<Gate, 'exitCode' | 'reason'> {
  const known = excused === 0 ? '' : `, ${count(excused, 'known deviation')}`;
  if (open > 0)
    return {
      exitCode: 1,
      reason: `${count(open, 'failure')}${excused === 0 ? '' : ' that the baseline does not excuse'}${known}`,
    };
  if (outcome === 'undetermined' || cutShort(stop, results) || summary.MUST.untestable > 0)
    return { exitCode: 3, reason: `could not be judged${known}` };
  if (stale > 0)
    return {
      exitCode: 1,
      reason: `${count(stale, 'entry', 'entries')} of the baseline to be deleted${known}`,
    };
  return {
    exitCode: 0,
    reason: excused === 0 ? 'no failure' : `no failure but ${count(excused, 'known deviation')}`,
  };
}

const count = (n: number, one: string, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;
