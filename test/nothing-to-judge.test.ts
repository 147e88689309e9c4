import { describe, expect, test } from 'vitest';
import { catalogue, type RunOptions, type RunRecord, run } from '../index.ts';
import { type Answer, json, type RunningStore, type StoreOptions } from '../reference/store.ts';
import { startWith, TOKEN } from './helpers/stores.ts';

type Steps = StoreOptions['steps'];

/** Sends the same response to every request except the first few. */
const sending =
  (same: Answer, after = 0): Steps =>
  (right) => {
    let answers = 0;
    return {
      send(answer, response, request) {
        answers += 1;
        right.send(answers > after ? same : answer, response, request);
      },
    };
  };

async function recordOf(steps: Steps, more: Partial<RunOptions> = {}): Promise<RunRecord> {
  const store: RunningStore = await startWith(steps);
  const options = { baseUrl: store.url, token: TOKEN, seed: 5, cases: 1, explain: 0, ...more };
  return run(options).record.finally(() => store.stop());
}

const idsOf = ({ results }: RunRecord, verdict: string) =>
  results.filter((result) => result.verdict === verdict).map(({ id }) => id);

const of = (record: RunRecord, id: string) => record.results.find((result) => result.id === id);

const PLANT = json(200, { name: 'Aloe', tag: 'succulent' });

/** Every response was complete, was not a 5xx, and did not contain the token. */
const ANSWERED = [
  'invariants/answers',
  'invariants/answers-expectations',
  'invariants/no-server-error',
  'invariants/leaks-no-token',
] as const;

/** The store answered 200 to everything that it must accept. */
const ACCEPTED = [
  'ordinary/answers-200',
  'ordinary/answers-json',
  'ordinary/ignores-range',
  'ordinary/accepts-charset-parameter',
  'ordinary/accepts-media-type-in-any-case',
  'ordinary/accepts-chunked-body',
  'ordinary/accepts-any-accept-that-allows-json',
  'unconstrained/accepts-any-name',
  'unconstrained/accepts-any-tag',
  'unconstrained/accepts-ids-above-2^31',
  'unconstrained/accepts-ids-above-2^53',
  'unconstrained/accepts-negative-ids',
  'auth/accepts-scheme-in-any-case',
  'invariants/accepts-ordinary-plants',
  'invariants/no-byte-order-mark',
  // It was answered without a server error; other checks judge whether such numbers are accepted.
  'invalid/answers-huge-numbers',
] as const;

/** Every 200 carried a Plant. */
const ACCEPTED_WITH_PLANT = catalogue
  .map(({ id }) => id)
  .filter((id) =>
    /^(?:ordinary\/accepts|unconstrained\/answers|combinations\/a\w+)-|^ordinary\/answers-a-plant$|^invariants\/200-/.test(
      id,
    ),
  );

/** Stores that answer every request alike, and the checks that rightly pass on each. */
const stores: readonly (readonly [name: string, steps: Steps, passing: readonly string[]])[] = [
  [
    '201 in plain text',
    sending({ status: 201, headers: { 'content-type': 'text/plain' }, body: 'Created' }),
    [...ANSWERED, 'invalid/answers-huge-numbers'],
  ],
  ['204', sending({ status: 204 }), [...ANSWERED, 'invalid/answers-huge-numbers']],
  ['an empty object', sending(json(200, {})), [...ANSWERED, ...ACCEPTED]],
  ['one plant', sending(PLANT), [...ANSWERED, ...ACCEPTED, ...ACCEPTED_WITH_PLANT]],
  [
    'an Error',
    sending(json(400, { error: 400, message: 'no' })),
    [
      ...ANSWERED,
      'invariants/400-is-json',
      'invariants/400-is-an-error',
      'invariants/message-is-not-empty',
      'invariants/leaks-no-internals',
      'invariants/no-byte-order-mark',
    ],
  ],
  // An error response without a path shows that it leaks no path.
  [
    '500',
    sending({ status: 500 }),
    [...ANSWERED.filter((id) => id !== 'invariants/no-server-error'), 'invariants/leaks-no-internals'],
  ],
  // The 401 carries its challenge.
  [
    '401 after the first plant',
    sending({ status: 401, headers: { 'www-authenticate': 'Bearer' } }, 1),
    [
      ...ANSWERED,
      'invariants/leaks-no-internals',
      'auth/answers-with-a-challenge',
      // From the first plant.
      'invariants/200-is-a-plant',
      'invariants/no-byte-order-mark',
    ],
  ],
  ['nothing, and closes the connection', () => ({ send: (_answer, response) => response.destroy() }), []],
];

const records = new Map<string, Promise<RunRecord>>();

/** The record of a run against one of these stores, which is carried out only once. */
function recordOn(name: string, steps = stores.find(([one]) => one === name)?.[1]): Promise<RunRecord> {
  const record = records.get(name) ?? recordOf(steps);
  records.set(name, record);
  return record;
}

describe('no check passes without an exchange that it applies to', () => {
  test.each(stores)('on a store that answers every request with %s', async (name, steps, passing) => {
    const record = await recordOn(name, steps);
    expect(idsOf(record, 'pass').sort()).toEqual([...new Set(passing)].sort());
    expect(record.outcome).toBe('nonconformant');
    for (const { verdict, reason } of record.results)
      if (verdict === 'untestable' || verdict === 'skipped') expect(reason).toMatch(/\w/);
  });

  test('and the result says what was missing, and which check explains it', async () => {
    const record = await recordOn('201 in plain text');
    expect(of(record, 'ordinary/answers-json')).toMatchObject({
      verdict: 'untestable',
      blockedBy: 'ordinary/answers-200',
      reason: 'no response with status 200',
    });
    const acceptsAll = await recordOn('one plant');
    expect(of(acceptsAll, 'auth/answers-401')).toMatchObject({
      verdict: 'untestable',
      blockedBy: 'auth/rejects-missing-token',
    });
  });

  test('if requests without the token get no response', async () => {
    const record = await recordOf(
      (right) => ({
        send: (answer, response, request) =>
          answer.status === 401 ? response.destroy() : right.send(answer, response, request),
      }),
      { only: ['ordinary/answers-200', 'auth/*', 'invariants/*'] },
    );
    expect(of(record, 'invariants/answers')?.verdict).toBe('fail');
    for (const id of ['missing-token', 'other-schemes', 'wrong-tokens', 'other-carriers'].map(
      (kind) => `auth/rejects-${kind}`,
    ))
      expect(of(record, id)).toMatchObject({
        verdict: 'untestable',
        blockedBy: 'invariants/answers',
      });
  });

  test('but a control that is answered 201 is accepted, so that rejections are judged', async () => {
    const only = ['ordinary/answers-200', 'auth/rejects-missing-token', 'invalid/rejects-null'];
    const record = await recordOf(
      (right) => ({
        send: (answer, response, request) =>
          right.send(answer.status === 200 ? { ...answer, status: 201 } : answer, response, request),
      }),
      { only },
    );
    expect(only.map((id) => of(record, id)?.verdict)).toEqual(['fail', 'pass', 'pass']);
  });

  test('if it needs concurrent requests and they are sent one at a time', async () => {
    const record = await recordOf(undefined, { concurrency: 1 });
    expect(of(record, 'ordinary/accepts-concurrent-requests')).toMatchObject({
      verdict: 'skipped',
      reason: '--concurrency 1 sends one request at a time',
    });
    expect(of(record, 'observe/same-id-at-once')).toMatchObject({ verdict: 'skipped', observations: {} });
    expect(record.outcome).toBe('conformant');
  });

  test('and one shard of a run with such an exchange is enough', async () => {
    const records: RunRecord[] = [];
    for (let index = 0; index < 6; index += 1)
      records.push(await recordOf(undefined, { shard: { index, of: 6 }, firstId: 1_000_000n, cases: 2 }));
    expect(records.map(({ outcome }) => outcome)).toEqual(records.map(() => 'conformant'));
  });

  test('and every check that explains another exists', () => {
    const ids = catalogue.map(({ id }) => id);
    for (const { test } of catalogue)
      if ('untestableBecauseOf' in test && test.untestableBecauseOf !== undefined)
        expect(ids).toContain(test.untestableBecauseOf);
  });
});
