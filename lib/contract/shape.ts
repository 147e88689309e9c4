import { isObject } from './document.ts';
import { integerRange } from './numeral.ts';

const JSON_TYPES = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'] as const;
export type JsonType = (typeof JSON_TYPES)[number];

/**
 * What payloads are made from: a schema with `allOf` merged. The validator checks what a shape cannot express
 * (`not`, `if`, `dependentSchemas`).
 */
export interface Shape {
  /** Never empty. `number` includes integers. */
  readonly types: readonly JsonType[];
  readonly values: readonly unknown[] | undefined;
  readonly text: TextLimits;
  readonly number: NumberLimits;
  readonly items: Shape | undefined;
  readonly minItems: number;
  readonly maxItems: number | undefined;
  readonly uniqueItems: boolean;
  readonly properties: ReadonlyMap<string, Shape>;
  readonly required: ReadonlySet<string>;
  /** Whether undeclared properties are forbidden. */
  readonly closed: boolean;
  /** Shapes of undeclared properties: of those whose names match a pattern, or of all others. */
  readonly others: readonly OtherProperties[];
  readonly minProperties: number;
  /** The alternatives of a `oneOf` or `anyOf`, each merged with its sibling keywords. */
  readonly alternatives: readonly Shape[];
}

interface OtherProperties {
  readonly pattern: string | undefined;
  readonly shape: Shape;
}

export interface TextLimits {
  /** Length in Unicode code points, as JSON Schema counts. */
  readonly min: number;
  readonly max: number | undefined;
  readonly patterns: readonly string[];
  readonly format: string | undefined;
}

/** A bigint if a double cannot represent the limit, as in int64. */
type Bound = bigint | number;

export interface NumberLimits {
  readonly min: Bound | undefined;
  readonly max: Bound | undefined;
  readonly above: number | undefined;
  readonly below: number | undefined;
  readonly multipleOf: number | undefined;
  readonly format: string | undefined;
}

type Schema = Record<string, unknown>;

const numberOf = (schema: Schema, key: string) => (typeof schema[key] === 'number' ? schema[key] : undefined);
const stringOf = (schema: Schema, key: string) => (typeof schema[key] === 'string' ? schema[key] : undefined);

const both = <T>(a: T | undefined, b: T | undefined, choose: (a: T, b: T) => T): T | undefined =>
  a === undefined ? b : b === undefined ? a : choose(a, b);
const greater = <T extends Bound>(a: T | undefined, b: T | undefined) =>
  both(a, b, (x, y) => (x > y ? x : y));
const smaller = <T extends Bound>(a: T | undefined, b: T | undefined) =>
  both(a, b, (x, y) => (x < y ? x : y));

/** Returns the shape of a dereferenced schema. `true`, or a value that is not a schema, allows everything. */
export function shapeOf(schema: unknown): Shape {
  if (!isObject(schema)) return ownShape({});
  const own = ownShape(schema);
  const whole = list(schema.allOf).map(shapeOf).reduce(intersect, own);
  const branches = [...list(schema.oneOf), ...list(schema.anyOf)].map(shapeOf);
  return branches.length === 0
    ? whole
    : { ...whole, alternatives: branches.map((branch) => intersect(whole, branch)) };
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const membersOf = (value: unknown) => Object.entries(isObject(value) ? value : {});

function ownShape(schema: Schema): Shape {
  const declared = schema.type === undefined ? JSON_TYPES : [schema.type].flat();
  const format = stringOf(schema, 'format');
  const range = integerRange(format);
  const values = 'const' in schema ? [schema.const] : Array.isArray(schema.enum) ? schema.enum : undefined;
  const pattern = stringOf(schema, 'pattern');
  return {
    types: JSON_TYPES.filter((type) => declared.includes(type)),
    values,
    text: {
      min: numberOf(schema, 'minLength') ?? 0,
      max: numberOf(schema, 'maxLength'),
      patterns: pattern === undefined ? [] : [pattern],
      format,
    },
    number: {
      min: greater<Bound>(range?.[0], numberOf(schema, 'minimum')),
      max: smaller<Bound>(range?.[1], numberOf(schema, 'maximum')),
      above: numberOf(schema, 'exclusiveMinimum'),
      below: numberOf(schema, 'exclusiveMaximum'),
      multipleOf: numberOf(schema, 'multipleOf'),
      format,
    },
    items: 'items' in schema ? shapeOf(schema.items) : undefined,
    minItems: numberOf(schema, 'minItems') ?? 0,
    maxItems: numberOf(schema, 'maxItems'),
    uniqueItems: schema.uniqueItems === true,
    properties: new Map(membersOf(schema.properties).map(([name, property]) => [name, shapeOf(property)])),
    required: new Set(list(schema.required).filter((name) => typeof name === 'string')),
    closed: schema.additionalProperties === false || schema.unevaluatedProperties === false,
    others: [
      ...membersOf(schema.patternProperties).map(([pattern, property]) => ({
        pattern,
        shape: shapeOf(property),
      })),
      ...[schema.additionalProperties, schema.unevaluatedProperties]
        .filter(isObject)
        .map((property) => ({ pattern: undefined, shape: shapeOf(property) })),
    ],
    minProperties: numberOf(schema, 'minProperties') ?? 0,
    alternatives: [],
  };
}

export const stringsOf = ({ properties }: Shape): readonly string[] =>
  [...properties].flatMap(([name, { types }]) => (types.includes('string') ? [name] : []));

/** Returns the types that a value of the shape can have, also by its allowed values and alternatives. */
export function typesOf({ types, values, alternatives }: Shape): readonly JsonType[] {
  if (values !== undefined) {
    const valueTypes = values.map(typeOfValue);
    return types.filter(
      (type) => valueTypes.includes(type) || (type === 'number' && valueTypes.includes('integer')),
    );
  }
  if (alternatives.length === 0) return types;
  const among = alternatives.flatMap(typesOf);
  return types.filter((type) => among.includes(type));
}

/** Returns the JSON type of a parsed value. */
export const typeOfValue = (value: unknown): JsonType => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value === 'string' || typeof value === 'boolean' ? (typeof value as JsonType) : 'object';
};

function intersectTypes(a: readonly JsonType[], b: readonly JsonType[]): readonly JsonType[] {
  const allows = (types: readonly JsonType[], type: JsonType) =>
    types.includes(type) || (type === 'integer' && types.includes('number'));
  return JSON_TYPES.filter((type) => allows(a, type) && allows(b, type));
}

export function intersect(a: Shape, b: Shape): Shape {
  const properties = new Map(a.properties);
  for (const [name, shape] of b.properties) {
    const other = properties.get(name);
    properties.set(name, other === undefined ? shape : intersect(other, shape));
  }
  return {
    types: intersectTypes(a.types, b.types),
    values: both(a.values, b.values, (x, y) =>
      x.filter((value) => y.some((other) => JSON.stringify(other) === JSON.stringify(value))),
    ),
    text: {
      min: Math.max(a.text.min, b.text.min),
      max: smaller(a.text.max, b.text.max),
      patterns: [...a.text.patterns, ...b.text.patterns],
      format: a.text.format ?? b.text.format,
    },
    number: {
      min: greater(a.number.min, b.number.min),
      max: smaller(a.number.max, b.number.max),
      above: greater(a.number.above, b.number.above),
      below: smaller(a.number.below, b.number.below),
      multipleOf: greater(a.number.multipleOf, b.number.multipleOf),
      format: a.number.format ?? b.number.format,
    },
    items: both(a.items, b.items, intersect),
    minItems: Math.max(a.minItems, b.minItems),
    maxItems: smaller(a.maxItems, b.maxItems),
    uniqueItems: a.uniqueItems || b.uniqueItems,
    properties,
    required: new Set([...a.required, ...b.required]),
    closed: a.closed || b.closed,
    others: [...a.others, ...b.others],
    minProperties: Math.max(a.minProperties, b.minProperties),
    alternatives: [...a.alternatives, ...b.alternatives],
  };
}
