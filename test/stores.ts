import { type RunRecord, run } from '../index.ts';
import { brokenStores } from '../mutants/broken/index.ts';
import { rightStores } from '../mutants/right/index.ts';
import type { RunningStore } from '../reference/store.ts';
import { startStore } from '../reference/store.ts';

/** A token like those that stores hand out. */
export const TOKEN = 'Tok3n-AbCdEfGh-0123456789';

/** Starts a store of the fleet by its name. */
export async function startNamed(name: string): Promise<RunningStore> {
  if (name === 'reference') return startStore({ token: TOKEN });
  const store = [...brokenStores, ...rightStores].find((one) => one.name === name);
  if (store === undefined) throw new Error(`the fleet has no ${name}`);
  return store.start(TOKEN);
}

/** Uses a store and stops it, whatever happens. */
export async function withStore<T>(name: string, use: (store: RunningStore) => Promise<T>): Promise<T> {
  const store = await startNamed(name);
  try {
    return await use(store);
  } finally {
    await store.stop();
  }
}

/** The record of a small run that goes the same way each time. */
export const smallRecordOf = (baseUrl: string, more: object = {}): Promise<RunRecord> =>
  run({
    baseUrl,
    token: TOKEN,
    seed: 9,
    firstId: 1_000_000n,
    cases: 3,
    concurrency: 1,
    timeout: 2000,
    ...more,
  }).record;
