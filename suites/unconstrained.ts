import fc, { type Arbitrary } from 'fast-check';
import type { Contract } from '../lib/contract/contract.ts';
import { answers200, createdOrRejectedRules, echoes } from '../lib/judge/rules.ts';
import { boundaryStrings, edgeStrings } from '../lib/payloads/boundaries.ts';
import { withWords } from '../lib/payloads/fresh.ts';
import { FreshText, type Json, JsonObject, nestedArrays, nestedObjects } from '../lib/payloads/json.ts';
import { ID, idWithin, plantOf, undeclared, undeclaredMembers } from '../lib/payloads/plants.ts';
import { HOSTILE } from '../lib/payloads/string-samples.ts';
import type { TestCase } from '../lib/payloads/test-case.ts';
import { onlyValid } from '../lib/payloads/validity.ts';
import type { Check, PlantFactory } from '../lib/run/check.ts';
import {
  caseWithControl,
  must,
  namedCases,
  rangeText,
  requestWith,
  should,
  validCases,
  withoutTag,
} from './define.ts';

const ANSWER_HINT = 'Answer 200 with a Plant, or 400 with an Error; no request may make the server fail.';

const unconstrained = (plants: PlantFactory, label: string, plant: JsonObject): TestCase =>
  caseWithControl(label, requestWith(plant), plants.plain());

/** Random plants from `arbitrary` that the document allows, all with the same control request. */
const sampled = (
  plants: PlantFactory,
  label: string,
  arbitrary: Arbitrary<JsonObject>,
): Arbitrary<TestCase> => {
  const control = plants.plain();
  return onlyValid(plants.contract, arbitrary, plants.plain()).map((plant) =>
    caseWithControl(label, requestWith(plant), control),
  );
};

const anyValueOf = (property: string, { newPlant: { shape } }: Contract): Arbitrary<JsonObject> =>
  fc
    .tuple(plantOf(shape, 'plain', 'all'), plantOf(shape, 'any', 'all'))
    .map(([plant, any]) => plant.with(property, any.get(property) ?? null));

/** A name that ISO-8859-1 can encode, sent with that charset: the response must still be in UTF-8. */
const inLatin1 = (plants: PlantFactory): readonly TestCase[] => {
  const name = withWords((word) => `Crème ${word(8)} brûlée`);
  const contentType = 'application/json; charset=iso-8859-1';
  const template = requestWith(plants.plain().with('name', name), { contentType });
  const label = `name with accents and Content-Type ${contentType}`;
  return validCases(plants, [caseWithControl(label, template, plants.plain())]);
};

const withValues = (
  plants: PlantFactory,
  property: string,
  values: readonly (string | FreshText)[],
): TestCase[] =>
  validCases(
    plants,
    values.map((value) => {
      const text = value instanceof FreshText ? value.of(0n) : value;
      const shown = text.length > 80 ? `${[...text].slice(0, 20).join('')}…` : text;
      const label = `${property} ${JSON.stringify(shown)}${shown === text ? '' : ` (${[...text].length} characters)`}`;
      return unconstrained(plants, label, plants.plain().with(property, value));
    }),
  );

/** Plants with edge strings as both name and tag. Hostile strings have their own checks. */
const edges = (plants: PlantFactory): TestCase[] => {
  const cases = edgeStrings.map((name, index) => {
    const tag = edgeStrings.at(-1 - index) ?? name;
    const plant = plants.plain().with('name', name).with('tag', tag);
    return unconstrained(plants, 'a name and a tag at the limits of what stores accept', plant);
  });
  return validCases(plants, cases);
};

/** Strings on which stores are known to differ, then random ones. */
const anyText = (property: string) =>
  ({
    kind: 'property',
    named: (plants: PlantFactory) => withValues(plants, property, boundaryStrings),
    cases: (plants: PlantFactory) =>
      sampled(plants, `any ${property}`, anyValueOf(property, plants.contract)),
    weight: 0.65,
  }) as const;

type Ranges = readonly (readonly [from: bigint, below: bigint])[];

const ids = (plants: PlantFactory, ranges: Ranges): TestCase[] =>
  validCases(
    plants,
    ranges.flatMap(([from, below]) => {
      const id = idWithin(plants.contract.newPlant.shape, from, below);
      if (id === undefined) return [];
      const label = from === below - 1n ? `the id ${from}` : `an id ${rangeText(from, below - 1n)}`;
      return [unconstrained(plants, label, plants.plain().with(ID, id))];
    }),
  );

type Acceptance = Pick<Check, 'statement' | 'hint' | 'test' | 'notApplicable'>;

const accepts = (id: string, about: Acceptance): Check =>
  should(id, { ...about, basis: ['section 4, rule 1', 'section 2, NewPlant', 'section 2, unspecified'] });

interface IdCheck extends Pick<Check, 'statement' | 'hint'> {
  readonly ranges: Ranges;
}

const acceptsIds = (id: string, { ranges, ...text }: IdCheck): Check =>
  accepts(id, {
    ...text,
    test: namedCases([answers200], (plants) => ids(plants, ranges)),
    notApplicable: ({ newPlant: { shape } }) =>
      ranges.some(([from, below]) => idWithin(shape, from, below) !== undefined)
        ? undefined
        : 'the document allows no such ids',
  });

export const unconstrainedChecks: readonly Check[] = [
  must('unconstrained/answers-any-plant', {
    statement: 'Any NewPlant is answered with 200 and a Plant, or rejected; a 400 has an Error as its body.',
    basis: ['section 4, rule 1', 'section 4, rule 3', 'section 2, NewPlant'],
    hint: ANSWER_HINT,
    test: {
      kind: 'property',
      named: edges,
      cases: (plants) => sampled(plants, 'any plant', plantOf(plants.contract.newPlant.shape, 'any', 'some')),
      rules: createdOrRejectedRules,
      weight: 0.5,
    },
  }),
  must('unconstrained/answers-hostile-names', {
    statement:
      'A name that means something to a parser, database, shell, template or log is handled like any other.',
    basis: ['section 4, rule 1', 'section 4, rule 3', 'section 2, Plant'],
    hint: `Treat a name as plain text everywhere. ${ANSWER_HINT}`,
    test: namedCases(createdOrRejectedRules, (plants) => [
      ...withValues(plants, 'name', HOSTILE),
      ...inLatin1(plants),
    ]),
  }),
  must('unconstrained/answers-hostile-tags', {
    statement:
      'A tag that means something to a parser, database, shell, template or log is handled like any other.',
    basis: ['section 4, rule 1', 'section 4, rule 3', 'section 2, Plant'],
    hint: `Treat a tag as plain text everywhere. ${ANSWER_HINT}`,
    test: namedCases(createdOrRejectedRules, (plants) => withValues(plants, 'tag', HOSTILE)),
  }),
  must('unconstrained/answers-any-id', {
    statement:
      'A NewPlant with any int64 as id is answered with 200 and a Plant, or rejected; a 400 has an Error as its body.',
    basis: ['section 4, rule 1', 'section 4, rule 3', 'section 2, NewPlant'],
    hint: `Check the widths of the column and of the variable. ${ANSWER_HINT}`,
    test: namedCases(createdOrRejectedRules, (plants) => [
      ...ids(
        plants,
        [0, 4, 7, 8, 15, 16, 23, 24, 31, 32, 33, 40, 52, 53, 54, 60, 62].flatMap((bits) => {
          const [from, below] = [2n ** BigInt(bits), 2n ** BigInt(bits + 1)];
          return [
            [from, below],
            [1n - below, 1n - from],
          ] as const;
        }),
      ),
      ...validCases(
        plants,
        [
          ...[0n, 2n ** 15n, 2n ** 16n, 2n ** 31n - 1n, 2n ** 31n, -(2n ** 31n), -(2n ** 31n) - 1n],
          ...[2n ** 32n - 1n, 2n ** 32n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)],
        ].map((id) => unconstrained(plants, `id ${id}`, plants.plain().with(ID, id))),
      ),
    ]),
  }),
  must('unconstrained/answers-undeclared-properties', {
    statement: 'A NewPlant with undeclared properties gets a valid response.',
    basis: ['section 4, rule 1', 'section 4, rule 3', 'section 2, unspecified'],
    hint: `Treat property names such as __proto__ or hasOwnProperty as ordinary data. ${ANSWER_HINT}`,
    notApplicable: ({ newPlant }) =>
      newPlant.shape.closed ? 'the document allows no undeclared properties' : undefined,
    test: {
      kind: 'property',
      named: (plants) =>
        validCases(
          plants,
          undeclaredMembers.map((member) => {
            const plant = new JsonObject([...plants.plain().members, member]);
            return unconstrained(plants, `an undeclared property ${JSON.stringify(member[0])}`, plant);
          }),
        ),
      cases: (plants) =>
        sampled(
          plants,
          'undeclared properties',
          fc
            .tuple(
              plantOf(plants.contract.newPlant.shape, 'plain', 'some'),
              fc.array(undeclared, { minLength: 1, maxLength: 3 }),
              fc.boolean(),
            )
            .map(
              ([plant, extra, first]) =>
                new JsonObject(first ? [...extra, ...plant.members] : [...plant.members, ...extra]),
            ),
        ),
      rules: createdOrRejectedRules,
      weight: 0.5,
    },
  }),
  must('unconstrained/answers-large-plants', {
    statement: 'A NewPlant of up to 64 KiB gets a valid response, regardless of what makes it large.',
    basis: ['section 4, rule 1', 'section 4, rule 3', 'section 8'],
    hint: `Answer 400 (or 413) if a limit is exceeded. ${ANSWER_HINT}`,
    test: namedCases(createdOrRejectedRules, (plants) => {
      const having = (label: string, property: string, value: Json) =>
        unconstrained(plants, label, plants.plain().with(property, value));
      return validCases(plants, [
        ...[1000, 8000, 60_000].map((length) =>
          having(`a name of ${length} letters`, 'name', 'a'.repeat(length)),
        ),
        ...[1000, 60_000].map((length) => having(`a tag of ${length} letters`, 'tag', 'a'.repeat(length))),
        having('a name of 15000 astral characters', 'name', '🌵'.repeat(15_000)),
        ...[300, 4000].map((count) => {
          const more = Array.from({ length: count }, (_, index) => [`extra${index}`, 1n] as const);
          const plant = new JsonObject([...plants.plain().members, ...more]);
          return unconstrained(plants, `${count} undeclared properties`, plant);
        }),
        // The recursion limits of runtimes lie between these depths. A parser that makes two calls per level
        // fails at half the limit.
        ...[70, 100, 300, 600, 900, 2000, 6000, 30_000].map((depth) =>
          having(`an undeclared property nested ${depth} deep`, 'extra', nestedArrays(depth)),
        ),
        ...[70, 300, 600, 900, 6000].map((depth) =>
          having(`an undeclared property of objects nested ${depth} deep`, 'extra', nestedObjects(depth)),
        ),
      ]);
    }),
  }),
  accepts('unconstrained/accepts-any-name', {
    statement: 'Any Unicode string that the document allows is accepted as a name.',
    hint: 'Remove the limit, or declare it in the document: an overlay with minLength, maxLength or pattern makes it part of the contract.',
    test: { ...anyText('name'), rules: [answers200] },
  }),
  accepts('unconstrained/accepts-any-tag', {
    statement: 'Any Unicode string that the document allows is accepted as a tag.',
    hint: 'Remove the limit, or declare it in the document: an overlay with an enum of tags makes it part of the contract.',
    test: { ...anyText('tag'), rules: [answers200] },
  }),
  should('unconstrained/echoes-any-name', {
    statement: 'Any accepted name is returned unchanged.',
    basis: ['section 4, rule 2', 'RFC 8259 section 8.2'],
    hint: 'Keep the string as it is: do not re-encode or normalize it, and do not replace or drop characters.',
    test: {
      ...anyText('name'),
      rules: [echoes('name')],
      untestableBecauseOf: 'unconstrained/accepts-any-name',
    },
  }),
  should('unconstrained/echoes-any-tag', {
    statement: 'Any accepted tag is returned unchanged.',
    basis: ['section 4, rule 2', 'RFC 8259 section 8.2'],
    hint: 'Keep the string as it is: do not re-encode or normalize it, and do not replace or drop characters.',
    notApplicable: withoutTag,
    test: { ...anyText('tag'), rules: [echoes('tag')], untestableBecauseOf: 'unconstrained/accepts-any-tag' },
  }),
  acceptsIds('unconstrained/accepts-ids-above-2^31', {
    statement: 'Ids above 2^31 are accepted.',
    hint: 'Use a 64-bit column and variable for an int64.',
    ranges: [
      [2n ** 31n, 2n ** 32n],
      [2n ** 32n, 2n ** 40n],
      [2n ** 40n, 2n ** 53n],
    ],
  }),
  acceptsIds('unconstrained/accepts-ids-above-2^53', {
    statement: 'Ids above 2^53 are accepted.',
    hint: 'Read the id with a parser that keeps integers exact: a double cannot represent every int64.',
    ranges: [
      [2n ** 53n, 2n ** 54n],
      [2n ** 54n, 2n ** 62n],
      [2n ** 62n, 2n ** 63n],
    ],
  }),
  acceptsIds('unconstrained/accepts-negative-ids', {
    statement: 'Negative ids that the document allows are accepted.',
    hint: 'Remove the limit, or declare it in the document: an overlay with minimum makes it part of the contract.',
    ranges: [
      [-(2n ** 31n), -(2n ** 20n)],
      [-(2n ** 53n), -(2n ** 31n)],
    ],
  }),
];
