import { groupBy } from '../lib/collections.ts';
import { createdRules, notSuccess, type Rule } from '../lib/judge/rules.ts';
import { pickByKind } from '../lib/payloads/choose-cases.ts';
import { defectiveBodies, malformedBodies } from '../lib/payloads/invalid-bodies.ts';
import { noCredential, type RequestTemplate } from '../lib/payloads/test-case.ts';
import { isPlantText } from '../lib/payloads/validity.ts';
import type { Check, CheckContext, JudgedCase, PlantFactory } from '../lib/run/check.ts';
import { createsAtOnce, must, ordinaryRequest, requestWith, requestWithText } from './define.ts';

const hint =
  'Look for state that a rejected request leaves behind: a connection or lock that is not released, a variable that keeps its last value, a worker that died.';

type Labelled = Omit<JudgedCase, 'rules'>;

const MAX_DEFECTS = 64;

/** A request of every kind that a store must reject. */
const barrage = (plants: PlantFactory): Labelled[] => [
  ...[
    ...pickByKind(defectiveBodies(plants.contract), ({ kind }) => kind, MAX_DEFECTS),
    ...malformedBodies,
  ].flatMap(({ name, madeOf }) => {
    const body = madeOf(plants.plain());
    return body === undefined ? [] : [{ label: name, template: { body } }];
  }),
  ...['', '[', '{"id":', '['.repeat(5000), `"${'x'.repeat(20_000)}"`].map((body) => ({
    label: 'a body that is not JSON',
    template: requestWithText(body),
  })),
  { label: 'no body', template: { contentType: undefined } },
  { label: 'no token', template: requestWith(plants.plain(), { credential: noCredential }) },
  {
    label: 'a random token',
    template: requestWith(plants.plain(), {
      credential: { values: () => ['Bearer wrong'], shell: ['Bearer wrong'] },
    }),
  },
];

const judge = (
  context: CheckContext,
  template: RequestTemplate,
  label: string,
  rules: readonly Rule[],
): Promise<void> => context.judgeAll([{ label, template, rules }]);

async function acceptsAmongRejections(context: CheckContext): Promise<void> {
  await context.control(ordinaryRequest(context.plants.plain()));
  // Twice, with ordinary plants in between, since a leak may show only when a pool is exhausted.
  const bad = [...barrage(context.plants), ...barrage(context.plants)];
  const mixed = bad.flatMap((one, index): JudgedCase[] => {
    const rejected = { ...one, rules: [notSuccess] };
    if (index % 6 !== 5) return [rejected];
    const template = ordinaryRequest(context.plants.plain());
    return [rejected, { label: 'an ordinary plant among invalid requests', template, rules: createdRules }];
  });
  await context.judgeAll(mixed);
  for (let index = 0; index < 4; index += 1) {
    const template = ordinaryRequest(context.plants.plain(index % 2 === 0 ? 'all' : 'required'));
    await judge(context, template, 'an ordinary plant after many invalid requests', createdRules);
  }
}

/** For each property, one plant in which that property has a wrong type. */
function wronglyTyped(plants: PlantFactory): readonly RequestTemplate[] {
  const bodies = defectiveBodies(plants.contract).filter(({ kind }) => kind === 'wrong-type');
  return groupBy(bodies, ({ name }) => name.replace(/ .*/, '')).flatMap(([, [{ madeOf }]]) => {
    const body = madeOf(plants.plain('all'));
    return body === undefined ? [] : [{ body }];
  });
}

async function alternates(context: CheckContext): Promise<void> {
  await context.control(ordinaryRequest(context.plants.plain()));
  const values = ['null', '{}', '[]'].filter((value) => !isPlantText(context.plants.contract, value));
  for (const bad of [...['{', '', ...values].map(requestWithText), ...wronglyTyped(context.plants)]) {
    // Values of the preceding plant must not fill in what is missing.
    await judge(context, bad, 'an invalid request after an ordinary plant', [notSuccess]);
    const template = ordinaryRequest(context.plants.plain('required'));
    await judge(context, template, 'an ordinary plant after an invalid request', createdRules);
  }
}

/** As many as a run sends at a time, to use every connection that a gateway keeps to the store. */
const AT_THE_END = 24;

async function answersAtTheEnd(context: CheckContext): Promise<void> {
  await createsAtOnce(context, AT_THE_END, 'an ordinary plant at the end of the run');
  const bad = requestWithText(isPlantText(context.plants.contract, '{}') ? '[]' : '{}');
  await judge(context, bad, 'an empty object at the end of the run', [notSuccess]);
  const noToken = requestWith(context.plants.plain(), { credential: noCredential });
  await judge(context, noToken, 'no token at the end of the run', [notSuccess]);
}

export const stateChecks: readonly Check[] = [
  must('state/answers-alternating-requests', {
    statement:
      'Alternating ordinary plants and invalid requests, on one connection if it is kept open, are each answered on their own merits.',
    basis: ['section 4, rule 1', 'section 4, request body', 'RFC 9110 section 3.3'],
    hint,
    test: {
      kind: 'scenario',
      sends:
        'An opening brace, an empty body, null, an empty object, an empty array, and a plant for each property in which it has a wrong type, one after the other, each followed by an ordinary plant without a tag.',
      run: alternates,
      exclusive: 'unless-distant',
    },
  }),
  must('state/accepts-among-many-rejections', {
    statement: 'Ordinary plants are created among and after many invalid requests.',
    basis: ['section 4, rule 1', 'RFC 9110 section 3.3'],
    hint,
    test: {
      kind: 'scenario',
      sends:
        'One plant with each defect (at most 64), each kind of text that is not JSON, a request without a body, one without a token and one with a random token, all of them twice and many at a time, with an ordinary plant after every sixth; then four ordinary plants, one after the other.',
      run: acceptsAmongRejections,
      exclusive: 'unless-distant',
    },
  }),
  must('state/answers-at-the-end', {
    statement: 'At the end of the run, the store accepts and rejects requests as it did at the beginning.',
    basis: ['section 4, rule 1', 'section 5, rule 1', 'RFC 9110 section 3.3'],
    hint,
    test: {
      kind: 'scenario',
      sends:
        '24 ordinary plants at the same time, then an empty object, then an ordinary plant without a token.',
      run: answersAtTheEnd,
      exclusive: 'always',
    },
  }),
];
