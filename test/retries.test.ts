import { expect, test } from 'vitest';
import { run, terminalReport } from '../index.ts';
import { TOKEN, withStore } from './stores.ts';

/** Of a store: a check that fails on it, when its failure comes again, and what the report says of it. */
const STORES: readonly (readonly [store: string, check: string, when: string, said: RegExp])[] = [
  [
    'again-always',
    'create/takes-names-of-many-kinds',
    'always',
    /fails again in isolation: 2 of 2 with the same request, 2 of 2 with a fresh id/,
  ],
  [
    'crash-null',
    'refuse/not-an-object',
    'always',
    /fails again in isolation: 4 of 4 with the same request$/m,
  ],
  [
    'again-known-id',
    'create/takes-names-of-many-kinds',
    'always',
    /fails again in isolation: 0 of 2 with the same request, 2 of 2 with a fresh id/,
  ],
  [
    'again-17th-id',
    'create/takes-any-ordinary-plant',
    'this-request',
    /fails with this request \(3 of 3\), not with a fresh id and name \(0 of 3\)/,
  ],
  [
    'again-one-in-20',
    'create/takes-any-ordinary-plant',
    'now-and-then',
    /fails now and then: \d+ of \d+ in isolation(, \d+ of \d+ under concurrency)?; does one of several replicas/,
  ],
  [
    'again-crowded',
    'create/takes-any-ordinary-plant',
    'under-concurrency',
    /fails only while other requests are in flight: 0 of \d+ in isolation, \d+ of \d+ under concurrency/,
  ],
  [
    'again-never',
    'always/no-server-error',
    'once',
    /failed once and not again: 0 of \d+ in isolation, 0 of 48 under concurrency/,
  ],
];

test.each(STORES)('of %s, %s says that it fails %s', { timeout: 60_000 }, async (name, id, when, said) => {
  await withStore(name, async ({ url }) => {
    const record = await run({ baseUrl: url, token: TOKEN, seed: 5, firstId: 30_000_000n }).record;
    const { counterexample } = record.results.find((one) => one.id === id) ?? {};
    expect(counterexample?.when).toBe(when);
    expect(terminalReport(record, false)).toMatch(said);
  });
});
