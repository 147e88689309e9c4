import { request } from 'node:http';
import { expect, test } from 'vitest';
import { brokenStores } from '../mutants/broken/index.ts';
import type { Dimension } from '../mutants/conditional/conditional.ts';
import { conditionalStores } from '../mutants/conditional/index.ts';
import { rightStores } from '../mutants/right/index.ts';

const TOKEN = 'Token-1-AbCdEf0123456789';
const PLANT = '{"id":1500001,"name":"Monstera"}';

/** The status of a request as curl sends it, on a connection of its own. */
const curl = (url: string, body: string, credential: Record<string, string>) =>
  new Promise<number | undefined>((resolve, reject) => {
    const headers = {
      'User-Agent': 'curl/8.5.0',
      Accept: '*/*',
      ...credential,
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(body)),
    };
    const sent = request(`${url}/plants`, { method: 'POST', agent: false, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    sent.on('error', reject);
    sent.end(body);
  });

const RIGHT = { Authorization: `Bearer ${TOKEN}` };

test('every conditional store has a unique name', () => {
  const names = [...brokenStores, ...rightStores, ...conditionalStores].map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test('no conditional store merely rejects what a store may reject', () => {
  const lawful = conditionalStores.filter(
    ({ fault, conditions }) => fault.kind === 'rejects' && conditions.some(({ open }) => open !== undefined),
  );
  expect(lawful.map(({ name }) => name)).toEqual([]);
});

test('the conditional stores cover all dimensions, and single conditions, pairs and triples', () => {
  const count = (predicate: (store: (typeof conditionalStores)[number]) => boolean) =>
    conditionalStores.filter(predicate).length;
  const every: readonly Dimension[] = [
    ...['outcome', 'credential', 'framing', 'media type', 'accept', 'headers'],
    ...['target', 'size', 'text', 'values', 'history', 'load'],
  ] as readonly Dimension[];
  for (const dimension of every)
    expect(
      count(({ dimensions }) => dimensions.includes(dimension)),
      dimension,
    ).toBeGreaterThanOrEqual(20);
  expect(count(({ strength }) => strength === 1)).toBeGreaterThanOrEqual(80);
  expect(count(({ strength }) => strength === 2)).toBeGreaterThanOrEqual(60);
  expect(count(({ strength }) => strength === 3)).toBeGreaterThanOrEqual(30);
});

test('every conditional store is right while its conditions are not met', async () => {
  for (const store of conditionalStores) {
    const running = await store.start(TOKEN);
    try {
      // A fault of only the very first request is over after this one.
      await curl(running.url, PLANT, RIGHT);
      const statuses = [
        await curl(running.url, '{"id":1500003,"name":"Pothos"}', RIGHT),
        await curl(running.url, '{"id":1500007,"name":123456789}', RIGHT),
        await curl(running.url, '{"id":1500009,"name":"Ficus"}', {}),
      ];
      expect(statuses, store.name).toEqual([200, 400, 401]);
    } finally {
      await running.stop();
    }
  }
}, 60_000);
