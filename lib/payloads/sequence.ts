import fc, { type Arbitrary } from 'fast-check';
import { compact, groupBy } from '../collections.ts';
import type { Contract } from '../contract/contract.ts';
import { pickByKind } from './choose-cases.ts';
import { noToken, otherSchemes, wrongTokens } from './credentials.ts';
import { defectiveBodies, malformedBodies } from './invalid-bodies.ts';
import type { JsonObject } from './json.ts';
import { mostly } from './random.ts';
import type { Credential, RequestTemplate } from './test-case.ts';

type Likeness = 'same' | 'same id' | 'same name' | 'name in another case' | 'composed' | 'decomposed';

export type Wrong =
  | {
      readonly kind: 'body';
      readonly name: string;
      readonly corrupt: (plant: JsonObject) => RequestTemplate['body'];
    }
  | { readonly kind: 'credential'; readonly name: string; readonly credential: Credential }
  /** The suite aborts the request; the store may have created the plant. */
  | { readonly kind: 'aborted' }
  /** Over 64 KiB: outside the contract, so its response is not judged. */
  | { readonly kind: 'oversized' };

/** Other differences between requests. The interface does not say whether a store accepts the last two. */
type Manner = 'as usual' | 'in chunks' | 'with a query' | 'with an Idempotency-Key';

/** One request of a sequence. Steps with the same plant share values. */
export interface Step {
  readonly plant: number;
  readonly like: Likeness;
  readonly wrong: Wrong | undefined;
  readonly manner: Manner;
  /** The one used last, a second one, one that has carried no request yet, or one for this request only. */
  readonly connection: 'kept' | 'other' | 'fresh' | 'own';
  /** Steps with the same moment are sent concurrently. */
  readonly moment: number;
}

const STEPS = { minLength: 8, maxLength: 16 } as const;
/** Maximum number of sampled sequences, regardless of the length of the run. */
const MAX_SAMPLED = 100;
/** Number of random cases of the run for which one sequence is sampled. */
const CASES_PER_SEQUENCE = 12;
/** Number of consecutive rejected requests in the longest sequence. */
const MAX_REJECTED = 64;
const ABORTED_IN_A_ROW = 6;

export function sequencesOf(
  contract: Contract,
  cases: number,
  sample: <T>(arbitrary: Arbitrary<T>) => T,
): readonly (readonly Step[])[] {
  const count = Math.min(MAX_SAMPLED, Math.max(1, Math.ceil(cases / CASES_PER_SEQUENCE)));
  const sampled = Array.from({ length: count }, () => sample(anySteps(contract)));
  return [...namedSequences(contract), ...sampled];
}

const plain: Omit<Step, 'moment'> = {
  plant: 0,
  like: 'same',
  wrong: undefined,
  manner: 'as usual',
  connection: 'kept',
};

const together = (moment: number, steps: readonly Partial<Step>[]): readonly Step[] =>
  steps.map((step) => ({ ...plain, ...step, moment }));

const stepsInOrder = (steps: readonly Partial<Step>[]): readonly Step[] =>
  steps.flatMap((step, moment) => together(moment, [step]));

/** Many requests of one kind, in a row or concurrently; then each way of resembling an earlier request. */
function namedSequences(contract: Contract): readonly (readonly Step[])[] {
  const bodies = invalidBodies(contract);
  const [invalid] = bodies;
  const [withoutToken] = invalidCredentials;
  const aborted: Wrong = { kind: 'aborted' };
  /** Tests with new plants that the store still accepts ordinary plants and rejects what it must. */
  const asBefore: readonly Partial<Step>[] = [
    { plant: 100 },
    { plant: 101, wrong: withoutToken },
    { plant: 102, wrong: invalid },
  ];
  return [
    stepsInOrder([
      ...pickByKind(bodies, ({ name }) => name, MAX_REJECTED).map(
        (one, plant): Partial<Step> => ({ plant, wrong: one, connection: 'own' }),
      ),
      ...asBefore,
    ]),
    stepsInOrder([
      ...invalidCredentials.map((one, plant): Partial<Step> => ({ plant, wrong: one })),
      ...asBefore,
    ]),
    stepsInOrder([
      ...asBefore.flatMap((one) => [{ plant: 0, wrong: aborted }, one]),
      ...Array.from({ length: ABORTED_IN_A_ROW }, (_, plant) => ({ plant, wrong: aborted })),
      { plant: 103 },
    ]),
    stepsInOrder([
      { plant: 0 },
      { plant: 0, wrong: withoutToken },
      { plant: 0, wrong: invalid },
      { plant: 0 },
      { plant: 0, like: 'same id' },
      { plant: 0, like: 'same name', connection: 'other' },
      { plant: 0, like: 'name in another case' },
      { plant: 1, like: 'composed' },
      { plant: 1, like: 'decomposed' },
    ]),
    stepsInOrder([
      { plant: 0, wrong: withoutToken },
      { plant: 0 },
      { plant: 1, wrong: invalid },
      { plant: 1 },
      { plant: 2, manner: 'with an Idempotency-Key' },
      { plant: 2, manner: 'with an Idempotency-Key', wrong: withoutToken },
      { plant: 2, manner: 'with an Idempotency-Key', wrong: invalid },
    ]),
    [
      ...together(
        0,
        [withoutToken, invalid, undefined, undefined, withoutToken, invalid, undefined, undefined].map(
          (one, plant) => ({ plant, wrong: one }),
        ),
      ),
      ...together(1, [
        ...[undefined, undefined, withoutToken, invalid].map((one) => ({ plant: 8, wrong: one })),
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

/** Maximum number of steps that `withFewerMoments` sends concurrently. */
const MAX_TOGETHER = 8;

/** Groups consecutive requests that the store must reject, so that a few are sent at the same time. */
export function withFewerMoments(steps: readonly Step[]): readonly Step[] {
  let moment = -1;
  let group: readonly Step[] = [];
  return steps.map((step) => {
    const [first] = group;
    const isSameMoment = first?.moment === step.moment;
    const joins = group.length < MAX_TOGETHER && group.every((other) => mayBeSentTogether(other, step));
    if (!isSameMoment && !joins) moment += 1;
    group = isSameMoment || joins ? [...group, step] : [step];
    return { ...step, moment };
  });
}

const mayBeSentTogether = (one: Step, other: Step): boolean =>
  [one, other].every(({ wrong }) => wrong?.kind === 'body' || wrong?.kind === 'credential') &&
  one.plant !== other.plant;

/** If a plant cannot have a defect, only the first character of its text is sent, which is also invalid. */
const invalidBodies = (contract: Contract): readonly (Wrong & { kind: 'body' })[] => [
  ...[...defectiveBodies(contract), ...malformedBodies].map(({ name, madeOf }) => ({
    kind: 'body' as const,
    name,
    corrupt: (plant: JsonObject) =>
      madeOf(plant) ?? { json: plant, edit: (text: string) => text.slice(0, 1) },
  })),
  { kind: 'body', name: 'no body', corrupt: () => undefined },
];

const invalidCredentials: readonly Wrong[] = [...noToken, ...wrongTokens, ...otherSchemes].map(
  ({ name, credential }) => ({ kind: 'credential', name, credential }),
);

/** A small number, so that steps share plants. */
const PLANTS = 4;

const anySteps = (contract: Contract): Arbitrary<readonly Step[]> =>
  fc
    .array(fc.tuple(anyStep(contract), fc.integer({ min: 0, max: 3 })), { ...STEPS, size: 'max' })
    .map((sampled) => {
      let moment = 0;
      return sampled.map(([step, later]) => {
        // Three quarters of the steps wait for the preceding one.
        if (later > 0) moment += 1;
        return { ...step, moment };
      });
    });

const anyStep = (contract: Contract): Arbitrary<Omit<Step, 'moment'>> =>
  fc.record({
    plant: fc.nat({ max: PLANTS - 1 }),
    like: often<Likeness>('same', 'same id', 'same name', 'name in another case', 'composed', 'decomposed'),
    wrong: fc.oneof(
      { arbitrary: fc.constant(undefined), weight: 4 },
      { arbitrary: fc.constantFrom<Wrong>(...invalidBodies(contract)), weight: 3 },
      { arbitrary: fc.constantFrom(...invalidCredentials), weight: 3 },
      { arbitrary: fc.constantFrom<Wrong>({ kind: 'aborted' }, { kind: 'oversized' }), weight: 1 },
    ),
    manner: often<Manner>('as usual', 'in chunks', 'with a query', 'with an Idempotency-Key'),
    connection: often<Step['connection']>('kept', 'other', 'fresh', 'own'),
  });

/** The usual value in two thirds of all samples. */
const often = <T>(usual: T, ...others: readonly T[]): Arbitrary<T> =>
  mostly(2, usual, fc.constantFrom(...others));

/** Describes the steps, with a letter for each plant that several steps share. */
export function wordsOf(steps: readonly Step[]): (step: Step) => string {
  const shared = groupBy(steps, ({ plant }) => String(plant)).filter(([, { length }]) => length > 1);
  return (step) => {
    const { plant, like, wrong, manner, connection } = step;
    const letter = shared.findIndex(([, [first]]) => first.plant === plant);
    const name = letter < 0 ? 'an ordinary plant' : `plant ${String.fromCharCode(65 + (letter % 26))}`;
    const isFirst = steps.find((one) => one.plant === plant) === step;
    return compact(
      LIKE[isFirst && !UNUSUAL.has(like) ? 'same' : like](name),
      wrong && ('name' in wrong ? `${DESCRIPTIONS[wrong.kind]} (${wrong.name})` : DESCRIPTIONS[wrong.kind]),
      manner !== 'as usual' && manner,
      CONNECTION[connection],
    ).join(', ');
  };
}

/** Likenesses that also change the first step with a plant. */
const UNUSUAL: ReadonlySet<Likeness> = new Set(['composed', 'decomposed']);

const LIKE: Readonly<Record<Likeness, (plant: string) => string>> = {
  same: (plant) => plant,
  'same id': (plant) => `the id of ${plant} with a different name`,
  'same name': (plant) => `the name of ${plant} with a different id`,
  'name in another case': (plant) => `the name of ${plant} in another case, with a different id`,
  composed: (plant) => `${plant} with a composed accent in its name`,
  decomposed: (plant) => `${plant} with a decomposed accent in its name`,
};

const CONNECTION: Readonly<Record<Step['connection'], string | undefined>> = {
  kept: undefined,
  other: 'on another connection',
  fresh: 'on a fresh connection',
  own: 'on a connection of its own',
};

export const DESCRIPTIONS: Readonly<Record<Wrong['kind'], string>> = {
  body: 'with an invalid body',
  credential: 'with an invalid credential',
  aborted: 'aborted',
  oversized: 'oversized',
};
