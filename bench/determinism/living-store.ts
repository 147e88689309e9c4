import { type RunOptions, run } from '../../index.ts';
import { TOKEN } from '../store.ts';
import { named } from './fleet.ts';
import type { LivingRun } from './long-running.ts';

/*
 * Starts one store, runs the suite against it repeatedly, and sends the result of each run to the parent
 * process.
 */

const [name = '', times = ''] = process.argv.slice(2);
const store = await named(name).start();

async function judge(way: LivingRun['way'], more: Partial<RunOptions>): Promise<void> {
  const options = { baseUrl: store.url, token: TOKEN, strict: true, ...more };
  const { outcome, results, stop } = await run(options).record;
  const failed = results.filter(({ verdict }) => verdict === 'fail' || verdict === 'untestable');
  const objections = outcome === 'conformant' ? [] : [stop?.reason ?? outcome, ...failed.map(({ id }) => id)];
  process.send?.({ way, objections } satisfies LivingRun);
}

for (let left = Number(times); left > 0; left -= 1) await judge('with one seed', { seed: 7 });
for (let left = Number(times); left > 0; left -= 1) await judge('without a seed', {});
for (let left = Math.ceil(Number(times) * 0.4); left > 0; left -= 1) {
  const firstId = BigInt(2 ** 21 + Math.floor(Math.random() * 2 ** 30));
  for (const index of [0, 1, 2])
    await judge('in three shards', { seed: 7, firstId, shard: { index, of: 3 } });
}
await store.stop();
process.disconnect();
