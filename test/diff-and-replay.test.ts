import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { FORMATS, type RunRecord, run, UsageError } from '../index.ts';
import { readEither } from '../lib/compare/read-comparison.ts';
import { packageFile } from '../lib/package.ts';
import { ANNOUNCED, ended, startSuite, suite } from './helpers/command.ts';
import { TOKEN, withStore } from './helpers/stores.ts';

const env = { PLANT_STORE_TOKEN: TOKEN };
const folder = () => mkdtempSync(join(tmpdir(), 'plant-store-'));

/** What the tests below need of a run: checks that pass, some that fail, and observations. */
const SOME = [
  'ordinary/answers-*',
  'ordinary/accepts-any-plant',
  'invalid/rejects-nu*',
  'invalid/rejects-any-*',
  'observe/*',
  'invariants/*',
];

/** Runs the suite against a store of the fleet; returns the file of the record. */
const saved = (name: string, more = {}): Promise<string> =>
  withStore(name, async ({ url }) => {
    const options = { baseUrl: url, token: TOKEN, seed: 3, cases: 5, timeout: 3000, only: SOME };
    const record = await run({ ...options, ...more }).record;
    const file = join(folder(), 'report.json');
    writeFileSync(file, FORMATS.json.render(record));
    return file;
  });

let right: string;
let broken: string;
beforeAll(async () => {
  [right, broken] = await Promise.all([saved('reference'), saved('id-numeral-string')]);
});

const changed = (file: string, change: (record: { [name: string]: unknown }) => void): string => {
  const record = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  change(record);
  const copy = join(folder(), 'report.json');
  writeFileSync(copy, JSON.stringify(record));
  return copy;
};

describe('render', () => {
  test('writes the same bytes as the run in every format', async () => {
    await withStore('scheme-case', async ({ url }) => {
      const [during, after] = [folder(), folder()];
      const list = Object.keys(FORMATS).join(',');
      const only = ['auth/accepts-scheme-in-any-case', 'auth/rejects-missing-token'];
      const options = [...only.flatMap((id) => ['--only', id]), '--out', during, '--format', list];
      expect((await suite(['run', url, ...options], env)).code).toBe(0);
      const report = join(during, 'report.json');
      const { code, stdout } = await suite(['render', report, '--out', after, '--format', list]);
      expect([code, stdout]).toEqual([0, '']);
      for (const [format, { file }] of Object.entries(FORMATS)) {
        const [one, other] = [readFileSync(join(during, file)), readFileSync(join(after, file))];
        expect(one.equals(other), format).toBe(true);
      }
      for (const format of ['terminal', 'html'] as const) {
        const printed = await suite(['render', report, '--format', format]);
        expect(printed.stdout, format).toBe(readFileSync(join(during, FORMATS[format].file), 'utf8'));
      }
    });
  });

  test.each([
    ['text that is not JSON', (text: string) => text.slice(0, 200), 'cannot be read'],
    ['another JSON', () => '{"schemaVersion":1}', 'is not the record of a run'],
    ['a list', () => '[]', 'is not the record of a run'],
    ['a later record', () => '{"schemaVersion":2}', 'an older suite'],
    [
      'a changed one',
      (text: string) => text.replace('"outcome": "partial"', '"outcome": "good"'),
      '/outcome must be equal to one of',
    ],
  ])('rejects %s in one line', (_what, change, message) => {
    const file = join(folder(), 'report.json');
    writeFileSync(file, change(readFileSync(right, 'utf8')));
    expect(() => readEither(file)).toThrow(UsageError);
    expect(() => readEither(file)).toThrow(new RegExp(`^.*${message}.*$`));
  });

  test('overwrites its own reports, and other files only with --force', async () => {
    const out = folder();
    const args = ['render', right, '--format', 'markdown', '--out', out];
    writeFileSync(join(out, 'report.md'), '# Notes on plant-store-conformance\n');
    const rejected = await suite(args);
    expect([rejected.code, rejected.stderr]).toEqual([
      2,
      expect.stringContaining('use --force to overwrite it'),
    ]);
    expect(readFileSync(join(out, 'report.md'), 'utf8')).toBe('# Notes on plant-store-conformance\n');
    expect((await suite([...args, '--force'])).code).toBe(0);
    expect((await suite(args)).code).toBe(0);
    writeFileSync(join(out, 'file'), '');
    const nowhere = await suite(['run', '--out', join(out, 'file/reports')]);
    expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.stringMatching(/^Cannot write to [^\n]*\n$/)]);
    expect(nowhere.stdout).toBe('');
  });

  test('rejects several formats on standard output, and a file that does not exist', async () => {
    expect((await suite(['render', right, '--format', 'json,html'])).code).toBe(2);
    expect((await suite(['render', '/no/such/report.json'])).stderr).toContain('does not exist');
  });
});

describe('diff', () => {
  test('lists regressions and exits with 1', async () => {
    const { code, stdout } = await suite(['diff', right, broken]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^\d regressions?$/m);
    expect(stdout).toContain('invalid/rejects-numeric-string-id  MUST');
    expect(stdout).toContain('rejection/numeral/status  400 -> 200');
    expect(stdout).not.toContain('response-time-ms');
  });

  test('lists fixed and still failing checks and exits with 0', async () => {
    const back = await suite(['diff', broken, right]);
    expect([back.code, back.stdout]).toEqual([0, expect.stringMatching(/^\d fixed$/m)]);
    const same = await suite(['diff', broken, broken]);
    expect([same.code, same.stdout]).toEqual([0, expect.stringMatching(/^\d still failing$/m)]);
    expect(same.stdout).toContain('No regressions; 0 of 1 ');
  });

  test('does not report the failures of a store that is gone as fixed', async () => {
    const gone = join(folder(), 'report.json');
    const record = await run({ baseUrl: 'http://127.0.0.1:1', token: TOKEN }).record;
    writeFileSync(gone, JSON.stringify(record));
    const { code, stdout } = await suite(['diff', right, gone]);
    expect([code, stdout]).toEqual([3, expect.stringContaining('no longer judged')]);
  });

  test('is broken at the width of the terminal, but a command only between its arguments', async () => {
    const { stdout } = await suite(['diff', right, broken], { COLUMNS: '80' });
    const lines = stdout.split('\n');
    expect(lines.filter((line) => line.length > 80 && !line.includes("-d '"))).toEqual([]);
    expect(stdout).toMatch(/^ {6}reproduce curl .* \\\n {16}-H "Authorization: /m);
  });

  test('says so if the records are from different documents or suites', async () => {
    const other = changed(right, (record) => {
      (record.document as { sha256: string }).sha256 = '0'.repeat(64);
      (record.results as unknown[]).pop();
    });
    const { stdout } = await suite(['diff', right, other]);
    expect(stdout).toContain('The runs used different documents');
    expect(stdout).toContain('1 check in only one of the runs');
  });
});

describe('replay', () => {
  const failedOf = (file: string): string[] =>
    (JSON.parse(readFileSync(file, 'utf8')) as RunRecord).results
      .filter(({ verdict }) => verdict === 'fail')
      .map(({ id }) => id);

  test('reproduces every failure at the broken store, and none at a conformant one', async () => {
    await withStore('reference', async ({ url }) => {
      await withStore('id-numeral-string', async (store) => {
        for (const id of failedOf(broken)) {
          const still = await suite(['replay', broken, id, store.url], env);
          expect([still.code, still.stdout], id).toEqual([1, expect.stringContaining('STILL FAILING')]);
          const fixed = await suite(['replay', broken, id, url], env);
          expect([fixed.code, fixed.stdout], id).toEqual([0, expect.stringContaining('FIXED')]);
        }
      });
    });
  });

  test('says for each cause, or for the one with a number, whether it still shows', async () => {
    await withStore('reference', async ({ url }) => {
      await withStore('id-numeral-string', async (store) => {
        for (const args of [[], ['1']]) {
          const still = await suite(['replay', broken, ...args, store.url], env);
          expect([still.code, still.stdout]).toEqual([
            1,
            expect.stringMatching(
              /\n1\. Accepts a numeric string .* as id: still fails\n {3}request .*\n {3}before {4}200 .*\n {3}now {7}200 .*\n\nSTILL FAILING {2}0 of 1 cause fixed\n$/,
            ),
          ]);
        }
        const check = await suite(['replay', broken, 'invalid/rejects-numeric-string-id', store.url], env);
        expect(check.stdout).toMatch(/\ncause {5}1\. Accepts a numeric string .* as id: still fails\n/);
      });
      const fixed = await suite(['replay', broken, url], env);
      expect([fixed.code, fixed.stdout]).toEqual([
        0,
        expect.stringMatching(/ as id: fixed\n(?: {3}.*\n)+\nFIXED {2}1 of 1 cause fixed\n$/),
      ]);
    });
    const down = await suite(['replay', broken, 'http://127.0.0.1:1'], env);
    expect([down.code, down.stdout]).toEqual([3, expect.stringContaining('as id: not judged (')]);
    const second = await suite(['replay', broken, '2'], env);
    expect([second.code, second.stderr]).toEqual([2, `${broken} has no cause 2; its only cause is 1.\n`]);
  });

  test.each([
    // One request does not show it.
    ['state-25th-500', ['ordinary/accepts-*', 'invariants/no-server-error']],
    // Whatever is sent gets the same answer.
    ['always-200-empty-object', ['ordinary/answers-a-plant', 'invalid/rejects-null']],
  ])('runs the checks of a cause again if its request is not enough: %s', async (name, only) => {
    const file = await saved(name, { only, cases: 30 });
    await withStore(name, async ({ url }) => {
      const { code, stdout } = await suite(['replay', file, url], env);
      expect([code, stdout]).toEqual([1, expect.stringMatching(/: still fails\n/)]);
    });
    await withStore('reference', async ({ url }) => {
      const { code, stdout } = await suite(['replay', file, url], env);
      expect([code, stdout]).toEqual([0, expect.stringMatching(/: fixed\n/)]);
    });
  });

  test.each([
    // Sends 20 requests over one connection.
    'connection-16th-503',
    'load-glued',
    'replica-20th-500',
  ])('sends everything that a cause needs: %s', async (name) => {
    const file = await saved(name, { only: ['ordinary/*', 'invariants/*'], cases: undefined });
    await withStore(name, async ({ url }) => {
      for (const _ of ['first', 'again']) expect((await suite(['replay', file, url], env)).code).toBe(1);
    });
    await withStore('reference', async ({ url }) => {
      const { code, stdout } = await suite(['replay', file, url], env);
      expect([code, stdout]).toEqual([0, expect.stringMatching(/: fixed\n/)]);
    });
  });

  test('calls nothing fixed that shows only on a freshly started store', async () => {
    await withStore('first-201', async ({ url }) => {
      const record = await run({ baseUrl: url, token: TOKEN, seed: 3, cases: 5, only: SOME }).record;
      const file = join(folder(), 'report.json');
      writeFileSync(file, FORMATS.json.render(record));
      const { code, stdout } = await suite(['replay', file, url], env);
      expect([code, stdout]).toEqual([3, expect.stringMatching(/: not judged \(its checks pass, but /)]);
    });
  });

  test('reports a failure as fixed if its condition no longer occurs', async () => {
    const file = await saved('error-plain-not-object', {
      only: ['invalid/rejects-*', 'invariants/*'],
      explain: 0,
    });
    await withStore('malformed-422', async ({ url }) => {
      const { code, stdout } = await suite(['replay', file, 'invariants/400-is-json', url], env);
      expect([code, stdout]).toEqual([0, expect.stringContaining('FIXED')]);
    });
  });

  test.each([
    ['any-case', 'invalid/*', 'invalid/'],
    ['scheme-case', 'auth/*', 'auth/accepts-scheme-in-any-case'],
    ['create-201', 'ordinary/answers-*', 'ordinary/answers-200'],
    ['plant-tag-null', 'ordinary/*', 'invariants/200-is-a-plant'],
    ['http-get-500', 'observe/*', 'invariants/no-server-error'],
  ])('of %s reproduces the failure', async (name, area, wanted) => {
    const file = await saved(name, { only: [area, 'invariants/*'], explain: 0 });
    const id = failedOf(file).find((one) => one.startsWith(wanted)) ?? '';
    await withStore(name, async ({ url }) => {
      const { code, stdout } = await suite(['replay', file, id, url], env);
      expect([code, stdout], id).toEqual([1, expect.stringContaining(`${id}  `)]);
    });
    await withStore('reference', async ({ url }) => {
      expect((await suite(['replay', file, id, url], env)).code, id).toBe(0);
    });
  });

  test('uses another id if the recorded one is in use', async () => {
    const file = await saved('plant-tag-null', { only: ['ordinary/ac*-any-*', 'invariants/*'], explain: 0 });
    const [id = ''] = failedOf(file);
    await withStore('unique-ids', async ({ url }) => {
      for (const _ of [1, 2]) expect((await suite(['replay', file, id, url], env)).code, id).toBe(0);
    });
  });

  test('announces the few requests that it sends, not those of the whole check', async () => {
    const id = 'invalid/rejects-numeric-string-id';
    await withStore('id-numeral-string', async ({ url }) => {
      const file = await saved('id-numeral-string', { only: [id], cases: 120 });
      const { stderr } = await suite(['replay', file, id, url], env);
      expect(stderr).toMatch(/^Sending about \d requests to /);
    });
  });

  test('starts the store of a target that says how', async () => {
    const cwd = folder();
    writeFileSync(
      join(cwd, 'store.mjs'),
      `import { startStore } from '${pathToFileURL(packageFile('dist/reference/store.js'))}';
       await startStore({ token: process.env.PLANT_STORE_TOKEN, port: Number(process.argv[2]) });`,
    );
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const target = { name: 'mine', baseUrl: `http://127.0.0.1:${port}` };
    const start = `'${process.execPath}' store.mjs ${port}`;
    writeFileSync(
      join(cwd, 'conformance.yaml'),
      JSON.stringify({
        targets: [
          { ...target, start, out: '.' },
          { ...target, name: 'other' },
        ],
      }),
    );
    const record = JSON.parse(readFileSync(broken, 'utf8')) as RunRecord;
    writeFileSync(
      join(cwd, 'report.json'),
      JSON.stringify({ ...record, target: { ...record.target, ...target } }),
    );
    const { code, stdout } = await suite(['replay', 'mine'], env, cwd);
    expect([code, stdout]).toEqual([0, expect.stringContaining('FIXED  1 of 1 cause fixed')]);
    expect((await suite(['replay', 'mine', '--target', 'other'], env, cwd)).stdout).toContain(
      'nothing listens there',
    );
    const mistyped = await suite(['diff', 'mine', 'othe'], env, cwd);
    expect([mistyped.code, mistyped.stderr]).toEqual([
      2,
      'othe is neither a file nor a target of conformance.yaml; did you mean other?\n',
    ]);
  });

  test('says why it cannot replay', async () => {
    const gone = await suite(
      ['replay', broken, 'invalid/rejects-numeric-string-id', 'http://127.0.0.1:1'],
      env,
    );
    expect([gone.code, gone.stdout]).toEqual([3, expect.stringContaining('COULD NOT BE JUDGED')]);
    for (const [args, message] of [
      [[broken, 'invalid/rejects-null'], 'invalid/rejects-null did not fail in'],
      [[broken, 'invalid/rejects-numeric-string-i'], 'did you mean invalid/rejects-numeric-string-id?'],
      [
        [broken, 'invalid/rejects-numeric-string-id', '--overlay', 'mutants/overlays/limits.yaml'],
        'with another document',
      ],
    ] as const) {
      const { code, stderr } = await suite(['replay', ...args], env);
      expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    }
    expect((await suite(['replay', broken, 'invalid/rejects-numeric-string-id'])).stderr).toContain(
      'No token; set PLANT_STORE_TOKEN',
    );
  });
});

test('replay answers the old id of a renamed check with its current id', async () => {
  const { code, stderr } = await suite(['replay', broken, 'refuse/numeral-in-a-string'], env);
  expect([code, stderr]).toEqual([
    2,
    'refuse/numeral-in-a-string is now called invalid/rejects-numeric-string-id\n',
  ]);
});

describe('command line conventions', () => {
  test('--quiet names each cause in one line', async () => {
    await withStore('id-numeral-string', async ({ url }) => {
      const only = ['--only', 'invalid/rejects-numeric-string-id', '--only', 'ordinary/answers-200'];
      const { stdout, stderr } = await suite(['run', url, '--quiet', ...only], env);
      expect(stdout).toMatch(
        /^1\. Accepts a numeric string such as .* as id {2}\(1 check, MUST\)\nNOT CONF.*\n$/,
      );
      expect(stderr).toBe('');
    });
  });

  test('--quiet prints only the verdict of a healthy store, --verbose every exchange, without the token', async () => {
    await withStore('reference', async ({ url }) => {
      const quiet = await suite(['run', url, '--quiet', '--only', 'ordinary/answers-200'], env);
      expect([quiet.stdout, quiet.stderr]).toEqual([
        expect.stringMatching(/^PASSED THE SELECTED CHECKS: 1 of [^\n]*\n$/),
        '',
      ]);
      const child = startSuite(['run', url, '--verbose', '--only', 'ordinary/*', '--out', '-'], env);
      const { stdout, stderr } = await ended(child);
      const [announcement, ...lines] = stderr.trim().split('\n');
      expect(`${announcement}\n`).toMatch(ANNOUNCED);
      expect(lines.length).toBe((JSON.parse(stdout) as RunRecord).requests);
      expect(lines[0]).toMatch(/^preflight {2}POST \/plants application\/json \{.*\} -> 200 OK /);
      expect(stderr).not.toContain(TOKEN);
    });
  });

  test('a mistyped name gets a suggestion', async () => {
    for (const [args, message] of [
      [['run', '--sed', '1'], 'Did you mean --seed?'],
      [['rnu'], 'Did you mean run?'],
      [['run', '--only', 'auth/rejects-missing-tokn'], 'did you mean auth/rejects-missing-token?'],
      [['list', 'auth/rejects-missing-tokn'], 'did you mean auth/rejects-missing-token?'],
    ] as const) {
      const { code, stderr } = await suite(args, env);
      expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    }
  });

  test('under GitHub Actions it writes a summary and annotations', async () => {
    await withStore('id-numeral-string', async ({ url }) => {
      const summary = join(folder(), 'summary.md');
      writeFileSync(summary, 'before\n');
      const github = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary };
      const { code, stdout, stderr } = await suite(
        ['run', url, '--only', 'invalid/rejects-nu*', '--out', '-', '--format', 'markdown'],
        {
          ...env,
          ...github,
        },
      );
      expect(code).toBe(1);
      expect(readFileSync(summary, 'utf8')).toBe(`before\n${stdout}`);
      expect(stderr).toMatch(/^::error title=.*numeric/m);
    });
  });
});
