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
  const run = ['run', '--project', 'conformance', '--reporter=json', `--outputFile=${out}`, ...args];
  const { code, stderr } = await ended(start(process.execPath, [VITEST, ...run], { CI: '1', ...env }));
  const report = JSON.parse(readFileSync(out, 'utf8')) as VitestReport;
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  return { code, stderr, report, tests };
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

  test('a failed SHOULD does not fail its test unless the run is strict', async () => {
    await withStore('scheme-case', async ({ url }) => {
      const { code, report } = await byVitest({ PLANT_STORE_URL: url, PLANT_STORE_TOKEN: TOKEN });
      expect([code, report.success]).toEqual([0, true]);
    });
  });

  test('a test is named after its check, and -t selects it', async () => {
    const { tests } = await byVitest({}, ['-t', 'auth/rejects-missing-token']);
    expect(tests.filter(({ status }) => status === 'passed').map(({ title }) => title)).toEqual([
      'auth/rejects-missing-token',
    ]);
  });

  test('the binding works in another project', async () => {
    // In the folder of the package, so that Node resolves the package by its own name.
    const folder = mkdtempSync(packageFile('reports/their-project-'));
    writeFileSync(
      join(folder, 'store.test.mjs'),
      `import { plantStoreConformance } from 'plant-store-conformance/vitest';
       import { startStore } from 'plant-store-conformance';
       plantStoreConformance({
         cases: 5,
         start: async () => {
           const store = await startStore({ token: 'their-own-token' });
           return { baseUrl: store.url, token: store.token, stop: () => store.stop() };
         },
       });`,
    );
    writeFileSync(join(folder, 'vitest.config.mjs'), 'export default {};');
    const { code, stdout } = await ended(
      start(process.execPath, [VITEST, 'run', '--root', folder, '--reporter=json'], {
        CI: '1',
      }),
    );
    const report = JSON.parse(stdout.slice(stdout.indexOf('{'))) as VitestReport;
    rmSync(folder, { recursive: true });
    expect(report.numTotalTests).toBeGreaterThan(80);
    expect(code).toBe(0);
  });
});
