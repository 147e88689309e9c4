import { installed, patiently, suite, type Tool, type Word } from './peers.ts';
import { startStoreProcess } from './store.ts';
import { count, type Findings, figure, median, megabytes, spread } from './table.ts';

const STORES = [
  { title: 'reference store', delay: 0 },
  { title: 'responds after 50 ms', delay: 50 },
  { title: 'responds after 200 ms', delay: 200 },
];

/** The default concurrency limit of the suite. */
const CONCURRENCY = 24;
/** Far from a store, most tools need minutes, so only the suite is measured. */
const MAX_DELAY_OF_PEERS_MS = 50;

interface Run {
  readonly seconds: number;
  readonly requests: number;
  readonly peak: number;
  readonly word: Word;
}

const CONCLUSIONS: Readonly<Record<Word, string>> = {
  accepts: 'conformant',
  accuses: 'not conformant',
  stuck: 'stopped',
};

/** How long a user waits for a run, and what the run does meanwhile. */
export async function defaultRun(rounds: number): Promise<Findings> {
  const { tools: others, absent } = installed();
  const rows: string[][] = [];
  const notes: string[] = [];
  for (const { title, delay } of STORES) {
    const tools = [suite, ...(delay > MAX_DELAY_OF_PEERS_MS ? [] : others)];
    const runs = new Map<Tool, Run[]>(tools.map((tool) => [tool, []]));
    for (let round = 0; round < rounds; round += 1)
      for (const tool of tools) runs.get(tool)?.push(await once(tool, delay));
    const ownRuns = runs.get(suite) ?? [];
    for (const tool of tools) {
      const theirs = runs.get(tool) ?? [];
      rows.push([
        title,
        tool.title,
        spread(theirs.map(({ seconds }) => seconds)),
        figure(median(theirs.map((run, round) => run.seconds / (ownRuns[round]?.seconds ?? Number.NaN)))),
        count(median(theirs.map(({ requests }) => requests))),
        figure(median(theirs.map(({ requests, seconds }) => requests / seconds))),
        megabytes(median(theirs.map(({ peak }) => peak))),
        [...new Set(theirs.map(({ word }) => CONCLUSIONS[word]))].join(', '),
      ]);
    }
    if (delay > 0) {
      const limit = CONCURRENCY / (delay / 1000);
      const rate = median(ownRuns.map(({ requests, seconds }) => requests / seconds));
      notes.push(
        `The suite sends ${figure(rate)} requests per second to the store that responds after ${delay} ms, including start and end: ${figure(rate / limit)} of connections / latency (${limit}).`,
      );
    }
  }
  return {
    title: 'A default run',
    method: `One run of each tool against the reference store, and against one that responds after 50 ms; the suite also against one that responds after 200 ms; each store runs in its own process and counts the requests. Seconds are wall time of the whole process; peak memory includes all children. ${rounds} rounds, each tool once per round; medians. The ratio of times is the median of the rounds' ratios.`,
    columns: [
      'store',
      'tool',
      'seconds',
      'tool : suite',
      'requests',
      'requests per second',
      'peak memory',
      'says',
    ],
    rows: [...rows, ...absent.map(({ title, reason }) => ['', title, `not run: ${reason}`])],
    notes: [...notes, ...others.map(({ title, settings }) => `${title}: ${settings.trim()}`)],
  };
}

async function once(tool: Tool, delay: number): Promise<Run> {
  const store = await startStoreProcess(delay);
  try {
    const ended = await tool.run(patiently(store.url));
    return {
      seconds: ended.seconds,
      requests: await store.requests(),
      peak: ended.peak ?? Number.NaN,
      word: tool.word(ended),
    };
  } finally {
    await store.stop();
  }
}
