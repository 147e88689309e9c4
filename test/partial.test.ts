import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FORMATS, type RunRecord, run } from '../index.ts';
import { comparisonOf } from '../lib/compare/build-comparison.ts';
import { COMPARISON_FORMATS } from '../lib/compare/formats.ts';
import { comparisonText } from '../lib/compare/terminal.ts';
import { annotations } from '../lib/report/formats/annotations.ts';
import { uncoloured } from '../lib/report/wording/format-text.ts';
import { suite } from './helpers/command.ts';
import { TOKEN, withStore } from './helpers/stores.ts';

const env = { PLANT_STORE_TOKEN: TOKEN };

const recordOf = (name: string, more: object): Promise<RunRecord> =>
  withStore(
    name,
    ({ url }) => run({ baseUrl: url, token: TOKEN, seed: 3, firstId: 1000n, cases: 10, ...more }).record,
  );

const ends = ({ outcome, ciResult }: RunRecord) => [outcome, ciResult.exitCode];

describe('a run without some checks', () => {
  test.each([
    ['passes if the others pass', 'reference', { only: ['ordinary/answers-*'] }, ['partial', 0]],
    ['passes with --skip as well', 'reference', { skip: ['auth/answers-with-a-challenge'] }, ['partial', 0]],
    ['is nonconformant if a check fails', 'create-201', { only: ['ordinary/*'] }, ['nonconformant', 1]],
    [
      'is undetermined if its checks depend on others that fail',
      'create-303',
      { only: ['auth/rejects-missing-token'] },
      ['undetermined', 3],
    ],
    ['is a usage error if it only observes', 'create-201', { only: ['observe/*'] }, ['partial', 2]],
    ['is a usage error if it sends nothing', 'reference', { only: ['invariants/*'] }, ['partial', 2]],
    [
      'is a usage error if it has only SHOULD checks, without --strict',
      'reference',
      { only: ['auth/answers-with-a-challenge', 'auth/answers-401'] },
      ['partial', 2],
    ],
    [
      'passes with only SHOULD checks, with --strict',
      'reference',
      { only: ['auth/answers-401'], strict: true },
      ['partial', 0],
    ],
    [
      'judges the exchanges of other checks',
      'http-get-500',
      { only: ['observe/*', 'invariants/no-server-error'] },
      ['nonconformant', 1],
    ],
  ])('%s', async (_what, name, options, wanted) => {
    expect(ends(await recordOf(name, options))).toEqual(wanted);
  });

  test('is reported as partial, never as conformant, in every format', async () => {
    const record = await recordOf('reference', { only: ['ordinary/answers-*', 'auth/answers-401'] });
    const total = Object.values(record.summary.MUST).reduce((sum, count) => sum + count, 0);
    const said = `assed the selected checks: 3 of ${total} MUST`;
    for (const format of ['terminal', 'markdown', 'html'] as const) {
      const text = FORMATS[format].render(record);
      expect(text.replace('PASSED THE SELECTED CHECKS', 'passed the selected checks'), format).toContain(
        said,
      );
      expect(text, format).not.toMatch(/\bCONFORMANT|is conformant/);
    }
    expect(FORMATS.junit.render(record)).toContain('name="outcome" value="partial"');
    expect(annotations(record)[0]).toContain(`::notice title=p${said.replace(':', '%3A')}`);
    const compared = comparisonOf(
      [
        { name: 'a', record },
        { name: 'b', record },
      ],
      null,
    );
    expect(compared.exitCode).toBe(0);
    for (const text of [comparisonText(compared, uncoloured), COMPARISON_FORMATS.markdown.render(compared)]) {
      expect(text).toContain('partial');
      expect(text).not.toMatch(/\bconformant\b/);
    }
    expect(COMPARISON_FORMATS.html.render(compared).includes('Both stores passed the selected checks')).toBe(
      true,
    );
  });

  test('that judged nothing says so, exits with 2, and shows its observations', async () => {
    await withStore('create-201', async ({ url }) => {
      const out = mkdtempSync(join(tmpdir(), 'plant-store-'));
      const args = ['run', url, '--only', 'observe/paths', '--out', out, '--format', 'json,junit,markdown'];
      const { code, stdout } = await suite(args, { ...env, GITHUB_ACTIONS: 'true' });
      expect(code).toBe(2);
      expect(stdout).toMatch(/^NOTHING WAS JUDGED; 1 observed; \d+ not selected$/m);
      expect(stdout).toContain('--only and --skip exclude every MUST check that sends requests');
      const { observations } = JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')) as RunRecord;
      expect(Object.keys(observations).length).toBeGreaterThan(0);
      expect(readFileSync(join(out, 'report.junit.xml'), 'utf8')).toContain('type="nothing-judged"');
      expect(readFileSync(join(out, 'report.md'), 'utf8')).toContain('CI result: **fail** (exit code 2)');
    });
  });
});
