import { IncomingMessage } from 'node:http';
import { type AddressInfo, createServer, type Server, Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import type { Outcome, RunOptions, Stop } from '../../index.ts';
import { Rejection, rightSteps } from '../../reference/store.ts';

/** A store that misbehaves, and the expected result. */
export interface Hostile {
  readonly name: string;
  /** What it does, in a few words. */
  readonly does: string;
  readonly start: (token: string) => Promise<Running>;
  readonly expected: {
    /** The outcome, or the possible ones if chance decides. */
    readonly outcome: Outcome | readonly Outcome[];
    readonly stop?: Stop['kind'];
    /** Checks that must fail, and checks that must not. */
    readonly fails?: readonly string[];
    readonly clears?: readonly string[];
    /** Text that must not be in the record, since it was never sent in a valid response. */
    readonly absent?: string;
  };
  readonly options?: Partial<RunOptions>;
}

export interface Running {
  readonly url: string;
  stop(): Promise<void>;
  /** Violations that the store observed, once the run is over. */
  readonly objections?: () => readonly string[];
  /** Options that only a running store can give. */
  readonly options?: Partial<RunOptions>;
}

/** A complete request as it arrived. */
export interface Asked {
  readonly head: string;
  readonly method: string;
  readonly path: string;
  readonly body: Buffer;
  header(name: string): string | undefined;
}

/** The response of a correct store. */
export interface Right {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** One request, and everything that a misbehaving store may depend on. */
export interface Meeting {
  readonly socket: Socket;
  readonly asked: Asked;
  readonly right: Right;
  /** Number of the request, from 1: in the store, and on its connection. */
  readonly nth: number;
  readonly onConnection: number;
  readonly token: string;
}

/** The end of the first request in some bytes, if complete; handles as much of RFC 9112 as the suite uses. */
function endOf(bytes: Buffer): { head: string; from: number; end: number } | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const head = bytes.toString('latin1', 0, headEnd);
  const from = headEnd + 4;
  if (/^transfer-encoding: *chunked/im.test(head)) {
    const last = /(?<=^|\n)0(?:;.*)?\r\n(?:.+\r\n)*\r\n/.exec(bytes.toString('latin1', from));
    return last === null ? undefined : { head, from, end: from + last.index + last[0].length };
  }
  const end = from + Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
  return bytes.length < end ? undefined : { head, from, end };
}

function unchunked(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    if (lineEnd < 0 || !(size > 0)) return Buffer.concat(parts);
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 4 + size;
  }
}

function askedIn(head: string, body: Buffer): Asked {
  const [method = '', path = ''] = head.split(/[ \r]/, 2);
  const header = (name: string) => new RegExp(`^${name}: *(.*?)\\r?$`, 'im').exec(head)?.[1];
  const chunked = /^transfer-encoding: *chunked/im.test(head);
  return { head, method, path, header, body: chunked ? unchunked(body) : body };
}

/** The response of the reference store, made without its server. */
function rightAnswer(token: string, { method, path, head, body }: Asked): Right {
  const headers: NodeJS.Dict<string[]> = {};
  for (const line of head.split('\r\n').slice(1)) {
    const name = line.slice(0, line.indexOf(':')).toLowerCase();
    headers[name] = [...(headers[name] ?? []), line.slice(line.indexOf(':') + 1).trim()];
  }
  const steps = rightSteps(token);
  const message = new IncomingMessage(new Socket());
  const request = { method, path: path.split('?')[0] ?? '', headers, body, message };
  const answer = (() => {
    try {
      steps.route(request);
      steps.authenticate(request);
      steps.negotiate(request);
      return steps.create(steps.validate(steps.parse(body, request), request), request);
    } catch (error) {
      return error instanceof Rejection ? steps.reject(error, request) : steps.fail(error, request);
    }
  })();
  const lines = Object.entries(answer.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  return { status: answer.status, headers: lines, body: Buffer.from(answer.body ?? '') };
}

/** The bytes of a response, with the given parts changed. */
export function answer(
  right: Right,
  {
    version = 'HTTP/1.1',
    line = `${version} ${right.status} Said`,
    drop = /^$/,
    add = [],
    body = right.body,
    length = Buffer.byteLength(body),
  }: {
    readonly version?: string;
    /** The complete status line. */
    readonly line?: string;
    /** Headers of the right response to omit. */
    readonly drop?: RegExp;
    readonly add?: readonly string[];
    readonly body?: Buffer | string;
    /** Value of Content-Length; `null` for none. */
    readonly length?: number | string | null;
  } = {},
): Buffer {
  const kept = right.headers.filter((header) => !drop.test(header));
  const framing = length === null ? [] : [`Content-Length: ${length}`];
  const head = [line, ...kept, ...framing, ...add, '', ''].join('\r\n');
  return Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body)]);
}

export const inChunks = (body: Buffer, size = 16, extension = ''): string => {
  const parts: string[] = [];
  for (let at = 0; at < body.length; at += size) {
    const part = body.subarray(at, at + size);
    parts.push(`${part.length.toString(16)}${extension}\r\n${part.toString('latin1')}\r\n`);
  }
  return parts.join('');
};

/** Head of a response with a chunked body. */
export const chunkedHead = (right: Right): Buffer =>
  answer(right, { length: null, add: ['Transfer-Encoding: chunked'], body: '' });

/** Listens on a port of 127.0.0.1. Stopping it ends every connection. */
export async function listening(
  server: Server,
  scheme = 'http',
): Promise<{ url: string; stop(): Promise<void> }> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if (!server.listening) resolve();
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** Calls `meet` with each complete request of a connection and the right response. */
export function serve(token: string, meet: (meeting: Meeting) => void): (socket: Socket) => void {
  let nth = 0;
  return (socket) => {
    let onConnection = 0;
    let pending = Buffer.alloc(0);
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      pending = Buffer.concat([pending, chunk]);
      for (let found = endOf(pending); found !== undefined; found = endOf(pending)) {
        const asked = askedIn(found.head, pending.subarray(found.from, found.end));
        pending = pending.subarray(found.end);
        nth += 1;
        onConnection += 1;
        meet({ socket, asked, right: rightAnswer(token, asked), nth, onConnection, token });
      }
    });
  };
}

/** A store on plain sockets that handles each request as given. */
export const meeting =
  (meet: (meeting: Meeting) => void): Hostile['start'] =>
  (token) =>
    listening(createServer({ allowHalfOpen: true }, serve(token, meet)));

/** A store that treats every connection alike, whatever is sent. */
export const connected =
  (greet: (socket: Socket) => void): Hostile['start'] =>
  () =>
    listening(
      createServer((socket) => {
        socket.on('error', () => {});
        greet(socket);
      }),
    );

/** A right store behind TLS. */
export const secured =
  (tls: TlsOptions, options: Partial<RunOptions> = {}, host = '127.0.0.1'): Hostile['start'] =>
  async (token) => {
    const server = createTlsServer(tls);
    server.on('tlsClientError', () => {});
    server.on(
      'secureConnection',
      serve(token, ({ socket, right }) => socket.write(answer(right))),
    );
    const running = await listening(server, 'https');
    return { ...running, url: running.url.replace('127.0.0.1', host), options };
  };

/** Writes until the socket closes, no faster than it is read, and slowly enough not to starve others. */
export function pour(socket: Socket, more: () => string | Buffer): void {
  const timer = setInterval(() => {
    if (!socket.writable) clearInterval(timer);
    else if (!socket.writableNeedDrain) socket.write(more());
  }, 5);
  socket.once('close', () => clearInterval(timer));
}

/** Writes a block `times` times, endlessly by default, as fast as it is read. */
export function flood(socket: Socket, block: Buffer, times = Number.POSITIVE_INFINITY): void {
  let left = times;
  const go = () => {
    for (let goesOn = true; goesOn && left > 0 && socket.writable; left -= 1) goesOn = socket.write(block);
  };
  socket.on('drain', go);
  go();
}

/** Writes a little every few milliseconds, endlessly. */
export function drip(socket: Socket, drop: string, every = 50): void {
  const timer = setInterval(() => socket.write(drop), every);
  socket.once('close', () => clearInterval(timer));
}

export const json = (value: string | Buffer): { readonly body: Buffer } => ({ body: Buffer.from(value) });
