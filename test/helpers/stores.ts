import { type RunRecord, run } from '../../index.ts';
import { brokenStores } from '../../mutants/broken/index.ts';
import { rightStores } from '../../mutants/right/index.ts';
import { type RunningStore, type StoreOptions, startStore } from '../../reference/store.ts';

/** A token like those that real stores issue. */
export const TOKEN = 'Tok3n-AbCdEfGh-0123456789';

/** Starts the reference store with other steps. */
export const startWith = (steps: StoreOptions['steps']): Promise<RunningStore> =>
  startStore({ token: TOKEN, ...(steps === undefined ? {} : { steps }) });

/** Starts a store of the fleet by name. */
export async function startNamed(name: string): Promise<RunningStore> {
  if (name === 'reference') return startStore({ token: TOKEN });
  const store = [...brokenStores, ...rightStores].find((one) => one.name === name);
  if (store === undefined) throw new Error(`the fleet has no ${name}`);
  return store.start(TOKEN);
}

/** Runs `use` with a store, and always stops the store. */
export async function withStore<T>(name: string, use: (store: RunningStore) => Promise<T>): Promise<T> {
  const store = await startNamed(name);
  try {
    return await use(store);
  } finally {
    await store.stop();
  }
}

/** The record of a small, repeatable run. */
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
