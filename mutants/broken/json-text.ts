import type { Value } from '../../reference/json.ts';
import { Refusal } from '../../reference/store.ts';
import { type BrokenStore, broken, type Change } from '../fleet.ts';
import {
  admitting,
  anew,
  every,
  failing,
  parsing,
  refusing,
  type Seen,
  seen,
  somePlant,
  tagless,
} from '../helpers.ts';

/** White space outside strings. */
const spaced =
  (space: RegExp) =>
  ({ text }: Seen) =>
    space.test(text.replace(/"(?:[^"\\]|\\.)*"/g, '""'));
const escapedName = ({ text }: Seen) => /"(?:[^"\\]|\\.)*\\u(?:[^"\\]|\\.)*"\s*:/.test(text);
const escapedValue = ({ text }: Seen) => /:\s*"(?:[^"\\]|\\.)*\\u/.test(text);
const valued = (test: (value: Value | undefined) => boolean) => (request: Seen) => test(request.value);
const notJson = ({ value }: Seen) => value === undefined;
const begins = (text: string, start: RegExp) => start.test(text.trimStart());

/** Right text that another text is read for. */
const rereading = (when: (seen: Seen) => boolean, read: (text: string) => string): Change =>
  parsing(when, (request, right) => right.parse(Buffer.from(read(request.body.toString())), request));

/** The text before the end of its first value. */
function firstValue(text: string): string {
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/g)) {
    depth += '{['.includes(token) ? 1 : '}]'.includes(token) ? -1 : 0;
    if (depth === 0) return text.slice(0, index + token.length);
  }
  return text;
}

/** One JSON text is refused that means an ordinary plant, or another is taken that means none. */
export const jsonText: readonly BrokenStore[] = [
  // The same value, written otherwise.
  broken(
    'text-leading-space',
    'white space means nothing: refused only before the value',
    ['create/takes-white-space'],
    refusing(({ text }) => /^\s+\S/.test(text)),
  ),
  broken(
    'text-trailing-space',
    'white space means nothing: refused only after the value',
    ['create/takes-white-space'],
    refusing(({ text }) => /\S\s+$/.test(text)),
  ),
  broken(
    'text-tabs',
    'white space means nothing: refused only where it is a tab',
    ['create/takes-white-space'],
    refusing(spaced(/\t/)),
  ),
  broken(
    'text-returns',
    'white space means nothing: refused only where it is a carriage return',
    ['create/takes-white-space'],
    refusing(spaced(/\r/)),
  ),
  broken(
    'text-lines',
    'white space means nothing: refused only where it is a new line',
    ['create/takes-white-space'],
    refusing(spaced(/\n/)),
  ),
  broken(
    'text-space-colon',
    'white space means nothing: refused only before a colon',
    ['create/takes-white-space'],
    refusing(spaced(/"\s+:/)),
  ),
  broken(
    'text-name-first',
    'the order of properties means nothing: refused only where name comes first',
    ['create/answers-200', 'create/takes-escaped-values', 'create/takes-ids-of-every-magnitude'],
    refusing(({ fields }) => [...fields.keys()][0] === 'name'),
  ),
  broken(
    'text-tag-first',
    'the order of properties means nothing: refused only where tag comes first',
    ['always/creates-ordinary-plants', 'create/takes-properties-in-any-order'],
    refusing(({ fields }) => [...fields.keys()][0] === 'tag'),
  ),
  broken(
    'text-tag-not-last',
    'the order of properties means nothing: 500 only where tag is not last',
    ['create/answers-200', 'refuse/fraction', 'refuse/survives-huge-numbers'],
    failing(({ fields }) => fields.has('tag') && [...fields.keys()].at(-1) !== 'tag'),
  ),
  broken(
    'text-escaped-names',
    '\\u escapes mean their characters: refused only in property names',
    ['create/takes-escaped-names'],
    refusing(escapedName),
  ),
  broken(
    'text-escaped-name-500',
    '\\u escapes mean their characters: 500 only in property names',
    ['always/no-server-error', 'create/takes-escaped-names'],
    failing(escapedName),
  ),
  broken(
    'text-escaped-values',
    '\\u escapes mean their characters: refused only in values',
    ['create/takes-escaped-names', 'create/takes-escaped-values'],
    refusing(escapedValue),
  ),
  broken(
    'text-escapes-upper',
    '\\u escapes mean their characters: refused only where their digits are capital',
    ['create/takes-escaped-values'],
    refusing(({ text }) => /\\u[\da-f]*[A-F]/i.test(text) && /\\u[\dA-F]{0,3}[A-F]/.test(text)),
  ),
  broken(
    'text-escapes-lower',
    '\\u escapes mean their characters: refused only where their digits are small',
    ['create/takes-escaped-names', 'create/takes-escaped-values'],
    refusing(({ text }) => /\\u[\da-fA-F]{0,3}[a-f]/.test(text)),
  ),

  // Not JSON, and taken.
  broken(
    'text-nul-after',
    'nothing but white space follows the value: NUL bytes are taken',
    ['refuse/several-values', 'serving/after-a-barrage'],
    rereading(
      ({ text }) => /}\0+$/.test(text),
      (text) => text.replace(/\0+$/, ''),
    ),
  ),
  broken(
    'text-open-string',
    'a string ends with a quotation mark: the last one may do without',
    ['refuse/truncated', 'serving/after-a-barrage'],
    rereading(
      ({ text, value }) => value === undefined && /[^"]}$/.test(text),
      (text) => text.replace(/}$/, '"}'),
    ),
  ),
  broken(
    'text-none',
    'a body is required: none is taken',
    ['refuse/no-body', 'serving/after-a-barrage', 'serving/alternates'],
    admitting(({ text }) => text === ''),
  ),
  broken(
    'text-blank',
    'a body is required: white space is taken',
    ['refuse/white-space-only', 'serving/after-a-barrage'],
    admitting(({ text }) => /^\s+$/.test(text)),
  ),
  broken(
    'text-unparsed',
    'the body is JSON: what does not parse is taken with defaults',
    ['refuse/form', 'refuse/garbage', 'refuse/truncated'],
    admitting((request) => notJson(request) && request.text.trim() !== ''),
  ),
  broken(
    'text-truncated',
    'the body is JSON: a stream that ends early is taken for what it had',
    ['refuse/garbage', 'refuse/truncated', 'serving/alternates'],
    (right) => ({
      parse(body, request) {
        try {
          return right.parse(body, request);
        } catch (error) {
          if (error instanceof Refusal && /ends before/.test(error.message) && begins(String(body), /^{/))
            return somePlant();
          throw error;
        }
      },
    }),
  ),
  broken(
    'text-first-value',
    'the body is one JSON value: what follows the first is ignored',
    ['refuse/any-spoilt-text', 'refuse/several-values', 'serving/after-a-barrage'],
    rereading(notJson, firstValue),
  ),
  broken(
    'text-second-value',
    'the body is one JSON value: a second value is ignored',
    ['refuse/any-spoilt-text', 'refuse/several-values', 'serving/after-a-barrage'],
    rereading((request) => notJson(request) && /}\s*{/.test(request.text), firstValue),
  ),
  broken(
    'text-tail',
    'the body is one JSON value: garbage after it is ignored',
    ['refuse/any-spoilt-text', 'refuse/several-values', 'serving/after-a-barrage'],
    rereading((request) => notJson(request) && !/}\s*[{[]/.test(request.text), firstValue),
  ),
  broken(
    'text-no-commas',
    'the body is JSON: commas between properties may be missing',
    ['refuse/garbage', 'serving/after-a-barrage'],
    rereading(
      (request) => notJson(request) && /[\d"] "/.test(request.text),
      (text) => text.replaceAll(/([\d"]) "/g, '$1,"'),
    ),
  ),
  broken(
    'text-garbage',
    'the body is JSON: text that does not begin like JSON is taken as a bare name',
    ['refuse/form', 'refuse/garbage', 'serving/after-a-barrage'],
    admitting((request) => notJson(request) && begins(request.text, /^[^{["]/)),
  ),
  broken(
    'text-form',
    'the body is JSON: a form is taken, under whatever type',
    ['refuse/form', 'serving/after-a-barrage'],
    admitting((request) => notJson(request) && /^\w+=[^{]*/.test(request.text)),
  ),

  // JSON, and not an object.
  broken(
    'value-null',
    'the body is an object: null is taken',
    ['refuse/not-an-object', 'serving/after-a-barrage', 'serving/alternates'],
    admitting(valued((value) => value === null)),
  ),
  broken(
    'value-boolean',
    'the body is an object: true is taken',
    ['refuse/any-defect', 'refuse/not-an-object', 'serving/after-a-barrage'],
    admitting(valued((value) => typeof value === 'boolean')),
  ),
  broken(
    'value-number',
    'the body is an object: a number is taken',
    ['refuse/any-defect', 'refuse/not-an-object', 'serving/after-a-barrage'],
    admitting(({ text, value }) => value !== undefined && begins(text, /^[-\d]/)),
  ),
  broken(
    'value-string',
    'the body is an object: a string is taken',
    ['refuse/any-defect', 'refuse/not-an-object', 'serving/after-a-barrage'],
    admitting(valued((value) => typeof value === 'string')),
  ),
  broken(
    'value-array',
    'the body is an object: an array is taken',
    ['refuse/deeply-nested', 'refuse/not-an-object', 'serving/alternates'],
    admitting(valued((value) => Array.isArray(value))),
  ),
  broken(
    'value-empty-array',
    'the body is an object: an empty array is taken, as a batch of none',
    ['refuse/not-an-object', 'serving/after-a-barrage', 'serving/alternates'],
    admitting(valued((value) => Array.isArray(value) && value.length === 0)),
  ),
  broken(
    'value-array-of-one',
    'the body is an object: an array of one is unwrapped',
    ['refuse/any-defect', 'refuse/not-an-object', 'serving/after-a-barrage'],
    (right) => ({
      validate: (value, request) =>
        right.validate((Array.isArray(value) && value.length === 1 && value[0]) || value, request),
    }),
  ),
  broken(
    'value-array-tagless',
    'the body is an object: an array of one is unwrapped only where there is no tag',
    ['refuse/any-defect', 'refuse/not-an-object'],
    (right) => ({
      validate(value, request) {
        const only = Array.isArray(value) && value.length === 1 ? value[0] : undefined;
        return right.validate(only instanceof Map && !only.has('tag') ? only : value, request);
      },
    }),
  ),
  broken(
    'value-in-string',
    'the body is an object: JSON in a string is parsed again',
    ['refuse/any-defect', 'refuse/not-an-object', 'serving/after-a-barrage'],
    (right) => ({
      parse(body, request) {
        const value = right.parse(body, request);
        return typeof value === 'string' ? right.parse(Buffer.from(value), request) : value;
      },
    }),
  ),
  broken(
    'value-empty-object',
    'id and name are required: {} is taken',
    ['refuse/missing-property', 'serving/alternates', 'serving/to-the-end'],
    admitting(({ text }) => /^\s*{\s*}\s*$/.test(text)),
  ),

  // Whatever is wrong with it.
  broken(
    'one-in-ten',
    'what is no NewPlant is refused: one only in ten is taken',
    ['refuse/fraction', 'refuse/not-an-object', 'refuse/numeral-in-a-string'],
    anew(() => malformed(every(10))),
  ),
  broken(
    'malformed-over-70',
    'what is no NewPlant is refused: validated only up to 70 bytes',
    ['refuse/deeply-nested', 'refuse/inherited-property', 'refuse/nested-property'],
    malformed(({ text }) => text.length > 70),
  ),
  broken(
    'malformed-under-40',
    'what is no NewPlant is refused: only shorter than 40 bytes is taken',
    ['refuse/fraction', 'refuse/numeral-in-a-string', 'serving/alternates'],
    malformed(({ text }) => text.length < 40),
  ),
  broken(
    'malformed-extra',
    'what is no NewPlant is refused: taken only where something is there beside id, name, tag',
    ['refuse/inherited-property', 'refuse/missing-property', 'refuse/nested-property'],
    malformed(({ fields }) => [...fields.keys()].some((name) => !['id', 'name', 'tag'].includes(name))),
  ),
  broken(
    'malformed-tagless-even',
    'what is no NewPlant is refused: taken only without a tag and where the id is even',
    ['refuse/any-defect', 'refuse/any-wrong-type'],
    malformed((request) => tagless(request) && (request.id ?? 1n) % 2n === 0n),
  ),
];

/** Some of what is malformed is taken for a plant. */
function malformed(when: (request: Seen) => boolean): Change {
  return (right) => ({
    validate(value, request) {
      try {
        return right.validate(value, request);
      } catch (error) {
        if (!(error instanceof Refusal) || !when(seen(request))) throw error;
        return right.validate(somePlant(), request);
      }
    },
  });
}
