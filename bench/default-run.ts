import { installed, patiently, suite, type Tool, type Word } from './peers.ts';
import { startStoreProcess } from './store.ts';
import { count, type Findings, figure, median, megabytes, spread } from './table.ts';

const STORES = [
  { title: 'reference store', delay: 0 },
  { title: 'answers after 50 ms', delay: 50 },
];

/** Requests at a time that a run of the suite sends unless it is told otherwise. */
const CONCURRENCY = 24;

interface Run {
  readonly seconds: number;
  readonly requests: number;
  readonly peak: number;
  readonly word: Word;
}

const SAID: Readonly<Record<Word, string>> = {
  accepts: 'conformant',
  accuses: 'not conformant',
  stuck: 'stopped',
};

/** What a user waits for, and what is done meanwhile. */
export async function defaultRun(rounds: number): Promise<Findings> {
  const { tools: others, absent } = installed();
  const tools = [suite, ...others];
  const rows: string[][] = [];
  const notes: string[] = [];
  for (const { title, delay } of STORES) {
    const runs = new Map<Tool, Run[]>(tools.map((tool) => [tool, []]));
    for (let round = 0; round < rounds; round += 1)
      for (const tool of tools) runs.get(tool)?.push(await once(tool, delay));
    const own = runs.get(suite) ?? [];
    for (const tool of tools) {
      const theirs = runs.get(tool) ?? [];
      rows.push([
        title,
        tool.title,
        spread(theirs.map(({ seconds }) => seconds)),
        figure(median(theirs.map((run, round) => run.seconds / (own[round]?.seconds ?? Number.NaN)))),
        count(median(theirs.map(({ requests }) => requests))),
        figure(median(theirs.map(({ requests, seconds }) => requests / seconds))),
        megabytes(median(theirs.map(({ peak }) => peak))),
        [...new Set(theirs.map(({ word }) => SAID[word]))].join(', '),
      ]);
    }
    if (delay > 0) {
      const limit = CONCURRENCY / (delay / 1000);
      const rate = median(own.map(({ requests, seconds }) => requests / seconds));
      notes.push(
        `The suite sends ${figure(rate)} requests a second to the store that answers after ${delay} ms, start and end included: ${figure(rate / limit)} of connections / latency (${limit}).`,
      );
    }
  }
  return {
    title: 'A default run',
    method: `One run of each tool against the reference store, and against one that answers after 50 ms, each in a process of its own, which counts the requests. Seconds of wall time from start to end of the process; peak memory with all children. ${rounds} rounds, each tool once in each; medians. The ratio of times is the median of the rounds' ratios.`,
    columns: [
      'store',
      'tool',
      'seconds',
      'tool : suite',
      'requests',
      'requests a second',
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
