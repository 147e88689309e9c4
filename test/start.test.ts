import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageFile } from '../lib/package.ts';
import { type Ended, suite } from './helpers/command.ts';
import { TOKEN, withStore } from './helpers/stores.ts';

const env = { PLANT_STORE_TOKEN: TOKEN };

const freePort = () => 20_000 + Math.floor(Math.random() * 12_000);

/** The code of a store, with some more. */
const storeAt = (port: number, before = '', after = '') =>
  `import { startStore } from ${JSON.stringify(packageFile('dist/reference/store.js'))};
const token = process.env.PLANT_STORE_TOKEN;
${before}
await startStore({ token, port: ${port} });
${after}
`;

/** A run in a folder of its own, of a few checks against a store that it starts with `node store.mjs`. */
async function started(
  code: string,
  {
    port = freePort(),
    command = `"${process.execPath}" store.mjs`,
    args = ['--only', 'ordinary/answers-200', '--out', 'reports'],
  }: { readonly port?: number; readonly command?: string; readonly args?: readonly string[] } = {},
): Promise<Ended & { readonly read: (file: string) => string }> {
  const cwd = mkdtempSync(join(tmpdir(), 'plant-store-'));
  writeFileSync(join(cwd, 'store.mjs'), code);
  const run = await suite(['run', `http://127.0.0.1:${port}`, ...args, '--start', command], env, cwd);
  return { ...run, read: (file) => readFileSync(join(cwd, file), 'utf8') };
}

describe('a store that the run starts', () => {
  test('is stopped at the end', async () => {
    const port = freePort();
    expect((await started(storeAt(port), { port })).code).toBe(0);
    expect((await suite(['run', `http://127.0.0.1:${port}`, '--only', 'auth'], env)).code).toBe(3);
  });

  test('may be in the background of the command', async () => {
    const port = freePort();
    const command = `"${process.execPath}" store.mjs &`;
    expect((await started(storeAt(port), { port, command })).code).toBe(0);
  });

  test('leaves its output in a file beside the reports, with the token redacted, and not on the screen', async () => {
    const port = freePort();
    const chatter =
      'for (let n = 0; n < 5000; n += 1) console[n % 2 ? "log" : "error"](`line ${n} ${token}`);';
    const { code, stdout, stderr, read } = await started(storeAt(port, chatter), { port });
    expect([code, stderr.split('\n').length]).toEqual([0, 2]);
    expect(stdout + stderr).not.toContain('line ');
    const log = read('reports/store.log');
    expect(log).toMatch(/^plant-store-conformance \S+ started `.*store\.mjs`\n/);
    expect(log.match(/^line \d+ \[redacted\]$/gm)?.length).toBe(5000);
  });

  test('does not overwrite a file that the suite did not write', async () => {
    const out = mkdtempSync(join(tmpdir(), 'plant-store-'));
    writeFileSync(join(out, 'store.log'), 'notes of my own\n');
    const { code, stderr } = await started('', { args: ['--out', out] });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/store\.log already exists .*--force/)]);
  });
});

describe('a store that does not start', () => {
  const nowhere = join('nowhere', 'server.js');

  test.each([
    ['a module that does not exist', `"${process.execPath}" ${nowhere}`, 'exit code 1', 'Cannot find module'],
    ['a command that does not exist', 'no-such-command --port 1', 'exit code 127', 'not found'],
    ['a process that is killed', 'kill -9 $$', 'SIGKILL', 'without any output'],
  ])(
    'because of %s ends the run at once, with the end of its output',
    async (_name, command, end, output) => {
      const { code, stdout, stderr, read } = await started('', { command });
      expect(code).toBe(3);
      expect(stderr).toMatch(
        new RegExp(`^\`.*\` (?:ended with|was terminated by) ${end} after \\d\\.\\d s, `, 'm'),
      );
      expect(stderr).toContain(output);
      expect(stdout).toContain('its output is in reports/store.log');
      const { stop } = JSON.parse(read('reports/report.json'));
      expect([stop.kind, stop.reason]).toEqual([
        'unreachable',
        expect.stringMatching(new RegExp(`${end} after \\S+ s$`)),
      ]);
      expect(stop.remedy).toMatch(
        end === 'SIGKILL' ? /^find out what sent SIGKILL;/ : /^correct the command;/,
      );
    },
  );

  test('in time is reported as still running', async () => {
    const { code, stderr, stdout } = await started(
      'setInterval(() => {}, 1000); console.log("no port yet");',
      {
        args: ['--wait', '1', '--quiet'],
      },
    );
    expect(code).toBe(3);
    expect(stderr).toMatch(/is still running, and its output ended with\n {2}no port yet\n$/);
    expect(stdout).toMatch(/is still running; .*raise --wait/);
  });

  test('because something listens there already is not started', async () => {
    await withStore('reference', async ({ url }) => {
      const { code, stderr, stdout } = await started('', { port: Number(new URL(url).port) });
      expect([code, stdout, stderr]).toEqual([
        2,
        '',
        expect.stringContaining('something already listens at'),
      ]);
    });
  });
});

describe('a store that dies during the run', () => {
  /** Crashes outside of any handler. */
  const crash = `import { EventEmitter } from 'node:events';
const emit = EventEmitter.prototype.emit;
EventEmitter.prototype.emit = function (event, ...others) {
  if (event === 'data' && String(others[0]) === 'null') { console.error('it is null'); process.exit(1); }
  return emit.call(this, event, ...others);
};`;

  test('is started again, so that experiments find out what it dies of', async () => {
    const port = freePort();
    const only = ['ordinary', 'invalid/rejects-non-objects', 'invariants'].flatMap((one) => ['--only', one]);
    const args = [...only, '--out', 'reports'];
    const { code, stdout, stderr, read } = await started(storeAt(port, crash), { port, args });
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /`.*` died \d+ times; at first, it ended with exit code 1 .* ended with\n.*it is null\n/s,
      ),
    ]);
    expect(stdout).toMatch(/^1\. Dies without an answer when the body is null {2}\(\d checks, MUST\)$/m);
    const [cause, ...others] = JSON.parse(read('reports/report.json')).causes;
    expect([cause.answer, cause.confirmed.outside[0], others]).toEqual(['none', 0, []]);
    expect(cause.steps.at(-1)).toContain('-d null');
  });

  test('after its response, so that no request fails, is not judged conformant', async () => {
    const port = freePort();
    const late = `import { existsSync, mkdirSync } from 'node:fs';
import { Server } from 'node:http';
let requests = existsSync('died') ? 2 : 0;
Server.prototype.emit = new Proxy(Server.prototype.emit, {
  apply(emit, server, [event, ...others]) {
    if (event === 'request' && (requests += 1) === 2) others[1].once('close', () => {
      mkdirSync('died');
      setTimeout(() => process.exit(1), 20);
    });
    return Reflect.apply(emit, server, [event, ...others]);
  },
});`;
    const args = ['--only', 'ordinary/answers-200', '--rate', '4'];
    const { code, stdout } = await started(storeAt(port, late), { port, args });
    expect([code, stdout]).toEqual([
      3,
      expect.stringMatching(/the store died \d+ times? and was\s+restarted/),
    ]);
  });

  test('only seemingly, because it reloads and closes its port for a moment, is waited for and not accused', async () => {
    const port = freePort();
    const reload = `import { Server } from 'node:http';
const servers = [];
const listen = Server.prototype.listen;
Server.prototype.listen = function (...args) { servers.push(this); return listen.apply(this, args); };
setTimeout(() => {
  for (const server of servers) {
    server.close(() => setTimeout(() => listen.call(server, ${port}, '127.0.0.1'), 500));
    server.closeIdleConnections();
  }
}, 1000);`;
    const args = ['--only', 'ordinary', '--rate', '100'];
    const { code, stderr } = await started(storeAt(port, reload), { port, args });
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('died')]);
  });

  test('and cannot be started again is reported with its signal and the end of its output', async () => {
    const port = freePort();
    const once = `import { mkdirSync } from 'node:fs'; mkdirSync('lock');
console.error("going down soon");`;
    const run = await started(
      storeAt(port, once, 'setTimeout(() => process.kill(process.pid, "SIGKILL"), 300);'),
      {
        port,
        args: ['--rate', '50', '--only', 'ordinary', '--explain', '0'],
      },
    );
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(
      /was terminated by SIGKILL .*going down soon\n.*restarted, it ended with exit code 1 after/s,
    );
    expect(run.stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /was terminated by SIGKILL after \S+ s, was restarted, and ended with exit code 1 after \S+ s; the store stopped answering during/,
    );
  });
});
