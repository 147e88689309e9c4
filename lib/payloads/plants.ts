import fc, { type Arbitrary } from 'fast-check';
import type { NumberLimits, Shape } from '../contract/shape.ts';
import { freshFrom, freshId, freshText } from './fresh.ts';
import { FRESH, fromValue, type Json, JsonObject, type Member, Raw, type Style, write } from './json.ts';
import { memoised } from './memoised.ts';
import { type Grid, gridOf, halved, isEmpty, onGrid, placesIn } from './numbers.ts';
import { anyString, ordinaryName, ordinaryTag, patterned, plainName } from './string-samples.ts';

/** `plain`: does not matter. `ordinary`: any store must accept it. `any`: all that the schema allows. */
export type Variety = 'plain' | 'ordinary' | 'any';

/** The property with the identification number (interface, section 2). */
export const ID = 'id';

const MIN_ORDINARY_ID = 2n ** 20n;
const MAX_ORDINARY_ID = 2n ** 31n - 1n;

export function plantOf(
  shape: Shape,
  variety: Variety,
  properties: 'all' | 'required' | 'some',
): Arbitrary<JsonObject> {
  const alternatives = shape.alternatives.filter(({ types }) => types.includes('object'));
  if (alternatives.length > 0)
    return fc.oneof(...alternatives.map((one) => plantOf(one, variety, properties)));
  const members = [...shape.properties].map(([name, property]): Arbitrary<Member | undefined> => {
    const required = shape.required.has(name);
    const value =
      name === ID && allowsFreshId(property)
        ? fc.constant<Json>(FRESH)
        : oneOfShape(property, variety, required);
    const member = value.map((json): Member => [name, json]);
    if (required || properties === 'all') return member;
    return properties === 'required'
      ? fc.constant(undefined)
      : fc.option(member, { nil: undefined, freq: 2 });
  });
  return fc
    .tuple(fc.tuple(...members), otherMembers(shape, variety))
    .map(
      ([declared, others]) =>
        new JsonObject([...declared.filter((member) => member !== undefined), ...others]),
    );
}

/** Undeclared properties, if `minProperties` requires more properties than are declared. */
function otherMembers(shape: Shape, variety: Variety): Arbitrary<readonly Member[]> {
  const missing = shape.minProperties - shape.properties.size;
  const [kind] = shape.others;
  if (missing <= 0 || (kind === undefined && shape.closed)) return fc.constant([]);
  const member = fc.tuple(
    otherName(kind?.pattern),
    kind === undefined ? fc.boolean() : oneOfShape(kind.shape, variety, true),
  );
  return distinct(member, ([name]) => name, fc.constant(missing), missing);
}

export const otherName = (pattern: string | undefined): Arbitrary<string> =>
  patterned({ min: 1, max: undefined, patterns: [pattern ?? '^[a-z]{8}$'], format: undefined }) ??
  fc.constant('undeclared');

const allowsFreshId = (shape: Shape): boolean =>
  shape.values === undefined && shape.types.some((type) => type === 'integer' || type === 'number');

/**
 * Returns the ids from 2^20 to 2^31-1 that the document allows: earlier runs may have used smaller ones.
 * @param wanted the first id that the user asked for; if it is below 2^20, ids from 1 on are allowed
 */
export const ordinaryIds = (newPlant: Shape, wanted = MIN_ORDINARY_ID): IdRange =>
  idRanges(newPlant)[wanted < MIN_ORDINARY_ID ? 'all' : 'ordinary'];

/** The ids `first`, `first + step` and so on, up to `last`. */
export interface IdRange {
  readonly first: bigint;
  readonly last: bigint;
  readonly step: bigint;
}

const idRanges = memoised((newPlant: Shape): { readonly all: IdRange; readonly ordinary: IdRange } => {
  const grid = idGrid(newPlant);
  const step = grid.step.digits;
  const [least, last] = placesIn(grid, 1n, MAX_ORDINARY_ID);
  const [fresh] = placesIn(grid, MIN_ORDINARY_ID, MAX_ORDINARY_ID);
  const hasOrdinaryRange = fresh * step >= MIN_ORDINARY_ID && (last - fresh) * step >= MIN_ORDINARY_ID;
  const all = { first: least * step, last: last * step, step };
  return { all, ordinary: hasOrdinaryRange ? { ...all, first: fresh * step } : all };
});

const idGrid = memoised(({ properties, alternatives }: Shape): Grid => {
  const shape = properties.get(ID) ?? alternatives[0]?.properties.get(ID);
  return gridOf(shape?.number ?? {}, true);
});

/** Returns a fresh id from `from` to, but not including, `below`; undefined if the document allows none. */
export function idWithin(
  newPlant: Shape,
  from: bigint,
  below: bigint,
  { odd = false } = {},
): Raw | undefined {
  const grid = idGrid(newPlant);
  const { digits } = grid.step;
  const [first, last] = placesIn(grid, from, below - 1n).map((place) => place * digits) as [bigint, bigint];
  if (first < from || last >= below || isEmpty(grid)) return undefined;
  if (!odd) return freshId(first, last + 1n, digits);
  const start = first % 2n === 0n ? first + digits : first;
  return start % 2n === 0n || start > last ? undefined : freshId(start, last + 1n, 2n * digits);
}

export function oneOfShape(shape: Shape, variety: Variety, required: boolean): Arbitrary<Json> {
  if (shape.alternatives.length > 0)
    return fc.oneof(...shape.alternatives.map((one) => oneOfShape(one, variety, required)));
  if (shape.values !== undefined && shape.values.length > 0)
    return fc.constantFrom(...shape.values.map(fromValue));
  switch (mainType(shape)) {
    case 'object':
      return plantOf(shape, variety, 'some');
    case 'string': {
      const text = patterned(shape.text);
      if (text !== undefined) return required ? freshFrom(text) : text;
      if (variety === 'any') return anyString(shape.text);
      if (!required) return ordinaryTag(shape.text);
      return (variety === 'plain' ? plainName(shape.text) : ordinaryName(shape.text)).map(freshText);
    }
    case 'integer':
      return onGrid(gridOf(shape.number, true), ...windowOf(variety));
    case 'number':
      return numberOf(shape.number, variety);
    case 'array':
      return arrayOf(shape, variety, required);
    case 'boolean':
      return fc.boolean();
    default:
      return fc.constant(null);
  }
}

/** The type that a client would most likely send. */
const mainType = ({ types, properties }: Shape) =>
  types.includes('object') && properties.size > 0
    ? 'object'
    : (['string', 'integer', 'number', 'boolean', 'array', 'object', 'null'] as const).find((type) =>
        types.includes(type),
      );

function windowOf(variety: Variety): readonly [bigint, bigint] {
  return variety === 'any' ? [-(2n ** 63n), 2n ** 63n - 1n] : [1n, MAX_ORDINARY_ID];
}

/** Numbers within the limits, some of them with a fraction if there is room for one. */
function numberOf(limits: NumberLimits, variety: Variety): Arbitrary<Json> {
  const grid = gridOf(limits, false);
  const coarse = onGrid(grid, ...windowOf(variety));
  if (limits.multipleOf !== undefined) return coarse;
  return fc.oneof(coarse, onGrid(halved(grid, limits), ...windowOf(variety)));
}

function arrayOf(
  { items, minItems, maxItems, uniqueItems }: Shape,
  variety: Variety,
  required: boolean,
): Arbitrary<readonly Json[]> {
  const maxCount = Math.min(maxItems ?? Number.POSITIVE_INFINITY, minItems + 3);
  const item =
    items === undefined ? fc.bigInt({ min: 1n, max: 2n ** 31n }) : oneOfShape(items, variety, required);
  if (!uniqueItems) return fc.array(item, { minLength: Math.min(minItems, maxCount), maxLength: maxCount });
  const count = fc.integer({ min: Math.min(minItems, maxCount), max: maxCount });
  return distinct<Json>(item, (json) => write(json, 0n), count, maxCount);
}

/** `count` (at most `maxCount`) distinct values, or fewer if not enough can be found. */
function distinct<T>(
  values: Arbitrary<T>,
  keyOf: (value: T) => string,
  count: Arbitrary<number>,
  maxCount: number,
): Arbitrary<readonly T[]> {
  const length = 4 * maxCount + 28;
  return fc
    .tuple(count, fc.array(values, { minLength: length, maxLength: length }))
    .map(([wanted, sampled]) =>
      [...new Map(sampled.map((one) => [keyOf(one), one])).values()].slice(0, wanted),
    );
}

const GAPS = ['', ' ', '  ', '\n', '\t', '\r\n', '\n    '];

export const styles: Arbitrary<Style> = fc.record({
  gaps: fc.array(fc.constantFrom(...GAPS), { minLength: 0, maxLength: 7, size: 'max' }),
  escapes: fc.constantFrom('none', 'values', 'names', 'both'),
  every: fc.constantFrom(1, 2),
  digits: fc.constantFrom('lower', 'upper'),
});

export const reordered = (plants: Arbitrary<JsonObject>): Arbitrary<JsonObject> =>
  plants.chain(({ members }) =>
    fc
      .shuffledSubarray([...members], { minLength: members.length, maxLength: members.length })
      .map((order) => new JsonObject(order)),
  );

/** Property names that libraries mishandle. */
const UNDECLARED_NAMES = [
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'length', '$ref', '$where'],
  ...['_id', '@type', 'class', '', ' ', 'price', 'a.b', 'a[0]', '🌵'],
];

const UNDECLARED_VALUES: readonly Json[] = [
  ...[null, true, false, '', 'x', 'function(){}'],
  ...['0', '-0', '1e2', '0.1', '1E-7', '123456789012345678901234567890'].map((numeral) => new Raw(numeral)),
  [],
  new JsonObject([]),
  new JsonObject([
    ['name', 'inner'],
    ['__proto__', new JsonObject([['polluted', true]])],
  ]),
  [[[[[['deep']]]]]],
];

/** Undeclared properties, which include every name and every value at least once. */
export const undeclaredMembers: readonly Member[] = UNDECLARED_NAMES.map((name, index) => [
  name,
  UNDECLARED_VALUES[index % UNDECLARED_VALUES.length] ?? null,
]);

export const undeclared: Arbitrary<Member> = fc.tuple(
  fc.constantFrom(...UNDECLARED_NAMES),
  fc.constantFrom(...UNDECLARED_VALUES),
);
