import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { open, TOKEN, valuesFor } from '../implementations/infrastructure/lab.ts';
import { allSetups, fill, titleOf } from '../implementations/infrastructure/setup.ts';
import { infrastructureMarkdown, surpriseOf } from '../implementations/infrastructure/table.ts';
import type { Column } from '../lib/compare/comparison.ts';
import { COMPARISON_FORMATS } from '../lib/compare/formats.ts';
import { readEither } from '../lib/compare/read-comparison.ts';
import { packageFile, packageText } from '../lib/package.ts';
import { ended, start } from './helpers/command.ts';

const setups = allSetups();
const servers = [...new Set(setups.map(({ server }) => server))];

const published = (() => {
  const saved = readEither(packageFile('reports/infrastructure.json'));
  if (saved.kind !== 'comparison') throw new Error('reports/infrastructure.json is not a comparison');
  return saved.comparison;
})();

describe('the manifest of a server', () => {
  const KEYS = [
    'title',
    'language',
    'framework',
    'needs',
    'install',
    'version',
    'config',
    'start',
    'note',
    'with',
  ];
  const SETUP_KEYS = ['note', 'scheme', 'with', 'needs', 'start', 'replicas', 'restart', 'flags', 'expect'];

  test.each(servers.map(({ folder }) => folder))('%s has no unknown keys', (folder) => {
    const { setups: own, ...about } = parse(packageText(`${folder}/about.yaml`)) as Record<string, object>;
    expect([...KEYS, 'setups']).toEqual(expect.arrayContaining(Object.keys(about)));
    for (const setup of Object.values(own ?? {}))
      expect(SETUP_KEYS).toEqual(expect.arrayContaining(Object.keys(setup)));
  });

  test.each(servers.map(({ folder }) => folder))('%s has a finding', (folder) => {
    const { title = '' } = servers.find((one) => one.folder === folder) ?? {};
    expect(packageText('implementations/infrastructure/FINDINGS.md')).toContain(`**${title}**`);
  });

  test.each(setups.map((setup) => [setup.name, setup] as const))('%s fills every placeholder', (_, setup) => {
    const { folder, config } = setup.server;
    const values = valuesFor(setup, '/tmp/x', [1, 2, 3, 4]);
    const template = config === undefined ? '' : packageText(`${folder}/${config}`);
    for (const text of [template, setup.start, ...setup.flags])
      expect(fill(text, values)).not.toContain('${');
  });

  test('a placeholder without a value is an error', () => {
    expect(() => fill('listen ${PORT};', {})).toThrow('${PORT}');
  });
});

describe('the expectation of a set-up', () => {
  const column = (outcome: string, remedy?: string): Column =>
    ({
      name: 'x',
      state: 'run',
      outcome,
      cells: {},
      advice: null,
      stop: remedy === undefined ? null : { kind: 'throttled', reason: 'too much', remedy },
    }) as unknown as Column;

  test.each([
    ['conformant', '', column('conformant'), undefined],
    ['conformant', '', column('nonconformant'), 'expected to be conformant'],
    ['undetermined', '--rate', column('undetermined', 'give --rate'), undefined],
    [
      'undetermined',
      '--rate',
      column('undetermined', 'wait'),
      'expected to be undetermined, and to report: --rate',
    ],
    ['undetermined', '--rate', column('conformant'), 'expected to be undetermined, and to report: --rate'],
    ['conformant', '', { name: 'x', state: 'not-run', reason: 'no nginx' } as const, 'no nginx'],
  ] as const)('%s %s', (outcome, says, found, surprise) => {
    expect(surpriseOf({ expect: { outcome, says } }, found)).toBe(surprise);
  });
});

describe('a set-up that is running', () => {
  test('can restart its store, and leaves nothing running', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'plant-store-lab-'));
    const [setup] = setups;
    if (setup === undefined) throw new Error('there is no set-up');
    // In this set-up the server is itself a store, with another store behind it.
    const running = await open(setup, 90, folder);
    const ask = (port: string | undefined) =>
      fetch(`http://127.0.0.1:${port}/plants`, { headers: { authorization: `Bearer ${TOKEN}` } }).then(
        ({ status }) => status,
        () => 'closed',
      );
    const { PORT, UPSTREAM } = running.values;
    try {
      expect([await ask(PORT), await ask(UPSTREAM)]).toEqual([405, 405]);
      const again = running.restart();
      while ((await ask(UPSTREAM)) !== 'closed');
      await again;
      expect(await ask(UPSTREAM)).toBe(405);
    } finally {
      await running.close();
      rmSync(folder, { recursive: true });
    }
    expect([await ask(PORT), await ask(UPSTREAM)]).toEqual(['closed', 'closed']);
  });
});

describe('the command', () => {
  const infrastructure = (args: readonly string[], env = {}) =>
    ended(
      start(
        process.execPath,
        [packageFile('dist/implementations/infrastructure/run.js'), '--no-write', '--cases=1', ...args],
        env,
      ),
    );

  test('runs the suite against a set-up that it starts', async () => {
    const { code, stdout } = await infrastructure(['--only', 'reference/http']);
    expect(stdout).toMatch(/^The reference store, http +conformant/);
    expect(code).toBe(0);
  });

  test('fails if a requested server is not installed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'plant-store-path-'));
    symlinkSync(process.execPath, join(folder, 'node'));
    symlinkSync('/bin/sh', join(folder, 'sh'));
    const { code, stdout } = await infrastructure(['--only', 'nginx/http'], { PATH: folder });
    rmSync(folder, { recursive: true });
    expect(stdout).toMatch(/this machine has no .*nginx/);
    expect(code).toBe(1);
  });

  test('rejects an unknown set-up', async () => {
    const { code, stderr } = await infrastructure(['--only', 'ngnix/*']);
    expect(stderr).toMatch(/^No set-up is called ngnix\/\*/);
    expect(code).toBe(2);
  });
});

describe('the published table', () => {
  test('has a row for each set-up', () => {
    expect(published.columns.map(({ name }) => name)).toEqual(setups.map(titleOf));
  });

  test('is generated from the record', () => {
    const file = (extension: string) =>
      readFileSync(packageFile(`reports/infrastructure.${extension}`), 'utf8');
    expect(infrastructureMarkdown(published)).toBe(file('md'));
    expect(COMPARISON_FORMATS.html.render(published)).toBe(file('html'));
  });

  test('has only the outcomes that the manifests expect', () => {
    const surprises = published.columns.flatMap((column) => {
      const setup = setups.find((one) => titleOf(one) === column.name);
      if (setup === undefined || column.state === 'not-run') return [];
      const surprise = surpriseOf(setup, column);
      return surprise === undefined ? [] : [`${column.name}: ${surprise}`];
    });
    expect(surprises).toEqual([]);
  });
});
