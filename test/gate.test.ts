import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { BaselineEntry, RunRecord } from '../index.ts';
import { run } from '../index.ts';
import { gateOf } from '../lib/report/gate.ts';
import { suite } from './command.ts';
import { TOKEN, withStore } from './stores.ts';

const env = { PLANT_STORE_TOKEN: TOKEN };
const QUICK = ['--cases', '30', '--seed', '3', '--quiet'];

/** Writes a baseline, and gives its place. */
const written = (text: string) => {
  const file = join(mkdtempSync(join(tmpdir(), 'plant-store-')), 'baseline.yaml');
  writeFileSync(file, text);
  return file;
};

const STORE = 'id-numeral-string';
const recordOf = (name: string, more = {}): Promise<RunRecord> =>
  withStore(
    name,
    ({ url }) => run({ baseUrl: url, token: TOKEN, seed: 3, firstId: 1000n, cases: 30, ...more }).record,
  );

const gate = (record: RunRecord, ...entries: BaselineEntry[]) =>
  gateOf(record, { file: 'baseline.yaml', entries });

const failedIds = ({ results }: RunRecord) =>
  results.filter(({ verdict, level }) => verdict === 'fail' && level === 'MUST').map(({ id }) => id);

describe('a baseline', () => {
  test('that knows every failure makes the CI result pass, and leaves the verdict alone', async () => {
    const record = await recordOf(STORE);
    const { exitCode, reason, baseline } = gate(
      record,
      ...failedIds(record).map((id) => ({ id, reason: 'known' })),
    );
    expect([record.outcome, record.gate.exitCode, exitCode]).toEqual(['nonconformant', 1, 0]);
    expect(reason).toContain('known deviation');
    expect(baseline?.entries.map(({ state }) => state)).toEqual(failedIds(record).map(() => 'known'));
  });

  test('that leaves one out makes it fail', async () => {
    const record = await recordOf(STORE);
    const [, ...others] = failedIds(record);
    expect(gate(record, ...others.map((id) => ({ id, reason: 'known' }))).exitCode).toBe(1);
  });

  test('with a fingerprint knows that cause and no other', async () => {
    const record = await recordOf(STORE, { only: ['refuse/numeral-in-a-string'] });
    const [cause] = record.results.flatMap(({ causes }) => causes);
    const entry = { id: 'refuse/numeral-in-a-string', reason: 'known' };
    expect(gate(record, { ...entry, fingerprint: cause?.fingerprint ?? '' }).exitCode).toBe(0);
    const other = gate(record, { ...entry, fingerprint: 'f00000000000' });
    expect([other.exitCode, other.baseline?.entries[0]?.state]).toEqual([1, 'stale']);
  });

  test('fails with an entry whose check passes now, and says what to delete', async () => {
    const record = await recordOf('reference', { only: ['create/answers-200'] });
    const { exitCode, baseline } = gate(record, { id: 'create/answers-200', reason: 'was so' });
    expect(exitCode).toBe(1);
    expect(baseline?.entries[0]).toMatchObject({
      state: 'stale',
      remedy: 'delete the entry create/answers-200: the check passes now',
    });
  });

  test('holds until its date, that day included', async () => {
    const record = await recordOf(STORE, { only: ['refuse/numeral-in-a-string'] });
    const day = record.startedAt.slice(0, 10);
    const entry = { id: 'refuse/numeral-in-a-string', reason: 'known' };
    expect(gate(record, { ...entry, until: day }).exitCode).toBe(0);
    const expired = gate(record, { ...entry, until: '2020-02-29' });
    expect([expired.exitCode, expired.baseline?.entries[0]?.state]).toEqual([1, 'expired']);
  });

  test('does not take for fixed what a random check of another seed has missed while the fault is there', async () => {
    const record = await recordOf(STORE, {
      only: ['refuse/numeral-in-a-string', 'create/takes-any-ordinary-plant'],
    });
    const lucky = { id: 'create/takes-any-ordinary-plant', reason: 'now and then' };
    const faulty = gate(record, { id: 'refuse/numeral-in-a-string', reason: 'known' }, lucky);
    expect([faulty.exitCode, faulty.baseline?.entries[1]?.state]).toEqual([0, 'not-evaluated']);
    const well = gate(await recordOf('reference', { only: ['create/takes-any-ordinary-plant'] }), lucky);
    expect([well.exitCode, well.baseline?.entries[0]?.state]).toEqual([1, 'stale']);
  });

  test('says nothing of a check that was not carried out', async () => {
    const record = await recordOf('reference', { only: ['create/answers-200'] });
    const { exitCode, baseline } = gate(record, { id: 'refuse/null', reason: 'known' });
    expect([exitCode, baseline?.entries[0]?.state]).toEqual([0, 'not-evaluated']);
  });

  test('does not make a store judged that could not be', async () => {
    const { record } = run({ baseUrl: 'http://127.0.0.1:1', token: TOKEN });
    expect(gate(await record, { id: 'create/answers-200', reason: 'known' }).exitCode).toBe(3);
  });
});

describe('on the command line', () => {
  test('--write-baseline makes one with which the next run passes', async () => {
    await withStore(STORE, async ({ url }) => {
      const file = join(mkdtempSync(join(tmpdir(), 'plant-store-')), 'known.yaml');
      const first = await suite(['run', url, ...QUICK, '--write-baseline', file], env);
      expect([first.code, first.stderr]).toEqual([0, expect.stringContaining(`${file} holds`)]);
      const again = await suite(['run', url, ...QUICK, '--baseline', file], env);
      expect(again.stdout).toMatch(
        /^NOT CONFORMANT .*\nCI RESULT pass {2}no failure but \d known deviations/,
      );
      expect(again.code).toBe(0);
      writeFileSync(file, readFileSync(file, 'utf8').replace('Not explained yet.', 'The gateway does it.'));
      await suite(['run', url, ...QUICK, '--write-baseline', file], env);
      expect(readFileSync(file, 'utf8')).toContain('The gateway does it.');
    });
  });

  test('--write-baseline writes nothing of a store that could not be judged', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'plant-store-')), 'known.yaml');
    const { code, stderr } = await suite(['run', 'http://127.0.0.1:1', '--write-baseline', file], env);
    expect([code, stderr]).toEqual([3, expect.stringContaining('was not written')]);
    expect(() => readFileSync(file)).toThrow();
  });

  test.each([
    ['- id: refuse/nul\n  reason: x\n', ':1:7: no check is called refuse/nul; name refuse/null, or delete'],
    ['- id: auth/observe-refusals\n  reason: x\n', 'auth/observe-refusals only observes; delete the entry'],
    [
      '- id: refuse/null\n  reason: x\n- id: refuse/null\n  reason: y\n',
      ':3:3: refuse/null stands here twice',
    ],
    ['- id: refuse/null\n', ':1:3: 0 needs reason'],
    ['- id: refuse/null\n  raeson: x\n', 'there is no key raeson; did you mean reason?'],
    ['- id: refuse/null\n  reason: x\n  until: soon\n', ':3:10: 0.until must match format "date"'],
    ['refuse/null: x\n', 'there is no key refuse/null; the keys are seed, cases, thorough, entries'],
    ['seed: 3\nentries:\n  - id: refuse/nul\n    reason: x\n', ':3:9: no check is called refuse/nul'],
    ['- id: refuse/null\n  reason: x\n  fingerprints: [f1]\n', '0.fingerprints.0 must match pattern'],
    ['- [\n', 'is not YAML'],
  ])('%j is refused with its place', async (text, message) => {
    const file = written(text);
    const { code, stderr } = await suite(['run', '--baseline', file], env);
    expect(code).toBe(2);
    expect(stderr).toContain(file);
    expect(stderr).toContain(message);
    expect(stderr.trim().split('\n').length).toBeLessThan(3);
  });

  test('a stale entry ends in 1, with what to do', async () => {
    await withStore('reference', async ({ url }) => {
      const file = written('- id: refuse/null\n  reason: x\n');
      const { code, stdout } = await suite(['run', url, ...QUICK, '--baseline', file], env);
      expect(code).toBe(1);
      expect(stdout).toMatch(/^CONFORMANT /);
      expect(stdout).toContain('delete the entry refuse/null: the check passes now');
    });
  });
});
