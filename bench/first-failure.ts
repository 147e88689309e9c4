import { loadOptions } from '../index.ts';
import { runEvents } from '../lib/run/run.ts';
import { mapInPool } from '../lib/run/send/pool.ts';
import { brokenStores } from '../mutants/broken/index.ts';
import type { BrokenStore } from '../mutants/fleet.ts';
import { sample } from './fleet.ts';
import { measuredRun } from './process.ts';
import { count, type Findings, median } from './table.ts';

const SEED = 1;
const TOKEN = 'Token-1-AbCdEf0123456789';
const FIRST_ID = 1_200_000_000n;
const TIMEOUT_MS = 3000;
const MAX_PARALLEL_TARGETS = 4;

/**
 * Measures how soon a broken store is detected.
 *
 * @param every selects one in this many stores for measuring the time
 */
export async function firstFailure(every: number): Promise<Findings> {
  const timed = sample(brokenStores, every);
  const requests = await mapInPool(brokenStores, MAX_PARALLEL_TARGETS, requestsUntilFailure);
  const milliseconds = await mapInPool(timed, 1, millisecondsUntilFailure);
  return {
    title: 'Until the first failure',
    method: `Broken stores of \`mutants/\`, run with seed ${SEED}. Requests: how many had been answered when the run reported the first failure of a MUST or SHOULD, or ended without a verdict. Milliseconds: wall time of the whole process with \`--bail --explain 0 --strict\`, for one in ${every} stores, one at a time.`,
    columns: ['', 'stores', 'caught', 'median', '90 of 100 within', 'most'],
    rows: [row('requests', requests), row('milliseconds', milliseconds)],
    notes: [],
  };
}

function row(title: string, found: readonly (number | undefined)[]): string[] {
  const caught = found.filter((one) => one !== undefined).sort((a, b) => a - b);
  const at = (fraction: number) => caught[Math.ceil(caught.length * fraction) - 1] ?? Number.NaN;
  return [
    title,
    String(found.length),
    String(caught.length),
    count(median(caught)),
    count(at(0.9)),
    count(at(1)),
  ];
}

/**
 * The time from the start of the process to its end, which the first failure causes; undefined if nothing
 * fails.
 */
async function millisecondsUntilFailure(store: BrokenStore): Promise<number | undefined> {
  const running = await store.start(TOKEN);
  try {
    const options = ['--bail', '--explain', '0', '--strict', '--timeout', String(TIMEOUT_MS)];
    const sampling = ['--seed', String(SEED), '--first-id', String(FIRST_ID)];
    const overlays = (store.overlays ?? []).flatMap((file) => ['--overlay', file]);
    const args = [running.url, ...options, ...sampling, ...overlays];
    const { code, seconds } = await measuredRun(running.token, args, 120);
    return code === 0 ? undefined : seconds * 1000;
  } finally {
    await running.stop();
  }
}

/** The number of requests until the first failure; undefined if nothing fails. */
async function requestsUntilFailure(store: BrokenStore): Promise<number | undefined> {
  const running = await store.start(TOKEN);
  const enough = new AbortController();
  let requests = 0;
  let found: number | undefined;
  try {
    const loaded = await loadOptions({
      baseUrl: running.url,
      token: running.token,
      overlays: store.overlays,
      seed: SEED,
      firstId: FIRST_ID,
      timeout: TIMEOUT_MS,
    });
    const onExchange = () => {
      requests += 1;
    };
    for await (const event of runEvents({ ...loaded, onExchange }, enough.signal)) {
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
