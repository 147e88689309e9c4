import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type Baseline, catalogue, FORMATS, type RunRecord, run } from '../index.ts';
import { entriesFor, readBaseline } from '../lib/config/baseline.ts';
import { baselineText } from '../lib/config/baseline-text.ts';
import { ciResultOf } from '../lib/report/baseline/ci-result.ts';
import { openCauses } from '../lib/report/baseline/deviations.ts';
import { diffExitCode, diffOf, diffText } from '../lib/report/diff.ts';
import { causeFingerprint } from '../lib/report/record/fingerprint.ts';
import { Numeral } from '../reference/json.ts';
import type { Steps } from '../reference/store.ts';
import { suite } from './helpers/command.ts';
import { startWith, TOKEN } from './helpers/stores.ts';

/** Independent faults of a store. */
const FAULTS = {
  acceptsStringAsId: (right: Steps): Partial<Steps> => ({
    validate: (value, request) =>
      right.validate(
        value instanceof Map && typeof value.get('id') === 'string'
          ? new Map(value).set('id', new Numeral('5'))
          : value,
        request,
      ),
  }),
  acceptsArrayAsTag: (right: Steps): Partial<Steps> => ({
    validate: (value, request) =>
      right.validate(
        value instanceof Map && Array.isArray(value.get('tag')) ? new Map(value).set('tag', 'fern') : value,
        request,
      ),
  }),
  failsOnObjectAsName: (right: Steps): Partial<Steps> => ({
    validate: (value, request) => {
      if (value instanceof Map && value.get('name') instanceof Map)
        throw new Error('name.trim is not a function');
      return right.validate(value, request);
    },
  }),
  hasTextAsError: (right: Steps): Partial<Steps> => ({
    reject: (rejection, request) => {
      const answer = right.reject(rejection, request);
      return rejection.status === 400
        ? { ...answer, body: JSON.stringify({ error: 'Bad Request', message: rejection.message }) }
        : answer;
    },
  }),
  failsOnArrayAsName: (right: Steps): Partial<Steps> => ({
    validate: (value, request) => {
      if (value instanceof Map && Array.isArray(value.get('name')))
        throw new Error('name.trim is not a function');
      return right.validate(value, request);
    },
  }),
};

type Fault = keyof typeof FAULTS;

const ONLY = ['ordinary/answers-200', 'invalid/rejects-wrong-type', 'invalid/rejects-any-*', 'invariants/*'];

async function withFaults<T>(faults: readonly Fault[], use: (url: string) => Promise<T>): Promise<T> {
  const steps = (right: Steps): Steps => {
    let all = right;
    for (const fault of faults) all = { ...all, ...FAULTS[fault](all) };
    return all;
  };
  const store = await startWith(steps);
  try {
    return await use(store.url);
  } finally {
    await store.stop();
  }
}

const recordOf = (faults: readonly Fault[], more: object = {}): Promise<RunRecord> =>
  withFaults(
    faults,
    (url) => run({ baseUrl: url, token: TOKEN, seed: 3, cases: 150, only: ONLY, ...more }).record,
  );

/** The baseline that --write-baseline makes of a record. */
const baselineOf = (record: RunRecord, before?: Baseline): Baseline => ({
  file: 'baseline.yaml',
  seed: record.options.seed,
  cases: record.options.cases,
  entries: entriesFor(record, before).map(({ entry }) => entry),
});

/** That baseline with a cause that has been fixed since. */
const withFixed = (record: RunRecord): Baseline => {
  const checks = { 'invalid/rejects-any-defect': 'f00000000000' };
  const { entries, ...rest } = baselineOf(record);
  return { ...rest, entries: [...entries, { cause: 'c00000000000', reason: 'TODO', checks }] };
};

const judged = (record: RunRecord, baseline: Baseline): RunRecord => ({
  ...record,
  ciResult: ciResultOf(record, baseline),
});

const newOnes = (before: RunRecord, now: RunRecord): string[] =>
  diffOf(before, now).regressions.map(({ result }) => result.id);

const file = () => join(mkdtempSync(join(tmpdir(), 'plant-store-')), 'baseline.yaml');

describe('the causes of a failing check', () => {
  let one: RunRecord;
  let two: RunRecord;
  let crash: RunRecord;
  let crashes: RunRecord;
  beforeAll(async () => {
    [one, two, crash, crashes] = await Promise.all([
      recordOf(['acceptsStringAsId']),
      recordOf(['acceptsStringAsId', 'acceptsArrayAsTag']),
      recordOf(['failsOnObjectAsName']),
      recordOf(['failsOnObjectAsName', 'failsOnArrayAsName']),
    ]);
  }, 60_000);

  test('are all listed in a baseline with which the same store passes, even with another first id', async () => {
    for (const [record, faults] of [
      [two, ['acceptsStringAsId', 'acceptsArrayAsTag']],
      [crashes, ['failsOnObjectAsName', 'failsOnArrayAsName']],
    ] as const) {
      const baseline = baselineOf(record);
      expect(baseline.entries.every((entry) => 'cause' in entry)).toBe(true);
      const again = ciResultOf(await recordOf(faults), baseline);
      expect([again.exitCode, again.baseline?.entries.map(({ state }) => state)]).toEqual([
        0,
        baseline.entries.map(() => 'known'),
      ]);
    }
  }, 60_000);

  test('are listed in the file under their titles, to be reviewed, with a suggested date', () => {
    const text = baselineText(
      entriesFor(two),
      { ...two, startedAt: '2026-11-22T10:00:00Z' },
      'ci/baseline.yaml',
    );
    expect(text).toMatch(
      /^# yaml-language-server: \$schema=\.\.\/node_modules\/plant-store-conformance\/lib\/config\/baseline.schema.json\n/,
    );
    expect(text).toMatch(
      /^ {2}# Accepts .+ \(invalid\/rejects-[a-z-]+ and \d more\)\n {2}- cause: c[0-9a-f]{11}\n {4}reason: TODO\n {4}# until: 2027-02-20\n/m,
    );
    expect(text).toMatch(
      /\n\n# What failed, .+\nfailures:\n {2}c[0-9a-f]{11}:\n {4}invalid\/rejects-[a-z-]+: f[0-9a-f]{11}/,
    );
    expect(parse(text)).toMatchObject({ since: '2026-11-22', total: baselineOf(two).entries.length });
  });

  test('that a baseline names stay known with another seed, whichever requests show them', async () => {
    const baseline = baselineOf(await recordOf(['failsOnObjectAsName', 'failsOnArrayAsName'], { cases: 10 }));
    const again = judged(
      await recordOf(['failsOnObjectAsName', 'failsOnArrayAsName'], { seed: 4 }),
      baseline,
    );
    expect([again.ciResult.exitCode, openCauses(again)]).toEqual([0, []]);
    // Their failures are other ones, so that only the cause makes them known.
    const named = baseline.entries.flatMap((entry) => ('cause' in entry ? Object.values(entry.checks) : []));
    const failures = again.results.flatMap(({ problems }) => problems.map(({ fingerprint }) => fingerprint));
    expect(failures.filter((name) => !named.some((names) => names.includes(name)))).not.toEqual([]);
  }, 60_000);

  test('that a baseline does not name are new with any seed, even in a check that it names', async () => {
    const now = judged(
      await recordOf(['acceptsStringAsId', 'acceptsArrayAsTag'], { seed: 4 }),
      baselineOf(one),
    );
    expect(now.ciResult.exitCode).toBe(1);
    expect(openCauses(now)).not.toEqual([]);
  }, 60_000);

  test('that other requests show keep their reasons when the file is rewritten', () => {
    const [entry] = baselineOf(two).entries;
    if (entry === undefined || !('cause' in entry)) throw new Error('the baseline lists no cause');
    const other = { 'invalid/rejects-any-defect': 'f00000000000' };
    const before = { ...baselineOf(two), entries: [{ ...entry, reason: 'The gateway.', checks: other }] };
    const [kept] = entriesFor(two, before);
    expect(kept).toEqual({ entry: { ...entry, reason: 'The gateway.', checks: expect.anything() }, from: 0 });
    expect(ciResultOf(two, baselineOf(two, before)).exitCode).toBe(0);
    expect(JSON.stringify(kept)).not.toContain('f00000000000');
  });

  test('are counted as fixed since the first run, and entries whose reason is still TODO are flagged', () => {
    const record = judged(one, { ...withFixed(one), since: '2026-11-22', total: 11 });
    const left = baselineOf(one).entries.length;
    for (const format of ['terminal', 'markdown', 'html'] as const) {
      const text = FORMATS[format].render(record).replace(/\s+/g, ' ');
      expect(text, format).toContain(`${11 - left} of 11 known causes fixed since 2026-11-22`);
      expect(text, format).toContain(
        `${left + 1} entries have the reason TODO: say why the deviation is accepted`,
      );
    }
    const later = { ...one, startedAt: '2126-11-22T00:00:00.000Z' };
    expect(diffText(diffOf(two, later), two, later)).toMatch(
      new RegExp(`; \\d of ${two.causes.length} causes fixed since ${two.startedAt.slice(0, 10)}`),
    );
  });

  test('are the same with another seed, for named and random requests', async () => {
    // Enough cases that every kind of request is sampled.
    const many = (seed: number) => recordOf(['acceptsStringAsId'], { seed, cases: 750 });
    const [three, four] = [await many(3), await many(4)];
    const names = ({ results }: RunRecord) =>
      results.flatMap(({ id, problems }) => problems.map(({ fingerprint }) => `${id} ${fingerprint}`)).sort();
    expect(names(four)).toEqual(names(three));
  }, 60_000);

  test.each(['invalid/rejects-wrong-type', 'invalid/rejects-any-defect', 'invalid/rejects-any-wrong-type'])(
    'of %s: a new one makes the CI result fail and is a regression',
    (id) => {
      const { ciResult, results } = judged(two, baselineOf(one));
      expect(ciResult.exitCode).toBe(1);
      const verdicts = [one, two].map((record) => record.results.find((result) => result.id === id)?.verdict);
      expect(verdicts).toEqual(['fail', 'fail']);
      expect(newOnes(one, two)).toContain(id);
      expect(diffExitCode(diffOf(one, two))).toBe(1);
      expect(diffText(diffOf(one, two), one, two)).toContain('tag is an array');
      expect(results.length).toBe(catalogue.length);
    },
  );

  test.each(['invalid/rejects-wrong-type', 'invalid/rejects-any-defect', 'invariants/no-server-error'])(
    'of %s are distinguished by the request if the responses are the same',
    (id) => {
      expect(newOnes(crash, crashes)).toContain(id);
      expect(ciResultOf(crashes, baselineOf(crash)).exitCode).toBe(1);
      expect(ciResultOf(crash, baselineOf(crash)).exitCode).toBe(0);
    },
  );

  test('are not a regression if there are fewer of them', () => {
    expect([newOnes(two, one), diffExitCode(diffOf(two, one))]).toEqual([[], 0]);
    expect(diffText(diffOf(one, one), one, one)).toContain('No regressions');
  });

  test('are reported as new in terminal, Markdown, HTML and JUnit', () => {
    const record = judged(two, baselineOf(one));
    for (const format of ['terminal', 'markdown', 'html', 'junit'] as const)
      expect(FORMATS[format].render(record), format).toMatch(
        /\d new problems? in a known failing check: accepted: tag is an array/,
      );
  });

  test('are represented by the first new one', () => {
    const record = judged(two, baselineOf(one));
    const [cause] = openCauses(record);
    const lead = cause?.checks.find(({ id }) => id === 'invalid/rejects-wrong-type');
    expect(lead?.exchanges[0]?.problem).toBe('accepted: tag is an array');
  });

  test('are not new if a cause that has been fixed hid them, even once its entry is gone', async () => {
    const before = await recordOf(['failsOnObjectAsName', 'hasTextAsError']);
    const now = await recordOf(['hasTextAsError']);
    const { entries, ...baseline } = { ...baselineOf(before), total: 2 };
    expect(ciResultOf(now, { ...baseline, entries })).toMatchObject({
      exitCode: 1,
      reason: expect.stringMatching(/^1 outdated baseline entry, \d+ known deviations$/),
    });
    const { causes } = judged(now, { ...baseline, entries });
    const left = entries.filter((entry) => 'cause' in entry && entry.cause === causes[0]?.fingerprint);
    expect([left.length, ciResultOf(now, { ...baseline, entries: left }).exitCode]).toEqual([1, 0]);
    expect(newOnes(before, now)).toEqual([]);
  }, 60_000);

  test('are known while experiments find them, even if the file lists no failures for them', () => {
    const entries = baselineOf(two).entries.map((entry) =>
      'cause' in entry ? { ...entry, checks: {} } : entry,
    );
    const baseline = { file: 'baseline.yaml', entries };
    expect(ciResultOf(two, baseline).exitCode).toBe(0);
    expect(ciResultOf(one, baseline).exitCode).toBe(0);
    const well = {
      ...one,
      causes: [],
      outcome: 'conformant' as const,
      results: one.results.map((result) => ({ ...result, verdict: 'pass' as const })),
    };
    expect(ciResultOf(well, baseline).baseline?.entries.map(({ state }) => state)).toEqual(
      entries.map(() => 'stale'),
    );
  });

  test('have their own reasons in the list of known deviations', () => {
    const { entries, ...baseline } = baselineOf(two);
    const reasons = entries.map((entry, index) => ({ ...entry, reason: `reason ${index}` }));
    const text = FORMATS.terminal.render(judged(two, { ...baseline, entries: reasons })).replace(/\s+/g, ' ');
    for (const entry of reasons) {
      const title = two.causes.find(
        ({ fingerprint }) => 'cause' in entry && entry.cause === fingerprint,
      )?.title;
      expect(text).toContain(`${title}: ${entry.reason}`);
    }
  });

  test('make an entry stale if one of them is fixed, and say what to delete', () => {
    const { ciResult } = judged(one, withFixed(one));
    const fixed = ciResult.baseline?.entries.at(-1);
    expect([ciResult.exitCode, fixed?.state, fixed?.remedy]).toEqual([
      1,
      'stale',
      'delete the entry c00000000000 (invalid/rejects-any-defect): its checks no longer fail for this cause',
    ]);
    expect(ciResult.reason).toContain('outdated baseline entr');
  });

  test('that were not recorded are never known', () => {
    const results = crash.results.map((result) =>
      result.id === 'invalid/rejects-wrong-type' ? { ...result, failed: result.failed + 1 } : result,
    );
    const record = judged({ ...crash, results }, baselineOf(crash));
    expect(record.ciResult.exitCode).toBe(1);
    expect(FORMATS.terminal.render(record).replace(/\s+/g, ' ')).toContain(
      '1 failure of a known failing check, about which nothing was recorded',
    );
  });
});

test.each([
  ['intermittent', 'to about one request in 15, whatever it contains', true],
  ['intermittent', 'to about one in 15 requests of the run, whatever it contains', true],
  ['always', 'the body is not a NewPlant (15 of 132 tried)', true],
  ['always', 'name is empty, null or 15 other values', true],
  ['under-concurrency', '5 or more requests are in flight', true],
  ['always', 'name is longer than 15 characters', false],
] as const)('a cause %s keeps its fingerprint with another estimate: %s: %s', (kind, condition, same) => {
  const [one, other] = [condition, condition.replace(/\d+/, '18')].map((words) =>
    causeFingerprint({ symptom: 'answers 500', condition: words, kind }),
  );
  expect(one === other).toBe(same);
});

describe('an entry for a check that now passes', () => {
  const RANDOM = [
    'ordinary/answers-200',
    'invalid/rejects-wrong-type',
    'invalid/rejects-any-malformed-json',
    'invariants/no-server-error',
  ];
  const lucky = (seed?: number): Baseline => ({
    file: 'baseline.yaml',
    ...(seed === undefined ? {} : { seed, cases: 20 }),
    entries: [
      { id: 'invalid/rejects-wrong-type', reason: 'known' },
      { id: 'invalid/rejects-any-malformed-json', reason: 'intermittent' },
      { id: 'invariants/no-server-error', reason: 'intermittent' },
    ],
  });
  const states = (record: RunRecord, baseline: Baseline) =>
    ciResultOf(record, baseline).baseline?.entries.map(({ state }) => state);
  /** The record as if the whole catalogue had been run. */
  const whole = (record: RunRecord): RunRecord => ({
    ...record,
    results: record.results.filter(({ blockedBy }) => blockedBy !== 'user'),
  });
  let record: RunRecord;
  beforeAll(async () => {
    record = await recordOf(['acceptsStringAsId'], { only: RANDOM, cases: 20 });
  }, 60_000);

  test('is stale for random requests with the same seed, and for invariants', () => {
    expect(states(whole(record), lucky(3))).toEqual(['known', 'stale', 'stale']);
    expect(ciResultOf(whole(record), lucky(3)).exitCode).toBe(1);
  });

  test('is also stale with more cases, but not with fewer', () => {
    const of = (cases: number) => whole({ ...record, options: { ...record.options, cases } });
    expect(states(of(21), lucky(3))).toEqual(['known', 'stale', 'stale']);
    expect(states(of(19), lucky(3))).toEqual(['known', 'not-evaluated', 'not-evaluated']);
  });

  test('is not evaluated with another seed or with a plain list, while a known failure remains', () => {
    for (const seed of [4, undefined])
      expect(states(whole(record), lucky(seed))).toEqual(['known', 'not-evaluated', 'not-evaluated']);
  });

  test('is not evaluated for invariants in a partial run', () => {
    expect(states(record, lucky(3))).toEqual(['known', 'stale', 'not-evaluated']);
    const shard = whole({ ...record, options: { ...record.options, shard: '1/2' } });
    expect(states(shard, lucky(3))).toEqual(['known', 'not-evaluated', 'not-evaluated']);
  });

  test('is stale with any seed if no known failure remains', async () => {
    const well = whole(await recordOf([], { only: RANDOM, cases: 20 }));
    expect(states(well, lucky(4))).toEqual(['stale', 'stale', 'stale']);
  });
});

test.each([
  ['refuse/null', ':2:7: refuse/null is now called invalid/rejects-null'],
  ['auth/challenges', ':2:7: auth/challenges is now called auth/answers-with-a-challenge'],
  ['serving/no-such-check', ':2:7: the area serving is now called state'],
])('an entry for the renamed check %s is rejected with its new name', (id, message) => {
  const place = file();
  writeFileSync(place, `# known\n- id: ${id}\n  reason: x\n`);
  expect(() => readBaseline(place, catalogue)).toThrow(`${place}${message}`);
});

describe('--write-baseline', () => {
  const env = { PLANT_STORE_TOKEN: TOKEN };
  const FEW = ['--cases', '10', '--seed', '3', '--quiet', ...ONLY.flatMap((id) => ['--only', id])];

  test('writes the file that the configuration names, and then passes with it', async () => {
    await withFaults(['acceptsStringAsId'], async (url) => {
      const cwd = mkdtempSync(join(tmpdir(), 'plant-store-'));
      writeFileSync(join(cwd, 'conformance.yaml'), 'baseline: known.yaml\n');
      const write = ['run', url, ...FEW, '--write-baseline', 'known.yaml'];
      expect(await suite(write, env, cwd)).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/CI RESULT pass/),
      });
      expect((await suite(['run', url, ...FEW], env, cwd)).code).toBe(0);
      expect((await suite(write, env, cwd)).code).toBe(0);
      expect(parse(readFileSync(join(cwd, 'known.yaml'), 'utf8'))).toMatchObject({ seed: 3, cases: 10 });
    });
  }, 60_000);

  test('keeps comments, reasons and entries of other checks, and adds new causes', async () => {
    const one = await recordOf(['acceptsStringAsId'], { only: ['invalid/rejects-wrong-type'] });
    const [known] = one.results.find(({ id }) => id === 'invalid/rejects-wrong-type')?.problems ?? [];
    const text = `# Ask Kim before you add to this.

- id: invalid/rejects-wrong-type # the old gateway
  # It turns strings into numbers.
  reason: "The gateway: does it"
  fingerprints: [${known?.fingerprint}]
- id: invalid/rejects-any-defect
  reason: gone
  fingerprints: [f00000000000]
# Not checked in this run.
- id: auth/answers-with-a-challenge
  reason: &why later
`;
    const before = { file: 'baseline.yaml', entries: parse(text) as Baseline['entries'] };
    const two = await recordOf(['acceptsStringAsId', 'acceptsArrayAsTag'], {
      only: ['invalid/rejects-wrong-type', 'invalid/rejects-any-defect'],
    });
    const after = baselineText(entriesFor(two, before), two, 'baseline.yaml', { baseline: before, text });
    for (const kept of [
      '# Ask Kim',
      '# the old gateway',
      '# It turns',
      '"The gateway: does it"',
      '# Not checked',
    ])
      expect(after).toContain(kept);
    expect(after).not.toContain('f00000000000');
    const place = file();
    writeFileSync(place, after);
    const now = readBaseline(place, catalogue);
    const about = (entry: Baseline['entries'][number]) =>
      'cause' in entry ? Object.keys(entry.checks).join(' ') : entry.id;
    expect(now.entries.map((entry) => `${about(entry)}: ${entry.reason}`)).toEqual([
      'invalid/rejects-wrong-type: The gateway: does it',
      'auth/answers-with-a-challenge: later',
      'invalid/rejects-wrong-type invalid/rejects-any-defect: TODO',
      'invalid/rejects-wrong-type invalid/rejects-any-defect: TODO',
    ]);
    expect(ciResultOf(two, now).exitCode).toBe(0);
  }, 60_000);

  test('does not change a file with another seed in a partial run', async () => {
    await withFaults(['acceptsStringAsId'], async (url) => {
      const place = file();
      const text = 'seed: 7\ncases: 10\nentries:\n  - id: auth/answers-with-a-challenge\n    reason: later\n';
      writeFileSync(place, text);
      const { code, stderr } = await suite(['run', url, ...FEW, '--write-baseline', place], env);
      expect([code, stderr]).toEqual([1, expect.stringContaining('were recorded with --seed 7 --cases 10')]);
      expect(readFileSync(place, 'utf8')).toBe(text);
    });
  }, 60_000);

  test('writes YAML that is read back unchanged, whatever the reason contains', async () => {
    const record = await recordOf(['acceptsStringAsId'], {
      only: ['invalid/rejects-wrong-type', 'invalid/rejects-any-defect'],
    });
    const [id = ''] = record.results.filter(({ verdict }) => verdict === 'fail').map((result) => result.id);
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 150 }),
      fc.string({ unit: 'grapheme', maxLength: 150 }),
      fc.constantFrom(
        '# ',
        '- ',
        ': ',
        '"',
        "'",
        '\n',
        '\r\n',
        '\t',
        '  ',
        '|',
        '>',
        '&a ',
        '*a',
        '!!int 1',
        '---',
        '...',
        '%',
        '@',
        '`',
        '{',
        ']',
        '2026-12-31',
        'null',
        '~',
        'a'.repeat(200),
        'word '.repeat(60),
        '\u2028',
        '\u0085',
        '\ufeff',
        '\u0000',
        '🌵',
      ),
    );
    const text = fc
      .array(piece, { minLength: 1, maxLength: 6 })
      .map((pieces) => pieces.join(''))
      .filter((reason) => /\S/.test(reason));
    const place = file();
    fc.assert(
      fc.property(text, fc.option(text, { nil: undefined }), fc.boolean(), (reason, issue, inPlace) => {
        const entry = { id, reason, ...(issue === undefined ? {} : { issue }) };
        const before = { file: place, entries: [entry] };
        const kept = entriesFor(record, before);
        const first = baselineText(kept, record, place);
        const earlier = { baseline: before, text: first };
        writeFileSync(place, inPlace ? baselineText(kept, record, place, earlier) : first);
        const read = readBaseline(place, catalogue);
        expect(read.entries.find((one) => 'id' in one && one.id === id)).toEqual(entry);
        expect(ciResultOf(record, read).exitCode).toBe(0);
      }),
      { numRuns: 60 },
    );
  }, 60_000);
});
