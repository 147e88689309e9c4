import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { loadOptions, run } from '../index.ts';
import { packageFile, packageText } from '../lib/package.ts';
import { estimate } from '../lib/run/plan/estimate.ts';
import { ended, start } from './helpers/command.ts';
import { TOKEN, withStore } from './helpers/stores.ts';

/* What a run costs, in counts that do not depend on the machine. `npm run bench` measures the time. */

const inline = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;

/** Prints the URL of each module that is loaded, except those of Node. */
const TRACE = inline(
  `import { register } from 'node:module'; register(${JSON.stringify(
    inline(`import { writeSync } from 'node:fs';
export const load = (url, context, next) => {
  if (url.startsWith('file:')) writeSync(2, 'loaded ' + url + '\\n');
  return next(url, context);
};`),
  )});`,
);

/** The modules that a command loads: the sources that are bundled in each loaded file. */
async function modulesOf(...args: readonly string[]): Promise<readonly string[]> {
  const main = packageFile('dist/cli/main.js');
  const { code, stderr } = await ended(start(process.execPath, ['--import', TRACE, main, ...args]));
  expect(code, stderr).toBe(0);
  const files = [...stderr.matchAll(/^loaded (.*)$/gm)].map(([, url = '']) => fileURLToPath(url));
  return files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^\/\/ (\S+\.[cm]?[jt]sx?)$/gm)].map(([, module = '']) => module),
  );
}

const packagesIn = (modules: readonly string[]) =>
  [...new Set(modules.flatMap((one) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(one)?.[1] ?? []))].sort();

const OF_LIST = ['@eslint-community/regexpp', 'commander', 'fast-check', 'leven', 'pure-rand'];

test.each(['--version', '--help'])('%s loads no command', async (option) => {
  const modules = await modulesOf(option);
  expect(packagesIn(modules)).toEqual(['commander']);
  expect(modules.length).toBeLessThan(22);
});

test('listing the catalogue does not load what only a run needs', async () => {
  const modules = await modulesOf('list');
  expect(packagesIn(modules)).toEqual(OF_LIST);
  expect(modules.length).toBeLessThan(98);
});

test.each([
  { args: ['compare', '--help'], absent: ['@apidevtools/swagger-parser', 'json-p3'], most: 500 },
  {
    args: ['run', '--only', 'ordinary/answers-200'],
    absent: ['@apidevtools/swagger-parser', 'ajv', 'json-p3', 'yaml'],
    most: 300,
  },
])('$args loads no package that only files of the user need', async ({ args, absent, most }) => {
  const modules = await modulesOf(...args);
  const packages = packagesIn(modules);
  expect(packages).toEqual(expect.arrayContaining(OF_LIST));
  expect(packages.filter((one) => absent.includes(one))).toEqual([]);
  expect(modules.length).toBeLessThan(most);
});

test('the licences of the bundled packages are part of the package', async () => {
  const licences = readFileSync(packageFile('dist/cli/LICENCES.txt'), 'utf8');
  for (const command of ['run', 'compare', 'replay'])
    for (const name of packagesIn(await modulesOf(command, '--help'))) expect(licences).toMatch(`${name} `);
  expect(JSON.parse(packageText('package.json'))).toMatchObject({
    files: expect.arrayContaining(['dist/cli/LICENCES.txt']),
  });
});

test('a default run sends no more requests than the documents say', async () => {
  const loaded = await loadOptions({ baseUrl: 'http://127.0.0.1:1', token: TOKEN, seed: 1, firstId: 1n });
  const { requests } = await estimate(loaded);
  // Estimated from a sample of the covering arrays.
  expect(requests).toBeLessThan(6_500);
  expect(packageText('README.md')).toContain('about 6,500 requests');
});

test('a store that drops larger bodies gets little more than the requests of any other', async () => {
  const { requests, causes } = await withStore(
    'drops-larger-bodies',
    ({ url }) => run({ baseUrl: url, token: TOKEN, seed: 1, cases: 30 }).record,
  );
  expect(causes?.map(({ title }) => title)).toEqual([
    'Closes the connection without an answer when the body is longer than 16384 bytes',
  ]);
  // A right store gets 2,900. Each of hundreds was once tried up to 24 times.
  expect(requests).toBeLessThan(4_500);
});
