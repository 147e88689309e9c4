import { once } from 'node:events';
import { mkdirSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startStore } from '../index.ts';
import { packageFile } from '../lib/package.ts';
import { json } from '../reference/store.ts';
import { startSuite, suite } from './helpers/command.ts';
import { TOKEN } from './helpers/stores.ts';

const FEW = ['--only', 'ordinary/answers-200', '--only', 'auth/rejects-missing-token'];

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** A run that is watched, and what it has printed. */
function watched(args: readonly string[], cwd: string) {
  const child = startSuite(['run', ...args, ...FEW, '--watch'], { PLANT_STORE_TOKEN: TOKEN }, cwd);
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  const exit = once(child, 'exit');
  onTestFinished(() => void child.kill());
  return {
    /** What was printed up to this text, once it is there. */
    async until(text: string): Promise<string> {
      while (!printed.includes(text)) {
        if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${printed}`);
        await sleep(20);
      }
      const [before = '', ...after] = printed.split(text);
      printed = after.join(text);
      return before;
    },
    press: (keys: string) => child.stdin?.write(keys),
    async end(): Promise<number> {
      child.stdin?.write('q\n');
      const [code] = (await exit) as [number];
      return code;
    },
  };
}

const CREATED = '1. Answers 201 instead of 200';

describe('run --watch', () => {
  test('with --start, starts a changed store again, and says which causes are fixed, or why the store does not start', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'plant-store-'));
    const port = await freePort();
    const write = (status: number, file = join(folder, 'store.mjs')) =>
      writeFileSync(
        file,
        `import { json, startStore } from '${pathToFileURL(packageFile('dist/reference/store.js'))}';
         const create = ({ name }) => json(${status}, { name });
         await startStore({ token: process.env.PLANT_STORE_TOKEN, port: ${port}, steps: () => ({ create }) });`,
      );
    write(201);
    mkdirSync(join(folder, 'node_modules'));
    const run = watched(
      [`http://127.0.0.1:${port}`, '--start', `exec '${process.execPath}' store.mjs`, '--out', 'reports'],
      folder,
    );
    expect(await run.until('q quits')).toContain(CREATED);
    const temporary = join(folder, 'sedLrP6qA');
    write(202, temporary);
    renameSync(temporary, join(folder, 'store.mjs'));
    const again = await run.until('now all checks');
    expect(again).toContain('store.mjs changed');
    expect(again).toContain(`${CREATED}: still fails (answers 202 instead of 200)`);
    expect(await run.until('q quits')).toContain('1. Answers 202 instead of 200');
    // Neither reports nor dependencies are watched.
    for (const name of ['node_modules/a.js', 'reports/b.json', '.hidden'])
      writeFileSync(join(folder, name), '');
    writeFileSync(join(folder, 'store.mjs'), 'no program');
    expect(await run.until('; now all checks')).toMatch(
      / {2}store.mjs changed\n1\. Answers 202 .*: not judged/,
    );
    await run.until('SyntaxError');
    await run.until('Before: Answers 202 instead of 200');
    write(200);
    expect(await run.until('; now all checks')).toMatch(
      /1\. Answers 202 .*: fixed\n1 of 1 cause fixed, after/,
    );
    await run.until('Fixed: Answers 202 instead of 200');
    expect(await run.end()).toBe(0);
  });

  test('without --start, runs again when the store is back, and with Enter', async () => {
    const port = await freePort();
    const create = ({ name }: { name: string }) => json(201, { name });
    const broken = await startStore({ token: TOKEN, port, steps: () => ({ create }) });
    const run = watched([broken.url], mkdtempSync(join(tmpdir(), 'plant-store-')));
    expect(await run.until('q quits')).toContain(CREATED);
    run.press('\n');
    expect(await run.until('q quits')).toMatch(/ {2}Enter\n1\. Answers 201 [^\n]*: still fails\n/);
    await broken.stop();
    await sleep(500);
    const right = await startStore({ token: TOKEN, port });
    expect(await run.until('q quits')).toMatch(/ {2}the store is back\n1\. Answers 201 [^\n]*: fixed\n/);
    expect(await run.end()).toBe(0);
    await right.stop();
  });

  test.each([[['--out', '-']], [['--write-baseline', 'baseline.yaml']]])(
    'is a usage error with %s',
    async (args) => {
      const { code, stderr } = await suite(['run', '--watch', ...args], {});
      expect([code, stderr]).toEqual([2, expect.stringContaining(`cannot be combined with ${args[0]}`)]);
    },
  );
});
