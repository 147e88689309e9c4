import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { sample } from '../bench/fleet.ts';
import { documentWith, obstacle, peers } from '../bench/peers.ts';
import { measured } from '../bench/process.ts';
import { results, resultsText } from '../bench/results.ts';
import { startStoreProcess, TOKEN } from '../bench/store.ts';
import { median, tableText } from '../bench/table.ts';
import { packageFile, packageText } from '../lib/package.ts';
import { mapInPool } from '../lib/run/send/pool.ts';
import { ended, start } from './helpers/command.ts';

const PLACE = { cwd: packageFile('.'), maxSeconds: 60 };

describe('the peers', () => {
  test('include Schemathesis 4.32 or later', () => {
    const pinned = packageText('bench/peers/schemathesis/requirements.txt');
    const [, major, minor] = /^schemathesis==(\d+)\.(\d+)\.\d+$/m.exec(pinned) ?? [];
    expect(Number(major) * 1000 + Number(minor)).toBeGreaterThanOrEqual(4032);
  });

  test.each(peers())(
    '$folder describes how to install and run it, and pins its dependencies',
    ({ folder, ...peer }) => {
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
    },
  );

  test('that are unavailable say why', () => {
    expect(obstacle('wrk', ['no-such-command'], 'true')).toBe('this machine has no no-such-command');
    expect(obstacle('wrk', [], 'echo no room >&2; false')).toMatch(/^echo .* failed: no room$/);
  });

  test('get the overlays of a store in addition to their own', () => {
    expect(documentWith([packageFile('mutants/overlays/limits.yaml')])).toContain('maxLength: 64');
  });
});

test('the documents compare the tools by the measured figures', () => {
  const cells = (row: string) => row.split('|').map((cell) => cell.trim());
  const rowsOf = (page: string) =>
    packageText(page)
      .split('\n')
      .filter((line) => line.startsWith('| '))
      .map(cells);
  const measuredRows = rowsOf('bench/results.md');
  const [, section = ''] = packageText('docs/how-it-works.md').split('## Compared with general tools');
  const rows = section
    .split('\n')
    .filter((line) => / of 29 /.test(line))
    .map(cells);
  expect(rows).toHaveLength(5);
  for (const [, tool = '', caught, accused, near, far] of rows) {
    const own = measuredRows.filter((row) =>
      row.some((cell) => cell === tool || cell === `${tool}, default`),
    );
    const ratioAt = (store: string) => own.find((row) => row[1] === store)?.[4];
    const fleet = own.find((row) => row[2]?.includes(' of 29'));
    expect([
      tool,
      fleet?.[2],
      fleet?.[4],
      ratioAt('reference store'),
      ratioAt('responds after 50 ms'),
    ]).toEqual([...[tool, caught, accused, near, far]]);
  }
});

describe('the command', () => {
  const bench = (args: readonly string[]) =>
    ended(start(process.execPath, [packageFile('dist/bench/main.js'), ...args]));

  test('measures one part, and writes nothing with --no-write', async () => {
    const before = packageText('bench/results.json');
    const { code, stdout, stderr } = await bench(['startup', '--rounds', '1', '--no-write']);
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/^## Start-up$[\s\S]*^\| list +\| [\d,]+ \(/m);
    expect(packageText('bench/results.json')).toBe(before);
  });

  test.each([
    [['stratup'], 'no part is called stratup; the parts are throughput, '],
    [['--rounds', '0'], '--rounds and --every take a number from 1'],
  ])('rejects %j', async (args, problem) => {
    const { code, stderr } = await bench(args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
  });
});

describe('a measured command', () => {
  test('returns its exit code and output', async () => {
    const { code, stdout } = await measured(
      process.execPath,
      ['-e', 'console.log("out"); process.exitCode = 3'],
      PLACE,
    );
    expect([code, stdout]).toEqual([3, 'out\n']);
  });

  test('is killed with its children if it does not end in time', async () => {
    const { code } = await measured('sh', ['-c', 'sleep 600; true'], { ...PLACE, maxSeconds: 0.1 });
    expect(code).toBeNull();
  });

  test('that does not exist is an error', async () => {
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

test('a sample is spread evenly and deterministic', () => {
  expect(sample([0, 1, 2, 3, 4, 5, 6], 3)).toEqual([0, 3, 6]);
});

test('results of concurrent work are in the order of the input', async () => {
  expect(await mapInPool([3, 1, 2], 2, async (number) => number * 2)).toEqual([6, 2, 4]);
});

test('the median of an even number of values is their middle', () => {
  expect([median([3, 1, 2]), median([4, 1, 2, 3])]).toEqual([2, 2.5]);
});

test('a table is aligned in columns, and cells are escaped', () => {
  expect(tableText({ columns: ['a', 'b'], rows: [['1|2', 'long'], ['3']] })).toBe(
    ['| a    | b    |', '| ---- | ---- |', '| 1\\|2 | long |', '| 3    |      |'].join('\n'),
  );
});

test('the published page is generated from the results', () => {
  expect(results().length).toBeGreaterThan(0);
  expect(resultsText(results())).toBe(readFileSync(packageFile('bench/results.md'), 'utf8'));
});
