import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { packageText } from './package.ts';

/**
 * Compiles a JSON Schema of the package's own, by the name of its file.
 * @param allErrors whether every error is told, and not the first alone: of a large file there may be millions
 */
export function ownSchema<T>(name: string, allErrors = false): ValidateFunction<T> {
  const ajv = new Ajv2020({
    strict: true,
    allErrors,
    strictRequired: false,
    allowUnionTypes: true,
    verbose: true,
  });
  formats.default(ajv);
  return ajv.compile<T>(JSON.parse(packageText(name)) as object);
}
