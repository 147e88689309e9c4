import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RunRecord } from '../index.ts';
import { suite as about, packageFile } from '../lib/package.ts';
import { answer, rightSteps } from '../reference/store.ts';
import { ANNOUNCED, ended, startSuite, suite } from './command.ts';
import { TOKEN, withStore } from './stores.ts';

const QUICK = ['--cases', '10', '--seed', '3'];
const env = { PLANT_STORE_TOKEN: TOKEN };
const folder = () => mkdtempSync(join(tmpdir(), 'plant-store-'));

const fixture = (name: string) => packageFile(`test/fixtures/${name}`);

/** A right store behind another listener. */
const handler = (prefix = '') => {
  const steps = rightSteps(TOKEN);
  return (message: Parameters<typeof answer>[1], response: Parameters<typeof answer>[2]) => {
    if (prefix !== '' && !(message.url ?? '').startsWith(`${prefix}/`)) {
      message.resume();
      response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>not here</h1>');
      return;
    }
    message.url = (message.url ?? '').slice(prefix.length);
    void answer(steps, message, response);
  };
};

async function listening(
  server: ReturnType<typeof createServer>,
  host: string,
  use: (port: number) => Promise<void>,
) {
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  try {
    await use((server.address() as AddressInfo).port);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

describe('exit codes', () => {
  test('0 for a conformant store', async () => {
    await withStore('reference', async ({ url }) => {
      const { code, stdout, stderr } = await suite(['run', url, ...QUICK], env);
      expect(stdout).toContain('CONFORMANT  MUST');
      expect([code, stderr]).toEqual([0, expect.stringMatching(ANNOUNCED)]);
    });
  });

  test('0 for the embedded store', async () => {
    expect((await suite(['run', ...QUICK])).code).toBe(0);
  });

  test('1 for a store that fails a MUST', async () => {
    await withStore('always-400', async ({ url }) => {
      const { code, stdout } = await suite(['run', url, ...QUICK], env);
      expect(code).toBe(1);
      expect(stdout).toContain('NOT CONFORMANT');
    });
  });

  test('a failed SHOULD is a warning, and 1 with --strict', async () => {
    await withStore('scheme-case', async ({ url }) => {
      const args = ['run', url, ...QUICK, '--only', 'auth/*'];
      expect((await suite(args, env)).code).toBe(0);
      expect((await suite([...args, '--strict'], env)).code).toBe(1);
    });
  });

  test.each([
    ['an unknown option', ['run', '--case', '3'], 'Did you mean --cases?'],
    ['an unknown command', ['rum'], 'unknown command'],
    ['a value that is none', ['run', '--seed', 'x'], 'whole number'],
    ['no token', ['run', 'http://127.0.0.1:1'], 'PLANT_STORE_TOKEN'],
    ['no base URL', ['run', 'localhost', '--token', 'abcd'], 'takes a base URL such as'],
    [
      'a base URL with a query',
      ['run', 'http://127.0.0.1:1/?a=b', '--token', 'abcd'],
      'a base URL that may hold',
    ],
    [
      'a filter that matches nothing',
      ['run', '--only', 'create/nothing'],
      'No check is called create/nothing',
    ],
    [
      'a document that is not there',
      ['run', '--openapi', 'nowhere.yaml'],
      'nowhere.yaml: there is no such file',
    ],
    [
      'a certificate without its key',
      ['run', '--cert', fixture('localhost.pem')],
      '--cert and --key need one another',
    ],
    ['a key that is not there', ['run', '--cert', 'a.pem', '--key', 'nowhere.key'], 'a.pem'],
    [
      'a key of another certificate',
      ['run', '--cert', fixture('localhost.pem'), '--key', packageFile('test/hostile/fixtures/expired.key')],
      'without a passphrase',
    ],
    ['certificates that are not there', ['run', '--ca', 'nowhere.pem'], 'nowhere.pem'],
    ['--start without a URL', ['run', '--start', 'true'], '--start needs the base URL'],
    [
      'a folder that cannot be written',
      ['run', '--only', 'create/answers-200', '--out', '/dev/null/x'],
      'cannot be written',
    ],
    ['an empty token', ['run', 'http://127.0.0.1:1', '--token', ''], 'not an empty text'],
    ['a token for no header', ['run', 'http://127.0.0.1:1', '--token', 'né 木'], 'visible ASCII characters'],
    ['a header of the checks', ['run', '--header', 'Authorization: x'], 'what the checks are about'],
    ['a header that is none', ['run', '--header', 'nonsense'], "'Name: value'"],
  ])('2 for %s, in a line or two and without a stack', async (_name, args, says) => {
    const { code, stderr } = await suite(args);
    expect(stderr).toContain(says);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(code).toBe(2);
  });

  test('3 where nothing listens, with the remedy', async () => {
    const { code, stdout } = await suite(['run', 'http://127.0.0.1:1'], env);
    expect(stdout).toContain('nothing listens there');
    expect(stdout).toContain('--start');
    expect(code).toBe(3);
  });

  test('3 where the token is refused throughout', async () => {
    await withStore('reference', async ({ url }) => {
      const { code, stdout } = await suite(['run', url], { PLANT_STORE_TOKEN: 'another-token' });
      expect(stdout).toContain('refuses the token on every request');
      expect(code).toBe(3);
    });
  });

  test('3 after an interruption, with the report of what was done, and nothing left running', async () => {
    await withStore('slow', async ({ url }) => {
      const child = startSuite(['run', url, '--verbose'], env);
      child.stderr?.on('data', (lines: Buffer) => {
        if (lines.includes('refuse/')) child.kill('SIGINT');
      });
      const { code, stdout } = await ended(child);
      expect(stdout).toContain('the run was interrupted');
      expect(stdout).toMatch(/MUST [1-9]\d* passed/);
      expect(code).toBe(3);
    });
  });
});

test('an interruption is heeded while the store is still silent', async () => {
  let interrupt = () => {};
  // Never answers, and says when it has been asked.
  const silent = createServer(() => interrupt());
  await listening(silent, '127.0.0.1', async (port) => {
    const child = startSuite(['run', `http://127.0.0.1:${port}`, '--timeout', '60000'], env);
    interrupt = () => child.kill('SIGINT');
    const { code, stdout } = await ended(child);
    expect([code, stdout]).toEqual([3, expect.stringContaining('the run was interrupted')]);
  });
});

describe('where a store may be', () => {
  test('below a path', async () => {
    await listening(createServer(handler('/api/v3')), '127.0.0.1', async (port) => {
      const { code } = await suite(['run', `http://127.0.0.1:${port}/api/v3/`, ...QUICK], env);
      expect(code).toBe(0);
    });
  });

  test('at an IPv6 address', async () => {
    await listening(createServer(handler()), '::1', async (port) => {
      expect((await suite(['run', `http://[::1]:${port}`, ...QUICK], env)).code).toBe(0);
    });
  });

  test('behind TLS, with an authority of its own', async () => {
    const tls = { cert: readFileSync(fixture('localhost.pem')), key: readFileSync(fixture('localhost.key')) };
    await listening(createTlsServer(tls, handler()), '127.0.0.1', async (port) => {
      const url = `https://127.0.0.1:${port}`;
      const untrusted = await suite(['run', url, ...QUICK], env);
      expect(untrusted.stdout).toContain('certificate is not trusted');
      expect(untrusted.stdout).toContain('--ca FILE');
      expect(untrusted.code).toBe(3);
      expect((await suite(['run', url, ...QUICK, '--ca', fixture('localhost.pem')], env)).code).toBe(0);
      expect((await suite(['run', url, ...QUICK, '--insecure'], env)).code).toBe(0);
      const plain = await suite(['run', `http://127.0.0.1:${port}`, ...QUICK], env);
      expect(plain.code).not.toBe(0);
    });
  });

  test('behind TLS that asks for a certificate, with one to show', async () => {
    const [cert, key] = [fixture('localhost.pem'), fixture('localhost.key')];
    const tls = { cert: readFileSync(cert), key: readFileSync(key) };
    const asking = { ...tls, ca: tls.cert, requestCert: true, rejectUnauthorized: true };
    await listening(createTlsServer(asking, handler()), '127.0.0.1', async (port) => {
      const url = `https://127.0.0.1:${port}`;
      const shown = ['--ca', cert, '--cert', cert, '--key', key];
      expect((await suite(['run', url, ...QUICK, '--ca', cert], env)).code).not.toBe(0);
      expect((await suite(['run', url, ...QUICK, ...shown], env)).code).toBe(0);
      expect((await suite(['compare', `one=${url}`, `two=${url}`, ...QUICK, ...shown], env)).code).toBe(0);
    });
  });

  test('started by the run, whose output is shown without the token', async () => {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const serve = `"${process.execPath}" "${packageFile('dist/cli/main.js')}" serve --port ${port}`;
    const command = `echo "begins with $PLANT_STORE_TOKEN"; echo "$PLANT_STORE_TOKEN" >&2; ${serve}`;
    const { code, stdout, stderr } = await suite(
      ['run', `http://127.0.0.1:${port}`, ...QUICK, '--start', command, '--wait', '20'],
      env,
    );
    expect(code).toBe(0);
    expect(stderr).toContain('begins with [redacted]');
    expect(stdout + stderr).not.toContain(TOKEN);
  });

  test('started and stopped by the run itself', async () => {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const url = `http://127.0.0.1:${port}`;
    const command = `"${process.execPath}" "${packageFile('dist/cli/main.js')}" serve --port ${port}`;
    const { code } = await suite(['run', url, ...QUICK, '--start', command, '--wait', '20'], env);
    expect(code).toBe(0);
    expect((await suite(['run', url], env)).code).toBe(3);
  });

  test('where every request needs a header', async () => {
    const steps = rightSteps(TOKEN);
    const server = createServer((message, response) => {
      if (message.headers['x-tenant'] === 'green') void answer(steps, message, response);
      else response.writeHead(403).end();
    });
    await listening(server, '127.0.0.1', async (port) => {
      const args = ['run', `http://127.0.0.1:${port}`, ...QUICK];
      expect((await suite(args, env)).code).toBe(3);
      expect((await suite([...args, '--header', 'X-Tenant: green'], env)).code).toBe(0);
    });
  });
});

describe('options', () => {
  test('--only and --skip choose, and the record says what was left out', async () => {
    const { stdout } = await suite([
      'run',
      '--only',
      'auth/*',
      '--skip',
      'auth/observe*',
      '--format',
      'json',
      '--out',
      '-',
      ...QUICK,
    ]);
    const { results } = JSON.parse(stdout) as RunRecord;
    const carried = results.filter(({ blockedBy }) => blockedBy !== 'user').map(({ id }) => id);
    expect(carried.every((id) => id.startsWith('auth/') && !id.startsWith('auth/observe'))).toBe(true);
    expect(carried.length).toBeGreaterThan(5);
  });

  test('--format json --out - writes the record to standard output, and nothing else', async () => {
    const { stdout, stderr } = await suite(['run', '--format', 'json', '--out', '-', ...QUICK]);
    expect((JSON.parse(stdout) as RunRecord).outcome).toBe('conformant');
    expect(stderr).toMatch(ANNOUNCED);
  });

  test('--out writes the record into a folder beside the report', async () => {
    const out = folder();
    const { stdout } = await suite(['run', '--out', out, ...QUICK]);
    expect(stdout).toContain('CONFORMANT');
    expect((JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')) as RunRecord).options.seed).toBe(3);
  });

  test('--overlay makes what it declares part of the contract', async () => {
    const overlay = packageFile('mutants/overlays/limits.yaml');
    await withStore('limits-enforced', async ({ url }) => {
      expect((await suite(['run', url, ...QUICK, '--strict', '--overlay', overlay], env)).code).toBe(0);
      expect((await suite(['run', url, ...QUICK, '--strict'], env)).code).toBe(1);
    });
    await withStore('reference', async ({ url }) => {
      const { code, stdout } = await suite(['run', url, ...QUICK, '--overlay', overlay], env);
      expect(stdout).toContain('refuse/constraint');
      expect(code).toBe(1);
    });
  });

  test('--openapi takes another document, and says what is wrong with one', async () => {
    const file = join(folder(), 'api.yaml');
    writeFileSync(file, readFileSync(packageFile('openapi.yaml'), 'utf8').replace('/plants:', '/flowers:'));
    const { code, stderr } = await suite(['run', '--openapi', file, ...QUICK]);
    expect(stderr).toMatch(/api\.yaml:\d+:\d+: declares no paths > \/plants/);
    expect(code).toBe(2);
  });

  test('--rate bounds the requests of a second', async () => {
    const { stdout } = await suite([
      'run',
      '--only',
      'create/answers-*',
      '--rate',
      '20/s',
      '--format',
      'json',
      '--out',
      '-',
    ]);
    const { requests, seconds } = JSON.parse(stdout) as RunRecord;
    expect(seconds).toBeGreaterThan((requests - 2) / 20);
  });

  test('colour and progress are for terminals: neither is in a pipe', async () => {
    const { stdout, stderr } = await suite(['run', ...QUICK], { FORCE_COLOR: '1' });
    expect(stdout).not.toContain('\u001b');
    expect(stderr).toMatch(ANNOUNCED);
  });

  test('--version and --help', async () => {
    expect((await suite(['--version'])).stdout.trim()).toBe(about.version);
    expect((await suite(['run', '--help'])).stdout).toContain('Examples:');
  });

  test('a closed pipe is no fault', async () => {
    const child = startSuite(['run', ...QUICK]);
    child.stdout?.destroy();
    const { code, stderr } = await ended(child);
    expect([code, stderr]).toEqual([0, expect.stringMatching(ANNOUNCED)]);
  });
});
