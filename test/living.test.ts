import { expect, test } from 'vitest';
import { type RunOptions, type RunRecord, run } from '../index.ts';
import { uniqueness } from '../mutants/right/uniqueness.ts';
import { TOKEN } from './stores.ts';

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

const RUNS = 4;

test.each(uniqueness.map((store) => [store.name, store] as const))(
  '%s is conformant however often it is run, with a fixed seed, without one, and in shards',
  { timeout: 120_000 },
  async (_name, store) => {
    const { url, stop } = await store.start(TOKEN);
    const found: string[] = [];
    const judge = async (more: Partial<RunOptions>) =>
      found.push(
        ...objections(await run({ baseUrl: url, token: TOKEN, cases: 12, strict: true, ...more }).record),
      );
    for (let left = RUNS; left > 0; left -= 1) await judge({ seed: 7 });
    for (let left = RUNS; left > 0; left -= 1) await judge({});
    const firstId = BigInt(1_300_000_000 + Math.floor(Math.random() * 2 ** 28));
    for (const index of [0, 1, 2]) await judge({ seed: 7, firstId, shard: { index, of: 3 } });
    await stop();
    expect(found).toEqual([]);
  },
);
