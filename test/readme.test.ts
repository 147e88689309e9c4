import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../index.ts';
import { packageFile } from '../lib/package.ts';
import { brokenStores } from '../mutants/broken/index.ts';
import { rightStores } from '../mutants/right/index.ts';
import { type RunningStore, startStore } from '../reference/store.ts';
import { ended, start } from './command.ts';

const read = (name: string) => readFileSync(packageFile(name), 'utf8');

const blocks = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, block = '']) => block,
  );

/** What the tests do not repeat, and where it is executed. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'npm ci && npm start': '.ci/run',
  'npm ci && npm test': '.ci/run',
  'npm run proof': 'package.json',
  'npm run docs': 'package.json',
};

const commands = ['README.md', 'CONTRIBUTING.md', 'docs/scale.md']
  .flatMap((name) => blocks(read(name), 'sh'))
  .flatMap((block) => block.trim().split('\n'))
  .map((line) => ({ line: line.replace(/\s+#.*$/, ''), code: Number(/# exits (\d)/.exec(line)?.[1] ?? 0) }));

const here = commands.filter(({ line }) => !(line in ELSEWHERE));

/** The command as it is run here: on what is built already, against a store on a free port. */
const prepared = (line: string, url: string) =>
  line
    .replace(/npm start --/, 'node dist/cli/main.js run')
    .replace(/npm run serve --/, 'node dist/cli/main.js serve')
    .replaceAll('http://127.0.0.1:8080', url)
    .replace('--port 8080', '--port 0')
    // What would take an hour ends here after some requests.
    .replace('--max-seconds 3600', '--max-seconds 3600 --max-requests 8000')
    .replaceAll('8099', String(20_000 + Math.floor(Math.random() * 12_000)));

describe('the commands of the documents', () => {
  let store: RunningStore;
  beforeAll(async () => {
    store = await startStore({ token: 'secret' });
  });
  afterAll(() => store.stop());

  test('there are some, and each that is not repeated here is executed elsewhere', () => {
    expect(here.length).toBeGreaterThan(8);
    for (const [command, place] of Object.entries(ELSEWHERE)) {
      const script = command.replace('npm run ', '');
      expect(read(place), command).toContain(place === 'package.json' ? `"${script}": ` : command);
    }
  });

  test.each(here)('$line', async ({ line, code }) => {
    const serves = line.includes(' serve ') && !line.includes('--start');
    const command = prepared(line, store.url);
    const child = start('bash', [
      '-c',
      serves ? `exec ${command.replace(/^(\S+=\S+) /, 'env $1 ')}` : command,
    ]);
    if (serves) child.stdout?.once('data', () => child.kill('SIGINT'));
    const { code: actual, stderr, stdout } = await ended(child);
    expect(actual, stdout + stderr).toBe(code);
  });
});

test('the snippets of the README compile', async () => {
  const folder = mkdtempSync(packageFile('reports/readme-'));
  try {
    const files = blocks(read('README.md'), 'ts').map((block, index) => {
      const file = join(folder, `snippet${index}.ts`);
      writeFileSync(file, block);
      return file;
    });
    expect(files.length).toBe(2);
    const flags = [
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2023',
      '--skipLibCheck',
      '--types',
      'node',
    ];
    const tsc = packageFile('node_modules/typescript/bin/tsc');
    const { code, stdout } = await ended(
      start(process.execPath, [tsc, ...flags, '--ignoreConfig', ...files]),
    );
    expect(code, stdout).toBe(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the size of the fleet is what the README says', () => {
  const [broken, right] = [brokenStores.length, rightStores.length];
  expect(read('README.md')).toContain(
    `${broken} of ${broken} broken stores caught, 0 of ${right} right ones`,
  );
});

test('a run sends about as many requests, and creates about as many plants, as the README says', async () => {
  const said = /sends some ([\d,]+) requests and creates some ([\d,]+) plants/.exec(read('README.md')) ?? [];
  const [requests = 0, plants = 0] = said.slice(1).map((count) => Number(count.replace(',', '')));
  const store = await startStore({ token: 'secret' });
  const record = await run({ baseUrl: store.url, token: store.token, seed: 1 }).record;
  await store.stop();
  expect(Math.abs(record.requests / requests - 1)).toBeLessThan(0.1);
  expect(Math.abs(record.created.plants / plants - 1)).toBeLessThan(0.1);
});

test('every relative link leads somewhere', () => {
  for (const name of ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs/ci.md', 'docs/scale.md']) {
    for (const [, target = ''] of read(name).matchAll(/\]\(([^)#:]+)\)/g))
      expect(() => read(join(dirname(name), target)), target).not.toThrow();
  }
});

test('the defaults that the documents name are the defaults', () => {
  expect(read('lib/run/plan.ts')).toContain('{ cases: 120, concurrency: 24, timeout: 15_000 }');
  expect(read('README.md')).toContain('default of 120 cases');
});
