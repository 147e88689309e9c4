import { ownSchema } from '../../own-schemas.ts';
import { readText } from '../../read-text.ts';
import { UsageError } from '../../usage-error.ts';
import { visible } from '../wording/format-text.ts';
import type { RunRecord } from './record.ts';

/** Far more than the size of any file that this suite writes. */
const MAX_MEGABYTES = 64;

/**
 * Reads a record.
 * @throws UsageError if the file cannot be read, is no record, or has a newer schema version
 */
export const readRecord = (file: string): RunRecord => recordIn(readSaved(file), file);

/** Validates the content of a file as a record. @throws UsageError if it is none */
export function recordIn(value: unknown, file: string): RunRecord {
  return validated(value, file, 'lib/report/record/record.schema.json', 'the record of a run');
}

/**
 * Reads a JSON file that the suite has written.
 * @throws UsageError if it cannot be read or has a newer schema version
 */
export function readSaved(file: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(readText(file, MAX_MEGABYTES));
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
      `${file} has schema version ${version}, but this is an older suite, which reads only version 1; update the suite`,
    );
  return value;
}

/** Validates a value with a schema of the package. @throws UsageError with the first violation */
export function validated<T>(value: unknown, file: string, schema: string, what: string): T {
  const validate = ownSchema<T>(schema);
  if (validate(value)) return value;
  const [error] = validate.errors ?? [];
  throw new UsageError(
    `${file} is not ${what}: ${error?.instancePath || '(root)'} ${error?.message ?? ''}; pass a file that the suite has written`,
  );
}
