import { groupBy } from '../collections.ts';
import type { Pointer } from '../contract/document.ts';
import { nearest } from '../nearest.ts';
import { renamingOf } from '../renamed-ids.ts';
import { fingerprintsIn, fingerprintsOf, newProblems } from '../report/baseline/baseline-entry.ts';
import { blocks } from '../report/baseline/ci-result.ts';
import type { Baseline, BaselineEntry, KnownCause, RunRecord } from '../report/record/record.ts';
import type { About } from '../run/check.ts';
import type { ListedBaseline } from './baseline-schema.ts';
import { readSettings } from './settings-file.ts';

const isPlainList = (value: ListedBaseline['entries'] | ListedBaseline): value is ListedBaseline['entries'] =>
  Array.isArray(value);

/**
 * Reads a baseline.
 * @throws UsageError if an entry names an unknown check, one that cannot fail, or a cause that another entry
 * names
 */
export function readBaseline(file: string, catalogue: readonly About[]): Baseline {
  const { value, reject } = readSettings<ListedBaseline['entries'] | ListedBaseline>(
    file,
    'baseline.schema.json',
  );
  const isList = isPlainList(value);
  const { entries, failures = {}, ...recordedIn } = isList ? { entries: value } : value;
  const baseline: Baseline = {
    file,
    ...recordedIn,
    entries: entries.map((entry) =>
      'cause' in entry ? { ...entry, checks: failures[entry.cause] ?? {} } : entry,
    ),
  };
  const within = isList ? [] : ['entries'];
  const ids = catalogue.map(({ id }) => id);
  const seen = new Set<string>();
  const once = (known: string, pointer: Pointer) => {
    if (seen.has(known)) reject(pointer, `${known} is listed twice; delete one of the entries`);
    seen.add(known);
  };
  for (const [index, entry] of baseline.entries.entries()) {
    const pointer = [...within, index];
    for (const { id, names = [''] } of fingerprintsIn(entry)) {
      const at = 'cause' in entry ? ['failures', entry.cause, id] : [...pointer, 'id'];
      const check = catalogue.find((one) => one.id === id);
      const close = nearest(id, ids);
      if (check === undefined)
        reject(
          at,
          renamingOf(id) ??
            `no check is called ${id}; ${close === undefined ? '' : `change it to ${close}, or `}delete the entry`,
        );
      if (check?.level === 'OBSERVE') reject(at, `${id} only records observations; delete the entry`);
      for (const known of 'cause' in entry ? [] : names.map((name) => `${id} ${name}`.trim()))
        once(known, pointer);
    }
    if ('cause' in entry) once(entry.cause, pointer);
  }
  return baseline;
}

const REASON_TO_FILL_IN = 'TODO';

export interface KeptEntry {
  readonly entry: BaselineEntry;
  /** The index of the earlier entry that this one continues. */
  readonly from?: number;
  readonly title?: string;
}

/**
 * Returns the known deviations that make the CI result of a record pass. Entries of an earlier baseline are
 * kept if their failures still occur or their checks were not run.
 */
export function entriesFor(record: RunRecord, before?: Baseline): readonly KeptEntry[] {
  const blocking = new Set(record.results.filter((one) => blocks(one, record)).map(({ id }) => id));
  const causes = groupBy(record.causes, ({ fingerprint }) => fingerprint)
    .map(([name, same]) => ({
      name,
      title: same[0].title,
      checks: new Set(same.flatMap(({ checks }) => checks)),
    }))
    .filter(({ checks }) => [...checks].some((id) => blocking.has(id)));
  const found = (entry: BaselineEntry) => causes.find(({ name }) => 'cause' in entry && name === entry.cause);
  const kept = (before?.entries ?? []).flatMap((entry, from): readonly KeptEntry[] => {
    const left = stillFailing(entry, record);
    return left === undefined ? [] : [{ entry: left, from }];
  });
  const added = causes
    .filter((cause) => !kept.some(({ entry }) => found(entry) === cause))
    .map(({ name, title, checks }): KeptEntry => {
      const entry = {
        cause: name,
        reason: REASON_TO_FILL_IN,
        checks: unlistedFailures(checks, record, kept),
      };
      return { entry, title };
    });
  // A failure that no new cause explains is added to a known cause.
  const all = [...kept, ...added];
  return all
    .map(({ entry, ...about }) => {
      const checks = found(entry)?.checks;
      if (!('cause' in entry) || checks === undefined) return { entry, ...about };
      const more = withFailures(entry, unlistedFailures(checks, record, all));
      // If other causes already list all failures of the same checks, list these failures here as well.
      const isEmpty = Object.keys(more.checks).length === 0;
      return { entry: isEmpty ? withFailures(entry, unlistedFailures(checks, record, [])) : more, ...about };
    })
    .filter(({ entry }) => !('cause' in entry) || Object.keys(entry.checks).length > 0);
}

function unlistedFailures(
  checks: ReadonlySet<string>,
  record: RunRecord,
  kept: readonly KeptEntry[],
): KnownCause['checks'] {
  const entries = kept.map(({ entry }) => entry);
  return checksOf(
    record.results
      .filter(({ id, verdict }) => checks.has(id) && verdict === 'fail')
      .map((result) => [result.id, newProblems(result, entries).map(({ fingerprint }) => fingerprint)]),
  );
}

const checksOf = (
  byCheck: readonly (readonly [id: string, names: readonly string[]])[],
): KnownCause['checks'] =>
  Object.fromEntries(
    byCheck.filter(([, names]) => names.length > 0).map(([id, names]) => [id, names.join(' ')]),
  );

const withFailures = (entry: KnownCause, more: KnownCause['checks']): KnownCause => ({
  ...entry,
  checks: {
    ...entry.checks,
    ...Object.fromEntries(
      Object.entries(more).map(([id, names]) => [id, `${entry.checks[id] ?? ''} ${names}`.trim()]),
    ),
  },
});

/** Keeps failures that still occur or whose checks were not run; undefined if none are left. */
function stillFailing(entry: BaselineEntry, { causes, results }: RunRecord): BaselineEntry | undefined {
  const left = (id: string, names: readonly string[]): readonly string[] => {
    const result = results.find((one) => one.id === id);
    if (result?.verdict === 'skipped' || result?.verdict === 'untestable') return names;
    if (result?.verdict !== 'fail') return [];
    const met = fingerprintsOf(result);
    return names.filter((name) => met.has(name));
  };
  if ('cause' in entry) {
    const isFound = causes.some(({ fingerprint }) => fingerprint === entry.cause);
    // Checks that other causes explain are no reason to keep a cause that is no longer found.
    const isExplained = (check: string) =>
      causes.some(({ kind, checks }) => kind !== 'once' && checks.includes(check));
    const named = fingerprintsIn(entry).filter(({ id }) => isFound || !isExplained(id));
    const checks = checksOf(named.map(({ id, names = [] }) => [id, left(id, names)]));
    return isFound || Object.keys(checks).length > 0 ? { ...entry, checks } : undefined;
  }
  const { id, fingerprints, ...rest } = entry;
  if (fingerprints === undefined)
    return results.some((one) => one.id === id && one.verdict !== 'pass') ? entry : undefined;
  const failing = left(id, fingerprints);
  return failing.length === 0 ? undefined : { id, ...rest, fingerprints: failing };
}
