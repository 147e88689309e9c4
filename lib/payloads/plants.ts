import fc, { type Arbitrary } from 'fast-check';
import type { NumberLimits, Shape } from '../contract/schema.ts';
import { freshFrom, freshId, freshText } from './fresh.ts';
import { FRESH, fromValue, type Json, JsonObject, type Member, Raw, type Style, write } from './json.ts';
import { type Grid, gridOf, halved, isEmpty, onGrid, placesIn } from './numbers.ts';
import { remembered } from './remembered.ts';
import { anyString, ordinaryName, ordinaryTag, patterned, plainName } from './strings.ts';

/** How adventurous a value is: `plain` where it is not the point, `ordinary`, or `any` that the schema admits. */
export type Breadth = 'plain' | 'ordinary' | 'any';

/** The identification number of the interface, section 2. */
export const ID = 'id';

const SMALLEST_ORDINARY = 2n ** 20n;
const BIGGEST_ORDINARY = 2n ** 31n - 1n;

/** Objects of the shape, with every declared property or only the required ones. */
export function plantOf(
  shape: Shape,
  breadth: Breadth,
  properties: 'all' | 'required' | 'some',
): Arbitrary<JsonObject> {
  const kinds = shape.alternatives.filter(({ types }) => types.includes('object'));
  if (kinds.length > 0) return fc.oneof(...kinds.map((kind) => plantOf(kind, breadth, properties)));
  const members = [...shape.properties].map(([name, property]): Arbitrary<Member | undefined> => {
    const required = shape.required.has(name);
    const value =
      name === ID && takesFresh(property)
        ? fc.constant<Json>(FRESH)
        : oneOfShape(property, breadth, required);
    const member = value.map((json): Member => [name, json]);
    if (required || properties === 'all') return member;
    return properties === 'required'
      ? fc.constant(undefined)
      : fc.option(member, { nil: undefined, freq: 2 });
  });
  return fc
    .tuple(fc.tuple(...members), otherMembers(shape, breadth))
    .map(
      ([declared, others]) =>
        new JsonObject([...declared.filter((member) => member !== undefined), ...others]),
    );
}

/** Properties that are not declared by name, as many as the declared ones leave wanting. */
function otherMembers(shape: Shape, breadth: Breadth): Arbitrary<readonly Member[]> {
  const wanting = shape.minProperties - shape.properties.size;
  const [kind] = shape.others;
  if (wanting <= 0 || (kind === undefined && shape.closed)) return fc.constant([]);
  const member = fc.tuple(
    otherName(kind?.pattern),
    kind === undefined ? fc.boolean() : oneOfShape(kind.shape, breadth, true),
  );
  return distinct(member, ([name]) => name, fc.constant(wanting), wanting);
}

/** Names for a property that is not declared, such as match a pattern. */
export const otherName = (pattern: string | undefined): Arbitrary<string> =>
  patterned({ min: 1, max: undefined, patterns: [pattern ?? '^[a-z]{8}$'], format: undefined }) ??
  fc.constant('undeclared');

/** Whether fresh ids, which are integers, fit the id of the document. */
const takesFresh = (shape: Shape): boolean =>
  shape.values === undefined && shape.types.some((type) => type === 'integer' || type === 'number');

/**
 * The ids that ordinary plants have: 2^20 to 2^31-1 within the limits of the document. Of smaller ones there are so
 * few that earlier runs may have sent them.
 * @param wanted an id that the user asks for, which may be smaller
 */
export const ordinaryIds = (newPlant: Shape, wanted = SMALLEST_ORDINARY): IdRange =>
  idRanges(newPlant)[wanted < SMALLEST_ORDINARY ? 'all' : 'ordinary'];

/** The ids first, first + step and so on, up to last. */
export interface IdRange {
  readonly first: bigint;
  readonly last: bigint;
  readonly step: bigint;
}

const idRanges = remembered((newPlant: Shape): { readonly all: IdRange; readonly ordinary: IdRange } => {
  const grid = idGrid(newPlant);
  const step = grid.step.digits;
  const [least, last] = placesIn(grid, 1n, BIGGEST_ORDINARY);
  const [fresh] = placesIn(grid, SMALLEST_ORDINARY, BIGGEST_ORDINARY);
  const isThere = fresh * step >= SMALLEST_ORDINARY && (last - fresh) * step >= SMALLEST_ORDINARY;
  const all = { first: least * step, last: last * step, step };
  return { all, ordinary: isThere ? { ...all, first: fresh * step } : all };
});

const idGrid = remembered(({ properties, alternatives }: Shape): Grid => {
  const shape = properties.get(ID) ?? alternatives[0]?.properties.get(ID);
  return gridOf(shape?.number ?? {}, true);
});

/** A fresh id of the document of at least `from` and less than `below`; undefined where it admits none. */
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

/** One value of a shape. */
export function oneOfShape(shape: Shape, breadth: Breadth, required: boolean): Arbitrary<Json> {
  if (shape.alternatives.length > 0)
    return fc.oneof(...shape.alternatives.map((one) => oneOfShape(one, breadth, required)));
  if (shape.values !== undefined && shape.values.length > 0)
    return fc.constantFrom(...shape.values.map(fromValue));
  switch (mainType(shape)) {
    case 'object':
      return plantOf(shape, breadth, 'some');
    case 'string': {
      const text = patterned(shape.text);
      if (text !== undefined) return required ? freshFrom(text) : text;
      if (breadth === 'any') return anyString(shape.text);
      if (!required) return ordinaryTag(shape.text);
      return (breadth === 'plain' ? plainName(shape.text) : ordinaryName(shape.text)).map(freshText);
    }
    case 'integer':
      return onGrid(gridOf(shape.number, true), ...windowOf(breadth));
    case 'number':
      return numberOf(shape.number, breadth);
    case 'array':
      return arrayOf(shape, breadth, required);
    case 'boolean':
      return fc.boolean();
    default:
      return fc.constant(null);
  }
}

/** Of several types, the one that a client of the document would send. */
const mainType = ({ types, properties }: Shape) =>
  types.includes('object') && properties.size > 0
    ? 'object'
    : (['string', 'integer', 'number', 'boolean', 'array', 'object', 'null'] as const).find((type) =>
        types.includes(type),
      );

function windowOf(breadth: Breadth): readonly [bigint, bigint] {
  return breadth === 'any' ? [-(2n ** 63n), 2n ** 63n - 1n] : [1n, BIGGEST_ORDINARY];
}

/** Numbers within the limits, some with a fraction where there is room for one. */
function numberOf(limits: NumberLimits, breadth: Breadth): Arbitrary<Json> {
  const grid = gridOf(limits, false);
  const coarse = onGrid(grid, ...windowOf(breadth));
  if (limits.multipleOf !== undefined) return coarse;
  return fc.oneof(coarse, onGrid(halved(grid, limits), ...windowOf(breadth)));
}

function arrayOf(
  { items, minItems, maxItems, uniqueItems }: Shape,
  breadth: Breadth,
  required: boolean,
): Arbitrary<readonly Json[]> {
  const most = Math.min(maxItems ?? Number.POSITIVE_INFINITY, minItems + 3);
  const item =
    items === undefined ? fc.bigInt({ min: 1n, max: 2n ** 31n }) : oneOfShape(items, breadth, required);
  if (!uniqueItems) return fc.array(item, { minLength: Math.min(minItems, most), maxLength: most });
  const count = fc.integer({ min: Math.min(minItems, most), max: most });
  return distinct<Json>(item, (json) => write(json, 0n), count, most);
}

/** So many different values, of at most `most`; fewer where they are hard to come by. */
function distinct<T>(
  values: Arbitrary<T>,
  keyOf: (value: T) => string,
  count: Arbitrary<number>,
  most: number,
): Arbitrary<readonly T[]> {
  const length = 4 * most + 28;
  return fc
    .tuple(count, fc.array(values, { minLength: length, maxLength: length }))
    .map(([wanted, drawn]) => [...new Map(drawn.map((one) => [keyOf(one), one])).values()].slice(0, wanted));
}

const GAPS = ['', ' ', '  ', '\n', '\t', '\r\n', '\n    '];

/** Ways of writing one value: white space where RFC 8259 allows it, escapes in values and in names. */
export const styles: Arbitrary<Style> = fc.record({
  gaps: fc.array(fc.constantFrom(...GAPS), { minLength: 0, maxLength: 7, size: 'max' }),
  escapes: fc.constantFrom('none', 'values', 'names', 'both'),
  every: fc.constantFrom(1, 2),
  digits: fc.constantFrom('lower', 'upper'),
});

/** The same object with its properties in any order. */
export const reordered = (plants: Arbitrary<JsonObject>): Arbitrary<JsonObject> =>
  plants.chain(({ members }) =>
    fc
      .shuffledSubarray([...members], { minLength: members.length, maxLength: members.length })
      .map((order) => new JsonObject(order)),
  );

/** Names of properties that libraries stumble over. */
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

/** Properties that the document does not declare: every name and every value at least once. */
export const undeclaredMembers: readonly Member[] = UNDECLARED_NAMES.map((name, index) => [
  name,
  UNDECLARED_VALUES[index % UNDECLARED_VALUES.length] ?? null,
]);

/** Any of these names with any of these values. */
export const undeclared: Arbitrary<Member> = fc.tuple(
  fc.constantFrom(...UNDECLARED_NAMES),
  fc.constantFrom(...UNDECLARED_VALUES),
);
