import type { Arbitrary } from 'fast-check';
import { acceptsOrdinary, echoes, plantBody, plantMediaType } from '../lib/judge/rules.ts';
import { admits, onlyAdmitted } from '../lib/payloads/admits.ts';
import type { Case, Draft } from '../lib/payloads/case.ts';
import { withWords } from '../lib/payloads/fresh.ts';
import { COMPACT, type FreshText, type Json, JsonObject, type Style } from '../lib/payloads/json.ts';
import { ID, idWithin, plantOf } from '../lib/payloads/plants.ts';
import { ordersOf } from '../lib/payloads/sampled.ts';
import type { Check, Plants } from '../lib/run/check.ts';
import { creating, must, ordinary, posting, should, withoutTag } from './vocabulary.ts';

const aPlant = [acceptsOrdinary, plantMediaType, plantBody];

const takeIt =
  'Take every NewPlant that the document admits: answer status 200, content type application/json, and a Plant.';

const plain = (plants: Plants): Case[] => [
  ordinary('with every property', plants.plain()),
  ordinary('with the required properties', plants.plain('required')),
];

/** Plain plants with given values of one property, by label, as far as the document admits them. */
const withValues = (
  plants: Plants,
  property: string,
  values: readonly (readonly [label: string, value: Json])[],
): Case[] =>
  values
    .map(([label, value]) => ({ label, plant: plants.plain().with(property, value) }))
    .filter(({ plant }) => admits(plants.contract, plant))
    .map(({ label, plant }) => ordinary(label, plant));

const letters = (count: number) => `${count} ${count === 1 ? 'letter' : 'letters'}`;

const namesOfEveryLength = (plants: Plants): Case[] =>
  withValues(
    plants,
    'name',
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 20, 25, 30, 31, 32, 33, 39, 40].map((length) => [
      `a name of ${letters(length)}`,
      withWords((word) => capitalised(word(length))),
    ]),
  );

const namesOfManyKinds = (plants: Plants): Case[] =>
  withValues(
    plants,
    'name',
    KINDS_OF_NAMES.map((kind) => [`a name like ${JSON.stringify(kind)}`, namedLike(kind)]),
  );

const tagsOfEveryLength = (plants: Plants): Case[] =>
  withValues(
    plants,
    'tag',
    [1, 2, 3, 8, 10, 15, 16, 17, 19, 20].map((length) => [
      `a tag of ${letters(length)}`,
      withWords((word) => word(length)),
    ]),
  );

const ordinaryPlants = (plants: Plants): Arbitrary<JsonObject> =>
  onlyAdmitted(plants.contract, plantOf(plants.contract.newPlant.shape, 'ordinary', 'some'), plants.plain());

const drawn = (plants: Plants): Arbitrary<Case> =>
  ordinaryPlants(plants).map((plant) => ordinary('an ordinary plant', plant));

/** Names with what real names have beside letters; `word` stands for six fresh letters, # for a fresh digit. */
const KINDS_OF_NAMES = [
  'word word',
  "word's word",
  "O'Word",
  "word''word",
  'word-word',
  'word--word',
  'word - word',
  "word 'word'",
  "word'",
  'word-',
  'word ',
  'word7',
  'word 12345678',
  'T##########',
  'e##########',
  'WORD',
  'word',
  'word  word',
  'word word  ',
  'null word',
  'true word',
  'select word from word',
] as const;

/** A fresh name of a kind. */
const namedLike = (kind: string): FreshText =>
  withWords((word, digit) =>
    kind
      .replace(/word/gi, (letters) => {
        const fresh = word(6);
        return letters === 'WORD' ? fresh.toUpperCase() : letters === 'Word' ? capitalised(fresh) : fresh;
      })
      .replaceAll('#', () => digit()),
  );

const capitalised = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

const written = (plants: Plants, spellings: Readonly<Record<string, Style>>): Case[] =>
  Object.entries(spellings).map(([label, style]) => ({
    label,
    population: 'ordinary',
    draft: posting(plants.plain(), {}, style),
  }));

/** A request that says the same as an ordinary one in other headers. */
const saying = (plants: Plants, more: Readonly<Record<string, Draft>>): Case[] =>
  Object.entries(more).map(([label, draft]) => {
    const plant = plants.plain();
    return {
      label,
      population: 'ordinary',
      draft: posting(plant, draft),
      twin: creating(plants.plain()),
    };
  });

export const create: readonly Check[] = [
  must(
    'create/answers-200',
    {
      statement: 'An ordinary NewPlant is answered with status 200.',
      basis: ['section 4, rule 1', 'openapi.yaml#/paths/~1plants/post/responses/200'],
      hint: 'The one success status is 200; 201, 202, 204 and redirects are not declared.',
    },
    { kind: 'cases', cases: plain, rules: [acceptsOrdinary] },
  ),
  must(
    'create/answers-json',
    {
      statement: 'The answer to an ordinary NewPlant has the content type application/json.',
      basis: ['section 4, success response'],
      hint: 'Send exactly one Content-Type, application/json; parameters such as charset do no harm.',
    },
    { kind: 'cases', cases: plain, rules: [plantMediaType], explainedBy: 'create/answers-200' },
  ),
  must(
    'create/answers-a-plant',
    {
      statement: 'The answer to an ordinary NewPlant is one JSON value in UTF-8 in the shape of a Plant.',
      basis: ['section 4, rule 1', 'section 4, rule 2', 'section 2, Plant', 'RFC 8259 section 8.1'],
      hint: 'Answer a JSON object with name, a string; leave tag out where there is none, null is not a string.',
    },
    { kind: 'cases', cases: plain, rules: [plantBody], explainedBy: 'create/answers-200' },
  ),
  must(
    'create/takes-any-ordinary-plant',
    {
      statement: 'Any NewPlant with a name of letters, digits, spaces, hyphens and apostrophes is created.',
      basis: ['section 4, rule 1', 'section 4, request body', 'section 2, NewPlant'],
      hint: takeIt,
    },
    { kind: 'property', cases: drawn, rules: aPlant, share: 1 },
  ),
  must(
    'create/takes-names-of-every-length',
    {
      statement: 'Names of 1 to 40 letters are taken.',
      basis: ['section 4, rule 1', 'section 2, Plant'],
      hint: takeIt,
    },
    { kind: 'cases', cases: namesOfEveryLength, rules: aPlant },
  ),
  must(
    'create/takes-names-of-many-kinds',
    {
      statement: 'Names with spaces, digits, hyphens and apostrophes in any place are taken.',
      basis: ['section 4, rule 1', 'section 2, Plant'],
      hint: takeIt,
    },
    { kind: 'cases', cases: namesOfManyKinds, rules: aPlant },
  ),
  must(
    'create/takes-tags-of-every-length',
    {
      statement: 'Tags of 1 to 20 lower-case letters are taken.',
      basis: ['section 4, rule 1', 'section 2, Plant'],
      hint: takeIt,
    },
    {
      kind: 'cases',
      cases: tagsOfEveryLength,
      rules: aPlant,
      // An allowed list of tags, or an overlay with a pattern, leaves none of these.
    },
  ),
  must(
    'create/takes-ids-of-every-magnitude',
    {
      statement: 'Ids of every magnitude up to 2^31-1 are taken.',
      basis: ['section 4, rule 1', 'section 2, NewPlant'],
      hint: 'An id is an int64: a column or variable of 16, 24 or 32 bits, or a 32-bit float, is too narrow.',
    },
    {
      kind: 'cases',
      // Of smaller ids there are too few: an earlier run may have sent any of them.
      cases: (plants) =>
        [
          ...Array.from(
            { length: 11 },
            (_, index) => [2n ** BigInt(20 + index), 2n ** BigInt(21 + index)] as const,
          ),
          [2n ** 31n - 2n ** 24n, 2n ** 31n] as const,
        ]
          .flatMap(([from, below]) =>
            [false, true].flatMap((odd) => {
              const id = idWithin(plants.contract.newPlant.shape, from, below, { odd });
              const label = `an ${odd ? 'odd ' : ''}id of ${from} to ${below - 1n}`;
              return id === undefined ? [] : [{ label, plant: plants.plain().with(ID, id) }];
            }),
          )
          .filter(({ plant }) => admits(plants.contract, plant))
          .map(({ label, plant }) => ordinary(label, plant)),
      rules: aPlant,
    },
  ),
  must(
    'create/takes-properties-in-any-order',
    {
      statement: 'The order of the properties makes no difference.',
      basis: ['section 4, rule 1', 'RFC 8259 section 4'],
      hint: 'An object is an unordered collection: read all properties before deciding about one.',
    },
    {
      kind: 'cases',
      cases: (plants) => [
        ...ordersOf(plants.plain().members).map((members) =>
          ordinary(`in the order ${members.map(([name]) => name).join(', ')}`, fresh(plants, members)),
        ),
        ...ordersOf(plants.plain('required').members).map((members) =>
          ordinary(`in the order ${members.map(([name]) => name).join(', ')}`, fresh(plants, members)),
        ),
      ],
      rules: aPlant,
    },
  ),
  must(
    'create/takes-white-space',
    {
      statement: 'White space around the tokens of the JSON text makes no difference.',
      basis: ['section 4, rule 1', 'RFC 8259 section 2'],
      hint: 'Use a JSON parser; space, tab, line feed and carriage return may stand around any token.',
    },
    {
      kind: 'cases',
      cases: (plants) =>
        written(plants, {
          'a space around every token': { ...COMPACT, gaps: [' '] },
          'line feeds': { ...COMPACT, gaps: ['\n'] },
          'carriage returns and line feeds': { ...COMPACT, gaps: ['\r\n'] },
          tabs: { ...COMPACT, gaps: ['\t'] },
          'a deep indentation': { ...COMPACT, gaps: ['\n        ', ' '] },
        }),
      rules: aPlant,
    },
  ),
  must(
    'create/takes-escaped-values',
    {
      statement: 'A string written with \\u escapes is the same string.',
      basis: ['section 4, rule 1', 'RFC 8259 section 7'],
      hint: 'Use a JSON parser; any character of a string may be written as \\u and four hexadecimal digits.',
    },
    {
      kind: 'cases',
      cases: (plants) =>
        written(plants, {
          'every character': { ...COMPACT, escapes: 'values' },
          'every character, in capital digits': { ...COMPACT, escapes: 'values', digits: 'upper' },
          'every other character': { ...COMPACT, escapes: 'values', every: 2 },
        }),
      rules: aPlant,
    },
  ),
  must(
    'create/takes-escaped-names',
    {
      statement: 'A property name written with \\u escapes is the same name.',
      basis: ['section 4, rule 1', 'RFC 8259 section 8.3'],
      hint: 'Compare property names after the escapes are undone, as JSON parsers do.',
    },
    {
      kind: 'cases',
      cases: (plants) =>
        written(plants, {
          'every character': { ...COMPACT, escapes: 'names' },
          'every other character': { ...COMPACT, escapes: 'names', every: 2 },
          'names and values': { ...COMPACT, escapes: 'both' },
        }),
      rules: aPlant,
    },
  ),
  must(
    'create/takes-many-at-once',
    {
      statement: 'Ordinary plants are created whoever else creates some at the same time.',
      basis: ['section 4, rule 1'],
      hint: 'Look for state that requests share: a variable outside of the handler, a lock, a pool that runs dry.',
    },
    {
      kind: 'procedure',
      sends: '64 ordinary plants, as many at a time as the run allows, every other one without a tag.',
      alone: true,
      atOnce: true,
      async run(bench) {
        const drafts = Array.from({ length: 64 }, (_, index) =>
          creating(bench.plants.plain(index % 2 === 0 ? 'all' : 'required')),
        );
        const exchanges = await bench.sendAll(drafts);
        for (const [index, exchange] of exchanges.entries()) {
          bench.judge(exchange, drafts[index] ?? {}, 'one of 64 at once', aPlant);
        }
      },
    },
  ),
  should(
    'create/echoes-name',
    {
      statement: 'The name of an ordinary plant comes back character for character.',
      basis: ['section 4, rule 2', 'section 2, Plant'],
      hint: 'Answer the name as it was sent: not trimmed, not cut, not in another case or normal form, and not that of another request.',
    },
    {
      kind: 'property',
      named: namesOfManyKinds,
      cases: drawn,
      rules: [echoes('name')],
      share: 0.5,
      explainedBy: 'create/answers-a-plant',
    },
  ),
  should(
    'create/echoes-tag',
    {
      statement: 'The tag of an ordinary plant comes back character for character.',
      basis: ['section 4, rule 2', 'section 2, Plant'],
      hint: 'Answer the tag as it was sent.',
      silent: withoutTag,
    },
    {
      kind: 'property',
      named: tagsOfEveryLength,
      cases: (plants) =>
        onlyAdmitted(
          plants.contract,
          plantOf(plants.contract.newPlant.shape, 'ordinary', 'all'),
          plants.plain(),
        ).map((plant) => ordinary('an ordinary plant with a tag', plant)),
      rules: [echoes('tag')],
      share: 0.25,
      explainedBy: 'create/answers-a-plant',
    },
  ),
  should(
    'create/takes-charset-parameter',
    {
      statement: 'The content type application/json; charset=utf-8 is taken.',
      basis: ['section 4, request body', 'RFC 9110 section 8.3.1'],
      hint: 'Compare the type and subtype of the Content-Type and not the whole field.',
    },
    {
      kind: 'cases',
      cases: (plants) =>
        saying(plants, {
          'charset=utf-8': { contentType: 'application/json; charset=utf-8' },
          'charset=UTF-8 without a space': { contentType: 'application/json;charset=UTF-8' },
          'a quoted charset': { contentType: 'application/json; charset="utf-8"' },
        }),
      rules: [acceptsOrdinary],
    },
  ),
  should(
    'create/takes-media-type-in-any-case',
    {
      statement: 'The content type is compared without regard to case.',
      basis: ['RFC 9110 section 8.3.1'],
      hint: 'Put the type and subtype in lower case before comparing them.',
    },
    {
      kind: 'cases',
      cases: (plants) =>
        saying(plants, {
          'Application/JSON': { contentType: 'Application/JSON' },
          'APPLICATION/JSON': { contentType: 'APPLICATION/JSON' },
        }),
      rules: [acceptsOrdinary],
    },
  ),
  should(
    'create/takes-chunked-body',
    {
      statement: 'A body in chunks is taken like one with a length.',
      basis: ['RFC 9112 section 7.1'],
      hint: 'Read the body by Transfer-Encoding: chunked as well; every HTTP/1.1 recipient has to.',
    },
    {
      kind: 'cases',
      cases: (plants) => saying(plants, { chunked: { framing: 'chunked' } }),
      rules: [acceptsOrdinary],
    },
  ),
  should(
    'create/answers-whatever-accept-allows-json',
    {
      statement: 'A plant is created whatever the Accept header says, as long as it allows JSON.',
      basis: ['RFC 9110 section 12.5.1'],
      hint: 'Answer application/json wherever Accept has it, a range with it, or is not there.',
    },
    {
      kind: 'cases',
      cases: (plants) =>
        saying(plants, {
          '*/*': { headers: [['accept', '*/*']] },
          'application/*': { headers: [['accept', 'application/*']] },
          'a list with weights': { headers: [['accept', 'text/html;q=0.9, application/json;q=0.5']] },
          'a browser': {
            headers: [['accept', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8']],
          },
        }),
      rules: [acceptsOrdinary],
    },
  ),
];

/** The same properties in the same order, on a plant of its own. */
function fresh(plants: Plants, members: JsonObject['members']): JsonObject {
  const other = plants.plain();
  return new JsonObject(members.map(([name, value]) => [name, other.get(name) ?? value]));
}
