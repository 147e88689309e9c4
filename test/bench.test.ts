import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { overAll, sample } from '../bench/fleet.ts';
import { documentWith, obstacle, peers } from '../bench/peers.ts';
import { measured } from '../bench/process.ts';
import { results, resultsText } from '../bench/results.ts';
import { startStoreProcess, TOKEN } from '../bench/store.ts';
import { median, tableText } from '../bench/table.ts';
import { packageFile, packageText } from '../lib/package.ts';
import { ended, start } from './command.ts';

const PLACE = { cwd: packageFile('.'), patience: 60 };

describe('the peers', () => {
  test.each(peers())('$folder says how it is had and run, and pins what it needs', ({ folder, ...peer }) => {
    const home = packageFile(`bench/peers/${folder}`);
    expect(peer.needs.length).toBeGreaterThan(0);
    expect(['package-lock.json', 'requirements.txt'].some((file) => existsSync(`${home}/${file}`))).toBe(
      true,
    );
    for (const { title, settings, command, overlay } of peer.runs) {
      expect(title).toMatch(/\S/);
      expect(settings).toMatch(/\S/);
      expect(command).toContain('$DOCUMENT');
      if (overlay !== undefined) expect(documentWith([`${home}/${overlay}`])).toContain('/plants');
      expect(packageText('bench/README.md')).toContain(title.split(',')[0]);
    }
  });

  test('that cannot be had say why', () => {
    expect(obstacle('wrk', ['no-such-command'], 'true')).toBe('this machine has no no-such-command');
    expect(obstacle('wrk', [], 'echo no room >&2; false')).toMatch(/^echo .* failed: no room$/);
  });

  test('are given the overlays of a store beside their own', () => {
    expect(documentWith([packageFile('mutants/overlays/limits.yaml')])).toContain('maxLength: 64');
  });
});

describe('the command', () => {
  const bench = (args: readonly string[]) =>
    ended(start(process.execPath, [packageFile('dist/bench/main.js'), ...args]));

  test('measures one part, and writes nothing where it is told so', async () => {
    const before = packageText('bench/results.json');
    const { code, stdout, stderr } = await bench(['startup', '--rounds', '1', '--no-write']);
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/^## Start-up$[\s\S]*^\| list +\| [\d,]+ \(/m);
    expect(packageText('bench/results.json')).toBe(before);
  });

  test.each([
    [['stratup'], 'no part is called stratup; the parts are throughput, '],
    [['--rounds', '0'], '--rounds and --every take a number from 1'],
  ])('refuses %j', async (args, problem) => {
    const { code, stderr } = await bench(args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
  });
});

describe('a measured command', () => {
  test('ends with its exit code and what it printed', async () => {
    const { code, stdout } = await measured(
      process.execPath,
      ['-e', 'console.log("out"); process.exitCode = 3'],
      PLACE,
    );
    expect([code, stdout]).toEqual([3, 'out\n']);
  });

  test('is stopped with its children where it does not end', async () => {
    const { code } = await measured('sh', ['-c', 'sleep 600; true'], { ...PLACE, patience: 0.1 });
    expect(code).toBeNull();
  });

  test('that there is none of is an error', async () => {
    await expect(measured('no-such-command', [], PLACE)).rejects.toThrow('ENOENT');
  });
});

test('a store in its own process counts its requests', async () => {
  const store = await startStoreProcess();
  try {
    const post = () =>
      fetch(`${store.url}/plants`, {
        method: 'POST',
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
        body: '{"id":1,"name":"Fern"}',
      });
    expect([(await post()).status, (await post()).status]).toEqual([200, 200]);
    expect([await store.requests(), await store.requests()]).toEqual([2, 0]);
  } finally {
    await store.stop();
  }
});

test('a sample is spread evenly, and is the same each time', () => {
  expect(sample([0, 1, 2, 3, 4, 5, 6], 3)).toEqual([0, 3, 6]);
});

test('work is done for all, in their order', async () => {
  expect(await overAll([3, 1, 2], async (number) => number * 2)).toEqual([6, 2, 4]);
});

test('the median lies between', () => {
  expect([median([3, 1, 2]), median([4, 1, 2, 3])]).toEqual([2, 2.5]);
});

test('a table stands in columns, and no cell breaks it', () => {
  expect(tableText({ columns: ['a', 'b'], rows: [['1|2', 'long'], ['3']] })).toBe(
    ['| a    | b    |', '| ---- | ---- |', '| 1\\|2 | long |', '| 3    |      |'].join('\n'),
  );
});

test('the published page is made of the results', () => {
  expect(results().length).toBeGreaterThan(0);
  expect(resultsText(results())).toBe(readFileSync(packageFile('bench/results.md'), 'utf8'));
});
