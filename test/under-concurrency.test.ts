import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { type RunRecord, run } from '../index.ts';
import type { Received } from '../reference/store.ts';
import { startWith, TOKEN } from './helpers/stores.ts';

const against = (baseUrl: string, more: Partial<Parameters<typeof run>[0]> = {}): Promise<RunRecord> =>
  run({ baseUrl, token: TOKEN, seed: 5, cases: 20, timeout: 1000, explain: 0, ...more }).record;

const failing = (record: RunRecord) =>
  record.results.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);

/** Only named checks, since random checks run one by one in any case. */
const NAMED = { only: ['invalid/*'], skip: ['invalid/rejects-any-*'] };

/** Starts a store with slow responses; a spy decides whether each is complete. */
async function startSlow(spy: {
  readonly arrives?: (request: Received) => void;
  readonly leaves?: (request: Received) => boolean;
}) {
  return startWith((right) => ({
    route(request) {
      spy.arrives?.(request);
      right.route(request);
    },
    send(answer, response, request) {
      setTimeout(() => {
        if (spy.leaves?.(request) ?? true) right.send(answer, response, request);
        else request.message.socket.end('HTTP/1.1 200 OK\r\ncontent-length: 40\r\n\r\n{');
      }, 20);
    },
  }));
}

describe('named checks run side by side', () => {
  test.each([1, 6])('and together send at most %i requests at a time', async (concurrency) => {
    let [active, highest] = [0, 0];
    const store = await startSlow({
      arrives: () => {
        active += 1;
        highest = Math.max(highest, active);
      },
      leaves: () => {
        active -= 1;
        return true;
      },
    });
    // Two requests each.
    const few = [
      'ordinary/answers-200',
      'ordinary/answers-json',
      'ordinary/answers-a-plant',
      'invalid/rejects-deep-nesting',
    ];
    await against(store.url, { concurrency, only: few });
    await against(store.url, {
      concurrency,
      only: ['observe/broken-framing', 'observe/paths', 'observe/id'],
    });
    await store.stop();
    expect(highest).toBe(concurrency);
  });

  test('and are not blamed for what a case of another check does to the store', async () => {
    const sockets = new Set<Socket>();
    let up = 0;
    const store = await startSlow({
      arrives: ({ body, message: { socket } }) => {
        sockets.add(socket);
        if (!/^\{"name":null,"tag":"\w+","id":\d+\}$/.test(body.toString('latin1'))) return;
        up = Date.now() + 300;
        for (const one of sockets) one.destroy();
        sockets.clear();
      },
      leaves: ({ message: { socket } }) => sockets.delete(socket) && Date.now() >= up,
    });
    const record = await against(store.url, NAMED);
    await store.stop();
    expect(failing(record)).toEqual(['invalid/rejects-null']);
    expect(record.results.filter(({ verdict }) => verdict === 'untestable')).toEqual([]);
    expect(record.stop).toBeNull();
    const found = record.results.find(({ id }) => id === 'invalid/rejects-null')?.counterexample;
    expect(found?.when).toBe('always');
    expect(found?.label).toBe('name is null');
  });

  test('and report that a failure recurs only under concurrency', async () => {
    let [active, concurrent] = [0, 0];
    const store = await startSlow({
      arrives: () => {
        active += 1;
      },
      leaves: () => {
        active -= 1;
        if (active > 0) concurrent += 1;
        return active === 0 || concurrent % 40 > 0;
      },
    });
    const record = await against(store.url, NAMED);
    await store.stop();
    expect(failing(record).length).toBeGreaterThan(0);
    const found = record.results.flatMap(({ counterexample }) => counterexample?.when ?? []);
    expect(found).toContain('under-concurrency');
    // The retries may miss one in forty.
    expect(['under-concurrency', 'once']).toEqual(expect.arrayContaining(found));
  });

  test('and the report names those during which the store broke down for good', async () => {
    let dead = false;
    const store = await startSlow({
      arrives: ({ body }) => {
        dead ||= body.toString('latin1').startsWith('[[[[');
      },
      leaves: () => !dead,
    });
    // The reason names three checks at most.
    const only = ['invalid/rejects-deep-nesting', 'invalid/rejects-wrong-type', 'invalid/rejects-forms'];
    const record = await against(store.url, { only });
    await store.stop();
    expect(record.stop?.kind).toBe('gone');
    expect(record.stop?.reason).toMatch(/^the store stopped answering during .*rejects-deep-nesting/);
    expect(failing(record)).toContain('invalid/rejects-deep-nesting');
  });
});
