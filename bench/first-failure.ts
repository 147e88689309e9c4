import { planOf } from '../index.ts';
import { events } from '../lib/run/run.ts';
import { brokenStores } from '../mutants/broken/index.ts';
import type { BrokenStore } from '../mutants/fleet.ts';
import { overAll } from './fleet.ts';
import { count, type Findings, median } from './table.ts';

const SEED = 1;
const AT_A_TIME = 4;

/** How soon a broken store is found out. */
export async function firstFailure(): Promise<Findings> {
  const found = await overAll(brokenStores, requestsUntilFailure, AT_A_TIME);
  const caught = found.filter((requests) => requests !== undefined).sort((a, b) => a - b);
  const at = (share: number) => caught[Math.ceil(caught.length * share) - 1] ?? Number.NaN;
  return {
    title: 'Requests until the first failure',
    method: `Each broken store of \`mutants/\`, run with seed ${SEED}: how many requests had been answered when the first failure of a MUST or a SHOULD, or the end of a run that cannot be judged, was told of.`,
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

/** undefined where nothing fails. */
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
      const told = event.type === 'failure' || (event.type === 'end' && event.footer.stop !== undefined);
      if (!told || found !== undefined) continue;
      found = requests;
      enough.abort();
    }
  } finally {
    await running.stop();
  }
  return found;
}
