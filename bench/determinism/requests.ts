import { spawn } from 'node:child_process';
import type { RunRecord } from '../../index.ts';
import { packageFile } from '../../lib/package.ts';
import { TOKEN } from '../store.ts';
import { named, table } from './fleet.ts';
import { fetchNode } from './nodes.ts';
import { startTap } from './recording-proxy.ts';
import { differences, digest, findingsOf, type RunTrace } from './run-trace.ts';

const NODES = ['20', '22', '24'];
/** The concurrency limits to compare; undefined is the default. */
const CONCURRENCIES = [1, 4, undefined];
/** A right store, and broken ones whose responses depend only on the request. */
const STORES = ['reference', 'id-numeral-tagless', 'crash-apostrophe', 'tag-array-long-name'];

/**
 * Runs the command line with the same seed, first id and token on several versions of Node, each with several
 * concurrency limits.
 *
 * @returns the table, and the differences
 */
export async function compareRequests(): Promise<{
  readonly text: string;
  readonly differing: readonly string[];
}> {
  const tap = await startTap();
  const rows: string[][] = [];
  const differing: string[] = [];
  const nodes = [];
  for (const asked of NODES) nodes.push(await fetchNode(asked));
  for (const name of STORES) {
    let first: RunTrace | undefined;
    for (const node of nodes) {
      if ('reason' in node) {
        rows.push([name, node.asked, '', '', '', '', `not run: ${node.reason}`]);
        continue;
      }
      for (const concurrency of CONCURRENCIES) {
        const store = await named(name).start();
        tap.leadTo(store.url);
        const record = await recordOf(node.path, tap.url, concurrency);
        await store.stop();
        const { outcome, options } = record;
        const runTrace: RunTrace = {
          run: `${name}, Node ${node.version}, --concurrency ${options.concurrency}`,
          requests: tap.requests(),
          findings: findingsOf(record),
        };
        const { requests, findings } = runTrace;
        rows.push([
          name,
          node.version,
          String(options.concurrency),
          String(requests.length),
          digest(requests),
          digest(findings),
          outcome,
        ]);
        first ??= runTrace;
        differing.push(...differences(first, runTrace));
      }
    }
  }
  await tap.stop();
  const head = [
    'store',
    'Node',
    'concurrency',
    'requests',
    'their SHA-256',
    'SHA-256 of the findings',
    'outcome',
  ];
  return { text: table(head, rows), differing };
}

/** Runs the command line with another version of Node. */
async function recordOf(node: string, url: string, concurrency: number | undefined): Promise<RunRecord> {
  const flags = ['--seed=7', '--first-id=1000000', '--format=json', '--out=-'];
  if (concurrency !== undefined) flags.push(`--concurrency=${concurrency}`);
  const child = spawn(node, [packageFile('dist/cli/main.js'), 'run', url, ...flags], {
    env: { PATH: process.env.PATH, PLANT_STORE_TOKEN: TOKEN },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  if (code !== 0 && code !== 1) throw new Error(`A run by ${node} ended with exit code ${code}.`);
  return JSON.parse(out) as RunRecord;
}
