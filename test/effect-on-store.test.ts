import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { loadOptions, type RunRecord, run, secretsOf, terminalReport } from '../index.ts';
import { loadContract } from '../lib/contract/load-contract.ts';
import { ownSchema } from '../lib/own-schemas.ts';
import { packageFile } from '../lib/package.ts';
import { JsonObject } from '../lib/payloads/json.ts';
import { estimate } from '../lib/run/plan/estimate.ts';
import { CheckIds } from '../lib/run/plan/ids.ts';
import { RunState, Stopped } from '../lib/run/run-state.ts';
import { Collisions } from '../lib/run/send/collisions.ts';
import { Recovery } from '../lib/run/send/recovery.ts';
import { Sender } from '../lib/run/send/sender.ts';
import { endpointOf } from '../lib/wire/endpoint.ts';
import { HttpClient } from '../lib/wire/http-client.ts';
import { listen } from '../reference/store.ts';
import { ended, start, startSuite, suite } from './helpers/command.ts';
import { startWith, TOKEN, withStore } from './helpers/stores.ts';

const env = { PLANT_STORE_TOKEN: TOKEN };
const folder = () => mkdtempSync(join(tmpdir(), 'plant-store-'));
const MAIN = packageFile('dist/cli/main.js');

const recordIn = (out: string) => JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')) as RunRecord;

test('a store that takes ever longer for larger bodies does not get the largest one', async () => {
  const bodies: number[] = [];
  const server = createServer(async (request, response) => {
    let bytes = 0;
    for await (const chunk of request) bytes += (chunk as Buffer).length;
    if (bytes > 64 * 1024) bodies.push(Math.round(bytes / 1024));
    // A millisecond for each kilobyte.
    await sleep(bytes / 1000);
    response.setHeader('content-type', 'application/json').end('{"name":"Aloe"}');
  });
  const { url, stop } = await listen(server);
  await run({ baseUrl: url, token: TOKEN, only: ['observe/largest-body'] }).record;
  await stop();
  expect(bodies).toEqual([128, 256, 1024]);
});

describe('the number of plants that a run creates', () => {
  test.each([
    [{ cases: 3 }],
    [{ cases: 150, only: ['ordinary/*', 'unconstrained/*'] }],
    [{ cases: 10, only: ['auth/*'] }],
  ])('is estimated before the run: %j', async (more) => {
    await withStore('reference', async ({ url }) => {
      const options = { baseUrl: url, token: TOKEN, seed: 4, ...more };
      const { requests, plants } = await estimate(await loadOptions(options));
      const record = await run(options).record;
      expect(Math.abs(requests / record.requests - 1)).toBeLessThan(0.05);
      expect(Math.abs(plants / record.created.plants - 1)).toBeLessThan(0.15);
    });
  });
});

test('the report lists the ids of all plants that a run created', async () => {
  const ids: bigint[] = [];
  const store = await startWith((right) => ({
    create(plant, request) {
      ids.push(BigInt(plant.id));
      return right.create(plant, request);
    },
  }));
  const options = { cases: 10, only: ['ordinary/*', 'unconstrained/*'], firstId: 5_000_000n };
  const { created } = await run({ baseUrl: store.url, token: TOKEN, seed: 4, ...options }).record;
  await store.stop();
  expect(created.plants).toBe(ids.length);
  const listed = created.ids.flatMap((range) => {
    const [first = 0n, last = first] = range.split('..').map(BigInt);
    return Array.from({ length: Number(last - first) + 1 }, (_, index) => first + BigInt(index));
  });
  expect(listed).toEqual([...new Set(ids)].sort((a, b) => (a < b ? -1 : 1)));
});

describe('a store that asks the client to wait', () => {
  test('is waited for, and the report says how long', async () => {
    let asked = 0;
    const store = await startWith((right) => ({
      send(answer, response, request) {
        asked += 1;
        const later = { status: 503, headers: { 'retry-after': '0' } };
        right.send(asked === 3 ? later : answer, response, request);
      },
    }));
    const record = await run({ baseUrl: store.url, token: TOKEN, only: ['ordinary/answers-*'] }).record;
    await store.stop();
    expect(record.outcome).toBe('partial');
    expect(record.waited).toBeGreaterThan(0);
    expect(terminalReport(record, false).replace(/\s+/g, ' ')).toMatch(
      / s, [\d.]+ s of it spent waiting at the store's request \(429, 503\)/,
    );
  });

  test('is waited for no longer than the maximum wait', async () => {
    const { url, stop } = await listen(
      createServer((_request, response) => response.writeHead(429, { 'retry-after': '0' }).end()),
    );
    const client = new HttpClient(endpointOf(url, { timeout: 5000 }), 1);
    const contract = await loadContract(packageFile('openapi.yaml'));
    const state = new RunState();
    const sender = new Sender(client, {
      token: TOKEN,
      headers: [],
      rate: undefined,
      maxConcurrency: 1,
      maxRequests: undefined,
      maxWaitMs: 120,
      collisions: new Collisions(
        () => new JsonObject([]),
        () => 1n,
      ),
      monitor: { onExchange: () => {} },
      recovery: new Recovery({ contract, token: TOKEN }, state, {}),
      state,
      probe: {},
    });
    const ids = new CheckIds(BigInt, { up: 0, size: 1, overflow: 1, down: 0, slots: 1, own: 0 });
    const context = { id: 'a/check', ids, broken: 0, away: 0, ordinariness: 2 };
    await expect(sender.send({}, 1n, context)).rejects.toThrow(Stopped);
    expect(sender.transport.requests).toBe(3);
    await client.close();
    await stop();
  });
});

test('header values are secret, except those of common headers', () => {
  const headers = [
    ['Accept', 'application/json'],
    ['accept-encoding', 'identity, gzip'],
    ['X-Api-Key', 'k3y-of-a-gateway'],
    ['X-Acceptance', 'of something secret'],
  ] as const;
  expect(secretsOf({ token: TOKEN, headers })).toEqual([TOKEN, 'k3y-of-a-gateway', 'of something secret']);
});

test('the token goes only to the target: no redirect is followed, and no proxy of the environment is used', async () => {
  let others = 0;
  const other = createTcpServer((socket) => {
    others += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const elsewhere = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  let asked = 0;
  const store = await listen(
    createServer((message, response) => {
      asked += 1;
      const status = [301, 302, 303, 307, 308][asked % 5] ?? 307;
      response
        .writeHead(status, { location: `${elsewhere}${message.url}/new`, refresh: `0; url=${elsewhere}` })
        .end();
    }),
  );
  const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [
    [name, elsewhere],
    [name.toLowerCase(), elsewhere],
  ]);
  const { code, stderr } = await suite(['run', store.url, '--cases', '3', '--explain', '50'], {
    ...env,
    ...Object.fromEntries(proxies),
    NO_PROXY: '',
    NODE_USE_ENV_PROXY: '1',
  });
  await store.stop();
  other.close();
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^Sending /)]);
  expect(asked).toBeGreaterThan(500);
  expect(others).toBe(0);
});

describe.skipIf(process.platform === 'win32')(
  'a run that is ended from outside',
  { concurrent: true },
  () => {
    const valid = ownSchema('lib/report/record/record.schema.json');

    /**
     * A run that starts its own store, whose grandchild keeps a connection to us open: it has ended when that
     * closes.
     */
    async function withGrandchild(
      args: readonly string[],
      disturb: (child: ReturnType<typeof startSuite>) => void,
    ): Promise<{ readonly code: number | null; readonly stderr: string; readonly out: string }> {
      const out = folder();
      const port = 20_000 + Math.floor(Math.random() * 12_000);
      const monitor = createTcpServer();
      const gone = new Promise<void>((resolve) => {
        monitor.once('connection', (socket) => socket.on('error', () => {}).once('close', () => resolve()));
      });
      await new Promise<void>((resolve) => monitor.listen(0, '127.0.0.1', resolve));
      const hold = `require('net').connect(${(monitor.address() as AddressInfo).port}, '127.0.0.1'); process.on('SIGTERM', () => {})`;
      const script = join(out, 'store.sh');
      writeFileSync(
        script,
        `"${process.execPath}" -e "${hold}" &\n"${process.execPath}" "${MAIN}" serve --port ${port} &\nwait\n`,
      );
      const started = ['--start', `sh ${script} & wait`, '--out', out];
      const child = startSuite(['run', `http://127.0.0.1:${port}`, ...args, ...started], env);
      disturb(child);
      const { code, stderr } = await ended(child);
      await gone;
      monitor.close();
      return { code, stderr, out };
    }

    test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
      'by %s leaves a record that says so, and no processes',
      async (signal) => {
        const { code, out } = await withGrandchild(['--verbose', '--rate', '40'], (child) => {
          child.stderr?.on('data', (lines: Buffer) => {
            if (lines.includes('ordinary/')) child.kill(signal);
          });
        });
        const record = recordIn(out);
        expect(code).toBe(3);
        expect(valid(record), JSON.stringify(valid.errors)).toBe(true);
        expect([record.stop?.kind, record.stop?.reason]).toEqual(['cut-off', 'the run was interrupted']);
        expect(record.summary.MUST.pass + record.summary.MUST.untestable).toBeGreaterThan(50);
      },
    );

    test('by readers that go away keeps its verdict, and leaves its record and no processes', async () => {
      const { code, out } = await withGrandchild(
        ['--verbose', '--only', 'ordinary/*', '--cases', '3'],
        (child) => {
          child.stdout?.destroy();
          child.stderr?.once('data', () => child.stderr?.destroy());
        },
      );
      expect(code).toBe(0);
      expect(recordIn(out).stop).toBeNull();
    });
  },
);

describe.skipIf(process.platform === 'win32')('without space', () => {
  const inShell = (line: string) => ended(start('sh', ['-c', line, 'sh', process.execPath, MAIN], env));
  const RUN = '"$1" "$2" run --only ordinary/answers-200';

  test('for a file: one line, exit code 2, the report on standard output, and no partial file', async () => {
    const out = folder();
    const { code, stdout, stderr } = await inShell(`ulimit -f 8; exec ${RUN} --out ${out} --format html`);
    expect(stdout).toMatch(/^PASSED THE SELECTED CHECKS/m);
    expect([code, stderr.split('\n').slice(1)]).toEqual([
      2,
      [expect.stringMatching(/^Cannot write \S*report\.html: EFBIG/), ''],
    ]);
    expect(readdirSync(out)).toEqual([]);
  });

  test.skipIf(!existsSync('/dev/full'))('for standard output: one line and exit code 2', async () => {
    for (const more of ['', '--out - --format json']) {
      const { code, stderr } = await inShell(`exec ${RUN} ${more} >/dev/full`);
      expect([code, stderr.split('\n').slice(1)]).toEqual([
        2,
        [expect.stringMatching(/^Cannot write to standard output: ENOSPC/), ''],
      ]);
    }
  });

  test('for a baseline: the error comes before anything is sent', async () => {
    const { code, stderr } = await suite(['run', '--write-baseline', '/dev/null/x/baseline.yaml'], env);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^Cannot write to [^\n]*\n$/)]);
  });
});

test('a comparison reads the place of its reports from the environment and the configuration', async () => {
  await withStore('reference', async ({ url }) => {
    const [place, out] = [folder(), folder()];
    const targets = ['a', 'b'].map((name) => `  - { name: ${name}, baseUrl: "${url}" }\n`).join('');
    writeFileSync(
      join(place, 'conformance.yaml'),
      `out: reports\nformat: [json, markdown]\nonly: ordinary/answers-200\ntargets:\n${targets}`,
    );
    expect((await suite(['compare'], env, place)).stderr).toMatch(
      /^Sending about [\d,]+ requests to each of /,
    );
    expect(readdirSync(join(place, 'reports')).sort()).toEqual(['comparison.json', 'comparison.md']);
    await suite(['compare'], { ...env, PLANT_STORE_OUT: out, PLANT_STORE_FORMAT: 'html' }, place);
    expect(readdirSync(out)).toEqual(['comparison.html']);
  });
});
