import { readText } from '../read-text.ts';
import { ownSchema } from '../schema.ts';
import { UsageError } from '../usage-error.ts';
import { visible } from './explain.ts';
import type { EntryState, RunRecord } from './record.ts';

/** Megabytes that what this suite has written may have: many times what it writes. */
const MOST = 64;

/**
 * Reads the record that a run has written.
 * @throws UsageError when it cannot be read, is none, or is of a later version
 */
export const readRecord = (file: string): RunRecord => recordIn(readSaved(file), file);

/**
 * The record that a file has turned out to hold.
 * @throws UsageError when it is none
 */
export const recordIn = (value: unknown, file: string): RunRecord =>
  heldTo<RunRecord>(renamed(value), file, 'lib/report/record.schema.json', 'the record of a run');

/** What became of an entry of a baseline, in the words of earlier records and in those of now. */
const STATES = new Map<unknown, EntryState>([
  ['excuses', 'known'],
  ['mended', 'stale'],
  ['past', 'expired'],
  ['unseen', 'not-evaluated'],
]);

/** A record with the words of now. */
function renamed(value: unknown): unknown {
  const entries = (value as { gate?: { baseline?: { entries?: unknown } } } | null)?.gate?.baseline?.entries;
  for (const entry of Array.isArray(entries) ? (entries as unknown[]) : []) {
    if (typeof entry !== 'object' || entry === null || !('state' in entry)) continue;
    entry.state = STATES.get(entry.state) ?? entry.state;
  }
  return value;
}

/**
 * Reads what this suite has written as JSON.
 * @throws UsageError when it cannot be read, or is of a later version
 */
export function readSaved(file: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(readText(file, MOST));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UsageError(
      code === 'ENOENT'
        ? `${file} does not exist; a run writes one with --out DIR`
        : `${file} cannot be read: ${visible(message)}`,
    );
  }
  const version = (value as { schemaVersion?: unknown } | null)?.schemaVersion;
  if (typeof version === 'number' && version > 1)
    throw new UsageError(
      `${file} is of version ${version}, and this is an older suite, which reads version 1; update it`,
    );
  return value;
}

/**
 * Holds a value to a schema of the package.
 * @throws UsageError with the first place that does not fit
 */
export function heldTo<T>(value: unknown, file: string, schema: string, what: string): T {
  const validate = ownSchema<T>(schema);
  if (validate(value)) return value;
  const [error] = validate.errors ?? [];
  throw new UsageError(
    `${file} is not ${what}: ${error?.instancePath || 'the whole'} ${error?.message ?? ''}; give what a run has written`,
  );
}
