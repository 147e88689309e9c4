import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { catalogue, type RunRecord } from '../index.ts';
import { packageFile } from '../lib/package.ts';
import { ended, FEW_CASES, start, suite } from './command.ts';
import { TOKEN, withStore } from './stores.ts';

interface VitestReport {
  readonly success: boolean;
  readonly numTotalTests: number;
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly title: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

const VITEST = packageFile('node_modules/vitest/vitest.mjs');

async function byVitest(env: Readonly<Record<string, string>>, args: readonly string[] = []) {
  const out = join(mkdtempSync(join(tmpdir(), 'plant-store-')), 'vitest.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${out}`];
  const run = ['run', '--project', 'conformance', ...reporters, ...args];
  const { code, stderr } = await ended(start(process.execPath, [VITEST, ...run], { CI: '1', ...env }));
  const report = JSON.parse(readFileSync(out, 'utf8')) as VitestReport;
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  return { code, stderr, report, tests };
}

/** Runs a test file of another project, in the folder of the package so that Node resolves it by its own name. */
async function inProject(text: string) {
  const folder = mkdtempSync(packageFile('reports/their-project-'));
  const binding = `import { plantStoreConformance } from 'plant-store-conformance/vitest';`;
  writeFileSync(join(folder, 'store.test.mjs'), `${binding}\n${text}`);
  writeFileSync(join(folder, 'vitest.config.mjs'), 'export default {};');
  const out = join(folder, 'vitest.json');
  const args = ['--root', folder, '--reporter=default', '--reporter=json', `--outputFile.json=${out}`];
  const { code, stderr } = await ended(start(process.execPath, [VITEST, 'run', ...args], { CI: '1' }));
  const report = JSON.parse(readFileSync(out, 'utf8')) as VitestReport;
  rmSync(folder, { recursive: true });
  return { code, stderr, report };
}

/** The vitest status of each verdict. */
const STATUS = {
  pass: 'passed',
  fail: 'failed',
  observed: 'passed',
  untestable: 'failed',
  skipped: 'skipped',
} as const;

describe('the command line and vitest', () => {
  test.each([
    ...['reference', 'crash-deep-500', 'scheme-case', 'auth-any-token', 'tag-null'],
    ...['always-200-empty-object', 'always-204', 'always-400', 'always-closed'],
  ])('reach the same verdicts on %s', async (name) => {
    await withStore(name, async ({ url }) => {
      const strict = { PLANT_STORE_STRICT: '1', PLANT_STORE_SEED: '11', ...FEW_CASES };
      const { tests, code, stderr } = await byVitest({
        PLANT_STORE_URL: url,
        PLANT_STORE_TOKEN: TOKEN,
        ...strict,
      });
      const args = ['run', url, '--strict', '--seed', '11', '--format', 'json', '--out', '-'];
      const command = await suite(args, { PLANT_STORE_TOKEN: TOKEN });
      const { results } = JSON.parse(command.stdout) as RunRecord;
      const expected = results.map(({ id, level, verdict }) => [
        id,
        level === 'OBSERVE' && verdict === 'untestable' ? 'skipped' : STATUS[verdict],
      ]);
      const actual = tests.map(({ title, status }) => [title, status === 'pending' ? 'skipped' : status]);
      expect(actual).toEqual(expected);
      expect(code === 0).toBe(command.code === 0);
      expect(stderr).not.toContain('Unhandled');
    });
  });

  test.each([
    ['there is no store', 'http://127.0.0.1:1', TOKEN, 'nothing listens there', 'start the store'],
    ['the token is rejected', undefined, 'not-the-right-token', 'rejects the token', 'PLANT_STORE_TOKEN'],
  ])('if %s, every MUST test fails with the reason, and all others are skipped', async (...row) => {
    const [, down, token, reason, remedy] = row;
    await withStore('reference', async ({ url }) => {
      const { code, tests } = await byVitest({
        PLANT_STORE_URL: down ?? url,
        PLANT_STORE_TOKEN: token,
      });
      expect(code).toBe(1);
      const levels = new Map(catalogue.map(({ id, level }) => [id, level]));
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
  });

  test('a failed SHOULD does not fail its test unless the run is strict, but its cause is printed', async () => {
    await withStore('scheme-case', async ({ url }) => {
      const { code, report, stderr } = await byVitest({ PLANT_STORE_URL: url, PLANT_STORE_TOKEN: TOKEN });
      expect([code, report.success]).toEqual([0, true]);
      expect(stderr).toMatch(/\n.*1 SHOULD warned, for 1 cause\n\n1\. Rejects a valid plant with 401 /);
      expect(stderr).toContain('checks    auth/accepts-scheme-in-any-case\n');
    });
  });

  test('if the store does not start, every test is skipped and the reason is printed', async () => {
    const { code, report, stderr } = await inProject(`
      plantStoreConformance({ start: () => { throw new Error('the port is in use'); } });`);
    const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
    expect([code, report.success, tests.length]).toEqual([1, false, catalogue.length]);
    expect(new Set(tests.map(({ status }) => status))).toEqual(new Set(['skipped']));
    expect(stderr).toContain('the port is in use');
  });

  test('a test is named after its check, and -t selects it', async () => {
    const { tests } = await byVitest({}, ['-t', 'auth/rejects-missing-token']);
    expect(tests.filter(({ status }) => status === 'passed').map(({ title }) => title)).toEqual([
      'auth/rejects-missing-token',
    ]);
  });

  test('the binding works in another project', async () => {
    const { code, report } = await inProject(
      `import { startStore } from 'plant-store-conformance';
       plantStoreConformance({
         cases: 5,
         start: async () => {
           const store = await startStore({ token: 'their-own-token' });
           return { baseUrl: store.url, token: store.token, stop: () => store.stop() };
         },
       });`,
    );
    expect(report.numTotalTests).toBeGreaterThan(80);
    expect(code).toBe(0);
  });
});
