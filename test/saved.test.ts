import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { FORMATS, type RunRecord, run } from '../index.ts';
import { ANNOUNCED, ended, startSuite, suite } from './command.ts';
import { TOKEN, withStore } from './stores.ts';

const env = { PLANT_STORE_TOKEN: TOKEN };
const folder = () => mkdtempSync(join(tmpdir(), 'plant-store-'));

/** Runs a store of the fleet, and gives the file of its record. */
const saved = (name: string, more = {}): Promise<string> =>
  withStore(name, async ({ url }) => {
    const record = await run({ baseUrl: url, token: TOKEN, seed: 3, cases: 30, timeout: 3000, ...more })
      .record;
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
  test('gives, in every format, the same bytes as the run itself', async () => {
    await withStore('scheme-case', async ({ url }) => {
      const [during, after] = [folder(), folder()];
      const list = Object.keys(FORMATS).join(',');
      const options = ['--cases', '10', '--out', during, '--format', list];
      expect((await suite(['run', url, ...options], env)).code).toBe(0);
      const report = join(during, 'report.json');
      const { code, stdout } = await suite(['render', report, '--out', after, '--format', list]);
      expect([code, stdout]).toEqual([0, '']);
      for (const [format, { file }] of Object.entries(FORMATS)) {
        const [one, other] = [readFileSync(join(during, file)), readFileSync(join(after, file))];
        expect(one.equals(other), format).toBe(true);
        const alone = await suite(['render', report, '--format', format]);
        expect(alone.stdout, format).toBe(one.toString());
      }
    });
  });

  test.each([
    ['what is no JSON', (text: string) => text.slice(0, 200), 'cannot be read'],
    ['another JSON', () => '{"schemaVersion":1}', 'is not the record of a run'],
    ['a list', () => '[]', 'is not the record of a run'],
    ['a later record', () => '{"schemaVersion":2}', 'an older suite'],
    [
      'a changed one',
      (text: string) => text.replace('"outcome": "conformant"', '"outcome": "good"'),
      '/outcome must be equal to one of',
    ],
  ])('refuses %s in one line', async (_what, change, message) => {
    const file = join(folder(), 'report.json');
    writeFileSync(file, change(readFileSync(right, 'utf8')));
    const { code, stderr } = await suite(['render', file]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(stderr.trim().split('\n').length).toBe(1);
  });

  test('overwrites its own reports, and others only when told to', async () => {
    const out = folder();
    const args = ['render', right, '--format', 'markdown', '--out', out];
    writeFileSync(join(out, 'report.md'), '# Notes on plant-store-conformance\n');
    const refused = await suite(args);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--force overwrites it')]);
    expect(readFileSync(join(out, 'report.md'), 'utf8')).toBe('# Notes on plant-store-conformance\n');
    expect((await suite([...args, '--force'])).code).toBe(0);
    expect((await suite(args)).code).toBe(0);
    writeFileSync(join(out, 'file'), '');
    const nowhere = await suite(['run', '--out', join(out, 'file/reports')]);
    expect([nowhere.code, nowhere.stderr]).toEqual([
      2,
      expect.stringMatching(/^Reports cannot be written into [^\n]*\n$/),
    ]);
    expect(nowhere.stdout).toBe('');
  });

  test('refuses several formats on standard output, and a file that is not there', async () => {
    expect((await suite(['render', right, '--format', 'json,html'])).code).toBe(2);
    expect((await suite(['render', '/no/such/report.json'])).stderr).toContain('does not exist');
  });
});

describe('diff', () => {
  test('tells the regressions, and ends in 1', async () => {
    const { code, stdout } = await suite(['diff', right, broken]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^\d regressions?$/m);
    expect(stdout).toContain('refuse/numeral-in-a-string  MUST');
    expect(stdout).toContain('refusal/numeral/status  400 -> 200');
    expect(stdout).not.toContain('response-time-ms');
  });

  test('tells what is fixed and what is still failing, and ends in 0', async () => {
    const back = await suite(['diff', broken, right]);
    expect([back.code, back.stdout]).toEqual([0, expect.stringMatching(/^\d fixed$/m)]);
    const same = await suite(['diff', broken, broken]);
    expect([same.code, same.stdout]).toEqual([0, expect.stringMatching(/^\d still failing$/m)]);
    expect(same.stdout).toContain('No regressions: nothing newly fails.');
  });

  test('does not take a store that is gone for one that is well', async () => {
    const gone = join(folder(), 'report.json');
    const record = await run({ baseUrl: 'http://127.0.0.1:1', token: TOKEN }).record;
    writeFileSync(gone, JSON.stringify(record));
    const { code, stdout } = await suite(['diff', right, gone]);
    expect([code, stdout]).toEqual([3, expect.stringContaining('no longer judged')]);
  });

  test('says where the records are of other documents or suites', async () => {
    const other = changed(right, (record) => {
      (record.document as { sha256: string }).sha256 = '0'.repeat(64);
      (record.results as unknown[]).pop();
    });
    const { stdout } = await suite(['diff', right, other]);
    expect(stdout).toContain('The documents are not the same');
    expect(stdout).toContain('1 check that one of the runs does not know');
  });
});

describe('replay', () => {
  const failedOf = (file: string): string[] =>
    (JSON.parse(readFileSync(file, 'utf8')) as RunRecord).results
      .filter(({ verdict }) => verdict === 'fail')
      .map(({ id }) => id);

  test('finds every failure of a store still there, and none of it at a right one', async () => {
    await withStore('reference', async ({ url }) => {
      await withStore('id-numeral-string', async (store) => {
        for (const id of failedOf(broken)) {
          const still = await suite(['replay', broken, id, store.url], env);
          expect([still.code, still.stdout], id).toEqual([1, expect.stringContaining('STILL FAILING')]);
          const mended = await suite(['replay', broken, id, url], env);
          expect([mended.code, mended.stdout], id).toEqual([0, expect.stringContaining('MENDED')]);
        }
      });
    });
  });

  test('takes for mended what no longer has the occasion to fail', async () => {
    const file = await saved('error-plain-not-object');
    await withStore('malformed-422', async ({ url }) => {
      const { code, stdout } = await suite(['replay', file, 'always/400-is-json', url], env);
      expect([code, stdout]).toEqual([0, expect.stringContaining('MENDED')]);
    });
  });

  test.each([
    ['any-case', 'auth'],
    ['scheme-case', 'auth/takes-scheme-in-any-case'],
    ['create-201', 'create/answers-200'],
    ['plant-tag-null', 'always/200-is-a-plant'],
    ['http-get-500', 'always/no-server-error'],
  ])('of %s shows what it showed', async (name, wanted) => {
    const file = await saved(name);
    const id = failedOf(file).find((one) => one.startsWith(wanted)) ?? failedOf(file)[0] ?? '';
    await withStore(name, async ({ url }) => {
      const { code, stdout } = await suite(['replay', file, id, url], env);
      expect([code, stdout], id).toEqual([1, expect.stringContaining(`${id}  `)]);
    });
    await withStore('reference', async ({ url }) => {
      expect((await suite(['replay', file, id, url], env)).code, id).toBe(0);
    });
  });

  test('takes another id where the store has used up the one of the record', async () => {
    const file = await saved('plant-tag-null', { only: ['create/*', 'always/*'] });
    const [id = ''] = failedOf(file);
    await withStore('unique-ids', async ({ url }) => {
      for (const _ of [1, 2]) expect((await suite(['replay', file, id, url], env)).code, id).toBe(0);
    });
  });

  test('says why it cannot be tried', async () => {
    const gone = await suite(['replay', broken, 'refuse/numeral-in-a-string', 'http://127.0.0.1:1'], env);
    expect([gone.code, gone.stdout]).toEqual([3, expect.stringContaining('COULD NOT BE JUDGED')]);
    for (const [args, message] of [
      [[broken, 'refuse/null'], 'refuse/null did not fail in'],
      [[broken, 'refuse/numeral-in-a-strin'], 'did you mean refuse/numeral-in-a-string?'],
      [
        [broken, 'refuse/numeral-in-a-string', '--overlay', 'mutants/overlays/limits.yaml'],
        'with another document',
      ],
    ] as const) {
      const { code, stderr } = await suite(['replay', ...args], env);
      expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    }
    expect((await suite(['replay', broken, 'refuse/numeral-in-a-string'])).stderr).toContain(
      'There is no token',
    );
  });
});

describe('shell habits', () => {
  test('--quiet prints the verdict alone, --verbose every exchange as it happens, without the token', async () => {
    await withStore('reference', async ({ url }) => {
      const quiet = await suite(['run', url, '--quiet', '--only', 'create/answers-200'], env);
      expect([quiet.stdout, quiet.stderr]).toEqual([
        expect.stringMatching(/^PASSED WHAT WAS CHECKED: 1 of [^\n]*\n$/),
        '',
      ]);
      const child = startSuite(['run', url, '--verbose', '--cases', '2', '--out', '-'], env);
      const { stdout, stderr } = await ended(child);
      const [said, ...lines] = stderr.trim().split('\n');
      expect(`${said}\n`).toMatch(ANNOUNCED);
      expect(lines.length).toBe((JSON.parse(stdout) as RunRecord).requests);
      expect(lines[0]).toMatch(/^preflight {2}POST \/plants application\/json \{.*\} -> 200 OK /);
      expect(stderr).not.toContain(TOKEN);
    });
  });

  test('what is mistyped is answered with what was meant', async () => {
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

  test('every command has help with an example', async () => {
    const { stdout } = await suite(['--help']);
    const commands = [...stdout.matchAll(/^ {2}([a-z]+) (?:\[|<)/gm)].map(([, name = '']) => name);
    expect(commands).toEqual(expect.arrayContaining(['run', 'diff', 'replay', 'render', 'list', 'serve']));
    for (const command of commands.filter((name) => name !== 'help')) {
      const help = await suite([command, '--help']);
      expect(help.stdout, command).toMatch(/\nExamples?:\n {2}.*plant-store-conformance/);
    }
  });

  test('under GitHub Actions the summary is written, and annotations go to the log', async () => {
    await withStore('id-numeral-string', async ({ url }) => {
      const summary = join(folder(), 'summary.md');
      writeFileSync(summary, 'before\n');
      const github = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary };
      const { code, stdout, stderr } = await suite(['run', url, '--out', '-', '--format', 'markdown'], {
        ...env,
        ...github,
      });
      expect(code).toBe(1);
      expect(readFileSync(summary, 'utf8')).toBe(`before\n${stdout}`);
      expect(stderr).toMatch(/^::error title=.*numeral/m);
    });
  });
});
