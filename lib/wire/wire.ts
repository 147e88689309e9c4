import { setMaxListeners } from 'node:events';
import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
// Not the index, which loads fetch, caches and mocks as well.
import Client from 'undici/lib/dispatcher/client.js';
import { Bytes } from './bytes.ts';
import { type Endpoint, HEAD_CAP, INTERIM_CAP } from './endpoint.ts';
import { type Exchange, type Fault, faultOf, type HeaderPair, type Request } from './exchange.ts';
import { ABANDONED, sendBySocket, takesHandshake } from './socket.ts';

/** One connection at a time, and how many there were. */
interface Lane {
  client: Client;
  connections: number;
}

/**
 * Sends requests over a bounded number of connections. Follows no redirect, decodes nothing, and sends a
 * request again in one case alone: the store had given up an idle connection when it arrived there.
 */
export class Wire {
  endpoint: Endpoint;
  private readonly lanes: Lane[] = [];
  private readonly idle: Lane[] = [];
  private readonly waiting: ((lane: Lane) => void)[] = [];
  private most: number;
  private readonly ending = new AbortController();
  private plain = false;

  constructor(endpoint: Endpoint, connections: number) {
    this.endpoint = endpoint;
    this.most = connections;
    // A listener for each request that is on its way.
    setMaxListeners(0, this.ending.signal);
  }

  /** Sends a request and waits for its end, whatever it is. Never rejects for what a store does. */
  async send(draft: Request): Promise<Exchange> {
    const alone = draft.verbatim !== undefined || this.plain;
    const request = framed(this.endpoint, draft, alone);
    if (this.closed) return abandoned(request);
    const lane = await this.take();
    try {
      if (alone) return await sendBySocket(this.endpoint, request, this.ending.signal);
      const before = lane.connections;
      const exchange = await this.sendOn(lane, request);
      const reused = lane.connections === before;
      if (reused && isStale(exchange) && !this.closed) {
        this.renew(lane);
        return await this.sendOn(lane, request);
      }
      return exchange;
    } finally {
      this.give(lane);
    }
  }

  /** From now on each request goes over a connection and a reader of our own. */
  speakPlainly(): void {
    this.plain = true;
  }

  /** Whether a server that closes connections without a word speaks TLS, where http:// was asked for. */
  async speaksTls(): Promise<boolean> {
    return !this.endpoint.secure && (await takesHandshake(this.endpoint));
  }

  /** From now on no answer is waited for longer than this. */
  hurry(timeout: number): void {
    this.endpoint = { ...this.endpoint, timeout: Math.min(timeout, this.endpoint.timeout) };
  }

  /** How many requests may be on their way at once. */
  get atOnce(): number {
    return this.most;
  }

  /** From now on half as many requests are on their way at once, and at least one. */
  narrow(): void {
    this.most = Math.max(1, Math.floor(this.most / 2));
  }

  private get busy(): number {
    return this.lanes.length - this.idle.length;
  }

  private get closed(): boolean {
    return this.ending.signal.aborted;
  }

  /** Gives up what is on its way. Nothing is sent after that. */
  async close(): Promise<void> {
    this.ending.abort();
    await Promise.all(this.lanes.map(({ client }) => client.destroy()));
  }

  private take(): Promise<Lane> {
    if (this.busy >= this.most) return new Promise((resolve) => this.waiting.push(resolve));
    // The lane that was used last: its connection is the warmest, and state that clings to one shows.
    const lane = this.idle.pop() ?? this.opened();
    return Promise.resolve(lane);
  }

  private give(lane: Lane): void {
    const next = this.busy <= this.most ? this.waiting.shift() : undefined;
    if (next === undefined) this.idle.push(lane);
    else next(lane);
  }

  private opened(): Lane {
    const lane = this.connected({ connections: 0 });
    this.lanes.push(lane);
    return lane;
  }

  private connected(lane: { connections: number }): Lane {
    const client = new Client(this.endpoint.origin, {
      pipelining: 1,
      // The clocks are ours: undici's know nothing of a body that drips.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: HEAD_CAP,
      connect: { ...this.endpoint.tls, timeout: this.endpoint.timeout },
    });
    const opened = Object.assign(lane, { client });
    client.on('connect', () => {
      opened.connections += 1;
    });
    return opened;
  }

  private renew(lane: Lane): void {
    void lane.client.destroy();
    this.connected(lane);
  }

  private async sendOn(lane: Lane, request: Request): Promise<Exchange> {
    if (this.closed) return abandoned(request);
    const exchange = await new Promise<Exchange>((resolve) => {
      lane.client.dispatch(
        {
          method: request.method as Dispatcher.HttpMethod,
          path: request.path,
          headers: withoutFraming(request.headers),
          body:
            request.framing === 'chunked' && request.body !== undefined
              ? chunks(request.body)
              : (request.body ?? null),
        },
        new Recorder(request, this.endpoint, resolve),
      );
    });
    // Whatever is left of a broken answer must not run into the next one.
    if (exchange.kind === 'broken' && !this.closed) this.renew(lane);
    return exchange;
  }
}

const abandoned = (request: Request): Exchange => ({
  request,
  ms: 0,
  interim: [],
  kind: 'broken',
  fault: ABANDONED,
  response: undefined,
});

/**
 * The connection was closed without a byte of an answer, or with 408: it crossed the request, and says of the
 * connection that it was idle for too long (RFC 9110 section 15.5.9).
 */
const isStale = (exchange: Exchange) =>
  exchange.response?.status === 408 ||
  (exchange.kind === 'broken' &&
    exchange.fault.kind === 'closed' &&
    exchange.response === undefined &&
    exchange.interim.length === 0);

/** The request with the path of the base URL and the headers of its framing. */
function framed({ authority, prefix }: Endpoint, request: Request, alone: boolean): Request {
  const { headers, body, method } = request;
  // A socket of its own is not worth chunks, and undici makes none of nothing.
  const framing = alone || body === undefined || body.length === 0 ? 'length' : request.framing;
  const framings: HeaderPair[] =
    framing === 'chunked'
      ? [['transfer-encoding', 'chunked']]
      : body !== undefined || method === 'POST'
        ? [['content-length', String(body?.length ?? 0)]]
        : [];
  return {
    ...request,
    framing,
    path: `${prefix}${request.path}`,
    headers: [
      ['host', authority],
      ...headers,
      ...framings,
      ...(alone ? [['connection', 'close'] as const] : []),
    ],
  };
}

function chunks(body: Uint8Array): Readable {
  const middle = Math.floor(body.length / 2);
  return Readable.from(
    [Buffer.from(body.subarray(0, middle)), Buffer.from(body.subarray(middle))].filter(
      (part) => part.length > 0,
    ),
  );
}

/** Names and values in turn; undici frames the body itself. */
function withoutFraming(headers: readonly HeaderPair[]): string[] {
  const flat: string[] = [];
  for (const [name, value] of headers)
    if (name !== 'content-length' && name !== 'transfer-encoding') flat.push(name, value);
  return flat;
}

/** Writes down what undici reports of one answer. */
class Recorder implements Dispatcher.DispatchHandler {
  private readonly request: Request;
  private readonly endpoint: Endpoint;
  private readonly resolve: (exchange: Exchange) => void;
  private readonly interim: number[] = [];
  private readonly body = new Bytes();
  private started = performance.now();
  private timer: NodeJS.Timeout | undefined;
  private head: { status: number; statusText: string; headers: readonly HeaderPair[] } | undefined;
  private ended = false;

  constructor(request: Request, endpoint: Endpoint, resolve: (exchange: Exchange) => void) {
    this.request = request;
    this.endpoint = endpoint;
    this.resolve = resolve;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.started = performance.now();
    this.timer = setTimeout(() => {
      const detail = `no ${this.head === undefined ? 'answer' : 'whole answer'} within ${this.endpoint.timeout} ms`;
      this.end({ kind: 'timeout', detail });
      controller.abort(new Error(detail));
    }, this.endpoint.timeout);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    _headers: unknown,
    statusText = '',
  ): void {
    if (status < 200) {
      if (this.interim.length < INTERIM_CAP) this.interim.push(status);
      return;
    }
    this.head = { status, statusText, headers: pairs(controller.rawHeaders) };
    if (status !== 304) return;
    // It ends with its head, whatever length it tells (RFC 9112 section 6.3); undici waits for a body.
    this.end();
    controller.abort(new Error('a 304 has no body'));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.body.add(chunk);
    if (this.body.length <= this.endpoint.cap) return;
    this.end();
    controller.abort(new Error('the answer is long enough'));
  }

  onResponseEnd(): void {
    this.end();
  }

  onResponseError(_controller: unknown, error: Error): void {
    const fault = faultOf(error);
    // Before there is a head, undici says this of any connection that it closed for what the head held.
    const misled = this.head === undefined && fault.detail.includes('UND_ERR_RES_CONTENT_LENGTH_MISMATCH');
    this.end(misled ? { kind: 'not-http', detail: 'bad answer: its header cannot be read' } : fault);
  }

  private end(fault?: Fault): void {
    if (this.ended) return;
    this.ended = true;
    clearTimeout(this.timer);
    const truncated = this.body.length > this.endpoint.cap || fault !== undefined;
    const body = this.body.first(this.endpoint.cap);
    const { request, interim, head } = this;
    const ms = performance.now() - this.started;
    const response =
      head === undefined
        ? undefined
        : { status: head.status, statusText: head.statusText, headers: head.headers, body, truncated };
    if (fault === undefined && response !== undefined)
      this.resolve({ kind: 'answered', request, ms, interim, response });
    else
      this.resolve({
        kind: 'broken',
        request,
        ms,
        interim,
        fault: fault ?? { kind: 'closed', detail: 'no answer' },
        response,
      });
  }
}

function pairs(raw: unknown): HeaderPair[] {
  const fields = (Array.isArray(raw) ? raw : []).map((field: unknown) =>
    Buffer.isBuffer(field) ? field.toString('latin1') : String(field),
  );
  const found: HeaderPair[] = [];
  for (let index = 0; index + 1 < fields.length; index += 2)
    found.push([fields[index] ?? '', (fields[index + 1] ?? '').trim()]);
  return found;
}
