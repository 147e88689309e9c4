import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import type { RunRecord } from '../index.ts';
import { packageFile } from '../lib/package.ts';
import { named, TOKEN, table } from './fleet.ts';
import { fetchNode } from './nodes.ts';
import { startTap } from './tap.ts';

const NODES = ['20', '22', '24'];
/** At a time; undefined is the default. */
const CONCURRENCIES = [1, 4, undefined];
/** A right one, and broken ones that always do the same with the same request. */
const STORES = ['reference', 'id-numeral-tagless', 'crash-apostrophe', 'tag-array-long-name'];

interface Taken {
  readonly where: string;
  readonly requests: readonly Buffer[];
  /** All that the record says of the store but times. */
  readonly found: string;
}

/**
 * Runs the suite with the same seed and first id by several versions of Node and several requests at a time.
 * @returns the table, and what differs first, if anything does
 */
export async function compareRequests(): Promise<{ readonly text: string; readonly difference?: string }> {
  const tap = await startTap();
  const rows: string[][] = [];
  const differences: string[] = [];
  const nodes = [];
  for (const asked of NODES) nodes.push(await fetchNode(asked));
  for (const name of STORES) {
    let first: Taken | undefined;
    for (const node of nodes) {
      if (!('path' in node)) {
        rows.push([name, node.asked, '', '', '', '', `not run: ${node.reason}`]);
        continue;
      }
      for (const concurrency of CONCURRENCIES) {
        const store = await named(name).start();
        tap.leadTo(store.url);
        const record = await recordOf(node.path, tap.url, concurrency);
        await store.stop();
        const where = `${name}, Node ${node.version}, concurrency ${record.options.concurrency}`;
        const taken: Taken = { where, requests: tap.requests(), found: foundIn(record) };
        rows.push([
          name,
          node.version,
          String(record.options.concurrency),
          String(taken.requests.length),
          digest(...taken.requests),
          digest(taken.found),
          record.outcome,
        ]);
        first ??= taken;
        differences.push(...differenceOf(first, taken));
      }
    }
  }
  await tap.stop();
  const head = ['store', 'Node', 'at a time', 'requests', 'sha256 of them', 'of the findings', 'outcome'];
  const [difference] = differences;
  return { text: table(head, rows), ...(difference === undefined ? {} : { difference }) };
}

/** Runs the command line by another Node. */
async function recordOf(node: string, url: string, concurrency: number | undefined): Promise<RunRecord> {
  const flags = ['--seed=7', '--first-id=1000000', '--format=json', '--out=-'];
  const child = spawn(
    node,
    [
      packageFile('dist/cli/main.js'),
      'run',
      url,
      ...flags,
      ...(concurrency === undefined ? [] : [`--concurrency=${concurrency}`]),
    ],
    { env: { PATH: process.env.PATH, PLANT_STORE_TOKEN: TOKEN }, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  if (code !== 0 && code !== 1) throw new Error(`the run ended with exit code ${code}`);
  return JSON.parse(out) as RunRecord;
}

/** All that a record says of a store, but for what is measured and what the store says of the time. */
function foundIn({ results, outcome, created, options }: RunRecord): string {
  const { seed, firstId } = options;
  const timeless = results.map(
    ({ id, verdict, cases, failed, causes, actual, counterexample, observations }) => ({
      ...{ id, verdict, cases, failed, causes, actual, counterexample },
      observations: id === 'observe/response-time' ? null : observations,
    }),
  );
  return JSON.stringify({ seed, firstId, outcome, created, results: timeless }, null, 1);
}

/** The start of the SHA-256 of some texts, one after the other, each with its length before it. */
function digest(...parts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}\n`).update(part);
  return hash.digest('hex').slice(0, 16);
}

function differenceOf(first: Taken, now: Taken): string[] {
  const pairs: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ['request', first.requests.map(shown), now.requests.map(shown)],
    ['finding', first.found.split('\n'), now.found.split('\n')],
  ];
  return pairs.flatMap(([what, before, after]) => {
    const at = before.findIndex((one, index) => one !== after[index]);
    if (at < 0 && before.length === after.length) return [];
    const place = at < 0 ? before.length : at;
    const said = [before[place], after[place]].map((one) => one?.slice(0, 1000) ?? 'none');
    return [`The first ${what} that differs\n${first.where}: ${said[0]}\n${now.where}: ${said[1]}`];
  });
}

const shown = (request: Buffer): string => JSON.stringify(request.toString('latin1'));
