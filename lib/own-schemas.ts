import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { packageText } from './package.ts';

/**
 * Compiles one of the package's own JSON Schemas.
 *
 * @param name the file name of the schema
 * @param allErrors whether to report every error instead of only the first; a large file may have millions
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
