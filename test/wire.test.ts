import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect as connectPlain, createServer, type Server, type Socket } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type Endpoint, endpointOf, MAX_RESPONSE_BODY_BYTES } from '../lib/wire/endpoint.ts';
import type { Delivery, Exchange, FaultKind, HeaderPair, Request, Response } from '../lib/wire/exchange.ts';
import { faultOf } from '../lib/wire/exchange.ts';
import { HttpClient } from '../lib/wire/http-client.ts';
import { ResponseReader } from '../lib/wire/response-reader.ts';

const cleanUps: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A server that writes raw HTTP: `answer` is called with each complete request. */
async function raw(answer: (request: string, socket: Socket, nth: Nth) => void): Promise<RawServer> {
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    const connection = connections;
    let onConnection = 0;
    let pending = '';
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => {
      pending += chunk.toString('latin1');
      for (let end = lengthOf(pending); end !== undefined; end = lengthOf(pending)) {
        const request = pending.slice(0, end);
        pending = pending.slice(end);
        seen.push(request);
        onConnection += 1;
        answer(request, socket, { connection, onConnection, overall: seen.length });
      }
    });
  });
  const url = await listening(server);
  cleanUps.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url, seen, connections: () => connections, stop: () => server.close() };
}

interface Nth {
  readonly connection: number;
  readonly onConnection: number;
  readonly overall: number;
}

interface RawServer {
  readonly url: string;
  readonly seen: readonly string[];
  connections(): number;
  stop(): void;
}

/** The end of the first request in a text; undefined if it is incomplete. */
function lengthOf(text: string): number | undefined {
  const head = text.indexOf('\r\n\r\n');
  if (head < 0) return undefined;
  if (/^transfer-encoding: chunked$/im.test(text.slice(0, head))) {
    const end = text.indexOf('0\r\n\r\n', head);
    return end < 0 ? undefined : end + 5;
  }
  const length = Number(/^content-length: (\d+)$/im.exec(text.slice(0, head))?.[1] ?? 0);
  return text.length >= head + 4 + length ? head + 4 + length : undefined;
}

const answering = (...answers: string[]) =>
  raw((_request, socket, { overall }) => {
    socket.write(Buffer.from(answers[(overall - 1) % answers.length] ?? '', 'latin1'));
  });

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const fixture = (name: string) => readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8');
const CERTIFICATE = { cert: fixture('localhost.pem'), key: fixture('localhost.key') };
const TOO_LATE = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';

const chunked = (body: string) => `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${body}`;

interface Settings {
  readonly timeout?: number;
  readonly maxBodyBytes?: number;
  readonly connections?: number;
}

const endpoint = (
  url: string,
  { timeout = 5000, maxBodyBytes = MAX_RESPONSE_BODY_BYTES }: Settings = {},
): Endpoint => ({
  ...endpointOf(url, { timeout }),
  maxBodyBytes,
});

function wireTo(url: string, settings: Settings = {}): HttpClient {
  const client = new HttpClient(endpoint(url, settings), settings.connections ?? 1);
  cleanUps.push(() => client.close());
  return client;
}

const post = (more: Partial<Request> = {}): Request => ({
  method: 'POST',
  path: '/plants',
  headers: [['content-type', 'application/json']],
  body: Buffer.from('{"id":1}'),
  framing: 'length',
  ...more,
});

const get = (more: Partial<Request> = {}): Request =>
  post({ method: 'GET', headers: [], body: undefined, ...more });

function responseTo(exchange: Exchange): Response {
  expect(exchange.kind, JSON.stringify(exchange.kind === 'broken' && exchange.fault)).toBe('answered');
  if (exchange.response === undefined) throw new Error('no response');
  return exchange.response;
}

const faultIn = (exchange: Exchange): FaultKind | 'none' =>
  exchange.kind === 'broken' ? exchange.fault.kind : 'none';

const textOf = ({ body }: Response) => Buffer.from(body).toString('utf8');

/** Both ways to send: with undici, and over our own socket. */
const WAYS = [
  ['with undici', () => {}],
  ['over a socket', (client: HttpClient) => client.useRawSockets()],
] as const;

describe('the endpoint of a base URL', () => {
  test.each([
    ['http://127.0.0.1:8080', { host: '127.0.0.1', port: 8080, secure: false, prefix: '' }],
    ['http://example.org/', { host: 'example.org', port: 80, secure: false, prefix: '' }],
    ['https://example.org/api/v1//', { host: 'example.org', port: 443, secure: true, prefix: '/api/v1' }],
    ['https://[::1]:8443/', { host: '::1', port: 8443, secure: true, origin: 'https://[::1]:8443' }],
  ])('%s is parsed', (url, expected) => {
    expect(endpointOf(url, { timeout: 1 })).toMatchObject({
      ...expected,
      maxBodyBytes: 8 * 1024 * 1024,
      tls: {},
    });
  });

  test('certificates and trust are passed on', () => {
    const { tls } = endpointOf('https://a', { timeout: 1, ca: 'PEM', insecure: true });
    expect(tls).toEqual({ ca: 'PEM', rejectUnauthorized: false });
  });
});

describe.each(WAYS)('a request %s', (_way, prepare) => {
  const wired = (url: string, settings: Settings = {}) => {
    const client = wireTo(url, settings);
    prepare(client);
    return client;
  };

  test('arrives with its headers in order and case, below the path of the base URL', async () => {
    const server = await answering(OK);
    const headers: HeaderPair[] = [
      ['Content-Type', 'application/json'],
      ['X-b', '1'],
      ['x-A', 'two words'],
      ['X-b', '3'],
    ];
    const exchange = await wired(`${server.url}/api/`).send(post({ path: '/plants?q=1', headers }));
    const [first = '', ...lines] = (server.seen[0] ?? '').split('\r\n\r\n')[0]?.split('\r\n') ?? [];
    expect(first).toBe('POST /api/plants?q=1 HTTP/1.1');
    const sent = lines.filter((line) => !line.startsWith('connection:'));
    const host = new URL(server.url).host;
    expect(sent).toEqual([
      `host: ${host}`,
      'Content-Type: application/json',
      'X-b: 1',
      'x-A: two words',
      'X-b: 3',
      'content-length: 8',
    ]);
    expect(exchange.request.path).toBe('/api/plants?q=1');
    const recorded = exchange.request.headers.map(([name, value]) => `${name}: ${value}`);
    expect(recorded.filter((line) => !line.startsWith('connection:'))).toEqual(sent);
  });

  test('arrives with both of its Authorization headers', async () => {
    const server = await answering(OK);
    const headers: HeaderPair[] = [
      ['authorization', 'Bearer right'],
      ['authorization', 'Bearer wrong'],
    ];
    await wired(server.url).send(post({ headers }));
    expect(server.seen[0]?.match(/^authorization: .*$/gm)?.map((line) => line.trim())).toEqual([
      'authorization: Bearer right',
      'authorization: Bearer wrong',
    ]);
  });

  test('arrives with its bytes unchanged', async () => {
    const server = await answering(OK);
    const body = Uint8Array.from({ length: 512 }, (_, index) => index % 256);
    await wired(server.url).send(post({ body }));
    expect(Buffer.from(server.seen[0]?.split('\r\n\r\n').slice(1).join('\r\n\r\n') ?? '', 'latin1')).toEqual(
      Buffer.from(body),
    );
  });

  test('without a body sends Content-Length: 0 only if its method expects a body', async () => {
    const server = await answering(OK);
    const client = wired(server.url);
    const posted = await client.send(post({ body: undefined }));
    expect(server.seen[0]).toMatch(/^content-length: 0\r$/m);
    expect(posted.request.headers).toContainEqual(['content-length', '0']);
    await client.send(get());
    expect(server.seen[1]).toMatch(/^GET /);
    expect(server.seen[1]).not.toMatch(/content-length/i);
  });

  test('returns response headers in order and case, including duplicates', async () => {
    const server = await answering(
      'HTTP/1.1 401 Not You\r\nX-b: 1\r\nx-A:  padded\r\nX-B: 2\r\nWWW-Authenticate: Bearer\r\n' +
        'Content-Type: a\r\nContent-Type: b\r\nX-Latin: \xe9\r\ncontent-length: 0\r\n\r\n',
    );
    const response = responseTo(await wired(server.url).send(post()));
    expect(response).toMatchObject({ status: 401, statusText: 'Not You', truncated: false });
    expect(response.body).toHaveLength(0);
    expect(response.headers).toEqual([
      ['X-b', '1'],
      ['x-A', 'padded'],
      ['X-B', '2'],
      ['WWW-Authenticate', 'Bearer'],
      ['Content-Type', 'a'],
      ['Content-Type', 'b'],
      ['X-Latin', 'é'],
      ['content-length', '0'],
    ]);
  });

  test('returns the bytes of the body without their chunks and with their content coding', async () => {
    const bytes = Buffer.from([0, 0xff, 0xfe, 0x1f, 0x8b, 13, 10, 13, 10]).toString('latin1');
    const server = await answering(
      'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n' +
        `4\r\n${bytes.slice(0, 4)}\r\n5;x=y\r\n${bytes.slice(4)}\r\n0\r\nTrailer: t\r\n\r\n`,
    );
    const response = responseTo(await wired(server.url).send(post()));
    expect(Buffer.from(response.body).toString('latin1')).toBe(bytes);
    expect(response.headers[0]).toEqual(['Content-Encoding', 'gzip']);
  });

  test('follows no redirect', async () => {
    const server = await answering(
      'HTTP/1.1 307 Elsewhere\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n',
      OK,
    );
    const response = responseTo(await wired(server.url).send(post()));
    expect(response.status).toBe(307);
    expect(server.seen).toHaveLength(1);
  });

  test.each([
    ['a HEAD with a length and no body', 'HEAD', 'HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n', 200],
    ['a 204', 'POST', 'HTTP/1.1 204 No Content\r\n\r\n', 204],
    ['a 304', 'GET', 'HTTP/1.1 304 Not Modified\r\n\r\n', 304],
    ['no reason phrase', 'POST', 'HTTP/1.1 400\r\nContent-Length: 0\r\n\r\n', 400],
    ['HTTP/1.0', 'POST', 'HTTP/1.0 400 Bad\r\nContent-Length: 0\r\n\r\n', 400],
  ])('reads %s', async (_what, method, answer, status) => {
    const server = await answering(answer);
    const response = responseTo(await wired(server.url).send(post({ method, body: undefined })));
    expect(response.status).toBe(status);
    expect(response.body).toHaveLength(0);
  });

  test('reads a response that ends with the connection', async () => {
    const server = await raw((_request, socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nto the end'));
    const response = responseTo(await wired(server.url).send(post()));
    expect(textOf(response)).toBe('to the end');
    expect(response.truncated).toBe(false);
  });

  test('skips interim responses and reports them', async () => {
    const server = await answering(
      `HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n${OK}`,
    );
    const exchange = await wired(server.url).send(post());
    expect(responseTo(exchange)).toMatchObject({ status: 200, headers: [['Content-Length', '2']] });
    expect(exchange.interim).toEqual([102, 103]);
  });

  test('truncates the response at the cap, and marks it', async () => {
    const server = await raw((_request, socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n${'x'.repeat(600)}`);
      setTimeout(() => socket.write('y'.repeat(600)), 20);
    });
    const response = responseTo(await wired(server.url, { maxBodyBytes: 1000 }).send(post()));
    expect(response.truncated).toBe(true);
    expect(textOf(response)).toBe('x'.repeat(600) + 'y'.repeat(400));
  });

  test('truncates the response at 8 MiB by default', async () => {
    const server = await raw((_request, socket) => {
      const block = Buffer.alloc(1 << 20, 'z');
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      for (let index = 0; index < 10; index += 1) socket.write(block);
    });
    const response = responseTo(await wired(server.url).send(post()));
    expect(response.truncated).toBe(true);
    expect(response.body).toHaveLength(8 * 1024 * 1024);
  });

  test('reads large bodies one at a time, and does not count the wait as theirs', async () => {
    const size = 2 * 1024 * 1024;
    const server = await raw((_request, socket, { overall }) => {
      const body = Buffer.alloc(overall === 1 ? size / 2 : size, 'z');
      const send = () => socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n${body}`);
      if (overall === 1) send();
      else setTimeout(send, 100);
    });
    const client = wired(server.url, { connections: 3, timeout: 500 });
    const ended: Exchange[] = [];
    await Promise.all([1, 2, 3].map(async () => ended.push(await client.send(post()))));
    expect(ended.map(({ kind, response }) => [kind, response?.body.length])).toEqual([
      ['broken', size / 2],
      ['answered', size],
      ['answered', size],
    ]);
  });

  test('reads a complete response after a truncated one', async () => {
    const server = await answering(`HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n${'x'.repeat(3000)}`, OK);
    const client = wired(server.url, { maxBodyBytes: 100 });
    expect(responseTo(await client.send(post())).truncated).toBe(true);
    const next = responseTo(await client.send(post()));
    expect([textOf(next), next.truncated]).toEqual(['ok', false]);
  });

  describe('times out', () => {
    const within = async (send: () => Promise<Exchange>): Promise<Exchange> => {
      const started = performance.now();
      const exchange = await send();
      const ms = performance.now() - started;
      expect(ms).toBeGreaterThan(250);
      expect(ms).toBeLessThan(2500);
      expect(exchange.ms).toBeGreaterThan(250);
      expect(exchange.ms).toBeLessThan(2500);
      expect(faultIn(exchange)).toBe('timeout');
      return exchange;
    };

    /** Writes a little every few milliseconds, endlessly. */
    const dripping = (begin: string, drop: string) =>
      raw((_request, socket) => {
        socket.write(begin);
        const timer = setInterval(() => socket.write(drop), 20);
        socket.on('close', () => clearInterval(timer));
      });

    test('without a response', async () => {
      const server = await raw(() => {});
      const exchange = await within(() => wired(server.url, { timeout: 300 }).send(post()));
      expect(exchange.response).toBeUndefined();
      expect(server.seen).toHaveLength(1);
    });

    test('if the header arrives slowly', async () => {
      const server = await dripping('HTTP/1.1 200 OK\r\n', 'X: y\r\n');
      const exchange = await within(() => wired(server.url, { timeout: 300 }).send(post()));
      expect(exchange.response).toBeUndefined();
    });

    test('if the body arrives slowly, and keeps what has arrived', async () => {
      const server = await dripping('HTTP/1.1 200 OK\r\nX: y\r\nContent-Length: 99999\r\n\r\n', 'x');
      const { response } = await within(() => wired(server.url, { timeout: 300 }).send(post()));
      expect(response).toMatchObject({ status: 200, truncated: true });
      expect(response && textOf(response)).toMatch(/^x+$/);
    });

    test('if interim responses arrive endlessly', async () => {
      const server = await dripping('HTTP/1.1 102 Processing\r\n\r\n', 'HTTP/1.1 102 Processing\r\n\r\n');
      const exchange = await within(() => wired(server.url, { timeout: 300 }).send(post()));
      expect(exchange.interim.length).toBeGreaterThan(1);
    });

    test('sooner with a shortened timeout, which cannot be extended', async () => {
      const server = await raw(() => {});
      const client = wired(server.url, { timeout: 10_000 });
      client.lowerLimit('timeout', 300);
      client.lowerLimit('timeout', 60_000);
      await within(() => client.send(post()));
    });

    test('and the next request uses a fresh connection', async () => {
      const server = await raw((_request, socket, { overall }) => {
        if (overall === 1) setTimeout(() => socket.write(`HTTP/1.1 500 Late\r\n\r\n`), 1200);
        else setTimeout(() => socket.write(OK), 450);
      });
      const client = wired(server.url, { timeout: 900 });
      await within(() => client.send(post()));
      expect(responseTo(await client.send(post())).status).toBe(200);
      expect(server.connections()).toBe(2);
    });
  });

  test('keeps the status of an incomplete response', async () => {
    const server = await raw((_request, socket) =>
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc'),
    );
    const exchange = await wired(server.url).send(post());
    expect(faultIn(exchange)).toBe('closed');
    expect(exchange.response).toMatchObject({ status: 200, truncated: true });
    expect(exchange.response && textOf(exchange.response)).toBe('abc');
    expect(server.seen).toHaveLength(1);
  });

  test('on a connection that closes without a response is sent again exactly once', async () => {
    const server = await raw((_request, socket) => socket.destroy());
    const client = wired(server.url);
    for (const count of [2, 4, 6]) {
      const exchange = await client.send(post());
      expect(faultIn(exchange)).toBe('closed');
      expect(exchange.response).toBeUndefined();
      expect(server.seen).toHaveLength(count);
    }
  });

  test('distinguishes a refused connection from an unknown host', async () => {
    const closed = createServer();
    const url = await listening(closed);
    await new Promise<void>((resolve) => {
      closed.close(() => resolve());
    });
    expect(faultIn(await wired(url).send(post()))).toBe('refused');
    expect(faultIn(await wired('http://plants.invalid').send(post()))).toBe('unresolved');
  });

  test('recognises a port without TLS', async () => {
    const server = createHttpServer((_request, response) => response.end('plain'));
    const url = await listening(server);
    cleanUps.push(() => {
      server.closeAllConnections();
      server.close();
    });
    expect(faultIn(await wired(url.replace('http:', 'https:')).send(post()))).toBe('not-tls');
  });

  test.each([
    ['garbage', 'garbage\r\n\r\n'],
    ['a first line without a status', 'HTTP/1.1 OK\r\n\r\n'],
    ['a header line without a colon', 'HTTP/1.1 200 OK\r\nnonsense\r\n\r\n'],
    ['a length that is not a number', 'HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n'],
    ['a chunk without a size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok'],
    ['one length twice', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok'],
    ['a list of lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nok'],
    [
      'a length and chunks',
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    ],
    ['a folded header', 'HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 0\r\n\r\n'],
    ['a space after a name', 'HTTP/1.1 200 OK\r\nX : a\r\nContent-Length: 0\r\n\r\n'],
    ['NUL in a value', 'HTTP/1.1 200 OK\r\nX: a\0b\r\nContent-Length: 0\r\n\r\n'],
    ['CR in a value', 'HTTP/1.1 200 OK\r\nX: a\rb\r\nContent-Length: 0\r\n\r\n'],
    ['LF after a chunk size', chunked('2\nok\r\n0\r\n\r\n')],
    ['LF after the data of a chunk', chunked('2\r\nok\n0\r\n\r\n')],
    ['no line end after the data of a chunk', chunked('2\r\nok0\r\n\r\n')],
    ['a chunk longer than its size', chunked('2\r\nokay\r\n0\r\n\r\n')],
    ['an enormous chunk size', chunked('ffffffffffffffffffff\r\nok')],
    ['a trailer without a colon', chunked('2\r\nok\r\n0\r\nno sense\r\n\r\n')],
    ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n'],
  ])('rejects a response with %s as not HTTP', async (_what, answer) => {
    const server = await answering(answer);
    expect(faultIn(await wired(server.url, { timeout: 2000 }).send(post()))).toBe('not-http');
  });

  test('is abandoned when the client is closed', async () => {
    const server = await raw(() => {});
    const client = wired(server.url, { timeout: 400 });
    const sent = client.send(post());
    setTimeout(() => void client.close(), 30);
    expect((await sent).kind).toBe('broken');
  });
});

describe.each(WAYS)('a response %s', (_way, prepare) => {
  test.each<[what: string, answer: string, maxBodyBytes: number, expected: Partial<Response>]>([
    ['of exactly the cap is complete', 'Content-Length: 4\r\n\r\nbody', 4, { truncated: false }],
    ['over the cap in one piece is truncated', 'Content-Length: 9\r\n\r\n123456789', 4, { truncated: true }],
    [
      'has no white space around a value',
      'A:  b \r\nContent-Length: 0\r\n\r\n',
      4,
      {
        headers: [
          ['A', 'b'],
          ['Content-Length', '0'],
        ],
      },
    ],
  ])('%s', async (_what, answer, cap, expected) => {
    const server = await answering(`HTTP/1.1 200 OK\r\n${answer}`);
    const client = wireTo(server.url, { maxBodyBytes: cap });
    prepare(client);
    const response = responseTo(await client.send(post()));
    expect(response).toMatchObject(expected);
    expect(response.body.length).toBeLessThanOrEqual(cap);
  });

  test('304 with the length that a 200 would have is complete', async () => {
    const server = await answering('HTTP/1.1 304 Not Modified\r\nContent-Length: 20\r\n\r\n');
    const client = wireTo(server.url);
    prepare(client);
    expect(responseTo(await client.send(get())).status).toBe(304);
  });
});

describe.each(WAYS)('connections %s', (_way, prepare) => {
  const wired = (url: string, settings: Settings = {}) => {
    const client = wireTo(url, settings);
    prepare(client);
    return client;
  };

  test('one is reused while it is open', async () => {
    const server = await answering(OK);
    const client = wired(server.url);
    for (let index = 0; index < 5; index += 1) responseTo(await client.send(post()));
    expect(server.connections()).toBe(1);
  });

  test('their number is limited, and each carries one request at a time', async () => {
    let [now, highest] = [0, 0];
    const server = await raw((_request, socket) => {
      now += 1;
      highest = Math.max(highest, now);
      setTimeout(() => {
        now -= 1;
        socket.write(OK);
      }, 5);
    });
    const client = wired(server.url, { connections: 3 });
    const exchanges = await Promise.all(Array.from({ length: 20 }, () => client.send(post())));
    for (const exchange of exchanges) expect(responseTo(exchange).status).toBe(200);
    expect(server.connections()).toBe(3);
    expect(highest).toBe(3);
  });

  test('a request whose connection closes before the response begins is sent again on a fresh one', async () => {
    const server = await raw((_request, socket, { connection, onConnection }) => {
      if (connection === 1 && onConnection === 2) socket.destroy();
      else socket.write(OK);
    });
    const client = wired(server.url);
    responseTo(await client.send(post()));
    expect(responseTo(await client.send(post({ path: '/plants?second' }))).status).toBe(200);
    expect(server.seen.map((text) => text.split(' ')[1])).toEqual([
      '/plants',
      '/plants?second',
      '/plants?second',
    ]);
    expect(server.connections()).toBe(2);
    expect(client.closedMidRequest).toBe(1);
  });

  test('a request whose connection closes after an interim response is sent again', async () => {
    const server = await raw((_request, socket, { connection }) => {
      if (connection === 1) socket.end('HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n');
      else socket.write(OK);
    });
    expect(responseTo(await wired(server.url).send(post())).status).toBe(200);
    expect(server.seen).toHaveLength(2);
  });

  test('a request may be sent again with other values', async () => {
    const server = await raw((_request, socket, { overall }) => {
      if (overall === 1) socket.destroy();
      else socket.write(OK);
    });
    const exchange = await wired(server.url).send(post(), () => post({ body: Buffer.from('{"id":2}') }));
    expect(responseTo(exchange).status).toBe(200);
    expect(exchange.request.body).toEqual(Buffer.from('{"id":2}'));
    expect(server.seen.map((text) => text.slice(-8))).toEqual(['{"id":1}', '{"id":2}']);
  });

  test('the fault is the closed connection, even if the store is gone afterwards', async () => {
    const server = await raw((_request, socket) => {
      server.stop();
      socket.destroy();
    });
    const exchange = await wired(server.url).send(post());
    expect(faultIn(exchange)).toBe('closed');
  });

  test('408 on an idle connection that crossed a request does not count as the response', async () => {
    const server = await raw((_request, socket, { connection, onConnection }) => {
      if (connection === 1 && onConnection === 2) socket.end(TOO_LATE);
      else socket.write(OK);
    });
    const client = wired(server.url);
    responseTo(await client.send(post()));
    expect(responseTo(await client.send(post())).status).toBe(200);
    expect(server.seen).toHaveLength(3);
  });

  test('408 on the second connection as well is the response', async () => {
    const server = await raw((_request, socket) => socket.end(TOO_LATE));
    expect(responseTo(await wired(server.url).send(post())).status).toBe(408);
    expect(server.seen).toHaveLength(2);
  });

  test('a request is sent again only once', async () => {
    const server = await raw((_request, socket, { overall }) => {
      if (overall === 1) socket.write(OK);
      else socket.destroy();
    });
    const client = wired(server.url);
    responseTo(await client.send(post()));
    expect(faultIn(await client.send(post()))).toBe('closed');
    expect(server.seen).toHaveLength(3);
  });

  test('a connection known to be closed is replaced without sending anything twice', async () => {
    const server = await raw((_request, socket) => {
      socket.write(OK);
      setTimeout(() => socket.end(), 10);
    });
    const client = wired(server.url);
    responseTo(await client.send(post()));
    await new Promise((resolve) => setTimeout(resolve, 400));
    responseTo(await client.send(post()));
    expect(server.seen).toHaveLength(2);
    expect(server.connections()).toBe(2);
  });

  test('a request whose response has begun is not sent again', async () => {
    const server = await raw((_request, socket, { overall }) => {
      if (overall === 1) socket.write(OK);
      else socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc');
    });
    const client = wired(server.url);
    responseTo(await client.send(post()));
    expect(faultIn(await client.send(post()))).toBe('closed');
    expect(server.seen).toHaveLength(2);
  });

  test('a request that times out on a reused connection is not sent again', async () => {
    const server = await raw((_request, socket, { overall }) => {
      if (overall === 1) socket.write(OK);
    });
    const client = wired(server.url, { timeout: 300 });
    responseTo(await client.send(post()));
    expect(faultIn(await client.send(post()))).toBe('timeout');
    expect(server.seen).toHaveLength(2);
  });

  test.each([
    ['announced the close', 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok'],
    ['was truncated at the cap', `HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n${'x'.repeat(3000)}`],
  ])('after a response that %s, a request uses a fresh connection', async (_what, answer) => {
    const server = await raw((_request, socket, { overall }) => {
      if (overall > 1) socket.write(OK);
      else if (answer.includes('close')) socket.end(answer);
      else socket.write(answer);
    });
    const client = wired(server.url, { maxBodyBytes: 1000 });
    responseTo(await client.send(post()));
    responseTo(await client.send(post()));
    expect(server.seen).toHaveLength(2);
    expect(server.connections()).toBe(2);
  });

  test('a shortened timeout does not shorten the time to connect', async () => {
    const secure = createTlsServer(CERTIFICATE, (_request, response) => response.end('ok'));
    const target = Number(new URL(await listening(secure)).port);
    const slow = createServer((socket) => {
      setTimeout(() => {
        const through = connectPlain(target, '127.0.0.1');
        socket.on('error', () => through.destroy()).pipe(through);
        through.on('error', () => socket.destroy()).pipe(socket);
      }, 2200);
    });
    const url = await listening(slow);
    cleanUps.push(() => {
      secure.closeAllConnections();
      secure.close();
      slow.close();
    });
    const client = new HttpClient(
      endpointOf(url.replace('http', 'https'), { timeout: 20_000, insecure: true }),
      1,
    );
    cleanUps.push(() => client.close());
    prepare(client);
    client.lowerLimit('timeout', 1000);
    expect(textOf(responseTo(await client.send(post())))).toBe('ok');
  });
});

describe.each(WAYS)('framing %s', (_way, prepare) => {
  const wired = (url: string) => {
    const client = wireTo(url);
    prepare(client);
    return client;
  };

  test.each([
    ['of several bytes', 'abcde', 'abcde'],
    ['of one byte', 'a', 'a'],
  ])('a body %s is sent in chunks on request', async (_what, body, expected) => {
    const server = await answering(OK);
    const exchange = await wired(server.url).send(post({ body: Buffer.from(body), framing: 'chunked' }));
    const [head = '', ...rest] = (server.seen[0] ?? '').split('\r\n\r\n');
    expect(head).toMatch(/^transfer-encoding: chunked$/m);
    expect(head).not.toMatch(/content-length/i);
    const lines = rest.join('\r\n\r\n').split('\r\n');
    expect(lines.filter((_, index) => index % 2 === 1).join('')).toBe(expected);
    if (body.length > 1) expect(lines.length).toBeGreaterThan(4);
    expect(exchange.request.headers).toContainEqual(['transfer-encoding', 'chunked']);
    expect(exchange.request.headers.map(([name]) => name)).not.toContain('content-length');
  });

  test('node reads the chunks as one body', async () => {
    let body = '';
    const server = createHttpServer((request: IncomingMessage, response: ServerResponse) => {
      request.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      request.on('end', () => response.end('ok'));
    });
    const url = await listening(server);
    cleanUps.push(() => {
      server.closeAllConnections();
      server.close();
    });
    responseTo(await wired(url).send(post({ framing: 'chunked', body: Buffer.from('{"name":"é"}') })));
    expect(body).toBe('{"name":"é"}');
  });

  test('a chunked body without content is the last chunk alone', async () => {
    const server = await answering(OK);
    const { request } = await wired(server.url).send(post({ framing: 'chunked', body: new Uint8Array() }));
    expect(server.seen[0]).toContain('transfer-encoding: chunked\r\n');
    expect(server.seen[0]).toMatch(/\r\n\r\n0\r\n\r\n$/);
    expect(request.headers).toContainEqual(['transfer-encoding', 'chunked']);
  });

  test('raw bytes are sent unchanged', async () => {
    const server = await answering('HTTP/1.1 400 No\r\nContent-Length: 0\r\n\r\n');
    const rawBytes = Buffer.from(
      'POST /plants HTTP/1.1\r\nHost: x\r\ncontent-length: 3\r\n\r\nabc',
      'latin1',
    );
    const exchange = await wired(server.url).send(post({ rawBytes }));
    expect(responseTo(exchange).status).toBe(400);
    expect(server.seen).toEqual([rawBytes.toString('latin1')]);
    expect(exchange.request.rawBytes).toBe(rawBytes);
  });

  test('raw bytes have a connection to themselves, and are not sent again if it closes', async () => {
    const server = await raw((_request, socket, { overall }) => {
      if (overall === 2) socket.destroy();
      else socket.write(OK);
    });
    const client = wired(server.url);
    responseTo(await client.send(post()));
    expect(faultIn(await client.send(post({ rawBytes: Buffer.from('GET / HTTP/1.1\r\n\r\n') })))).toBe(
      'closed',
    );
    responseTo(await client.send(post()));
    expect([server.seen.length, server.connections()]).toEqual([3, 3]);
  });

  test('a response to raw bytes is waited for at most 3 s', async () => {
    const server = await raw(() => {});
    const exchange = await wired(server.url).send(post({ rawBytes: Buffer.from('HELLO\r\n\r\n') }));
    expect(exchange).toMatchObject({ fault: { kind: 'timeout', detail: 'no response within 3000 ms' } });
  });
});

describe('an unsolicited 100 Continue', () => {
  test('is reported, and the same request works over a raw socket', async () => {
    const server = await answering(`HTTP/1.1 100 Continue\r\n\r\n${OK}`);
    const client = wireTo(server.url);
    expect(faultIn(await client.send(post()))).toBe('unsolicited-continue');
    expect(server.seen).toHaveLength(1);
    client.useRawSockets();
    const exchange = await client.send(post());
    expect(textOf(responseTo(exchange))).toBe('ok');
    expect(exchange.interim).toEqual([100]);
    expect(server.seen[1]).toBe(server.seen[0]);
    responseTo(await client.send(post()));
    expect(server.connections()).toBe(2);
  });
});

describe('classifying a fault', () => {
  const coded = (code: string, message = 'it failed') => Object.assign(new Error(message), { code });

  test.each<[error: unknown, kind: FaultKind]>([
    [coded('ENOTFOUND'), 'unresolved'],
    [coded('EAI_AGAIN'), 'unresolved'],
    [coded('ECONNREFUSED'), 'refused'],
    [coded('EHOSTUNREACH'), 'refused'],
    [new AggregateError([coded('ECONNREFUSED'), coded('ENETUNREACH')]), 'refused'],
    [coded('UND_ERR_CONNECT_TIMEOUT'), 'connect-timeout'],
    [coded('ETIMEDOUT'), 'connect-timeout'],
    [coded('SELF_SIGNED_CERT_IN_CHAIN'), 'untrusted'],
    [coded('DEPTH_ZERO_SELF_SIGNED_CERT'), 'untrusted'],
    [coded('CERT_HAS_EXPIRED'), 'untrusted'],
    [coded('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), 'untrusted'],
    [coded('ERR_TLS_CERT_ALTNAME_INVALID'), 'untrusted'],
    [coded('EPROTO'), 'not-tls'],
    [coded('ERR_SSL_WRONG_VERSION_NUMBER'), 'not-tls'],
    [coded('HPE_INVALID_CONSTANT'), 'not-http'],
    [coded('UND_ERR_HEADERS_OVERFLOW'), 'not-http'],
    [coded('UND_ERR_SOCKET', 'bad response'), 'unsolicited-continue'],
    [coded('UND_ERR_SOCKET', 'other side closed'), 'closed'],
    [coded('ECONNRESET'), 'closed'],
    [new Error('whatever'), 'closed'],
    ['a string', 'closed'],
    [undefined, 'closed'],
    [null, 'closed'],
  ])('%o is %s', (error, kind) => {
    expect(faultOf(error).kind).toBe(kind);
    expect(faultOf(error).detail).not.toBe('');
  });

  test('the detail contains the code once', () => {
    expect(faultOf(coded('UND_ERR_SOCKET', 'other side closed')).detail).toMatch(/^the server closed/);
    expect(faultOf(coded('ECONNRESET')).detail).toBe('it failed (ECONNRESET)');
    expect(faultOf(coded('ECONNRESET', 'read ECONNRESET')).detail).toBe('read ECONNRESET');
  });
});

describe('reading a response', () => {
  /** What a reader makes of bytes that arrive in these pieces. */
  function read(pieces: readonly Buffer[], { method = 'POST', cap = 1000, closes = false } = {}): unknown {
    const reader = new ResponseReader(method, cap);
    let outcome: Response | undefined;
    try {
      for (const piece of pieces) {
        outcome ??= reader.take(piece);
        if (outcome !== undefined) break;
      }
    } catch (error) {
      return { error: (error as Error).message };
    }
    if (closes) outcome ??= reader.closed();
    const readable = (response: Response | undefined) =>
      response && {
        ...response,
        headers: response.headers.map((pair) => pair.join(': ')),
        body: Buffer.from(response.body).toString('latin1'),
      };
    return { response: readable(outcome), partial: readable(reader.partial()), interim: reader.interim };
  }

  const RESPONSES: readonly (readonly [
    what: string,
    text: string,
    options: { method?: string; cap?: number; closes?: boolean },
    expected: { status?: number; body?: string; truncated?: boolean; interim?: number[] } | 'open' | RegExp,
  ])[] = [
    ['a length', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello', {}, { body: 'hello' }],
    ['a length of zero', 'HTTP/1.1 400 Bad\r\ncontent-length:0\r\n\r\n', {}, { status: 400, body: '' }],
    ['chunks', chunked('3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n'), {}, { body: 'abc0123456789' }],
    ['chunks with extensions', chunked('3;a=b;c="d"\r\nabc\r\n0;last\r\n\r\n'), {}, { body: 'abc' }],
    ['chunks with trailers', chunked('3\r\nabc\r\n0\r\nA: b\r\nC: d\r\n\r\n'), {}, { body: 'abc' }],
    [
      'chunks with line ends inside',
      chunked('8\r\n\r\n0\r\n\r\nx\r\n0\r\n\r\n'),
      {},
      { body: '\r\n0\r\n\r\nx' },
    ],
    ['no chunk but the last', chunked('0\r\n\r\n'), {}, { body: '' }],
    ['sizes with leading zeros', chunked('0003\r\nabc\r\n000\r\n\r\n'), {}, { body: 'abc' }],
    ['an end with the connection', 'HTTP/1.1 200 OK\r\n\r\nhello', { closes: true }, { body: 'hello' }],
    ['no end yet', 'HTTP/1.1 200 OK\r\n\r\nhello', {}, 'open'],
    ['a body that is too short', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel', { closes: true }, 'open'],
    ['chunks without the last', chunked('3\r\nabc\r\n'), { closes: true }, 'open'],
    ['an incomplete header', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n', { closes: true }, 'open'],
    ['only interim responses', 'HTTP/1.1 100 Continue\r\n\r\n', { closes: true }, 'open'],
    ['HEAD', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n', { method: 'HEAD' }, { body: '' }],
    ['HEAD and chunks', chunked(''), { method: 'HEAD' }, { body: '' }],
    ['204', 'HTTP/1.1 204 No Content\r\n\r\n', {}, { status: 204, body: '' }],
    ['304', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n', {}, { status: 304, body: '' }],
    [
      'interim responses before the final one',
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\n' +
        'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx',
      {},
      { body: 'x', interim: [100, 103] },
    ],
    ['chunks over the cap', chunked('9\r\n123456789\r\n'), { cap: 4 }, { body: '1234', truncated: true }],
    ['no length over the cap', 'HTTP/1.1 200 OK\r\n\r\n12345', { cap: 4 }, { body: '1234', truncated: true }],
    [
      'a body of exactly the cap',
      'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n1234',
      { cap: 4 },
      { body: '1234' },
    ],
    ['no size', chunked('zz\r\nabc'), {}, /chunk has no valid size/],
    ['an empty size', chunked('3\r\nabc\r\n\r\n'), {}, /chunk has no valid size/],
    ['a negative size', chunked('-3\r\nabc'), {}, /chunk has no valid size/],
    ['a length that is not a number', 'HTTP/1.1 200 OK\r\nContent-Length: 5x\r\n\r\n', {}, /Content-Length/],
    ['a negative length', 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n', {}, /Content-Length/],
    ['a header without a colon', 'HTTP/1.1 200 OK\r\nnonsense\r\n\r\n', {}, /header line is "nonsense"/],
    ['a header without a name', 'HTTP/1.1 200 OK\r\n: x\r\n\r\n', {}, /header line/],
    ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n', {}, /first line/],
    ['another protocol', 'SSH-2.0-OpenSSH\r\n\r\n', {}, /bad response/],
  ];

  test.each(RESPONSES)('with %s, however the bytes arrive', (_what, text, options, expected) => {
    const bytes = Buffer.from(text, 'latin1');
    const whole = read([bytes], options);
    if (expected === 'open') expect(whole).toMatchObject({ response: undefined });
    else if (expected instanceof RegExp)
      expect(whole).toMatchObject({ error: expect.stringMatching(expected) });
    else {
      const { interim = [], ...response } = expected;
      expect(whole).toMatchObject({ response: { status: 200, truncated: false, ...response }, interim });
    }
    if (text.startsWith('SSH')) return;
    for (let at = 0; at <= bytes.length; at += 1)
      expect(read([bytes.subarray(0, at), bytes.subarray(at)], options), `split at ${at}`).toEqual(whole);
    const single = Array.from(bytes, (byte) => Buffer.from([byte]));
    expect(read(single, options)).toEqual(whole);
  });

  test('names, values and reason phrase are kept unchanged', () => {
    const text =
      'HTTP/1.1 418 I\'m a "pot"\r\nX-A:1\r\nx-a:  2  \r\nEmpty:\r\nL: \xe9\r\nContent-Length: 0\r\n\r\n';
    expect(read([Buffer.from(text, 'latin1')])).toMatchObject({
      response: {
        status: 418,
        statusText: 'I\'m a "pot"',
        headers: ['X-A: 1', 'x-a: 2', 'Empty: ', 'L: é', 'Content-Length: 0'],
      },
    });
  });

  test('another protocol is recognised by its first bytes', () => {
    expect(read([Buffer.from('S')])).toEqual({ error: 'bad response: this is not HTTP/1' });
    expect(read([Buffer.from('HTTP/2')])).toEqual({ error: 'bad response: this is not HTTP/1' });
    expect(read([Buffer.from('HTT')])).toMatchObject({ response: undefined });
  });

  test('an endless header is rejected', () => {
    const line = Buffer.from(`X: ${'y'.repeat(1000)}\r\n`);
    const pieces = [Buffer.from('HTTP/1.1 200 OK\r\n'), ...Array.from({ length: 300 }, () => line)];
    expect(read(pieces)).toEqual({ error: 'bad response: the header does not end' });
  });

  test('there is no partial response before the end of its header', () => {
    expect(read([Buffer.from('HTTP/1.1 200 OK\r\nX: y\r\n')])).toMatchObject({ partial: undefined });
    expect(read([Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab')])).toMatchObject({
      partial: { status: 200, body: 'ab', truncated: true },
    });
  });

  test.each([
    ['a length', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n123456789'],
    ['chunks', chunked('9\r\n123456789\r\n0\r\n\r\n')],
  ])('a body over the cap with %s is marked as truncated, however the bytes arrive', (_what, text) => {
    const bytes = Buffer.from(text);
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(read([bytes.subarray(0, at), bytes.subarray(at)], { cap: 4 }), `split at ${at}`).toMatchObject({
        response: { body: '1234', truncated: true },
      });
    }
  });

  test('a size in another notation is invalid', () => {
    expect(read([Buffer.from(chunked('0x5\r\nhello\r\n0\r\n\r\n'))])).toMatchObject({
      error: expect.stringMatching(/chunk/),
    });
  });
});

describe('a response that arrives byte by byte over a socket', () => {
  test('is complete', async () => {
    const server = await raw((_request, socket) => {
      socket.setNoDelay(true);
      const bytes = [...chunked('3\r\nabc\r\n0\r\n\r\n')];
      const timer = setInterval(() => {
        const byte = bytes.shift();
        if (byte === undefined) clearInterval(timer);
        else socket.write(byte);
      }, 1);
      socket.on('close', () => clearInterval(timer));
    });
    const client = wireTo(server.url);
    client.useRawSockets();
    expect(textOf(responseTo(await client.send(get())))).toBe('abc');
  });
});

describe('a connection with our own reader', () => {
  test.each([
    ['an HTTP/1.1 response', OK, 1],
    ['a chunked response with trailers', chunked('2;x\r\nok\r\n0\r\nT: t\r\n\r\n'), 1],
    ['an HTTP/1.0 response', OK.replace('1.1', '1.0'), 2],
    [
      'an HTTP/1.0 response with keep-alive',
      OK.replace('1.1 200 OK', '1.0 200 OK\r\nConnection: Keep-Alive'),
      1,
    ],
    ['a response followed by more bytes', `${OK}more`, 2],
    ['a response that announces the close', OK.replace('OK', 'OK\r\nConnection: x, Close'), 2],
  ])('after %s is reused or replaced as it should be', async (_what, answer, connections) => {
    const server = await answering(answer);
    const client = wireTo(server.url);
    client.useRawSockets();
    for (const _ of [1, 2]) expect(textOf(responseTo(await client.send(post())))).toBe('ok');
    expect(server.connections()).toBe(connections);
  });
});

/** What a server read from one connection, and whether it ended. */
interface Read {
  readonly pieces: string[];
  ended: boolean;
  readonly closed: Promise<void>;
}

/** A server that keeps each piece that it reads from a connection, and calls `onPiece` after it. */
async function reading(
  onPiece: (read: Read, socket: Socket, connection: number) => void,
  secure = false,
): Promise<{ url: string; reads: readonly Read[] }> {
  const reads: Read[] = [];
  const sockets = new Set<Socket>();
  const accept = (socket: Socket) => {
    const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
    const read: Read = { pieces: [], ended: false, closed };
    reads.push(read);
    sockets.add(socket);
    const connection = reads.length;
    socket.on('error', () => {});
    socket.on('end', () => {
      read.ended = true;
    });
    socket.on('data', (piece) => {
      read.pieces.push(piece.toString('latin1'));
      onPiece(read, socket, connection);
    });
  };
  const server = secure ? createSecureServer(CERTIFICATE, accept) : createServer(accept);
  const url = await listening(server);
  cleanUps.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: secure ? url.replace('http:', 'https:') : url, reads };
}

const readText = ({ pieces }: Read) => pieces.join('');
const headRead = (read: Read) => readText(read).split('\r\n\r\n', 1)[0] ?? '';
const bodyRead = (read: Read) => readText(read).slice(headRead(read).length + 4);
/** Answers once the bytes read end with this text. */
const answeringAfter = (end: string) => (read: Read, socket: Socket) => {
  if (readText(read).endsWith(end)) socket.write(OK);
};

describe.each([
  ['', false],
  [' over TLS', true],
] as const)('a delivery%s', (_over, secure) => {
  const BODY = '{"id":1,"name":"Ficus"}';
  const wireBelow = (url: string, settings: Settings = {}) => {
    const base = `${url}/api`;
    const client = new HttpClient(
      {
        ...endpointOf(base, { timeout: settings.timeout ?? 5000, insecure: true }),
        maxBodyBytes: settings.maxBodyBytes ?? MAX_RESPONSE_BODY_BYTES,
      },
      settings.connections ?? 2,
    );
    cleanUps.push(() => client.close());
    return client;
  };
  const sending = async (delivery: Delivery, more: Partial<Request> = {}, end = BODY) => {
    const server = await reading(answeringAfter(end), secure);
    const exchange = await wireBelow(server.url).send(post({ body: Buffer.from(BODY), delivery, ...more }));
    expect(textOf(responseTo(exchange))).toBe('ok');
    const [read] = server.reads;
    if (read === undefined) throw new Error('nothing was sent');
    return { exchange, read, pieces: read.pieces, host: new URL(server.url).host };
  };

  test('without any setting sends the usual bytes in one segment', async () => {
    const { pieces, host } = await sending({});
    expect(pieces).toEqual([
      `POST /api/plants HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n` +
        `content-type: application/json\r\ncontent-length: 23\r\n\r\n${BODY}`,
    ]);
    const server = await reading(answeringAfter(BODY), secure);
    responseTo(await wireBelow(server.url).send(post({ body: Buffer.from(BODY) })));
    expect(server.reads[0] && readText(server.reads[0])).toBe(
      pieces.join('').replace(host, new URL(server.url).host),
    );
  });

  test('cuts the body only at the given offsets, which may count from the end', async () => {
    const { pieces, exchange } = await sending({ cuts: [-5, 3, 900, 0, -900, 10, 3] });
    expect(pieces[0]?.split('\r\n\r\n')[1]).toBe('{"i');
    expect(pieces.slice(1)).toEqual(['d":1,"n', 'ame":"Fi', 'cus"}']);
    expect(exchange.request.delivery?.cuts).toContain(900);
  });

  test('sends the head first', async () => {
    const { pieces } = await sending({ headFirst: true, cuts: [1] });
    expect(pieces[0]).toMatch(/\r\n\r\n$/);
    expect(pieces.slice(1)).toEqual(['{', BODY.slice(1)]);
  });

  test.each<[chunks: Required<Delivery>['chunks'], encoded: string]>([
    ['one', `17\r\n${BODY}\r\n0\r\n\r\n`],
    ['halves', 'b\r\n{"id":1,"na\r\nc\r\nme":"Ficus"}\r\n0\r\n\r\n'],
    ['many', '7\r\n{"id":1\r\n7\r\n,"name"\r\n7\r\n:"Ficus\r\n2\r\n"}\r\n0\r\n\r\n'],
    [
      'extensions',
      'b;part=1;note="a b"\r\n{"id":1,"na\r\nc;part=1;note="a b"\r\nme":"Ficus"}\r\n' +
        '0;part=1;note="a b"\r\n\r\n',
    ],
    ['trailer', 'b\r\n{"id":1,"na\r\nc\r\nme":"Ficus"}\r\n0\r\nx-trailer: done\r\n\r\n'],
  ])('divides a chunked body: %s', async (chunks, encoded) => {
    const { read } = await sending({ chunks }, { framing: 'chunked' }, encoded);
    expect(bodyRead(read)).toBe(encoded);
    expect(headRead(read)).toMatch(/transfer-encoding: chunked$/);
    expect(/^trailer: x-trailer\r$/m.test(headRead(read))).toBe(chunks === 'trailer');
  });

  test.each<[chunks: Required<Delivery>['chunks'], encoded: string]>([
    ['one', `17\r\n${BODY}\r\n0\r\n\r\n`],
    ['halves', 'b\r\n{"id":1,"na\r\nc\r\nme":"Ficus"}\r\n0\r\n\r\n'],
  ])('cuts a chunked body at offsets of the plain body: %s', async (chunks, encoded) => {
    const { pieces } = await sending({ chunks, cuts: [1, -4] }, { framing: 'chunked' }, encoded);
    const first = encoded.indexOf('{') + 1;
    expect(pieces[0]?.endsWith(`\r\n\r\n${encoded.slice(0, first)}`)).toBe(true);
    expect(pieces.slice(1)).toEqual([encoded.slice(first, -11), 'us"}\r\n0\r\n\r\n']);
  });

  test('writes Content-Length with leading zeros', async () => {
    const { read } = await sending({ leadingZeros: true });
    expect(headRead(read)).toMatch(/^content-length: 0023\r?$/m);
  });

  test.each([
    ['zeros', `00b\r\n{"id":1,"na\r\n00c\r\nme":"Ficus"}\r\n0\r\n\r\n`],
    ['capitals', `B\r\n{"id":1,"na\r\nC\r\nme":"Ficus"}\r\n0\r\n\r\n`],
  ] as const)('writes chunk sizes: %s', async (chunkSizes, encoded) => {
    const { read } = await sending({ chunkSizes }, { framing: 'chunked' }, encoded);
    expect(bodyRead(read)).toBe(encoded);
  });

  test('writes other white space, or none, after the colons of headers', async () => {
    const { read, host, exchange } = await sending({ headerGap: '' }, { headers: [['accept', '*/*']] });
    expect(headRead(read).split('\r\n').slice(1)).toContain('accept:*/*');
    expect(headRead(read)).toContain(`host:${host}`);
    expect(exchange.request.headers).toContainEqual(['accept', '*/*']);
  });

  test('sends the target in absolute form', async () => {
    const { read, host, exchange } = await sending({ absoluteTarget: true });
    expect(headRead(read).split('\r\n')[0]).toBe(
      `POST ${secure ? 'https' : 'http'}://${host}/api/plants HTTP/1.1`,
    );
    expect(exchange.request.path).toBe('/api/plants');
  });

  test('sends headers in the given order and letter case', async () => {
    const headers: HeaderPair[] = [
      ['authorization', 'Bearer a'],
      ['x-one', '1'],
      ['authorization', 'Bearer b'],
      ['accept', '*/*'],
    ];
    const headerOrder = [
      'Content-Length',
      'AUTHORIZATION',
      'Host',
      'X-Absent',
      'Connection',
      'Authorization',
    ];
    const { read, host, exchange } = await sending({ headerOrder }, { headers });
    expect(headRead(read).split('\r\n').slice(1)).toEqual([
      'Content-Length: 23',
      'AUTHORIZATION: Bearer a',
      `Host: ${host}`,
      'Connection: keep-alive',
      'Authorization: Bearer b',
      'x-one: 1',
      'accept: */*',
    ]);
    expect(exchange.request.headers[2]).toEqual(['Host', host]);
  });

  describe('that waits for 100 Continue', () => {
    const delivery: Delivery = { expectContinue: true };
    const template = post({ body: Buffer.from(BODY), delivery });

    test('sends the body once 100 has arrived', async () => {
      const server = await reading((read, socket) => {
        if (read.pieces.length === 1) socket.write('HTTP/1.1 100 Continue\r\n\r\n');
        else answeringAfter(BODY)(read, socket);
      }, secure);
      const client = wireBelow(server.url);
      const exchange = await client.send(template);
      expect(responseTo(exchange).status).toBe(200);
      expect(exchange.interim).toEqual([100]);
      expect(server.reads[0]?.pieces[1]).toBe(BODY);
      expect(headRead(server.reads[0] ?? raise())).toMatch(/^expect: 100-continue\r$/m);
      expect(exchange.ms).toBeLessThan(900);
    });

    test.each([417, 401])('sends no body after a final %i, and drops the connection', async (status) => {
      const server = await reading((read, socket, connection) => {
        if (connection === 1) socket.write(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`);
        else answeringAfter(BODY)(read, socket);
      }, secure);
      const client = wireBelow(server.url);
      expect(responseTo(await client.send(template)).status).toBe(status);
      await server.reads[0]?.closed;
      expect(bodyRead(server.reads[0] ?? raise())).toBe('');
      responseTo(await client.send(post({ body: Buffer.from(BODY), delivery: {} })));
      expect(server.reads).toHaveLength(2);
    });

    test('sends the body after a second of silence', async () => {
      const { pieces, exchange } = await sending(delivery);
      expect(pieces[1]).toBe(BODY);
      expect(exchange.ms).toBeGreaterThan(900);
      expect(exchange.interim).toEqual([]);
    });

    test('waits after the complete head, even if the head is cut', async () => {
      const server = await reading((read, socket) => {
        if (read.pieces.length === 2) socket.write('HTTP/1.1 100 Continue\r\n\r\n');
        else if (read.pieces.length > 2) answeringAfter(BODY)(read, socket);
      }, secure);
      const exchange = await wireBelow(server.url).send({
        ...template,
        delivery: { ...delivery, headCut: 'middle' },
      });
      expect(responseTo(exchange).status).toBe(200);
      expect([exchange.interim, server.reads[0]?.pieces[2]]).toEqual([[100], BODY]);
    });

    test('drops the connection if 100 and a final response arrive before the body is sent', async () => {
      const server = await reading((read, socket, connection) => {
        if (connection > 1) answeringAfter(BODY)(read, socket);
        else if (read.pieces.length === 1) socket.write(`HTTP/1.1 100 Continue\r\n\r\n${OK}`);
      }, secure);
      const client = wireBelow(server.url);
      expect(responseTo(await client.send(template)).status).toBe(200);
      await server.reads[0]?.closed;
      responseTo(await client.send(post({ body: Buffer.from(BODY), delivery: {} })));
      expect(server.reads).toHaveLength(2);
    });

    test('sends no Expect without a body', async () => {
      const server = await reading((_read, socket) => socket.write(OK), secure);
      responseTo(await wireBelow(server.url).send({ ...template, body: undefined }));
      expect(headRead(server.reads[0] ?? raise())).not.toMatch(/expect/);
    });
  });

  describe('that aborts', () => {
    test.each([
      ['in the middle', 5, BODY.slice(0, 5)],
      ['before the body', 0, ''],
      ['after all of the body', 1000, BODY],
    ])('%s closes the connection there, and is not sent again', async (_what, abortAfter, sent) => {
      const server = await reading(() => {}, secure);
      const exchange = await wireBelow(server.url).send(
        post({ body: Buffer.from(BODY), delivery: { abortAfter } }),
      );
      expect(faultIn(exchange)).toBe('aborted');
      await server.reads[0]?.closed;
      expect(bodyRead(server.reads[0] ?? raise())).toBe(sent);
      expect(server.reads).toHaveLength(1);
    });

    test('keeps the status of a response that arrived before', async () => {
      const server = await reading((_read, socket) => socket.write(OK), secure);
      const exchange = await wireBelow(server.url).send(
        post({ body: Buffer.from(BODY), delivery: { headFirst: true, abortAfter: 5 } }),
      );
      expect(faultIn(exchange)).toBe('aborted');
      expect(exchange.response?.status).toBe(200);
      await server.reads[0]?.closed;
    });
  });

  test('stops when it is answered early, and the next request uses a fresh connection', async () => {
    const server = await reading((read, socket, connection) => {
      if (connection > 1) answeringAfter(BODY)(read, socket);
      else if (read.pieces.length === 1) socket.write('HTTP/1.1 413 No\r\nContent-Length: 0\r\n\r\n');
    }, secure);
    const client = wireBelow(server.url);
    const cut = post({ body: Buffer.from(BODY), delivery: { cuts: [1, 2, 3, 4, 5, 6, 7] } });
    expect(responseTo(await client.send(cut)).status).toBe(413);
    await server.reads[0]?.closed;
    expect(bodyRead(server.reads[0] ?? raise()).length).toBeLessThan(8);
    responseTo(await client.send(cut));
    expect(server.reads).toHaveLength(2);
  });

  test('reuses a raw connection, or opens a fresh one on request', async () => {
    const server = await reading(answeringAfter(BODY), secure);
    const client = wireBelow(server.url);
    const usual = post({ body: Buffer.from(BODY) });
    for (let round = 0; round < 3; round += 1) {
      responseTo(await client.send(usual));
      responseTo(await client.send({ ...usual, delivery: {} }));
    }
    expect(server.reads).toHaveLength(2);
    responseTo(await client.send({ ...usual, delivery: { freshConnection: true } }));
    expect(server.reads).toHaveLength(3);
  });

  test.each<[what: string, delivery: Delivery, framing?: Request['framing']]>([
    ['cuts', { cuts: [1, 9, -3], headFirst: true }],
    ['one chunk', { chunks: 'one' }, 'chunked'],
    ['many chunks, cut', { chunks: 'many', cuts: [2, 30] }, 'chunked'],
    ['chunk extensions', { chunks: 'extensions' }, 'chunked'],
    ['a trailer section', { chunks: 'trailer', expectContinue: true }, 'chunked'],
    ['100 Continue', { expectContinue: true }],
    ['an absolute target', { absoluteTarget: true }],
    ['an order of headers', { headerOrder: ['Content-Length', 'Connection', 'Content-Type', 'Host'] }],
  ])('with %s is read by node, and its connection reused', async (_what, delivery, framing = 'length') => {
    const handler = (request: IncomingMessage, response: ServerResponse) => {
      let body = '';
      request.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      request.on('end', () => response.end(body));
    };
    const server = secure ? createTlsServer(CERTIFICATE, handler) : createHttpServer(handler);
    let connections = 0;
    server.on(secure ? 'secureConnection' : 'connection', () => {
      connections += 1;
    });
    const url = await listening(server);
    cleanUps.push(() => {
      server.closeAllConnections();
      server.close();
    });
    const client = wireBelow(secure ? url.replace('http:', 'https:') : url);
    const template = post({ body: Buffer.from(BODY), framing, delivery });
    for (const _ of [1, 2]) expect(textOf(responseTo(await client.send(template)))).toBe(BODY);
    expect(connections).toBe(1);
  });

  test('leaves only one connection open if requests are sent one at a time', async () => {
    const server = await reading(answeringAfter(BODY), secure);
    const client = wireBelow(server.url, { connections: 1 });
    const usual = post({ body: Buffer.from(BODY) });
    responseTo(await client.send(usual));
    responseTo(await client.send({ ...usual, delivery: {} }));
    await server.reads[0]?.closed;
    responseTo(await client.send(usual));
    await server.reads[1]?.closed;
    expect(server.reads).toHaveLength(3);
  });

  test('is sent again if its connection closes before a response', async () => {
    const server = await reading((read, socket, connection) => {
      if (connection === 1) socket.destroy();
      else answeringAfter(BODY)(read, socket);
    }, secure);
    const client = wireBelow(server.url);
    responseTo(await client.send(post({ body: Buffer.from(BODY), delivery: { headFirst: true } })));
    expect([server.reads.length, client.closedMidRequest]).toEqual([2, 1]);
  });

  test('leaves no timers behind', async () => {
    const timers = vi.spyOn(globalThis, 'setTimeout');
    cleanUps.push(() => timers.mockRestore());
    const server = await reading((read, socket) => {
      if (readText(read).includes('\r\n\r\n')) socket.write(OK);
    }, secure);
    const client = wireBelow(server.url);
    const deliveries: Delivery[] = [{ expectContinue: true }, { cuts: [1, 2, 3] }, { abortAfter: 3 }, {}];
    for (const delivery of deliveries) await client.send(post({ body: Buffer.from(BODY), delivery }));
    await client.close();
    await Promise.all(server.reads.map(({ closed }) => closed));
    const left = timers.mock.results.filter(({ value }) => Reflect.get(value, '_destroyed') !== true);
    expect([timers.mock.results.length > 0, left]).toEqual([true, []]);
  });

  test('is abandoned when the client is closed', async () => {
    const server = await reading(() => {}, secure);
    const client = wireBelow(server.url);
    const deliveries: Delivery[] = [{ expectContinue: true }, { headFirst: true }];
    const sent = deliveries.map((delivery) => client.send(post({ body: Buffer.from(BODY), delivery })));
    setTimeout(() => void client.close(), 30);
    for (const exchange of await Promise.all(sent)) expect(exchange.kind).toBe('broken');
  });
});

const raise = (): never => {
  throw new Error('nothing was sent');
};

describe.each(WAYS)('headers that a library would rewrite, %s', (_way, prepare) => {
  test('arrive unchanged', async () => {
    const server = await answering(OK);
    const client = wireTo(server.url);
    prepare(client);
    const headers: HeaderPair[] = [
      ['X-First', '1'],
      ['HOST', 'other.example'],
      ['Connection', 'close'],
    ];
    responseTo(await client.send(post({ headers })));
    expect(server.seen[0]?.split('\r\n\r\n')[0]?.split('\r\n').slice(1)).toEqual([
      'X-First: 1',
      'HOST: other.example',
      'Connection: close',
      'content-length: 8',
    ]);
  });
});

describe('requests in sequence', () => {
  const repeatable = (request: Request) => ({ request, again: () => request });
  const numbered = (id: number, delivery?: Delivery) =>
    repeatable(post({ body: Buffer.from(`{"id":${id}}`), ...(delivery === undefined ? {} : { delivery }) }));
  const ids = (seen: readonly string[]) => seen.map((text) => Number(/"id":(\d+)/.exec(text)?.[1]));
  const answer = (text: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
  const bodies = (exchanges: readonly Exchange[]) =>
    exchanges.map((exchange) => textOf(responseTo(exchange)));

  describe.each([
    ['one after the other', false],
    ['pipelined', true],
  ])('%s', (_how, pipelined) => {
    test('go over one connection, with nothing in between', async () => {
      const server = await raw((request, socket, { connection, onConnection }) => {
        const id = ids([request])[0] ?? 0;
        setTimeout(() => socket.write(answer(`${id} ${connection} ${onConnection}`)), id === 9 ? 0 : 5);
      });
      const client = wireTo(server.url, { connections: 2 });
      const [exchanges] = await Promise.all([
        client.sendSequence([numbered(1), numbered(2, { cuts: [2] }), numbered(3)], { pipelined }),
        client.send(numbered(9).request),
        client.send(numbered(9).request),
      ]);
      const places = bodies(exchanges).map((text) => text.split(' '));
      expect(places.map(([id]) => id)).toEqual(['1', '2', '3']);
      expect(new Set(places.map(([, connection]) => connection)).size).toBe(1);
      expect(places.map(([, , place]) => place)).toEqual(['1', '2', '3']);
      // Both slots at once: which of them was released last depends on the machine.
      const more = await Promise.all([4, 4].map((id) => client.sendSequence([numbered(id)], { pipelined })));
      expect(more.flatMap(bodies)).toContain(`4 ${places[0]?.[1]} 4`);
    });

    test('continue over a fresh connection if the store closes theirs, and the request in flight is sent again', async () => {
      const server = await raw((request, socket, { connection, onConnection }) => {
        if (connection === 1 && onConnection === 2) socket.destroy();
        else socket.write(answer(`${ids([request])[0]} ${connection}`));
      });
      const client = wireTo(server.url);
      const exchanges = await client.sendSequence(
        [1, 2, 3].map((id) => numbered(id)),
        { pipelined },
      );
      // A request that is sent again has a connection of its own.
      expect(bodies(exchanges)).toEqual(['1 1', '2 2', pipelined ? '3 3' : '3 2']);
      expect(ids(server.seen).slice(0, 2)).toEqual([1, 2]);
      expect(ids(server.seen).slice(-2)).toEqual([2, 3]);
    });

    test('continue over a fresh connection if the store announces the close', async () => {
      const server = await raw((request, socket, { connection, onConnection }) => {
        if (connection === 1 && onConnection > 1) return;
        const text = answer(`${ids([request])[0]} ${connection}`);
        if (connection === 1) socket.end(text.replace('OK', 'OK\r\nConnection: close'));
        else socket.write(text);
      });
      const client = wireTo(server.url);
      const exchanges = await client.sendSequence(
        [1, 2, 3].map((id) => numbered(id)),
        { pipelined },
      );
      // A request that is sent again has a connection of its own.
      expect(bodies(exchanges)).toEqual(['1 1', '2 2', pipelined ? '3 3' : '3 2']);
    });

    test('continue over a fresh connection after one with Connection: close, even if the store keeps it open', async () => {
      const server = await raw((request, socket, { connection }) => {
        socket.write(answer(`${ids([request])[0]} ${connection}`));
      });
      const client = wireTo(server.url);
      const closing = repeatable({ ...numbered(2).request, headers: [['Connection', 'close']] });
      const exchanges = await client.sendSequence([numbered(1), closing, numbered(3)], { pipelined });
      expect(bodies(exchanges)).toEqual(['1 1', '2 1', '3 2']);
    });

    test('that abort end the connection, and the next uses a fresh one', async () => {
      const server = await raw((request, socket, { connection }) => {
        socket.write(answer(`${ids([request])[0]} ${connection}`));
      });
      const client = wireTo(server.url);
      const requests = [numbered(1), numbered(2, { abortAfter: 3 }), numbered(3), numbered(4)];
      const [first, second, ...others] = await client.sendSequence(requests, { pipelined });
      expect(second && faultIn(second)).toBe('aborted');
      expect(bodies([first ?? raise(), ...others])).toEqual(['1 1', '3 2', '4 2']);
      expect(ids(server.seen)).toEqual([1, 3, 4]);
    });

    test('are sent again if the response to HEAD before them had a body', async () => {
      const server = await raw((request, socket, { connection }) => {
        if (request.startsWith('HEAD')) {
          socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n');
          setTimeout(() => socket.write('no'), 5);
        } else setTimeout(() => socket.write(answer(`${connection}`)), 10);
      });
      const head = repeatable({ ...numbered(1).request, method: 'HEAD', body: undefined });
      const [, second] = await wireTo(server.url).sendSequence([head, numbered(2)], { pipelined });
      expect(second && bodies([second])).toEqual(['2']);
    });

    test('without a response are not sent a third time', async () => {
      const server = await raw((_request, socket) => socket.destroy());
      const client = wireTo(server.url);
      const exchanges = await client.sendSequence([numbered(1), numbered(2)], { pipelined });
      expect(exchanges.map(faultIn)).toEqual(['closed', 'closed']);
      expect(server.seen.length).toBeLessThanOrEqual(4);
    });

    test('are abandoned when the client is closed', async () => {
      const server = await raw(() => {});
      const client = wireTo(server.url);
      const sent = client.sendSequence([numbered(1), numbered(2)], { pipelined });
      setTimeout(() => void client.close(), 30);
      expect((await sent).map(({ kind }) => kind)).toEqual(['broken', 'broken']);
      expect(ids(server.seen)).toEqual(pipelined ? [1, 2] : [1]);
    });
  });

  test.each([
    ['at once', 0],
    ['a moment later', 5],
  ])('are answered by a further response that nobody asked for and that arrives %s', async (_when, ms) => {
    const server = await raw((request, socket) => {
      socket.write(answer(`${ids([request])[0]}`) + (ms === 0 ? answer('unasked') : ''));
      if (ms > 0) setTimeout(() => socket.end(answer('unasked')), ms);
    });
    const client = wireTo(server.url);
    const [first, ...others] = await client.sendSequence([numbered(1)]);
    expect([first, ...others].map((one) => one && bodies([one])[0])).toEqual(['1']);
    // Not for one that belongs to no sequence.
    await new Promise((resolve) => setTimeout(resolve, 4 * ms));
    expect(textOf(responseTo(await client.send(numbered(2, { cuts: [2] }).request)))).toBe('2');
    const slow = numbered(4, { headFirst: true, pauseMs: 4 * ms });
    const sequence = ms === 0 ? [numbered(3), numbered(4)] : [numbered(3), slow];
    expect(bodies(await client.sendSequence(sequence))).toEqual(['3', 'unasked']);
  });

  test.each(['HTTP/1.1 400 Bad', 'HTTP/1.1 102 Processing\r\n\r\n', '\r\n'])(
    'go over a fresh connection after %j that nobody asked for',
    async (bytes) => {
      const server = await raw((request, socket, { connection }) => {
        socket.write(answer(`${ids([request])[0]} ${connection}`) + bytes);
      });
      const exchanges = await wireTo(server.url).sendSequence([numbered(1), numbered(2)]);
      expect(bodies(exchanges)).toEqual(['1 1', '2 2']);
    },
  );

  test('pipelined are all sent before the first response, however the responses arrive', async () => {
    const answers = [
      answer('one'),
      'HTTP/1.1 204 No Content\r\n\r\n',
      `HTTP/1.1 103 Early Hints\r\n\r\n${chunked('3\r\ntwo\r\n0\r\n\r\n')}`,
      answer('three'),
    ].join('');
    const expected = ['one', '', 'two', 'three'];
    for (const at of [answers.length, 1, 50, 90, 120, answers.length - 1]) {
      const server = await reading((read, socket) => {
        if (ids(readText(read).match(/\{"id":\d\}/g) ?? []).length < 4) return;
        socket.setNoDelay(true);
        socket.write(answers.slice(0, at));
        setTimeout(() => socket.write(answers.slice(at)), 5);
      });
      const client = wireTo(server.url);
      const requests = [1, 2, 3, 4].map((id) => numbered(id));
      const exchanges = await client.sendSequence(requests, { pipelined: true });
      expect(bodies(exchanges), `${at}`).toEqual(expected);
      expect(exchanges[2]?.interim).toEqual([103]);
      expect(server.reads.map(({ pieces }) => pieces.length)).toEqual([1]);
    }
  });

  test('leave no other connection open if theirs has to stay open', async () => {
    const open = new Set<Socket>();
    const server = createHttpServer((request, response) => {
      request.resume();
      response.end('{}');
    });
    server.on('connection', (socket) => {
      open.add(socket);
      socket.once('close', () => open.delete(socket));
    });
    const client = wireTo(await listening(server));
    await client.send(numbered(1).request);
    expect(open.size).toBe(1);
    const [exchange] = await client.whileOpen(numbered(2).request, () =>
      expect.poll(() => open.size).toBe(1),
    );
    expect(exchange.response?.status).toBe(200);
    await expect.poll(() => open.size).toBe(0);
  });

  test('are no longer pipelined to a store that misplaces interim responses, as Node does', async () => {
    const inFlight: number[] = [];
    let open = 0;
    const url = await listening(
      createHttpServer((request, response) => {
        open += 1;
        inFlight.push(open);
        request.resume();
        const isFirst = inFlight.length % 2 === 1;
        setTimeout(
          () => {
            open -= 1;
            response.writeEarlyHints({ link: '</style.css>; rel=preload' });
            response.end(Buffer.from('{"name":"Aloe"}'));
          },
          isFirst ? 30 : 0,
        );
      }),
    );
    const client = wireTo(url);
    const sequence = () => client.sendSequence([numbered(1), numbered(2)], { pipelined: true });
    expect(bodies(await sequence())).toEqual(['{"name":"Aloe"}', '{"name":"Aloe"}']);
    expect(inFlight.splice(0)).toEqual([1, 2, 1]);
    expect(bodies(await sequence())).toEqual(['{"name":"Aloe"}', '{"name":"Aloe"}']);
    expect(inFlight).toEqual([1, 1]);
  });

  test('pipelined without any response are sent again one at a time', async () => {
    const server = await reading((read, socket) => {
      const [only = '', ...others] = readText(read).match(/\{"id":\d\}/g) ?? [];
      if (others.length === 0) socket.write(answer(only));
    });
    const client = wireTo(server.url, { timeout: 200 });
    const exchanges = await client.sendSequence([numbered(1), numbered(2)], { pipelined: true });
    expect(bodies(exchanges)).toEqual(['{"id":1}', '{"id":2}']);
  });

  test.each([
    ['text/html', 200],
    ['application/json', 400],
  ])('pipelined and answered 400 as %s: then the last one is answered %i', async (mediaType, status) => {
    const server = await reading((read, socket) => {
      const [only = '', ...others] = readText(read).match(/\{"id":\d\}/g) ?? [];
      const wrong = `HTTP/1.1 400 Bad\r\nContent-Type: ${mediaType}\r\nContent-Length: 2\r\n\r\n{}`;
      socket.write(others.length === 0 ? answer(only) : `${answer(only)}${wrong}`);
    });
    const client = wireTo(server.url, { timeout: 200 });
    const exchanges = await client.sendSequence([numbered(1), numbered(2)], { pipelined: true });
    expect(exchanges.map(({ response }) => response?.status)).toEqual([200, status]);
  });
});
