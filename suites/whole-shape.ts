import fc, { type Arbitrary } from 'fast-check';
import { answers200, echoes, sound, takenOrRefused } from '../lib/judge/rules.ts';
import { admits, onlyAdmitted } from '../lib/payloads/admits.ts';
import { boundaryStrings, edgeStrings } from '../lib/payloads/boundaries.ts';
import type { Case } from '../lib/payloads/case.ts';
import { FreshText, type Json, JsonObject, Raw } from '../lib/payloads/json.ts';
import { ID, idWithin, plantOf, undeclared, undeclaredMembers } from '../lib/payloads/plants.ts';
import { HOSTILE } from '../lib/payloads/strings.ts';
import type { Check, Plants } from '../lib/run/check.ts';
import { creating, must, posting, should, withoutTag } from './vocabulary.ts';

/** A store may refuse these; what it answers is judged all the same. */
const soundly = [takenOrRefused, ...sound];

const answerHint =
  'Take it with 200 and a Plant, or refuse it with 400 and an Error; whatever a client sends, the server must not fail.';

/** A case, and an ordinary plant that has to be taken for its refusal to say anything. */
const wide = (label: string, plant: JsonObject, twin: JsonObject): Case => ({
  label,
  population: 'whole-shape',
  draft: posting(plant),
  twin: creating(twin),
});

const admitted = (plants: Plants, cases: readonly Case[]): Case[] =>
  cases.filter(
    ({ draft: { body } }) => body !== undefined && 'json' in body && admits(plants.contract, body.json),
  );

const kept = (plants: Plants, drawn: Arbitrary<JsonObject>): Arbitrary<JsonObject> =>
  onlyAdmitted(plants.contract, drawn, plants.plain());

/** Plants in which one property is any value that its schema admits. */
const anyValueOf = (plants: Plants, property: string): Arbitrary<Case> => {
  const { shape } = plants.contract.newPlant;
  const twin = plants.plain();
  return kept(
    plants,
    fc
      .tuple(plantOf(shape, 'plain', 'all'), plantOf(shape, 'any', 'all'))
      .map(([plant, any]) => plant.with(property, any.get(property) ?? null)),
  ).map((plant) => wide(`any ${property}`, plant, twin));
};

/** Plants with these values of one property, as far as the document admits them. */
const withValues = (plants: Plants, property: string, values: readonly (string | FreshText)[]): Case[] =>
  admitted(
    plants,
    values.map((value) => {
      const text = value instanceof FreshText ? value.of(0n) : value;
      const shown = text.length > 80 ? `${[...text].slice(0, 20).join('')}…` : text;
      const label = `${property} ${JSON.stringify(shown)}${shown === text ? '' : ` (${[...text].length} characters)`}`;
      return wide(label, plants.plain().with(property, value), plants.plain());
    }),
  );

/** Values of a property at which stores are known to differ, whatever is drawn after them. */
const boundaries =
  (property: string) =>
  (plants: Plants): Case[] =>
    withValues(plants, property, boundaryStrings);

/** The same of name and tag at once, but for what means something: that has checks of its own. */
const edges = (plants: Plants): Case[] => {
  const cases = edgeStrings.map((name, index) => {
    const plant = plants
      .plain()
      .with('name', name)
      .with('tag', edgeStrings.at(-1 - index) ?? name);
    return wide('a name and a tag at the ends of what may be taken', plant, plants.plain());
  });
  return admitted(plants, cases);
};

/** Plants with any string for a property: the boundaries first, then others at random. */
const anyText = (property: string) =>
  ({
    kind: 'property',
    named: boundaries(property),
    cases: (plants: Plants) => anyValueOf(plants, property),
    share: 0.6,
  }) as const;

type Ranges = readonly (readonly [from: bigint, below: bigint])[];

const ids = (plants: Plants, ranges: Ranges): Case[] =>
  admitted(
    plants,
    ranges.flatMap(([from, below]) => {
      const id = idWithin(plants.contract.newPlant.shape, from, below);
      if (id === undefined) return [];
      return [wide(`an id of ${from} to ${below - 1n}`, plants.plain().with(ID, id), plants.plain())];
    }),
  );

const nested = (depth: number): Json => new Raw('['.repeat(depth) + ']'.repeat(depth));

const accepts = (
  id: string,
  statement: string,
  hint: string,
  test: Check['test'],
  silent?: Check['silent'],
): Check =>
  should(
    id,
    {
      statement,
      basis: ['section 4, rule 1', 'section 2, NewPlant', 'section 2, not shown'],
      hint,
      ...(silent === undefined ? {} : { silent }),
    },
    test,
  );

/** Ids of some ranges, as far as the document admits them. */
const acceptsIds = (id: string, statement: string, hint: string, ranges: Ranges): Check =>
  accepts(
    id,
    statement,
    hint,
    { kind: 'cases', cases: (plants) => ids(plants, ranges), rules: [answers200] },
    ({ newPlant: { shape } }) =>
      ranges.some(([from, below]) => idWithin(shape, from, below) !== undefined)
        ? undefined
        : 'the document admits no such ids',
  );

export const wholeShape: readonly Check[] = [
  must(
    'whole-shape/answers-any-plant',
    {
      statement:
        'Whatever NewPlant is sent, the answer is a Plant with 200, or a refusal; a 400 carries an Error.',
      basis: ['section 4, rule 1', 'section 4, rule 3', 'section 2, NewPlant'],
      hint: answerHint,
    },
    {
      kind: 'property',
      named: edges,
      cases: (plants) => {
        const twin = plants.plain();
        return kept(plants, plantOf(plants.contract.newPlant.shape, 'any', 'some')).map((plant) =>
          wide('any plant', plant, twin),
        );
      },
      rules: soundly,
      share: 0.5,
    },
  ),
  must(
    'whole-shape/answers-hostile-names',
    {
      statement:
        'A name that means something to a parser, database, shell, template or log is answered like any other.',
      basis: ['section 4, rule 1', 'section 4, rule 3', 'section 2, Plant'],
      hint: `Treat a name as text wherever it goes. ${answerHint}`,
    },
    { kind: 'cases', cases: (plants) => withValues(plants, 'name', HOSTILE), rules: soundly },
  ),
  must(
    'whole-shape/answers-hostile-tags',
    {
      statement:
        'A tag that means something to a parser, database, shell, template or log is answered like any other.',
      basis: ['section 4, rule 1', 'section 4, rule 3', 'section 2, Plant'],
      hint: `Treat a tag as text wherever it goes. ${answerHint}`,
    },
    { kind: 'cases', cases: (plants) => withValues(plants, 'tag', HOSTILE), rules: soundly },
  ),
  must(
    'whole-shape/answers-any-id',
    {
      statement:
        'Whatever int64 the id is, the answer is a Plant with 200, or a refusal; a 400 carries an Error.',
      basis: ['section 4, rule 1', 'section 4, rule 3', 'section 2, NewPlant'],
      hint: `Mind the width of the column and of the variable. ${answerHint}`,
    },
    {
      kind: 'cases',
      cases: (plants) => [
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
        ...admitted(
          plants,
          [
            0n,
            2n ** 15n,
            2n ** 16n,
            2n ** 31n - 1n,
            2n ** 31n,
            -(2n ** 31n),
            -(2n ** 31n) - 1n,
            2n ** 32n - 1n,
            2n ** 32n,
            2n ** 53n,
            2n ** 53n + 1n,
            2n ** 63n - 1n,
            -(2n ** 63n),
          ].map((id) => wide(`id ${id}`, plants.plain().with(ID, id), plants.plain())),
        ),
      ],
      rules: soundly,
    },
  ),
  must(
    'whole-shape/answers-undeclared-properties',
    {
      statement: 'A NewPlant with properties that the document does not declare is answered soundly.',
      basis: ['section 4, rule 1', 'section 4, rule 3', 'section 2, not shown'],
      hint: `Names such as __proto__ or hasOwnProperty are data like any other. ${answerHint}`,
      silent: ({ newPlant }) =>
        newPlant.shape.closed ? 'the document admits no undeclared properties' : undefined,
    },
    {
      kind: 'property',
      named: (plants) =>
        admitted(
          plants,
          undeclaredMembers.map((member) =>
            wide(
              `an undeclared property ${JSON.stringify(member[0])}`,
              new JsonObject([...plants.plain().members, member]),
              plants.plain(),
            ),
          ),
        ),
      cases: (plants) => {
        const twin = plants.plain();
        return kept(
          plants,
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
        ).map((plant) => wide('undeclared properties', plant, twin));
      },
      rules: soundly,
      share: 0.5,
    },
  ),
  must(
    'whole-shape/answers-large-plants',
    {
      statement: 'A NewPlant of up to 64 KiB is answered soundly, however its size comes about.',
      basis: ['section 4, rule 1', 'section 4, rule 3', 'section 8'],
      hint: `Where a limit is overstepped, say so with 400 (or 413). ${answerHint}`,
    },
    {
      kind: 'cases',
      cases: (plants) => {
        const many = (count: number): [string, Json][] =>
          Array.from({ length: count }, (_, index) => [`extra${index}`, 1n]);
        const large = (label: string, plant: JsonObject) => wide(label, plant, plants.plain());
        return admitted(plants, [
          ...[1000, 8000, 60_000].map((length) =>
            large(`a name of ${length} letters`, plants.plain().with('name', 'a'.repeat(length))),
          ),
          ...[1000, 60_000].map((length) =>
            large(`a tag of ${length} letters`, plants.plain().with('tag', 'a'.repeat(length))),
          ),
          large('a name of 15000 astral characters', plants.plain().with('name', '🌵'.repeat(15_000))),
          ...[300, 4000].map((count) =>
            large(
              `${count} undeclared properties`,
              new JsonObject([...plants.plain().members, ...many(count)]),
            ),
          ),
          ...[100, 600, 6000, 30_000].map((depth) =>
            large(`an undeclared property nested ${depth} deep`, plants.plain().with('extra', nested(depth))),
          ),
        ]);
      },
      rules: soundly,
    },
  ),
  accepts(
    'whole-shape/takes-any-name',
    'Any Unicode string is taken as a name, as the document limits it in no way.',
    'Drop the limit, or declare it in the document: an overlay with minLength, maxLength or pattern makes it part of the contract.',
    { ...anyText('name'), rules: [answers200] },
  ),
  accepts(
    'whole-shape/takes-any-tag',
    'Any Unicode string is taken as a tag, as the document limits it in no way.',
    'Drop the limit, or declare it in the document: an overlay with an enum of tags makes it part of the contract.',
    { ...anyText('tag'), rules: [answers200] },
  ),
  should(
    'whole-shape/echoes-any-name',
    {
      statement: 'Any name that is taken comes back character for character.',
      basis: ['section 4, rule 2', 'RFC 8259 section 8.2'],
      hint: 'Keep the string as it is: no other encoding, no normal form, no replaced or dropped characters.',
    },
    { ...anyText('name'), rules: [echoes('name')], explainedBy: 'whole-shape/takes-any-name' },
  ),
  should(
    'whole-shape/echoes-any-tag',
    {
      statement: 'Any tag that is taken comes back character for character.',
      basis: ['section 4, rule 2', 'RFC 8259 section 8.2'],
      hint: 'Keep the string as it is: no other encoding, no normal form, no replaced or dropped characters.',
      silent: withoutTag,
    },
    { ...anyText('tag'), rules: [echoes('tag')], explainedBy: 'whole-shape/takes-any-tag' },
  ),
  acceptsIds(
    'whole-shape/takes-ids-above-2^31',
    'Ids above 2^31 are taken.',
    'An int64 needs a column and a variable of 64 bits.',
    [
      [2n ** 31n, 2n ** 32n],
      [2n ** 32n, 2n ** 40n],
      [2n ** 40n, 2n ** 53n],
    ],
  ),
  acceptsIds(
    'whole-shape/takes-ids-above-2^53',
    'Ids above 2^53 are taken.',
    'A double holds no int64: read the id with a parser that keeps integers exact.',
    [
      [2n ** 53n, 2n ** 54n],
      [2n ** 54n, 2n ** 62n],
      [2n ** 62n, 2n ** 63n],
    ],
  ),
  acceptsIds(
    'whole-shape/takes-negative-ids',
    'Negative ids are taken, as the document limits the range in no way.',
    'Drop the limit, or declare it in the document: an overlay with minimum makes it part of the contract.',
    [
      [-(2n ** 31n), -(2n ** 20n)],
      [-(2n ** 53n), -(2n ** 31n)],
    ],
  ),
];
