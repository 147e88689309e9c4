import fc, { type Arbitrary } from 'fast-check';
import { compact } from '../collections.ts';
import { integerRange } from '../contract/numeral.ts';
import { intersect, type JsonType, type Shape, type TextLimits, typesOf } from '../contract/shape.ts';
import { capitalised } from '../text.ts';
import { FRESH, fromValue, type Json, JsonObject, object, Raw, write } from './json.ts';
import { memoised } from './memoised.ts';
import { at, gridOf, offGrid } from './numbers.ts';
import { ID, oneOfShape, otherName } from './plants.ts';
import { sample } from './random.ts';
import { HOSTILE, ordinaryTag, patterned } from './string-samples.ts';

/** The kind of rule that an invalid payload breaks. Each kind has its own checks. */
export type DefectKind =
  | 'not-an-object'
  | 'missing'
  | 'other-name'
  | 'nested'
  | 'inherited'
  | 'null'
  | 'fraction'
  | 'numeral'
  | 'wrong-type'
  | 'constraint'
  | 'beyond-format';

export interface Defect {
  readonly name: string;
  readonly kind: DefectKind;
  /** The property with the defect; undefined for the whole plant. */
  readonly property: string | undefined;
  /** Typical invalid payloads, which are always tried, in order. */
  typical(control: JsonObject): readonly Json[];
  sampled(control: JsonObject): Arbitrary<Json>;
}

/** Returns whether rejection is a MUST. For an id beyond int64, it is only a SHOULD. */
export const mustBeRejected = ({ kind }: Defect): boolean => kind !== 'beyond-format';

interface Place {
  /** How names of defects refer to the place. */
  readonly name: string;
  readonly property: string;
  get(control: JsonObject): Json | undefined;
  put(control: JsonObject, value: Json): JsonObject;
}

const propertyAt = (name: string): Place => ({
  name,
  property: name,
  get: (control) => control.get(name),
  put: (control, value) => control.with(name, value),
});

/**
 * Returns defects that a payload may have, one at a time. The validator decides whether a payload is invalid,
 * since a schema can express more than a shape.
 */
export const defectsOf = memoised(candidatesOf);

function candidatesOf(shape: Shape): readonly Defect[] {
  const alternatives = shape.alternatives.filter(({ types }) => types.includes('object'));
  // A plant that is invalid for one alternative may be valid for another, so the validator decides.
  if (alternatives.length > 0) return uniqueByName(alternatives.flatMap((one) => defectsOf(one)));
  return [
    ...notAnObject(shape),
    ...[...shape.required].flatMap((name) => missing(name)),
    ...missingAll(shape),
    ...[...shape.properties].flatMap(([name, property]) => defectsAt(propertyAt(name), property)),
    ...shape.others.flatMap(({ pattern, shape: other }) =>
      defectsAt(propertyAt(sampleValue(otherName(pattern)) ?? ''), other),
    ),
    ...(shape.closed ? [UNDECLARED] : []),
  ];
}

function defectsAt(place: Place, shape: Shape): Defect[] {
  const { alternatives } = shape;
  const within = (one: Shape) => [
    ...constraints(place, one),
    ...inside(place, one),
    ...insideItems(place, one),
  ];
  if (alternatives.length === 0) return [...wrongTypeDefects(place, shape), ...within(shape)];
  return uniqueByName([
    ...wrongTypeDefects(place, shape),
    ...alternatives.flatMap(within),
    ...matchingTwoAlternatives(place, alternatives),
  ]);
}

/** Numbers defects with the same name, since an alternative may allow one of them. */
const uniqueByName = (defects: readonly Defect[]): Defect[] => {
  const seen = new Map<string, number>();
  return defects.map((defect) => {
    const count = (seen.get(defect.name) ?? 0) + 1;
    seen.set(defect.name, count);
    return count === 1 ? defect : { ...defect, name: `${defect.name} (alternative ${count})` };
  });
};

/** A sample that is always the same; undefined without an arbitrary. */
const sampleValue = <T>(arbitrary: Arbitrary<T> | undefined, index = 0): T | undefined =>
  arbitrary === undefined ? undefined : sample(arbitrary, 0, 'defect', index).value;

const plainValues = memoised((shape: Shape) => oneOfShape(shape, 'plain', true));
const firstOf = memoised((shape: Shape) => sampleValue(plainValues(shape)));

const sampleOf = (shape: Shape, index = 0): Json | undefined =>
  index === 0 ? firstOf(shape) : sampleValue(plainValues(shape), index);

/** Values that match two alternatives of a `oneOf`, which allows only one match. */
function matchingTwoAlternatives(place: Place, alternatives: readonly Shape[]): Defect[] {
  const both = alternatives.flatMap((one, index) =>
    alternatives
      .slice(index + 1)
      .map((other) => intersect(one, other))
      .filter(({ types, values }) => types.length > 0 && values?.length !== 0),
  );
  const values = both.flatMap((shape) => sampleOf({ ...shape, alternatives: [] }) ?? []);
  if (values.length === 0) return [];
  return [
    listed(`${place.name} matches two alternatives`, 'constraint', place.property, (control) =>
      values.map((value) => place.put(control, value)),
    ),
  ];
}

const listed = (name: string, kind: DefectKind, property: string | undefined, typical: Typical): Defect => ({
  name,
  kind,
  property,
  typical,
  sampled: (control) => fc.constantFrom(...typical(control)),
});

const UNDECLARED = listed('an undeclared property', 'constraint', undefined, (control) => [
  control.with('undeclared', true),
]);

function notAnObject({ types, properties }: Shape): Defect[] {
  const valuesOf = (control: JsonObject, names: readonly string[]) =>
    names.flatMap((name) => control.get(name) ?? []);
  const defect = (name: string, type: JsonType, typical: Typical) =>
    types.includes(type) ? [] : [listed(name, 'not-an-object', undefined, typical)];
  return [
    ...defect('null', 'null', () => [null]),
    ...defect('a boolean', 'boolean', () => [true, false]),
    ...defect('a number', 'number', () => [0n, FRESH, new Raw('1.5')]),
    ...defect('a string', 'string', () => ['', 'Aloe']),
    ...defect('a string containing a NewPlant', 'string', (control) => [write(control, 1n)]),
    ...defect('an array', 'array', () => [[], [FRESH, 'Aloe']]),
    ...defect('an array of one NewPlant', 'array', (control) => [[control]]),
    // As libraries read a record or tuple whose fields have no names.
    ...defect('an array of the property values', 'array', (control) => [
      valuesOf(control, [...new Set([ID, ...properties.keys()])]),
      valuesOf(control, [...properties.keys()]),
    ]),
    ...defect('an array of pairs', 'array', (control) => [
      control.members.map(([name, value]): Json => [name, value]),
    ]),
  ];
}

type Typical = Defect['typical'];

function missing(name: string): Defect[] {
  const only = (control: JsonObject) => new JsonObject([[name, control.get(name) ?? null]]);
  const rule = (title: string, kind: DefectKind, typical: Typical) => listed(title, kind, name, typical);
  return [
    rule(`no ${name}`, 'missing', (control) => [control.without(name)]),
    rule(`${name} spelled in another case`, 'other-name', (control) =>
      [capitalised(name), name.toUpperCase()].map((other) => control.renamed(name, other)),
    ),
    rule(`${name} spelled with white space`, 'other-name', (control) =>
      [` ${name}`, `${name} `].map((other) => control.renamed(name, other)),
    ),
    // A store whose strings end at a NUL reads the right name.
    rule(`${name} spelled with a NUL at the end`, 'other-name', (control) => [
      control.renamed(name, `${name}\0`),
    ]),
    rule(`${name} nested one level down`, 'nested', (control) => {
      const other = control.without(name);
      return ['plant', 'attributes'].map((place) => other.with(place, only(control)));
    }),
    rule(`${name} nested in an array`, 'nested', (control) => [
      control.without(name).with('items', [only(control)]),
    ]),
    rule(`${name} inherited through __proto__`, 'inherited', (control) => [
      control.without(name).with('__proto__', only(control)),
    ]),
  ];
}

function missingAll(shape: Shape): Defect[] {
  if (shape.required.size === 0) return [];
  const rule = (title: string, kind: DefectKind, typical: Typical) => listed(title, kind, undefined, typical);
  return [
    rule('an empty object', 'missing', () => [new JsonObject([])]),
    rule('undeclared properties only', 'missing', () => [object({ title: 'Aloe', number: FRESH })]),
    rule('everything nested one level down', 'nested', (control) => [
      object({ plant: control }),
      object({ data: control }),
    ]),
    rule('everything nested in an array', 'nested', (control) => [object({ items: [control] })]),
    rule('everything inherited through __proto__', 'inherited', (control) => [
      new JsonObject([['__proto__', control]]),
    ]),
  ];
}

/** Types that a value must not have. Integers count as numbers; fractions and numerals are separate. */
type WrongType = Exclude<JsonType, 'integer'> | 'fraction' | 'numeral';

/** Hostile strings other than numerals, which are a defect of their own. */
const WORDS = HOSTILE.filter((text) => text.trim() === '' || Number.isNaN(Number(text)));

interface WrongValues {
  readonly title: string;
  /** Values that a client may send instead of the right type, from likely to far-fetched. */
  readonly typical: (own: Json) => readonly Json[];
  readonly sampled: (own: Json) => Arbitrary<Json>;
}

const WRONG_VALUES: Readonly<Record<WrongType, WrongValues>> = {
  null: {
    title: 'null',
    typical: () => [null],
    sampled: () => fc.constant(null),
  },
  boolean: {
    title: 'a boolean',
    typical: () => [true, false],
    sampled: () => fc.boolean(),
  },
  number: {
    title: 'a number',
    typical: () => [FRESH, 0n, 1n, -1n, new Raw('1.5'), new Raw('1e3')],
    sampled: () =>
      fc.oneof(
        fc.bigInt({ min: -(2n ** 53n), max: 2n ** 53n }),
        fc.bigInt({ min: -99n, max: 99n }),
        fc
          .tuple(fc.integer({ min: -999, max: 999 }), fc.integer({ min: 1, max: 99 }))
          .map(([a, b]): Json => new Raw(`${a}.${b}`)),
      ),
  },
  fraction: {
    title: 'a number with a fraction',
    typical: () => [
      ...['.5', '.000001'].map((end) => new Raw((id) => `${id}${end}`)),
      ...[
        ...['1.5', '0.1', '-2.25', '-0.5', '1e-1'],
        // Some languages print a number like this without a decimal point.
        '5e-7',
        ...['12345.000001', '16777217.5', '2147483646.5', '4294967298.5', '1125899906842625.5'],
      ].map((text) => new Raw(text)),
    ],
    sampled: () =>
      fc
        .tuple(
          fc.oneof(
            fc.integer({ min: -99_999, max: 99_999 }),
            fc.integer({ min: 1, max: 2 ** 31 - 1 }),
            fc.integer({ min: 2 ** 31, max: 2 ** 36 }),
          ),
          fc.integer({ min: 1, max: 9999 }),
        )
        .map(([a, b]): Json => new Raw(`${a}.${String(b).padStart(4, '0')}`)),
  },
  numeral: {
    title: 'a numeric string',
    // Fresh, so that a store that accepts numerals as ids does not reject these as duplicates.
    typical: () => [
      ...[
        (id: bigint) => `"${id}"`,
        (id: bigint) => `"-${id}"`,
        (id: bigint) => `"${id}.0"`,
        (id: bigint) => `"0x${id.toString(16)}"`,
        (id: bigint) => `" ${id} "`,
        (id: bigint) => `"0${id}"`,
        (id: bigint) => `"${2n ** 53n + id}"`,
      ].map((text) => new Raw(text)),
      '0',
    ],
    sampled: () =>
      fc.oneof(
        // A store may already have a plant with this id.
        fc.constant<Json>(new Raw((id) => `"${id}"`)),
        fc.bigInt({ min: 0n, max: 2n ** 31n }).map(String),
        fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }).map(String),
        fc.bigInt({ min: -9n, max: 99n }).map(String),
      ),
  },
  string: {
    title: 'a string',
    typical: () => ['', 'Aloe', 'null', 'true', new Raw('"\\ud83c"')],
    sampled: () =>
      fc.oneof(ordinaryTag({ min: 1, max: 12, patterns: [], format: undefined }), fc.constantFrom(...WORDS)),
  },
  array: {
    title: 'an array',
    typical: (own) => [[], [own], [own, own], [null]],
    sampled: (own) =>
      fc.array(
        fc.oneof(fc.constant(own), fc.constant<Json>('x'), fc.constant<Json>(1n), fc.constant<Json>(null)),
        { maxLength: 3 },
      ),
  },
  object: {
    title: 'an object',
    typical: (own) => [
      new JsonObject([]),
      object({ value: own }),
      object({ length: 4n }),
      object({ toString: 'Aloe' }),
    ],
    sampled: (own) =>
      fc
        .uniqueArray(fc.constantFrom('value', 'name', 'id', '$ne', '$gt', 'length', 'toString', '0', 'a'), {
          maxLength: 3,
        })
        .map((names): Json => new JsonObject(names.map((name) => [name, own]))),
  },
};

/** The types that a property must not have: a fraction if it is an integer, a numeral if it is a number. */
function wrongTypesFor(shape: Shape): readonly WrongType[] {
  const types = typesOf(shape);
  const has = (type: JsonType) => types.includes(type);
  return compact<WrongType>(
    ...(['null', 'boolean', 'string', 'array', 'object'] as const).filter((type) => !has(type)),
    !has('number') && (has('integer') ? 'fraction' : 'number'),
    !has('string') && (has('integer') || has('number')) && 'numeral',
  );
}

function wrongTypeDefects({ name, property, get, put }: Place, shape: Shape): Defect[] {
  return wrongTypesFor(shape).map((type) => {
    const { title, typical, sampled } = WRONG_VALUES[type];
    const own = (control: JsonObject): Json => get(control) ?? 'fern';
    return {
      name: `${name} is ${title}`,
      kind: type === 'null' || type === 'fraction' || type === 'numeral' ? type : 'wrong-type',
      property,
      typical: (control) => typical(own(control)).map((value) => put(control, value)),
      sampled: (control) =>
        fc
          .oneof(fc.constantFrom(...typical(own(control))), sampled(own(control)))
          .map((value) => put(control, value)),
    };
  });
}

/** Maximum length in characters of a string that is sent because it is too long. */
const MAX_LENGTH = 20_000;

/** Values that violate a limit, or a function that makes them from a valid value. */
type Violation = readonly [
  title: string,
  breaking: readonly Json[] | ((own: Json) => readonly Json[]),
  kind?: DefectKind,
];

const constraints = ({ name, property, get, put }: Place, shape: Shape): Defect[] =>
  [...violations(shape)].map(([title, breaking, kind = 'constraint']) =>
    listed(`${name} ${title}`, kind, property, (control) => {
      const own = get(control) ?? sampleOf(shape) ?? null;
      const values = typeof breaking === 'function' ? breaking(own) : breaking;
      return different(values).map((value) => put(control, value));
    }),
  );

/** Violates each limit by as little as possible and by a lot, if possible without violating another. */
function* violations(shape: Shape): Generator<Violation> {
  const types = typesOf(shape);
  const { values, text, minItems, maxItems, uniqueItems } = shape;
  if (values !== undefined) {
    yield ['is not an allowed value', noneOf(values)];
    return;
  }
  if (types.includes('string')) {
    if (text.min > 0) yield ['is too short', tooShort(text)];
    // A longer string would not fit into a request of 64 KiB, or into a JavaScript string.
    if (text.max !== undefined && text.max < MAX_LENGTH) yield ['is too long', tooLong(text, text.max)];
    if (text.patterns.length > 0)
      yield ['does not match its pattern', (own) => [...altered(own), '', ' ', '~', 'a~', '1', 'A', '\n']];
    if (text.format !== undefined)
      yield [
        `does not match the format ${text.format}`,
        (own) => [...altered(own).slice(0, 1), '', 'not that format', '~'],
      ];
  }
  if (types.includes('integer') || types.includes('number'))
    yield* numberViolations(shape, types.includes('number'));
  if (types.includes('array')) {
    const items = (own: Json, count: number) => itemsOf(own, shape, count);
    if (minItems > 0) yield ['has too few items', (own) => [items(own, minItems - 1), []]];
    if (maxItems !== undefined && maxItems < MAX_LENGTH / 10)
      yield ['has too many items', (own) => [items(own, maxItems + 1)]];
    if (uniqueItems)
      yield [
        'has a duplicate item',
        (own) => {
          const once = items(own, Math.max(1, Math.min(maxItems ?? 2, Math.max(minItems, 2)) - 1));
          return [
            [...once, ...once.slice(0, 1)],
            ['same', 'same'],
          ];
        },
      ];
  }
}

const different = (values: readonly Json[]): readonly Json[] => [
  ...new Map<string, Json>(values.map((value) => [write(value, 1n), value] as const)).values(),
];

/** Values that resemble the allowed ones, if possible with the same types. */
function noneOf(values: readonly unknown[]): readonly Json[] {
  const near = values.flatMap((value): unknown[] => {
    if (typeof value === 'string') return [value.toUpperCase(), `${value} `, `${value}x`];
    if (typeof value === 'number') return [value + 1];
    return typeof value === 'boolean' ? [!value] : [];
  });
  return [...near.filter((value) => !values.includes(value)).map(fromValue), 'none of these', -12_345n];
}

/** A string of the given length that matches the pattern and format if possible; otherwise just letters. */
const ofLength = (text: TextLimits, length: number): string =>
  sampleValue(patterned({ ...text, min: length, max: length })) ?? 'a'.repeat(length);

const tooShort = (text: TextLimits): readonly Json[] =>
  [...new Set([text.min - 1, 0])].map((length) => ofLength(text, length));

/** Strings that are too long. Lengths are in code points, so an astral character counts as one. */
const tooLong = (text: TextLimits, max: number): readonly Json[] => [
  ofLength(text, max + 1),
  ...['é', '🌵'].map((letter) => letter.repeat(max + 1)),
  'a'.repeat(Math.min(max * 4 + 10, MAX_LENGTH)),
];

function altered(value: Json): readonly Json[] {
  const letters = [...(typeof value === 'string' && value !== '' ? value : 'fern')];
  const places = [0, letters.length >> 1, letters.length - 1];
  return ['~', '\n', 'é', '0', 'Z', ' '].flatMap((other) =>
    places.map((index) => letters.with(index, other).join('')),
  );
}

function itemsOf(value: Json, { items, uniqueItems }: Shape, count: number): readonly Json[] {
  const found: Json[] = Array.isArray(value) ? value.slice(0, count) : [];
  const written = new Set(found.map((item) => write(item, 1n)));
  for (let index = 0; found.length < count && index < 4 * count + 64; index += 1) {
    const item = items === undefined ? `item${index}` : sampleOf(items, index);
    if (item === undefined || (uniqueItems && written.has(write(item, 1n)))) continue;
    written.add(write(item, 1n));
    found.push(item);
  }
  return found;
}

function* numberViolations({ number }: Shape, fractions: boolean): Generator<Violation> {
  const grid = gridOf(number, !fractions);
  const formatEnds = integerRange(number.format);
  const ends = [
    { bound: number.min, exclusive: number.above, place: grid.first, away: -1n, side: 'below' },
    { bound: number.max, exclusive: number.below, place: grid.last, away: 1n, side: 'above' },
  ] as const;
  for (const { bound, exclusive, place, away, side } of ends) {
    if (place === undefined) continue;
    const beyond = (steps: bigint) => at(grid, place + away * steps);
    if (typeof bound === 'bigint' && formatEnds?.includes(bound))
      yield [`is ${side} ${number.format}`, [bound + away, bound * 2n, BigInt(`${bound}0`)], 'beyond-format'];
    else if (bound !== undefined) yield [`is ${side} its limit`, [beyond(1n), beyond(1000n)]];
    if (exclusive !== undefined)
      yield ['is at its exclusive limit', [fromValue(exclusive), beyond(1n), beyond(1000n)]];
  }
  if (number.multipleOf !== undefined) {
    const inside = grid.first ?? (grid.last === undefined ? 1000n : grid.last - 1n);
    const value = offGrid(grid, inside, !fractions);
    if (value !== undefined) yield [`is not a multiple of ${number.multipleOf}`, [value]];
  }
}

function inside(place: Place, shape: Shape): Defect[] {
  const { types, properties, others, closed } = shape;
  if (!types.includes('object') || (properties.size === 0 && others.length === 0 && !closed)) return [];
  const inner = (control: JsonObject) => {
    const value = place.get(control) ?? sampleOf(shape);
    return value instanceof JsonObject ? value : new JsonObject([]);
  };
  return defectsOf(shape)
    .filter(({ kind }) => kind !== 'not-an-object')
    .map((defect) => ({
      ...defect,
      name: `${place.name}: ${defect.name}`,
      property: place.property,
      typical: (control) => defect.typical(inner(control)).map((value) => place.put(control, value)),
      sampled: (control) => defect.sampled(inner(control)).map((value) => place.put(control, value)),
    }));
}

function insideItems(place: Place, shape: Shape): Defect[] {
  const { types, items, minItems } = shape;
  if (!types.includes('array') || items === undefined) return [];
  const list = (control: JsonObject) => itemsOf(place.get(control) ?? null, shape, Math.max(1, minItems));
  return defectsAt(
    {
      name: `${place.name}[0]`,
      property: place.property,
      get: (control) => list(control)[0],
      put(control, value) {
        const ownValue = place.get(control);
        const [, ...rest] = Array.isArray(ownValue) && ownValue.length > 0 ? ownValue : list(control);
        return place.put(control, [value, ...rest]);
      },
    },
    items,
  );
}
