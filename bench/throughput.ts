import { packageFile } from '../lib/package.ts';
import type { RunRecord } from '../lib/report/record/record.ts';
import { has, obstacle } from './peers.ts';
import { measured, measuredRun } from './process.ts';
import { startStoreProcess, TOKEN } from './store.ts';
import { type Findings, figure, median, spread } from './table.ts';

/** A check of random ordinary plants that judges every response in full. */
export const GENERATED = 'ordinary/accepts-any-plant';

const CONNECTIONS = 16;
const SECONDS = 5;
const CASES = 50_000;

/** Delay of the slow store in milliseconds, and number of cases to send to it. */
const SLOW_DELAY_MS = 50;
const SLOW_CASES = 3000;

const env = { PLANT_STORE_TOKEN: TOKEN };
const cwd = packageFile('bench/peers');

/** What was measured in a run of only that check. */
export interface Generated {
  readonly cases: number;
  /** Time from the first case of the check to its last. */
  readonly seconds: number;
  /** Size of the record in bytes. */
  readonly record: number;
  readonly peak: number | undefined;
}

export async function generated(url: string, cases: number, concurrency: number): Promise<Generated> {
  const args = [url, '--only', GENERATED, '--cases', String(cases), '--concurrency', String(concurrency)];
  const ended = await measuredRun(TOKEN, [...args, '--format', 'json', '--out', '-'], 3600);
  if (ended.code !== 0) throw new Error(`the generated check ended with ${ended.code}: ${ended.stderr}`);
  const result = (JSON.parse(ended.stdout) as RunRecord).results.find(({ id }) => id === GENERATED);
  return {
    cases: result?.cases ?? 0,
    seconds: result?.seconds ?? Number.NaN,
    record: Buffer.byteLength(ended.stdout),
    peak: ended.peak,
  };
}

async function ourRate(url: string, atLeast: number, concurrency: number): Promise<number> {
  const { cases, seconds } = await generated(url, atLeast, concurrency);
  return cases / seconds;
}

/** @param args of node: a script that prints what was answered, and in how many seconds */
async function loadRate(client: string, args: readonly string[]): Promise<number> {
  const { stdout, stderr } = await measured(process.execPath, args, { cwd, env, maxSeconds: 60 });
  if (stdout === '') throw new Error(`${client} printed nothing: ${stderr}`);
  const { answered, wrong, seconds } = JSON.parse(stdout) as Record<'answered' | 'wrong' | 'seconds', number>;
  if (wrong > 0) throw new Error(`${wrong} requests of ${client} were not answered 200`);
  return answered / seconds;
}

const autocannonRate = (url: string, ids: 'same' | 'fresh'): Promise<number> =>
  loadRate('autocannon', ['autocannon/load.mjs', url, String(CONNECTIONS), String(SECONDS), ids]);

const undiciRate = (url: string): Promise<number> =>
  loadRate('undici', [packageFile('dist/bench/undici-load.js'), url, String(CONNECTIONS), String(SECONDS)]);

async function wrkRate(url: string): Promise<number> {
  const args = ['-t1', `-c${CONNECTIONS}`, `-d${SECONDS}s`, '-s', 'wrk/post.lua', url];
  const { stdout } = await measured('wrk', args, { cwd, env, maxSeconds: 60 });
  return Number(/^Requests\/sec:\s+([\d.]+)/m.exec(stdout)?.[1]);
}

interface Client {
  readonly title: string;
  /** Requests per second, or why the client is not available. */
  readonly rate: ((url: string) => Promise<number>) | string;
}

/** Measures generated cases per second, and compares them with clients that judge nothing. */
export async function throughput(rounds: number): Promise<Findings> {
  const reason = obstacle('autocannon', ['npm'], 'npm ci');
  const clients: readonly Client[] = [
    { title: 'generated check, every response judged', rate: (url) => ourRate(url, CASES, CONNECTIONS) },
    { title: 'autocannon, one body', rate: reason ?? ((url) => autocannonRate(url, 'same')) },
    { title: 'autocannon, a new id each time', rate: reason ?? ((url) => autocannonRate(url, 'fresh')) },
    { title: 'undici, a new id each time', rate: undiciRate },
    { title: 'wrk, a new id each time', rate: has('wrk') ? wrkRate : 'this machine has no wrk' },
  ];
  const rates = new Map(clients.map(({ title }) => [title, [] as number[]]));
  const store = await startStoreProcess();
  try {
    // A warm-up: the store's code is compiled as it is used.
    await ourRate(store.url, CASES / 5, CONNECTIONS);
    for (let round = 0; round < rounds; round += 1)
      for (const { title, rate } of clients)
        if (typeof rate !== 'string') rates.get(title)?.push(await rate(store.url));
  } finally {
    await store.stop();
  }
  const firstRates = rates.get(clients[0]?.title ?? '') ?? [];
  const slow = await againstSlow(rounds);
  return {
    title: 'Cases per second',
    method: `\`${GENERATED}\` with ${CASES.toLocaleString('en')} cases at ${CONNECTIONS} connections against the reference store in its own process; the other clients for ${SECONDS} s with the same number of connections, no pipelining, and a similar plant. ${rounds} rounds, each client once per round; median, minimum and maximum. A ratio is the median of the rounds' ratios.`,
    columns: ['client', 'requests per second', 'generated check : client'],
    rows: clients.map(({ title, rate }) => {
      if (typeof rate === 'string') return [title, `not run: ${rate}`, ''];
      const theirs = rates.get(title) ?? [];
      return [
        title,
        spread(theirs),
        spread(firstRates.map((one, round) => one / (theirs[round] ?? Number.NaN))),
      ];
    }),
    notes: slow,
  };
}

async function againstSlow(rounds: number): Promise<readonly string[]> {
  const store = await startStoreProcess(SLOW_DELAY_MS);
  try {
    const notes: string[] = [];
    for (const concurrency of [CONNECTIONS, 64]) {
      const rates: number[] = [];
      for (let round = 0; round < rounds; round += 1)
        rates.push(await ourRate(store.url, SLOW_CASES, concurrency));
      const limit = concurrency / (SLOW_DELAY_MS / 1000);
      notes.push(
        `Against a store that responds after ${SLOW_DELAY_MS} ms, at ${concurrency} connections: ${spread(rates)} requests per second, ${figure(median(rates) / limit)} of connections / latency (${limit}).`,
      );
    }
    return notes;
  } finally {
    await store.stop();
  }
}
