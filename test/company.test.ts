import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { type RunRecord, run } from '../index.ts';
import { type Received, startStore } from '../reference/store.ts';
import { TOKEN } from './stores.ts';

const against = (baseUrl: string, more: Partial<Parameters<typeof run>[0]> = {}): Promise<RunRecord> =>
  run({ baseUrl, token: TOKEN, seed: 5, cases: 20, timeout: 3000, ...more }).record;

const failing = (record: RunRecord) =>
  record.results.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);

/** Named checks alone: those that draw at random are carried out one by one in any case. */
const NAMED = { only: ['refuse/*'], skip: ['refuse/any-*'] };

/** Starts a store whose answers take a while, of which a spy says whether they come whole. */
async function startSlow(spy: {
  readonly arrives?: (request: Received) => void;
  readonly leaves?: (request: Received) => boolean;
}) {
  return startStore({
    token: TOKEN,
    steps: (right) => ({
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
    }),
  });
}

describe('named checks are carried out side by side', () => {
  test.each([1, 6])('and send no more than %i requests at a time between them', async (concurrency) => {
    let [here, most] = [0, 0];
    const store = await startSlow({
      arrives: () => {
        here += 1;
        most = Math.max(most, here);
      },
      leaves: () => {
        here -= 1;
        return true;
      },
    });
    // Two requests each.
    const few = [
      'create/answers-200',
      'create/answers-json',
      'create/answers-a-plant',
      'refuse/deeply-nested',
    ];
    await against(store.url, { concurrency, only: few });
    await against(store.url, {
      concurrency,
      only: ['observe/broken-framing', 'observe/paths', 'observe/id'],
    });
    await store.stop();
    expect(most).toBe(concurrency);
  });

  test('and are not blamed for what a case of another does to the store', async () => {
    const here = new Set<Socket>();
    let up = 0;
    const store = await startSlow({
      arrives: ({ body, message: { socket } }) => {
        here.add(socket);
        if (!/^\{"name":null,"tag":"\w+","id":\d+\}$/.test(body.toString('latin1'))) return;
        up = Date.now() + 300;
        for (const one of here) one.destroy();
        here.clear();
      },
      leaves: ({ message: { socket } }) => here.delete(socket) && Date.now() >= up,
    });
    const record = await against(store.url, NAMED);
    await store.stop();
    expect(failing(record)).toEqual(['refuse/null']);
    expect(record.results.filter(({ verdict }) => verdict === 'untestable')).toEqual([]);
    expect(record.stop).toBeNull();
    const found = record.results.find(({ id }) => id === 'refuse/null')?.counterexample;
    expect(found?.when).toBe('always');
    expect(found?.label).toBe('name is null');
  });

  test('say of what comes again only under concurrency that it does', async () => {
    let [here, inCompany] = [0, 0];
    const store = await startSlow({
      arrives: () => {
        here += 1;
      },
      leaves: () => {
        here -= 1;
        if (here > 0) inCompany += 1;
        return here === 0 || inCompany % 40 > 0;
      },
    });
    const record = await against(store.url, NAMED);
    await store.stop();
    expect(failing(record).length).toBeGreaterThan(0);
    const found = record.results.flatMap(({ counterexample }) => counterexample?.when ?? []);
    expect(found).toContain('under-concurrency');
    // One in forty may be missed.
    expect(['under-concurrency', 'once']).toEqual(expect.arrayContaining(found));
  });

  test('and a store that breaks down for good did so during one of those that are named', async () => {
    let dead = false;
    const store = await startSlow({
      arrives: ({ body }) => {
        dead ||= body.toString('latin1').startsWith('[[[[');
      },
      leaves: () => !dead,
    });
    const record = await against(store.url, NAMED);
    await store.stop();
    expect(record.stop?.kind).toBe('gone');
    expect(record.stop?.reason).toMatch(/^the store stopped answering during .*refuse\/deeply-nested/);
    expect(failing(record)).toContain('refuse/deeply-nested');
  });
});
