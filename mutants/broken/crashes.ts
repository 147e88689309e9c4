import { isUtf8 } from 'node:buffer';
import { Numeral, type Value } from '../../reference/json.ts';
import { type BrokenStore, broken } from '../fleet.ts';
import { cutting, depthOf, failing, hanging, kindOf, lastIs, type Seen, tagless } from '../helpers.ts';

const notJson = ({ text, value }: Seen) => value === undefined && text.trim() !== '';
const kind =
  (property: string, ...kinds: string[]) =>
  ({ fields }: Seen) =>
    kinds.includes(kindOf(fields.get(property)));
const named = (pattern: RegExp) => (request: Seen) => pattern.test(request.name) || pattern.test(request.tag);
const propertyCalled = (pattern: RegExp) => (request: Seen) =>
  [...request.fields.keys()].some((name) => pattern.test(name));
const root = (test: (value: Value | undefined) => boolean) => (request: Seen) => test(request.value);
const above = (limit: bigint) => (request: Seen) => request.id !== undefined && request.id > limit;

/** Something in the body ends in 5xx, in silence or in a closed connection. */
export const crashes: readonly BrokenStore[] = [
  // The text.
  broken(
    'crash-syntax',
    'no answer is 5xx: JSON.parse throws, nobody catches',
    ['refuse/form', 'refuse/garbage', 'refuse/truncated'],
    failing(notJson),
  ),
  broken(
    'crash-no-body',
    'no answer is 5xx: 500 without a body',
    ['always/no-server-error', 'refuse/no-body'],
    failing(({ text }) => text === ''),
  ),
  broken(
    'crash-blank',
    'no answer is 5xx: 500 to white space',
    ['always/no-server-error', 'refuse/white-space-only'],
    failing(({ text }) => /^\s+$/.test(text)),
  ),
  broken(
    'crash-utf8',
    'no answer is 5xx: 500 to invalid UTF-8',
    ['always/no-server-error', 'refuse/garbage'],
    failing(({ request }) => !isUtf8(request.body)),
  ),
  broken(
    'crash-bom',
    'no answer is 5xx: 500 to a byte order mark',
    ['always/no-server-error'],
    failing(({ text }) => text.startsWith('\ufeff')),
  ),
  broken(
    'crash-truncated-hang',
    'every request is answered: silence where the text ends early, waiting for more',
    ['refuse/garbage', 'refuse/several-values', 'refuse/truncated'],
    hanging(({ text, value }) => value === undefined && /^\s*{/.test(text) && !/}\s*$/.test(text)),
  ),
  broken(
    'crash-deep-500',
    'no answer is 5xx: the stack overflows',
    ['always/no-server-error', 'refuse/deeply-nested', 'whole-shape/answers-large-plants'],
    failing(({ text }) => depthOf(text) > 400),
  ),
  broken(
    'crash-deep-cut',
    'every request is answered: the stack overflows and takes the process',
    ['always/answers', 'refuse/deeply-nested', 'whole-shape/answers-large-plants'],
    cutting(({ text }) => depthOf(text) > 400),
  ),
  broken(
    'crash-duplicate',
    'no answer is 5xx: 500 to a repeated property',
    ['always/no-server-error', 'refuse/any-wrong-type', 'whole-shape/answers-undeclared-properties'],
    failing(({ text, fields }) =>
      ['id', 'name', 'tag'].some(
        (name) =>
          fields.has(name) && text.split(`"${name}"`).length > 2 && kindOf(fields.get(name)) !== 'object',
      ),
    ),
  ),

  // The value.
  broken(
    'crash-null',
    'no answer is 5xx: typeof null is object',
    ['always/no-server-error', 'refuse/any-defect', 'refuse/not-an-object'],
    failing(root((value) => value === null)),
  ),
  broken(
    'crash-array',
    'no answer is 5xx: 500 to an array',
    ['always/no-server-error', 'refuse/deeply-nested', 'refuse/not-an-object'],
    failing(root((value) => Array.isArray(value))),
  ),
  broken(
    'crash-string',
    'no answer is 5xx: 500 to a string',
    ['always/no-server-error', 'refuse/any-defect', 'refuse/not-an-object'],
    failing(root((value) => typeof value === 'string')),
  ),
  broken(
    'crash-number',
    'no answer is 5xx: 500 to a number',
    ['always/no-server-error', 'refuse/any-defect', 'refuse/not-an-object'],
    failing(root((value) => value instanceof Numeral)),
  ),
  broken(
    'crash-empty-object',
    'no answer is 5xx: 500 to {}',
    ['always/no-server-error', 'refuse/any-defect', 'refuse/missing-property'],
    failing(root((value) => value instanceof Map && value.size === 0)),
  ),

  // The properties.
  broken(
    'crash-id-missing',
    'no answer is 5xx: 500 without an id',
    ['refuse/inherited-property', 'refuse/missing-property', 'refuse/nested-property'],
    failing((request) => request.fields.size > 0 && kind('id', 'absent')(request)),
  ),
  broken(
    'crash-id-string',
    'no answer is 5xx: 500 to an id that is a string',
    ['always/no-server-error', 'refuse/numeral-in-a-string', 'refuse/wrong-type'],
    failing(kind('id', 'string')),
  ),
  broken(
    'crash-id-word',
    'no answer is 5xx: BigInt("x") throws',
    ['always/no-server-error', 'refuse/numeral-in-a-string', 'refuse/wrong-type'],
    failing((request) => kind('id', 'string')(request) && !/^\d+$/.test(String(request.fields.get('id')))),
  ),
  broken(
    'crash-id-fraction',
    'no answer is 5xx: BigInt(1.5) throws',
    ['always/no-server-error', 'refuse/fraction', 'refuse/survives-huge-numbers'],
    failing(kind('id', 'fraction')),
  ),
  broken(
    'crash-id-null',
    'no answer is 5xx: 500 to an id of null',
    ['always/no-server-error', 'refuse/any-wrong-type', 'refuse/null'],
    failing(kind('id', 'null')),
  ),
  broken(
    'crash-id-object-tagless',
    'no answer is 5xx: 500 to an id that is an object or array, only without a tag',
    ['always/no-server-error', 'refuse/any-wrong-type', 'refuse/wrong-type'],
    failing((request) => tagless(request) && kind('id', 'object', 'array')(request)),
  ),
  broken(
    'crash-name-missing',
    'no answer is 5xx: NOT NULL, says the database',
    ['refuse/inherited-property', 'refuse/missing-property', 'refuse/nested-property'],
    failing((request) => request.fields.size > 0 && kind('name', 'absent')(request)),
  ),
  broken(
    'crash-name-null',
    'no answer is 5xx: null.trim()',
    ['always/no-server-error', 'refuse/any-wrong-type', 'refuse/null'],
    failing(kind('name', 'null')),
  ),
  broken(
    'crash-name-number',
    'no answer is 5xx: trim is not a function of a number',
    ['always/no-server-error', 'refuse/survives-huge-numbers', 'refuse/wrong-type'],
    failing(kind('name', 'integer', 'fraction')),
  ),
  broken(
    'crash-name-array-last',
    'no answer is 5xx: 500 to a name that is an array, only where it comes last',
    ['always/no-server-error', 'refuse/any-wrong-type'],
    failing((request) => lastIs('name')(request) && kind('name', 'array')(request)),
  ),
  broken(
    'crash-tag-null',
    'no answer is 5xx: null.toLowerCase()',
    ['always/no-server-error', 'refuse/any-wrong-type', 'refuse/null'],
    failing(kind('tag', 'null')),
  ),
  broken(
    'crash-tag-boolean',
    'no answer is 5xx: 500 to a tag that is a boolean',
    ['always/no-server-error', 'refuse/any-wrong-type', 'refuse/wrong-type'],
    failing(kind('tag', 'boolean')),
  ),
  broken(
    'crash-tag-object-cut',
    'every request is answered: the connection is cut on a tag that is an object',
    ['always/answers', 'refuse/any-wrong-type', 'refuse/wrong-type'],
    cutting(kind('tag', 'object')),
  ),
  broken(
    'crash-undeclared',
    'no answer is 5xx: 500 to an undeclared property',
    ['refuse/inherited-property', 'refuse/missing-property', 'refuse/survives-huge-numbers'],
    failing(propertyCalled(/^(?!id$|name$|tag$)/)),
  ),
  broken(
    'crash-proto',
    'no answer is 5xx: 500 to a property called __proto__',
    ['always/no-server-error', 'refuse/inherited-property', 'whole-shape/answers-undeclared-properties'],
    failing(propertyCalled(/^__proto__$/)),
  ),
  broken(
    'crash-own',
    'no answer is 5xx: hasOwnProperty is overwritten',
    ['always/no-server-error', 'refuse/any-wrong-type', 'whole-shape/answers-undeclared-properties'],
    failing(propertyCalled(/^(hasOwnProperty|constructor|toString)$/)),
  ),

  // The range of id.
  broken(
    'crash-id-0',
    'no answer is 5xx: 500 to 0 and below',
    ['always/no-server-error', 'refuse/survives-huge-numbers', 'whole-shape/answers-any-id'],
    failing(({ id }) => id !== undefined && id <= 0n),
  ),
  broken(
    'crash-id-31',
    'no answer is 5xx: the column has 32 bits',
    ['always/no-server-error', 'refuse/survives-huge-numbers', 'whole-shape/answers-any-id'],
    failing(above(2n ** 31n - 1n)),
  ),
  broken(
    'crash-id-53',
    'no answer is 5xx: 500 above 2^53',
    ['always/no-server-error', 'refuse/survives-huge-numbers', 'whole-shape/answers-any-id'],
    failing(above(2n ** 53n)),
  ),
  broken(
    'crash-id-64',
    'no answer is 5xx: 500 outside int64',
    ['always/no-server-error', 'refuse/survives-huge-numbers'],
    failing(({ id }) => id !== undefined && BigInt.asIntN(64, id) !== id),
  ),
  broken(
    'crash-id-exponent',
    'no answer is 5xx: BigInt("1e0") throws',
    ['always/no-server-error', 'refuse/survives-huge-numbers', 'refuse/wrong-type'],
    failing(({ text, id }) => id !== undefined && /:\s*-?\d+(\.\d+)?e/i.test(text)),
  ),
  broken(
    'crash-id-30',
    'no answer is 5xx: 500 to an ordinary id only where it is above 2^30',
    ['create/takes-ids-of-every-magnitude', 'refuse/property-under-another-name', 'refuse/wrong-type'],
    failing(({ id }) => id !== undefined && id > 2n ** 30n && id < 2n ** 31n),
  ),

  // The characters of a name.
  broken(
    'crash-apostrophe',
    'no answer is 5xx: SQL is put together by hand; only an apostrophe breaks it',
    [
      'create/takes-names-of-many-kinds',
      'whole-shape/answers-hostile-names',
      'whole-shape/answers-hostile-tags',
    ],
    failing(named(/'/)),
  ),
  broken(
    'crash-name-over-36',
    'no answer is 5xx: a column of 36 characters, only longer names break it',
    [
      'always/creates-ordinary-plants',
      'create/takes-names-of-every-length',
      'whole-shape/answers-large-plants',
    ],
    failing(({ name }) => name.length > 36),
  ),
  broken(
    'crash-tag-over-16',
    'no answer is 5xx: a column of 16 characters, only longer tags break it',
    ['always/answers', 'always/creates-ordinary-plants', 'create/answers-200'],
    cutting(({ tag }) => tag.length > 16),
  ),
  broken(
    'crash-name-empty',
    'no answer is 5xx: name[0] of an empty name',
    ['always/no-server-error', 'whole-shape/answers-any-plant', 'whole-shape/answers-hostile-names'],
    failing(({ fields }) => fields.get('name') === ''),
  ),
  broken(
    'crash-name-over-255',
    'no answer is 5xx: a column of 255 characters',
    ['always/no-server-error', 'whole-shape/answers-any-plant', 'whole-shape/answers-large-plants'],
    failing(({ name }) => name.length > 255),
  ),
  broken(
    'crash-nul',
    'no answer is 5xx: PostgreSQL takes no NUL',
    ['always/no-server-error', 'whole-shape/answers-hostile-names', 'whole-shape/answers-hostile-tags'],
    failing(named(/\0/)),
  ),
  broken(
    'crash-control',
    'no answer is 5xx: 500 to a control character',
    ['always/no-server-error', 'whole-shape/answers-hostile-names', 'whole-shape/answers-hostile-tags'],
    failing(named(/\p{Cc}/u)),
  ),
  broken(
    'crash-astral',
    'no answer is 5xx: utf8 of MySQL takes no astral character',
    [
      'whole-shape/answers-hostile-names',
      'whole-shape/answers-hostile-tags',
      'whole-shape/answers-large-plants',
    ],
    failing(named(/[\u{10000}-\u{10ffff}]/u)),
  ),
  broken(
    'crash-not-ascii',
    'no answer is 5xx: only ASCII is encoded',
    [
      'whole-shape/answers-hostile-names',
      'whole-shape/answers-hostile-tags',
      'whole-shape/answers-large-plants',
    ],
    failing(named(/[^ -~]/)),
  ),
  broken(
    'crash-combining',
    'no answer is 5xx: 500 to a combining character',
    ['always/no-server-error', 'whole-shape/answers-hostile-names', 'whole-shape/answers-hostile-tags'],
    failing(named(/\p{M}/u)),
  ),
  broken(
    'crash-right-to-left',
    'no answer is 5xx: 500 to Hebrew or Arabic',
    ['always/no-server-error', 'whole-shape/answers-hostile-names', 'whole-shape/answers-hostile-tags'],
    failing(named(/[\p{Script=Hebrew}\p{Script=Arabic}]/u)),
  ),
  broken(
    'crash-surrogate',
    'no answer is 5xx: 500 to a lone surrogate',
    ['always/no-server-error'],
    failing(named(/\p{Cs}/u)),
  ),
  broken(
    'crash-percent',
    'no answer is 5xx: the name is a format',
    ['always/no-server-error', 'whole-shape/answers-hostile-names', 'whole-shape/answers-hostile-tags'],
    failing(named(/%/)),
  ),
  broken(
    'crash-less-than',
    'no answer is 5xx: 500 to <',
    ['always/no-server-error', 'whole-shape/answers-hostile-names', 'whole-shape/answers-hostile-tags'],
    failing(named(/</)),
  ),
  broken(
    'crash-template',
    'no answer is 5xx: the name is a template',
    ['always/no-server-error', 'whole-shape/answers-hostile-names', 'whole-shape/answers-hostile-tags'],
    failing(named(/\$\{|\{\{/)),
  ),
  broken(
    'crash-quote',
    'no answer is 5xx: the name is put into JSON by hand',
    ['always/no-server-error', 'whole-shape/answers-hostile-names', 'whole-shape/answers-hostile-tags'],
    failing(named(/["\\]/)),
  ),
];
