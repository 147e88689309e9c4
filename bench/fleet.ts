import { catalogue } from '../index.ts';
import { mapInPool } from '../lib/run/send/pool.ts';
import { brokenStores } from '../mutants/broken/index.ts';
import type { BrokenStore, RightStore } from '../mutants/fleet.ts';
import { rightStores } from '../mutants/right/index.ts';
import { installed, patiently, strictly, suite, type Tool, type Word } from './peers.ts';
import type { Measured } from './process.ts';
import { startStoreProcess } from './store.ts';
import { type Findings, figure, median } from './table.ts';

/** Request timeouts in seconds. Broken stores may hang; right ones may be slow. */
const TIMEOUTS = { broken: 3, right: 10 } as const;

/** Number of stores that are tested in parallel. */
const MAX_PARALLEL_TARGETS = 2;

const TOKEN = 'Token-1-AbCdEf0123456789';

type Kind = 'must' | 'should' | 'right';

const must = new Set(catalogue.filter(({ level }) => level === 'MUST').map(({ id }) => id));

/**
 * The strongest level of statement that the store breaks. If the run must end without a verdict, that counts
 * as MUST.
 */
const kindOf = (store: BrokenStore | RightStore): Kind =>
  !('breaks' in store)
    ? 'right'
    : store.fails.some((id) => must.has(id) || id.startsWith('stop/'))
      ? 'must'
      : 'should';

/** Every nth store: an even sample of the fleet, the same in every run. */
export const sample = <T>(stores: readonly T[], every: number): readonly T[] =>
  stores.filter((_, index) => index % every === 0);

interface Trial {
  readonly kind: Kind;
  readonly ended: Measured;
}

/** Finds out what each tool catches, and which right stores it accuses. */
export async function fleet(every: number): Promise<Findings> {
  const { tools: others, absent } = installed();
  const stores = [...sample(brokenStores, every), ...sample(rightStores, every)];
  const counts = (kind: Kind) => stores.filter((store) => kindOf(store) === kind).length;
  const rows: string[][] = [];
  const addRow = (title: string, trials: readonly Trial[], word: (ended: Measured) => Word) => {
    const accusedOf = (kind: Kind) => {
      const accused = trials.filter((one) => one.kind === kind && word(one.ended) === 'accuses').length;
      return `${accused} of ${counts(kind)}`;
    };
    const stuck = trials.filter(({ ended }) => word(ended) === 'stuck').length;
    const seconds = figure(median(trials.map(({ ended }) => ended.seconds)));
    rows.push([title, accusedOf('must'), accusedOf('should'), accusedOf('right'), String(stuck), seconds]);
  };
  for (const tool of [suite, ...others]) {
    if (!(await acceptsTheReference(tool))) {
      rows.push([tool.title, 'not run: it fails the reference store, so its other failures mean nothing']);
      continue;
    }
    const trials = await mapInPool(stores, MAX_PARALLEL_TARGETS, (store) => trial(tool, store));
    addRow(tool.title, trials, tool.word);
    if (tool === suite) addRow('plant-store-conformance, strict', trials, strictly);
    process.stderr.write(`${rows.at(-1)?.join(', ')}\n`);
  }
  return {
    title: 'The fleet',
    method: `${every === 1 ? 'All stores' : `One store in ${every}`} of \`mutants/\`, the same for all tools: ${counts('must')} that break a MUST, ${counts('should')} that break a SHOULD, ${counts('right')} that are unusual but right; ${MAX_PARALLEL_TARGETS} in parallel. A store counts as caught, or accused, if the tool ends with an exit code other than 0, whatever the reason. \`npm run proof\` runs the suite over the whole fleet and checks exactly what must fail.`,
    columns: [
      'tool',
      'MUST broken, caught',
      'SHOULD broken, caught',
      'right, accused',
      'stuck',
      'seconds per store',
    ],
    rows: [...rows, ...absent.map(({ title, reason }) => [title, `not run: ${reason}`])],
    notes: [
      'A failed SHOULD is a warning of the suite, and a failure with `--strict`; the peers make no such distinction.',
      ...others.map(({ title, settings }) => `${title}: ${settings.trim()}`),
    ],
  };
}

async function acceptsTheReference(tool: Tool): Promise<boolean> {
  const store = await startStoreProcess();
  try {
    return tool.word(await tool.run(patiently(store.url))) === 'accepts';
  } finally {
    await store.stop();
  }
}

async function trial(tool: Tool, store: BrokenStore | RightStore): Promise<Trial> {
  const running = await store.start(TOKEN);
  try {
    const { overlays } = store;
    const timeout = TIMEOUTS['breaks' in store ? 'broken' : 'right'];
    const ended = await tool.run({ url: running.url, token: running.token, overlays, timeout });
    return { kind: kindOf(store), ended };
  } finally {
    await running.stop();
  }
}
