import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { catalogue } from '../index.ts';
import { brokenStores } from './broken/index.ts';
import { conditionalStores } from './conditional/index.ts';
import type { BrokenStore, RightStore } from './fleet.ts';
import { matrix } from './matrix.ts';
import { inProcesses, workFor } from './processes.ts';
import { rightStores } from './right/index.ts';
import { type Trial, trial } from './trial.ts';

/**
 * Runs the suite against every store of the fleet and prints what it caught, missed and wrongly accused.
 * `--quick` does the minimum and prints no matrix; `--seed` changes the random cases; `--only TEXT` restricts
 * the run to stores whose name contains TEXT.
 */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      seed: { type: 'string', default: '1' },
      only: { type: 'string', default: '' },
    },
  });
  const options = { quick: values.quick, seed: Number(values.seed) };
  if (process.send !== undefined) return work(options);
  // What takes three conditions is left to the whole proof: a default run covers pairs.
  const pairs = conditionalStores.filter(({ strength }) => strength < 3);
  const tried = new Set(pairs.filter((_, index) => index % (SKIPPED_PER_TRIED + 1) === 0));
  const skipped = new Set(
    values.quick && values.only === ''
      ? conditionalStores.filter((store) => !tried.has(store)).map(({ name }) => name)
      : [],
  );
  const names = fleet()
    .map(({ name }) => name)
    .filter((name) => name.includes(values.only) && !skipped.has(name));
  const trials = await inProcesses<Trial>(fileURLToPath(import.meta.url), names, process.argv.slice(2));
  const { text, proven } = matrix(trials, catalogue, options.quick);
  process.stdout.write(text);
  return proven ? 0 : 1;
}

const fleet = (): readonly (BrokenStore | RightStore)[] => [
  ...rightStores,
  ...brokenStores,
  ...conditionalStores,
];

/** Conditional stores that a quick proof skips for each one it tries. */
const SKIPPED_PER_TRIED = 15;

/** Tries the stores that the parent names. */
function work(options: { readonly quick: boolean; readonly seed: number }): Promise<never> {
  const stores = new Map(fleet().map((store) => [store.name, store]));
  return workFor((name) => {
    const store = stores.get(name);
    return store === undefined ? undefined : trial(store, options);
  });
}

process.exitCode = await main();
