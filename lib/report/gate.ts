import { cutShort, judgedOf } from '../run/verdict.ts';
import { coarseFingerprint, isUnanswered } from './fingerprint.ts';
import type { Baseline, BaselineEntry, EntryState, Gate, RecordedResult, RunRecord } from './record.ts';

/** A record before it is known what it means for a pipeline. */
export type Ungated = Omit<RunRecord, 'gate'>;

/**
 * The CI result of a run, given the deviations that are known. A pure function of both: what has expired has done so
 * on the day on which the run began.
 */
export function gateOf(record: Ungated, baseline?: Baseline): Gate {
  const judged = (baseline?.entries ?? []).map((entry) => judgedEntry(entry, record, baseline));
  const wellAgain = judged.every(({ state }) => state !== 'known');
  const entries = judged.map(({ byChance, remedy, ...entry }) =>
    byChance && !wellAgain
      ? { ...entry, state: 'not-evaluated' as const }
      : { ...entry, ...(remedy === undefined ? {} : { remedy }) },
  );
  const covering = entries.filter(covers);
  const failed = record.results.filter(({ verdict }) => verdict === 'fail');
  const open = failed.filter((result) => blocks(result, record) && !isKnown(result, covering)).length;
  const known = failed.filter((result) => isKnown(result, covering)).length;
  const outdated = entries.filter(({ state }) => state === 'stale' || state === 'expired').length;
  return {
    ...decided(record, open, outdated, known, baseline !== undefined),
    baseline: baseline === undefined ? null : { ...baseline, entries },
  };
}

/** Whether a failed result makes the CI result fail, unless it is known. */
export const blocks = (
  { level, verdict }: RecordedResult,
  { options }: Pick<RunRecord, 'options'>,
): boolean => verdict === 'fail' && (level === 'MUST' || options.strict);

/** Whether what an entry names is known; what is stale in it may be a part of that. */
export const covers = ({ state }: { readonly state: EntryState }): boolean =>
  state === 'known' || state === 'stale';

/** The causes that an entry names, or undefined where it names none and holds for all of them. */
export const namesOf = ({ fingerprint, fingerprints }: BaselineEntry): readonly string[] | undefined =>
  fingerprint === undefined && fingerprints === undefined
    ? undefined
    : [...(fingerprint === undefined ? [] : [fingerprint]), ...(fingerprints ?? [])];

/** The fingerprints of a cause, that of an earlier suite as well. */
const fingerprintsOf = (id: string, cause: RecordedResult['causes'][number]): readonly string[] => [
  cause.fingerprint,
  coarseFingerprint(id, cause),
];

/** The fingerprints of everything that a check failed for. */
export const metBy = ({ id, causes }: RecordedResult): ReadonlySet<string> =>
  new Set(causes.flatMap((cause) => fingerprintsOf(id, cause)));

/** The causes that a check failed for and that no entry names. */
export function newCauses(
  { id, causes }: RecordedResult,
  entries: readonly BaselineEntry[],
): RecordedResult['causes'] {
  const own = entries.filter((entry) => entry.id === id).map(namesOf);
  if (own.includes(undefined)) return [];
  const known = new Set(own.flatMap((names) => names ?? []));
  return causes.filter((cause) => !fingerprintsOf(id, cause).some((name) => known.has(name)));
}

/** Failures of a check that none of its causes accounts for: there were more causes than are told apart. */
export const unaccounted = ({ failed, causes }: RecordedResult): number =>
  failed - causes.reduce((sum, cause) => sum + cause.failed, 0);

/** Whether everything that a check failed for is known. */
export function isKnown(result: RecordedResult, entries: readonly BaselineEntry[]): boolean {
  const own = entries.filter(({ id }) => id === result.id);
  if (own.length === 0 || newCauses(result, own).length > 0) return false;
  return own.some((entry) => namesOf(entry) === undefined) || unaccounted(result) === 0;
}

type JudgedEntry = BaselineEntry & {
  readonly state: EntryState;
  readonly remedy?: string;
  /** It is stale only where the store has no known failure left: the check may have met none of them this time. */
  readonly byChance?: boolean;
};

function judgedEntry(entry: BaselineEntry, record: Ungated, baseline: Baseline | undefined): JudgedEntry {
  const { id, until } = entry;
  const result = record.results.find((one) => one.id === id);
  if (until !== undefined && until < record.startedAt.slice(0, 10))
    return {
      ...entry,
      state: 'expired',
      remedy: `delete the entry ${id}, or give it another date: it held until ${until}`,
    };
  if (result === undefined || result.verdict === 'skipped' || result.verdict === 'untestable')
    return { ...entry, state: 'not-evaluated' };
  const stale = (remedy: string) => ({ ...entry, state: 'stale' as const, remedy });
  const same = sendsTheSame(result, record, baseline);
  if (result.verdict !== 'fail') {
    const passes = stale(`delete the entry ${id}: the check passes now`);
    if (same) return passes;
    return isPartOfAll(result, record) ? { ...entry, state: 'not-evaluated' } : { ...passes, byChance: true };
  }
  const names = namesOf(entry) ?? [];
  const met = metBy(result);
  const gone = names.filter((name) => !met.has(name));
  if (gone.length === 0) return { ...entry, state: 'known' };
  if (same && isTriedThrough(result, record)) {
    const what = gone.length === names.length ? `the entry ${id}` : `${gone.join(', ')} from the entry ${id}`;
    const it = gone.length === 1 ? 'that cause' : 'those causes';
    return stale(`delete ${what}: the check no longer fails for ${it}`);
  }
  return { ...entry, state: gone.length === names.length ? 'not-evaluated' : 'known' };
}

/**
 * Whether a check has sent what it sent in the run that the baseline was made of: named requests always, random ones
 * with its seed and at least its number of cases, thorough or not as that was. What is held against the exchanges of all others needs all of them.
 */
function sendsTheSame(result: RecordedResult, record: Ungated, baseline: Baseline | undefined): boolean {
  if (result.kind === 'cases' || result.kind === 'procedure') return true;
  const { options, stop } = record;
  return (
    options.seed === baseline?.seed &&
    options.cases >= (baseline.cases ?? Number.POSITIVE_INFINITY) &&
    (options.thorough ?? false) === (baseline.thorough ?? false) &&
    stop === null &&
    !isPartOfAll(result, record)
  );
}

/** Whether the run was only a part of what such a check is about. */
const isPartOfAll = ({ kind }: RecordedResult, { options, results }: Ungated): boolean =>
  (options.shard !== null && kind !== 'cases' && kind !== 'procedure') ||
  (kind === 'standing' && results.some(({ blockedBy }) => blockedBy === 'user'));

/** Whether a failed check has tried all that it has: it gives up where it waits for answers in vain. */
const isTriedThrough = ({ blockedBy, causes }: RecordedResult, { stop }: Ungated): boolean =>
  stop === null && blockedBy === undefined && !causes.some(isUnanswered);

function decided(
  { outcome, summary, stop, results, options }: Ungated,
  open: number,
  outdated: number,
  deviations: number,
  hasBaseline: boolean,
): Pick<Gate, 'exitCode' | 'reason'> {
  const known = deviations === 0 ? '' : `, ${count(deviations, 'known deviation')}`;
  if (open > 0)
    return {
      exitCode: 1,
      reason: `${count(open, 'failure')}${hasBaseline ? ' that the baseline does not know' : ''}${known}`,
    };
  if (outcome === 'undetermined' || cutShort(stop, results) || summary.MUST.untestable > 0)
    return { exitCode: 3, reason: `could not be judged${known}` };
  // What is held against every exchange judges nothing where no check sends any.
  const isSent = results.some(({ kind, verdict }) => kind !== 'standing' && verdict !== 'skipped');
  const judged = isSent ? judgedOf(summary.MUST) + (options.strict ? judgedOf(summary.SHOULD) : 0) : 0;
  if (outcome === 'partial' && options.shard === null && judged === 0)
    return { exitCode: 2, reason: `nothing was judged${known}` };
  if (outdated > 0)
    return {
      exitCode: 1,
      reason: `${count(outdated, 'entry', 'entries')} of the baseline out of date${known}`,
    };
  const what = outcome === 'partial' ? ' in what was checked' : '';
  return {
    exitCode: 0,
    reason:
      deviations === 0
        ? `no failure${what}`
        : `no failure${what} but ${count(deviations, 'known deviation')}`,
  };
}

const count = (n: number, one: string, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;
