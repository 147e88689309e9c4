import { hasNoResponse } from '../record/fingerprint.ts';
import type {
  Baseline,
  BaselineEntry,
  EntryState,
  KnownCause,
  KnownCheck,
  RecordedResult,
  WithoutCiResult,
} from '../record/record.ts';
import { entryName, fingerprintsIn, fingerprintsOf } from './baseline-entry.ts';

interface Judgement {
  readonly state: EntryState;
  readonly remedy?: string;
  /** The failure may have been missed by chance: stale only if no known failure of the store is left. */
  readonly byChance?: boolean;
}

type JudgedEntry = BaselineEntry & Judgement;

export function judgedEntry(entry: BaselineEntry, record: WithoutCiResult, baseline: Baseline): JudgedEntry {
  const { until } = entry;
  if (until !== undefined && until < record.startedAt.slice(0, 10))
    return {
      ...entry,
      state: 'expired',
      remedy: `delete the entry ${'cause' in entry ? entryName(entry) : entry.id} or extend its date: it expired after ${until}`,
    };
  return 'cause' in entry
    ? { ...entry, ...judgedCause(entry, record, baseline) }
    : { ...entry, ...judgedCheck(entry, record, baseline) };
}

/** A cause is known while experiments find it, or while its failures occur and none is certainly gone. */
function judgedCause(entry: KnownCause, record: WithoutCiResult, baseline: Baseline): Judgement {
  if (record.causes.some(({ fingerprint }) => fingerprint === entry.cause)) return { state: 'known' };
  const parts = fingerprintsIn(entry).map(({ id, names = [] }) =>
    judgedCheck({ id, reason: entry.reason, fingerprints: names }, record, baseline),
  );
  if (parts.length === 0) return judgedAlone(entry, record);
  const stale = parts.filter(({ state }) => state === 'stale');
  const isCertain = stale.some(({ byChance }) => byChance !== true);
  const isKnown = parts.some(({ state }) => state === 'known');
  if (stale.length === 0 || (isKnown && !isCertain)) return { state: isKnown ? 'known' : 'not-evaluated' };
  return {
    state: 'stale',
    remedy: `delete the entry ${entryName(entry)}: its checks no longer fail for this cause`,
    ...(isCertain ? {} : { byChance: true }),
  };
}

/** A cause for which the file lists no failures is stale once nothing fails any more. */
const judgedAlone = (entry: KnownCause, { causes, outcome }: WithoutCiResult): Judgement =>
  outcome === 'conformant' && causes.length === 0
    ? { state: 'stale', remedy: `delete the entry ${entryName(entry)}: no check fails any more` }
    : { state: 'not-evaluated' };

function judgedCheck(entry: KnownCheck, record: WithoutCiResult, baseline: Baseline): Judgement {
  const { id } = entry;
  const result = record.results.find((one) => one.id === id);
  if (result === undefined || result.verdict === 'skipped' || result.verdict === 'untestable')
    return { state: 'not-evaluated' };
  const stale = (remedy: string) => ({ state: 'stale' as const, remedy });
  const same = sendsTheSame(result, record, baseline);
  if (result.verdict !== 'fail') {
    const passing = stale(`delete the entry ${id}: the check passes now`);
    if (same) return passing;
    return isPartOfAll(result, record) ? { state: 'not-evaluated' } : { ...passing, byChance: true };
  }
  const names = fingerprintsIn(entry).flatMap((one) => one.names ?? []);
  const met = fingerprintsOf(result);
  const gone = names.filter((name) => !met.has(name));
  if (gone.length === 0) return { state: 'known' };
  if (same && isComplete(result, record)) {
    const what = gone.length === names.length ? `the entry ${id}` : `${gone.join(', ')} from the entry ${id}`;
    const problems = gone.length === 1 ? 'that problem' : 'those problems';
    return stale(`delete ${what}: the check no longer has ${problems}`);
  }
  return { state: gone.length === names.length ? 'not-evaluated' : 'known' };
}

/**
 * Returns whether a check sent the same requests as in the run that recorded the baseline. Named requests are
 * always the same. Random ones are if the options are the same, there are at least as many cases and, for an
 * invariant, no exchanges are left out.
 */
export function sendsTheSame(result: RecordedResult, record: WithoutCiResult, baseline: Baseline): boolean {
  if (result.kind === 'cases' || result.kind === 'scenario') return true;
  const { options, stop } = record;
  return (
    options.seed === baseline.seed &&
    options.cases >= (baseline.cases ?? Number.POSITIVE_INFINITY) &&
    (options.thorough ?? false) === (baseline.thorough ?? false) &&
    stop === null &&
    !isPartOfAll(result, record)
  );
}

/** Whether the run contained only some of the exchanges that the check judges. */
const isPartOfAll = ({ kind }: RecordedResult, { options, results }: WithoutCiResult): boolean =>
  (options.shard !== null && kind !== 'cases' && kind !== 'scenario') ||
  (kind === 'invariant' && results.some(({ blockedBy }) => blockedBy === 'user'));

/** Whether a failed check tried all of its cases; it gives up if the store stops responding. */
const isComplete = ({ blockedBy, problems }: RecordedResult, { stop }: WithoutCiResult): boolean =>
  stop === null && blockedBy === undefined && !problems.some(hasNoResponse);
