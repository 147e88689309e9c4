import { describe, expect, test } from 'vitest';
import { catalogue, type RunOptions, type RunRecord, run } from '../index.ts';
import { type Answer, json, type RunningStore, type StoreOptions, startStore } from '../reference/store.ts';
import { TOKEN } from './stores.ts';

type Steps = StoreOptions['steps'];

/** Says the same to every request, but for the first few. */
const saying =
  (said: Answer, after = 0): Steps =>
  (right) => {
    let answers = 0;
    return {
      send(answer, response, request) {
        answers += 1;
        right.send(answers > after ? said : answer, response, request);
      },
    };
  };

async function recordOf(steps: Steps, more: Partial<RunOptions> = {}): Promise<RunRecord> {
  const store: RunningStore = await startStore({ token: TOKEN, ...(steps === undefined ? {} : { steps }) });
  const options = { baseUrl: store.url, token: TOKEN, seed: 5, cases: 6, ...more };
  return run(options).record.finally(() => store.stop());
}

const idsOf = ({ results }: RunRecord, verdict: string) =>
  results.filter((result) => result.verdict === verdict).map(({ id }) => id);

const of = (record: RunRecord, id: string) => record.results.find((result) => result.id === id);

const PLANT = json(200, { name: 'Aloe', tag: 'succulent' });

/** Every answer that came was whole, was none of 5xx, and did not hold the token. */
const ANSWERED = [
  'always/answers',
  'always/no-server-error',
  'always/keeps-the-credential-to-itself',
] as const;

/** Whatever a store has to take it has answered 200. */
const TOOK = [
  'create/answers-200',
  'create/answers-json',
  'create/takes-charset-parameter',
  'create/takes-media-type-in-any-case',
  'create/takes-chunked-body',
  'create/answers-whatever-accept-allows-json',
  'whole-shape/takes-any-name',
  'whole-shape/takes-any-tag',
  'whole-shape/takes-ids-above-2^31',
  'whole-shape/takes-ids-above-2^53',
  'whole-shape/takes-negative-ids',
  'auth/takes-scheme-in-any-case',
  'always/creates-ordinary-plants',
  'always/no-byte-order-mark',
  // Answered, and with no server error: whether such numbers are taken is for other checks.
  'refuse/survives-huge-numbers',
] as const;

/** Every acceptance was one with a Plant. */
const TOOK_PLANTS = catalogue
  .map(({ id }) => id)
  .filter((id) =>
    /^(?:create\/takes|whole-shape\/answers|combinations\/a\w+)-|^create\/answers-a-plant$|^always\/200-/.test(
      id,
    ),
  );

/** Stores that do the same whatever they are asked, and what each shows to be right all the same. */
const stores: readonly (readonly [name: string, steps: Steps, passing: readonly string[]])[] = [
  [
    '201 in plain text',
    saying({ status: 201, headers: { 'content-type': 'text/plain' }, body: 'Created' }),
    ANSWERED,
  ],
  ['204', saying({ status: 204 }), ANSWERED],
  ['an empty object', saying(json(200, {})), [...ANSWERED, ...TOOK]],
  ['one plant', saying(PLANT), [...ANSWERED, ...TOOK, ...TOOK_PLANTS]],
  // An error that shows no file has shown that.
  ['404', saying({ status: 404 }), [...ANSWERED, 'always/keeps-internals-to-itself']],
  [
    'an Error',
    saying(json(400, { error: 400, message: 'no' })),
    [
      ...ANSWERED,
      'always/400-is-json',
      'always/400-is-an-error',
      'always/message-says-something',
      'always/keeps-internals-to-itself',
      'always/no-byte-order-mark',
    ],
  ],
  [
    '500',
    saying({ status: 500 }),
    [...ANSWERED.filter((id) => id !== 'always/no-server-error'), 'always/keeps-internals-to-itself'],
  ],
  // A 401 came with its challenge.
  [
    '401 after the first plant',
    saying({ status: 401, headers: { 'www-authenticate': 'Bearer' } }, 1),
    [
      ...ANSWERED,
      'always/keeps-internals-to-itself',
      'auth/challenges',
      // Of the first plant.
      'always/200-is-a-plant',
      'always/no-byte-order-mark',
    ],
  ],
  ['nothing, and closes the connection', () => ({ send: (_answer, response) => response.destroy() }), []],
];

describe('nothing passes that has not seen what it is about', () => {
  test.each(stores)('on a store that answers everything with %s', async (_name, steps, passing) => {
    const record = await recordOf(steps);
    expect(idsOf(record, 'pass').sort()).toEqual([...new Set(passing)].sort());
    expect(record.outcome).toBe('nonconformant');
    for (const { verdict, reason } of record.results)
      if (verdict === 'untestable' || verdict === 'skipped') expect(reason).toMatch(/\w/);
  });

  test('and says what was not there, and which check says why', async () => {
    const record = await recordOf(saying({ status: 201, headers: { 'content-type': 'text/plain' } }));
    expect(of(record, 'create/answers-json')).toMatchObject({
      verdict: 'untestable',
      blockedBy: 'create/answers-200',
      reason: 'nothing to judge: no answer with status 200',
    });
    const takesAll = await recordOf(saying(PLANT));
    expect(of(takesAll, 'auth/refuses-with-401')).toMatchObject({
      verdict: 'untestable',
      blockedBy: 'auth/rejects-missing-token',
    });
  });

  test('where whoever has no token is left without an answer', async () => {
    const record = await recordOf((right) => ({
      send: (answer, response, request) =>
        answer.status === 401 ? response.destroy() : right.send(answer, response, request),
    }));
    expect(of(record, 'always/answers')?.verdict).toBe('fail');
    for (const id of ['missing-token', 'other-schemes', 'wrong-tokens', 'other-carriers'].map(
      (kind) => `auth/rejects-${kind}`,
    ))
      expect(of(record, id)).toMatchObject({
        verdict: 'untestable',
        blockedBy: 'always/answers',
      });
  });

  test('by requests at once where they go one at a time', async () => {
    const record = await recordOf(undefined, { concurrency: 1 });
    expect(of(record, 'create/takes-many-at-once')).toMatchObject({
      verdict: 'skipped',
      reason: 'requests go one at a time with --concurrency 1',
    });
    expect(of(record, 'observe/same-id-at-once')).toMatchObject({ verdict: 'skipped', observations: {} });
    expect(record.outcome).toBe('conformant');
  });

  test('and of the shards of a run one is enough to have seen it', async () => {
    const records: RunRecord[] = [];
    for (let index = 0; index < 6; index += 1)
      records.push(await recordOf(undefined, { shard: { index, of: 6 }, firstId: 1_000_000n, cases: 2 }));
    expect(records.map(({ outcome }) => outcome)).toEqual(records.map(() => 'conformant'));
  });

  test('and a check names one that exists to say why', () => {
    const ids = catalogue.map(({ id }) => id);
    for (const { test } of catalogue)
      if ('explainedBy' in test && test.explainedBy !== undefined) expect(ids).toContain(test.explainedBy);
  });
});
