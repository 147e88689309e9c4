import { describe, expect, test } from 'vitest';
import { loadOptions, type RunRecord, run, terminalReport } from '../index.ts';
import { type Step, sequencesOf, withFewerMoments, wordsOf } from '../lib/payloads/sequence.ts';
import { shortest } from '../lib/payloads/shrink-list.ts';
import { plantsFor } from '../lib/run/plant-factory.ts';
import { conditionalStores } from '../mutants/conditional/index.ts';
import { json, type RunningStore, type StoreOptions } from '../reference/store.ts';
import { startNamed, startWith, TOKEN, withStore } from './helpers/stores.ts';

const ID = 'state/answers-any-sequence';
const { contract } = await loadOptions({ baseUrl: 'http://127.0.0.1:1', token: 'secret' });

const sequences = (seed: number, cases = 120): readonly (readonly Step[])[] => {
  const plants = plantsFor(contract, seed, ID);
  return sequencesOf(contract, cases, (arbitrary) => plants.sample(arbitrary));
};
const inWords = (all: readonly (readonly Step[])[]) =>
  all.map((steps) => {
    const words = wordsOf(steps);
    return steps.map((step) => `${step.moment}: ${words(step)}`);
  });

const judge = (store: Pick<RunningStore, 'url'>, more: object = {}): Promise<RunRecord> =>
  run({ baseUrl: store.url, token: TOKEN, seed: 1, timeout: 3000, explain: 0, only: [ID], ...more }).record;
const resultOf = ({ results }: RunRecord) => results.find(({ id }) => id === ID);

/** The labels of the failures of a conditional store. */
async function labelsOn(name: string, seed = 1): Promise<readonly string[]> {
  const found = conditionalStores.find((one) => one.name === name);
  if (found === undefined) throw new Error(`unknown store: ${name}`);
  const store = await found.start(TOKEN);
  const record = await judge(store, { seed }).finally(() => store.stop());
  return resultOf(record)?.exchanges.map(({ label }) => label) ?? [];
}

describe('the sequences of a run', () => {
  test('are the same for the same seed, and different for another', () => {
    expect(inWords(sequences(3))).toEqual(inWords(sequences(3)));
    expect(inWords(sequences(3))).not.toEqual(inWords(sequences(4)));
  });

  test('have about 250 requests by default, and more with more random cases', () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const count = (cases: number) => sequences(seed, cases).flat().length;
      expect(count(120)).toBeGreaterThan(150);
      expect(count(120)).toBeLessThan(330);
      expect(count(1200)).toBeGreaterThan(900);
    }
  });

  test('have steps of every kind, several at the same time, and many of one kind in a row', () => {
    const all = sequences(1);
    const steps = all.flat();
    const kinds = new Set(steps.map(({ wrong }) => wrong?.kind));
    expect(kinds).toEqual(new Set([undefined, 'body', 'credential', 'aborted', 'oversized']));
    expect(new Set(steps.map(({ connection }) => connection)).size).toBe(4);
    expect(new Set(steps.map(({ like }) => like)).size).toBe(6);
    const inARow = (kind: string) =>
      Math.max(...all.map((one) => one.filter(({ wrong }) => wrong?.kind === kind).length));
    expect(inARow('body')).toBeGreaterThanOrEqual(50);
    expect(inARow('credential')).toBeGreaterThanOrEqual(25);
    expect(all.some((one) => new Set(one.map(({ moment }) => moment)).size < one.length - 4)).toBe(true);
  });

  test('sent with fewer moments, have the same steps in the same order', () => {
    const timeless = (steps: readonly Step[]) => steps.map((step) => ({ ...step, moment: 0 }));
    const lastMoment = (steps: readonly Step[]) => steps.at(-1)?.moment ?? 0;
    const all = sequences(1);
    for (const steps of all) {
      const sooner = withFewerMoments(steps);
      expect(timeless(sooner)).toEqual(timeless(steps));
      for (const [index, { moment, wrong }] of sooner.entries()) {
        const [before, own] = [sooner[index - 1], steps[index]];
        expect(moment - (before?.moment ?? -1)).toBeOneOf([0, 1]);
        // What was sent concurrently still is; what is sent concurrently now creates nothing.
        if (moment === before?.moment && own?.moment !== steps[index - 1]?.moment)
          expect([wrong?.kind, before.wrong?.kind]).not.toContain(undefined);
      }
    }
    expect(Math.max(...all.map(lastMoment))).toBeGreaterThan(60);
    expect(Math.max(...all.map(withFewerMoments).map(lastMoment))).toBeLessThan(25);
  });
});

describe('a failing list is shrunk', () => {
  const shows = (...wanted: readonly number[]) => {
    let tries = 0;
    return {
      test: async (some: readonly number[]) => {
        tries += 1;
        return wanted.every((one) => some.includes(one));
      },
      tries: () => tries,
    };
  };
  const list = Array.from({ length: 60 }, (_, index) => index);

  test.each([[[59]], [[58, 59]], [[3, 59]], [[0, 30, 59]], [[]]])('to %j', async (wanted) => {
    const { test: shown, tries } = shows(...wanted);
    const found = await shortest(list, shown);
    expect(found.filter((one) => one !== 59 || wanted.length > 0)).toEqual(wanted.length > 0 ? wanted : []);
    expect(tries()).toBeLessThan(60);
  });

  test('until the budget is used up', async () => {
    let left = 4;
    const shown = async (some: readonly number[]) => {
      left -= 1;
      return left < 0 ? undefined : some.includes(3) && some.includes(59);
    };
    const found = await shortest(list, shown);
    expect(found).toContain(3);
    expect(found.length).toBeGreaterThan(2);
  });
});

describe('a store that fails after certain requests is reported with the shortest sequence that shows it', () => {
  test.each([
    [
      'history-same-bytes-unguarded',
      'after: plant A; then: plant A, with an invalid credential (no Authorization header)',
    ],
    [
      'history-bytes-rejected-401',
      'after: plant A, with an invalid credential (no Authorization header); then: plant A',
    ],
    [
      'history-other-normal-form-500',
      'after: plant A with a composed accent in its name; then: plant A with a decomposed accent in its name',
    ],
    [
      'history-connection-trusted',
      'after: an ordinary plant; then: an ordinary plant, with an invalid credential (no Authorization header)',
    ],
    [
      'history-idempotency-key-unguarded',
      'after: plant A, with an Idempotency-Key; then: plant A, with an invalid credential (no Authorization header), with an Idempotency-Key',
    ],
    ['history-after-aborted-400', 'after: an ordinary plant, aborted; then: an ordinary plant'],
  ])('%s', async (name, label) => {
    expect(await labelsOn(name)).toContain(label);
  });

  test('the record and the report contain the preceding requests', async () => {
    const store = await startNamed('state-bytes-cached');
    const record = await judge(store).finally(() => store.stop());
    const result = resultOf(record);
    const [exchange] = result?.exchanges ?? [];
    expect(exchange?.before?.map(({ response }) => response?.status)).toEqual([200]);
    expect(exchange?.before?.[0]?.request.body).toEqual(exchange?.request.body);
    expect(JSON.stringify(record)).not.toContain(TOKEN);
    expect(terminalReport(record, false, { verbose: true })).toMatch(
      /\n +before +POST \/plants application\/json \{.*\} → 200\n/,
    );
    // The fingerprint does not depend on the seed.
    expect(result?.problems.map(({ problem }) => problem)).toEqual(['accepted: no Authorization header']);
  });

  test('a store that stays broken is reported with all preceding requests', async () => {
    const [label] = await labelsOn('history-after-15-unauthenticated-403');
    expect(label).toMatch(
      /^after: \d+ × a request with an invalid credential; then: an ordinary plant, and from then on$/,
    );
  });

  test.each([
    'history-other-case-500',
    'history-after-rejected-fresh-connection-null-tag',
    'load-beside-invalid-400',
  ])('%s fails with any seed', { timeout: 60_000 }, async (name) => {
    for (const seed of [11, 12]) expect((await labelsOn(name, seed)).length).toBeGreaterThan(0);
  });
});

describe('a conformant store', () => {
  test('passes every sequence, with any seed', { timeout: 60_000 }, async () => {
    await withStore('reference', async (store) => {
      for (let seed = 1; seed <= 5; seed += 1) {
        const record = await judge(store, { seed });
        expect({ seed, verdict: resultOf(record)?.verdict, created: record.collisions ?? 0 }).toEqual({
          seed,
          verdict: 'pass',
          created: 0,
        });
      }
    });
  });

  test.each(['unique-ids-and-names', 'unique-names-400', 'sqlite-unique-both', 'validates-first', 'all-400'])(
    '%s passes, at any concurrency',
    { timeout: 60_000 },
    async (name) => {
      const store = await startNamed(name);
      try {
        for (const concurrency of [1, 24]) {
          const { results, collisions = 0 } = await judge(store, { concurrency, only: [ID, 'invariants/*'] });
          expect(results.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id)).toEqual([]);
          // Every plant that must be accepted is new to the store.
          expect(collisions).toBe(0);
        }
      } finally {
        await store.stop();
      }
    },
  );
});

describe('the first ordinary request of a run', () => {
  /** Answers the first request with `answer`. */
  const atFirst =
    (answer: ReturnType<typeof json>): StoreOptions['steps'] =>
    (right) => {
      let isFirst = true;
      return {
        send(own, response, request) {
          right.send(isFirst ? answer : own, response, request);
          isFirst = false;
        },
      };
    };
  const failing = async (answer: ReturnType<typeof json>): Promise<readonly string[]> => {
    const steps = atFirst(answer);
    const store = await startWith(steps);
    const record = await judge(store, { only: ['ordinary/answers-200', 'invariants/*'] }).finally(() =>
      store.stop(),
    );
    return record.results
      .filter(({ verdict, level }) => verdict === 'fail' && level === 'MUST')
      .map(({ id }) => id);
  };

  test.each([
    ['202', json(202, { name: 'Aloe' }), ['invariants/accepts-ordinary-plants']],
    ['a null name', json(200, { name: null }), ['invariants/200-is-a-plant']],
    ['401', json(401, { message: 'no' }), ['invariants/accepts-ordinary-plants']],
    ['403', json(403, { message: 'no' }), ['invariants/accepts-ordinary-plants']],
    ['400', json(400, { error: 400, message: 'no' }), ['invariants/accepts-ordinary-plants']],
    ['500', json(500, {}), ['invariants/accepts-ordinary-plants', 'invariants/no-server-error']],
  ])('is judged like any other: %s', async (_name, answer, ids) => {
    expect([...(await failing(answer))].sort()).toEqual([...ids].sort());
  });

  test('is sent again if the store is not ready', async () => {
    expect(await failing(json(503, {}, { 'retry-after': '0' }))).toEqual([]);
  });
});
