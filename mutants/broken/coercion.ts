import { Numeral, type Value } from '../../reference/json.ts';
import { type BrokenStore, broken } from '../fleet.ts';
import { kindOf, lastIs, ONE, reading, type Seen, tagged, tagless, taking } from '../helpers.ts';

const longName = ({ name }: Seen) => name.length > 20;
const numeralText = (value: Value | undefined) => typeof value === 'string' && /^-?\d+$/.test(value);
const sent = (property: string, test: (value: Value | undefined) => boolean) => (seen: Seen) =>
  test(seen.fields.get(property));
const falsy = (value: Value | undefined) =>
  value === null || value === false || value === '' || (value instanceof Numeral && Number(value.text) === 0);
const WRONG_NAME = ['null', 'boolean', 'integer', 'fraction', 'array', 'object'] as const;
const WRONG_ID = ['null', 'boolean', 'string', 'array', 'object'] as const;

/** A property of a wrong type is taken. */
export const coercion: readonly BrokenStore[] = [
  // id
  broken(
    'id-numeral-string',
    'id is an integer: Number("7") is 7',
    ['refuse/any-wrong-type', 'refuse/numeral-in-a-string', 'serving/after-a-barrage'],
    taking('id', 'string', sent('id', numeralText)),
  ),
  broken(
    'id-any-string',
    'id is an integer: any string',
    ['refuse/numeral-in-a-string', 'refuse/wrong-type', 'serving/after-a-barrage'],
    taking('id', 'string'),
  ),
  broken(
    'id-word',
    'id is an integer: a string only where it is no numeral',
    ['refuse/numeral-in-a-string', 'refuse/wrong-type', 'serving/after-a-barrage'],
    taking(
      'id',
      'string',
      sent('id', (id) => !numeralText(id)),
    ),
  ),
  broken(
    'id-long-numeral',
    'id is an integer: a numeral in a string only where it has more than 5 digits',
    ['refuse/any-defect', 'refuse/any-wrong-type', 'refuse/numeral-in-a-string'],
    taking(
      'id',
      'string',
      sent('id', (id) => typeof id === 'string' && /^\d{6,}$/.test(id)),
    ),
  ),
  broken(
    'id-numeral-tagless',
    'id is an integer: a numeral in a string only where there is no tag',
    ['refuse/any-defect', 'refuse/any-wrong-type', 'refuse/numeral-in-a-string'],
    taking('id', 'string', (seen) => tagless(seen) && numeralText(seen.fields.get('id'))),
  ),
  broken(
    'id-string-last',
    'id is an integer: a string only where id comes last',
    ['refuse/numeral-in-a-string', 'refuse/wrong-type', 'serving/after-a-barrage'],
    taking('id', 'string', lastIs('id')),
  ),
  broken(
    'id-truncated',
    'id has no fraction: truncated',
    ['refuse/any-wrong-type', 'refuse/fraction', 'serving/after-a-barrage'],
    taking('id', 'fraction'),
  ),
  broken(
    'id-fraction-tagged',
    'id has no fraction: truncated only where there is a tag',
    ['refuse/any-wrong-type', 'refuse/fraction', 'serving/after-a-barrage'],
    taking('id', 'fraction', tagged),
  ),
  broken(
    'id-any-short-name',
    'id is an integer: anything only where the name is shorter than 6',
    ['refuse/any-defect', 'refuse/any-wrong-type'],
    taking('id', ['fraction', ...WRONG_ID], ({ name }) => name.length > 0 && name.length < 6),
  ),
  broken(
    'id-any-large-body',
    'id is an integer: anything only where the body is longer than 16 KiB',
    ['refuse/any-defect', 'refuse/any-wrong-type'],
    taking('id', ['fraction', ...WRONG_ID], ({ text }) => text.length > 16_384),
  ),
  broken(
    'id-fraction-long-name',
    'id has no fraction: truncated only where the name is longer than 20',
    ['refuse/any-defect', 'refuse/any-wrong-type'],
    taking('id', 'fraction', longName),
  ),
  broken(
    'id-boolean',
    'id is an integer: Number(true) is 1',
    ['refuse/any-wrong-type', 'refuse/wrong-type', 'serving/after-a-barrage'],
    taking('id', 'boolean'),
  ),
  broken(
    'id-true',
    'id is an integer: true only, as 1',
    ['refuse/any-defect', 'refuse/wrong-type', 'serving/after-a-barrage'],
    taking(
      'id',
      'boolean',
      sent('id', (id) => id === true),
    ),
  ),
  broken(
    'id-false',
    'id is an integer: false only, as 0',
    ['refuse/any-defect', 'refuse/any-wrong-type', 'refuse/wrong-type'],
    taking(
      'id',
      'boolean',
      sent('id', (id) => id === false),
    ),
  ),
  broken(
    'id-null',
    'id is an integer: null is absent, and given by the store',
    ['refuse/any-wrong-type', 'refuse/null', 'serving/after-a-barrage'],
    taking('id', 'null'),
  ),
  broken(
    'id-null-tagless',
    'id is an integer: null only where there is no tag',
    ['refuse/any-wrong-type', 'refuse/null'],
    taking('id', 'null', tagless),
  ),
  broken(
    'id-array',
    'id is an integer: any array',
    ['refuse/any-wrong-type', 'refuse/wrong-type', 'serving/after-a-barrage'],
    taking('id', 'array'),
  ),
  broken(
    'id-array-of-one',
    'id is an integer: Number([7]) is 7',
    ['refuse/any-defect', 'refuse/any-wrong-type', 'refuse/wrong-type'],
    reading('id', (id) => (Array.isArray(id) && id.length === 1 ? id[0] : id)),
  ),
  broken(
    'id-object',
    'id is an integer: any object',
    ['refuse/any-wrong-type', 'refuse/wrong-type', 'serving/after-a-barrage'],
    taking('id', 'object'),
  ),
  broken(
    'id-falsy',
    'id is an integer: whatever is falsy is given by the store',
    ['refuse/null', 'refuse/wrong-type', 'serving/after-a-barrage'],
    reading('id', (id) => (falsy(id) ? ONE : id)),
  ),
  broken(
    'id-not-object',
    'id is an integer: only arrays and objects are refused',
    ['refuse/fraction', 'refuse/null', 'refuse/numeral-in-a-string'],
    taking('id', ['null', 'boolean', 'string', 'fraction']),
  ),
  broken(
    'id-unchecked',
    'id is an integer: anything at all, if it is there',
    ['refuse/null', 'refuse/numeral-in-a-string', 'refuse/wrong-type'],
    taking('id', WRONG_ID),
  ),
  broken(
    'id-unchecked-odd-name',
    'id is an integer: anything only where the name has a digit, hyphen or apostrophe',
    ['refuse/any-defect', 'refuse/any-wrong-type'],
    taking('id', WRONG_ID, ({ name }) => /[\d'-]/.test(name)),
  ),

  // name
  broken(
    'name-number',
    'name is a string: a number',
    ['refuse/any-wrong-type', 'refuse/wrong-type', 'serving/after-a-barrage'],
    taking('name', ['integer', 'fraction']),
  ),
  broken(
    'name-number-tagless',
    'name is a string: a number only where there is no tag',
    ['refuse/any-defect', 'refuse/any-wrong-type', 'refuse/wrong-type'],
    taking('name', ['integer', 'fraction'], tagless),
  ),
  broken(
    'name-boolean',
    'name is a string: a boolean',
    ['refuse/any-wrong-type', 'refuse/wrong-type', 'serving/after-a-barrage'],
    taking('name', 'boolean'),
  ),
  broken(
    'name-boolean-tagged',
    'name is a string: a boolean only where there is a tag',
    ['refuse/any-wrong-type', 'refuse/wrong-type', 'serving/after-a-barrage'],
    taking('name', 'boolean', tagged),
  ),
  broken(
    'name-null',
    'name is a string: null as ""',
    ['refuse/any-wrong-type', 'refuse/null', 'serving/after-a-barrage'],
    taking('name', 'null'),
  ),
  broken(
    'name-null-tagged',
    'name is a string: null only where there is a tag',
    ['refuse/any-wrong-type', 'refuse/null', 'serving/after-a-barrage'],
    taking('name', 'null', tagged),
  ),
  broken(
    'name-array',
    'name is a string: an array, joined',
    ['refuse/any-wrong-type', 'refuse/wrong-type', 'serving/after-a-barrage'],
    taking('name', 'array'),
  ),
  broken(
    'name-array-tagless',
    'name is a string: an array only where there is no tag',
    ['refuse/any-defect', 'refuse/any-wrong-type', 'refuse/wrong-type'],
    taking('name', 'array', tagless),
  ),
  broken(
    'name-object',
    'name is a string: [object Object]',
    ['refuse/any-wrong-type', 'refuse/wrong-type', 'serving/after-a-barrage'],
    taking('name', 'object'),
  ),
  broken(
    'name-object-even-id',
    'name is a string: an object only where the id is even',
    ['refuse/any-wrong-type', 'refuse/wrong-type'],
    taking('name', 'object', ({ id }) => id !== undefined && id % 2n === 0n),
  ),
  broken(
    'name-falsy',
    'name is a string: checked only where it is truthy',
    ['refuse/null', 'refuse/wrong-type', 'serving/after-a-barrage'],
    reading('name', (name) => (falsy(name) ? '' : name)),
  ),
  broken(
    'name-unchecked',
    'name is a string: anything at all, if it is there',
    ['refuse/null', 'refuse/wrong-type', 'serving/after-a-barrage'],
    taking('name', WRONG_NAME),
  ),
  broken(
    'name-unchecked-last',
    'name is a string: not looked at only where it comes last',
    ['refuse/any-defect', 'refuse/any-wrong-type'],
    taking('name', WRONG_NAME, lastIs('name')),
  ),
  broken(
    'name-unchecked-large-id',
    'name is a string: anything only where the id is above 2^30',
    ['refuse/any-defect', 'refuse/any-wrong-type', 'refuse/wrong-type'],
    taking('name', WRONG_NAME, ({ id }) => id !== undefined && id > 2n ** 30n),
  ),

  // tag
  broken(
    'tag-null',
    'tag is a string where present: null is absent',
    ['refuse/any-wrong-type', 'refuse/null', 'serving/after-a-barrage'],
    taking('tag', 'null'),
  ),
  broken(
    'tag-null-long-name',
    'tag is a string where present: null only where the name is longer than 20',
    ['refuse/any-defect', 'refuse/any-wrong-type'],
    taking('tag', 'null', longName),
  ),
  broken(
    'tag-number',
    'tag is a string where present: a number',
    ['refuse/any-wrong-type', 'refuse/wrong-type', 'serving/after-a-barrage'],
    taking('tag', ['integer', 'fraction']),
  ),
  broken(
    'tag-boolean',
    'tag is a string where present: a boolean',
    ['refuse/any-wrong-type', 'refuse/wrong-type', 'serving/after-a-barrage'],
    taking('tag', 'boolean'),
  ),
  broken(
    'tag-array',
    'tag is a string where present: an array',
    ['refuse/any-wrong-type', 'refuse/wrong-type', 'serving/after-a-barrage'],
    taking('tag', 'array'),
  ),
  broken(
    'tag-array-long-name',
    'tag is a string where present: an array only where the name is longer than 20',
    ['refuse/any-defect', 'refuse/any-wrong-type'],
    taking('tag', 'array', longName),
  ),
  broken(
    'tag-object',
    'tag is a string where present: an object',
    ['refuse/any-wrong-type', 'refuse/wrong-type', 'serving/after-a-barrage'],
    taking('tag', 'object'),
  ),
  broken(
    'tag-object-last',
    'tag is a string where present: an object only where it comes last',
    ['refuse/any-defect', 'refuse/any-wrong-type', 'refuse/wrong-type'],
    taking('tag', 'object', lastIs('tag')),
  ),
  broken(
    'tag-falsy',
    'tag is a string where present: checked only where it is truthy',
    ['refuse/null', 'refuse/wrong-type', 'serving/after-a-barrage'],
    reading('tag', (tag) => (falsy(tag) ? undefined : tag)),
  ),
  broken(
    'tag-unchecked',
    'tag is a string where present: never looked at',
    ['refuse/null', 'refuse/wrong-type', 'serving/after-a-barrage'],
    taking('tag', WRONG_NAME),
  ),
  broken(
    'tag-unchecked-short-name',
    'tag is a string where present: looked at only where the name is longer than 8',
    ['refuse/any-defect', 'refuse/any-wrong-type'],
    taking('tag', WRONG_NAME, ({ name }) => name.length <= 8),
  ),
  broken(
    'last-unchecked',
    'every property has its type: the last of three is not looked at',
    ['refuse/any-wrong-type', 'refuse/null', 'refuse/wrong-type'],
    reading('tag', (tag, seen) =>
      kindOf(tag) !== 'string' && lastIs('tag')(seen) && seen.fields.size > 2 ? undefined : tag,
    ),
  ),
];
