import { Numeral, readJson, type Value } from '../../reference/json.ts';
import { type BrokenStore, broken, brokenBy } from '../fleet.ts';
import {
  accepting,
  acceptingKind,
  failing,
  type Kind,
  kindOf,
  lastIs,
  ONE,
  parsing,
  reading,
  type Seen,
  somePlant,
  tagged,
  tagless,
} from '../helpers.ts';

/** The checks that fail if a wrong type is accepted. */
const WRONG_TYPE = [
  'invalid/rejects-any-wrong-type',
  'invalid/rejects-wrong-type',
  'state/accepts-among-many-rejections',
];
/** The checks that fail if words are accepted as id. */
const WORDS = [
  'invalid/rejects-numeric-string-id',
  'invalid/rejects-wrong-type',
  'state/accepts-among-many-rejections',
];
/** The checks that fail if null is accepted, and no other wrong type. */
const NULL = [
  'invalid/rejects-any-wrong-type',
  'invalid/rejects-null',
  'state/accepts-among-many-rejections',
];
/** The checks that fail if null and other wrong types are accepted. */
const NULL_AND_OTHERS = [
  'invalid/rejects-null',
  'invalid/rejects-wrong-type',
  'state/accepts-among-many-rejections',
];

const acceptsKind = brokenBy(WRONG_TYPE, acceptingKind);
const longName = ({ name }: Seen) => name.length > 20;
const numeralText = (value: Value | undefined) => typeof value === 'string' && /^-?\d+$/.test(value);
const acceptingId = (kind: Kind, test: (id: Value | undefined) => boolean) =>
  acceptingKind('id', kind, ({ fields }) => test(fields.get('id')));
const falsy = (value: Value | undefined) =>
  value === null || value === false || value === '' || (value instanceof Numeral && Number(value.text) === 0);
/** What a common library calls empty; a missing value is none. */
const isEmpty = (value: Value | undefined) =>
  value === null ||
  typeof value === 'boolean' ||
  value instanceof Numeral ||
  (Array.isArray(value) && value.length === 0) ||
  (value instanceof Map && value.size === 0);
const WRONG_NAME = ['null', 'boolean', 'integer', 'fraction', 'array', 'object'] as const;
const WRONG_ID = ['null', 'boolean', 'string', 'array', 'object'] as const;

/** The element of an array that has just one. */
const unwrapped = (value: Value): Value =>
  Array.isArray(value) && value.length === 1 && value[0] !== undefined ? value[0] : value;

const asText = (value: Value): Value =>
  value instanceof Numeral ? value.text : typeof value === 'boolean' ? String(value) : value;

/** Converts null, booleans and numeric strings. */
function asInteger(value: Value): Value {
  if (value === null || typeof value === 'boolean') return new Numeral(String(Number(value)));
  return typeof value === 'string' && numeralText(value) ? new Numeral(value) : value;
}

/** Stores that accept a property of a wrong type. */
export const coercion: readonly BrokenStore[] = [
  broken(
    'any-array-of-one',
    'takes the element of an array of one, as Jackson does with UNWRAP_SINGLE_VALUE_ARRAYS',
    ['invalid/rejects-non-objects', 'invalid/rejects-wrong-type'],
    (right) => ({
      validate(value, request) {
        const body = unwrapped(value);
        if (!(body instanceof Map)) return right.validate(body, request);
        return right.validate(new Map([...body].map(([name, one]) => [name, unwrapped(one)])), request);
      },
    }),
  ),
  broken(
    'text-of-scalars',
    'takes a number or a boolean for text',
    ['invalid/rejects-wrong-type', 'invalid/rejects-any-wrong-type'],
    (right) => ({
      validate(value, request) {
        if (!(value instanceof Map)) return right.validate(value, request);
        const entries = [...value].map(([name, one]) => [name, name === 'id' ? one : asText(one)] as const);
        return right.validate(new Map(entries), request);
      },
    }),
  ),
  broken(
    'any-coerced',
    'converts every value to the type of the schema, as ajv does with coerceTypes',
    ['invalid/rejects-wrong-type', 'invalid/rejects-any-wrong-type', 'invalid/rejects-null'],
    (right) => ({
      validate(value, request) {
        if (!(value instanceof Map)) return right.validate(value, request);
        const entries = [...value].map(
          ([name, one]) => [name, name === 'id' ? asInteger(one) : asText(one ?? '')] as const,
        );
        return right.validate(new Map(entries), request);
      },
    }),
  ),
  // id
  broken(
    'id-numeral-string',
    'converts a string to the id: Number("7") is 7',
    ['invalid/rejects-numeric-string-id', 'state/accepts-among-many-rejections'],
    acceptingId('string', numeralText),
  ),
  broken('id-any-string', 'accepts any string as id', WORDS, acceptingKind('id', 'string')),
  broken(
    'id-word',
    'accepts a non-numeric string as id',
    WORDS,
    acceptingId('string', (id) => !numeralText(id)),
  ),
  broken(
    'id-fraction-without-point',
    'accepts an id such as 5e-7: it detects a fraction by the decimal point in the text',
    ['invalid/rejects-fractional-id'],
    (right) => ({
      validate(value, request) {
        const id = value instanceof Map ? value.get('id') : undefined;
        const number = id instanceof Numeral ? Number(id.text) : Number.NaN;
        if (!(value instanceof Map) || Number.isInteger(number) || !/^-?\d+e-/.test(String(number)))
          return right.validate(value, request);
        return right.validate(new Map([...value, ['id', new Numeral('1')]]), request);
      },
    }),
  ),
  broken(
    'id-text-half-500',
    '500 if id is a string with a lone surrogate: the message quotes it, and cannot be encoded',
    ['invalid/rejects-wrong-type', 'invariants/no-server-error'],
    failing(({ fields }) => {
      const id = fields.get('id');
      return typeof id === 'string' && /\p{Cs}/u.test(id);
    }),
  ),
  broken(
    'id-huge-numeral',
    'accepts a numeric string beyond 2^53 as id: Protocol Buffers write int64 like this in JSON',
    ['invalid/rejects-numeric-string-id'],
    acceptingId('string', (id) => typeof id === 'string' && /^-?\d{16,}$/.test(id)),
  ),
  broken(
    'id-long-numeral',
    'accepts a numeric string of more than 5 digits as id',
    ['invalid/rejects-numeric-string-id'],
    acceptingId('string', (id) => typeof id === 'string' && /^\d{6,}$/.test(id)),
  ),
  broken(
    'id-numeral-tagless',
    'accepts a numeric string as id if there is no tag',
    ['invalid/rejects-numeric-string-id'],
    acceptingKind('id', 'string', (seen) => tagless(seen) && numeralText(seen.fields.get('id'))),
  ),
  broken(
    'id-string-last',
    'accepts a string as id if id is the last property',
    WORDS,
    acceptingKind('id', 'string', lastIs('id')),
  ),
  broken(
    'id-truncated',
    'truncates a fractional id',
    [
      'invalid/rejects-any-wrong-type',
      'invalid/rejects-fractional-id',
      'state/accepts-among-many-rejections',
    ],
    acceptingKind('id', 'fraction'),
  ),
  broken(
    'id-fraction-tagged',
    'truncates a fractional id if there is a tag',
    [
      'invalid/rejects-any-wrong-type',
      'invalid/rejects-fractional-id',
      'state/accepts-among-many-rejections',
    ],
    acceptingKind('id', 'fraction', tagged),
  ),
  broken(
    'id-any-short-name',
    'accepts anything as id if the name is shorter than 6 characters',
    ['invalid/rejects-any-defect', 'invalid/rejects-any-wrong-type'],
    acceptingKind('id', ['fraction', ...WRONG_ID], ({ name }) => name.length > 0 && name.length < 6),
  ),
  broken(
    'id-any-large-body',
    'accepts anything as id if the body is longer than 16 KiB',
    ['combinations/rejects-invalid-bodies'],
    acceptingKind('id', ['fraction', ...WRONG_ID], ({ text }) => text.length > 16_384),
  ),
  broken(
    'id-fraction-large',
    'accepts a fraction as id above a million: a comparison with a relative tolerance',
    ['combinations/rejects-invalid-bodies'],
    acceptingId('fraction', (id) => id instanceof Numeral && Math.abs(Number(id.text)) > 1e6),
  ),
  broken(
    'id-fraction-near-integer',
    'accepts a fraction as id if it is near an integer, relative to its size',
    ['invalid/rejects-fractional-id', 'invalid/rejects-any-wrong-type'],
    acceptingId('fraction', (id) => {
      const value = id instanceof Numeral ? Number(id.text) : 0;
      return Math.abs(value - Math.round(value)) <= 1e-9 * Math.abs(value);
    }),
  ),
  broken(
    'id-fraction-beyond-31-bits',
    'accepts a fraction as id from 2^31 on, where it does not check with | 0',
    ['invalid/rejects-fractional-id', 'combinations/rejects-invalid-bodies'],
    acceptingId('fraction', (id) => id instanceof Numeral && Number(id.text) >= 2 ** 31),
  ),
  broken(
    'id-fraction-negative',
    'accepts a negative fraction as id: id % 1 > 0',
    ['invalid/rejects-fractional-id'],
    acceptingId('fraction', (id) => id instanceof Numeral && Number(id.text) < 0),
  ),
  broken(
    'id-fraction-long-name',
    'truncates a fractional id if the name is longer than 20 characters',
    ['combinations/rejects-invalid-bodies'],
    acceptingKind('id', 'fraction', longName),
  ),
  acceptsKind('id-boolean', 'converts a boolean to the id: Number(true) is 1', 'id', 'boolean'),
  broken(
    'id-true',
    'accepts true as id 1',
    ['invalid/rejects-any-defect', 'invalid/rejects-wrong-type', 'state/accepts-among-many-rejections'],
    acceptingId('boolean', (id) => id === true),
  ),
  broken(
    'id-false',
    'accepts false as id 0',
    ['invalid/rejects-any-defect', 'invalid/rejects-any-wrong-type', 'invalid/rejects-wrong-type'],
    acceptingId('boolean', (id) => id === false),
  ),
  broken('id-null', 'treats an id of null as missing and assigns one', NULL, acceptingKind('id', 'null')),
  broken(
    'id-null-tagless',
    'accepts null as id if there is no tag',
    ['invalid/rejects-null'],
    acceptingKind('id', 'null', tagless),
  ),
  acceptsKind('id-array', 'accepts any array as id', 'id', 'array'),
  broken(
    'id-by-pattern',
    'tests whether a regular expression matches the id, which converts it to a string',
    ['invalid/rejects-numeric-string-id', 'invalid/rejects-wrong-type'],
    reading('id', (value) => {
      if (value instanceof Map && value.has('toString')) throw new Error('cannot be converted');
      const one = Array.isArray(value) ? unwrapped(value) : value;
      return numeralText(one) || (one !== value && one instanceof Numeral) ? ONE : value;
    }),
  ),
  broken(
    'two-defects-cancel',
    'combines its checks of id, name and tag with exclusive or, so that two defects cancel',
    ['invalid/rejects-any-defect'],
    accepting(({ value, fields }) => {
      const wrong = ['id', 'name', 'tag'].filter((name) => {
        const kind = kindOf(fields.get(name));
        return kind !== (name === 'id' ? 'integer' : 'string') && (kind !== 'absent' || name !== 'tag');
      });
      return value instanceof Map && wrong.length === 2;
    }),
  ),
  broken(
    'tag-empty-is-absent',
    'treats a tag as absent if a library calls it empty: null, numbers, booleans, [] and {}',
    ['invalid/rejects-wrong-type'],
    parsing(
      ({ fields }) => isEmpty(fields.get('tag')),
      ({ body }) => {
        const value = readJson(body);
        return value instanceof Map ? new Map([...value].filter(([name]) => name !== 'tag')) : value;
      },
    ),
  ),
  broken(
    'any-type-if-present',
    'checks only that id and name exist, and fails to print an object with its own toString',
    ['invalid/rejects-wrong-type', 'invalid/rejects-any-wrong-type', 'invariants/no-server-error'],
    (right) => ({
      validate(value, request) {
        const isThere = (name: string) => value instanceof Map && (value.get(name) ?? null) !== null;
        if (!(value instanceof Map) || !isThere('id') || !isThere('name'))
          return right.validate(value, request);
        for (const own of value.values())
          if (own instanceof Map && own.has('toString'))
            throw new TypeError('cannot convert object to primitive value');
        const rightOnes = [...value].filter(
          ([name, own]) => kindOf(own) === (name === 'id' ? 'integer' : 'string'),
        );
        return right.validate(new Map([...somePlant(), ...rightOnes]), request);
      },
    }),
  ),
  broken(
    'id-array-of-one',
    'converts an array of one element to the id: Number([7]) is 7',
    ['invalid/rejects-wrong-type'],
    reading('id', (id) => (Array.isArray(id) && id.length === 1 ? id[0] : id)),
  ),
  acceptsKind('id-object', 'accepts any object as id', 'id', 'object'),
  broken(
    'id-falsy',
    'replaces any falsy id with one of its own',
    NULL_AND_OTHERS,
    reading('id', (id) => (falsy(id) ? ONE : id)),
  ),
  broken(
    'id-not-object',
    'rejects only arrays and objects as id',
    ['invalid/rejects-fractional-id', 'invalid/rejects-null', 'invalid/rejects-numeric-string-id'],
    acceptingKind('id', ['null', 'boolean', 'string', 'fraction']),
  ),
  broken(
    'id-unchecked',
    'accepts any type as id',
    ['invalid/rejects-null', 'invalid/rejects-numeric-string-id', 'invalid/rejects-wrong-type'],
    acceptingKind('id', WRONG_ID),
  ),
  broken(
    'id-unchecked-odd-name',
    'accepts any type as id if the name contains a digit, hyphen or apostrophe',
    ['invalid/rejects-any-defect', 'invalid/rejects-any-wrong-type'],
    acceptingKind('id', WRONG_ID, ({ name }) => /[\d'-]/.test(name)),
  ),

  // name
  acceptsKind('name-number', 'accepts a number as name', 'name', ['integer', 'fraction']),
  broken(
    'name-number-tagless',
    'accepts a number as name if there is no tag',
    ['invalid/rejects-any-wrong-type', 'invalid/rejects-wrong-type', 'combinations/rejects-invalid-bodies'],
    acceptingKind('name', ['integer', 'fraction'], tagless),
  ),
  acceptsKind('name-boolean', 'accepts a boolean as name', 'name', 'boolean'),
  acceptsKind(
    'name-boolean-tagged',
    'accepts a boolean as name if there is a tag',
    'name',
    'boolean',
    tagged,
  ),
  broken('name-null', 'accepts null as an empty name', NULL, acceptingKind('name', 'null')),
  broken(
    'name-null-tagged',
    'accepts null as name if there is a tag',
    ['invalid/rejects-null'],
    acceptingKind('name', 'null', tagged),
  ),
  acceptsKind('name-array', 'accepts an array as name and joins it', 'name', 'array'),
  broken(
    'name-array-tagless',
    'accepts an array as name if there is no tag',
    ['invalid/rejects-wrong-type', 'combinations/rejects-invalid-bodies'],
    acceptingKind('name', 'array', tagless),
  ),
  acceptsKind('name-object', 'accepts an object as name: [object Object]', 'name', 'object'),
  broken(
    'name-object-even-id',
    'accepts an object as name if the id is even',
    ['invalid/rejects-any-wrong-type', 'invalid/rejects-wrong-type'],
    acceptingKind('name', 'object', ({ id }) => id !== undefined && id % 2n === 0n),
  ),
  broken(
    'name-falsy',
    'checks the type of name only if it is truthy',
    NULL_AND_OTHERS,
    reading('name', (name) => (falsy(name) ? '' : name)),
  ),
  broken('name-unchecked', 'accepts any type as name', NULL_AND_OTHERS, acceptingKind('name', WRONG_NAME)),
  broken(
    'name-unchecked-last',
    'does not check the type of name if it is the last property',
    ['invalid/rejects-any-defect', 'invalid/rejects-any-wrong-type'],
    acceptingKind('name', WRONG_NAME, lastIs('name')),
  ),
  broken(
    'name-unchecked-large-id',
    'accepts any type as name if the id is above 2^30',
    ['invalid/rejects-any-defect', 'invalid/rejects-any-wrong-type', 'invalid/rejects-wrong-type'],
    acceptingKind('name', WRONG_NAME, ({ id }) => id !== undefined && id > 2n ** 30n),
  ),

  // tag
  broken('tag-null', 'treats a tag of null as missing', NULL, acceptingKind('tag', 'null')),
  broken(
    'tag-null-long-name',
    'accepts null as tag if the name is longer than 20 characters',
    ['combinations/rejects-invalid-bodies'],
    acceptingKind('tag', 'null', longName),
  ),
  acceptsKind('tag-number', 'accepts a number as tag', 'tag', ['integer', 'fraction']),
  acceptsKind('tag-boolean', 'accepts a boolean as tag', 'tag', 'boolean'),
  acceptsKind('tag-array', 'accepts an array as tag', 'tag', 'array'),
  broken(
    'tag-array-long-name',
    'accepts an array as tag if the name is longer than 20 characters',
    ['combinations/rejects-invalid-bodies'],
    acceptingKind('tag', 'array', longName),
  ),
  acceptsKind('tag-object', 'accepts an object as tag', 'tag', 'object'),
  broken(
    'tag-object-last',
    'accepts an object as tag if it is the last property',
    ['invalid/rejects-any-wrong-type', 'invalid/rejects-wrong-type'],
    acceptingKind('tag', 'object', lastIs('tag')),
  ),
  broken(
    'tag-falsy',
    'checks the type of tag only if it is truthy',
    NULL_AND_OTHERS,
    reading('tag', (tag) => (falsy(tag) ? undefined : tag)),
  ),
  broken(
    'tag-unchecked',
    'does not check the type of tag',
    NULL_AND_OTHERS,
    acceptingKind('tag', WRONG_NAME),
  ),
  broken(
    'tag-unchecked-short-name',
    'checks the type of tag only if the name is longer than 8 characters',
    ['invalid/rejects-any-defect', 'invalid/rejects-any-wrong-type'],
    acceptingKind('tag', WRONG_NAME, ({ name }) => name.length <= 8),
  ),
  broken(
    'last-unchecked',
    'does not check the type of tag if it is the last of at least three properties',
    ['invalid/rejects-any-wrong-type', 'invalid/rejects-null', 'invalid/rejects-wrong-type'],
    reading('tag', (tag, seen) =>
      kindOf(tag) !== 'string' && lastIs('tag')(seen) && seen.fields.size > 2 ? undefined : tag,
    ),
  ),
];
