import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadOptions, type RunRecord, run } from '../index.ts';
import { readBaseline } from '../lib/config/baseline.ts';
import { baselineText } from '../lib/config/baseline-text.ts';
import { packageFile } from '../lib/package.ts';
import { ciResultOf } from '../lib/report/baseline/ci-result.ts';
import { FORMATS } from '../lib/report/formats/formats.ts';
import { mergeOf } from '../lib/report/record/merge.ts';
import { readRecord } from '../lib/report/record/read-record.ts';
import { estimate } from '../lib/run/plan/estimate.ts';
import { Ids } from '../lib/run/plan/ids.ts';
import { assignIds } from '../lib/run/plan/plan.ts';
import { catalogue } from '../suites/index.ts';
import { suite } from './helpers/command.ts';
import { TOKEN, withStore } from './helpers/stores.ts';

const SMALL = 'combinations/accepts-ordinary-plants';
const SEED = { seed: 4, firstId: 3_000_000n } as const;

const records = new Map<string, Promise<RunRecord>>();

/** The record of a run against the reference store; the same run is carried out only once. */
function recordOf(more: object): Promise<RunRecord> {
  const key = JSON.stringify(more);
  const record =
    records.get(key) ??
    withStore('reference', ({ url }) => run({ baseUrl: url, token: TOKEN, ...SEED, ...more }).record);
  records.set(key, record);
  return record;
}

const coverageOf = (record: RunRecord, id = SMALL) => record.results.find((one) => one.id === id)?.coverage;

/** Writes a record and reads it again, with validation. */
function reread(record: RunRecord): RunRecord {
  const file = join(mkdtempSync(join(tmpdir(), 'thorough-')), 'report.json');
  writeFileSync(file, JSON.stringify(record));
  return readRecord(file);
}

describe('a run with the default number of cases', () => {
  test('covers every pair of every model, and every report says so', { timeout: 120_000 }, async () => {
    const record = await recordOf({ only: ['combinations/*'] });
    const each = record.results.flatMap(({ id, verdict, coverage }) =>
      verdict === 'skipped' ? [] : [{ id, coverage }],
    );
    expect(each.length).toBeGreaterThan(3);
    for (const { id, coverage } of each) {
      expect(coverage, id).toMatchObject({ strength: 2, covered: coverage?.all, notApplicable: 0 });
      expect(coverage?.all, id).toBeGreaterThan(1000);
    }
    const all = each.reduce((sum, { coverage }) => sum + (coverage?.all ?? 0), 0);
    const line = `all ${all.toLocaleString('en')} pairs of request variations, in ${each.length} checks`;
    for (const format of ['html', 'markdown'] as const)
      expect(FORMATS[format].render(record), format).toContain(line);
    expect(reread(record)).toEqual(record);
  });

  test('reports what it does not cover, and how many values the document does not allow', async () => {
    const overlays = [packageFile('mutants/overlays/limits.yaml')];
    const record = await recordOf({ only: [SMALL, 'combinations/answers-*'], cases: 10, overlays });
    const [some, none] = [
      coverageOf(record),
      coverageOf(record, 'combinations/answers-unconstrained-plants'),
    ];
    expect(some?.covered).toBeLessThan(some?.all ?? 0);
    expect(some?.rows).toBe(13);
    expect(none?.notApplicable).toBeGreaterThan(3);
    expect(FORMATS.html.render(record)).toMatch(
      /[\d,]+ of [\d,]+ pairs of \d+ dimensions; \d+ values not applicable/,
    );
  });
});

describe('a thorough run', () => {
  test('covers every triple, regardless of the number of cases, and reports that it was thorough', async () => {
    const record = await recordOf({ only: [SMALL], cases: 1, thorough: true });
    const coverage = coverageOf(record);
    expect(coverage).toMatchObject({ strength: 3, covered: coverage?.all });
    expect(record.results.find(({ id }) => id === SMALL)?.cases).toBe(coverage?.rows);
    expect(record.options.thorough).toBe(true);
    expect(reread(record)).toEqual(record);
    for (const format of ['html', 'markdown'] as const)
      expect(FORMATS[format].render(record), format).toContain('--thorough');
  });

  test('has a unique id for every triple of every check', () => {
    const range = { first: 2n ** 20n, last: 2n ** 31n - 1n, step: 1n };
    const options = { cases: 1, properties: 3, thorough: true };
    const idsOf = assignIds(catalogue, options, new Ids(range, range.first), { index: 0, of: 1 });
    const sampling = catalogue.filter(({ test: { kind } }) => kind === 'property').slice(-6);
    const ids = sampling.flatMap(({ id }) => {
      const own = idsOf(id).reserve(100_000);
      return Array.from({ length: 100_000 }, (_, index) => own(index));
    });
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('can be requested by flag, environment and file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'thorough-'));
    writeFileSync(join(folder, 'conformance.yaml'), 'thorough: true\n');
    await withStore('reference', async ({ url }) => {
      const common = ['run', url, '--only', 'ordinary/answers-200', '--quiet', '--out'];
      const env = { PLANT_STORE_TOKEN: TOKEN };
      const ways = [
        { args: ['--thorough'], env },
        { args: [], env: { ...env, PLANT_STORE_THOROUGH: 'true' } },
        { args: ['--config', join(folder, 'conformance.yaml')], env },
      ];
      for (const [index, way] of ways.entries()) {
        const out = join(folder, String(index));
        await suite([...common, out, ...way.args], way.env);
        const { options } = JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')) as RunRecord;
        expect(options.thorough, JSON.stringify(way)).toBe(true);
      }
    });
  });
});

describe('the shards of a run', () => {
  const shards = [0, 1].map((index) => ({ index, of: 2 }));
  const part = (record: RunRecord, index: number) => ({ file: `${index}.json`, record });
  /** As if all shards had run against one store. */
  const moved = (record: RunRecord): RunRecord => ({
    ...record,
    target: { ...record.target, baseUrl: 'http://a' },
  });

  test.each([{ thorough: true, cases: 1 }, { cases: 120 }, { cases: 20 }])(
    'together cover what the whole run covers: %j',
    async (more) => {
      const whole = await recordOf({ only: [SMALL], ...more });
      const parts: RunRecord[] = [];
      for (const shard of shards) parts.push(moved(await recordOf({ only: [SMALL], ...more, shard })));
      const rows = parts.map((record) => coverageOf(record)?.rows ?? 0);
      expect(Math.max(...rows)).toBeLessThan(coverageOf(whole)?.rows ?? 0);
      const merged = mergeOf(parts.map((record, index) => part(reread(record), index)));
      expect(coverageOf(merged)).toEqual(coverageOf(whole));
      expect(reread(merged)).toEqual(merged);
    },
  );

  test('do not merge if only one of them was thorough', async () => {
    const [first, ...others] = await Promise.all(
      shards.map((shard) => recordOf({ only: [SMALL], cases: 1, maxRequests: 5, shard }).then(moved)),
    );
    if (first === undefined) throw new Error('there is no shard');
    const odd = { ...first, options: { ...first.options, thorough: true } } as RunRecord;
    expect(() => mergeOf([odd, ...others].map(part))).toThrow('its --thorough differs');
  });
});

describe('the estimate', () => {
  test.each([{ only: ['combinations/*'] }, { only: [SMALL], cases: 1, thorough: true }])(
    'includes preceding requests: %j',
    { timeout: 120_000 },
    async (more) => {
      const options = { baseUrl: 'http://127.0.0.1:1', token: TOKEN, ...SEED, ...more };
      const { requests, plants } = await estimate(await loadOptions(options));
      const record = await recordOf(more);
      expect(Math.abs(requests / record.requests - 1)).toBeLessThan(0.1);
      expect(Math.abs(plants / record.created.plants - 1)).toBeLessThan(0.25);
    },
  );
});

test('a baseline is evaluated only by runs as thorough as the one that recorded it', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'thorough-')), 'baseline.yaml');
  const record = await recordOf({ only: [SMALL], cases: 1, maxRequests: 30 });
  const whole = {
    ...record,
    stop: null,
    results: record.results.map((one) => ({ ...one, verdict: 'pass' })),
  } as RunRecord;
  const thorough = { ...whole, options: { ...whole.options, thorough: true } } as RunRecord;
  const entry = { id: SMALL, reason: 'none yet', fingerprints: ['f0123456789a'] };
  for (const [made, same] of [
    [whole, false],
    [thorough, true],
  ] as const) {
    writeFileSync(file, baselineText([{ entry }], made, file));
    const known = readBaseline(file, catalogue);
    expect(known.thorough ?? false).toBe(same);
    const failing = {
      ...thorough,
      results: thorough.results.map((one) =>
        one.id === SMALL ? { ...one, verdict: 'fail', failed: 1, causes: [] } : one,
      ),
    } as RunRecord;
    const [judged] = ciResultOf(failing, known).baseline?.entries ?? [];
    expect(judged?.state).toBe(same ? 'stale' : 'not-evaluated');
  }
});
