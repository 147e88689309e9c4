import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { catalogue, DocumentError, FORMATS, run, UsageError } from '../index.ts';
import { COMPARISON_FORMATS } from '../lib/compare/formats.ts';
import { readEither } from '../lib/compare/saved.ts';
import { readBaseline } from '../lib/config/baseline.ts';
import { readConfig } from '../lib/config/config.ts';
import { loadContract } from '../lib/contract/contract.ts';
import { packageFile, packageText } from '../lib/package.ts';
import { suite } from './command.ts';
import { TOKEN, withStore } from './stores.ts';

const folder = mkdtempSync(join(tmpdir(), 'plant-store-'));
const file = join(folder, 'input');

/** Bytes that a file may hold after an accident: cut, with something else in it, or with a part twice. */
const mangled = (text: string): fc.Arbitrary<Buffer> => {
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

/** What a reader says of bad input: the file, the problem, nothing of the suite's own. */
function requirePlain(error: unknown): void {
  if (!(error instanceof UsageError) && !(error instanceof DocumentError)) throw error;
  expect(error.message).toMatch(/^\S*(?:input|openapi\.yaml)\b/);
  expect(error.message).not.toMatch(/\n\s+at |node_modules|undefined/);
  expect(error.message.split('\n').length).toBeLessThan(4);
}

/** Reads every mangled version of a text: it is taken, or refused in plain words. */
async function holds(text: string, read: () => unknown, numRuns = 120): Promise<void> {
  await fc.assert(
    fc.asyncProperty(mangled(text), async (bytes) => {
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
only: [auth/*, "create/*"]
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

const BASELINE = `- id: refuse/numeral-in-a-string
  reason: The gateway does it.
  issue: https://tracker.example/1
  until: 2027-06-30
  fingerprint: f6449a9e73e7
- id: refuse/null
  reason: Known.
`;

let record: string;
beforeAll(async () => {
  const made = await withStore(
    'always-400',
    ({ url }) => run({ baseUrl: url, token: TOKEN, cases: 3, seed: 1, only: ['create/*', 'auth/*'] }).record,
  );
  record = FORMATS.json.render(made);
});

describe('what a user gives, cut and mangled, is read or refused in plain words:', () => {
  test('a configuration', () => holds(CONFIGURATION, () => readConfig(file)));

  test('a baseline', () => holds(BASELINE, () => readBaseline(file, catalogue)));

  test('an OpenAPI document', () => holds(packageText('openapi.yaml'), () => loadContract(file), 60));

  test('an overlay', () =>
    holds(
      packageText('mutants/overlays/limits.yaml'),
      () => loadContract(packageFile('openapi.yaml'), [file]),
      60,
    ));

  test('a record, and what is taken for one can be rendered', () =>
    holds(
      record,
      () => {
        const saved = readEither(file);
        if (saved.kind === 'run') for (const { render } of Object.values(FORMATS)) render(saved.record);
      },
      60,
    ));

  test('a comparison', () =>
    holds(
      readFileSync(packageFile('reports/implementations.json'), 'utf8').slice(0, 20_000),
      () => {
        const saved = readEither(file);
        if (saved.kind === 'comparison')
          for (const { render } of Object.values(COMPARISON_FORMATS)) render(saved.comparison);
      },
      50,
    ));

  test('a file of a hundred thousand brackets, or of an alias that grows', async () => {
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
          expect.unreachable('it was taken');
        } catch (error) {
          requirePlain(error);
        }
    }
  });
});

test('whatever is on the command line ends in a known exit code, with no stack trace', async () => {
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
  await Promise.all(
    lines
      // Those that would serve, or run against the store that comes with it, are none of bad input.
      .filter((args) => !['serve', 'run', '--'].includes(args[0] ?? '') || args.includes('--no-such'))
      .map(async (args) => {
        const { code, stderr } = await suite(args, { PLANT_STORE_TOKEN: TOKEN }, folder);
        expect([0, 1, 2, 3], `${JSON.stringify(args)} ${stderr}`).toContain(code);
        expect(stderr).not.toMatch(/\n\s+at |suite itself/);
      }),
  );
});
