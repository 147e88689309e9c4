import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { matcherOf, unmatched } from '../../lib/check-ids.ts';
import { columnOf, comparisonOf, type Entry } from '../../lib/compare/build-comparison.ts';
import type { Column } from '../../lib/compare/comparison.ts';
import { COMPARISON_FORMATS } from '../../lib/compare/formats.ts';
import { verdictOf } from '../../lib/compare/table.ts';
import { packageFile } from '../../lib/package.ts';
import { readSaved, recordIn } from '../../lib/report/record/read-record.ts';
import type { RunRecord } from '../../lib/report/record/record.ts';
import { argumentsOf } from '../../mutants/arguments.ts';
import { implementationOf, obstacle, publish } from '../manifest.ts';
import { open, type Running, TOKEN } from './lab.ts';
import { allSetups, fill, type Setup, titleOf } from './setup.ts';
import { infrastructureMarkdown, noticed, surpriseOf } from './table.ts';

const USAGE = `Usage: npm run infrastructure -- [options]
Runs the suite against the reference store behind real servers, each in its set-ups, and writes
reports/infrastructure.{json,md,html}. Exits with 1 if a result differs from the manifest, or if a set-up that --only
names cannot be run.
  --only PATTERN  selects set-ups such as nginx/http; can be repeated
  --cases N       sets the number of random cases of each check
  --no-write      writes nothing`;

const SEED = 20_261_121;
const FIRST_ID = 1_200_000_000;
/** Requests before the store behind a server is restarted. */
const BEFORE_RESTART = 400;

const { values: options } = argumentsOf(USAGE, {
  options: {
    only: { type: 'string', multiple: true },
    cases: { type: 'string', default: '120' },
    'no-write': { type: 'boolean', default: false },
  },
});

const home = mkdtempSync(join(tmpdir(), 'plant-store-infrastructure-'));
process.once('exit', () => rmSync(home, { recursive: true, force: true }));
// Started processes are stopped on exit, which a signal alone does not trigger.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const MAIN = packageFile('dist/cli/main.js');
const help = spawnSync('node', [MAIN, 'run', '--help'], { encoding: 'utf8' }).stdout;

const installed = new Set<string>();

/** Why a set-up cannot be run here. */
function reasonNotToRun({ server, needs, flags }: Setup): string | undefined {
  const unknown = flags.find((flag) => flag.startsWith('--') && !help.includes(`${flag} `));
  if (unknown !== undefined) return `the option ${unknown} does not exist yet`;
  const { folder, install } = server;
  const reason = obstacle({ folder, needs }, installed.has(folder) ? [] : [install]);
  if (reason === undefined) installed.add(folder);
  return reason;
}

/** Runs the suite against a set-up, as a user would. */
async function recordOf(setup: Setup, running: Running, index: number): Promise<RunRecord> {
  const { baseUrl, values } = running;
  const sample = [`--seed=${SEED}`, `--first-id=${FIRST_ID + index * 1_000_000}`, `--cases=${options.cases}`];
  const trust = setup.scheme === 'https' ? [`--ca=${values.DIR}/server.pem`] : [];
  const out = ['--max-seconds=300', '--verbose', '--format=json', `--out=${values.DIR}`];
  const flags = setup.flags.map((flag) => fill(flag, values));
  const child = spawn('node', [MAIN, 'run', baseUrl, ...sample, ...trust, ...flags, ...out], {
    env: { ...process.env, PLANT_STORE_TOKEN: TOKEN },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  let [lines, text, again] = [0, '', Promise.resolve()];
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    const before = lines;
    lines += part.split('\n').length - 1;
    text = `${text}${part}`.slice(-2000);
    if (setup.restart && before < BEFORE_RESTART && lines >= BEFORE_RESTART) again = running.restart();
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  await again;
  process.off('exit', kill);
  if (code === 2 || code === 4)
    throw new Error(`${setup.name}: the run ended with exit code ${code}:\n${text}`);
  return recordIn(readSaved(`${values.DIR}/report.json`), setup.name);
}

async function entryOf(setup: Setup, index: number): Promise<Entry> {
  const { server } = setup;
  const name = titleOf(setup);
  const reason = reasonNotToRun(setup);
  const version = reason === undefined ? versionOf(setup) : '';
  const implementation = implementationOf({ ...server, version, note: setup.note });
  if (reason !== undefined) return { name, implementation, reason };
  const running = await open(setup, index, join(home, setup.name));
  try {
    return { name, implementation, record: await recordOf(setup, running, index) };
  } finally {
    await running.close();
  }
}

const versionOf = ({ server }: Setup): string =>
  spawnSync('sh', ['-c', server.version], {
    cwd: packageFile(server.folder),
    encoding: 'utf8',
  }).stdout.trim();

/** Prints the result of a set-up; returns whether it is as expected. */
function printResult(setup: Setup, column: Column): boolean {
  const surprise = surpriseOf(setup, column);
  const seconds = column.state === 'run' ? `${column.seconds.toFixed(1)} s` : '';
  process.stdout.write(
    `${column.name.padEnd(36)} ${verdictOf(column).words.padEnd(20)}${seconds.padStart(8)}\n`,
  );
  for (const one of noticed(column)) process.stdout.write(`    ${one}\n`);
  if (surprise !== undefined && column.state === 'run') process.stdout.write(`    ${surprise}\n`);
  // When all are requested, a missing server is reported but is not an error.
  return surprise === undefined || (column.state === 'not-run' && options.only === undefined);
}

const all = allSetups();
const { only = ['*'] } = options;
const unknown = unmatched(
  only,
  all.map(({ name }) => name),
);
if (unknown !== undefined) {
  process.stderr.write(
    `No set-up is called ${unknown}: there are ${all.map(({ name }) => name).join(', ')}.\n`,
  );
  process.exit(2);
}
const chosen = matcherOf(only);
const entries: Entry[] = [];
for (const [index, setup] of all.entries()) {
  if (!chosen(setup.name)) continue;
  const entry = await entryOf(setup, index);
  entries.push(entry);
  if (!printResult(setup, columnOf(entry))) process.exitCode = 1;
}
if (!options['no-write'] && options.only === undefined) {
  const comparison = comparisonOf(entries, null);
  publish('infrastructure', {
    json: COMPARISON_FORMATS.json.render(comparison),
    md: infrastructureMarkdown(comparison),
    html: COMPARISON_FORMATS.html.render(comparison),
  });
}
