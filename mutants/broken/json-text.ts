import { Numeral, type Value } from '../../reference/json.ts';
import { Rejection } from '../../reference/store.ts';
import { type BrokenStore, broken, brokenBy, type Change } from '../fleet.ts';
import {
  accepting,
  every,
  failing,
  parsing,
  rejecting,
  type Seen,
  seen,
  somePlant,
  tagless,
  withFreshState,
} from '../helpers.ts';

/** The checks that fail if a JSON value other than an object is accepted. */
const NON_OBJECT = [
  'invalid/rejects-any-defect',
  'invalid/rejects-non-objects',
  'state/accepts-among-many-rejections',
];
/** The checks that fail if what follows the first value is ignored. */
const MORE_AFTER = [
  'invalid/rejects-any-malformed-json',
  'invalid/rejects-several-values',
  'state/accepts-among-many-rejections',
];

const rejectsSpace = brokenBy(['ordinary/accepts-white-space'], rejecting);

/** Matches white space outside strings. */
const spaced =
  (space: RegExp) =>
  ({ text }: Seen) =>
    space.test(text.replace(/"(?:[^"\\]|\\.)*"/g, '""'));
const escapedName = ({ text }: Seen) => /"(?:[^"\\]|\\.)*\\u(?:[^"\\]|\\.)*"\s*:/.test(text);
const escapedValue = ({ text }: Seen) => /:\s*"(?:[^"\\]|\\.)*\\u/.test(text);
const valued = (test: (value: Value | undefined) => boolean) => (request: Seen) => test(request.value);
const notJson = ({ value }: Seen) => value === undefined;
const begins = (text: string, start: RegExp) => start.test(text.trimStart());

/** Parses another text instead of the one that was sent. */
const rereading = (when: (seen: Seen) => boolean, read: (text: string) => string): Change =>
  parsing(when, (request, right) => right.parse(Buffer.from(read(request.body.toString())), request));

/** The text up to the end of its first value. */
function firstValue(text: string): string {
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/g)) {
    depth += '{['.includes(token) ? 1 : '}]'.includes(token) ? -1 : 0;
    if (depth === 0) return text.slice(0, index + token.length);
  }
  return text;
}

const BLOCK = 8192;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Stores that reject one way to write an ordinary plant, or accept a text that is not one. */
export const jsonText: readonly BrokenStore[] = [
  broken(
    'text-first-8-kib',
    'reads at most 8 KiB of a body with a single call, and takes that for all of it',
    ['invalid/rejects-several-values'],
    (right) => ({
      parse: (body, request) => right.parse(body.subarray(0, 8192), request),
    }),
  ),
  broken(
    'text-any-bracket',
    'takes any closing bracket for the right one',
    ['invalid/rejects-non-json'],
    rereading(
      () => true,
      (text) => text.replace(/\](?=\s*$)/, '}'),
    ),
  ),
  broken(
    'text-blank-lines',
    'takes two line ends in a body for the end of the message',
    ['combinations/accepts-ordinary-plants'],
    rejecting(({ text }) => text.includes('\r\n\r\n')),
  ),
  // The same value, written differently.
  rejectsSpace('text-leading-space', 'rejects white space before the value', ({ text }) =>
    /^\s+\S/.test(text),
  ),
  rejectsSpace('text-trailing-space', 'rejects white space after the value', ({ text }) =>
    /\S\s+$/.test(text),
  ),
  rejectsSpace('text-tabs', 'rejects tabs between tokens', spaced(/\t/)),
  rejectsSpace('text-returns', 'rejects carriage returns between tokens', spaced(/\r/)),
  rejectsSpace('text-lines', 'rejects line feeds between tokens', spaced(/\n/)),
  rejectsSpace('text-space-colon', 'rejects white space before a colon', spaced(/"\s+:/)),
  broken(
    'text-name-first',
    'rejects plants whose first property is name',
    ['ordinary/answers-200', 'ordinary/accepts-escaped-strings', 'ordinary/accepts-ids-of-every-magnitude'],
    rejecting(({ fields }) => [...fields.keys()][0] === 'name'),
  ),
  broken(
    'text-tag-first',
    'rejects plants whose first property is tag',
    ['invariants/accepts-ordinary-plants', 'ordinary/accepts-any-property-order'],
    rejecting(({ fields }) => [...fields.keys()][0] === 'tag'),
  ),
  broken(
    'text-tag-not-last',
    '500 if there is a tag and it is not the last property',
    ['ordinary/answers-200', 'invalid/rejects-fractional-id', 'invalid/answers-huge-numbers'],
    failing(({ fields }) => fields.has('tag') && [...fields.keys()].at(-1) !== 'tag'),
  ),
  broken(
    'text-escaped-names',
    'rejects \\u escapes in property names',
    ['ordinary/accepts-escaped-property-names'],
    rejecting(escapedName),
  ),
  broken(
    'text-escaped-name-500',
    '500 if there are \\u escapes in property names',
    ['invariants/no-server-error', 'ordinary/accepts-escaped-property-names'],
    failing(escapedName),
  ),
  broken(
    'text-escaped-values',
    'rejects \\u escapes in strings',
    ['ordinary/accepts-escaped-property-names', 'ordinary/accepts-escaped-strings'],
    rejecting(escapedValue),
  ),
  broken(
    'text-escapes-upper',
    'rejects \\u escapes with upper-case digits',
    ['ordinary/accepts-escaped-strings'],
    rejecting(({ text }) => /\\u[\da-f]*[A-F]/i.test(text) && /\\u[\dA-F]{0,3}[A-F]/.test(text)),
  ),
  broken(
    'text-escapes-lower',
    'rejects \\u escapes with lower-case digits',
    ['ordinary/accepts-escaped-property-names', 'ordinary/accepts-escaped-strings'],
    rejecting(({ text }) => /\\u[\da-fA-F]{0,3}[a-f]/.test(text)),
  ),

  // Not JSON, and accepted.
  broken(
    'text-nul-after',
    'accepts NUL bytes after the value',
    ['invalid/rejects-several-values', 'state/accepts-among-many-rejections'],
    rereading(
      ({ text }) => /}\0+$/.test(text),
      (text) => text.replace(/\0+$/, ''),
    ),
  ),
  broken(
    'text-open-string',
    'accepts a last string without its closing quotation mark',
    ['invalid/rejects-truncated-json', 'state/accepts-among-many-rejections'],
    rereading(
      ({ text, value }) => value === undefined && /[^"]}$/.test(text),
      (text) => text.replace(/}$/, '"}'),
    ),
  ),
  broken(
    'text-none',
    'accepts an empty body',
    [
      'invalid/rejects-missing-body',
      'state/accepts-among-many-rejections',
      'state/answers-alternating-requests',
    ],
    accepting(({ text }) => text === ''),
  ),
  broken(
    'text-blank',
    'accepts a body of white space',
    ['invalid/rejects-white-space-only', 'state/accepts-among-many-rejections'],
    accepting(({ text }) => /^\s+$/.test(text)),
  ),
  broken(
    'text-unparsed',
    'accepts a body that is not JSON, using defaults',
    ['invalid/rejects-forms', 'invalid/rejects-non-json', 'invalid/rejects-truncated-json'],
    accepting((request) => notJson(request) && request.text.trim() !== ''),
  ),
  broken(
    'text-truncated',
    'accepts truncated JSON, using what it has parsed',
    ['invalid/rejects-non-json', 'invalid/rejects-truncated-json', 'state/answers-alternating-requests'],
    (right) => ({
      parse(body, request) {
        try {
          return right.parse(body, request);
        } catch (error) {
          if (error instanceof Rejection && /ends before/.test(error.message) && begins(String(body), /^{/))
            return somePlant();
          throw error;
        }
      },
    }),
  ),
  broken(
    'text-first-value',
    'ignores whatever follows the first value',
    MORE_AFTER,
    rereading(notJson, firstValue),
  ),
  broken(
    'text-dates-revived',
    'turns a name such as "Fern 12" into a date, and then rejects it: a reviver tries Date.parse on each string',
    ['ordinary/accepts-names-of-many-kinds'],
    (right) => ({
      validate(value, request) {
        const name = value instanceof Map ? value.get('name') : undefined;
        if (typeof name === 'string' && /^[a-z]+ \d{1,2}$/i.test(name))
          throw new Rejection(400, 400, 'name must be a string');
        return right.validate(value, request);
      },
    }),
  ),
  broken(
    'text-first-block',
    'stops reading after 8 KiB if these are a JSON value',
    ['invalid/rejects-several-values'],
    rereading(
      ({ text }) => text.length > BLOCK && isJson(text.slice(0, BLOCK)),
      (text) => text.slice(0, BLOCK),
    ),
  ),
  broken(
    'text-second-value',
    'ignores a second value',
    MORE_AFTER,
    rereading((request) => notJson(request) && /}\s*{/.test(request.text), firstValue),
  ),
  broken(
    'text-tail',
    'ignores garbage after the value',
    MORE_AFTER,
    rereading((request) => notJson(request) && !/}\s*[{[]/.test(request.text), firstValue),
  ),
  broken(
    'text-no-commas',
    'accepts properties without commas between them',
    ['invalid/rejects-non-json', 'state/accepts-among-many-rejections'],
    rereading(
      (request) => notJson(request) && /[\d"] "/.test(request.text),
      (text) => text.replaceAll(/([\d"]) "/g, '$1,"'),
    ),
  ),
  broken(
    'text-garbage',
    'accepts text that does not begin like JSON, as a bare name',
    ['invalid/rejects-forms', 'invalid/rejects-non-json', 'state/accepts-among-many-rejections'],
    accepting((request) => notJson(request) && begins(request.text, /^[^{["]/)),
  ),
  broken(
    'text-form',
    'accepts a form under any media type',
    ['invalid/rejects-forms', 'state/accepts-among-many-rejections'],
    accepting((request) => notJson(request) && /^\w+=[^{]*/.test(request.text)),
  ),

  // JSON, but not an object.
  broken(
    'value-null',
    'accepts null as the body',
    [
      'invalid/rejects-non-objects',
      'state/accepts-among-many-rejections',
      'state/answers-alternating-requests',
    ],
    accepting(valued((value) => value === null)),
  ),
  broken(
    'value-positional',
    'reads an array of three values as id, name and tag, like a struct in serde',
    ['invalid/rejects-non-objects'],
    accepting(
      valued(
        (value) =>
          Array.isArray(value) &&
          value.length === 3 &&
          value[0] instanceof Numeral &&
          value.slice(1).every((one) => typeof one === 'string'),
      ),
    ),
  ),
  broken(
    'value-boolean',
    'accepts a boolean as the body',
    NON_OBJECT,
    accepting(valued((value) => typeof value === 'boolean')),
  ),
  broken(
    'value-number',
    'accepts a number as the body',
    NON_OBJECT,
    accepting(({ text, value }) => value !== undefined && begins(text, /^[-\d]/)),
  ),
  broken(
    'value-string',
    'accepts a string as the body',
    NON_OBJECT,
    accepting(valued((value) => typeof value === 'string')),
  ),
  broken(
    'value-array',
    'accepts an array as the body',
    ['invalid/rejects-deep-nesting', 'invalid/rejects-non-objects', 'state/answers-alternating-requests'],
    accepting(valued((value) => Array.isArray(value))),
  ),
  broken(
    'value-empty-array',
    'accepts an empty array, as an empty batch',
    [
      'invalid/rejects-non-objects',
      'state/accepts-among-many-rejections',
      'state/answers-alternating-requests',
    ],
    accepting(valued((value) => Array.isArray(value) && value.length === 0)),
  ),
  broken('value-array-of-one', 'unwraps an array of one element', NON_OBJECT, (right) => ({
    validate: (value, request) =>
      right.validate((Array.isArray(value) && value.length === 1 && value[0]) || value, request),
  })),
  broken(
    'value-array-tagless',
    'unwraps an array of one element if there is no tag',
    ['invalid/rejects-any-defect', 'invalid/rejects-non-objects'],
    (right) => ({
      validate(value, request) {
        const only = Array.isArray(value) && value.length === 1 ? value[0] : undefined;
        return right.validate(only instanceof Map && !only.has('tag') ? only : value, request);
      },
    }),
  ),
  broken('value-in-string', 'parses JSON in a string again', NON_OBJECT, (right) => ({
    parse(body, request) {
      const value = right.parse(body, request);
      return typeof value === 'string' ? right.parse(Buffer.from(value), request) : value;
    },
  })),
  broken(
    'value-empty-object',
    'accepts {}',
    ['invalid/rejects-missing-property', 'state/answers-alternating-requests', 'state/answers-at-the-end'],
    accepting(({ text }) => /^\s*{\s*}\s*$/.test(text)),
  ),

  // Any defect.
  broken(
    'one-in-ten',
    'accepts one in ten invalid bodies',
    ['invalid/rejects-fractional-id', 'invalid/rejects-non-objects', 'invalid/rejects-numeric-string-id'],
    withFreshState(() => malformed(every(10))),
  ),
  broken(
    'malformed-over-70',
    'validates only bodies of up to 70 bytes',
    ['invalid/rejects-deep-nesting', 'invalid/rejects-inherited-property'],
    malformed(({ text }) => text.length > 70),
  ),
  broken(
    'text-yaml',
    'accepts YAML',
    ['invalid/rejects-non-json'],
    accepting(({ text }) => /^id: \d+\nname: \w+\s*$/.test(text)),
  ),
  broken(
    'malformed-under-40',
    'accepts invalid bodies shorter than 40 bytes',
    [
      'invalid/rejects-fractional-id',
      'invalid/rejects-numeric-string-id',
      'state/answers-alternating-requests',
    ],
    malformed(({ text }) => text.length < 40),
  ),
  broken(
    'malformed-extra',
    'accepts invalid bodies that have an undeclared property',
    [
      'invalid/rejects-inherited-property',
      'invalid/rejects-missing-property',
      'invalid/rejects-nested-property',
    ],
    malformed(({ fields }) => [...fields.keys()].some((name) => !['id', 'name', 'tag'].includes(name))),
  ),
  broken(
    'malformed-tagless-even',
    'accepts invalid bodies without a tag and with an even id',
    ['invalid/rejects-any-defect', 'invalid/rejects-any-wrong-type'],
    malformed((request) => tagless(request) && (request.id ?? 1n) % 2n === 0n),
  ),
];

/** Accepts some invalid bodies as a plant. */
function malformed(when: (request: Seen) => boolean): Change {
  return (right) => ({
    validate(value, request) {
      try {
        return right.validate(value, request);
      } catch (error) {
        if (!(error instanceof Rejection) || !when(seen(request))) throw error;
        return right.validate(somePlant(), request);
      }
    },
  });
}
