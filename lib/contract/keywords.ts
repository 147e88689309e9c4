import { nearest } from '../nearest.ts';
import { isObject, type Pointer } from './document.ts';

/** Keywords whose value is a schema, a list of schemas, or a map of schemas. */
const [ONE, LIST, NAMED] = [
  [
    ...['items', 'contains', 'additionalProperties', 'propertyNames', 'unevaluatedItems'],
    ...['unevaluatedProperties', 'contentSchema', 'not', 'if', 'then', 'else'],
  ],
  ['allOf', 'anyOf', 'oneOf', 'prefixItems'],
  ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'],
];

/** The other keywords of JSON Schema 2020-12, and those added by OpenAPI 3.1. */
const PLAIN = [
  ...['$schema', '$id', '$ref', '$anchor', '$dynamicRef', '$dynamicAnchor', '$vocabulary', '$comment'],
  ...['type', 'enum', 'const', 'multipleOf', 'maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum'],
  ...['maxLength', 'minLength', 'pattern', 'format', 'maxItems', 'minItems', 'uniqueItems', 'maxContains'],
  ...['minContains', 'maxProperties', 'minProperties', 'required', 'dependentRequired'],
  ...['contentEncoding', 'contentMediaType', 'title', 'description', 'default', 'deprecated', 'readOnly'],
  ...['writeOnly', 'examples', 'example', 'discriminator', 'xml', 'externalDocs'],
];

const KNOWN = [...ONE, ...LIST, ...NAMED, ...PLAIN];

const mapped = (object: Record<string, unknown>, change: (value: unknown, key: string) => unknown) =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));

/** Returns a copy of a schema with `change` applied to the schemas directly within it. */
export const withSubschemas = (schema: Record<string, unknown>, change: (schema: unknown) => unknown) =>
  mapped(schema, (value, keyword) => {
    if (ONE.includes(keyword)) return change(value);
    if (LIST.includes(keyword) && Array.isArray(value)) return value.map((one) => change(one));
    return NAMED.includes(keyword) && isObject(value) ? mapped(value, (one) => change(one)) : value;
  });

interface UnknownKeyword {
  readonly at: Pointer;
  readonly problem: string;
}

/**
 * Finds unknown keywords. Most are misspelt, and validators ignore them, so a limit would not be checked.
 * @param within resolves keys below a pointer, following references
 */
export function* unknownKeywords(
  schema: unknown,
  at: Pointer,
  within: (at: Pointer, ...keys: readonly (string | number)[]) => Pointer,
): Generator<UnknownKeyword> {
  if (!isObject(schema)) return;
  for (const [keyword, value] of Object.entries(schema)) {
    if (!KNOWN.includes(keyword)) {
      if (!keyword.startsWith('x-')) yield { at: within(at, keyword), problem: meaningless(keyword) };
      continue;
    }
    if (ONE.includes(keyword)) yield* unknownKeywords(value, within(at, keyword), within);
    if (LIST.includes(keyword) && Array.isArray(value))
      for (const [index, one] of value.entries())
        yield* unknownKeywords(one, within(at, keyword, index), within);
    if (NAMED.includes(keyword) && isObject(value))
      for (const [name, one] of Object.entries(value))
        yield* unknownKeywords(one, within(at, keyword, name), within);
  }
}

function meaningless(keyword: string): string {
  const known = KNOWN.find((one) => one.toLowerCase() === keyword.toLowerCase()) ?? nearest(keyword, KNOWN);
  const advice =
    keyword === 'nullable'
      ? "use a type such as [string, 'null']"
      : known === undefined
        ? 'prefix a custom keyword with x-'
        : `did you mean ${known}?`;
  return `${keyword} is not a schema keyword and has no effect; ${advice}`;
}
