import { counted } from '../../text.ts';
import type { BaselineEntry, RecordedResult } from '../record/record.ts';

/**
 * Returns the fingerprints that an entry lists, by check. If it lists none for a check, it covers all
 * failures of the check.
 */
export function fingerprintsIn(
  entry: BaselineEntry,
): readonly { readonly id: string; readonly names: readonly string[] | undefined }[] {
  if ('cause' in entry)
    return Object.entries(entry.checks).map(([id, names]) => ({ id, names: names.split(/\s+/) }));
  return [{ id: entry.id, names: entry.fingerprints }];
}

/** Returns the fingerprint of the cause that an entry is about; undefined for an entry about a check. */
export const causeIn = (entry: BaselineEntry): string | undefined =>
  'cause' in entry ? entry.cause : undefined;

export const concernsCheck = (entry: BaselineEntry, { id }: Pick<RecordedResult, 'id'>): boolean =>
  fingerprintsIn(entry).some((one) => one.id === id);

export const fingerprintsOf = ({ problems }: RecordedResult): ReadonlySet<string> =>
  new Set(problems.map(({ fingerprint }) => fingerprint));

export function newProblems(
  { id, problems }: RecordedResult,
  entries: readonly BaselineEntry[],
): RecordedResult['problems'] {
  const named = entries.flatMap(fingerprintsIn).filter((one) => one.id === id);
  if (named.some(({ names }) => names === undefined)) return [];
  const fingerprints = new Set(named.flatMap(({ names = [] }) => names));
  return problems.filter(({ fingerprint }) => !fingerprints.has(fingerprint));
}

/** Names an entry: by its check, with its fingerprint or their number; or by its cause, with the checks. */
export function entryName(entry: BaselineEntry): string {
  const [{ id = '', names = [] } = {}, ...others] = fingerprintsIn(entry);
  if ('cause' in entry)
    return id === ''
      ? entry.cause
      : `${entry.cause} (${id}${others.length === 0 ? '' : ` and ${counted(others.length, 'other check')}`})`;
  return names.length === 0 ? id : `${id} (${names.length === 1 ? names[0] : `${names.length} problems`})`;
}
