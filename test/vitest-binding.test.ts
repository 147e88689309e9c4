import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { catalogue, run } from '../index.ts';
import { packageFile } from '../lib/package.ts';
import type { RunningStore } from '../reference/store.ts';
import { type Ended, ended, start } from './helpers/command.ts';
import { startNamed, TOKEN, withStore } from './helpers/stores.ts';

interface Tested {
  readonly ancestorTitles: readonly string[];
  readonly title: string;
  readonly status: string;
  readonly failureMessages: readonly string[];
}

interface VitestReport {
  readonly testResults: readonly { readonly assertionResults: readonly Tested[] }[];
}

/** Runs vitest until it exits; returns its tests too, with the status of each. */
async function byVitest(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const out = join(mkdtempSync(join(tmpdir(), 'plant-store-')), 'vitest.json');
  const vitest = packageFile('node_modules/vitest/vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${out}`];
  const all = [vitest, 'run', ...reporters, ...args];
  const exited = await ended(start(process.execPath, all, { CI: '1', ...env }));
  const { testResults } = JSON.parse(readFileSync(out, 'utf8')) as VitestReport;
  return { ...exited, tests: testResults.flatMap(({ assertionResults }) => assertionResults) };
}

/** The vitest status of each verdict. */
const STATUS = {
  pass: 'passed',
  fail: 'failed',
  observed: 'passed',
  untestable: 'failed',
  skipped: 'skipped',
} as const;

const OPTIONS = { strict: true, seed: 11, cases: 1, explain: 0 };
/** A whole run against the right store; some checks of each kind and level against the others. */
const optionsFor = (name: string) =>
  name === 'reference'
    ? OPTIONS
    : { ...OPTIONS, only: ['ordinary/*', 'invalid/rejects-w*', 'auth/*', 'observe/id', 'invariants/*'] };
const STORES = ['reference', 'scheme-case', 'tag-null', 'always-204', 'always-closed'];

/** Two checks that fail for one cause. */
const COERCED = ['invalid/rejects-numeric-string-id', 'invalid/rejects-wrong-type'];

describe('the tests that a project declares with the binding', () => {
  const stores = new Map<string, RunningStore>();
  let ran: Ended & { readonly tests: readonly Tested[] };
  const urlOf = (name: string) => stores.get(name)?.url ?? '';
  const testsOf = (name: string) => ran.tests.filter(({ ancestorTitles }) => ancestorTitles.includes(name));

  beforeAll(async () => {
    for (const name of [...STORES, 'id-any-string']) stores.set(name, await startNamed(name));
    const runs = [
      ...STORES.map((name) => [name, { baseUrl: urlOf(name), token: TOKEN }, optionsFor(name)]),
      ['lenient', { baseUrl: urlOf('scheme-case'), token: TOKEN }, { only: ['auth/*'], cases: 1 }],
      ['explained', { baseUrl: urlOf('id-any-string'), token: TOKEN }, { only: COERCED, cases: 1 }],
      ['there is no store', { baseUrl: 'http://127.0.0.1:1', token: TOKEN }, {}],
      ['the token is rejected', { baseUrl: urlOf('reference'), token: 'not-the-right-token' }, {}],
    ];
    // In the folder of the package, so that Node resolves the package by its own name.
    const folder = mkdtempSync(packageFile('reports/their-project-'));
    writeFileSync(
      join(folder, 'store.test.mjs'),
      `import { plantStoreConformance } from 'plant-store-conformance/vitest';
       import { startStore } from 'plant-store-conformance';
       import { describe } from 'vitest';
       for (const [name, store, options] of ${JSON.stringify(runs)})
         describe(name, () => plantStoreConformance({ ...options, start: () => store }));
       describe('no start', () => plantStoreConformance({ start: () => { throw new Error('port in use'); } }));
       describe('their own store', () => plantStoreConformance({
         cases: 1,
         only: ['ordinary/*'],
         start: async () => {
           const store = await startStore({ token: 'their-own-token' });
           return { baseUrl: store.url, token: store.token, stop: () => store.stop() };
         },
       }));`,
    );
    writeFileSync(join(folder, 'vitest.config.mjs'), 'export default {};');
    ran = await byVitest(['--root', folder]);
    rmSync(folder, { recursive: true });
  });
  afterAll(() => Promise.all([...stores.values()].map((store) => store.stop())));

  test.each(STORES)('have the verdicts of a run against %s', async (name) => {
    const { results } = await run({ ...optionsFor(name), baseUrl: urlOf(name), token: TOKEN }).record;
    const expected = results.map(({ id, level, verdict }) => [
      id,
      level === 'OBSERVE' && verdict === 'untestable' ? 'skipped' : STATUS[verdict],
    ]);
    const actual = testsOf(name).map(({ title, status }) => [
      title,
      status === 'pending' ? 'skipped' : status,
    ]);
    expect(actual).toEqual(expected);
  });

  test.each([
    ['there is no store', 'nothing listens there', 'start the store'],
    ['the token is rejected', 'rejects the token', 'PLANT_STORE_TOKEN'],
  ])('if %s: every MUST test fails with the reason, and all others are skipped', (name, reason, remedy) => {
    const levels = new Map(catalogue.map(({ id, level }) => [id, level]));
    const tests = testsOf(name);
    for (const { title, status, failureMessages } of tests) {
      // The default document has no constraints to violate, so that this check is not applicable.
      const isMust = levels.get(title) === 'MUST' && title !== 'invalid/rejects-constraint-violation';
      expect([title, status]).toEqual([title, isMust ? 'failed' : 'skipped']);
      if (!isMust) continue;
      expect(failureMessages.join()).toMatch(new RegExp(`${reason}.*; .*${remedy}`));
      expect(failureMessages.join().trim()).not.toContain('\n');
    }
    expect(tests).toHaveLength(catalogue.length);
  });

  test('pass with a failed SHOULD unless the run is strict', () => {
    const statusOf = (name: string) =>
      testsOf(name).find(({ title }) => title === 'auth/accepts-scheme-in-any-case')?.status;
    expect([statusOf('lenient'), statusOf('scheme-case')]).toEqual(['passed', 'failed']);
  });

  test('fail with the cause and its fix, which vitest prints once, below the list of all tests', () => {
    const failed = testsOf('explained').filter(({ status }) => status === 'failed');
    expect(failed.map(({ title }) => title).toSorted()).toEqual(COERCED.toSorted());
    const [message = ''] = failed[0]?.failureMessages ?? [];
    expect(message).toMatch(/^Nonconformance: 1\. Accepts .* as id {2}\(2 checks, MUST\)\n/);
    expect(message).toContain(
      '   fix       Check the JSON type before using the value, and do not convert it:',
    );
    for (const { failureMessages } of failed) expect(failureMessages).toEqual([message]);
    const [, summary = ''] = stripVTControlCharacters(ran.stderr).split(' Failed Tests ');
    const [names = '', ...others] = summary.split(message);
    expect(others).toHaveLength(1);
    const last = names.split('\n').slice(-1 - COERCED.length);
    for (const id of COERCED)
      expect(last).toContainEqual(expect.stringMatching(new RegExp(` > explained > .* > ${id}$`)));
  });

  test('print failures that fail no test, beside the test and with their causes at the end', () => {
    const all = stripVTControlCharacters(ran.stderr);
    const [, beside = '', atEnd = ''] = all.split(/> lenient > plant store conformance.*\n/);
    expect(beside).toMatch(/^SHOULD failed: Answers 401 to valid .*\n\n/);
    expect(atEnd).toMatch(
      /^1 cause fails no test, as only SHOULD checks failed:\n\n1\. Answers 401 to valid /,
    );
    expect(atEnd).toContain('checks    auth/accepts-scheme-in-any-case\n');
  });

  test('are skipped, and say why, if the store does not start', () => {
    const tests = testsOf('no start');
    expect(tests).toHaveLength(catalogue.length);
    expect(new Set(tests.map(({ status }) => status))).toEqual(new Set(['skipped']));
    expect(ran.stderr).toContain('port in use');
  });

  test('pass for a store that they start and stop, and fail the process if one fails', () => {
    const own = testsOf('their own store');
    expect(own).toHaveLength(catalogue.length);
    expect(own.filter(({ status }) => status === 'failed')).toEqual([]);
    expect([ran.code, ran.stderr]).toEqual([1, expect.not.stringContaining('Unhandled')]);
  });
});

describe('the tests of this repository', () => {
  // test/readme.test.ts selects one that passes.
  test('take their options from the environment, and -t selects some by the names of their checks', async () => {
    await withStore('always-204', async ({ url }) => {
      const env = { PLANT_STORE_URL: url, PLANT_STORE_TOKEN: TOKEN, PLANT_STORE_STRICT: '1' };
      const id = 'ordinary/accepts-charset-parameter';
      const { code, tests } = await byVitest(['--project', 'conformance', '-t', id], env);
      expect(code).toBe(1);
      const executed = tests.filter(({ status }) => ['passed', 'failed'].includes(status));
      expect(executed.map(({ title, status, failureMessages }) => [title, status, failureMessages])).toEqual([
        [id, 'failed', [expect.stringContaining('(1 check, SHOULD)')]],
      ]);
    });
  });
});
