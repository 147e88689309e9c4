import fc, { type Arbitrary } from 'fast-check';
import type { NumberLimits, Shape } from '../contract/schema.ts';
import { freshText } from './fresh.ts';
import { FRESH, fromValue, type Json, JsonObject, type Member, Raw, type Style, write } from './json.ts';
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
  return fc.tuple(...members).map((drawn) => new JsonObject(drawn.filter((member) => member !== undefined)));
}

/** Whether fresh ids, which are integers, fit the id of the document. */
const takesFresh = (shape: Shape): boolean =>
  shape.values === undefined && shape.types.some((type) => type === 'integer' || type === 'number');

/**
 * The ids that ordinary plants have: 2^20 to 2^31-1 within the limits of the document. Of smaller ones there are so
 * few that earlier runs may have sent them.
 * @param wanted an id that the user asks for, which may be smaller
 */
export function ordinaryIds(
  newPlant: Shape,
  wanted = SMALLEST_ORDINARY,
): { readonly first: bigint; readonly last: bigint; readonly step: bigint } {
  const limits = newPlant.properties.get(ID)?.number;
  const { min: least, max } = integerBounds(limits, 1n, BIGGEST_ORDINARY);
  const enough = wanted >= SMALLEST_ORDINARY && max - SMALLEST_ORDINARY >= SMALLEST_ORDINARY;
  const min = enough && least < SMALLEST_ORDINARY ? SMALLEST_ORDINARY : least;
  const step = stepOf(limits);
  const first = ceilTo(min, step) * step;
  return { first, last: max, step };
}

/** One value of a shape. */
function oneOfShape(shape: Shape, breadth: Breadth, required: boolean): Arbitrary<Json> {
  const [first, ...others] = shape.alternatives;
  if (first !== undefined)
    return fc.oneof(...[first, ...others].map((one) => oneOfShape(one, breadth, required)));
  if (shape.values !== undefined && shape.values.length > 0)
    return fc.constantFrom(...shape.values.map(fromValue));
  switch (mainType(shape)) {
    case 'object':
      return plantOf(shape, breadth, 'some');
    case 'string': {
      const text = patterned(shape.text);
      if (text !== undefined) return text;
      if (breadth === 'any') return anyString(shape.text);
      if (!required) return ordinaryTag(shape.text);
      return (breadth === 'plain' ? plainName(shape.text) : ordinaryName(shape.text)).map(freshText);
    }
    case 'integer':
      return integerOf(shape.number, breadth);
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

function integerBounds(limits: NumberLimits | undefined, least: bigint, greatest: bigint) {
  const floor = (value: bigint | number) => (typeof value === 'bigint' ? value : BigInt(Math.floor(value)));
  const ceil = (value: bigint | number) => (typeof value === 'bigint' ? value : BigInt(Math.ceil(value)));
  const lower = [
    limits?.min === undefined ? undefined : ceil(limits.min),
    limits?.above === undefined ? undefined : floor(limits.above) + 1n,
  ];
  const upper = [
    limits?.max === undefined ? undefined : floor(limits.max),
    limits?.below === undefined ? undefined : ceil(limits.below) - 1n,
  ];
  const min = lower.reduce<bigint>((a, b) => (b !== undefined && b > a ? b : a), least);
  const max = upper.reduce<bigint>((a, b) => (b !== undefined && b < a ? b : a), greatest);
  // Where the document's range lies wholly outside of the wanted one, the document's is used.
  return min <= max
    ? { min, max }
    : {
        min: lower.find((one) => one !== undefined) ?? max,
        max: upper.find((one) => one !== undefined) ?? min,
      };
}

function integerOf(limits: NumberLimits, breadth: Breadth): Arbitrary<bigint> {
  const widest: readonly [bigint, bigint] =
    breadth === 'any' ? [-(2n ** 63n), 2n ** 63n - 1n] : [1n, BIGGEST_ORDINARY];
  const { min, max } = integerBounds(limits, ...widest);
  const step = stepOf(limits);
  const [first, last] = [ceilTo(min, step), max / step - (max < 0n && max % step !== 0n ? 1n : 0n)];
  return fc.bigInt({ min: first <= last ? first : last, max: last }).map((places) => places * step);
}

const stepOf = (limits: NumberLimits | undefined): bigint =>
  limits?.multipleOf !== undefined && Number.isInteger(limits.multipleOf) ? BigInt(limits.multipleOf) : 1n;

/** The least number of steps that is not below a value. */
const ceilTo = (value: bigint, step: bigint): bigint =>
  value / step + (value > 0n && value % step !== 0n ? 1n : 0n);

/** Numbers within the limits, some with a fraction where there is room for one. */
function numberOf(limits: NumberLimits, breadth: Breadth): Arbitrary<Json> {
  const { max } = integerBounds(limits, 1n, BIGGEST_ORDINARY);
  return fc
    .tuple(integerOf(limits, breadth), fc.boolean())
    .map(([whole, half]) =>
      half && whole >= 0n && whole < max && limits.multipleOf === undefined ? new Raw(`${whole}.5`) : whole,
    );
}

function arrayOf(
  { items, minItems, maxItems, uniqueItems }: Shape,
  breadth: Breadth,
  required: boolean,
): Arbitrary<Json> {
  const bounds = {
    minLength: minItems,
    maxLength: Math.min(maxItems ?? Number.POSITIVE_INFINITY, minItems + 3),
  };
  const item =
    items === undefined ? fc.bigInt({ min: 1n, max: 2n ** 31n }) : oneOfShape(items, breadth, required);
  return uniqueItems
    ? fc.uniqueArray(item, { ...bounds, selector: (json) => write(json, 0n) })
    : fc.array(item, bounds);
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
