import fc from 'fast-check';
import { compact } from '../../collections.ts';
import { freshId, freshLike, withWords } from '../fresh.ts';
import { FRESH, type FreshText, type Json, JsonObject, type Member, nestedArrays, Raw } from '../json.ts';
import { ID } from '../plants.ts';
import { HOSTILE } from '../string-samples.ts';
import {
  adding,
  anyOf,
  anyOfList,
  type Context,
  changing,
  type Dimension,
  dimension,
  editing,
  inGroup,
  optional,
  type Value,
} from './dimension.ts';

const having = (
  property: string,
  values: Readonly<Record<string, Json | ((context: Context) => Json)>>,
): Value[] =>
  Object.entries(values).map(([name, value]) =>
    changing(name, (plant, context) =>
      plant.with(property, typeof value === 'function' ? value(context) : value),
    ),
  );

const hostile = ({ sample }: Context): Json => sample(fc.constantFrom(...HOSTILE));

/** Like `freshLike`, after a word that is always the same. */
const afterWord = (form: string): FreshText => freshLike(form).map((text) => `Word${text}`);

const letters = (count: number): FreshText => withWords((word) => word(count));

const NAMES: readonly Value[] = [
  ...having('name', {
    'with a name of 40 letters': withWords((word) => `A${word(39)}`),
    'with an apostrophe in the name': afterWord("'s wordword"),
    'with a hyphen in the name': freshLike('Wword-word word'),
    'with a hyphen and a final digit in the name': freshLike('Wword-word #'),
    'with digits in the name': afterWord(' ####### word'),
    'with a name that starts with a literal': freshLike('null word'),
    'with a name in capital letters': freshLike('WORD'),
  }),
  ...optional(
    having('name', {
      'with an accent in the name': freshLike('wordéñüword'),
      'with a combining accent in the name': freshLike('worde\u0301word'),
      'with a Chinese name': freshLike('木蘭word花'),
      'with a right-to-left name': freshLike('نبتةword'),
      'with an astral character in the name': freshLike('🌵 word'),
      'with control characters in the name': freshLike('word\u0001\u001f\t\nword'),
      // In many languages, `$` in a regular expression also matches before it.
      'with a line feed at the end of the name': freshLike('Wword word\n'),
      'with quotes and backslashes in the name': freshLike('word"\\/"word'),
      'with a line separator in the name': freshLike('word\u2028word'),
    }),
  ),
  ...anyOfList(
    optional(
      having('name', {
        'with a lone high surrogate in the name': freshLike('word\ud800word'),
        'with a lone low surrogate in the name': freshLike('word\udc00word'),
        'with the surrogates of a pair in reverse order in the name': freshLike('word\udf35\ud83cword'),
        'with a name that ends with a lone surrogate': freshLike('word\ud83c'),
      }),
    ),
  ),
  ...optional(
    having('name', {
      'with markup in the name': freshLike('word<b>&amp;word'),
      'with a numeral as the name': freshLike('########'),
      'with a property name as the name': 'tag',
      'with a hostile name': hostile,
      'with an empty name': '',
    }),
  ),
];

const TAGS: readonly Value[] = [
  changing('without a tag', (plant) => plant.without('tag')),
  ...anyOfList(
    having('tag', {
      'with a tag of one letter': letters(1),
      'with the tag null': 'null',
      'with the tag true': 'true',
    }),
  ),
  ...having('tag', { 'with a tag of 20 letters': letters(20) }),
  changing(
    'with the same text as name and tag',
    (plant) => {
      const text = letters(8);
      return plant.with('name', text).with('tag', text);
    },
    { incompatibleWith: ['name', 'size'] },
  ),
  ...optional(
    having('tag', {
      'with an empty tag': '',
      'with a tag in another script': freshLike('サボテンword'),
      'with a hostile tag': hostile,
      'with a numeral as the tag': freshLike('####'),
    }),
  ),
];

const IDS: readonly Value[] = [
  ...having(ID, {
    'with an id near 2^31': freshId(2n ** 31n - 2n ** 21n, 2n ** 31n),
    'with an odd id': freshId(2n ** 24n + 1n, 2n ** 31n, 2n),
    'with an even id': freshId(2n ** 24n, 2n ** 31n, 2n),
    'with an id that no 32-bit float can represent': freshId(2n ** 24n + 1n, 2n ** 30n, 2n),
  }),
  ...optional(
    having(ID, {
      'with an id above 2^31': freshId(2n ** 31n, 2n ** 32n),
      'with an id above 2^32': freshId(2n ** 32n, 2n ** 53n),
      'with an id above 2^53': freshId(2n ** 53n + 1n, 2n ** 62n, 2n),
      'with a negative id': freshId(-(2n ** 31n), -(2n ** 20n)),
      'with an id below -2^53': freshId(-(2n ** 62n), -(2n ** 53n)),
      'with the id 0': 0n,
    }),
  ),
  ...optional(
    anyOfList(
      having(ID, {
        'with an exponent in the id': new Raw((id) => `${id}e0`, 2 ** 20),
        'with an exponent in an id above 2^53': new Raw((id) => `${id}e8`, 2 ** 20),
        'with a decimal point in an id above 2^53': new Raw((id) => `${id}00000000.0`, 2 ** 20),
      }),
    ),
  ),
];

const inOrder = (name: string, order: (members: readonly Member[]) => readonly Member[]): Value =>
  changing(name, ({ members }) => new JsonObject(order(members)));

const ORDERS: readonly Value[] = [
  inOrder('with the properties in reverse order', (members) => members.toReversed()),
  inOrder('with the id in the middle', ([id, ...others]) => compact(others[0], id, ...others.slice(1))),
  inOrder('with the id last', ([id, ...others]) => compact(...others, id)),
];

/** Appends a second property of the same name, whose name may be written differently, to the text. */
const twice = (property: string, second: string, written = property): Value =>
  editing(
    `with a second ${property} of another type${written === property ? '' : ', its name escaped'}`,
    (text) => text.replace(/}(?=\s*$)/, () => `,"${written}":${second}}`),
    { mayMakeInvalid: true },
  );

const FURTHER = Array.from({ length: 24 }, (_, index): readonly [string, Json] => [`further${index}`, 1n]);

const UNDECLARED_NAMES: readonly Value[] = [
  ...inGroup('undeclared property', [
    changing(
      'with an undeclared property first',
      (plant) => new JsonObject([['colour', 'green'], ...plant.members]),
    ),
    changing('after 24 undeclared properties', (plant) => new JsonObject([...FURTHER, ...plant.members])),
    adding('with an empty property name', [['', 'x']]),
    // A store may mistake an object with a length for a list.
    adding('with a property named length', [['length', 3n]]),
    // A store that merges it into a record has a tag of the wrong type, perhaps from then on.
    adding('with a property named __proto__', [['__proto__', new JsonObject([['tag', 7n]])]]),
    adding('with a property named constructor', [['constructor', new JsonObject([['prototype', null]])]]),
    ...anyOfList(
      inGroup('unusual property name', [
        adding('with unusual characters in a property name', [['a.b[0] $ref\n🌵', 1n]]),
        adding('with a lone surrogate in a property name', [['\ud800', 1n]]),
      ]),
    ),
    adding('with property names that differ only in case', [
      ['Name', 'Upper'],
      ['ID', 7n],
      ['Tag', 'upper'],
    ]),
  ]),
  ...inGroup('repeated property', [
    anyOf([
      adding('with a duplicate name', [['name', 'Second']]),
      adding('with a duplicate tag', [['tag', 'second']]),
    ]),
    adding('with a duplicate id', [['id', FRESH]]),
    // A parser may use either of two duplicates (RFC 8259 section 4). But a store that validates one and
    // keeps the other cannot answer with a Plant.
    anyOf([twice('name', '5'), twice('name', '5', 'n\\u0061me')]),
    twice('tag', '["second"]'),
    twice('id', '"second"'),
  ]),
  ...inGroup('undeclared property', [
    anyOf([
      adding('with a flag, a method and a status', [
        ['validate', false],
        ['admin', true],
        ['_method', 'PUT'],
        ['status', 200n],
      ]),
      adding('with undeclared response options', [
        ['status', 'new'],
        ['headers', 'none'],
        ['type', 'text/html'],
        ['body', null],
      ]),
    ]),
  ]),
];

const UNDECLARED_VALUES: readonly Value[] = [
  adding('with undeclared text', [['notes', 'Needs light']]),
  adding('with undeclared text containing every escape', [
    ['notes', new Raw('"a\\/b\\b\\f\\n\\r\\t\\"\\\\"')],
  ]),
  adding('with an undeclared null', [['notes', null]]),
  // A store may copy properties of a rejected plant into its Error.
  adding('with undeclared error and message', [
    ['error', 'none'],
    ['message', 7n],
  ]),
  adding('with an undeclared list', [['notes', ['x', 1n, null, [true]]]]),
  adding('with a plant in an undeclared property', [
    [
      'plant',
      new JsonObject([
        ['id', 1n],
        ['name', 'Inner'],
        ['tag', 'inner'],
      ]),
    ],
  ]),
  adding('with a property nested 50 deep', [['extra', nestedArrays(50)]]),
  adding('with undeclared numbers of every kind', [
    [
      'height',
      ['-0', '1.5e3', '0.1', '1E-7', '123456789012345678901234567890', '1e400'].map((text) => new Raw(text)),
    ],
  ]),
];

export const plantDimensions: readonly Dimension[] = [
  dimension('name', NAMES),
  dimension('tag', TAGS),
  dimension('id', IDS),
  dimension('property order', ORDERS),
  dimension('undeclared names', optional(UNDECLARED_NAMES)),
  dimension('undeclared values', optional(UNDECLARED_VALUES)),
];
