import fc, { type Arbitrary } from 'fast-check';
import { type JsonType, meet, type Shape, type TextLimits, typesOf } from '../contract/schema.ts';
import { FRESH, fromValue, type Json, JsonObject, object, Raw, write } from './json.ts';
import { at, besideGrid, gridOf } from './numbers.ts';
import { oneOfShape, otherName } from './plants.ts';
import { draw } from './random.ts';
import { remembered } from './remembered.ts';
import { HOSTILE, ordinaryTag, patterned } from './strings.ts';

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

/** Where in a plant a value stands. */
interface Place {
  /** As it is called in the name of a defect. */
  readonly name: string;
  /** The property of the plant that it is, or is within. */
  readonly property: string;
  get(twin: JsonObject): Json | undefined;
  put(twin: JsonObject, value: Json): JsonObject;
}

const propertyAt = (name: string): Place => ({
  name,
  property: name,
  get: (twin) => twin.get(name),
  put: (twin, value) => twin.with(name, value),
});

/**
 * Every defect that the shape of the document admits, each the only thing wrong with its payload.
 * Candidates, still: where a schema says more than a shape can hold, the validator has the last word.
 */
export const defectsOf = remembered(candidatesOf);

function candidatesOf(shape: Shape): readonly Defect[] {
  const kinds = shape.alternatives.filter(({ types }) => types.includes('object'));
  // What is no plant of one kind may be one of another: the validator decides.
  if (kinds.length > 0) return uniqueByName(kinds.flatMap((kind) => defectsOf(kind)));
  return [
    ...notAnObject(shape),
    ...[...shape.required].flatMap((name) => missing(name)),
    ...missingAll(shape),
    ...[...shape.properties].flatMap(([name, property]) => defectsAt(propertyAt(name), property)),
    ...shape.others.flatMap(({ pattern, shape: other }) =>
      defectsAt(propertyAt(sample(otherName(pattern)) ?? ''), other),
    ),
    ...(shape.closed
      ? [listed('an undeclared property', 'constraint', undefined, (twin) => [twin.with('undeclared', true)])]
      : []),
  ];
}

/** The defects of a value, wherever it stands. */
function defectsAt(place: Place, shape: Shape): Defect[] {
  const kinds = shape.alternatives;
  if (kinds.length > 0)
    return uniqueByName([
      ...wrongTypes(place, shape),
      ...kinds.flatMap((kind) => [
        ...constraints(place, kind),
        ...inside(place, kind),
        ...insideItems(place, kind),
      ]),
      ...ofTwoKinds(place, kinds),
    ]);
  return [
    ...wrongTypes(place, shape),
    ...constraints(place, shape),
    ...inside(place, shape),
    ...insideItems(place, shape),
  ];
}

/** Of defects with the same name, that of each kind: one may be what another kind admits. */
const uniqueByName = (defects: readonly Defect[]): Defect[] => {
  const seen = new Map<string, number>();
  return defects.map((defect) => {
    const count = (seen.get(defect.name) ?? 0) + 1;
    seen.set(defect.name, count);
    return count === 1 ? defect : { ...defect, name: `${defect.name} (kind ${count})` };
  });
};

/** One value, always the same; undefined where the arbitrary has none. */
const sample = <T>(arbitrary: Arbitrary<T> | undefined, index = 0): T | undefined =>
  arbitrary === undefined ? undefined : draw(arbitrary, 0, 'defect', index).value;

const plainValues = remembered((shape: Shape) => oneOfShape(shape, 'plain', true));
const firstOf = remembered((shape: Shape) => sample(plainValues(shape)));

const sampleOf = (shape: Shape, index = 0): Json | undefined =>
  index === 0 ? firstOf(shape) : sample(plainValues(shape), index);

/** Values that two alternatives admit, where exactly one of them may. */
function ofTwoKinds(place: Place, kinds: readonly Shape[]): Defect[] {
  const both = kinds.flatMap((kind, index) =>
    kinds
      .slice(index + 1)
      .map((other) => meet(kind, other))
      .filter(({ types, values }) => types.length > 0 && values?.length !== 0),
  );
  const values = both.flatMap((shape) => sampleOf({ ...shape, alternatives: [] }) ?? []);
  if (values.length === 0) return [];
  return [
    listed(`${place.name} is of two kinds at once`, 'constraint', place.property, (twin) =>
      values.map((value) => place.put(twin, value)),
    ),
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
function foreignTypes(shape: Shape): Foreign[] {
  const types = typesOf(shape);
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

function wrongTypes({ name, property, get, put }: Place, shape: Shape): Defect[] {
  return foreignTypes(shape).map((type) => {
    const own = (twin: JsonObject): Json => get(twin) ?? 'fern';
    return {
      name: `${name} is ${TITLES[type]}`,
      family: type === 'null' || type === 'fraction' || type === 'numeral' ? type : 'wrong-type',
      property,
      typical: (twin) => IMPOSTORS[type](own(twin)).map((value) => put(twin, value)),
      drawn: (twin) =>
        fc
          .oneof(fc.constantFrom(...IMPOSTORS[type](own(twin))), drawnImpostors[type](own(twin)))
          .map((value) => put(twin, value)),
    };
  });
}

/** Characters of the longest string that is sent because a shape forbids it. */
const LONGEST = 20_000;

/** The shape's own limits, each overstepped by as little as can be, and by much; where it goes, that limit alone. */
function constraints({ name, property, get, put }: Place, shape: Shape): Defect[] {
  const types = typesOf(shape);
  const { values, text, minItems, maxItems, uniqueItems } = shape;
  const ruleOf = (title: string, breaking: (own: Json) => readonly Json[], family: Family = 'constraint') =>
    listed(`${name} ${title}`, family, property, (twin) =>
      different(breaking(get(twin) ?? sampleOf(shape) ?? null)).map((value) => put(twin, value)),
    );
  const rule = (title: string, breaking: readonly Json[], family?: Family) =>
    ruleOf(title, () => breaking, family);
  const found: Defect[] = [];
  if (values !== undefined) return [rule('is none of the allowed values', noneOf(values))];
  if (types.includes('string')) {
    if (text.min > 0) found.push(rule('is too short', tooShort(text)));
    // What is longer does not fit into a request of 64 KiB, or is beyond what a string can hold.
    if (text.max !== undefined && text.max < LONGEST)
      found.push(rule('is too long', tooLong(text, text.max)));
    if (text.patterns.length > 0)
      found.push(
        ruleOf('does not match its pattern', (own) => [
          ...altered(own),
          ...['', ' ', '~', 'a~', '1', 'A', '\n'],
        ]),
      );
    if (text.format !== undefined)
      found.push(
        ruleOf(`is not in the format ${text.format}`, (own) => [
          ...altered(own).slice(0, 1),
          ...['', 'not that format', '~'],
        ]),
      );
  }
  if (types.includes('integer') || types.includes('number')) {
    for (const [title, breaking, family] of offTheGrid(shape, types.includes('number')))
      found.push(rule(title, breaking, family));
  }
  if (types.includes('array')) {
    const items = (own: Json, count: number) => itemsOf(own, shape, count);
    if (minItems > 0) found.push(ruleOf('has too few items', (own) => [items(own, minItems - 1), []]));
    if (maxItems !== undefined && maxItems < LONGEST / 10)
      found.push(ruleOf('has too many items', (own) => [items(own, maxItems + 1)]));
    if (uniqueItems)
      found.push(
        ruleOf('has an item twice', (own) => {
          const once = items(own, Math.max(1, Math.min(maxItems ?? 2, Math.max(minItems, 2)) - 1));
          return [
            [...once, ...once.slice(0, 1)],
            ['same', 'same'],
          ];
        }),
      );
  }
  return found;
}

/** Each of some values once. */
const different = (values: readonly Json[]): readonly Json[] => [
  ...new Map<string, Json>(values.map((value) => [write(value, 1n), value] as const)).values(),
];

/** What is like the allowed values and none of them, of the same types as far as there are others. */
function noneOf(values: readonly unknown[]): readonly Json[] {
  const near = values.flatMap((value): unknown[] => {
    if (typeof value === 'string') return [value.toUpperCase(), `${value} `, `${value}x`];
    if (typeof value === 'number') return [value + 1];
    return typeof value === 'boolean' ? [!value] : [];
  });
  return [...near.filter((value) => !values.includes(value)).map(fromValue), 'none of these', -12_345n];
}

/** Strings that keep to a pattern or format where that leaves any, and else of letters. */
const ofLength = (text: TextLimits, min: number, max: number, letter = 'a'): string =>
  sample(patterned({ ...text, min, max })) ?? letter.repeat(max);

function tooShort(text: TextLimits): readonly Json[] {
  const lengths = [...new Set([text.min - 1, 0])];
  return lengths.map((length) => ofLength(text, length, length));
}

/** Counted in code points: an astral letter is one. */
function tooLong(text: TextLimits, max: number): readonly Json[] {
  return [
    ofLength(text, max + 1, max + 1),
    ...['é', '🌵'].map((letter) => letter.repeat(max + 1)),
    'a'.repeat(Math.min(max * 4 + 10, LONGEST)),
  ];
}

/** A string with another character in each of several places, as long as before. */
function altered(own: Json): readonly Json[] {
  const letters = [...(typeof own === 'string' && own !== '' ? own : 'fern')];
  const places = [0, letters.length >> 1, letters.length - 1];
  return ['~', '\n', 'é', '0', 'Z', ' '].flatMap((other) =>
    places.map((index) => letters.with(index, other).join('')),
  );
}

/** So many items, of a list that is there or of the shape. */
function itemsOf(own: Json, { items, uniqueItems }: Shape, count: number): readonly Json[] {
  const found: Json[] = Array.isArray(own) ? own.slice(0, count) : [];
  const known = new Set(found.map((item) => write(item, 1n)));
  for (let index = 0; found.length < count && index < 4 * count + 64; index += 1) {
    const item = items === undefined ? `item${index}` : sampleOf(items, index);
    if (item === undefined || (uniqueItems && known.has(write(item, 1n)))) continue;
    known.add(write(item, 1n));
    found.push(item);
  }
  return found;
}

/** Numbers beside the limits of a shape, and what each of them oversteps. */
function offTheGrid(
  { number }: Shape,
  fractions: boolean,
): (readonly [title: string, breaking: readonly Json[], family?: Family])[] {
  const found: [string, readonly Json[], Family?][] = [];
  const grid = gridOf(number, !fractions);
  const range = number.format === 'int64' || number.format === 'int32' ? number.format : undefined;
  const ends = [
    { bound: number.min, exclusive: number.above, place: grid.first, away: -1n, side: 'below' },
    { bound: number.max, exclusive: number.below, place: grid.last, away: 1n, side: 'above' },
  ] as const;
  for (const { bound, exclusive, place, away, side } of ends) {
    if (place === undefined) continue;
    const beyond = (steps: bigint) => at(grid, place + away * steps);
    if (range !== undefined && typeof bound === 'bigint' && isFormatEnd(bound, range))
      found.push([`is ${side} ${range}`, [bound + away, bound * 2n, BigInt(`${bound}0`)], 'beyond-format']);
    else if (bound !== undefined) found.push([`is ${side} its limit`, [beyond(1n), beyond(1000n)]]);
    if (exclusive !== undefined)
      found.push(['is at its exclusive limit', [fromValue(exclusive), beyond(1n), beyond(1000n)]]);
  }
  if (number.multipleOf !== undefined) {
    const inside = grid.first ?? (grid.last === undefined ? 1000n : grid.last - 1n);
    const value = besideGrid(grid, inside, !fractions);
    if (value !== undefined) found.push([`is no multiple of ${number.multipleOf}`, [value]]);
  }
  return found;
}

const isFormatEnd = (bound: bigint, format: 'int32' | 'int64'): boolean => {
  const end = 2n ** (format === 'int32' ? 31n : 63n);
  return bound === -end || bound === end - 1n;
};

/** The defects of an object within the plant. */
function inside(place: Place, shape: Shape): Defect[] {
  const { types, properties, others, closed } = shape;
  if (!types.includes('object') || (properties.size === 0 && others.length === 0 && !closed)) return [];
  const inner = (twin: JsonObject) => {
    const value = place.get(twin) ?? sampleOf(shape);
    return value instanceof JsonObject ? value : new JsonObject([]);
  };
  return defectsOf(shape)
    .filter(({ family }) => family !== 'not-an-object')
    .map((defect) => ({
      ...defect,
      name: `${place.name}: ${defect.name}`,
      property: place.property,
      typical: (twin) => defect.typical(inner(twin)).map((value) => place.put(twin, value)),
      drawn: (twin) => defect.drawn(inner(twin)).map((value) => place.put(twin, value)),
    }));
}

/** The defects of the first item of a list within the plant. */
function insideItems(place: Place, shape: Shape): Defect[] {
  const { types, items, minItems } = shape;
  if (!types.includes('array') || items === undefined) return [];
  const list = (twin: JsonObject) => itemsOf(place.get(twin) ?? null, shape, Math.max(1, minItems));
  return defectsAt(
    {
      name: `${place.name}[0]`,
      property: place.property,
      get: (twin) => list(twin)[0],
      put(twin, value) {
        const own = place.get(twin);
        const [, ...rest] = Array.isArray(own) && own.length > 0 ? own : list(twin);
        return place.put(twin, [value, ...rest]);
      },
    },
    items,
  );
}
