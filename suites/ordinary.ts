import type { Arbitrary } from 'fast-check';
import { acceptsOrdinary, createdRules, echoes, plantBody, plantMediaType } from '../lib/judge/rules.ts';
import { ordersOf } from '../lib/payloads/choose-cases.ts';
import { freshLike, withWords } from '../lib/payloads/fresh.ts';
import { COMPACT, type Json, JsonObject, type Style } from '../lib/payloads/json.ts';
import { ID, idWithin, plantOf } from '../lib/payloads/plants.ts';
import type { RequestTemplate, TestCase } from '../lib/payloads/test-case.ts';
import { onlyValid } from '../lib/payloads/validity.ts';
import type { Check, PlantFactory } from '../lib/run/check.ts';
import { capitalised } from '../lib/text.ts';
import {
  createsAtOnce,
  must,
  namedCases,
  ordinaryCase,
  rangeText,
  should,
  unusuallySent,
  validCases,
  withoutTag,
} from './define.ts';

const ACCEPT_HINT =
  'Accept every NewPlant that the document allows: answer 200 with a Plant as application/json.';

const plain = (plants: PlantFactory): TestCase[] => [
  ordinaryCase('with every property', plants.plain()),
  ordinaryCase('with the required properties', plants.plain('required')),
];

const withValues = (
  plants: PlantFactory,
  property: string,
  values: readonly (readonly [label: string, value: Json])[],
  properties?: 'required',
): TestCase[] =>
  validCases(
    plants,
    values.map(([label, value]) => ordinaryCase(label, plants.plain(properties).with(property, value))),
  );

const letters = (count: number) => `${count} ${count === 1 ? 'letter' : 'letters'}`;

/** Names of two letters or more: earlier runs may have used all names of one letter. */
const namesOfEveryLength = (plants: PlantFactory): TestCase[] =>
  withValues(
    plants,
    'name',
    [2, 3, 4, 5, 6, 7, 8, 9, 16, 20, 25, 30, 31, 32, 33, 39, 40].map((length) => [
      `a name of ${letters(length)}`,
      withWords((word) => capitalised(word(length))),
    ]),
  );

const namesOfManyKinds = (plants: PlantFactory): TestCase[] => {
  const named = (words: string) =>
    KINDS_OF_NAMES.map((kind) => [`a name like ${JSON.stringify(kind)}${words}`, freshLike(kind)] as const);
  return [
    ...withValues(plants, 'name', named('')),
    ...withValues(plants, 'name', named(', without optional properties'), 'required'),
  ];
};

const tagsOfEveryLength = (plants: PlantFactory): TestCase[] =>
  withValues(plants, 'tag', [
    ...[1, 2, 3, 8, 10, 15, 16, 17, 19, 20].map(
      (length) => [`a tag of ${letters(length)}`, withWords((word) => word(length))] as const,
    ),
    ...WORDS_WITH_A_MEANING.map((word) => [`the tag ${word}`, word] as const),
  ]);

/** Tags that mean something to programs. Unlike names, tags need not be unique. */
const WORDS_WITH_A_MEANING = ['null', 'true', 'none', 'undefined', 'nan', 'new', 'select', 'constructor'];

const sampled =
  (label: string, properties: 'some' | 'all') =>
  (plants: PlantFactory): Arbitrary<TestCase> => {
    const plant = plantOf(plants.contract.newPlant.shape, 'ordinary', properties);
    return onlyValid(plants.contract, plant, plants.plain()).map((one) => ordinaryCase(label, one));
  };

/** `word` is replaced with six fresh letters, # with a fresh digit. */
const KINDS_OF_NAMES = [
  ...['word word', "word's word", "O'Word", "word''word", 'word-word', 'word--word', 'word - word'],
  ...["word 'word'", "word'", 'word-', 'word '],
  ...['word7', 'word 7', 'word 1999', 'word 7 May 2027', 'word 1e5', 'word 12345678'],
  ...['T##########', 'e##########', 'WORD', 'word'],
  ...['word  word', 'word word  ', 'word word word word word', 'word-word-word-word'],
  ...['null word', 'true word', 'select word from word', 'drop table word', 'undefined word'],
  // What filters against SQL injection look for.
  ...["word' or 1", "word' and 'word", 'word union select word', 'word or 1 --', 'insert into word'],
];

const written = (plants: PlantFactory, spellings: Readonly<Record<string, Partial<Style>>>): TestCase[] =>
  Object.entries(spellings).map(([label, style]) => ({
    label,
    template: { body: { json: plants.plain(), style: { ...COMPACT, ...style } } },
  }));

const casesWithHeaders = (
  plants: PlantFactory,
  more: Readonly<Record<string, RequestTemplate>>,
): TestCase[] => Object.entries(more).map(([label, template]) => unusuallySent(plants, label, template));

/** Ids of every magnitude. Earlier runs may have used all smaller ones. */
const MAGNITUDES: readonly (readonly [from: bigint, below: bigint])[] = [
  ...[20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30].map(
    (bits) => [2n ** BigInt(bits), 2n ** BigInt(bits + 1)] as const,
  ),
  [2n ** 31n - 2n ** 24n, 2n ** 31n],
];

const idsOfEveryMagnitude = (plants: PlantFactory): TestCase[] =>
  MAGNITUDES.flatMap(([from, below]) =>
    [false, true].flatMap((odd) => {
      const id = idWithin(plants.contract.newPlant.shape, from, below, { odd });
      const range = rangeText(from, below - 1n);
      const label = odd ? `an odd id ${range}, without optional properties` : `an id ${range}`;
      return id === undefined ? [] : withValues(plants, ID, [[label, id]], odd ? 'required' : undefined);
    }),
  );

export const ordinaryChecks: readonly Check[] = [
  must('ordinary/answers-200', {
    statement: 'An ordinary NewPlant is answered with 200.',
    basis: ['section 4, rule 1', 'openapi.yaml#/paths/~1plants/post/responses/200'],
    hint: 'Answer 200, the only success status; 201, 202, 204 and redirects are not declared.',
    test: namedCases([acceptsOrdinary], plain),
  }),
  must('ordinary/answers-json', {
    statement: 'The response to an ordinary NewPlant has the content type application/json.',
    basis: ['section 4, success response'],
    hint: 'Send exactly one Content-Type, application/json; parameters such as charset are allowed.',
    test: { ...namedCases([plantMediaType], plain), untestableBecauseOf: 'ordinary/answers-200' },
  }),
  must('ordinary/answers-a-plant', {
    statement: 'The response to an ordinary NewPlant is a Plant: one JSON value in UTF-8.',
    basis: ['section 4, rule 1', 'section 4, rule 2', 'section 2, Plant', 'RFC 8259 section 8.1'],
    hint: 'Answer with a JSON object whose name is a string; omit tag if there is none, since null is not a string.',
    test: { ...namedCases([plantBody], plain), untestableBecauseOf: 'ordinary/answers-200' },
  }),
  must('ordinary/accepts-any-plant', {
    statement: 'Any NewPlant with a name of letters, digits, spaces, hyphens and apostrophes is created.',
    basis: ['section 4, rule 1', 'section 4, request body', 'section 2, NewPlant'],
    hint: ACCEPT_HINT,
    test: { kind: 'property', cases: sampled('an ordinary plant', 'some'), rules: createdRules, weight: 1 },
  }),
  must('ordinary/accepts-names-of-every-length', {
    statement: 'Names of 2 to 40 letters are accepted.',
    basis: ['section 4, rule 1', 'section 2, Plant'],
    hint: ACCEPT_HINT,
    test: namedCases(createdRules, namesOfEveryLength),
  }),
  must('ordinary/accepts-names-of-many-kinds', {
    statement: 'Names with spaces, digits, hyphens and apostrophes in any position are accepted.',
    basis: ['section 4, rule 1', 'section 2, Plant'],
    hint: ACCEPT_HINT,
    test: namedCases(createdRules, namesOfManyKinds),
  }),
  must('ordinary/accepts-tags-of-every-length', {
    statement: 'Tags of 1 to 20 lower-case letters are accepted.',
    basis: ['section 4, rule 1', 'section 2, Plant'],
    hint: ACCEPT_HINT,
    test: namedCases(createdRules, tagsOfEveryLength),
  }),
  must('ordinary/accepts-ids-of-every-magnitude', {
    statement: 'Ids of every magnitude up to 2^31-1 are accepted.',
    basis: ['section 4, rule 1', 'section 2, NewPlant'],
    hint: 'Store ids as int64: a column or variable of 16, 24 or 32 bits, or a 32-bit float, is too narrow.',
    test: namedCases(createdRules, idsOfEveryMagnitude),
  }),
  must('ordinary/accepts-any-property-order', {
    statement: 'The order of properties makes no difference.',
    basis: ['section 4, rule 1', 'RFC 8259 section 4'],
    hint: 'Read all properties before validating any of them: an object is unordered.',
    test: namedCases(createdRules, (plants) =>
      (['all', 'required'] as const).flatMap((properties) =>
        ordersOf(plants.plain(properties).members).map((members) =>
          ordinaryCase(
            `in the order ${members.map(([name]) => name).join(', ')}`,
            otherPlantInOrder(plants, members),
          ),
        ),
      ),
    ),
  }),
  must('ordinary/accepts-white-space', {
    statement: 'White space between JSON tokens makes no difference.',
    basis: ['section 4, rule 1', 'RFC 8259 section 2'],
    hint: 'Use a JSON parser; space, tab, line feed and carriage return are allowed around any token.',
    test: namedCases(createdRules, (plants) =>
      written(plants, {
        'a space around every token': { gaps: [' '] },
        'line feeds': { gaps: ['\n'] },
        'carriage returns and line feeds': { gaps: ['\r\n'] },
        tabs: { gaps: ['\t'] },
        'deep indentation': { gaps: ['\n        ', ' '] },
      }),
    ),
  }),
  must('ordinary/accepts-escaped-strings', {
    statement: 'Strings written with \\u escapes are accepted like any others.',
    basis: ['section 4, rule 1', 'RFC 8259 section 7'],
    hint: 'Use a JSON parser; any character of a string may be written as \\u and four hexadecimal digits.',
    test: namedCases(createdRules, (plants) =>
      written(plants, {
        'every character': { escapes: 'values' },
        'every character, in upper-case hexadecimal': { escapes: 'values', digits: 'upper' },
        'every other character': { escapes: 'values', every: 2 },
      }),
    ),
  }),
  must('ordinary/accepts-escaped-property-names', {
    statement: 'Property names written with \\u escapes are accepted like any others.',
    basis: ['section 4, rule 1', 'RFC 8259 section 8.3'],
    hint: 'Compare property names after unescaping them, as JSON parsers do.',
    test: namedCases(createdRules, (plants) =>
      written(plants, {
        'every character': { escapes: 'names' },
        'every other character': { escapes: 'names', every: 2 },
        'names and values': { escapes: 'both' },
      }),
    ),
  }),
  must('ordinary/accepts-concurrent-requests', {
    statement: 'Ordinary plants are created even if many are sent at the same time.',
    basis: ['section 4, rule 1'],
    hint: 'Look for state shared between requests: a variable outside the handler, a lock, an exhausted pool.',
    test: {
      kind: 'scenario',
      sends: '64 ordinary plants, as many at a time as the run allows, every other one without a tag.',
      exclusive: 'always',
      concurrent: true,
      run: (context) => createsAtOnce(context, 64, 'one of 64 at once'),
    },
  }),
  should('ordinary/echoes-name', {
    statement: 'The name of an ordinary plant is returned unchanged.',
    basis: ['section 4, rule 2', 'section 2, Plant'],
    hint: 'Return the name as it was sent: not trimmed, truncated, normalized or changed in case, and not that of another request.',
    test: {
      kind: 'property',
      named: namesOfManyKinds,
      cases: sampled('an ordinary plant', 'some'),
      rules: [echoes('name')],
      weight: 0.6,
      untestableBecauseOf: 'ordinary/answers-a-plant',
    },
  }),
  should('ordinary/echoes-tag', {
    statement: 'The tag of an ordinary plant is returned unchanged.',
    basis: ['section 4, rule 2', 'section 2, Plant'],
    hint: 'Return the tag as it was sent.',
    notApplicable: withoutTag,
    test: {
      kind: 'property',
      named: tagsOfEveryLength,
      cases: sampled('an ordinary plant with a tag', 'all'),
      rules: [echoes('tag')],
      weight: 0.25,
      untestableBecauseOf: 'ordinary/answers-a-plant',
    },
  }),
  should('ordinary/accepts-charset-parameter', {
    statement: 'The content type application/json; charset=utf-8 is accepted.',
    basis: ['section 4, request body', 'RFC 9110 section 8.3.1'],
    hint: 'Compare only the type and subtype of the Content-Type, not the whole header.',
    test: namedCases([acceptsOrdinary], (plants) =>
      casesWithHeaders(plants, {
        'charset=utf-8': { contentType: 'application/json; charset=utf-8' },
        'charset=UTF-8 without a space': { contentType: 'application/json;charset=UTF-8' },
        'a quoted charset': { contentType: 'application/json; charset="utf-8"' },
      }),
    ),
  }),
  should('ordinary/accepts-media-type-in-any-case', {
    statement: 'The content type is case-insensitive.',
    basis: ['RFC 9110 section 8.3.1'],
    hint: 'Convert the type and subtype to lower case before comparing them.',
    test: namedCases([acceptsOrdinary], (plants) =>
      casesWithHeaders(plants, {
        'Application/JSON': { contentType: 'Application/JSON' },
        'APPLICATION/JSON': { contentType: 'APPLICATION/JSON' },
      }),
    ),
  }),
  should('ordinary/accepts-chunked-body', {
    statement: 'A chunked body is accepted like one with a Content-Length.',
    basis: ['RFC 9112 section 7.1'],
    hint: 'Support Transfer-Encoding: chunked, as every HTTP/1.1 recipient must.',
    test: namedCases([acceptsOrdinary], (plants) =>
      casesWithHeaders(plants, { chunked: { framing: 'chunked' } }),
    ),
  }),
  should('ordinary/ignores-range', {
    statement: 'A Range header has no effect on POST.',
    basis: ['RFC 9110 section 14.2'],
    hint: 'Ignore Range unless the method is GET: send the response to a POST without a function that serves files, and do not let a proxy apply ranges to it.',
    test: namedCases([acceptsOrdinary], (plants) =>
      casesWithHeaders(plants, { Range: { headers: [['range', 'bytes=0-1']] } }),
    ),
  }),
  should('ordinary/accepts-any-accept-that-allows-json', {
    statement: 'A plant is created with any Accept header that allows JSON.',
    basis: ['RFC 9110 section 12.5.1'],
    hint: 'Answer with application/json if Accept names it, matches it with a range, or is absent.',
    test: namedCases([acceptsOrdinary], (plants) =>
      casesWithHeaders(plants, {
        '*/*': { headers: [['accept', '*/*']] },
        'application/*': { headers: [['accept', 'application/*']] },
        'a list with weights': { headers: [['accept', 'text/html;q=0.9, application/json;q=0.5']] },
        'a browser': {
          headers: [['accept', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8']],
        },
      }),
    ),
  }),
];

function otherPlantInOrder(plants: PlantFactory, members: JsonObject['members']): JsonObject {
  const other = plants.plain();
  return new JsonObject(members.map(([name, value]) => [name, other.get(name) ?? value]));
}
