import { fileURLToPath } from 'node:url';
import { catalogue } from '../index.ts';
import { argumentsOf } from './arguments.ts';
import { brokenStores } from './broken/index.ts';
import { conditionalStores } from './conditional/index.ts';
import type { BrokenStore, RightStore } from './fleet.ts';
import { matrix } from './matrix.ts';
import { inProcesses, workFor } from './processes.ts';
import { rightStores } from './right/index.ts';
import { QUICK_SHARDS, type Trial, type TrialOptions, trial } from './trial.ts';

const USAGE = `Usage: npm run proof -- [options]
Runs the suite against every store of the fleet, and prints what it caught, missed and wrongly accused.
  --quick      does the minimum, and says what it left out instead of printing the matrix
  --thorough   covers triples for stores that need three conditions
  --seed N     changes the random cases
  --only TEXT  restricts the run to stores whose name contains TEXT
  --kind KIND  restricts it to the stores that are broken, conditional or right`;

async function main(): Promise<number> {
  const { values } = argumentsOf(USAGE, {
    options: {
      quick: { type: 'boolean', default: false },
      thorough: { type: 'boolean', default: false },
      seed: { type: 'string', default: '1' },
      only: { type: 'string', default: '' },
      kind: { type: 'string' },
    },
  });
  const options = { quick: values.quick, thorough: values.thorough, seed: Number(values.seed) };
  if (process.send !== undefined) return work(options);
  // A default run covers pairs, so stores that need three conditions are left to the whole proof.
  const pairs = conditionalStores.filter(({ strength }) => strength < 3);
  const tried = new Set(pairs.filter((_, index) => index % (SKIPPED_PER_TRIED + 1) === 0));
  const skipped = new Set(
    values.quick && values.only === ''
      ? conditionalStores.filter((store) => !tried.has(store)).map(({ name }) => name)
      : [],
  );
  const names = (values.kind === undefined ? fleet() : (FLEETS.get(values.kind) ?? []))
    .map(({ name }) => name)
    .filter((name) => name.includes(values.only) && !skipped.has(name));
  const trials = await inProcesses<Trial>(fileURLToPath(import.meta.url), names, process.argv.slice(2));
  const isWhole = values.only === '' && values.kind === undefined;
  const { text, proven } = matrix(trials, catalogue, { ...options, isWhole });
  process.stdout.write(text);
  if (options.quick)
    process.stdout.write(
      `quick: each right store met 1/${QUICK_SHARDS} of the checks, each broken one only those that must fail on it; ${conditionalStores.length - tried.size} of ${conditionalStores.length} conditional ones were skipped\n`,
    );
  return proven ? 0 : 1;
}

/**
 * The fleets by kind. Those that take longest come first, so that no process is left with one of them at the
 * end.
 */
const FLEETS = new Map<string, readonly (BrokenStore | RightStore)[]>([
  ['conditional', conditionalStores],
  ['broken', brokenStores],
  ['right', rightStores],
]);

const fleet = (): readonly (BrokenStore | RightStore)[] => [...FLEETS.values()].flat();

/** Number of conditional stores that a quick proof skips for each one that it tries. */
const SKIPPED_PER_TRIED = 15;

/** Tries the stores that the parent process names. */
function work(options: Omit<TrialOptions, 'place'>): Promise<never> {
  const stores = fleet();
  return workFor((name) => {
    const place = stores.findIndex((store) => store.name === name);
    const store = stores[place];
    return store === undefined ? undefined : trial(store, { ...options, place });
  });
}

process.exitCode = await main();
