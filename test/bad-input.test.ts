import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { catalogue, DocumentError, FORMATS, type RunRecord, run, UsageError } from '../index.ts';
import { comparisonOf } from '../lib/compare/build-comparison.ts';
import { COMPARISON_FORMATS } from '../lib/compare/formats.ts';
import { readEither } from '../lib/compare/read-comparison.ts';
import { readBaseline } from '../lib/config/baseline.ts';
import { readConfig } from '../lib/config/config.ts';
import { loadContract } from '../lib/contract/load-contract.ts';
import { packageFile, packageText } from '../lib/package.ts';
import { diffOf, diffText } from '../lib/report/diff.ts';
import { replayOf } from '../lib/report/reproduce/replay.ts';
import { uncoloured } from '../lib/report/wording/format-text.ts';
import { suite } from './helpers/command.ts';
import { TOKEN, withStore } from './helpers/stores.ts';

const folder = mkdtempSync(join(tmpdir(), 'plant-store-'));
const file = join(folder, 'input');

/** Bytes of a corrupted file: truncated, with other content in it, or with a part repeated. */
const corrupted = (text: string): fc.Arbitrary<Buffer> => {
  const whole = Buffer.from(text);
  const place = fc.nat(whole.length);
  const other = fc.oneof(
    fc.constantFrom(
      ': ',
      '- ',
      '{',
      '}',
      '[',
      ']',
      '"',
      '\n',
      '\t',
      '&a ',
      '*a',
      '!!js ',
      '\u0000',
      '%',
      '0',
    ),
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.constantFrom(
      'null',
      'true',
      '-1',
      '1e999',
      '99999999999999999999',
      '__proto__: {}',
      '<<: *a',
      '"\\ud800"',
    ),
  );
  return fc.oneof(
    place.map((at) => whole.subarray(0, at)),
    fc
      .tuple(place, fc.nat(12), other)
      .map(([at, gone, put]) =>
        Buffer.concat([whole.subarray(0, at), Buffer.from(put), whole.subarray(at + gone)]),
      ),
    fc
      .tuple(place, fc.integer({ min: 0, max: 255 }))
      .map(([at, byte]) =>
        Buffer.concat([whole.subarray(0, at), Buffer.from([byte]), whole.subarray(at + 1)]),
      ),
    fc
      .tuple(place, place)
      .map(([a, b]) => Buffer.concat([whole.subarray(0, Math.max(a, b)), whole.subarray(Math.min(a, b))])),
  );
};

/** Requires that an error names the file and the problem, and no internals of the suite. */
function requirePlain(error: unknown): void {
  if (!(error instanceof UsageError) && !(error instanceof DocumentError)) throw error;
  expect(error.message).toMatch(/^\S*(?:input|openapi\.yaml)\b/);
  expect(error.message).not.toMatch(/\n\s+at |node_modules|undefined/);
  expect(error.message.split('\n').length).toBeLessThan(4);
}

/** Reads corrupted versions of a text: each is accepted, or rejected with a plain message. */
async function readCorrupted(text: string, read: () => unknown, numRuns = 120): Promise<void> {
  await fc.assert(
    fc.asyncProperty(corrupted(text), async (bytes) => {
      writeFileSync(file, bytes);
      try {
        await read();
      } catch (error) {
        requirePlain(error);
      }
    }),
    { numRuns, seed: 11 },
  );
}

const CONFIGURATION = `# settings
seed: 7
cases: 300
only: [auth/*, "ordinary/*"]
header: 'X-Api: y'
format: [json, html]
targets:
  - name: staging
    baseUrl: https://staging.example/api
    tokenEnv: STAGING_TOKEN
    overlay: limits.yaml
  - name: local
    baseUrl: http://127.0.0.1:8080
    wait: 20
`;

const BASELINE = `- id: invalid/rejects-numeric-string-id
  reason: The gateway does it.
  issue: https://tracker.example/1
  until: 2027-06-30
  fingerprints: [f6449a9e73e7]
- id: invalid/rejects-null
  reason: Known.
- cause: c0123456789a
  reason: TODO
  checks:
    invalid/rejects-wrong-type: f0123456789a f0123456789b
`;

let record: string;
let whole: RunRecord;
beforeAll(async () => {
  whole = await withStore(
    'always-400',
    ({ url }) =>
      run({ baseUrl: url, token: TOKEN, cases: 3, seed: 1, only: ['ordinary/*', 'auth/*'] }).record,
  );
  record = FORMATS.json.render(whole);
});

describe('a corrupted file is read or rejected with a plain message:', () => {
  test('a configuration', () => readCorrupted(CONFIGURATION, () => readConfig(file)));

  test('a baseline', () => readCorrupted(BASELINE, () => readBaseline(file, catalogue)));

  test('an OpenAPI document', () => readCorrupted(packageText('openapi.yaml'), () => loadContract(file), 60));

  test('an overlay', () =>
    readCorrupted(
      packageText('mutants/overlays/limits.yaml'),
      () => loadContract(packageFile('openapi.yaml'), [file]),
      60,
    ));

  test('a record, which can be rendered, compared and replayed if it is accepted', () =>
    readCorrupted(
      record,
      () => {
        const saved = readEither(file);
        if (saved.kind !== 'run') return;
        for (const { render } of Object.values(FORMATS)) render(saved.record);
        diffText(diffOf(whole, saved.record), whole, saved.record, uncoloured);
        for (const result of saved.record.results) {
          const check = catalogue.find(({ id }) => id === result.id);
          if (check !== undefined) replayOf(result, check, saved.record);
        }
        comparisonOf(
          [whole, saved.record].map((one, index) => ({ name: `${index}`, record: one })),
          null,
        );
      },
      60,
    ));

  test('a comparison', () =>
    readCorrupted(
      readFileSync(packageFile('reports/implementations.json'), 'utf8').slice(0, 20_000),
      () => {
        const saved = readEither(file);
        if (saved.kind === 'comparison')
          for (const { render } of Object.values(COMPARISON_FORMATS)) render(saved.comparison);
      },
      50,
    ));

  test('a file that never ends, is a folder, has a later version, or is very large', async () => {
    const readers = {
      configuration: () => readConfig(file),
      baseline: () => readBaseline(file, catalogue),
      document: () => loadContract(file),
      overlay: () => loadContract(packageFile('openapi.yaml'), [file]),
      saved: () => readEither(file),
    };
    const rejection = async (read: () => unknown): Promise<string> => {
      try {
        await read();
      } catch (error) {
        requirePlain(error);
        return (error as Error).message;
      }
      return 'it was accepted';
    };
    const large = `[${'{"id":"invalid/rejects-null","reason":"known"},'.repeat(1_300_000)}0]`;
    writeFileSync(file, large);
    expect(large.length).toBeGreaterThan(48_000_000);
    for (const [name, read] of Object.entries(readers))
      expect(await rejection(read), name).toMatch(
        name === 'saved' ? /is not the record/ : /larger than 1 MB/,
      );
    rmSync(file);
    for (const [place, problem] of [
      ['/dev/zero', /larger than \d+ MB/],
      [folder, /cannot be read/],
    ] as const) {
      if (!existsSync(place)) continue;
      symlinkSync(place, file);
      for (const [name, read] of Object.entries(readers))
        expect(await rejection(read), name).toMatch(problem);
      rmSync(file);
    }
    for (const [text, read, problem] of [
      ['{"schemaVersion":2}', readers.saved, 'an older suite'],
      ['{"schemaVersion":2,"kind":"comparison"}', readers.saved, 'an older suite'],
      ['overlay: 2.0.0\nactions: []\n', readers.overlay, ':1:10: overlay version 2.0.0 is not supported'],
      ['openapi: 3.2.0\n', readers.document, ':1:10: is not an OpenAPI 3.1 or 3.0 document'],
      ['openapi: 4.0.0\n', readers.document, 'is not an OpenAPI 3.1 or 3.0 document'],
      ['version: 2\n', readers.configuration, 'Unknown option version'],
      [
        'overlay: 1.0.0\nactions: &a\n  - *a\n',
        readers.overlay,
        ':3:5: an alias refers to an anchor that contains it',
      ],
      ['openapi: 3.1.0\nx: &a { y: { z: *a } }\n', readers.document, ':2:17: an alias refers to an anchor'],
      ['version: 2\nentries: []\n', readers.baseline, 'unknown key version; the keys are seed'],
    ] as const) {
      writeFileSync(file, text);
      expect(await rejection(read), text).toContain(problem);
    }
  });

  test('an overlay that removes a parent before its child, or writes to Object.prototype', async () => {
    for (const action of [
      '{target: "$..*", remove: true}',
      '{target: $.info, update: {__proto__: {shared: 1}}}',
    ]) {
      writeFileSync(file, `overlay: 1.0.0\nactions:\n - ${action}\n`);
      await loadContract(packageFile('openapi.yaml'), [file]).catch(requirePlain);
      expect('shared' in {}, action).toBe(false);
    }
  });

  test('a file of a hundred thousand brackets, or of aliases that expand exponentially', async () => {
    for (const text of [
      '['.repeat(100_000),
      `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
      'a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e]\n',
    ]) {
      writeFileSync(file, text);
      for (const read of [
        () => readConfig(file),
        () => readBaseline(file, catalogue),
        () => readEither(file),
        () => loadContract(file),
      ])
        try {
          await read();
          expect.unreachable('it was accepted');
        } catch (error) {
          requirePlain(error);
        }
    }
  });
});

test('any command line ends with a documented exit code and without a stack trace', async () => {
  const word = fc.oneof(
    fc.constantFrom('run', 'compare', 'diff', 'replay', 'render', 'list', 'serve', 'http://127.0.0.1:1'),
    fc.constantFrom(
      '--seed',
      '--cases',
      '--only',
      '--out',
      '--format',
      '--target',
      '--baseline',
      '--wait',
      '--',
    ),
    fc.constantFrom('-1', '0', '1e9', 'a=b', '--no-such', '', '/dev/null', folder, 'http://', 'file:///etc'),
    fc.string({ maxLength: 6 }).filter((text) => !text.includes('\u0000')),
  );
  const lines = fc.sample(fc.array(word, { maxLength: 5 }), { numRuns: 30, seed: 5 });
  const different = new Map(lines.map((args) => [args.join('\0'), args]));
  // Some of them are valid and run against the reference store.
  const env = { PLANT_STORE_TOKEN: TOKEN, PLANT_STORE_ONLY: 'ordinary/answers-200' };
  await Promise.all(
    [...different.values()]
      // Calls that would serve are left out.
      .filter((args) => !['serve', 'run', '--'].includes(args[0] ?? '') || args.includes('--no-such'))
      .map(async (args) => {
        const { code, stderr } = await suite(args, env, folder);
        expect([0, 1, 2, 3], `${JSON.stringify(args)} ${stderr}`).toContain(code);
        expect(stderr).not.toMatch(/\n\s+at |suite itself/);
      }),
  );
});
