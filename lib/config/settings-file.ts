import type { ErrorObject } from 'ajv';
import type { Pointer } from '../contract/document.ts';
import { readDocument } from '../contract/read-document.ts';
import { namesIn } from '../json-pointer.ts';
import { suggestion } from '../nearest.ts';
import { ownSchema } from '../own-schemas.ts';
import { UsageError } from '../usage-error.ts';

interface SettingsFile<T> {
  readonly value: T;
  /** @throws UsageError with the file, the line of the value at the pointer, and the problem */
  reject(pointer: Pointer, problem: string): never;
}

/** Opens a YAML file. @throws DocumentError, with the file and the line */
export function openSettings(file: string): SettingsFile<unknown> {
  const document = readDocument(file);
  return {
    value: document.value,
    reject(pointer, problem) {
      const location = document.location(pointer);
      throw new UsageError(`${file}${location === undefined ? '' : `:${location}`}: ${problem}`);
    },
  };
}

/**
 * Reads a YAML file that has a schema in this folder.
 * @throws UsageError or DocumentError, with the file, the line and, for an unknown key, the most similar
 * known key
 */
export function readSettings<T>(file: string, schemaName: string): SettingsFile<T> {
  const { value, reject } = openSettings(file);
  const validate = ownSchema(`lib/config/${schemaName}`, true);
  if (!validate(value)) {
    const errors = validate.errors ?? [];
    // Report an unknown key first: it may be a missing key that is mistyped.
    const error = errors.find(({ keyword }) => keyword === 'additionalProperties') ?? errors[0];
    if (error === undefined) throw new Error('validation failed without an error');
    reject(pointerOf(error), problemOf(error));
  }
  return { value: value as T, reject };
}

/** The pointer to an error. For an unknown key, it points to the key itself. */
function pointerOf({ instancePath, keyword, params }: ErrorObject): Pointer {
  const names = namesIn(instancePath);
  return keyword === 'additionalProperties' ? [...names, String(params.additionalProperty)] : names;
}

function problemOf({ instancePath, keyword, params, message = '', parentSchema }: ErrorObject): string {
  const what = instancePath === '' ? 'the file' : instancePath.slice(1).replaceAll('/', '.');
  if (keyword === 'additionalProperties') {
    const unknown = String(params.additionalProperty);
    const known = Object.keys((parentSchema as { properties?: object }).properties ?? {});
    return `unknown key ${unknown}; ${suggestion(unknown, known, `the keys are ${known.join(', ')}`)}`;
  }
  if (keyword === 'required') return `${what} needs ${String(params.missingProperty)}`;
  const described = (parentSchema as { description?: string }).description;
  return `${what} ${message}${described === undefined ? '' : `: ${described}`}`;
}
