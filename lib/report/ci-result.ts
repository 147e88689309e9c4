import { cutShort, judgedOf } from '../run/verdict.ts';
import { coarseFingerprint, isUnanswered } from './fingerprint.ts';
import type { Baseline, BaselineEntry, CiResult, EntryState, RecordedResult, RunRecord } from './record.ts';

/** A record whose CI result is not known yet. */
export type WithoutCiResult = Omit<RunRecord, 'ciResult'>;

/**
 * The CI result of a run, given the known deviations. A pure function of both: entries expire relative to the
 * day on which the run began.
 */
export function ciResultOf(record: WithoutCiResult, baseline?: Baseline): CiResult {
  const judged = (baseline?.entries ?? []).map((entry) => judgedEntry(entry, record, baseline));
  const noneKnown = judged.every(({ state }) => state !== 'known');
  const entries = judged.map(({ byChance, remedy, ...entry }) =>
    byChance && !noneKnown
      ? { ...entry, state: 'not-evaluated' as const }
      : { ...entry, ...(remedy === undefined ? {} : { remedy }) },
  );
  const covering = entries.filter(covers);
  const failed = record.results.filter(({ verdict }) => verdict === 'fail');
  const unknown = failed.filter((result) => blocks(result, record) && !isKnown(result, covering)).length;
  const known = failed.filter((result) => isKnown(result, covering)).length;
  const outdated = entries.filter(({ state }) => state === 'stale' || state === 'expired').length;
  return {
    ...decided(record, unknown, outdated, known, baseline !== undefined),
    baseline: baseline === undefined ? null : { ...baseline, entries },
  };
}

/** Whether a failed result makes the CI result fail unless it is a known deviation. */
export const blocks = (
  { level, verdict }: RecordedResult,
  { options }: Pick<RunRecord, 'options'>,
): boolean => verdict === 'fail' && (level === 'MUST' || options.strict);

/** Whether an entry makes failures known deviations. A stale one does for the causes that remain. */
export const covers = ({ state }: { readonly state: EntryState }): boolean =>
  state === 'known' || state === 'stale';

/** The fingerprints that an entry names; undefined if it names none and covers all causes. */
export const namesOf = ({ fingerprint, fingerprints }: BaselineEntry): readonly string[] | undefined =>
  fingerprint === undefined && fingerprints === undefined
    ? undefined
    : [...(fingerprint === undefined ? [] : [fingerprint]), ...(fingerprints ?? [])];

/** The fingerprints of a cause, including the one that earlier versions of the suite gave it. */
const fingerprintsOf = (id: string, cause: RecordedResult['causes'][number]): readonly string[] => [
  cause.fingerprint,
  coarseFingerprint(id, cause),
];

/** The fingerprints of all causes for which a check failed. */
export const metBy = ({ id, causes }: RecordedResult): ReadonlySet<string> =>
  new Set(causes.flatMap((cause) => fingerprintsOf(id, cause)));

/** The causes for which a check failed and that no entry names. */
export function newCauses(
  { id, causes }: RecordedResult,
  entries: readonly BaselineEntry[],
): RecordedResult['causes'] {
  const own = entries.filter((entry) => entry.id === id).map(namesOf);
  if (own.includes(undefined)) return [];
  const known = new Set(own.flatMap((names) => names ?? []));
  return causes.filter((cause) => !fingerprintsOf(id, cause).some((name) => known.has(name)));
}

/** Failures of a check beyond those of its recorded causes, whose number is limited. */
export const unaccounted = ({ failed, causes }: RecordedResult): number =>
  failed - causes.reduce((sum, cause) => sum + cause.failed, 0);

/** Whether all failures of a check are known. */
export function isKnown(result: RecordedResult, entries: readonly BaselineEntry[]): boolean {
  const own = entries.filter(({ id }) => id === result.id);
  if (own.length === 0 || newCauses(result, own).length > 0) return false;
  return own.some((entry) => namesOf(entry) === undefined) || unaccounted(result) === 0;
}

type JudgedEntry = BaselineEntry & {
  readonly state: EntryState;
  readonly remedy?: string;
  /** Stale only if no known failure of the store is left: the check may have missed the failure by chance. */
  readonly byChance?: boolean;
};

function judgedEntry(
  entry: BaselineEntry,
  record: WithoutCiResult,
  baseline: Baseline | undefined,
): JudgedEntry {
  const { id, until } = entry;
  const result = record.results.find((one) => one.id === id);
  if (until !== undefined && until < record.startedAt.slice(0, 10))
    return {
      ...entry,
      state: 'expired',
      remedy: `delete the entry ${id} or extend its date: it was valid until ${until}`,
    };
  if (result === undefined || result.verdict === 'skipped' || result.verdict === 'untestable')
    return { ...entry, state: 'not-evaluated' };
  const stale = (remedy: string) => ({ ...entry, state: 'stale' as const, remedy });
  const same = sendsTheSame(result, record, baseline);
  if (result.verdict !== 'fail') {
    const passing = stale(`delete the entry ${id}: the check passes now`);
    if (same) return passing;
    return isPartOfAll(result, record)
      ? { ...entry, state: 'not-evaluated' }
      : { ...passing, byChance: true };
  }
  const names = namesOf(entry) ?? [];
  const met = metBy(result);
  const gone = names.filter((name) => !met.has(name));
  if (gone.length === 0) return { ...entry, state: 'known' };
  if (same && isComplete(result, record)) {
    const what = gone.length === names.length ? `the entry ${id}` : `${gone.join(', ')} from the entry ${id}`;
    const causes = gone.length === 1 ? 'that cause' : 'those causes';
    return stale(`delete ${what}: the check no longer fails for ${causes}`);
  }
  return { ...entry, state: gone.length === names.length ? 'not-evaluated' : 'known' };
}

/**
 * Whether a check sent the requests that it sent in the run of which the baseline was made. Named requests
 * are always the same; random ones need the same seed, at least as many cases, and the same thoroughness; an
 * invariant needs all exchanges.
 */
function sendsTheSame(
  result: RecordedResult,
  record: WithoutCiResult,
  baseline: Baseline | undefined,
): boolean {
  if (result.kind === 'cases' || result.kind === 'scenario') return true;
  const { options, stop } = record;
  return (
    options.seed === baseline?.seed &&
    options.cases >= (baseline.cases ?? Number.POSITIVE_INFINITY) &&
    (options.thorough ?? false) === (baseline.thorough ?? false) &&
    stop === null &&
    !isPartOfAll(result, record)
  );
}

/** Whether the run contained only a part of the exchanges that such a check judges. */
const isPartOfAll = ({ kind }: RecordedResult, { options, results }: WithoutCiResult): boolean =>
  (options.shard !== null && kind !== 'cases' && kind !== 'scenario') ||
  (kind === 'invariant' && results.some(({ blockedBy }) => blockedBy === 'user'));

/** Whether a failed check tried all of its cases: it gives up when responses do not come. */
const isComplete = ({ blockedBy, causes }: RecordedResult, { stop }: WithoutCiResult): boolean =>
  stop === null && blockedBy === undefined && !causes.some(isUnanswered);

function decided(
  { outcome, summary, stop, results, options }: WithoutCiResult,
  unknown: number,
  outdated: number,
  deviations: number,
  hasBaseline: boolean,
): Pick<CiResult, 'exitCode' | 'reason'> {
  const known = deviations === 0 ? '' : `, ${count(deviations, 'known deviation')}`;
  if (unknown > 0)
    return {
      exitCode: 1,
      reason: `${count(unknown, 'failure')}${hasBaseline ? ' not in the baseline' : ''}${known}`,
    };
  if (outcome === 'undetermined' || cutShort(stop, results) || summary.MUST.untestable > 0)
    return { exitCode: 3, reason: `could not be judged${known}` };
  // Without a check that sends requests, invariants judge nothing.
  const isSent = results.some(({ kind, verdict }) => kind !== 'invariant' && verdict !== 'skipped');
  const judged = isSent ? judgedOf(summary.MUST) + (options.strict ? judgedOf(summary.SHOULD) : 0) : 0;
  if (outcome === 'partial' && options.shard === null && judged === 0)
    return { exitCode: 2, reason: `nothing was judged${known}` };
  if (outdated > 0)
    return {
      exitCode: 1,
      reason: `${count(outdated, 'outdated baseline entry', 'outdated baseline entries')}${known}`,
    };
  const what = outcome === 'partial' ? ' in what was checked' : '';
  return {
    exitCode: 0,
    reason:
      deviations === 0
        ? `no failures${what}`
        : `no failures${what} except ${count(deviations, 'known deviation')}`,
  };
}

const count = (n: number, one: string, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;
