import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RunRecord } from '../index.ts';
import { readConfig } from '../lib/config/config.ts';
import { initialConfiguration } from '../lib/config/init-file.ts';
import { packageFile, packageText } from '../lib/package.ts';
import { ANNOUNCED, suite } from './helpers/command.ts';
import { TOKEN, withStore } from './helpers/stores.ts';

const env = { PLANT_STORE_TOKEN: TOKEN };

/** A folder with a conformance.yaml in it. */
const folderWith = (text: string) => {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-'));
  writeFileSync(join(folder, 'conformance.yaml'), text);
  return folder;
};

const recordIn = (folder: string): RunRecord =>
  JSON.parse(readFileSync(join(folder, 'out/report.json'), 'utf8')) as RunRecord;

const BASE = 'cases: 10\nonly: ordinary/answers-200\nout: out\n';

describe('a setting', () => {
  test('comes from the flags, then from the environment, then from the target, then from the file', async () => {
    await withStore('reference', async ({ url }) => {
      const folder = folderWith(
        `${BASE}seed: 1\nstrict: true\nfirstId: 7000\ntargets:\n  - name: mine\n    baseUrl: ${url}\n`,
      );
      const seeds: number[] = [];
      for (const [args, more] of [
        [[], {}],
        [[], { PLANT_STORE_SEED: '2' }],
        [['--seed', '3'], { PLANT_STORE_SEED: '2' }],
      ] as const) {
        const { code, stderr } = await suite(
          ['run', '--target', 'mine', ...args],
          { ...env, ...more },
          folder,
        );
        expect([code, stderr]).toEqual([0, expect.stringMatching(ANNOUNCED)]);
        const { options, target } = recordIn(folder);
        seeds.push(options.seed);
        expect([options.strict, options.cases, options.firstId, target.name]).toEqual([
          true,
          10,
          '7000',
          'mine',
        ]);
      }
      expect(seeds).toEqual([1, 2, 3]);
    });
  });

  test('in the environment can switch off what the file switches on', async () => {
    await withStore('reference', async ({ url }) => {
      const folder = folderWith(`${BASE}strict: true\n`);
      await suite(['run'], { ...env, PLANT_STORE_STRICT: '0', PLANT_STORE_URL: url }, folder);
      const { options, target } = recordIn(folder);
      expect([options.strict, target.baseUrl]).toEqual([false, url]);
    });
  });

  test('with an invalid value is rejected with its place', async () => {
    const file = 'conformance.yaml';
    for (const [text, message] of [
      ['casess: 3\n', `${file}:1:9: Unknown option casess; did you mean cases?`],
      ['seed: -1\n', `${file}:1:7: seed must be a whole number from 0 to 4294967295, not -1.`],
      ['header: no colon\n', `${file}:1:9: header must be 'Name: value'`],
      ['token: secret\n', 'Do not put a token into a file; set PLANT_STORE_TOKEN'],
      [
        'targets:\n  - name: a\n    baseUrl: http://a\n    tokenEnf: X\n',
        ':4:15: Unknown option tokenEnf; did you mean tokenEnv?',
      ],
      [
        'targets:\n  - {name: a, baseUrl: http://a}\n  - {name: a, baseUrl: http://b}\n',
        ':3:12: Two targets are called a; rename one of them.',
      ],
      ['targets:\n  - name: a\n', ':2:5: baseUrl is missing: base URL of the store, without /plants.'],
      [
        'format: [html, pdf]\n',
        'format must be one of terminal, json, html, junit, markdown, badge, not "pdf".',
      ],
    ] as const) {
      expect(() => readConfig(join(folderWith(text), file)), text).toThrow(message);
    }
    for (const [text, more, message] of [
      ['seed: -1\n', {}, `${file}:1:7: seed must be a whole number from 0 to 4294967295, not -1.`],
      ['', { PLANT_STORE_CASES: 'many' }, 'PLANT_STORE_CASES must be a whole number'],
    ] as const) {
      const { code, stderr } = await suite(['run'], { ...env, ...more }, folderWith(text));
      expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    }
  });

  test('that is a path is relative to the configuration', async () => {
    await withStore('reference', async ({ url }) => {
      const folder = folderWith(`${BASE}baseline: known.yaml\n`);
      writeFileSync(join(folder, 'known.yaml'), '[]\n');
      const file = join(folder, 'conformance.yaml');
      expect((await suite(['run', url, '--config', file], env)).code).toBe(0);
      expect(recordIn(folder).ciResult.baseline?.file).toBe(join(folder, 'known.yaml'));
    });
  });
});

describe('a target', () => {
  test('is started and waited for, and gets the token from its own variable', async () => {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const main = packageFile('dist/cli/main.js');
    const folder = folderWith(
      `${BASE}targets:\n  - name: mine\n    baseUrl: http://127.0.0.1:${port}\n    tokenEnv: MINE\n    start: ${process.execPath} ${main} serve --port ${port}\n    wait: 20\n`,
    );
    const rejected = await suite(['run', '--target', 'mine'], env, folder);
    expect([rejected.code, rejected.stderr]).toEqual([
      2,
      'No token for the target mine; set the environment variable MINE.\n',
    ]);
    const { code, stdout } = await suite(['run'], { MINE: TOKEN }, folder);
    expect([code, stdout]).toEqual([0, expect.stringContaining('target    mine  http://127.0.0.1')]);
  });

  test('must be named if there are several, and a mistyped name gets a suggestion', async () => {
    const folder = folderWith(
      'targets:\n  - {name: staging, baseUrl: "http://127.0.0.1:1"}\n  - {name: live, baseUrl: "http://127.0.0.1:1"}\n',
    );
    expect((await suite(['run'], env, folder)).stderr).toContain('choose one with --target: staging, live');
    expect((await suite(['run', '--target', 'stagin'], env, folder)).stderr).toContain(
      'did you mean staging?',
    );
    expect((await suite(['run', '--target', 'staging'], env, folder)).code).toBe(3);
    const { code, stderr } = await suite(['run', '--target', 'staging'], env, tmpdir());
    expect([code, stderr]).toEqual([2, expect.stringContaining('--target needs a configuration')]);
  });

  test('sets every option, and its reproduction lines name its own variable', async () => {
    await withStore('id-any-string', async ({ url }) => {
      const folder = folderWith(
        `strict: false
targets:
  - name: mine
    baseUrl: ${url}
    tokenEnv: MINE
    strict: true
    cases: 10
    seed: 3
    only: [invalid/rejects-numeric-string-id, ordinary/answers-200]
    header: 'X-Tenant: seven'
    insecure: true
    out: out
    format: [json, markdown]
  - name: other
    baseUrl: ${url}
    tokenEnv: MINE
    timeout: 5000
    seed: 7
`,
      );
      const mine = { MINE: TOKEN };
      expect((await suite(['run', '--target', 'mine'], mine, folder)).code).toBe(1);
      const { options, target, causes, results } = recordIn(folder);
      expect([options.strict, options.cases, options.seed, target.tokenEnv]).toEqual([true, 10, 3, 'MINE']);
      const lines = [
        ...causes.flatMap(({ steps }) => steps),
        ...results.flatMap(({ exchanges }) => exchanges.map(({ command }) => command)),
      ];
      expect(lines.join('\n')).toContain('Bearer $MINE');
      expect(lines.join('\n')).toContain('X-Tenant: seven');
      expect(lines.join('\n')).not.toContain('PLANT_STORE_TOKEN');
      expect(readFileSync(join(folder, 'out/report.md'), 'utf8')).toContain(
        'PLANT_STORE_TOKEN="$MINE" npx plant-store-conformance run',
      );

      const failed = 'invalid/rejects-numeric-string-id';
      const replayed = await suite(['replay', 'mine', failed], mine, folder);
      expect([replayed.code, replayed.stdout]).toEqual([1, expect.stringContaining('STILL FAILING')]);
      const byFile = await suite(['replay', 'out/report.json', failed], {}, folder);
      expect([byFile.code, byFile.stderr]).toEqual([
        2,
        'No token for the target mine; set the environment variable MINE.\n',
      ]);
      const elsewhere = await suite(['replay', 'mine', failed, 'http://127.0.0.1:1'], mine, folder);
      expect([elsewhere.code, elsewhere.stderr]).toEqual([2, expect.stringContaining('No token; ')]);
      const diff = await suite(['diff', 'mine', 'out/report.json'], {}, folder);
      expect([diff.code, diff.stdout]).toEqual([0, expect.stringContaining('; 0 of 1 cause fixed since')]);
      const few = ['--only', failed, '--cases', '5'];
      const compared = await suite(['compare', 'mine', 'other', ...few], mine, folder);
      expect(compared.stderr).toContain(
        'other gets the same requests as the other stores, so its own seed is ignored',
      );
      expect([compared.code, compared.stdout]).toEqual([
        1,
        expect.stringMatching(/1 {2}mine[\s\S]*2 {2}other/),
      ]);
    });
  }, 60_000);

  test('whose reports another target has overwritten gets the advice to write them elsewhere', async () => {
    await withStore('reference', async ({ url }) => {
      const folder = folderWith(
        `${BASE}targets:\n  - {name: staging, baseUrl: "${url}"}\n  - {name: live, baseUrl: "${url}"}\n`,
      );
      await suite(['run', '--target', 'live'], env, folder);
      const { code, stderr } = await suite(['diff', 'live', 'staging'], env, folder);
      expect([code, stderr]).toEqual([2, expect.stringContaining('is the report of live, not of staging')]);
    });
  });

  test('is overridden by a base URL on the command line', async () => {
    await withStore('reference', async ({ url }) => {
      const folder = folderWith(
        `${BASE}targets:\n  - {name: staging, baseUrl: "http://127.0.0.1:1"}\n  - {name: live, baseUrl: "http://127.0.0.1:1"}\n`,
      );
      expect((await suite(['run', url], env, folder)).code).toBe(0);
    });
  });
});

describe('init', () => {
  const folder = () => mkdtempSync(join(tmpdir(), 'plant-store-'));

  test('writes a configuration with which a run works, and never overwrites one', async () => {
    await withStore('reference', async ({ url }) => {
      const cwd = folder();
      const { code, stdout } = await suite(['init', url, '--token-env', 'MINE'], {}, cwd);
      expect([code, stdout]).toEqual([0, expect.stringContaining('Set MINE to the token, then run: ')]);
      const few = ['--only', 'ordinary/answers-200', '--cases', '5'];
      expect((await suite(['run', ...few], { MINE: TOKEN }, cwd)).code).toBe(0);
      const again = await suite(['init', url], {}, cwd);
      expect([again.code, again.stderr]).toEqual([
        2,
        'conformance.yaml already exists; edit it, or name another file with --config.\n',
      ]);
    });
  });

  test('suggests options that are valid once they are no longer comments', () => {
    const answers = { baseUrl: 'http://127.0.0.1:1', tokenEnv: 'MINE', start: `node "a b".js # x: 'y'` };
    const file = join(folder(), 'conformance.yaml');
    const text = initialConfiguration(file, answers);
    expect(text).toMatch(
      /^# yaml-language-server: \$schema=\S*node_modules\/plant-store-conformance\/lib\/config\/conformance.schema.json\n/,
    );
    writeFileSync(file, text.replace(/^( *)# (?=\w+: (?!\$))/gm, '$1'));
    const { options, targets } = readConfig(file);
    expect(targets).toEqual([{ name: 'local', ...answers, wait: 30 }]);
    expect(Object.keys(options).length).toBeGreaterThan(5);
  });

  test('says what to do next, and warns of a base URL that ends with /plants', async () => {
    const { code, stdout, stderr } = await suite(['init', 'http://127.0.0.1:1/plants'], {}, folder());
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/then run: npx plant-store-conformance run\n$/),
    ]);
    expect(stderr).toMatch(/^warning: requests will go to http:\/\/127\.0\.0\.1:1\/plants\/plants/);
  });

  test('needs the base URL if there is no terminal, and rejects an invalid one', async () => {
    for (const [args, message] of [
      [[], 'No base URL; give one as the argument of init'],
      [['localhost'], 'The base URL must begin with http:// or https://'],
      [['http://127.0.0.1:1', '--token-env', 'a b'], 'must be the name of an environment variable'],
    ] as const) {
      const { code, stderr } = await suite(['init', ...args], {}, folder());
      expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    }
  });
});

test('--no-explain is --explain 0', async () => {
  await withStore('id-any-string', async ({ url }) => {
    const folder = folderWith('explain: 800\nout: out\n');
    const few = ['--only', 'invalid/rejects-numeric-string-id', '--cases', '5'];
    await suite(['run', url, ...few, '--no-explain'], env, folder);
    expect(recordIn(folder).causes.map(({ kind }) => kind)).toEqual(['once']);
    await suite(['run', url, ...few], env, folder);
    expect(recordIn(folder).causes.map(({ kind }) => kind)).toEqual(['always']);
  });
});

test('the example of docs/getting-started.md is a configuration', async () => {
  const example = /^```yaml\n([\s\S]*?)^```/m.exec(packageText('docs/getting-started.md'))?.[1] ?? '';
  const { stderr } = await suite(['run', '--target', 'stagin'], env, folderWith(example));
  expect(stderr).toContain('has no target stagin; did you mean staging?');
});

test('the schema for editors lists exactly the options of run that a file can set', async () => {
  const { stdout } = await suite(['run', '--help']);
  const flags = [...stdout.matchAll(/^ {2}--([a-z-]+)/gm)].map(([, flag = '']) =>
    flag.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()),
  );
  const flagsOnly = [
    ...['token', 'config', 'target', 'shard', 'writeBaseline'],
    ...['watch', 'quiet', 'verbose', 'noExplain'],
  ];
  const { properties } = JSON.parse(
    readFileSync(packageFile('lib/config/conformance.schema.json'), 'utf8'),
  ) as { properties: { targets: { items: { properties: object } } } };
  const own = flags.filter((flag) => !flagsOnly.includes(flag));
  expect(Object.keys(properties).sort()).toEqual([...own, 'targets'].sort());
  expect(Object.keys(properties.targets.items.properties).sort()).toEqual(
    [...own, 'name', 'baseUrl', 'tokenEnv'].sort(),
  );
});
