import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { packageText } from './package.ts';

/** Compiles a JSON Schema of the package's own, by the name of its file. */
export function ownSchema<T>(name: string): ValidateFunction<T> {
  const ajv = new Ajv2020({
    strict: true,
    allErrors: true,
    strictRequired: false,
    allowUnionTypes: true,
    verbose: true,
  });
  formats.default(ajv);
  return ajv.compile<T>(JSON.parse(packageText(name)) as object);
}
