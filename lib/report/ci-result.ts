import { cutShort, judgedOf } from '../run/verdict.ts';
import { coarseFingerprint, isUnanswered } from './fingerprint.ts';
import type {
  Baseline,
  BaselineEntry,
  CiResult,
  EntryState,
  KnownCause,
  KnownCheck,
  RecordedResult,
  RunRecord,
} from './record.ts';

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
  const judgedBaseline = baseline === undefined ? null : { ...baseline, entries };
  const isKnown = (result: RecordedResult) => acceptedBy(result, record, judgedBaseline).length > 0;
  const failed = record.results.filter(({ verdict }) => verdict === 'fail');
  const unknown = failed.filter((result) => blocks(result, record) && !isKnown(result)).length;
  const known = failed.filter(isKnown).length;
  const outdated = entries.filter(({ state }) => state === 'stale' || state === 'expired').length;
  return {
    ...decided(record, unknown, outdated, known, baseline !== undefined),
    baseline: judgedBaseline,
  };
}

/** Whether a failed result makes the CI result fail unless it is a known deviation. */
export const blocks = (
  { level, verdict }: RecordedResult,
  { options }: Pick<RunRecord, 'options'>,
): boolean => verdict === 'fail' && (level === 'MUST' || options.strict);

type JudgedEntries = NonNullable<CiResult['baseline']>['entries'];

/** The entries that make failures known deviations. A stale one does so for what remains. */
export const covering = (baseline: CiResult['baseline']): JudgedEntries =>
  (baseline?.entries ?? []).filter(({ state }) => state === 'known' || state === 'stale');

/** The failures that an entry names, by check; a check without names stands for all of its failures. */
export function namedBy(
  entry: BaselineEntry,
): readonly { readonly id: string; readonly names: readonly string[] | undefined }[] {
  if ('cause' in entry)
    return Object.entries(entry.checks).map(([id, names]) => ({ id, names: names.split(/\s+/) }));
  const { id, fingerprint, fingerprints } = entry;
  const names = [...(fingerprint === undefined ? [] : [fingerprint]), ...(fingerprints ?? [])];
  return [{ id, names: names.length === 0 ? undefined : names }];
}

export const isAbout = (entry: BaselineEntry, { id }: Pick<RecordedResult, 'id'>): boolean =>
  namedBy(entry).some((one) => one.id === id);

/** The fingerprints of a failure, including the one that earlier versions of the suite gave it. */
const fingerprintsOf = (id: string, cause: RecordedResult['causes'][number]): readonly string[] => [
  cause.fingerprint,
  coarseFingerprint(id, cause),
];

/** The fingerprints of all failures of a check. */
export const metBy = ({ id, causes }: RecordedResult): ReadonlySet<string> =>
  new Set(causes.flatMap((cause) => fingerprintsOf(id, cause)));

/** The failures of a check that no entry names. */
export function newCauses(
  { id, causes }: RecordedResult,
  entries: readonly BaselineEntry[],
): RecordedResult['causes'] {
  const own = entries.flatMap(namedBy).filter((one) => one.id === id);
  if (own.some(({ names }) => names === undefined)) return [];
  const known = new Set(own.flatMap(({ names = [] }) => names));
  return causes.filter((cause) => !fingerprintsOf(id, cause).some((name) => known.has(name)));
}

/** Failures of a check beyond those of its recorded causes, whose number is limited. */
export const unaccounted = ({ failed, causes }: RecordedResult): number =>
  failed - causes.reduce((sum, cause) => sum + cause.failed, 0);

/** The entries that make a failed check a known deviation; none if not all of its failures are known. */
export function acceptedBy(
  result: RecordedResult,
  record: WithoutCiResult,
  baseline: CiResult['baseline'],
): JudgedEntries {
  const entries = covering(baseline);
  const own = entries.filter((entry) => isAbout(entry, result));
  if (own.length > 0 && newCauses(result, own).length === 0) {
    const isWhole = own.flatMap(namedBy).some(({ id, names }) => id === result.id && names === undefined);
    if (isWhole || unaccounted(result) === 0) return own;
  }
  return byCause(result, entries, record, baseline);
}

/**
 * The entries of the causes of a check, if all of them are known. They say nothing about a check that sent the same
 * requests as in the run of the baseline: there, a failure that is not named is new, unless it comes and goes.
 */
function byCause(
  { id, ...result }: RecordedResult,
  entries: JudgedEntries,
  record: WithoutCiResult,
  baseline: CiResult['baseline'],
): JudgedEntries {
  const causes = record.causes.filter(({ checks }) => checks.includes(id));
  const comesAndGoes = causes.some(({ kind }) => kind !== 'always');
  if (sendsTheSame({ id, ...result }, record, baseline ?? undefined) && !comesAndGoes) return [];
  const found = causes.map(({ kind, fingerprint }) =>
    kind === 'once' ? undefined : entries.find((entry) => 'cause' in entry && entry.cause === fingerprint),
  );
  return found.every((entry) => entry !== undefined) ? found : [];
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
  const { until } = entry;
  if (until !== undefined && until < record.startedAt.slice(0, 10))
    return {
      ...entry,
      state: 'expired',
      remedy: `delete the entry ${'cause' in entry ? entryName(entry) : entry.id} or extend its date: it was valid until ${until}`,
    };
  return 'cause' in entry
    ? judgedCause(entry, record, baseline)
    : { ...entry, ...judgedCheck(entry, record, baseline) };
}

/** A cause is known as long as experiments find it, or all of its failures occur. */
function judgedCause(
  entry: KnownCause,
  record: WithoutCiResult,
  baseline: Baseline | undefined,
): JudgedEntry {
  if (record.causes.some(({ fingerprint }) => fingerprint === entry.cause))
    return { ...entry, state: 'known' };
  const parts = namedBy(entry).map(({ id, names = [] }) =>
    judgedCheck({ id, reason: entry.reason, fingerprints: names }, record, baseline),
  );
  const stale = parts.filter(({ state }) => state === 'stale');
  const isCertain = stale.some(({ byChance }) => byChance !== true);
  const isKnown = parts.some(({ state }) => state === 'known');
  if (stale.length === 0 || (isKnown && !isCertain))
    return { ...entry, state: isKnown ? 'known' : 'not-evaluated' };
  return {
    ...entry,
    state: 'stale',
    remedy: `delete the entry ${entryName(entry)}: its checks no longer fail for that cause`,
    ...(isCertain ? {} : { byChance: true }),
  };
}

function judgedCheck(
  entry: KnownCheck,
  record: WithoutCiResult,
  baseline: Baseline | undefined,
): Pick<JudgedEntry, 'state' | 'remedy' | 'byChance'> {
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
  const names = namedBy(entry).flatMap((one) => one.names ?? []);
  const met = metBy(result);
  const gone = names.filter((name) => !met.has(name));
  if (gone.length === 0) return { state: 'known' };
  if (same && isComplete(result, record)) {
    const what = gone.length === names.length ? `the entry ${id}` : `${gone.join(', ')} from the entry ${id}`;
    const causes = gone.length === 1 ? 'that cause' : 'those causes';
    return stale(`delete ${what}: the check no longer fails for ${causes}`);
  }
  return { state: gone.length === names.length ? 'not-evaluated' : 'known' };
}

/** The id of an entry, with its fingerprint or how many it has; for a cause, its checks. */
export function entryName(entry: BaselineEntry): string {
  const [{ id = '', names = [] } = {}, ...others] = namedBy(entry);
  if ('cause' in entry)
    return `${entry.cause} (${id}${others.length === 0 ? '' : ` and ${count(others.length, 'other check')}`})`;
  return names.length === 0 ? id : `${id} (${names.length === 1 ? names[0] : `${names.length} causes`})`;
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
