import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { BaselineEntry, RunRecord } from '../index.ts';
import { run } from '../index.ts';
import { ciResultOf } from '../lib/report/baseline/ci-result.ts';
import { suite } from './helpers/command.ts';
import { TOKEN, withStore } from './helpers/stores.ts';

const env = { PLANT_STORE_TOKEN: TOKEN };
const QUICK = ['--only', 'invalid/rejects-nu*', '--seed', '3', '--quiet'];

/** Writes a baseline file and returns its path. */
const written = (text: string) => {
  const file = join(mkdtempSync(join(tmpdir(), 'plant-store-')), 'baseline.yaml');
  writeFileSync(file, text);
  return file;
};

const STORE = 'id-numeral-string';
const records = new Map<string, Promise<RunRecord>>();

/** The record of a run against a store of the fleet; the same run is carried out only once. */
function recordOf(name: string, more = {}): Promise<RunRecord> {
  const key = JSON.stringify([name, more]);
  const record =
    records.get(key) ??
    withStore(name, ({ url }) => {
      const options = { baseUrl: url, token: TOKEN, seed: 3, firstId: 1000n, cases: 30, only: ['invalid/*'] };
      return run({ ...options, ...more }).record;
    });
  records.set(key, record);
  return record;
}

const ciResult = (record: RunRecord, ...entries: BaselineEntry[]) =>
  ciResultOf(record, { file: 'baseline.yaml', entries });

const failedIds = ({ results }: RunRecord) =>
  results.filter(({ verdict, level }) => verdict === 'fail' && level === 'MUST').map(({ id }) => id);

describe('a baseline', () => {
  test('that lists every failure makes the CI result pass, and does not change the verdict', async () => {
    const record = await recordOf(STORE);
    const { exitCode, reason, baseline } = ciResult(
      record,
      ...failedIds(record).map((id) => ({ id, reason: 'known' })),
    );
    expect([record.outcome, record.ciResult.exitCode, exitCode]).toEqual(['nonconformant', 1, 0]);
    expect(reason).toContain('known deviation');
    expect(baseline?.entries.map(({ state }) => state)).toEqual(failedIds(record).map(() => 'known'));
  });

  test('that omits a failure makes it fail', async () => {
    const record = await recordOf(STORE);
    const [, ...others] = failedIds(record);
    expect(ciResult(record, ...others.map((id) => ({ id, reason: 'known' }))).exitCode).toBe(1);
  });

  test('with a fingerprint covers only that problem', async () => {
    const record = await recordOf(STORE, { only: ['invalid/rejects-numeric-string-id'] });
    const [problem] = record.results.flatMap(({ problems }) => problems);
    const entry = { id: 'invalid/rejects-numeric-string-id', reason: 'known' };
    expect(ciResult(record, { ...entry, fingerprints: [problem?.fingerprint ?? ''] }).exitCode).toBe(0);
    const other = ciResult(record, { ...entry, fingerprints: ['f00000000000'] });
    expect([other.exitCode, other.baseline?.entries[0]?.state]).toEqual([1, 'stale']);
  });

  test('makes the CI result fail if the check of an entry passes now, and says what to delete', async () => {
    const record = await recordOf('reference', { only: ['ordinary/answers-200'] });
    const { exitCode, baseline } = ciResult(record, { id: 'ordinary/answers-200', reason: 'was so' });
    expect(exitCode).toBe(1);
    expect(baseline?.entries[0]).toMatchObject({
      state: 'stale',
      remedy: 'delete the entry ordinary/answers-200: the check passes now',
    });
  });

  test('applies until its date, inclusive', async () => {
    const record = await recordOf(STORE, { only: ['invalid/rejects-numeric-string-id'] });
    const day = record.startedAt.slice(0, 10);
    const entry = { id: 'invalid/rejects-numeric-string-id', reason: 'known' };
    expect(ciResult(record, { ...entry, until: day }).exitCode).toBe(0);
    const expired = ciResult(record, { ...entry, until: '2020-02-29' });
    expect([expired.exitCode, expired.baseline?.entries[0]?.state]).toEqual([1, 'expired']);
  });

  test('does not treat a failure as fixed if random cases with another seed may have missed it', async () => {
    const record = await recordOf(STORE, {
      only: ['invalid/rejects-numeric-string-id', 'ordinary/accepts-any-plant'],
    });
    const lucky = { id: 'ordinary/accepts-any-plant', reason: 'now and then' };
    const faulty = ciResult(record, { id: 'invalid/rejects-numeric-string-id', reason: 'known' }, lucky);
    expect([faulty.exitCode, faulty.baseline?.entries[1]?.state]).toEqual([0, 'not-evaluated']);
    const well = ciResult(await recordOf('reference', { only: ['ordinary/accepts-any-plant'] }), lucky);
    expect([well.exitCode, well.baseline?.entries[0]?.state]).toEqual([1, 'stale']);
  });

  test('does not evaluate the entry of a check that was not run', async () => {
    const record = await recordOf('reference', { only: ['ordinary/answers-200'] });
    const { exitCode, baseline } = ciResult(record, { id: 'invalid/rejects-null', reason: 'known' });
    expect([exitCode, baseline?.entries[0]?.state]).toEqual([0, 'not-evaluated']);
  });

  test('does not turn a store that could not be judged into a pass', async () => {
    const { record } = run({ baseUrl: 'http://127.0.0.1:1', token: TOKEN });
    expect(ciResult(await record, { id: 'ordinary/answers-200', reason: 'known' }).exitCode).toBe(3);
  });
});

describe('on the command line', () => {
  test('--write-baseline writes a baseline with which the next run passes', async () => {
    await withStore(STORE, async ({ url }) => {
      const file = join(mkdtempSync(join(tmpdir(), 'plant-store-')), 'known.yaml');
      const first = await suite(['run', url, ...QUICK, '--write-baseline', file], env);
      expect([first.code, first.stderr]).toEqual([0, expect.stringContaining(`${file} lists`)]);
      const again = await suite(['run', url, ...QUICK, '--baseline', file], env);
      expect(again.stdout).toMatch(
        /^NOT CONFORMANT .*\nCI RESULT pass {2}no failures except \d known deviations? /,
      );
      expect(again.code).toBe(0);
      writeFileSync(file, readFileSync(file, 'utf8').replace('TODO\n', 'The gateway does it.\n'));
      await suite(['run', url, ...QUICK, '--write-baseline', file], env);
      expect(readFileSync(file, 'utf8')).toContain('The gateway does it.');
    });
  });

  test('--write-baseline writes nothing for a store that could not be judged', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'plant-store-')), 'known.yaml');
    const { code, stderr } = await suite(['run', 'http://127.0.0.1:1', '--write-baseline', file], env);
    expect([code, stderr]).toEqual([3, expect.stringContaining('was not written')]);
    expect(() => readFileSync(file)).toThrow();
  });

  test.each([
    [
      '- id: invalid/rejects-nul\n  reason: x\n',
      ':1:7: no check is called invalid/rejects-nul; change it to invalid/rejects-null, or delete',
    ],
    [
      '- id: auth/observe-rejections\n  reason: x\n',
      'auth/observe-rejections only records observations; delete the entry',
    ],
    [
      '- id: invalid/rejects-null\n  reason: x\n- id: invalid/rejects-null\n  reason: y\n',
      ':3:3: invalid/rejects-null is listed twice',
    ],
    ['- id: invalid/rejects-null\n', ':1:3: 0 needs reason'],
    ['- id: invalid/rejects-null\n  raeson: x\n', 'unknown key raeson; did you mean reason?'],
    ['- id: invalid/rejects-null\n  reason: x\n  until: soon\n', ':3:10: 0.until must match format "date"'],
    [
      'invalid/rejects-null: x\n',
      'unknown key invalid/rejects-null; the keys are seed, cases, thorough, since, total, entries, failures',
    ],
    [
      'seed: 3\nentries:\n  - id: invalid/rejects-nul\n    reason: x\n',
      ':3:9: no check is called invalid/rejects-nul',
    ],
    [
      '- id: invalid/rejects-null\n  reason: x\n  fingerprints: [f1]\n',
      '0.fingerprints.0 must match pattern',
    ],
    ['- [\n', 'is not YAML'],
    [
      'entries:\n  - cause: c0123456789a\n    reason: x\nfailures:\n  c0123456789a:\n    invalid/rejects-nul: f0123456789a\n',
      ':6:26: no check is called invalid/rejects-nul; change it to invalid/rejects-null',
    ],
    ['- cause: c0123456789a\n  reason: x\n  id: y\n', 'unknown key id; the keys are cause, reason'],
  ])('%j is rejected with its place', async (text, message) => {
    const file = written(text);
    const { code, stderr } = await suite(['run', '--baseline', file], env);
    expect(code).toBe(2);
    expect(stderr).toContain(file);
    expect(stderr).toContain(message);
    expect(stderr.trim().split('\n').length).toBeLessThan(3);
  });

  test('a baseline that does not exist is rejected with the option that writes it', async () => {
    const { code, stderr } = await suite(['run', '--baseline', 'nowhere.yaml'], env);
    expect([code, stderr]).toEqual([
      2,
      'nowhere.yaml: no such file; --write-baseline nowhere.yaml writes it\n',
    ]);
  });

  test('a stale entry ends in exit code 1, and says what to do', async () => {
    await withStore('reference', async ({ url }) => {
      const file = written('- id: invalid/rejects-null\n  reason: x\n');
      const { code, stdout } = await suite(['run', url, ...QUICK, '--baseline', file], env);
      expect(code).toBe(1);
      expect(stdout).toMatch(/^PASSED THE SELECTED CHECKS/);
      expect(stdout).toContain('delete the entry invalid/rejects-null: the check passes now');
    });
  });
});
