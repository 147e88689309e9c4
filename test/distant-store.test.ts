import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { run } from '../index.ts';
import { AdaptiveConcurrency } from '../lib/run/send/adaptive-concurrency.ts';
import { endpointOf } from '../lib/wire/endpoint.ts';
import { HttpClient } from '../lib/wire/http-client.ts';
import { listen, type Steps } from '../reference/store.ts';
import { startWith, TOKEN } from './helpers/stores.ts';

const client = (connections: number) =>
  new HttpClient(endpointOf('http://127.0.0.1:1', { timeout: 1000 }), connections);

/** The limits after each answer, without repetition. */
function limitsWith(msAt: (limit: number) => number, { max = 96, answers = 2000 } = {}): readonly number[] {
  const own = client(24);
  const growth = new AdaptiveConcurrency(own, max);
  const limits = [own.concurrencyLimit];
  for (let left = answers; left > 0; left -= 1) {
    growth.add(msAt(own.concurrencyLimit));
    if (limits.at(-1) !== own.concurrencyLimit) limits.push(own.concurrencyLimit);
  }
  return limits;
}

describe('the number of requests in flight', () => {
  test('grows up to the maximum if a distant store answers as fast as before', () => {
    expect(limitsWith(() => 50)).toEqual([24, 48, 96]);
    expect(limitsWith(() => 50, { max: 60 })).toEqual([24, 48, 60]);
  });

  test('does not grow beyond 2,000 requests per second', () => {
    expect(limitsWith(() => 25, { max: 192 })).toEqual([24, 48, 50]);
    expect(limitsWith(() => 200, { max: 192 })).toEqual([24, 48, 96, 192]);
  });

  test('does not grow if the store is near, or if growth is disabled', () => {
    expect(limitsWith(() => 5)).toEqual([24]);
    let answers = 0;
    const busy = () => {
      answers += 1;
      return answers % 20 === 0 ? 5 : 50;
    };
    expect(limitsWith(busy)).toEqual([24]);
    expect(limitsWith(() => 50, { max: 24 })).toEqual([24]);
  });

  test('shrinks, and does not grow again, if more requests make the answers slower', () => {
    expect(limitsWith((limit) => (limit > 24 ? 2 * limit : 40))).toEqual([24, 48, 24]);
    expect(limitsWith((limit) => (limit > 48 ? 2 * limit : 40))).toEqual([24, 48, 80, 40]);
  });
});

test('connections beyond a lower limit are closed', async () => {
  let open = 0;
  const server = createServer((request, response) => {
    request.resume();
    void sleep(20).then(() => response.end());
  });
  server.on('connection', (socket) => {
    open += 1;
    socket.on('close', () => {
      open -= 1;
    });
  });
  const { url, stop } = await listen(server);
  const own = new HttpClient(endpointOf(url, { timeout: 1000 }), 8);
  const send = () => own.send({ method: 'POST', path: '/', headers: [], body: undefined, framing: 'length' });
  await Promise.all(Array.from({ length: 8 }, send));
  expect(open).toBe(8);
  own.setConcurrencyLimit(2);
  await expect.poll(() => open).toBe(2);
  expect((await Promise.all(Array.from({ length: 6 }, send))).map(({ kind }) => kind)).not.toContain(
    'broken',
  );
  expect(open).toBe(2);
  await own.close();
  await stop();
});

/** A store that answers after a while, and does as `crowded` says to requests beyond a limit. */
async function distant(
  maxInFlight: number,
  more: (right: Steps) => Partial<Steps> = () => ({}),
  delay = 100,
) {
  /** `peak` is the most that were in flight since it was last reset. */
  const seen = { inFlight: 0, peak: 0, crowded: 0 };
  const store = await startWith((right) => ({
    ...more(right),
    async send(answer, response, request) {
      seen.inFlight += 1;
      seen.peak = Math.max(seen.peak, seen.inFlight);
      const isCrowded = seen.inFlight > maxInFlight;
      if (isCrowded) seen.crowded += 1;
      await sleep(delay);
      seen.inFlight -= 1;
      right.send(isCrowded ? { ...answer, status: 503 } : answer, response, request);
    },
  }));
  return { ...store, seen };
}

const only = ['ordinary/accepts-any-plant', 'combinations/accepts-ordinary-plants', 'invariants/*'];

test('a distant store is not accused of failures above the usual concurrency', async () => {
  const store = await distant(40);
  const record = await run({ baseUrl: store.url, token: TOKEN, seed: 1, only, explain: 0 }).record;
  await store.stop();
  expect(record.results.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id)).toEqual([]);
  // Once at most: after that, no more are sent than usual.
  expect(store.seen.crowded).toBeLessThanOrEqual(96);
});

test('requests that the suite aborts do not count as failures above the usual concurrency', async () => {
  const store = await distant(Number.POSITIVE_INFINITY, () => ({}), 200);
  const running = run({
    baseUrl: store.url,
    token: TOKEN,
    seed: 1,
    only: ['ordinary/accepts-any-plant', 'combinations/*-ordinary-plants', 'combinations/*-credentials'],
    explain: 0,
  });
  let isReset = false;
  for await (const event of running)
    if (event.type === 'progress' && event.requests >= 1000 && !isReset) {
      isReset = true;
      store.seen.peak = 0;
    }
  await store.stop();
  // Still raised after hundreds of aborted requests.
  expect(store.seen.peak).toBeGreaterThan(48);
});

test('--concurrency limits the requests in flight to a distant store, too', async () => {
  const store = await distant(Number.POSITIVE_INFINITY);
  await run({ baseUrl: store.url, token: TOKEN, seed: 1, only, concurrency: 12, explain: 0 }).record;
  await store.stop();
  // A request and the one before it may be pipelined.
  expect(store.seen.peak).toBeLessThan(24);
});

test('sequences are sent concurrently to a distant store, and shrunk one after the other', async () => {
  const names = new Set<string>();
  const store = await distant(
    Number.POSITIVE_INFINITY,
    (right) => ({
      create(plant, request) {
        names.add(plant.name);
        return right.create(plant, request);
      },
      // A plant that was accepted before needs no token.
      reject(rejection, request) {
        const { name } = /"name":"(?<name>\w+)"/.exec(String(request.body ?? ''))?.groups ?? {};
        const isKnown = rejection.status === 401 && name !== undefined && names.has(name);
        return isKnown ? right.create({ id: 1n, name }, request) : right.reject(rejection, request);
      },
    }),
    30,
  );
  const sequences = 'state/answers-any-sequence';
  const record = await run({
    baseUrl: store.url,
    token: TOKEN,
    seed: 1,
    cases: 60,
    only: [...only, sequences],
    explain: 0,
  }).record;
  await store.stop();
  const result = record.results.find(({ id }) => id === sequences);
  expect(result?.verdict).toBe('fail');
  expect(result?.counterexample?.label).toMatch(/^after: plant A; then: plant A, with an invalid credential/);
});
