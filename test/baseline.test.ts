import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type Baseline, catalogue, FORMATS, type RunRecord, run } from '../index.ts';
import { knownIn, readBaseline } from '../lib/config/baseline.ts';
import { baselineText } from '../lib/config/baseline-text.ts';
import { diffExitCode, diffOf, diffText } from '../lib/report/diff.ts';
import { gateOf } from '../lib/report/gate.ts';
import { recordIn } from '../lib/report/saved.ts';
import { Numeral } from '../reference/json.ts';
import { type Steps, startStore } from '../reference/store.ts';
import { suite } from './command.ts';
import { TOKEN } from './stores.ts';

/** What a store may do wrong, by name; each is a fault of its own. */
const FAULTS = {
  takesStringAsId: (right: Steps): Partial<Steps> => ({
    validate: (value, request) =>
      right.validate(
        value instanceof Map && typeof value.get('id') === 'string'
          ? new Map(value).set('id', new Numeral('5'))
          : value,
        request,
      ),
  }),
  takesArrayAsTag: (right: Steps): Partial<Steps> => ({
    validate: (value, request) =>
      right.validate(
        value instanceof Map && Array.isArray(value.get('tag')) ? new Map(value).set('tag', 'fern') : value,
        request,
      ),
  }),
  failsOnObjectAsName: (right: Steps): Partial<Steps> => ({
    validate: (value, request) => {
      if (value instanceof Map && value.get('name') instanceof Map)
        throw new Error('name.trim is no function');
      return right.validate(value, request);
    },
  }),
  failsOnArrayAsName: (right: Steps): Partial<Steps> => ({
    validate: (value, request) => {
      if (value instanceof Map && Array.isArray(value.get('name')))
        throw new Error('name.trim is no function');
      return right.validate(value, request);
    },
  }),
};

type Fault = keyof typeof FAULTS;

const ONLY = ['create/answers-200', 'refuse/wrong-type', 'refuse/any-*', 'always/*'];

async function withFaults<T>(faults: readonly Fault[], use: (url: string) => Promise<T>): Promise<T> {
  const steps = (right: Steps): Steps => {
    let all = right;
    for (const fault of faults) all = { ...all, ...FAULTS[fault](all) };
    return all;
  };
  const store = await startStore({ token: TOKEN, steps });
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
  entries: knownIn(record, before).map(({ entry }) => entry),
});

const judged = (record: RunRecord, baseline: Baseline): RunRecord => ({
  ...record,
  gate: gateOf(record, baseline),
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
      recordOf(['takesStringAsId']),
      recordOf(['takesStringAsId', 'takesArrayAsTag']),
      recordOf(['failsOnObjectAsName']),
      recordOf(['failsOnObjectAsName', 'failsOnArrayAsName']),
    ]);
  }, 60_000);

  test('all stand in a baseline, with which the same store passes, with another first id as well', async () => {
    for (const [record, faults] of [
      [two, ['takesStringAsId', 'takesArrayAsTag']],
      [crashes, ['failsOnObjectAsName', 'failsOnArrayAsName']],
    ] as const) {
      const baseline = baselineOf(record);
      expect(baseline.entries.every(({ fingerprints = [] }) => fingerprints.length > 0)).toBe(true);
      const again = gateOf(await recordOf(faults), baseline);
      expect([again.exitCode, again.baseline?.entries.map(({ state }) => state)]).toEqual([
        0,
        baseline.entries.map(() => 'known'),
      ]);
    }
  }, 60_000);

  test('are the same with another seed, for named and for random requests', async () => {
    // So many that each kind of request is drawn.
    const many = (seed: number) => recordOf(['takesStringAsId'], { seed, cases: 750 });
    const [three, four] = [await many(3), await many(4)];
    const names = ({ results }: RunRecord) =>
      results.flatMap(({ id, causes }) => causes.map(({ fingerprint }) => `${id} ${fingerprint}`)).sort();
    expect(names(four)).toEqual(names(three));
  }, 60_000);

  test.each(['refuse/wrong-type', 'refuse/any-defect', 'refuse/any-wrong-type'])(
    'of %s: one more makes the CI result fail, and is a regression',
    (id) => {
      const { gate, results } = judged(two, baselineOf(one));
      expect(gate.exitCode).toBe(1);
      const verdicts = [one, two].map((record) => record.results.find((result) => result.id === id)?.verdict);
      expect(verdicts).toEqual(['fail', 'fail']);
      expect(newOnes(one, two)).toContain(id);
      expect(diffExitCode(diffOf(one, two))).toBe(1);
      expect(diffText(diffOf(one, two), one, two)).toContain('tag is an array');
      expect(results.length).toBe(catalogue.length);
    },
  );

  test.each(['refuse/wrong-type', 'refuse/any-defect', 'always/no-server-error'])(
    'of %s are told apart by what was asked, where the answers are the same',
    (id) => {
      expect(newOnes(crash, crashes)).toContain(id);
      expect(gateOf(crashes, baselineOf(crash)).exitCode).toBe(1);
      expect(gateOf(crash, baselineOf(crash)).exitCode).toBe(0);
    },
  );

  test('are no regression where there are fewer of them', () => {
    expect([newOnes(two, one), diffExitCode(diffOf(two, one))]).toEqual([[], 0]);
    expect(diffText(diffOf(one, one), one, one)).toContain('No regressions');
  });

  test('are told as new in the terminal, Markdown, HTML, JUnit and annotations', () => {
    const record = judged(two, baselineOf(one));
    for (const format of ['terminal', 'markdown', 'html', 'junit'] as const)
      expect(FORMATS[format].render(record), format).toMatch(
        /\d new causes? in a known failing check: taken: tag is an array/,
      );
  });

  test('are shown by the first that is new', () => {
    const text = FORMATS.terminal.render(judged(two, baselineOf(one)));
    expect(text).toMatch(/^1\. taken: tag is an array/m);
    expect(text).not.toMatch(/^\d\. taken: id is/m);
  });

  test('make an entry stale where one of them is fixed, and say what to delete', () => {
    const { gate } = judged(one, baselineOf(two));
    const entry = gate.baseline?.entries.find(({ id }) => id === 'refuse/wrong-type');
    expect([gate.exitCode, entry?.state]).toEqual([1, 'stale']);
    expect(entry?.remedy).toMatch(
      /^delete f[0-9a-f]{11} from the entry refuse\/wrong-type: the check no longer fails for that cause$/,
    );
    expect(gate.reason).toContain('of the baseline out of date');
  });

  test('that are more than are told apart never pass for known', () => {
    const results = crash.results.map((result) =>
      result.id === 'refuse/wrong-type' ? { ...result, failed: result.failed + 1 } : result,
    );
    const record = judged({ ...crash, results }, baselineOf(crash));
    expect(record.gate.exitCode).toBe(1);
    expect(FORMATS.terminal.render(record)).toContain(
      '1 failures in a known failing check have causes that are not told apart',
    );
  });

  test('are known by the fingerprint of one cause alone that earlier baselines have', () => {
    // Made by version 0.1.0 of a store that answers an object as name with 500.
    const entry = { id: 'refuse/wrong-type', reason: 'known', fingerprint: 'f5ef3c02bf2e' };
    const [cause] = crash.results.find(({ id }) => id === entry.id)?.causes ?? [];
    expect(cause?.cause).toBe('answered 500');
    const { baseline, reason } = gateOf(crash, { file: 'baseline.yaml', entries: [entry] });
    expect([baseline?.entries[0]?.state, reason]).toEqual([
      'known',
      '3 failures that the baseline does not know, 1 known deviation',
    ]);
  });

  test('are compared with those of earlier records, which do not say what was asked', () => {
    const old: RunRecord = {
      ...crash,
      results: crash.results.map((result) => ({
        ...result,
        causes: result.causes.map(({ request: _, ...cause }) => ({ ...cause, fingerprint: 'f00000000000' })),
      })),
    };
    expect(newOnes(old, crash)).toEqual([]);
  });

  test('an earlier record is read with the words of now', () => {
    const baseline = baselineOf(one);
    const entries = baseline.entries.map((entry) => ({ ...entry, state: 'excuses' }));
    const text = JSON.stringify({ ...one, gate: { ...one.gate, baseline: { ...baseline, entries } } });
    const states = recordIn(JSON.parse(text), 'report.json').gate.baseline?.entries.map(({ state }) => state);
    expect(new Set(states)).toEqual(new Set(['known']));
  });
});

describe('an entry of a check that passes now', () => {
  const RANDOM = [
    'create/answers-200',
    'refuse/wrong-type',
    'refuse/any-spoilt-text',
    'always/no-server-error',
  ];
  const lucky = (seed?: number): Baseline => ({
    file: 'baseline.yaml',
    ...(seed === undefined ? {} : { seed, cases: 20 }),
    entries: [
      { id: 'refuse/wrong-type', reason: 'known' },
      { id: 'refuse/any-spoilt-text', reason: 'now and then' },
      { id: 'always/no-server-error', reason: 'now and then' },
    ],
  });
  const states = (record: RunRecord, baseline: Baseline) =>
    gateOf(record, baseline).baseline?.entries.map(({ state }) => state);
  /** As if all of the catalogue had been run. */
  const whole = (record: RunRecord): RunRecord => ({
    ...record,
    results: record.results.filter(({ blockedBy }) => blockedBy !== 'user'),
  });
  let record: RunRecord;
  beforeAll(async () => {
    record = await recordOf(['takesStringAsId'], { only: RANDOM, cases: 20 });
  }, 60_000);

  test('is stale for random requests with the same seed, and for what is held against all exchanges', () => {
    expect(states(whole(record), lucky(3))).toEqual(['known', 'stale', 'stale']);
    expect(gateOf(whole(record), lucky(3)).exitCode).toBe(1);
  });

  test('is stale with more cases as well, and not with fewer', () => {
    const of = (cases: number) => whole({ ...record, options: { ...record.options, cases } });
    expect(states(of(21), lucky(3))).toEqual(['known', 'stale', 'stale']);
    expect(states(of(19), lucky(3))).toEqual(['known', 'not-evaluated', 'not-evaluated']);
  });

  test('is not evaluated with another seed while a known failure is left, or with a plain list', () => {
    for (const seed of [4, undefined])
      expect(states(whole(record), lucky(seed))).toEqual(['known', 'not-evaluated', 'not-evaluated']);
  });

  test('is not evaluated for what is held against all exchanges in a run of a part', () => {
    expect(states(record, lucky(3))).toEqual(['known', 'stale', 'not-evaluated']);
    const shard = whole({ ...record, options: { ...record.options, shard: '1/2' } });
    expect(states(shard, lucky(3))).toEqual(['known', 'not-evaluated', 'not-evaluated']);
  });

  test('is stale with any seed where no known failure is left', async () => {
    const well = whole(await recordOf([], { only: RANDOM, cases: 20 }));
    expect(states(well, lucky(4))).toEqual(['stale', 'stale', 'stale']);
  });
});

describe('--write-baseline', () => {
  const env = { PLANT_STORE_TOKEN: TOKEN };
  const FEW = ['--cases', '10', '--seed', '3', '--quiet', ...ONLY.flatMap((id) => ['--only', id])];

  test('writes the file that the configuration already names, and then passes with it', async () => {
    await withFaults(['takesStringAsId'], async (url) => {
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

  test('keeps comments, reasons and what was left out, and adds what is new beside it', async () => {
    const one = await recordOf(['takesStringAsId'], { only: ['refuse/wrong-type'] });
    const [known] = one.results.find(({ id }) => id === 'refuse/wrong-type')?.causes ?? [];
    const text = `# Ask Kim before you add to this.

- id: refuse/wrong-type # the old gateway
  # It turns strings into numbers.
  reason: "The gateway: does it"
  fingerprint: ${known?.fingerprint}
- id: refuse/any-defect
  reason: gone
  fingerprint: f00000000000
# Not looked into today.
- id: auth/challenges
  reason: &why later
`;
    const before = { file: 'baseline.yaml', entries: parse(text) as Baseline['entries'] };
    const two = await recordOf(['takesStringAsId', 'takesArrayAsTag'], {
      only: ['refuse/wrong-type', 'refuse/any-defect'],
    });
    const after = baselineText(knownIn(two, before), two, text);
    for (const kept of [
      '# Ask Kim',
      '# the old gateway',
      '# It turns',
      '"The gateway: does it"',
      '# Not looked',
    ])
      expect(after).toContain(kept);
    expect(after).not.toContain('f00000000000');
    const place = file();
    writeFileSync(place, after);
    const now = readBaseline(place, catalogue);
    expect(now.entries.map(({ id, reason }) => `${id}: ${reason}`)).toEqual([
      'refuse/wrong-type: The gateway: does it',
      'refuse/wrong-type: Not explained yet.',
      'refuse/any-defect: Not explained yet.',
      'auth/challenges: later',
    ]);
    expect(gateOf(two, now).exitCode).toBe(0);
  }, 60_000);

  test('of a part of the checks leaves a file of another seed alone', async () => {
    await withFaults(['takesStringAsId'], async (url) => {
      const place = file();
      const text = 'seed: 7\ncases: 10\nentries:\n  - id: auth/challenges\n    reason: later\n';
      writeFileSync(place, text);
      const { code, stderr } = await suite(['run', url, ...FEW, '--write-baseline', place], env);
      expect([code, stderr]).toEqual([1, expect.stringContaining('was made with --seed 7 --cases 10')]);
      expect(readFileSync(place, 'utf8')).toBe(text);
    });
  }, 60_000);

  test('writes YAML that reads as it was meant, whatever the reason is and whatever stood there before', async () => {
    const record = await recordOf(['takesStringAsId'], { only: ['refuse/wrong-type', 'refuse/any-defect'] });
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
        const kept = knownIn(record, before);
        const first = baselineText(kept, record);
        writeFileSync(place, inPlace ? baselineText(kept, record, first) : first);
        const read = readBaseline(place, catalogue);
        expect(read.entries.find((one) => one.id === id)).toEqual(entry);
        expect(gateOf(record, read).exitCode).toBe(0);
      }),
      { numRuns: 60 },
    );
  }, 60_000);
});
