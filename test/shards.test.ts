import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunRecord, run, UsageError } from '../index.ts';
import { mergeOf } from '../lib/report/record/merge.ts';
import { readRecord } from '../lib/report/record/read-record.ts';
import { suite } from './helpers/command.ts';
import { startNamed, startWith, TOKEN } from './helpers/stores.ts';

const SEED = { seed: 11, firstId: 5_000_000n, cases: 8, timeout: 5000 };

/** Some checks of each kind, where not all are needed. */
const SOME = {
  only: [
    'ordinary/*',
    'invalid/rejects-nu*',
    'invalid/rejects-any-*',
    'combinations/accepts-*',
    'state/answers-any-sequence',
    'observe/id',
    'invariants/*',
  ],
};

const shards = (of: number) => Array.from({ length: of }, (_, index) => ({ index, of }));

/**
 * The record of a whole run, and the merged record of shards, each against a fresh store. The addresses of
 * the stores are replaced by one.
 */
async function bothWays(
  name: string,
  of: number,
  which: { readonly only?: readonly string[]; readonly explain?: number } = SOME,
): Promise<{ whole: RunRecord; merged: RunRecord }> {
  const records: RunRecord[] = [];
  for (const shard of [undefined, ...shards(of)]) {
    const store = await startNamed(name);
    const options = { ...SEED, ...which, baseUrl: store.url, token: TOKEN, concurrency: 1 };
    const record = await run({ ...options, shard }).record;
    await store.stop();
    const { hostname, port } = new URL(store.url);
    const text = JSON.stringify(record)
      .replaceAll(`${hostname}:${port}`, '127.0.0.1:1')
      .replaceAll(`/dev/tcp/${hostname}/${port}`, '/dev/tcp/127.0.0.1/1');
    records.push(JSON.parse(text) as RunRecord);
  }
  const [whole, ...parts] = records;
  if (whole === undefined) throw new Error('no record of the whole run');
  return { whole, merged: mergeOf(parts.map((record, index) => ({ file: `${index}.json`, record }))) };
}

/** A record without times. */
const timeless = (record: RunRecord): RunRecord =>
  JSON.parse(JSON.stringify({ ...record, latency: null }), (key, value: unknown) => {
    if (['seconds', 'startedAt', 'ms'].includes(key) || key.startsWith('response-time-ms/')) return null;
    return Array.isArray(value) && String(value[0]).toLowerCase() === 'date' ? ['date', ''] : value;
  }) as RunRecord;

/** A record without counts of requests, since each shard shrinks the first failure that it finds. */
const uncounted = ({ requests: _requests, created: _created, ...record }: RunRecord) => ({
  ...record,
  // Each shard makes its own experiments.
  causes: record.causes.map(({ title }) => title),
  results: record.results.map((result) =>
    result.kind === 'invariant'
      ? { ...result, cases: 0, failed: 0, problems: [], exchanges: [] }
      : { ...result, exchanges: result.exchanges.slice(0, 1) },
  ),
});

describe('the shards of a run', () => {
  test.each([
    [2, SOME],
    [7, { cases: 1 }],
  ])('%d of them together send what the whole run sends', { retry: 2 }, async (of, which) => {
    // A request whose connection a busy machine closes is sent again, so that a retry may be needed.
    const seen: string[] = [];
    const store = await startWith(() => ({
      route: ({ method, message, body }) => {
        seen.push(
          `${method} ${message.url} ${JSON.stringify(message.rawHeaders)} ${body.toString('latin1')}`,
        );
      },
    }));
    const sent = async (more: object) => {
      seen.length = 0;
      await run({ ...SEED, ...which, baseUrl: store.url, token: TOKEN, ...more }).record;
      return [...seen];
    };
    const whole = await sent({});
    const parts: string[] = [];
    for (const shard of shards(of)) {
      const [first, ...others] = await sent({ shard });
      expect(first).toBe(whole[0]);
      parts.push(...(shard.index === 0 ? [first ?? '', ...others] : others));
    }
    await store.stop();
    expect(parts.sort().join('\n')).toBe(whole.sort().join('\n'));
  });

  test.each(['reference'])(
    'the merged record of %s equals that of the whole run except for times',
    async (name) => {
      const { whole, merged } = await bothWays(name, 3);
      expect(timeless(merged)).toEqual(timeless(whole));
    },
  );

  test.each(['id-numeral-string', 'always-400'])(
    'the merged record of %s has the same failures, with the first of each check shrunk alike',
    async (name) => {
      const { whole, merged } = await bothWays(name, 3);
      expect(uncounted(timeless(merged))).toEqual(uncounted(timeless(whole)));
      expect(merged.requests).toBeGreaterThanOrEqual(whole.requests);
    },
  );

  test('the merged record of always-204 has the same untestable checks as the whole run', async () => {
    const { whole, merged } = await bothWays('always-204', 3, { ...SOME, explain: 0 });
    const untestable = ({ results }: RunRecord) =>
      results.flatMap(({ id, verdict, blockedBy, reason }) =>
        verdict === 'untestable' ? [[id, blockedBy, reason]] : [],
      );
    expect(untestable(whole).map(([id]) => id)).toContain('ordinary/echoes-name');
    expect(untestable(merged)).toEqual(untestable(whole));
  });

  test('the merged record of a single shard equals that of the whole run except for times', async () => {
    const { whole, merged } = await bothWays('reference', 1);
    expect(timeless(merged)).toEqual(timeless(whole));
  });
});

describe('merge', () => {
  const folder = mkdtempSync(join(tmpdir(), 'shards-'));
  const file = (name: string) => join(folder, `${name}.json`);
  const write = (name: string, record: unknown) => writeFileSync(file(name), JSON.stringify(record));

  beforeAll(async () => {
    const store = await startNamed('reference');
    const options = {
      ...SEED,
      baseUrl: store.url,
      token: TOKEN,
      only: ['ordinary/answers-*', 'ordinary/echoes-*'],
    };
    for (const shard of shards(3)) write(`shard-${shard.index + 1}`, await run({ ...options, shard }).record);
    write('whole', await run(options).record);
    write('other-seed', await run({ ...options, seed: 12, shard: { index: 1, of: 3 } }).record);
    write('other-filter', await run({ ...options, only: ['ordinary/*'], shard: { index: 1, of: 3 } }).record);
    write('half', await run({ ...options, shard: { index: 1, of: 2 } }).record);
    await store.stop();
  }, 60_000);
  afterAll(() => rmSync(folder, { recursive: true }));

  test('prints the merged report and writes its record, with the shards in any order', async () => {
    const { code, stdout } = await suite(
      ['merge', ...['shard-3', 'shard-1', 'shard-2'].map(file), '--out', join(folder, 'out')],
      {},
      folder,
    );
    expect(stdout).toMatch(/^PASSED THE SELECTED CHECKS: 3 of \d+ MUST; SHOULD/m);
    expect(stdout).not.toContain('part');
    expect(code).toBe(0);
    const record = JSON.parse(readFileSync(join(folder, 'out', 'report.json'), 'utf8')) as RunRecord;
    expect(record.options.shard).toBeNull();
  });

  test.each([
    ['two missing shards', ['shard-2'], '1/3, 3/3 of the run are missing'],
    ['a shard that is there twice', ['shard-1', 'shard-2', 'shard-2', 'shard-3'], 'are both shard 2/3'],
    ['another seed', ['shard-1', 'other-seed', 'shard-3'], 'its --seed differs'],
    ['another filter', ['shard-1', 'other-filter', 'shard-3'], 'its --only or --skip differs'],
    ['another number of shards', ['shard-1', 'half'], 'is one of 2 shards, not of 3'],
    ['a whole run', ['whole'], 'the record of a whole run'],
  ])('rejects %s', (_what, names, says) => {
    const records = names.map(file).map((path) => ({ file: path, record: readRecord(path) }));
    expect(() => mergeOf(records)).toThrow(UsageError);
    expect(() => mergeOf(records)).toThrow(says);
  });

  test('ends with exit code 2 if a shard is missing, and says which', async () => {
    const { code, stderr } = await suite(['merge', ...['shard-1', 'shard-3'].map(file)], {}, folder);
    expect(stderr).toContain('2/3 of the run is missing');
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(code).toBe(2);
  });

  test('reports a shard as a part of a run', async () => {
    const { stdout } = await suite(['render', file('shard-2')]);
    expect(stdout).toContain('This is shard 2/3 of a run');
    expect(stdout).toContain('--shard 2/3');
  });
});

test.each([
  ['without a seed', ['--shard', '1/2', '--first-id', '5'], '--seed and --first-id'],
  ['beyond the last', ['--shard', '3/2', '--seed', '1', '--first-id', '5'], 'I/N'],
  ['that is invalid', ['--shard', 'half', '--seed', '1', '--first-id', '5'], 'I/N'],
])('rejects a shard %s', async (_what, args, says) => {
  const { code, stderr } = await suite(['run', 'http://127.0.0.1:1', '--token', 'abcdefgh', ...args]);
  expect(stderr).toContain(says);
  expect(code).toBe(2);
});
