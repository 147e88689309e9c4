import { expect, test } from 'vitest';
import { type RunOptions, type RunRecord, run } from '../index.ts';
import { uniqueness } from '../mutants/right/uniqueness.ts';
import { startNamed, TOKEN } from './stores.ts';

/** What there is to say against a record of a store that is right. */
const objections = ({ outcome, results, stop }: RunRecord): string[] =>
  outcome === 'conformant'
    ? []
    : [
        `${outcome}${stop === null ? '' : `: ${stop.reason}`}`,
        ...results
          .filter(({ verdict }) => verdict === 'fail' || verdict === 'untestable')
          .map(({ id, level, actual, reason }) => `${id} ${level} ${actual ?? reason}`),
      ];

const RUNS = 2;

test.each(uniqueness.map((store) => [store.name, store] as const))(
  '%s is conformant however often it is run, with a fixed seed, without one, and in shards',
  { timeout: 120_000 },
  async (_name, store) => {
    const { url, stop } = await store.start(TOKEN);
    const found: string[] = [];
    const judge = async (more: Partial<RunOptions>) =>
      found.push(
        ...objections(await run({ baseUrl: url, token: TOKEN, cases: 8, strict: true, ...more }).record),
      );
    for (let left = RUNS; left > 0; left -= 1) await judge({ seed: 7 });
    for (let left = RUNS; left > 0; left -= 1) await judge({});
    const firstId = BigInt(1_300_000_000 + Math.floor(Math.random() * 2 ** 28));
    for (const index of [0, 1, 2]) await judge({ seed: 7, firstId, shard: { index, of: 3 } });
    await stop();
    expect(found).toEqual([]);
  },
);

test('a first id that is given again and again ends with advice, not with an accusation', async () => {
  const store = await startNamed('unique-ids');
  const again = () =>
    run({ baseUrl: store.url, token: TOKEN, cases: 5, only: ['create/*'], firstId: 40_000_000n }).record;
  const records = [await again(), await again(), await again()];
  await store.stop();
  expect(records.map(({ summary }) => summary.MUST.fail)).toEqual([0, 0, 0]);
  expect(records.at(-1)?.stop).toEqual({
    kind: 'ids-in-use',
    reason: 'the store knows the ids from --first-id 40000000 on already, and rejects duplicates',
    remedy: 'leave --first-id out, or give one that no earlier run had',
  });
  expect(records.at(-1)?.gate.exitCode).toBe(3);
});
