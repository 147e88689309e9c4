import { nearest } from '../nearest.ts';
import { renamingOf } from '../renamed-ids.ts';
import { blocks, metBy, namesOf, newCauses } from '../report/ci-result.ts';
import type { Baseline, BaselineEntry, RecordedResult, RunRecord } from '../report/record.ts';
import type { About } from '../run/check.ts';
import { readSettings } from './settings-file.ts';

/**
 * Reads a file of known deviations: with the seed and the number of cases of the run that recorded them, or a plain
 * list.
 * @throws UsageError if an entry names an unknown check, a check that cannot fail, or a cause that is already listed
 */
export function readBaseline(file: string, catalogue: readonly About[]): Baseline {
  const { value, reject } = readSettings<BaselineEntry[] | Omit<Baseline, 'file'>>(
    file,
    'baseline.schema.json',
  );
  const isList = Array.isArray(value);
  const baseline: Baseline = isList ? { file, entries: value } : { file, ...value };
  const within = isList ? [] : ['entries'];
  const ids = catalogue.map(({ id }) => id);
  const seen = new Set<string>();
  for (const [index, entry] of baseline.entries.entries()) {
    const { id } = entry;
    const check = catalogue.find((one) => one.id === id);
    const close = nearest(id, ids);
    if (check === undefined)
      reject(
        [...within, index, 'id'],
        renamingOf(id) ??
          `no check is called ${id}; ${close === undefined ? '' : `change it to ${close}, or `}delete the entry`,
      );
    if (check?.level === 'OBSERVE')
      reject([...within, index, 'id'], `${id} only records observations; delete the entry`);
    for (const name of namesOf(entry) ?? ['']) {
      const known = `${id} ${name}`.trim();
      if (seen.has(known)) reject([...within, index], `${known} is listed twice; delete one of the entries`);
      seen.add(known);
    }
  }
  return baseline;
}

/** The reason in a new entry, for the team to replace. */
const REASON_TO_FILL_IN = 'Not explained yet.';

/** An entry of a new baseline, and the index of the earlier entry that it continues. */
export interface KeptEntry {
  readonly entry: BaselineEntry;
  readonly from?: number;
}

/**
 * The known deviations with which the CI result of a record passes. Entries of an earlier baseline are kept if their
 * failure is still there or their check was not run.
 */
export function knownIn(record: RunRecord, before?: Baseline): readonly KeptEntry[] {
  return record.results.flatMap((result) => {
    const own = (before?.entries ?? []).flatMap((entry, from) =>
      entry.id === result.id ? [{ entry, from }] : [],
    );
    if (result.verdict === 'skipped' || result.verdict === 'untestable') return own;
    if (result.verdict !== 'fail') return [];
    const keptEntries = own.flatMap(({ entry, from }) => {
      const left = narrowed(entry, result);
      return left === undefined ? [] : [{ entry: left, from }];
    });
    const fingerprints = newCauses(
      result,
      keptEntries.map(({ entry }) => entry),
    ).map(({ fingerprint }) => fingerprint);
    return fingerprints.length > 0 && blocks(result, record)
      ? [...keptEntries, { entry: { id: result.id, reason: REASON_TO_FILL_IN, fingerprints } }]
      : keptEntries;
  });
}

/** An entry reduced to the causes that its check still fails for; undefined if there are none. */
function narrowed(entry: BaselineEntry, result: RecordedResult): BaselineEntry | undefined {
  if (namesOf(entry) === undefined) return entry;
  const met = metBy(result);
  const { fingerprint, fingerprints = [], ...rest } = entry;
  const left = fingerprints.filter((name) => met.has(name));
  const one = fingerprint !== undefined && met.has(fingerprint);
  if (!one && left.length === 0) return undefined;
  return {
    ...rest,
    ...(left.length === 0 ? {} : { fingerprints: left }),
    ...(one ? { fingerprint } : {}),
  };
}
