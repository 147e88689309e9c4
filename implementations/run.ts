import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { startedStore } from '../cli/started-store.ts';
import { waitForStore } from '../cli/wait.ts';
import { loadOptions, secretsOf } from '../index.ts';
import { type ComparedTarget, compareStores } from '../lib/compare/compare.ts';
import type { Comparison } from '../lib/compare/comparison.ts';
import { COMPARISON_FORMATS } from '../lib/compare/formats.ts';
import { summaryTable } from '../lib/compare/markdown.ts';
import { comparisonText } from '../lib/compare/terminal.ts';
import { packageFile } from '../lib/package.ts';
import { uncoloured } from '../lib/report/wording/format-text.ts';
import { argumentsOf } from '../mutants/arguments.ts';
import { freePort, implementationOf, type Manifest, manifestsIn, obstacle, publish } from './manifest.ts';

const USAGE = `Usage: npm run implementations -- [options]
Installs, starts, tests and stops the implementations in this folder, and writes the published comparison:
reports/implementations.{json,md,html} and the table of docs/comparing.md.
  --only NAME  selects an implementation by its folder; can be repeated
  --no-write   writes nothing`;

interface About extends Manifest {
  readonly version: string;
  readonly build: string;
}

const TOKEN = 'Tok3n-AbCdEfGh-0123456789';
const SEED = 20_261_121;
const FIRST_ID = 1_100_000_000n;
/** Seconds that a server may take to start: a JVM on a busy machine. */
const MAX_START_S = 60;

const { values: options } = argumentsOf(USAGE, {
  options: {
    only: { type: 'string', multiple: true },
    'no-write': { type: 'boolean', default: false },
  },
});

const abouts = (): About[] =>
  manifestsIn<About>('implementations')
    .filter(({ folder }) => options.only?.includes(basename(folder)) ?? true)
    .sort((a, b) => a.language.localeCompare(b.language, 'en') || a.title.localeCompare(b.title, 'en'));

async function comparedTargetOf(about: About, index: number, baseUrl: string): Promise<ComparedTarget> {
  const run = {
    name: about.title,
    baseUrl,
    token: TOKEN,
    seed: SEED,
    firstId: FIRST_ID + BigInt(index) * 1_000_000n,
    concurrency: 8,
  };
  return {
    name: about.title,
    loaded: await loadOptions(run),
    secrets: secretsOf(run),
    implementation: implementationOf(about),
  };
}

async function compared(list: readonly About[]): Promise<Comparison> {
  const failed = list.flatMap((about) => {
    const reason = obstacle(about, [about.install, about.build]);
    return reason === undefined ? [] : [{ about, reason }];
  });
  const runnable = list.filter((about) => failed.every((one) => one.about !== about));
  const closing: (() => Promise<void>)[] = [];
  try {
    const targets: ComparedTarget[] = [];
    for (const [index, about] of runnable.entries()) {
      const port = await freePort(18_100 + index);
      const baseUrl = `http://127.0.0.1:${port}`;
      const folder = packageFile(about.folder);
      const started = startedStore(`cd '${folder}' && export PORT=${port} && ${about.start}`, TOKEN);
      closing.push(() => started.stop());
      await waitForStore({ baseUrl, wait: MAX_START_S }, started);
      targets.push(await comparedTargetOf(about, index, baseUrl));
    }
    const comparison = await compareStores(targets);
    return {
      ...comparison,
      columns: list.flatMap((about): Comparison['columns'] => {
        const reason = failed.find((one) => one.about === about)?.reason;
        if (reason !== undefined)
          return [{ name: about.title, implementation: implementationOf(about), state: 'not-run', reason }];
        return comparison.columns.filter(({ name }) => name === about.title);
      }),
    };
  } finally {
    await Promise.all(closing.map((close) => close()));
  }
}

/** Replaces the text between two marks of a file. */
function between(file: string, text: string): void {
  const [begin, end] = ['<!-- implementations -->', '<!-- /implementations -->'];
  const whole = readFileSync(packageFile(file), 'utf8');
  const [before, rest = ''] = whole.split(begin);
  const after = rest.split(end)[1];
  if (after === undefined) throw new Error(`${file} has no marks for the table`);
  writeFileSync(packageFile(file), `${before}${begin}\n${text}\n${end}${after}`);
}

const comparison = await compared(abouts());
process.stdout.write(comparisonText(comparison, uncoloured));
if (!options['no-write'] && options.only === undefined) {
  publish('implementations', {
    json: COMPARISON_FORMATS.json.render(comparison),
    md: COMPARISON_FORMATS.markdown.render(comparison),
    html: COMPARISON_FORMATS.html.render(comparison),
  });
  between('docs/comparing.md', summaryTable(comparison));
}
