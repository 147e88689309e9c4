import { isUtf8 } from 'node:buffer';
import { Numeral, type Value } from '../../reference/json.ts';
import { type BrokenStore, broken, brokenBy } from '../fleet.ts';
import {
  answering,
  contentType,
  cutting,
  debugPage,
  depthOf,
  failing,
  failingAt,
  hanging,
  kindOf,
  lastIs,
  nameOrTag,
  ownNamesIn,
  type Seen,
  tagless,
} from '../helpers.ts';

const failsOn = brokenBy(['invariants/no-server-error'], failing);
const failsOnText = brokenBy(
  ['invariants/no-server-error', 'unconstrained/answers-hostile-names', 'unconstrained/answers-hostile-tags'],
  (pattern: RegExp) => failing(nameOrTag(pattern)),
);
const notJson = ({ text, value }: Seen) => value === undefined && text.trim() !== '';
const kind =
  (property: string, ...kinds: string[]) =>
  ({ fields }: Seen) =>
    kinds.includes(kindOf(fields.get(property)));
const propertyCalled = (pattern: RegExp) => (request: Seen) =>
  [...request.fields.keys()].some((name) => pattern.test(name));
const root = (test: (value: Value | undefined) => boolean) => (request: Seen) => test(request.value);
const above = (limit: bigint) => (request: Seen) => request.id !== undefined && request.id > limit;

const HALF = /\p{Cs}/u;

/** Stores that answer some bodies with 5xx, not at all, or by closing the connection. */
export const crashes: readonly BrokenStore[] = [
  broken(
    'crash-debug-page',
    '500 with a debug page of 90 kB if the name contains an apostrophe',
    ['invariants/no-server-error', 'unconstrained/answers-hostile-names'],
    answering((answer, { name }) => (name.includes("'") ? debugPage(500) : answer)),
  ),
  // The text.
  broken(
    'crash-syntax',
    '500 if the body is not JSON: JSON.parse throws, and nothing catches it',
    ['invalid/rejects-forms', 'invalid/rejects-non-json', 'invalid/rejects-truncated-json'],
    failing(notJson),
  ),
  broken(
    'crash-no-body',
    '500 if there is no body',
    ['invariants/no-server-error', 'invalid/rejects-missing-body'],
    failing(({ text }) => text === ''),
  ),
  broken(
    'crash-blank',
    '500 if the body is only white space',
    ['invariants/no-server-error', 'invalid/rejects-white-space-only'],
    failing(({ text }) => /^\s+$/.test(text)),
  ),
  broken(
    'crash-utf8',
    '500 if the body is not valid UTF-8',
    ['invariants/no-server-error', 'invalid/rejects-non-json'],
    failing(({ request }) => !isUtf8(request.body)),
  ),
  broken(
    'crash-deep-value',
    '500 if a property is an array nested thousands of levels deep: the message shows it, and cannot be written',
    ['invalid/rejects-deep-nesting'],
    failing(({ text }) => /"(?:id|name|tag)":\s*\[{5000}/.test(text)),
  ),
  broken(
    'crash-deep-hang',
    'never answers JSON that is nested more than 200 levels deep',
    ['invariants/answers'],
    hanging(({ text, value }) => value !== undefined && depthOf(text) > 200),
  ),
  broken(
    'crash-backtracking',
    'never answers a name of 30 letters or digits followed by another character: a pattern backtracks',
    ['invariants/answers'],
    hanging(({ name }) => /^[a-z\d]{30,}[^a-z\d '-]/i.test(name)),
  ),
  broken(
    'crash-date',
    '500 if the name begins with a date, which is read as one',
    ['unconstrained/answers-hostile-names', 'invariants/no-server-error'],
    failing(({ name }) => /^\d{4}-\d\d-\d\d/.test(name)),
  ),
  broken(
    'crash-any-null',
    '500 if anything in the body is null: the logger takes it for an object to mask',
    ['invalid/rejects-null', 'invariants/no-server-error'],
    failing(({ text }) => /(?:^|[[:,])\s*null\s*(?:[\],}]|$)/.test(text)),
  ),
  failsOn(
    'crash-utf8-in-tag',
    '500 to invalid UTF-8 in the tag; elsewhere it is rejected',
    ({ text, request }) => /"tag":"[^"]*\ufffd/.test(text) && !isUtf8(request.body),
  ),
  failsOn('crash-bom', '500 if the body begins with a byte order mark', ({ text }) =>
    text.startsWith('\ufeff'),
  ),
  broken(
    'crash-truncated-hang',
    'waits for more, and does not answer, if the JSON text ends early',
    ['invalid/rejects-non-json', 'invalid/rejects-several-values', 'invalid/rejects-truncated-json'],
    hanging(({ text, value }) => value === undefined && /^\s*{/.test(text) && !/}\s*$/.test(text)),
  ),
  broken(
    'crash-deep-500',
    '500 on deep nesting: the stack overflows',
    ['invariants/no-server-error', 'invalid/rejects-deep-nesting', 'unconstrained/answers-large-plants'],
    failing(({ text }) => depthOf(text) > 400),
  ),
  failsOn(
    'crash-shallow-500',
    '500 on nesting deeper than 5 levels: nothing catches the depth error of the parser',
    ({ text }) => depthOf(text) > 5,
  ),
  broken(
    'crash-objects-deep-500',
    '500 on objects nested 490 to 980 levels deep: a visitor makes two calls for each level and exceeds the recursion limit; the parser rejects deeper ones',
    ['invariants/no-server-error', 'unconstrained/answers-large-plants'],
    failing(({ text }) => {
      const levels = /(?:\{"[^"]*":){30,}/.exec(text)?.[0].split('{').length ?? 0;
      return levels >= 490 && levels <= 980;
    }),
  ),
  broken(
    'crash-deep-cut',
    'closes the connection on deep nesting: the stack overflow ends the process',
    ['invariants/answers', 'invalid/rejects-deep-nesting', 'unconstrained/answers-large-plants'],
    cutting(({ text }) => depthOf(text) > 400),
  ),
  failsOn(
    'crash-id-by-pattern',
    '500 unless the text has the id as a serializer writes it: a regular expression searches for it',
    ({ text, fields }) => fields.has('id') && !text.includes('"id":'),
  ),
  broken(
    'crash-duplicate',
    '500 if a property occurs twice',
    ['invariants/no-server-error', 'combinations/answers-unconstrained-plants'],
    failing(({ text, fields }) => {
      const names = fields.size > 0 ? ownNamesIn(text) : [];
      return ['id', 'name', 'tag'].some((name) => names.filter((one) => one === name).length > 1);
    }),
  ),

  // The value.
  broken(
    'crash-null',
    '500 if the body is null: typeof null is object',
    ['invariants/no-server-error', 'invalid/rejects-any-defect', 'invalid/rejects-non-objects'],
    failing(root((value) => value === null)),
  ),
  broken(
    'crash-array',
    '500 if the body is an array',
    ['invariants/no-server-error', 'invalid/rejects-deep-nesting', 'invalid/rejects-non-objects'],
    failing(root((value) => Array.isArray(value))),
  ),
  broken(
    'crash-string',
    '500 if the body is a string',
    ['invariants/no-server-error', 'invalid/rejects-any-defect', 'invalid/rejects-non-objects'],
    failing(root((value) => typeof value === 'string')),
  ),
  broken(
    'crash-number',
    '500 if the body is a number',
    ['invariants/no-server-error', 'invalid/rejects-any-defect', 'invalid/rejects-non-objects'],
    failing(root((value) => value instanceof Numeral)),
  ),
  broken(
    'crash-empty-object',
    '500 if the body is {}',
    ['invariants/no-server-error', 'invalid/rejects-any-defect', 'invalid/rejects-missing-property'],
    failing(root((value) => value instanceof Map && value.size === 0)),
  ),

  // The properties.
  broken(
    'crash-id-missing',
    '500 if id is missing',
    [
      'invalid/rejects-inherited-property',
      'invalid/rejects-missing-property',
      'invalid/rejects-nested-property',
    ],
    failing((request) => request.fields.size > 0 && kind('id', 'absent')(request)),
  ),
  broken(
    'crash-id-string',
    '500 if id is a string',
    ['invariants/no-server-error', 'invalid/rejects-numeric-string-id', 'invalid/rejects-wrong-type'],
    failing(kind('id', 'string')),
  ),
  broken(
    'crash-id-word',
    '500 if id is a non-numeric string: BigInt("x") throws',
    ['invariants/no-server-error', 'invalid/rejects-numeric-string-id', 'invalid/rejects-wrong-type'],
    failing((request) => kind('id', 'string')(request) && !/^\d+$/.test(String(request.fields.get('id')))),
  ),
  broken(
    'crash-id-fraction',
    '500 if id has a fraction: BigInt(1.5) throws',
    ['invariants/no-server-error', 'invalid/rejects-fractional-id', 'invalid/answers-huge-numbers'],
    failing(kind('id', 'fraction')),
  ),
  broken(
    'crash-id-null',
    '500 if id is null',
    ['invariants/no-server-error', 'invalid/rejects-any-wrong-type', 'invalid/rejects-null'],
    failing(kind('id', 'null')),
  ),
  broken(
    'crash-id-object-tagless',
    '500 if id is an object or array and there is no tag',
    ['invariants/no-server-error', 'invalid/rejects-any-wrong-type', 'invalid/rejects-wrong-type'],
    failing((request) => tagless(request) && kind('id', 'object', 'array')(request)),
  ),
  broken(
    'crash-name-missing',
    '500 if name is missing: the database column is NOT NULL',
    [
      'invalid/rejects-inherited-property',
      'invalid/rejects-missing-property',
      'invalid/rejects-nested-property',
    ],
    failing((request) => request.fields.size > 0 && kind('name', 'absent')(request)),
  ),
  broken(
    'crash-name-null',
    '500 if name is null: null.trim()',
    ['invariants/no-server-error', 'invalid/rejects-any-wrong-type', 'invalid/rejects-null'],
    failing(kind('name', 'null')),
  ),
  broken(
    'crash-name-number',
    '500 if name is a number: a number has no trim()',
    ['invariants/no-server-error', 'invalid/answers-huge-numbers', 'invalid/rejects-wrong-type'],
    failing(kind('name', 'integer', 'fraction')),
  ),
  broken(
    'crash-name-array-last',
    '500 if name is an array and the last property',
    ['invariants/no-server-error', 'invalid/rejects-any-wrong-type'],
    failing((request) => lastIs('name')(request) && kind('name', 'array')(request)),
  ),
  broken(
    'crash-tag-null',
    '500 if tag is null: null.toLowerCase()',
    ['invariants/no-server-error', 'invalid/rejects-any-wrong-type', 'invalid/rejects-null'],
    failing(kind('tag', 'null')),
  ),
  broken(
    'crash-tag-boolean',
    '500 if tag is a boolean',
    ['invariants/no-server-error', 'invalid/rejects-any-wrong-type', 'invalid/rejects-wrong-type'],
    failing(kind('tag', 'boolean')),
  ),
  broken(
    'crash-tag-object-cut',
    'closes the connection if tag is an object',
    ['invariants/answers', 'invalid/rejects-any-wrong-type', 'invalid/rejects-wrong-type'],
    cutting(kind('tag', 'object')),
  ),
  broken(
    'crash-undeclared',
    '500 if there is an undeclared property',
    [
      'invalid/rejects-inherited-property',
      'invalid/rejects-missing-property',
      'invalid/answers-huge-numbers',
    ],
    failing(propertyCalled(/^(?!id$|name$|tag$)/)),
  ),
  broken(
    'crash-proto',
    '500 if there is a property called __proto__',
    [
      'invariants/no-server-error',
      'invalid/rejects-inherited-property',
      'unconstrained/answers-undeclared-properties',
    ],
    failing(propertyCalled(/^__proto__$/)),
  ),
  broken(
    'crash-own',
    '500 if there is a property called hasOwnProperty, constructor or toString',
    [
      'invariants/no-server-error',
      'invalid/rejects-any-wrong-type',
      'unconstrained/answers-undeclared-properties',
    ],
    failing(propertyCalled(/^(hasOwnProperty|constructor|toString)$/)),
  ),

  // The range of id.
  broken(
    'crash-negative-shard',
    '500 if id is negative and not a multiple of 8: the remainder is the index of a shard',
    ['invariants/no-server-error', 'unconstrained/answers-any-id'],
    failing(({ id }) => id !== undefined && id < 0n && id % 8n !== 0n),
  ),
  broken(
    'crash-at-or-hash',
    '500 if the name or tag contains @ or #, which a notification template expands',
    ['invariants/no-server-error', 'unconstrained/answers-hostile-names'],
    failing(nameOrTag(/[@#]/)),
  ),
  broken(
    'crash-one-word-tagless',
    '500 if there is no tag and the name has a single word: the tag is derived from the second one',
    ['ordinary/answers-200', 'invariants/no-server-error'],
    failing((request) => tagless(request) && request.name !== '' && !/\S\s+\S/.test(request.name)),
  ),
  broken(
    'crash-id-as-date',
    '500 if the id is beyond the range of Date',
    ['invariants/no-server-error', 'unconstrained/answers-any-id'],
    failing(({ id = 0n }) => id > 8_640_000_000_000_000n || -id > 8_640_000_000_000_000n),
  ),
  failsOn(
    'crash-unknown-charset',
    '500 if the charset is unknown: the decoder for it is looked up without a check',
    ({ request }) => {
      const [, charset] = /charset="?([\w-]+)/i.exec(contentType(request)) ?? [];
      return charset !== undefined && !/^(?:utf-?(?:8|16)|(?:us-)?ascii|iso-8859-1)$/i.test(charset);
    },
  ),
  failsOn(
    'crash-charset-not-utf8',
    '500 if Content-Type has a charset and the body is not valid UTF-8: it is decoded where nothing catches the error',
    ({ request }) => /;\s*charset/i.test(contentType(request)) && !isUtf8(request.body),
  ),
  broken(
    'crash-ascii-beyond',
    '500 if the charset is us-ascii and the body has a character beyond ASCII',
    ['combinations/answers-unconstrained-plants', 'invariants/no-server-error'],
    failing(
      ({ request, text }) => /charset=(?:us-)?ascii/i.test(contentType(request)) && /[^\0-\x7f]/.test(text),
    ),
  ),
  broken(
    'crash-undeclared-operator',
    '500 if the name of an undeclared property begins with $ or contains a full stop, which old document databases forbid',
    ['unconstrained/answers-undeclared-properties', 'invariants/no-server-error'],
    failing(({ fields }) => [...fields.keys()].some((name) => /^\$|\./.test(name))),
  ),
  broken(
    'crash-multipart-boundary',
    '500 if Content-Type is multipart/form-data without a boundary',
    ['combinations/answers-unconstrained-plants', 'invariants/no-server-error'],
    failingAt((request) => /^multipart\/form-data\s*$/i.test(contentType(request))),
  ),
  broken(
    'crash-many-digits',
    '500 if a number has more than 4300 digits, the limit of int() in Python',
    ['invariants/no-server-error', 'invalid/answers-huge-numbers'],
    failing(({ text }) => /\d{4301}/.test(text)),
  ),
  broken(
    'crash-id-0',
    '500 if id is 0 or negative',
    ['invariants/no-server-error', 'invalid/answers-huge-numbers', 'unconstrained/answers-any-id'],
    failing(({ id }) => id !== undefined && id <= 0n),
  ),
  broken(
    'crash-id-31',
    '500 if id is above 2^31 - 1: the database column has 32 bits',
    ['invariants/no-server-error', 'invalid/answers-huge-numbers', 'unconstrained/answers-any-id'],
    failing(above(2n ** 31n - 1n)),
  ),
  broken(
    'crash-id-53',
    '500 if id is above 2^53',
    ['invariants/no-server-error', 'invalid/answers-huge-numbers', 'unconstrained/answers-any-id'],
    failing(above(2n ** 53n)),
  ),
  broken(
    'crash-id-64',
    '500 if id is outside int64',
    ['invariants/no-server-error', 'invalid/answers-huge-numbers'],
    failing(({ id }) => id !== undefined && BigInt.asIntN(64, id) !== id),
  ),
  broken(
    'crash-id-exponent',
    '500 if id has an exponent: BigInt("1e0") throws',
    ['invariants/no-server-error', 'invalid/answers-huge-numbers', 'invalid/rejects-wrong-type'],
    failing(({ text, id }) => id !== undefined && /:\s*-?\d+(\.\d+)?e/i.test(text)),
  ),
  broken(
    'crash-large-id-exponent',
    '500 if an id above 2^53 has an exponent or a decimal point: BigInt("1e17") throws',
    ['combinations/answers-unconstrained-plants', 'invariants/no-server-error'],
    failing(({ text, id }) => id !== undefined && id > 2n ** 53n && /:\s*-?\d+(?:\.|e)/i.test(text)),
  ),
  broken(
    'crash-id-30',
    '500 if id is between 2^30 and 2^31, which is an ordinary id',
    [
      'ordinary/accepts-ids-of-every-magnitude',
      'invalid/rejects-misnamed-property',
      'invalid/rejects-wrong-type',
    ],
    failing(({ id }) => id !== undefined && id > 2n ** 30n && id < 2n ** 31n),
  ),

  // The characters of a name.
  broken(
    'crash-apostrophe',
    '500 if name or tag contains an apostrophe: SQL by string concatenation',
    [
      'ordinary/accepts-names-of-many-kinds',
      'unconstrained/answers-hostile-names',
      'unconstrained/answers-hostile-tags',
    ],
    failing(nameOrTag(/'/)),
  ),
  broken(
    'crash-name-over-36',
    '500 if name is longer than 36 characters: the database column is too short',
    [
      'invariants/accepts-ordinary-plants',
      'ordinary/accepts-names-of-every-length',
      'unconstrained/answers-large-plants',
    ],
    failing(({ name }) => name.length > 36),
  ),
  failsOn(
    'crash-over-60-together',
    '500 if name and tag have more than 60 characters together',
    ({ name, tag }) => name.length + tag.length > 60,
  ),
  failsOn(
    'crash-over-47-together-each-up-to-48',
    '500 if name and tag have more than 47 characters together, unless one alone has more than 48',
    ({ name, tag }) => name.length <= 48 && tag.length <= 48 && tag !== '' && name.length + tag.length > 47,
  ),
  broken(
    'crash-tag-over-3',
    '500 if tag is longer than three characters: it is stored as a code',
    ['invariants/no-server-error', 'invariants/accepts-ordinary-plants'],
    failing(({ tag }) => tag.length > 3),
  ),
  broken(
    'crash-tag-over-16',
    'closes the connection if tag is longer than 16 characters: the database column is too short',
    ['invariants/answers', 'invariants/accepts-ordinary-plants'],
    cutting(({ tag }) => tag.length > 16),
  ),
  broken(
    'crash-name-empty',
    '500 if name is empty: name[0] is undefined',
    ['invariants/no-server-error', 'unconstrained/answers-any-plant', 'unconstrained/answers-hostile-names'],
    failing(({ fields }) => fields.get('name') === ''),
  ),
  broken(
    'crash-name-over-255',
    '500 if name is longer than 255 characters: the database column is too short',
    ['invariants/no-server-error', 'unconstrained/answers-any-plant', 'unconstrained/answers-large-plants'],
    failing(({ name }) => name.length > 255),
  ),
  failsOnText('crash-nul', '500 if name or tag contains NUL, which PostgreSQL rejects', /\0/),
  failsOnText('crash-control', '500 if name or tag contains a control character', /\p{Cc}/u),
  broken(
    'crash-superscript-digit',
    '500 if the name ends with a digit that is not decimal: isdigit() is true, but int() fails',
    ['invariants/no-server-error', 'unconstrained/answers-hostile-names'],
    failing(({ name = '' }) => /[²³¹①-⑨]$/.test(name)),
  ),
  broken(
    'crash-shard-of-256',
    '500 if the id is a multiple of 256: there is no such shard',
    ['invariants/no-server-error', 'unconstrained/answers-any-id'],
    failing(({ id }) => id !== undefined && id % 256n === 0n),
  ),
  broken(
    'crash-astral',
    '500 if name or tag contains an astral character, which utf8 of MySQL rejects',
    [
      'unconstrained/answers-hostile-names',
      'unconstrained/answers-hostile-tags',
      'unconstrained/answers-large-plants',
    ],
    failing(nameOrTag(/[\u{10000}-\u{10ffff}]/u)),
  ),
  broken(
    'crash-across-byte-24',
    'closes the connection if a character of the name spans byte 24, where it is cut for the log',
    ['unconstrained/answers-hostile-names'],
    cutting(({ name }) => !isUtf8(Buffer.from(name).subarray(0, 24))),
  ),
  broken(
    'crash-across-byte-255',
    '500 if a character of the name spans byte 255, where it is cut for the column',
    ['unconstrained/answers-large-plants'],
    failing(({ name }) => !isUtf8(Buffer.from(name).subarray(0, 255))),
  ),
  failsOn(
    'crash-across-unit-41',
    '500 if cutting the name after 41 UTF-16 code units splits an astral character: half of it cannot be encoded',
    ({ name }) => !HALF.test(name) && HALF.test(name.slice(0, 41)),
  ),
  broken(
    'crash-not-ascii',
    '500 if name or tag is not ASCII: the encoder handles nothing else',
    [
      'unconstrained/answers-hostile-names',
      'unconstrained/answers-hostile-tags',
      'unconstrained/answers-large-plants',
    ],
    failing(nameOrTag(/[^ -~]/)),
  ),
  failsOnText('crash-combining', '500 if name or tag contains a combining character', /\p{M}/u),
  failsOnText(
    'crash-right-to-left',
    '500 if name or tag contains Hebrew or Arabic',
    /[\p{Script=Hebrew}\p{Script=Arabic}]/u,
  ),
  failsOn('crash-surrogate', '500 if name or tag contains a lone surrogate', nameOrTag(/\p{Cs}/u)),
  broken(
    'crash-low-surrogate',
    '500 if name or tag contains a low surrogate without a high one before it: the encoder fails on it',
    ['invariants/no-server-error', 'combinations/answers-unconstrained-plants'],
    failing(nameOrTag(/(?<![\ud800-\udbff])[\udc00-\udfff]/)),
  ),
  failsOnText('crash-percent', '500 if name or tag contains %: it is used as a format string', /%/),
  failsOnText('crash-less-than', '500 if name or tag contains <', /</),
  failsOnText(
    'crash-template',
    '500 if name or tag contains a template placeholder: it is rendered as a template',
    /\$\{|\{\{/,
  ),
  failsOnText(
    'crash-quote',
    '500 if name or tag contains a quote or backslash: JSON by string concatenation',
    /["\\]/,
  ),
];
