import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunRecord } from '../index.ts';
import type { RunningStore } from '../reference/store.ts';
import { ended, startSuite, suite } from './helpers/command.ts';
import { startNamed, TOKEN } from './helpers/stores.ts';

const ENV = { PLANT_STORE_TOKEN: TOKEN, PLANT_STORE_SEED: '5', PLANT_STORE_FIRST_ID: '7000000' };

/** Some checks of each kind. */
const SOME = [
  'ordinary/*',
  'invalid/*',
  'combinations/accepts-*',
  'state/answers-*',
  'observe/id',
  'invariants/*',
].flatMap((id) => ['--only', id]);

describe('jobs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'jobs-'));
  let store: RunningStore;
  beforeAll(async () => {
    store = await startNamed('reference');
  });
  afterAll(async () => {
    await store.stop();
    rmSync(folder, { recursive: true });
  });

  const recordOf = async (name: string, ...args: readonly string[]): Promise<RunRecord> => {
    const out = join(folder, name);
    const { code, stderr } = await suite(['run', store.url, '--out', out, ...args], ENV);
    expect(code, stderr).toBe(0);
    return JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')) as RunRecord;
  };

  test('together send and record what one run does', async () => {
    const limits = ['--concurrency', '9', '--max-requests', '100000', ...SOME];
    const one = await recordOf('one', ...limits);
    const three = await recordOf('three', ...limits, '--jobs', '3');
    const of = ({ document, target, options, requests, created, summary, observations }: RunRecord) => ({
      document,
      target,
      options,
      requests,
      created,
      summary,
      observations: Object.keys(observations),
    });
    expect(of(three)).toEqual(of(one));
    const each = ({ results }: RunRecord) => results.map(({ id, verdict, cases }) => [id, verdict, cases]);
    expect(each(three)).toEqual(each(one));
  });

  test('share a seed and a first id even if the user gave none', async () => {
    const { stdout, code } = await suite(['run', store.url, '--jobs', '2', '--only', 'ordinary/*'], {
      PLANT_STORE_TOKEN: TOKEN,
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/--seed \d+ --first-id \d+/);
  });

  test('end when the run is interrupted, and still report', async () => {
    const args = ['run', store.url, '--jobs', '2', '--cases', '1000000', '--out', join(folder, 'cut')];
    const child = startSuite([...args, '--only', 'ordinary/accepts-any-plant'], ENV);
    child.stderr?.once('data', () => setTimeout(() => child.kill('SIGINT'), 1500));
    const { code, stdout } = await ended(child);
    expect(stdout).toContain('the run was interrupted');
    expect(code).toBe(3);
  });

  test('report the causes of all jobs', async () => {
    const faulty = await startNamed('id-numeral-string');
    const { code, stdout } = await suite(['run', faulty.url, '--jobs', '2', '--quiet', ...SOME], ENV);
    await faulty.stop();
    expect(stdout).toMatch(/^1\. Accepts a numeric string such as "\d+" as id/m);
    expect(code).toBe(1);
  });

  test.each([
    ['--bail', ['--bail'], '--jobs cannot be combined with --bail'],
    ['a shard', ['--shard', '1/2'], '--jobs cannot be combined with --shard'],
    ['--start', ['--start', 'node store.js'], '--jobs cannot be combined with --start'],
    ['less than one request in flight for each', ['--concurrency', '1'], '--concurrency 1 is too low'],
  ])('reject %s', async (_what, more, says) => {
    const { code, stderr } = await suite(['run', store.url, '--jobs', '2', ...more], ENV);
    expect(stderr).toContain(says);
    expect(code).toBe(2);
  });
});
