import { planOf } from '../index.ts';
import { events } from '../lib/run/run.ts';
import { brokenStores } from '../mutants/broken/index.ts';
import type { BrokenStore } from '../mutants/fleet.ts';
import { overAll } from './fleet.ts';
import { count, type Findings, median } from './table.ts';

const SEED = 1;
const MAX_PARALLEL_TARGETS = 4;

/** How soon a broken store is detected. */
export async function firstFailure(): Promise<Findings> {
  const found = await overAll(brokenStores, requestsUntilFailure, MAX_PARALLEL_TARGETS);
  const caught = found.filter((requests) => requests !== undefined).sort((a, b) => a - b);
  const at = (fraction: number) => caught[Math.ceil(caught.length * fraction) - 1] ?? Number.NaN;
  return {
    title: 'Requests until the first failure',
    method: `Each broken store of \`mutants/\`, run with seed ${SEED}: the number of requests that had been answered when the run reported the first failure of a MUST or SHOULD, or ended without a verdict.`,
    columns: ['stores', 'caught', 'median', '90 of 100 within', 'most'],
    rows: [
      [
        String(brokenStores.length),
        String(caught.length),
        count(median(caught)),
        count(at(0.9)),
        count(at(1)),
      ],
    ],
    notes: [],
  };
}

/** undefined if nothing fails. */
async function requestsUntilFailure(store: BrokenStore): Promise<number | undefined> {
  const running = await store.start('Token-1-AbCdEf0123456789');
  const enough = new AbortController();
  let requests = 0;
  let found: number | undefined;
  try {
    const plan = await planOf({
      baseUrl: running.url,
      token: running.token,
      overlays: store.overlays,
      seed: SEED,
      firstId: 1_200_000_000n,
      timeout: 3000,
    });
    const onExchange = () => {
      requests += 1;
    };
    for await (const event of events({ ...plan, onExchange }, enough.signal)) {
      const reported = event.type === 'failure' || (event.type === 'end' && event.footer.stop !== undefined);
      if (!reported || found !== undefined) continue;
      found = requests;
      enough.abort();
    }
  } finally {
    await running.stop();
  }
  return found;
}
