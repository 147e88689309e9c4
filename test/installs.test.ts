import { cpSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageFile, packageText } from '../lib/package.ts';
import { type RunningStore, startStore } from '../reference/store.ts';
import { type Ended, ended, start } from './helpers/command.ts';

/**
 * `npm run installs` tries all; `npm test` only npm with one example of each command, as an example takes npx a second
 * or two, and the other package managers would be downloaded.
 */
const ALL = process.env.PLANT_STORE_ALL_INSTALLS !== undefined;

/** How package managers add the tarball $0 to a project. */
const MANAGERS = {
  npm: 'npm install --save-dev --no-audit --no-fund "$0"',
  pnpm: 'npx --yes pnpm@12 add --save-dev "$0"',
  'Yarn 1': 'npx --yes yarn@1 add --dev "file:$0"',
  'Yarn 4 with node_modules':
    'touch yarn.lock; YARN_NODE_LINKER=node-modules npx --yes -p @yarnpkg/cli-dist@4 yarn add --dev "plant-store-conformance@file:$0"',
} as const;

const TOKEN = 'secret';
const env = { PLANT_STORE_TOKEN: TOKEN, PLANT_STORE_CASES: '2', PLANT_STORE_ONLY: 'ordinary/answers-*' };
const inShell = (line: string, cwd: string, ...args: string[]): Promise<Ended> =>
  ended(start('bash', ['-c', line, ...args], env, cwd));

/** The examples in the help of every command, and the commands in the running text of the README. */
async function examples(): Promise<readonly string[]> {
  const main = `node ${packageFile('dist/cli/main.js')}`;
  const names = ['', 'run', 'compare', 'diff', 'merge', 'replay', 'render', 'list', 'serve'];
  const helps = await Promise.all(names.map((name) => inShell(`${main} ${name} --help`, '.')));
  const inHelp = helps.flatMap(({ stdout }) =>
    (stdout.match(/(?<=^ {2})\S*.*plant-store-conformance .+$/gm) ?? []).slice(0, ALL ? undefined : 1),
  );
  const inReadme = packageText('README.md').match(/(?<=`npx )plant-store-conformance [^`]*--[^`]*/g) ?? [];
  // `serve` runs until it is interrupted; test/readme.test.ts starts it.
  return [...inHelp, ...(ALL ? inReadme : [])].filter((line) => !line.includes(' serve '));
}

/** A project with what the examples name: a server, a configuration, saved records. */
async function project(url: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-'));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const target = (name: string, more = '') => `  - { name: ${name}, baseUrl: "${url}"${more} }\n`;
  write('package.json', '{ "private": true }');
  write('conformance.yaml', `targets:\n${target('staging', ', out: reports')}`);
  write('stores.yaml', `targets:\n${target('a')}${target('b')}`);
  write('baseline.yaml', '[]');
  write('limits.yaml', packageText('mutants/overlays/limits.yaml'));
  const main = packageFile('dist/cli/main.js');
  const { code } = await inShell(`node ${main} run --target staging`, folder);
  expect(code).toBe(0);
  for (const name of ['go', 'rust', 'main', 'shard-1', 'shard-2'])
    cpSync(join(folder, 'reports'), join(folder, name), { recursive: true });
  cpSync(join(folder, 'reports/report.json'), join(folder, 'report.json'));
  return folder;
}

/**
 * Nothing failed that could be replayed, the record is no shard, the store runs already, there is one target, and nobody
 * answers the questions of `init`.
 */
const codeOf = (line: string): number =>
  / replay | merge | --start | compare$| staging live| init$/.test(line) ? 2 : 0;

describe('the packed tarball', () => {
  let tarball: string;
  let store: RunningStore;
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'plant-store-'));
    await ended(start('npm', ['pack', '--ignore-scripts', '--pack-destination', folder]));
    tarball = join(folder, readdirSync(folder)[0] ?? '');
    store = await startStore({ token: TOKEN });
  });
  afterAll(() => store.stop());

  test.each(Object.entries(MANAGERS).filter(([name]) => ALL || name === 'npm'))(
    'is installed by %s without a warning about scripts, and runs every example of help and README',
    { timeout: 600_000 },
    async (_name, add) => {
      const folder = await project(store.url);
      const { code, stdout, stderr } = await inShell(add, folder, tarball);
      expect(code, stdout + stderr).toBe(0);
      expect(stdout + stderr).not.toMatch(/install.scripts|build scripts|prepare/i);
      const lines = await examples();
      expect(lines.length).toBeGreaterThan(ALL ? 25 : 7);
      // One of them shows that npx finds the command, which costs as much as the command itself.
      const [byNpx, byPath] = [
        'npx plant-store-conformance',
        join(folder, 'node_modules/.bin/plant-store-conformance'),
      ];
      for (const [index, line] of lines.entries()) {
        const here = line
          .replace('plant-store-conformance', index === 0 || ALL ? byNpx : byPath)
          .replaceAll(/http:\/\/127\.0\.0\.1:808[01]/g, store.url);
        // `init` does not overwrite the configuration of the project.
        const place = line.includes(' init') ? mkdtempSync(join(folder, 'new-')) : folder;
        const run = await inShell(here, place);
        expect([run.code, here, run.stderr]).toEqual([codeOf(line), here, run.stderr]);
      }
    },
  );

  const [node = 0] = process.versions.node.split('.').map(Number);
  test.skipIf(!ALL).each([4, ...(node >= 22 ? [5] : [])])(
    'works with vitest %i',
    { timeout: 300_000 },
    async (version) => {
      const folder = mkdtempSync(join(tmpdir(), 'plant-store-'));
      writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
      const [, snippet = ''] = /```ts\n([\s\S]*?)```/.exec(packageText('docs/getting-started.md')) ?? [];
      writeFileSync(join(folder, 'conformance.test.ts'), snippet);
      const added = await inShell(`npm install --no-audit --no-fund "$0" vitest@${version}`, folder, tarball);
      expect(added.code, added.stderr).toBe(0);
      const { code, stdout } = await inShell(
        'npx vitest run --reporter=json --outputFile=tests.json',
        folder,
      );
      expect(code, stdout).toBe(0);
      const { numPassedTests } = JSON.parse(readFileSync(join(folder, 'tests.json'), 'utf8'));
      expect(numPassedTests).toBeGreaterThan(0);
    },
  );
});
