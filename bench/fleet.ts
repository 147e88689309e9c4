import { catalogue } from '../index.ts';
import { brokenStores } from '../mutants/broken/index.ts';
import type { BrokenStore, RightStore } from '../mutants/fleet.ts';
import { rightStores } from '../mutants/right/index.ts';
import { installed, patiently, strictly, suite, type Tool, type Word } from './peers.ts';
import type { Measured } from './process.ts';
import { startStoreProcess } from './store.ts';
import { type Findings, figure, median } from './table.ts';

/** Seconds that an answer is waited for: broken stores may hang, right ones may be slow. */
const TIMEOUTS = { broken: 3, right: 10 } as const;

/** Stores at a time. */
const AT_A_TIME = 2;

const TOKEN = 'Token-1-AbCdEf0123456789';

type Kind = 'must' | 'should' | 'right';

const must = new Set(catalogue.filter(({ level }) => level === 'MUST').map(({ id }) => id));

/** By the strongest statement that the store breaks; a run that must end without a verdict counts as MUST. */
const kindOf = (store: BrokenStore | RightStore): Kind =>
  !('breaks' in store)
    ? 'right'
    : store.fails.some((id) => must.has(id) || id.startsWith('stop/'))
      ? 'must'
      : 'should';

/** Every so many of the stores, evenly over the fleet, the same in every run. */
export const sample = <T>(stores: readonly T[], every: number): readonly T[] =>
  stores.filter((_, index) => index % every === 0);

interface Trial {
  readonly kind: Kind;
  readonly ended: Measured;
}

/** What each tool catches, and whom it accuses wrongly. */
export async function fleet(every: number): Promise<Findings> {
  const { tools: others, absent } = installed();
  const stores = [...sample(brokenStores, every), ...sample(rightStores, every)];
  const counts = (kind: Kind) => stores.filter((store) => kindOf(store) === kind).length;
  const rows: string[][] = [];
  const tell = (title: string, trials: readonly Trial[], word: (ended: Measured) => Word) => {
    const share = (kind: Kind) => {
      const accused = trials.filter((one) => one.kind === kind && word(one.ended) === 'accuses').length;
      return `${accused} of ${counts(kind)}`;
    };
    const stuck = trials.filter(({ ended }) => word(ended) === 'stuck').length;
    const seconds = figure(median(trials.map(({ ended }) => ended.seconds)));
    rows.push([title, share('must'), share('should'), share('right'), String(stuck), seconds]);
  };
  for (const tool of [suite, ...others]) {
    if (!(await acceptsTheReference(tool))) {
      rows.push([
        tool.title,
        'not run: it accuses the reference store, so that its accusations tell nothing',
      ]);
      continue;
    }
    const trials = await overAll(stores, (store) => trial(tool, store));
    tell(tool.title, trials, tool.word);
    if (tool === suite) tell('plant-store-conformance, strict', trials, strictly);
    process.stderr.write(`${rows.at(-1)?.join(', ')}\n`);
  }
  return {
    title: 'The fleet',
    method: `${every === 1 ? 'All stores' : `One store in ${every}`} of \`mutants/\`, the same for all tools: ${counts('must')} that break a MUST, ${counts('should')} that break a SHOULD, ${counts('right')} that are unusual and right; ${AT_A_TIME} at a time. A store is caught, or accused, where the tool ends with an exit code other than 0, whatever the reason. The suite over the whole fleet, with what exactly must fail: \`npm run proof\`.`,
    columns: [
      'tool',
      'MUST broken, caught',
      'SHOULD broken, caught',
      'right, accused',
      'stuck',
      'seconds a store',
    ],
    rows: [...rows, ...absent.map(({ title, reason }) => [title, `not run: ${reason}`])],
    notes: [
      'A failed SHOULD is a warning of the suite, and a failure with `--strict`; the peers know no such difference.',
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

/** Does the work for all, some at a time. The outcomes in the order of the items. */
export async function overAll<T, U>(
  items: readonly T[],
  work: (item: T) => Promise<U>,
  atATime = AT_A_TIME,
): Promise<U[]> {
  const waiting = [...items.entries()];
  const done: U[] = [];
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      done[next[0]] = await work(next[1]);
  };
  await Promise.all(Array.from({ length: atATime }, lane));
  return done;
}
