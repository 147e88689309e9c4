import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { startCommand } from '../cli/start.ts';
import { waitUntilItListens } from '../cli/wait.ts';
import { planOf, secretsOf } from '../index.ts';
import { type Contestant, compareStores } from '../lib/compare/compare.ts';
import type { Comparison, Portrait } from '../lib/compare/comparison.ts';
import { COMPARISON_FORMATS } from '../lib/compare/formats.ts';
import { summaryTable } from '../lib/compare/markdown.ts';
import { comparisonText } from '../lib/compare/terminal.ts';
import { packageFile } from '../lib/package.ts';
import { plain } from '../lib/report/explain.ts';

/*
 * Installs, starts, runs and stops the implementations in this folder, and writes the published comparison:
 * reports/implementations.{json,md,html} and the table of the README.
 */

interface About extends Portrait {
  readonly folder: string;
  readonly title: string;
  /** Executables without which it cannot be had. */
  readonly needs: readonly string[];
  readonly install: string;
  readonly build: string;
  readonly start: string;
}

const TOKEN = 'Tok3n-AbCdEfGh-0123456789';
const SEED = 20_261_121;
const FIRST_ID = 1_100_000_000n;
/** Seconds that a server has for its start: a JVM on a busy machine. */
const PATIENCE = 60;

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    'no-write': { type: 'boolean', default: false },
  },
});

function abouts(): About[] {
  const home = packageFile('implementations');
  return readdirSync(home, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(`${home}/${entry.name}/about.yaml`))
    .map(({ name }) => ({
      ...(parse(readFileSync(`${home}/${name}/about.yaml`, 'utf8')) as Omit<About, 'folder'>),
      folder: name,
    }))
    .filter(({ folder }) => options.only?.includes(folder) ?? true)
    .sort((a, b) => a.language.localeCompare(b.language, 'en') || a.title.localeCompare(b.title, 'en'));
}

const has = (executable: string): boolean =>
  spawnSync('sh', ['-c', `command -v ${executable}`], { stdio: 'ignore' }).status === 0;

/** Why an implementation cannot be run here, once it has been installed as it says. */
function obstacle({ folder, needs, install, build }: About): string | undefined {
  const lacking = needs.filter((executable) => !has(executable));
  if (lacking.length > 0) return `this machine has no ${lacking.join(', ')}`;
  for (const command of [install, build].filter((one) => one !== '')) {
    process.stderr.write(`${folder}: ${command}\n`);
    const cwd = packageFile(`implementations/${folder}`);
    const { status, stderr } = spawnSync('sh', ['-c', command], { cwd, encoding: 'utf8' });
    if (status !== 0) return `${command} failed: ${stderr.trim().split('\n').at(-1) ?? ''}`;
  }
  return undefined;
}

/** The port of an implementation: the same in every run where it is free, so that records differ in less. */
const portFor = (index: number): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(portFor(index + 100)));
    server.listen(18_100 + index, '127.0.0.1', () => server.close(() => resolve(18_100 + index)));
  });

const portraitOf = ({ language, framework, version, note }: About): Portrait => ({
  language,
  framework,
  version,
  note: note.trim(),
});

async function contestantOf(about: About, index: number, baseUrl: string): Promise<Contestant> {
  const run = {
    name: about.title,
    baseUrl,
    token: TOKEN,
    seed: SEED,
    firstId: FIRST_ID + BigInt(index) * 1_000_000n,
    concurrency: 8,
  };
  return { name: about.title, plan: await planOf(run), secrets: secretsOf(run), portrait: portraitOf(about) };
}

async function compared(list: readonly About[]): Promise<Comparison> {
  const lost = list.flatMap((about) => {
    const reason = obstacle(about);
    return reason === undefined ? [] : [{ about, reason }];
  });
  const able = list.filter((about) => lost.every((one) => one.about !== about));
  const closing: (() => Promise<void>)[] = [];
  try {
    const contestants: Contestant[] = [];
    for (const [index, about] of able.entries()) {
      const port = await portFor(index);
      const baseUrl = `http://127.0.0.1:${port}`;
      const folder = packageFile(`implementations/${about.folder}`);
      closing.push(startCommand(`cd '${folder}' && export PORT=${port} && ${about.start}`, TOKEN));
      await waitUntilItListens(baseUrl, PATIENCE, new AbortController().signal);
      contestants.push(await contestantOf(about, index, baseUrl));
    }
    const comparison = await compareStores(contestants);
    return {
      ...comparison,
      columns: list.flatMap((about): Comparison['columns'] => {
        const reason = lost.find((one) => one.about === about)?.reason;
        if (reason !== undefined)
          return [{ name: about.title, portrait: portraitOf(about), state: 'not-run', reason }];
        return comparison.columns.filter(({ name }) => name === about.title);
      }),
    };
  } finally {
    await Promise.all(closing.map((close) => close()));
  }
}

/** Puts text between two marks of a file. */
function between(file: string, text: string): void {
  const [begin, end] = ['<!-- implementations -->', '<!-- /implementations -->'];
  const whole = readFileSync(packageFile(file), 'utf8');
  const [before, rest = ''] = whole.split(begin);
  const after = rest.split(end)[1];
  if (after === undefined) throw new Error(`${file} has no place for the table`);
  writeFileSync(packageFile(file), `${before}${begin}\n${text}\n${end}${after}`);
}

const comparison = await compared(abouts());
process.stdout.write(comparisonText(comparison, plain));
if (!options['no-write'] && options.only === undefined) {
  mkdirSync(packageFile('reports'), { recursive: true });
  for (const [name, extension] of [
    ['json', 'json'],
    ['markdown', 'md'],
    ['html', 'html'],
  ] as const)
    writeFileSync(
      packageFile(`reports/implementations.${extension}`),
      COMPARISON_FORMATS[name].render(comparison),
    );
  between('README.md', summaryTable(comparison));
}
