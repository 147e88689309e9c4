import { run } from '../../index.ts';
import { named } from './fleet.ts';
import type { Verdict } from './verdicts.ts';

/*
 * Runs the suite repeatedly against one store, which is restarted each time, and sends each verdict to the
 * parent process.
 */

const [name = '', times = ''] = process.argv.slice(2);
for (let left = Number(times); left > 0; left -= 1) {
  const store = await named(name).start();
  const record = await run({ baseUrl: store.url, token: store.token }).record;
  await store.stop();
  const failed = record.results.filter(({ verdict }) => verdict === 'fail' || verdict === 'untestable');
  const verdict: Verdict = {
    outcome: record.stop === null ? record.outcome : `${record.outcome} (${record.stop.kind})`,
    failed: failed.map(({ id }) => id),
  };
  process.send?.(verdict);
}
process.disconnect();
