import fc, { type Arbitrary } from 'fast-check';
import {
  answered,
  errorBody,
  errorMediaType,
  noServerError,
  notSuccess,
  refusesWith,
} from '../lib/judge/rules.ts';
import { admits, isMalformed, onlyAdmitted } from '../lib/payloads/admits.ts';
import type { Case, Draft } from '../lib/payloads/case.ts';
import { type Defect, defectsOf, type Family } from '../lib/payloads/defects.ts';
import { freshId } from '../lib/payloads/fresh.ts';
import { COMPACT, FRESH, FreshText, type JsonObject, object, Raw } from '../lib/payloads/json.ts';
import { ID, plantOf, reordered, styles, undeclared } from '../lib/payloads/plants.ts';
import { sampled } from '../lib/payloads/sampled.ts';
import { type Edit, multipart, notJson, notUtf8, padded, spoilt } from '../lib/payloads/texts.ts';
import type { Check, Plants } from '../lib/run/check.ts';
import type { Basis } from './clauses.ts';
import { must, posting, should, unlike } from './vocabulary.ts';

const soundly = [answered, noServerError, errorMediaType, errorBody];
const refused = [notSuccess, ...soundly];

const refuseIt = 'Refuse it, best with status 400 and an Error; never answer it with a success.';

const defects = (plants: Plants, families: readonly Family[]): readonly Defect[] =>
  defectsOf(plants.contract.newPlant.shape).filter(({ family }) => families.includes(family));

/**
 * Ids for what is to be rejected, as validation may depend on their size: small, large, and anything between.
 * A store that accepts the plant after all must not be saved by knowing the id already.
 */
const anyIds = fc.constantFrom(
  freshId(1n, 1000n),
  freshId(2n ** 31n - 2n ** 27n, 2n ** 31n),
  freshId(1n, 2n ** 31n),
);

const withId = (plant: JsonObject, id: Raw | undefined): JsonObject =>
  id === undefined || plant.get(ID) !== FRESH ? plant : plant.with(ID, id);

/**
 * The typical malformed values of some families, with and without the optional properties: all of them, or where a
 * document declares much, some of each defect.
 */
const malformed =
  (...families: Family[]) =>
  (plants: Plants): readonly Case[] => {
    const cases = defects(plants, families).flatMap((defect) => {
      const [all, required] = (['all', 'required'] as const).map((properties) => {
        const twin = plants.plain(properties);
        return defect
          .typical(twin)
          .map(
            (_, index) =>
              defect.typical(withId(twin, index % 2 === 0 ? undefined : plants.draw(anyIds)))[index],
          )
          .filter((json) => json !== undefined && isMalformed(plants.contract, json))
          .map((json) => unlike(defect.name, 'malformed', posting(json ?? null), twin));
      });
      return inTurn(all ?? [], required ?? []);
    });
    return sampled(cases, ({ label }) => label);
  };

const inTurn = <T>(first: readonly T[], second: readonly T[]): T[] =>
  Array.from({ length: Math.max(first.length, second.length) }, (_, index) => [
    ...first.slice(index, index + 1),
    ...second.slice(index, index + 1),
  ]).flat();

const ordinaryPlants = ({ contract }: Plants): Arbitrary<JsonObject> =>
  onlyAdmitted(contract, plantOf(contract.newPlant.shape, 'ordinary', 'some'));

/** The same plant with shorter strings, as far as the document admits them. */
const shortened = (plants: Plants, plant: JsonObject, length: number): JsonObject => {
  const beginning = (text: string) => [...text].slice(0, length).join('');
  const cut = plant.withValues((_, value) =>
    value instanceof FreshText ? value.map(beginning) : typeof value === 'string' ? beginning(value) : value,
  );
  return admits(plants.contract, cut) ? cut : plant;
};

/**
 * What becomes of the good properties around a defect: they stay ordinary, or have strings too short to be sent
 * as a new plant each time, or whatever the schema admits. Nothing is left behind, so they need not be new.
 */
const variations = (plants: Plants): Arbitrary<(plant: JsonObject) => JsonObject> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant((plant: JsonObject) => plant) },
    {
      weight: 1,
      arbitrary: fc
        .integer({ min: 1, max: 5 })
        .map((length) => (plant: JsonObject) => shortened(plants, plant, length)),
    },
    {
      weight: 1,
      arbitrary: plantOf(plants.contract.newPlant.shape, 'any', 'all').map(
        (any) => (plant: JsonObject) =>
          plant.withValues((name, value) => (name === ID ? value : (any.get(name) ?? value))),
      ),
    },
  );

/** One defect among good properties, at any length, in any order, written in any way, in a small body or a large one. */
const anyMalformed =
  (...families: Family[]) =>
  (plants: Plants): Arbitrary<Case> =>
    fc.oneof(
      ...defects(plants, families)
        .filter((defect) => defect.typical(plants.plain()).some((json) => isMalformed(plants.contract, json)))
        .map((defect) =>
          fc
            .tuple(
              reordered(ordinaryPlants(plants)),
              variations(plants),
              fc.oneof(
                { weight: 3, arbitrary: fc.constant(undefined) },
                { weight: 1, arbitrary: undeclared },
              ),
              fc.oneof({ weight: 2, arbitrary: fc.constant(COMPACT) }, { weight: 1, arbitrary: styles }),
              fc.option(anyIds, { nil: undefined, freq: 2 }),
              fc.oneof(
                { weight: 11, arbitrary: fc.constant({}) },
                { weight: 1, arbitrary: fc.constant({ edit: padded(20_000).apply }) },
              ),
            )
            .chain(([twin, varied, extra, style, id, larger]) => {
              const plain = withId(varied(twin), id);
              // An inherited property is a defect of its own: nothing else may be called __proto__.
              const more =
                extra === undefined || extra[0] === '__proto__' ? plain : plain.with(extra[0], extra[1]);
              const whole = admits(plants.contract, more) ? more : plain;
              // What the validator lets pass after all gives way to a typical value of the defect, or to null.
              const typical =
                defect.typical(whole).find((json) => isMalformed(plants.contract, json)) ?? null;
              return defect
                .drawn(whole)
                .map((json) => (isMalformed(plants.contract, json) ? json : typical))
                .map((json) => unlike(defect.name, 'malformed', { body: { json, style, ...larger } }, twin));
            }),
        ),
    );

/** The text of a plain plant, spoilt. */
const edited = (plants: Plants, edits: readonly Edit[], more: Draft = {}): Case[] =>
  edits.map(({ name, apply }) => {
    const twin = plants.plain();
    return unlike(name, 'malformed', { ...more, body: { json: twin, edit: apply } }, twin);
  });

const named = (...names: string[]) =>
  notJson.filter(({ name }) => names.some((start) => name.startsWith(start)));

const verbatim = (text: string): Draft['body'] => ({ bytes: new TextEncoder().encode(text) });

const bodies = (
  plants: Plants,
  texts: Readonly<Record<string, string>>,
  contentType = 'application/json',
): Case[] =>
  Object.entries(texts).map(([label, text]) =>
    unlike(label, 'malformed', { body: verbatim(text), contentType }, plants.plain()),
  );

const refuses = (
  id: string,
  statement: string,
  basis: readonly Basis[],
  hint: string,
  test: Check['test'],
  silent?: Check['silent'],
): Check =>
  must(
    id,
    { statement, basis: ['section 4, request body', ...basis], hint: `${hint} ${refuseIt}`, silent },
    test,
  );

const byFamily = (id: string, statement: string, hint: string, ...families: Family[]): Check =>
  refuses(id, statement, ['section 2, NewPlant'], hint, {
    kind: 'cases',
    cases: malformed(...families),
    rules: refused,
  });

/** Families whose refusal is a MUST. */
const DEFECTIVE: readonly Family[] = [
  'not-an-object',
  'missing',
  'other-name',
  'nested',
  'inherited',
  'null',
  'fraction',
  'numeral',
  'wrong-type',
  'constraint',
];

const nested = (open: string, depth: number, close: string) => open.repeat(depth) + close.repeat(depth);

export const refuse: readonly Check[] = [
  byFamily(
    'refuse/not-an-object',
    'A body that is JSON but no object is refused: null, true, a number, a string, an array.',
    'Make sure that the body is a JSON object before anything else; an array of one plant or a string that holds one is none.',
    'not-an-object',
  ),
  byFamily(
    'refuse/missing-property',
    'An object without a required property is refused.',
    'Require every property that the document requires, and put no default in its place.',
    'missing',
  ),
  byFamily(
    'refuse/property-under-another-name',
    'A required property under another case, or with white space in its name, is missing.',
    'Property names are compared character for character; switch case-insensitive binding off.',
    'other-name',
  ),
  byFamily(
    'refuse/nested-property',
    'A required property one level down is missing.',
    'Look for the properties in the object that was sent, and unwrap nothing.',
    'nested',
  ),
  byFamily(
    'refuse/inherited-property',
    'A required property inherited through __proto__ is missing.',
    'Ask for own properties (Object.hasOwn), and parse so that __proto__ is a property like any other.',
    'inherited',
  ),
  byFamily(
    'refuse/null',
    'A property that is null is refused.',
    'null is neither a string nor an integer, and not the absence of a property.',
    'null',
  ),
  byFamily(
    'refuse/fraction',
    'An id with a fraction is refused.',
    'Check that the number is an integer; do not round, floor or truncate it.',
    'fraction',
  ),
  byFamily(
    'refuse/numeral-in-a-string',
    'An id that is a numeral in a string is refused.',
    'Check the JSON type of the value before you convert it; switch coercion off.',
    'numeral',
  ),
  byFamily(
    'refuse/wrong-type',
    'A property of another JSON type is refused.',
    'Check the JSON type of each property, the optional one too; switch coercion off, and beware of truthiness.',
    'wrong-type',
  ),
  must(
    'refuse/constraint',
    {
      statement: 'A property that oversteps a limit which the document declares is refused.',
      basis: ['section 4, request body', 'section 2, NewPlant'],
      hint: `Enforce what the document declares. ${refuseIt}`,
      silent: ({ newPlant }) =>
        defectsOf(newPlant.shape).some(({ family }) => family === 'constraint')
          ? undefined
          : 'the document declares no limits',
    },
    { kind: 'cases', cases: malformed('constraint'), rules: refused },
  ),
  refuses(
    'refuse/any-defect',
    'One defect among otherwise good properties is refused, whatever the others are and however the text is written.',
    ['section 2, NewPlant'],
    'Validate every property of every plant, in whatever order and company it comes.',
    { kind: 'property', cases: anyMalformed(...DEFECTIVE), rules: refused, share: 1 },
  ),
  refuses(
    'refuse/any-wrong-type',
    'Any value of a wrong type is refused, whatever the other properties are.',
    ['section 2, NewPlant'],
    'Check the JSON type of each property, always; a check that depends on another property has gaps.',
    {
      kind: 'property',
      cases: anyMalformed('null', 'fraction', 'numeral', 'wrong-type'),
      rules: refused,
      share: 0.5,
    },
  ),
  refuses(
    'refuse/no-body',
    'A request without a body is refused.',
    ['RFC 8259 section 2'],
    'A body is required. No body is not an empty object.',
    {
      kind: 'cases',
      cases: (plants) => [
        unlike('no body', 'malformed', { contentType: 'application/json' }, plants.plain()),
        unlike('no body and no content type', 'malformed', { contentType: undefined }, plants.plain()),
      ],
      rules: refused,
    },
  ),
  refuses(
    'refuse/white-space-only',
    'A body of nothing but white space is refused.',
    ['RFC 8259 section 2'],
    'White space is no JSON value, and no empty object.',
    {
      kind: 'cases',
      cases: (plants) => [
        ...edited(plants, named('white space')),
        ...bodies(plants, { 'a space': ' ', 'a line feed': '\n' }),
      ],
      rules: refused,
    },
  ),
  refuses(
    'refuse/truncated',
    'A JSON text that ends too early is refused.',
    ['RFC 8259 section 2'],
    'Use a JSON parser that fails where the text ends before the value does; repair nothing.',
    { kind: 'cases', cases: (plants) => edited(plants, named('cut off', 'without')), rules: refused },
  ),
  refuses(
    'refuse/garbage',
    'A body that is no JSON at all is refused.',
    ['RFC 8259 section 2'],
    'Use a JSON parser, and do not go on where it fails.',
    {
      kind: 'cases',
      cases: (plants) => [
        ...edited(plants, named('separators', 'words', 'markup', 'random bytes', 'after words')),
        ...bodies(plants, {
          'a brace': '{',
          'a bracket': ']',
          'a quote': '"',
          'a NUL': '\u0000',
          undefined: 'undefined',
          'a word': 'nope',
        }),
      ],
      rules: refused,
    },
  ),
  refuses(
    'refuse/several-values',
    'A body with more than one JSON value, or with anything after it, is refused.',
    ['RFC 8259 section 2'],
    'After the value, make sure that nothing but white space is left: a decoder of streams stops after the first value.',
    {
      kind: 'cases',
      cases: (plants) => edited(plants, named('twice', 'two values', 'followed')),
      rules: refused,
    },
  ),
  refuses(
    'refuse/form',
    'A form is refused, whatever content type it is sent under.',
    ['openapi.yaml#/paths/~1plants/post/requestBody'],
    'Only application/json is declared: do not bind form fields to a plant.',
    {
      kind: 'cases',
      cases: (plants) => [
        ...edited(plants, named('a form')),
        ...edited(plants, named('a form'), { contentType: 'application/x-www-form-urlencoded' }),
        ...edited(plants, [multipart], { contentType: 'multipart/form-data; boundary=b' }),
      ],
      rules: refused,
    },
  ),
  refuses(
    'refuse/properties-in-the-query',
    'Properties in the query of the URL do not make up for properties that the body lacks.',
    ['section 4, parameters'],
    'No query parameters are declared: read the properties from the body alone.',
    {
      kind: 'cases',
      cases: (plants) =>
        (
          [
            ['an empty object', object({})],
            ['no name', object({ id: FRESH })],
            ['no id', object({ name: 'Aloe' })],
          ] as const
        )
          .filter(([, json]) => !admits(plants.contract, json))
          .map(([label, json]) =>
            unlike(
              label,
              'malformed',
              { path: '/plants?id={id}&name=Aloe&tag=fern', body: { json } },
              plants.plain(),
            ),
          ),
      rules: refused,
    },
  ),
  refuses(
    'refuse/any-spoilt-text',
    'The text of a NewPlant, cut off or followed by anything, is refused.',
    ['RFC 8259 section 2'],
    'Use a JSON parser on the whole body.',
    {
      kind: 'property',
      cases: (plants) =>
        fc
          .tuple(ordinaryPlants(plants), spoilt)
          .map(([twin, { name, apply }]) =>
            unlike(name, 'malformed', { body: { json: twin, edit: apply } }, twin),
          ),
      rules: refused,
      share: 0.5,
    },
  ),
  refuses(
    'refuse/deeply-nested',
    'Values nested thousands deep are refused like any others.',
    ['section 8'],
    'Parse without recursion, or with a limit to it that ends in a refusal and not in a crash.',
    {
      kind: 'cases',
      cases: (plants) =>
        bodies(plants, {
          'arrays 500 deep': nested('[', 500, ']'),
          'arrays 5000 deep': nested('[', 5000, ']'),
          'arrays 30000 deep': nested('[', 30_000, ']'),
          'arrays 60000 deep without an end': nested('[', 60_000, ''),
          'objects 1000 deep': `${'{"name":'.repeat(1000)}1${'}'.repeat(1000)}`,
          'objects 6000 deep': `${'{"name":'.repeat(6000)}1${'}'.repeat(6000)}`,
          'objects 10000 deep without an end': '{"a":'.repeat(10_000),
        }),
      rules: refused,
    },
  ),
  must(
    'refuse/survives-huge-numbers',
    {
      statement: 'Numbers far beyond any type are answered soundly.',
      basis: ['section 2, NewPlant', 'section 4, rule 3', 'RFC 8259 section 6'],
      hint: `Expect numerals that overflow whatever they are converted to. ${refuseIt}`,
    },
    {
      kind: 'cases',
      cases: (plants) =>
        [
          '9'.repeat(30),
          '9'.repeat(400),
          '9'.repeat(20_000),
          '1e400',
          '-1e400',
          '1e999999999',
          '1e-999999999',
          `0.${'0'.repeat(400)}1`,
          '1E+2147483648',
        ].flatMap((numeral) =>
          [ID, 'name', 'extra'].map((property) => {
            const twin = plants.plain();
            const short =
              numeral.length > 20 ? `${numeral.slice(0, 8)}… (${numeral.length} characters)` : numeral;
            return unlike(
              `${property} ${short}`,
              'malformed',
              posting(twin.with(property, new Raw(numeral))),
              twin,
            );
          }),
        ),
      rules: soundly,
    },
  ),
  should(
    'refuse/with-status-400',
    {
      statement: 'What is not a NewPlant is refused with 400, the one error that the document declares.',
      basis: ['section 7', 'section 4, error response'],
      hint: 'Answer 400 and an Error; 422 and others are not in the document.',
    },
    {
      kind: 'cases',
      cases: (plants) => [
        ...(['not-an-object', 'missing', 'wrong-type', 'null', 'numeral', 'fraction'] as const).flatMap(
          (family) => malformed(family)(plants).slice(0, 2),
        ),
        ...edited(plants, named('cut off in the middle', 'words', 'twice')),
        unlike('no body', 'malformed', { contentType: 'application/json' }, plants.plain()),
      ],
      rules: [refusesWith(400)],
      explainedBy: 'combinations/rejects-invalid-bodies',
    },
  ),
  should(
    'refuse/foreign-media-type',
    {
      statement: 'JSON under a media type that the document does not declare is refused.',
      basis: ['section 4, request body', 'RFC 9110 section 15.5.16'],
      hint: 'Look at the Content-Type before the body, and answer 415 or 400 unless it is application/json.',
    },
    {
      kind: 'cases',
      cases: (plants) =>
        [
          'text/plain',
          'application/x-www-form-urlencoded',
          'application/xml',
          'text/html',
          'multipart/form-data; boundary=b',
        ].map((contentType) => {
          const twin = plants.plain();
          return unlike(contentType, 'malformed', posting(plants.plain(), { contentType }), twin);
        }),
      rules: [notSuccess],
    },
  ),
  should(
    'refuse/id-beyond-int64',
    {
      statement: 'An id outside of int64 is refused.',
      basis: ['section 2, NewPlant', 'openapi.yaml#/components/schemas/NewPlant'],
      hint: 'Read the id with a parser that keeps integers exact, and compare it with -2^63 and 2^63-1.',
      silent: ({ newPlant }) =>
        defectsOf(newPlant.shape).some(({ family }) => family === 'beyond-format')
          ? undefined
          : 'the document sets no format for a number',
    },
    { kind: 'cases', cases: malformed('beyond-format'), rules: [notSuccess] },
  ),
  should(
    'refuse/invalid-utf-8',
    {
      statement: 'A body that is not UTF-8 is refused.',
      basis: ['RFC 8259 section 8.1'],
      hint: 'Decode strictly; replacing what does not decode changes the name of the plant.',
    },
    { kind: 'cases', cases: (plants) => edited(plants, notUtf8), rules: [notSuccess] },
  ),
];
