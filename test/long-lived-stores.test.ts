import { expect, test } from 'vitest';
import { type RunOptions, type RunRecord, run } from '../index.ts';
import { uniqueness } from '../mutants/right/uniqueness.ts';
import { startNamed, TOKEN } from './helpers/stores.ts';

/** What contradicts conformance in the record of a right store. */
const objections = ({ outcome, results, stop }: RunRecord, expected = 'conformant'): string[] =>
  outcome === expected
    ? []
    : [
        `${outcome}${stop === null ? '' : `: ${stop.reason}`}`,
        ...results
          .filter(({ verdict }) => verdict === 'fail' || verdict === 'untestable')
          .map(({ id, level, actual, reason }) => `${id} ${level} ${actual ?? reason}`),
      ];

test.each(uniqueness.map((store) => [store.name, store] as const))(
  '%s is conformant in repeated runs with the same seed, whole and in shards',
  { timeout: 120_000 },
  async (_name, store) => {
    const { url, stop } = await store.start(TOKEN);
    const found: string[] = [];
    const recordOf = (more: Partial<RunOptions>) =>
      run({ baseUrl: url, token: TOKEN, seed: 7, cases: 2, strict: true, ...more }).record;
    found.push(...objections(await recordOf({})));
    // The second time, without checks whose requests are rejected.
    const skip = ['invalid/*'];
    const firstId = BigInt(1_300_000_000 + Math.floor(Math.random() * 2 ** 28));
    for (const index of [0, 1])
      found.push(...objections(await recordOf({ firstId, shard: { index, of: 2 }, skip }), 'partial'));
    await stop();
    expect(found).toEqual([]);
  },
);

test('a run with a first id that was used before ends with advice, not with a failure', async () => {
  const store = await startNamed('unique-ids');
  const again = () =>
    run({ baseUrl: store.url, token: TOKEN, cases: 5, only: ['ordinary/*'], firstId: 40_000_000n }).record;
  const records = [await again(), await again(), await again()];
  await store.stop();
  expect(records.map(({ summary }) => summary.MUST.fail)).toEqual([0, 0, 0]);
  expect(records.at(-1)?.stop).toEqual({
    kind: 'ids-in-use',
    reason: 'the ids from --first-id 40000000 on are already in use, and the store rejects duplicates',
    remedy: 'omit --first-id, or give a value that no earlier run used',
  });
  expect(records.at(-1)?.ciResult.exitCode).toBe(3);
});
