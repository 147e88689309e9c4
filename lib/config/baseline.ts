import { nearest } from '../nearest.ts';
import { blocks, metBy, namesOf, newCauses } from '../report/gate.ts';
import type { Baseline, BaselineEntry, RecordedResult, RunRecord } from '../report/record.ts';
import type { About } from '../run/check.ts';
import { readSettings } from './settings-file.ts';

/**
 * Reads a file of known deviations: with the seed and the cases that they were met with, or a plain list of them.
 * @throws UsageError where an entry names no check, one that cannot fail, or a cause that is named already
 */
export function readBaseline(file: string, catalogue: readonly About[]): Baseline {
  const { value, refuse } = readSettings<BaselineEntry[] | Omit<Baseline, 'file'>>(
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
      refuse(
        [...within, index, 'id'],
        `no check is called ${id}; ${close === undefined ? '' : `name ${close}, or `}delete the entry`,
      );
    if (check?.level === 'OBSERVE') refuse([...within, index, 'id'], `${id} only observes; delete the entry`);
    for (const name of namesOf(entry) ?? ['']) {
      const known = `${id} ${name}`.trim();
      if (seen.has(known)) refuse([...within, index], `${known} stands here twice; delete one of them`);
      seen.add(known);
    }
  }
  return baseline;
}

/** The reason of an entry that nobody has explained yet. */
const UNEXPLAINED = 'Not explained yet.';

/** An entry of a new baseline, and the place of the earlier one that it comes from. */
export interface Kept {
  readonly entry: BaselineEntry;
  readonly from?: number;
}

/**
 * The deviations that make the CI result of a record pass. What an earlier baseline says of those that are still
 * there is kept, and so is what it says of checks that were not carried out.
 */
export function knownIn(record: RunRecord, before?: Baseline): readonly Kept[] {
  return record.results.flatMap((result) => {
    const own = (before?.entries ?? []).flatMap((entry, from) =>
      entry.id === result.id ? [{ entry, from }] : [],
    );
    if (result.verdict === 'skipped' || result.verdict === 'untestable') return own;
    if (result.verdict !== 'fail') return [];
    const kept = own.flatMap(({ entry, from }) => {
      const left = narrowed(entry, result);
      return left === undefined ? [] : [{ entry: left, from }];
    });
    const fingerprints = newCauses(
      result,
      kept.map(({ entry }) => entry),
    ).map(({ fingerprint }) => fingerprint);
    return fingerprints.length > 0 && blocks(result, record)
      ? [...kept, { entry: { id: result.id, reason: UNEXPLAINED, fingerprints } }]
      : kept;
  });
}

/** An entry with those of its causes that a check still fails for; undefined where there are none. */
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
