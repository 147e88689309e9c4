import fc, { type Arbitrary } from 'fast-check';
import type { Contract } from '../contract/contract.ts';
import { isMalformed } from './admits.ts';
import type { Credential, Draft } from './case.ts';
import { type Impostor, noToken, otherSchemes, wrongTokens } from './credentials.ts';
import { defectsOf } from './defects.ts';
import type { JsonObject } from './json.ts';
import { sampled } from './sampled.ts';
import { notJson } from './texts.ts';

/** Requests that are sent one after the other, or together, and what each has to do with the others. */

/** How the plant of a request resembles one that another step of its sequence is about. */
export type Likeness = 'same' | 'same id' | 'same name' | 'name in another case' | 'composed' | 'decomposed';

/** What is wrong with a request. */
export type Wrong =
  | { readonly kind: 'body'; readonly name: string; readonly spoil: (plant: JsonObject) => Draft['body'] }
  | { readonly kind: 'credential'; readonly name: string; readonly credential: Credential }
  /** Broken off by us: it may have been created. */
  | { readonly kind: 'aborted' }
  /** Beyond 64 KiB: nothing is promised of its own answer. */
  | { readonly kind: 'oversized' };

/** In what else requests differ: whether a store accepts the last two is not shown. */
export type Manner = 'as usual' | 'in chunks' | 'with a query' | 'with an Idempotency-Key';

/** One request of a sequence. Steps share values where they are about the same plant. */
export interface Step {
  readonly plant: number;
  readonly like: Likeness;
  readonly wrong: Wrong | undefined;
  readonly manner: Manner;
  /** The connection that was used last, one beside it, one that carried no request before, or one for it alone. */
  readonly connection: 'kept' | 'other' | 'fresh' | 'own';
  /** Steps of one moment are sent at the same time. */
  readonly moment: number;
}

/** Steps of a sequence that is drawn. */
const STEPS = { minLength: 8, maxLength: 16 } as const;
/** Sequences that are drawn at most: they are carried out in one go, however long a run is to be. */
const MAX_DRAWN = 100;
/** Random cases that a run asks for, for each sequence that is drawn. */
const CASES_PER_SEQUENCE = 12;
/** Rejections in a row, in the longest sequence. */
const MAX_REJECTED = 64;
const ABORTED_IN_A_ROW = 6;

/** Every sequence of a run: first those that leave nothing to chance, then as many as it asks for. */
export function sequencesOf(
  contract: Contract,
  cases: number,
  draw: <T>(arbitrary: Arbitrary<T>) => T,
): readonly (readonly Step[])[] {
  const count = Math.min(MAX_DRAWN, Math.max(1, Math.ceil(cases / CASES_PER_SEQUENCE)));
  const drawn = Array.from({ length: count }, () => draw(anySteps(contract)));
  return [...namedSequences(contract), ...drawn];
}

const plain: Omit<Step, 'moment'> = {
  plant: 0,
  like: 'same',
  wrong: undefined,
  manner: 'as usual',
  connection: 'kept',
};

/** One after the other. */
const inTurn = (steps: readonly Partial<Step>[]): readonly Step[] =>
  steps.map((step, moment) => ({ ...plain, ...step, moment }));

/** So many at the same time. */
const together = (moment: number, steps: readonly Partial<Step>[]): readonly Step[] =>
  steps.map((step) => ({ ...plain, ...step, moment }));

/** Many of one kind in a row or at once, and everything that may resemble an earlier request. */
function namedSequences(contract: Contract): readonly (readonly Step[])[] {
  const bodies = invalidBodies(contract);
  const [invalid] = bodies;
  const [noCredential] = invalidCredentials;
  const aborted: Wrong = { kind: 'aborted' };
  /** That ordinary plants are accepted as before, and nothing else is; about plants of their own. */
  const asBefore: readonly Partial<Step>[] = [
    { plant: 100 },
    { plant: 101, wrong: noCredential },
    { plant: 102, wrong: invalid },
  ];
  return [
    inTurn([
      ...sampled(bodies, ({ name }) => name, MAX_REJECTED).map(
        (one, plant): Partial<Step> => ({ plant, wrong: one, connection: 'own' }),
      ),
      ...asBefore,
    ]),
    inTurn([...invalidCredentials.map((one, plant): Partial<Step> => ({ plant, wrong: one })), ...asBefore]),
    inTurn([
      ...asBefore.flatMap((one) => [{ plant: 0, wrong: aborted }, one]),
      ...Array.from({ length: ABORTED_IN_A_ROW }, (_, plant) => ({ plant, wrong: aborted })),
      { plant: 103 },
    ]),
    inTurn([
      { plant: 0 },
      { plant: 0, wrong: noCredential },
      { plant: 0, wrong: invalid },
      { plant: 0 },
      { plant: 0, like: 'same id' },
      { plant: 0, like: 'same name', connection: 'other' },
      { plant: 0, like: 'name in another case' },
      { plant: 1, like: 'composed' },
      { plant: 1, like: 'decomposed' },
    ]),
    inTurn([
      { plant: 0, wrong: noCredential },
      { plant: 0 },
      { plant: 1, wrong: invalid },
      { plant: 1 },
      { plant: 2, manner: 'with an Idempotency-Key' },
      { plant: 2, manner: 'with an Idempotency-Key', wrong: noCredential },
      { plant: 2, manner: 'with an Idempotency-Key', wrong: invalid },
    ]),
    [
      ...together(0, [
        ...[noCredential, invalid, undefined, undefined, noCredential, invalid, undefined, undefined].map(
          (one, plant) => ({ plant, wrong: one }),
        ),
      ]),
      ...together(1, [
        ...[undefined, undefined, noCredential, invalid].map((one) => ({ plant: 8, wrong: one })),
        { plant: 8, like: 'same id' },
        { plant: 8, like: 'same name' },
      ]),
      ...together(
        2,
        [9, 10, 11, 12].map((plant) => ({ plant })),
      ),
    ],
  ];
}

/** Everything that is no NewPlant and can be made of a plant. */
const invalidBodies = (contract: Contract): readonly (Wrong & { kind: 'body' })[] => [
  ...defectsOf(contract.newPlant.shape).flatMap((defect): (Wrong & { kind: 'body' })[] => {
    // To accept an id beyond int64 is against a SHOULD only.
    if (defect.family === 'beyond-format') return [];
    const spoil = (plant: JsonObject): Draft['body'] => {
      const malformed = defect.typical(plant).find((json) => isMalformed(contract, json));
      return malformed === undefined
        ? { json: plant, edit: (text) => text.slice(0, 1) }
        : { json: malformed };
    };
    return [{ kind: 'body', name: defect.name, spoil }];
  }),
  ...notJson.map(({ name, apply }): Wrong & { kind: 'body' } => ({
    kind: 'body',
    name,
    spoil: (json) => ({ json, edit: apply }),
  })),
  { kind: 'body', name: 'no body', spoil: () => undefined },
];

const invalidCredentials: readonly Wrong[] = [...noToken, ...wrongTokens, ...otherSchemes].map(
  ({ name, credential }: Impostor) => ({ kind: 'credential', name, credential }),
);

/** A few plants only, so that steps meet. */
const PLANTS = 4;

/** Sequences of any steps. */
const anySteps = (contract: Contract): Arbitrary<readonly Step[]> =>
  fc
    .array(fc.tuple(anyStep(contract), fc.integer({ min: 0, max: 3 })), { ...STEPS, size: 'max' })
    .map((drawn) => {
      let moment = 0;
      return drawn.map(([step, later]) => {
        // Three in four wait for what is before them.
        if (later > 0) moment += 1;
        return { ...step, moment };
      });
    });

const anyStep = (contract: Contract): Arbitrary<Omit<Step, 'moment'>> =>
  fc.record({
    plant: fc.nat({ max: PLANTS - 1 }),
    like: often<Likeness>('same', [
      ...(['same id', 'same name', 'name in another case', 'composed', 'decomposed'] as const),
    ]),
    wrong: fc.oneof(
      { arbitrary: fc.constant(undefined), weight: 4 },
      { arbitrary: fc.constantFrom<Wrong>(...invalidBodies(contract)), weight: 3 },
      { arbitrary: fc.constantFrom(...invalidCredentials), weight: 3 },
      { arbitrary: fc.constantFrom<Wrong>({ kind: 'aborted' }, { kind: 'oversized' }), weight: 1 },
    ),
    manner: often<Manner>('as usual', ['in chunks', 'with a query', 'with an Idempotency-Key']),
    connection: often<Step['connection']>('kept', ['other', 'fresh', 'own']),
  });

/** Two in three as usual. */
const often = <T>(usual: T, others: readonly T[]): Arbitrary<T> =>
  fc.oneof(
    { arbitrary: fc.constant(usual), weight: 2 },
    { arbitrary: fc.constantFrom(...others), weight: 1 },
  );

/** The steps in words, each plant that several are about with a letter. */
export function wordsOf(steps: readonly Step[]): (step: Step) => string {
  const counts = new Map<number, number>();
  for (const { plant } of steps) counts.set(plant, (counts.get(plant) ?? 0) + 1);
  const shared = [...counts].filter(([, count]) => count > 1).map(([plant]) => plant);
  const firsts = new Map(steps.toReversed().map((step) => [step.plant, step]));
  return (step) => {
    const { plant, like, wrong, manner, connection } = step;
    const letter = shared.indexOf(plant);
    const own = letter < 0 ? 'an ordinary plant' : `plant ${String.fromCharCode(65 + (letter % 26))}`;
    const isFirst = firsts.get(plant) === step;
    return [
      LIKE[isFirst && !UNUSUAL.has(like) ? 'same' : like](own),
      wrong && ('name' in wrong ? `${SAID[wrong.kind]} (${wrong.name})` : SAID[wrong.kind]),
      manner === 'as usual' ? undefined : manner,
      CONNECTION[connection],
    ]
      .filter((part) => part !== undefined)
      .join(', ');
  };
}

/** What can be said of a first step about a plant as well. */
const UNUSUAL: ReadonlySet<Likeness> = new Set(['composed', 'decomposed']);

const LIKE: Readonly<Record<Likeness, (plant: string) => string>> = {
  same: (plant) => plant,
  'same id': (plant) => `the id of ${plant} with another name`,
  'same name': (plant) => `the name of ${plant} with another id`,
  'name in another case': (plant) => `the name of ${plant} in another case, with another id`,
  composed: (plant) => `${plant} with an accent composed in its name`,
  decomposed: (plant) => `${plant} with an accent decomposed in its name`,
};

const CONNECTION: Readonly<Record<Step['connection'], string | undefined>> = {
  kept: undefined,
  other: 'on another connection',
  fresh: 'on a fresh connection',
  own: 'on a connection of its own',
};

/** How a fault of a request is said. */
export const SAID: Readonly<Record<Wrong['kind'], string>> = {
  body: 'with an invalid body',
  credential: 'with an invalid credential',
  aborted: 'aborted',
  oversized: 'oversized',
};
