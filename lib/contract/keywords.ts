import { nearest } from '../nearest.ts';
import { isObject, type Pointer } from './document.ts';

/** Keywords whose value is a schema, those with a list of them, and those with schemas under names. */
const [ONE, LIST, NAMED] = [
  [
    'items',
    'contains',
    'additionalProperties',
    'propertyNames',
    'unevaluatedItems',
    'unevaluatedProperties',
    'contentSchema',
    'not',
    'if',
    'then',
    'else',
  ],
  ['allOf', 'anyOf', 'oneOf', 'prefixItems'],
  ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'],
];

/** The other keywords of JSON Schema 2020-12, and those that OpenAPI 3.1 adds. */
const PLAIN = [
  ...['$schema', '$id', '$ref', '$anchor', '$dynamicRef', '$dynamicAnchor', '$vocabulary', '$comment'],
  ...['type', 'enum', 'const', 'multipleOf', 'maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum'],
  ...['maxLength', 'minLength', 'pattern', 'format', 'maxItems', 'minItems', 'uniqueItems', 'maxContains'],
  ...['minContains', 'maxProperties', 'minProperties', 'required', 'dependentRequired'],
  ...['contentEncoding', 'contentMediaType', 'title', 'description', 'default', 'deprecated', 'readOnly'],
  ...['writeOnly', 'examples', 'example', 'discriminator', 'xml', 'externalDocs'],
];

const KNOWN = [...ONE, ...LIST, ...NAMED, ...PLAIN];

/** A keyword that means nothing, and where it stands. */
export interface UnknownKeyword {
  readonly at: Pointer;
  readonly problem: string;
}

/**
 * The keywords of a dereferenced schema that are none, most likely misspelt: JSON Schema lets a reader ignore them,
 * and a limit would then silently not be checked.
 * @param at where the schema stands
 * @param within the place of a part of what stands at a place, references in it followed
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
      ? "say type: [string, 'null'], or the like"
      : known === undefined
        ? 'a keyword of your own begins with x-'
        : `did you mean ${known}?`;
  return `${keyword} is no keyword of a schema and says nothing; ${advice}`;
}
