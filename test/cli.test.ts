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
import { ANNOUNCED, ended, startSuite, suite } from './helpers/command.ts';
import { TOKEN, withStore } from './helpers/stores.ts';

/** Few checks, over both HTTP clients; they are not under test here. */
const QUICK = [
  '--cases',
  '2',
  '--seed',
  '3',
  '--only',
  'ordinary/answers-*',
  '--only',
  'observe/broken-framing',
];
const PASSED = 'PASSED THE SELECTED CHECKS';
const env = { PLANT_STORE_TOKEN: TOKEN };
const folder = () => mkdtempSync(join(tmpdir(), 'plant-store-'));

const fixture = (name: string) => packageFile(`test/fixtures/${name}`);

/** The request handler of the reference store, below a path prefix. */
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
      const { code, stdout, stderr } = await suite(['run', url, '--cases', '1'], env);
      expect(stdout).toContain('CONFORMANT  MUST');
      expect([code, stderr]).toEqual([0, expect.stringMatching(ANNOUNCED)]);
    });
  });

  test('0 for a conformant store, with its base URL in place of a command', async () => {
    await withStore('reference', async ({ url }) => {
      expect((await suite([url, '--only', 'ordinary/answers-200'], env)).code).toBe(0);
      expect((await suite(['--only', 'ordinary/answers-200', url], env)).code).toBe(0);
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
      const only = ['auth/accepts-scheme-in-any-case', 'auth/rejects-missing-token'];
      const args = ['run', url, ...only.flatMap((id) => ['--only', id])];
      expect((await suite(args, env)).code).toBe(0);
      const { code, stdout } = await suite([...args, '--strict'], env);
      expect([code, stdout.replaceAll('\n', ' ')]).toEqual([
        1,
        expect.stringContaining(
          'With --strict, 1 failed SHOULD check made the run fail: auth/accepts-scheme-in-any-case',
        ),
      ]);
    });
  });

  test.each([
    ['an unknown option', ['run', '--case', '3'], 'Did you mean --cases?'],
    ['an unknown command', ['rum'], 'unknown command'],
    ['an invalid value', ['run', '--seed', 'x'], 'It must be a whole number'],
    ['help on an unknown command', ['help', 'foo'], "unknown command 'foo'"],
    [
      'an unknown check, although there is no token',
      ['run', 'http://127.0.0.1:1', '--only', 'no'],
      'called no',
    ],
    ['an invalid base URL, although there is no token', ['127.0.0.1:1'], 'The base URL must begin'],
    ['an option of a command', ['--case', '3'], 'run --help'],
    ['no token', ['run', 'http://127.0.0.1:1'], 'PLANT_STORE_TOKEN'],
    [
      'a base URL without a scheme',
      ['localhost:8080', '--token', 'abcd'],
      'must begin with http:// or https://',
    ],
    ['an invalid base URL', ['run', 'http://h:99999', '--token', 'abcd'], 'must be a base URL such as'],
    [
      'a base URL with a query',
      ['run', 'http://127.0.0.1:1/?a=b', '--token', 'abcd'],
      'must be a base URL of scheme, host, port and path',
    ],
    [
      'a filter that matches nothing',
      ['run', '--only', 'ordinary/nothing'],
      'No check is called ordinary/nothing',
    ],
    ['a document that does not exist', ['run', '--openapi', 'nowhere.yaml'], 'nowhere.yaml: no such file'],
    [
      'a certificate without its key',
      ['run', '--cert', fixture('localhost.pem')],
      '--cert and --key belong together',
    ],
    ['a certificate that does not exist', ['run', '--cert', 'a.pem', '--key', 'nowhere.key'], 'a.pem'],
    [
      'the key of another certificate',
      ['run', '--cert', fixture('localhost.pem'), '--key', packageFile('test/hostile/fixtures/expired.key')],
      'without a passphrase',
    ],
    ['CA certificates that do not exist', ['run', '--ca', 'nowhere.pem'], 'nowhere.pem'],
    ['CA certificates of another form', ['run', '--ca', packageFile('package.json')], 'not in PEM format'],
    ['--start without a URL', ['run', '--start', 'true'], '--start needs the base URL'],
    [
      'a folder that cannot be written',
      ['run', '--only', 'ordinary/answers-200', '--out', '/dev/null/x'],
      'Cannot write to /dev/null/x',
    ],
    ['a folder that the system does not create', ['run', '--out', '/proc/x/y'], 'Cannot write to /proc/x/y'],
    [
      'an empty token',
      ['run', 'http://127.0.0.1:1', '--token', ''],
      "argument '' is invalid. It must be a string",
    ],
    [
      'a token that no header can carry',
      ['run', 'http://127.0.0.1:1', '--token', 'né 木'],
      'visible ASCII characters',
    ],
    [
      'a header that the checks control',
      ['run', '--header', 'Authorization: x'],
      'must not set Authorization',
    ],
    ['a malformed header', ['run', '--header', 'nonsense'], "'Name: value'"],
    ['an option without its value', ['run', '--out', '--target', 'x'], 'so the value is missing'],
  ])('2 for %s, in a line or two and without a stack', async (_name, args, message) => {
    const { code, stderr } = await suite(args);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(code).toBe(2);
  });

  test('3 if nothing listens, with the remedy', async () => {
    const { code, stdout } = await suite(['run', 'http://127.0.0.1:1', ...QUICK], env);
    expect(stdout).toContain('nothing listens there');
    expect(stdout).toContain('--start');
    expect(code).toBe(3);
  });

  test('3 if the token is always rejected', async () => {
    await withStore('reference', async ({ url }) => {
      const { code, stdout } = await suite(['run', url, ...QUICK], { PLANT_STORE_TOKEN: 'another-token' });
      expect(stdout).toContain('rejects the token on every request');
      expect(code).toBe(3);
    });
  });

  test('3 after an interruption, with a report of the completed checks', async () => {
    await withStore('slow', async ({ url }) => {
      const child = startSuite(['run', url, '--verbose'], env);
      child.stderr?.on('data', (lines: Buffer) => {
        if (lines.includes('invalid/')) child.kill('SIGINT');
      });
      const { code, stdout } = await ended(child);
      expect(stdout).toContain('the run was interrupted');
      expect(stdout).toMatch(/MUST [1-9]\d* passed/);
      expect(code).toBe(3);
    });
  });
});

test('a run can be interrupted while it waits for a response', async () => {
  let interrupt = () => {};
  // Never answers; interrupts the run when the first request arrives.
  const silent = createServer(() => interrupt());
  await listening(silent, '127.0.0.1', async (port) => {
    const child = startSuite(['run', `http://127.0.0.1:${port}`, ...QUICK, '--timeout', '60000'], env);
    interrupt = () => child.kill('SIGINT');
    const { code, stdout } = await ended(child);
    expect([code, stdout]).toEqual([3, expect.stringContaining('the run was interrupted')]);
  });
});

describe('a store may be', () => {
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

  test('behind TLS, with its own certificate authority', async () => {
    const tls = { cert: readFileSync(fixture('localhost.pem')), key: readFileSync(fixture('localhost.key')) };
    await listening(createTlsServer(tls, handler()), '127.0.0.1', async (port) => {
      const url = `https://127.0.0.1:${port}`;
      const untrusted = await suite(['run', url, ...QUICK], env);
      expect(untrusted.stdout).toMatch(/certificate\s+is\s+not\s+trusted/);
      expect(untrusted.stdout).toMatch(/--ca\s+FILE/);
      expect(untrusted.code).toBe(3);
      expect((await suite(['run', url, ...QUICK, '--ca', fixture('localhost.pem')], env)).code).toBe(0);
      expect((await suite(['run', url, ...QUICK, '--insecure'], env)).code).toBe(0);
      const plain = await suite(['run', `http://127.0.0.1:${port}`, ...QUICK], env);
      expect(plain.code).not.toBe(0);
    });
  });

  test('behind TLS that requires a client certificate', async () => {
    const [cert, key] = [fixture('localhost.pem'), fixture('localhost.key')];
    const tls = { cert: readFileSync(cert), key: readFileSync(key) };
    const mutual = { ...tls, ca: tls.cert, requestCert: true, rejectUnauthorized: true };
    await listening(createTlsServer(mutual, handler()), '127.0.0.1', async (port) => {
      const url = `https://127.0.0.1:${port}`;
      const shown = ['--ca', cert, '--cert', cert, '--key', key];
      expect((await suite(['run', url, ...QUICK, '--ca', cert], env)).code).not.toBe(0);
      expect((await suite(['run', url, ...QUICK, ...shown], env)).code).toBe(0);
      expect((await suite(['compare', `one=${url}`, `two=${url}`, ...QUICK, ...shown], env)).code).toBe(0);
    });
  });

  test('behind a gateway that requires a header', async () => {
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

describe('a renamed check', () => {
  const file = join(folder(), 'conformance.yaml');
  writeFileSync(file, 'skip: [auth/*, whole-shape/answers-any-id]\n');

  test.each([
    ['run --only refuse/null', 'refuse/null is now called invalid/rejects-null'],
    ['run --skip refuse/*', 'the area refuse is now called invalid'],
    ['run --only always', 'the area always is now called invariants'],
    [
      'run --only auth/takes-*',
      'auth/takes-scheme-in-any-case is now called auth/accepts-scheme-in-any-case',
    ],
    [
      'run --only */takes-*',
      /takes-names-of-many-kinds is now called ordinary\/accepts-names-of-many-kinds, and \d+ more have new names/,
    ],
    [`run --config ${file}`, 'whole-shape/answers-any-id is now called unconstrained/answers-any-id'],
    ['list refuse/null', 'refuse/null is now called invalid/rejects-null'],
    ['list serving', 'the area serving is now called state'],
  ])('%s: exit code 2, with the new name', async (line, message) => {
    const { code, stderr } = await suite(line.split(' '), env);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  test('has no effect on an id that was never used', async () => {
    expect((await suite(['list', 'rejection/null'])).stderr).toMatch(/^No check is called rejection\/null; /);
  });
});

describe('options', () => {
  test('--only and --skip select checks, and the record lists the others as skipped', async () => {
    const { stdout } = await suite([
      'run',
      '--only',
      'auth',
      '--skip',
      'auth/observe*',
      '--format',
      'json',
      '--out',
      '-',
    ]);
    const { results } = JSON.parse(stdout) as RunRecord;
    const carried = results.filter(({ blockedBy }) => blockedBy !== 'user').map(({ id }) => id);
    expect(carried.every((id) => id.startsWith('auth/') && !id.startsWith('auth/observe'))).toBe(true);
    expect(carried.length).toBeGreaterThan(5);
  });

  test('--format json --out - writes only the record to standard output', async () => {
    const { stdout, stderr } = await suite(['run', '--format', 'json', '--out', '-', ...QUICK]);
    expect((JSON.parse(stdout) as RunRecord).outcome).toBe('partial');
    expect(stderr).toMatch(ANNOUNCED);
  });

  test('--out writes the record to a folder in addition to the terminal report', async () => {
    const out = folder();
    const { stdout } = await suite(['run', '--out', out, ...QUICK]);
    expect(stdout).toContain(PASSED);
    expect(stdout).toMatch(/^reports {3}\S+report\.json$/m);
    expect((JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')) as RunRecord).options.seed).toBe(3);
  });

  test('--overlay adds its declarations to the contract', async () => {
    const overlay = packageFile('mutants/overlays/limits.yaml');
    const CONSTRAINTS = 'invalid/rejects-constraint-violation';
    await withStore('limits-enforced', async ({ url }) => {
      const args = ['run', url, '--only', 'unconstrained/accepts-*', '--strict', '--explain', '0'];
      expect((await suite([...args, '--overlay', overlay], env)).code).toBe(0);
      expect((await suite(args, env)).code).toBe(1);
    });
    await withStore('reference', async ({ url }) => {
      const { code, stdout } = await suite(
        [
          'run',
          url,
          '--only',
          CONSTRAINTS,
          '--overlay',
          overlay,
          '--explain=0',
          '--format=markdown',
          '--out=-',
        ],
        env,
      );
      expect(stdout).toContain(CONSTRAINTS);
      expect(code).toBe(1);
    });
  });

  test('--openapi uses another document, and reports what is wrong with it', async () => {
    const file = join(folder(), 'api.yaml');
    writeFileSync(file, readFileSync(packageFile('openapi.yaml'), 'utf8').replace('/plants:', '/flowers:'));
    const { code, stderr } = await suite(['run', '--openapi', file, ...QUICK]);
    expect(stderr).toMatch(/api\.yaml:\d+:\d+: declares no paths > \/plants/);
    expect(code).toBe(2);
  });

  test('--rate limits the requests per second', async () => {
    const { stdout } = await suite([
      'run',
      '--only',
      'ordinary/answers-*',
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

  test('a pipe gets neither colour nor progress', async () => {
    const { stdout, stderr } = await suite(['run', ...QUICK], { FORCE_COLOR: '1' });
    expect(stdout).not.toContain('\u001b');
    expect(stderr).toMatch(ANNOUNCED);
  });

  test('--version', async () => {
    expect((await suite(['--version'])).stdout.trim()).toBe(about.version);
  });

  test('every command has help with an example, which fits a terminal', async () => {
    const { stdout } = await suite(['--help']);
    const commands = [...stdout.matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, name = '']) => name);
    expect(commands).toEqual(
      expect.arrayContaining('run compare diff merge replay render init list serve'.split(' ')),
    );
    const helps = [stdout];
    for (const command of commands.filter((name) => name !== 'help')) {
      const help = await suite([command, '--help']);
      expect(help.stdout, command).toMatch(/\nExamples?:\n {2}.*plant-store-conformance/);
      helps.push(help.stdout);
    }
    // The usage of replay takes up 84 columns.
    for (const line of helps.join('\n').split('\n')) expect(line.length, line).toBeLessThanOrEqual(84);
  });

  test('a closed pipe is not an error', async () => {
    const child = startSuite(['run', ...QUICK]);
    child.stdout?.destroy();
    const { code, stderr } = await ended(child);
    expect([code, stderr]).toEqual([0, expect.stringMatching(ANNOUNCED)]);
  });
});
