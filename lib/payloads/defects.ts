import fc, { type Arbitrary } from 'fast-check';
import type { JsonType, Shape } from '../contract/schema.ts';
import { FRESH, fromValue, type Json, JsonObject, object, Raw, write } from './json.ts';
import { HOSTILE, ordinaryTag } from './strings.ts';

/** What kind of rule a malformed value breaks; each is judged by checks of its own. */
export type Family =
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

/** One way of turning a NewPlant into what is not one. */
export interface Defect {
  readonly name: string;
  readonly family: Family;
  /** The property it is about, or undefined for the whole. */
  readonly property: string | undefined;
  /** The malformed values that are tried by name, one after the other. */
  typical(twin: JsonObject): readonly Json[];
  /** Malformed values drawn at random. */
  drawn(twin: JsonObject): Arbitrary<Json>;
}

/**
 * Every defect that the shape of the document admits, each the only thing wrong with its payload.
 * Candidates, still: where a schema says more than a shape can hold, the validator has the last word.
 */
export function defectsOf(shape: Shape): readonly Defect[] {
  const properties = [...shape.properties];
  return [
    ...notAnObject(shape),
    ...[...shape.required].flatMap((name) => missing(name)),
    ...missingAll(shape),
    ...properties.flatMap(([name, property]) => [
      ...wrongTypes(name, property),
      ...constraints(name, property),
      ...inside(name, property),
    ]),
    ...(shape.closed
      ? [listed('an undeclared property', 'constraint', undefined, (twin) => [twin.with('undeclared', true)])]
      : []),
  ];
}

/** A defect whose random values are its typical ones. */
function listed(name: string, family: Family, property: string | undefined, typical: Typical): Defect {
  return { name, family, property, typical, drawn: (twin) => fc.constantFrom(...typical(twin)) };
}

function notAnObject({ types }: Shape): Defect[] {
  const defect = (name: string, type: JsonType, typical: Typical) =>
    types.includes(type) ? [] : [listed(name, 'not-an-object', undefined, typical)];
  return [
    ...defect('null', 'null', () => [null]),
    ...defect('a boolean', 'boolean', () => [true, false]),
    ...defect('a number', 'number', () => [0n, FRESH, new Raw('1.5')]),
    ...defect('a string', 'string', () => ['', 'Aloe']),
    ...defect('a string that holds a NewPlant', 'string', (twin) => [write(twin, 1n)]),
    ...defect('an array', 'array', () => [[], [FRESH, 'Aloe']]),
    ...defect('an array of one NewPlant', 'array', (twin) => [[twin]]),
    ...defect('an array of pairs', 'array', (twin) => [
      twin.members.map(([name, value]): Json => [name, value]),
    ]),
  ];
}

type Typical = Defect['typical'];

function missing(name: string): Defect[] {
  const capital = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const value = (twin: JsonObject): Json => twin.get(name) ?? null;
  const rule = (title: string, family: Family, typical: Typical) => listed(title, family, name, typical);
  return [
    rule(`no ${name}`, 'missing', (twin) => [twin.without(name)]),
    rule(`${name} under another case`, 'other-name', (twin) =>
      [capital, name.toUpperCase()].map((other) => twin.renamed(name, other)),
    ),
    rule(`${name} under a name with white space`, 'other-name', (twin) =>
      [` ${name}`, `${name} `].map((other) => twin.renamed(name, other)),
    ),
    rule(`${name} nested one level down`, 'nested', (twin) =>
      ['plant', 'attributes'].map((outer) =>
        twin.without(name).with(outer, new JsonObject([[name, value(twin)]])),
      ),
    ),
    rule(`${name} inherited through __proto__`, 'inherited', (twin) => [
      twin.without(name).with('__proto__', new JsonObject([[name, value(twin)]])),
    ]),
  ];
}

function missingAll(shape: Shape): Defect[] {
  if (shape.required.size === 0) return [];
  const rule = (title: string, family: Family, typical: Typical) => listed(title, family, undefined, typical);
  return [
    rule('an empty object', 'missing', () => [new JsonObject([])]),
    rule('undeclared properties only', 'missing', () => [object({ title: 'Aloe', number: FRESH })]),
    rule('everything nested one level down', 'nested', (twin) => [
      object({ plant: twin }),
      object({ data: twin }),
    ]),
    rule('everything inherited through __proto__', 'inherited', (twin) => [
      new JsonObject([['__proto__', twin]]),
    ]),
  ];
}

/** Types that a value may wrongly have. Integers come with the numbers, and the halves that deserve a name beside them. */
type Foreign = Exclude<JsonType, 'integer'> | 'fraction' | 'numeral';

/** What a client may send in the place of a value of another type, from the likely to the far-fetched. */
const IMPOSTORS: Readonly<Record<Foreign, (own: Json) => readonly Json[]>> = {
  null: () => [null],
  boolean: () => [true, false],
  number: () => [FRESH, 0n, 1n, -1n, new Raw('1.5'), new Raw('1e3')],
  fraction: () => [
    ...['.5', '.000001'].map((end) => new Raw((id) => `${id}${end}`)),
    ...['1.5', '0.1', '-2.25', '1e-1', '12345.000001', '16777217.5', '2147483646.5'].map(
      (text) => new Raw(text),
    ),
  ],
  // A store that takes the numeral for an id must not be saved by knowing that id already.
  numeral: () => [
    ...[
      (id: bigint) => `"${id}"`,
      (id: bigint) => `"-${id}"`,
      (id: bigint) => `"${id}.0"`,
      (id: bigint) => `"0x${id.toString(16)}"`,
      (id: bigint) => `" ${id} "`,
      (id: bigint) => `"0${id}"`,
    ].map((text) => new Raw(text)),
    '0',
  ],
  string: () => ['', 'Aloe', 'null', 'true'],
  array: (own) => [[], [own], [own, own], [null]],
  object: (own) => [
    new JsonObject([]),
    object({ value: own }),
    object({ length: 4n }),
    object({ toString: 'Aloe' }),
  ],
};

const drawnImpostors: Readonly<Record<Foreign, (own: Json) => Arbitrary<Json>>> = {
  null: () => fc.constant(null),
  boolean: () => fc.boolean(),
  number: () =>
    fc.oneof(
      fc.bigInt({ min: -(2n ** 53n), max: 2n ** 53n }),
      fc.bigInt({ min: -99n, max: 99n }),
      fc
        .tuple(fc.integer({ min: -999, max: 999 }), fc.integer({ min: 1, max: 99 }))
        .map(([a, b]): Json => new Raw(`${a}.${b}`)),
    ),
  fraction: () =>
    fc
      .tuple(
        fc.oneof(fc.integer({ min: -99_999, max: 99_999 }), fc.integer({ min: 1, max: 2 ** 31 - 1 })),
        fc.integer({ min: 1, max: 9999 }),
      )
      .map(([a, b]): Json => new Raw(`${a}.${String(b).padStart(4, '0')}`)),
  numeral: () =>
    fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 31n }), fc.bigInt({ min: -9n, max: 99n })).map(String),
  string: () =>
    fc.oneof(ordinaryTag({ min: 1, max: 12, patterns: [], format: undefined }), fc.constantFrom(...HOSTILE)),
  array: (own) =>
    fc.array(
      fc.oneof(fc.constant(own), fc.constant<Json>('x'), fc.constant<Json>(1n), fc.constant<Json>(null)),
      { maxLength: 3 },
    ),
  object: (own) =>
    fc
      .uniqueArray(fc.constantFrom('value', 'name', 'id', '$ne', '$gt', 'length', 'toString', '0', 'a'), {
        maxLength: 3,
      })
      .map((names): Json => new JsonObject(names.map((name) => [name, own]))),
};

/** The types that a property does not take, with the halves of `number` and `string` that deserve a name. */
function foreignTypes({ types }: Shape): Foreign[] {
  const foreign: Foreign[] = [];
  const has = (type: JsonType) => types.includes(type);
  for (const type of ['null', 'boolean', 'string', 'array', 'object'] as const)
    if (!has(type)) foreign.push(type);
  if (!has('number')) foreign.push(has('integer') ? 'fraction' : 'number');
  if (!has('string') && (has('integer') || has('number'))) foreign.push('numeral');
  return foreign;
}

const TITLES: Readonly<Record<Foreign, string>> = {
  null: 'null',
  boolean: 'a boolean',
  number: 'a number',
  fraction: 'a number with a fraction',
  numeral: 'a numeral in a string',
  string: 'a string',
  array: 'an array',
  object: 'an object',
};

function wrongTypes(name: string, shape: Shape): Defect[] {
  return foreignTypes(shape).map((type) => {
    const own = (twin: JsonObject): Json => twin.get(name) ?? 'fern';
    return {
      name: `${name} is ${TITLES[type]}`,
      family: type === 'null' || type === 'fraction' || type === 'numeral' ? type : 'wrong-type',
      property: name,
      typical: (twin) => IMPOSTORS[type](own(twin)).map((value) => twin.with(name, value)),
      drawn: (twin) =>
        fc
          .oneof(fc.constantFrom(...IMPOSTORS[type](own(twin))), drawnImpostors[type](own(twin)))
          .map((value) => twin.with(name, value)),
    };
  });
}

/** Characters of the longest string that is sent because a shape forbids it. */
const LONGEST = 20_000;

/** The shape's own limits, each overstepped by as little as can be, and by much. */
function constraints(
  name: string,
  { values, text, number, types, minItems, maxItems, uniqueItems }: Shape,
): Defect[] {
  const rule = (title: string, breaking: readonly Json[], family: Family = 'constraint') => [
    listed(`${name} ${title}`, family, name, (twin) => breaking.map((value) => twin.with(name, value))),
  ];
  const found: Defect[] = [];
  if (values !== undefined) {
    const strings = values.filter((value) => typeof value === 'string');
    const others = strings
      .flatMap((value) => [value.toUpperCase(), `${value} `, `${value}x`])
      .filter((value) => !values.includes(value));
    found.push(...rule('is none of the allowed values', [...others, 'none of these', -12_345n]));
  }
  if (types.includes('string')) {
    if (text.min > 0) {
      found.push(
        ...rule(
          'is too short',
          [...new Set([text.min - 1, 0])].map((length) => 'a'.repeat(length)),
        ),
      );
    }
    // What is longer does not fit into a request of 64 KiB, or is beyond what a string can hold.
    if (text.max !== undefined && text.max < LONGEST) {
      const { max } = text;
      // Counted in code points: an astral letter is one.
      found.push(
        ...rule('is too long', [
          'a'.repeat(max + 1),
          'é'.repeat(max + 1),
          '🌵'.repeat(max + 1),
          'a'.repeat(Math.min(max * 4 + 10, LONGEST)),
        ]),
      );
    }
    if (text.patterns.length > 0)
      found.push(...rule('does not match its pattern', ['', ' ', '~', 'a~', '1', 'A', '\n']));
    if (text.format !== undefined)
      found.push(...rule(`is not in the format ${text.format}`, ['', 'not that format', '~']));
  }
  if (types.includes('integer') || types.includes('number')) {
    const range = number.format === 'int64' || number.format === 'int32' ? number.format : undefined;
    const bounds = [number.min, number.max].map((bound) =>
      typeof bound === 'number' ? BigInt(Math.trunc(bound)) : bound,
    );
    const [min, max] = bounds;
    for (const [bound, away, side] of [
      [min, -1n, 'below'],
      [max, 1n, 'above'],
    ] as const) {
      if (bound === undefined) continue;
      const fromFormat = range !== undefined && isFormatEnd(bound, range);
      found.push(
        ...rule(
          fromFormat ? `is ${side} ${range}` : `is ${side} its limit`,
          fromFormat
            ? [bound + away, bound * 2n, fromValue(BigInt(`${bound}0`))]
            : [bound + away, bound + away * 1000n],
          fromFormat ? 'beyond-format' : 'constraint',
        ),
      );
    }
    if (number.above !== undefined)
      found.push(...rule('is at its exclusive limit', [fromValue(number.above)]));
    if (number.below !== undefined)
      found.push(...rule('is at its exclusive limit', [fromValue(number.below)]));
    if (number.multipleOf !== undefined && Number.isInteger(number.multipleOf) && number.multipleOf > 1) {
      found.push(...rule(`is no multiple of ${number.multipleOf}`, [BigInt(number.multipleOf) * 1000n + 1n]));
    }
  }
  if (types.includes('array')) {
    if (minItems > 0) found.push(...rule('has too few items', [[]]));
    if (maxItems !== undefined)
      found.push(
        ...rule('has too many items', [Array.from({ length: maxItems + 1 }, (_, index) => `item${index}`)]),
      );
    if (uniqueItems) found.push(...rule('has an item twice', [['same', 'same']]));
  }
  return found;
}

const isFormatEnd = (bound: bigint, format: 'int32' | 'int64'): boolean => {
  const end = 2n ** (format === 'int32' ? 31n : 63n);
  return bound === -end || bound === end - 1n;
};

/** The defects of an object within the plant. */
function inside(name: string, shape: Shape): Defect[] {
  if (!shape.types.includes('object') || shape.properties.size === 0) return [];
  const inner = (twin: JsonObject) => {
    const value = twin.get(name);
    return value instanceof JsonObject ? value : new JsonObject([]);
  };
  return defectsOf(shape)
    .filter(({ family }) => family !== 'not-an-object')
    .map((defect) => ({
      ...defect,
      name: `${name}: ${defect.name}`,
      typical: (twin) => defect.typical(inner(twin)).map((value) => twin.with(name, value)),
      drawn: (twin) => defect.drawn(inner(twin)).map((value) => twin.with(name, value)),
    }));
}
