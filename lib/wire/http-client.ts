import { ABANDONED, type Connection } from './connection.ts';
import type { Endpoint } from './endpoint.ts';
import { type Exchange, type HeaderPair, isAborted, type Request } from './exchange.ts';
import { awaitsContinue, digits, endsConnection, hasHeader, TRAILER } from './segments.ts';
import { completesTlsHandshake, SocketConnection } from './socket.ts';
import { UndiciConnection } from './undici-connection.ts';

/** Counts as one towards the concurrency limit. */
interface Connections {
  connection: Connection;
  /**
   * Carries the requests that undici does not send as they are, while `connection` is an `UndiciConnection`.
   */
  own?: SocketConnection;
}

/** Milliseconds to wait for the response to raw bytes. Many stores do not answer malformed HTTP at all. */
const MAX_RAW_WAIT_MS = 3000;

/**
 * Sends requests over a bounded number of connections. Follows no redirect, decodes nothing, and sends a
 * request again only if its connection was closed before the response began.
 */
export class HttpClient {
  readonly endpoint: Endpoint;
  /** Connections that closed while a request was under way, which was then sent again. */
  closedUnderRequests = 0;
  private readonly connections: Connections[] = [];
  private readonly idle: Connections[] = [];
  private readonly waiting: ((connection: Connections) => void)[] = [];
  private limit: number;
  private timeout: number;
  private closed = false;
  private kind: new (endpoint: Endpoint) => Connection = UndiciConnection;

  constructor(endpoint: Endpoint, connections: number) {
    this.endpoint = endpoint;
    this.timeout = endpoint.timeout;
    this.limit = connections;
  }

  /**
   * Sends a request and waits for its outcome. Never rejects because of what a store does.
   * @param again makes the request to send the second time: the fresh values of the first may be used up
   */
  async send(template: Request, again: () => Request = () => template): Promise<Exchange> {
    const connection = await this.acquire();
    try {
      if (template.rawBytes !== undefined) return await this.sendRaw(connection, template);
      if (needsOwnWriter(template)) {
        const own = this.ownOf(connection);
        return await this.resent(await this.sendOver(own, template), async () => {
          await own.close();
          return this.sendOver(own, again());
        });
      }
      if (!(connection.connection instanceof this.kind)) this.renew(connection);
      if (this.limit === 1) void connection.own?.close();
      return await this.resent(await this.sendOn(connection, template), () => {
        this.renew(connection);
        return this.sendOn(connection, again());
      });
    } finally {
      this.release(connection);
    }
  }

  /**
   * Sends requests over one connection, each after the response to the previous one, with nothing else in
   * between. If the connection ends, the request under way is sent again and the rest follow over a fresh
   * connection.
   * @param pipelined sends the requests without waiting for responses, except those that wait for 100
   *   Continue, are aborted, or ask for a fresh connection
   */
  async sendSequence(
    requests: readonly (() => Request)[],
    { pipelined = false }: { readonly pipelined?: boolean } = {},
  ): Promise<readonly Exchange[]> {
    const connection = await this.acquire();
    try {
      const own = this.ownOf(connection);
      const exchanges: Exchange[] = [];
      const marked = (exchange: Exchange, isReused: boolean): Exchange =>
        isReused || exchanges.length === 0 ? exchange : { ...exchange, reconnected: true };
      for (const batch of batchesOf(requests, pipelined)) {
        const isReused = own.isOpen && batch[0]?.template.delivery?.freshConnection !== true;
        const sent = await this.sendAllOver(
          own,
          batch.map(({ template }) => template),
        );
        for (const [index, exchange] of sent.entries()) {
          const one = marked(exchange, isReused || index > 0);
          const again = async () => {
            // Never over a connection that has carried a response: this store may be about to close it.
            await own.close();
            return marked(await this.sendOver(own, batch[index]?.make() ?? exchange.request), false);
          };
          exchanges.push(await this.resent(one, again));
        }
      }
      return exchanges;
    } finally {
      this.release(connection);
    }
  }

  /** Sends all further requests over connections with our own writer and reader. */
  useRawSockets(): void {
    this.kind = SocketConnection;
  }

  /** Whether the server speaks TLS although the base URL says http://. */
  async speaksTls(): Promise<boolean> {
    return !this.endpoint.secure && (await completesTlsHandshake(this.endpoint));
  }

  /** Waits at most this long for all further responses. The time limit on connecting does not change. */
  shortenTimeout(timeout: number): void {
    this.timeout = Math.min(timeout, this.timeout);
  }

  /** How many requests may be under way at once. */
  get concurrencyLimit(): number {
    return this.limit;
  }

  /** Halves the concurrency limit, down to 1. */
  lowerConcurrency(): void {
    this.setConcurrencyLimit(Math.max(1, Math.floor(this.limit / 2)));
  }

  /** Changes the concurrency limit. Requests under way go on, and idle connections beyond the limit are closed. */
  setConcurrencyLimit(limit: number): void {
    this.limit = limit;
    for (let beyond = this.connections.length - limit; beyond > 0 && this.idle.length > 0; beyond -= 1) {
      const [connection] = this.idle.splice(0, 1);
      if (connection !== undefined) this.discard(connection);
    }
    while (this.busy < this.limit && this.waiting.length > 0)
      this.waiting.shift()?.(this.idle.pop() ?? this.opened());
  }

  private get busy(): number {
    return this.connections.length - this.idle.length;
  }

  /** Abandons the requests under way. Nothing is sent afterwards. */
  async close(): Promise<void> {
    this.closed = true;
    await Promise.all(this.connections.flatMap(({ connection, own }) => [connection.close(), own?.close()]));
  }

  private acquire(): Promise<Connections> {
    if (this.busy >= this.limit) return new Promise((resolve) => this.waiting.push(resolve));
    // The connection used last is the least likely to be closed, and its reuse reveals state that clings to
    // connections.
    const connection = this.idle.pop() ?? this.opened();
    return Promise.resolve(connection);
  }

  private release(connection: Connections): void {
    const next = this.busy <= this.limit ? this.waiting.shift() : undefined;
    if (next !== undefined) next(connection);
    else if (this.connections.length > this.limit) this.discard(connection);
    else this.idle.push(connection);
  }

  private discard(connection: Connections): void {
    this.connections.splice(this.connections.indexOf(connection), 1);
    void connection.connection.close();
    void connection.own?.close();
  }

  private opened(): Connections {
    const connection: Connections = { connection: new this.kind(this.endpoint) };
    this.connections.push(connection);
    return connection;
  }

  private renew(connection: Connections, kind = this.kind): void {
    void connection.connection.close();
    connection.connection = new kind(this.endpoint);
  }

  private async sendOn(
    connection: Connections,
    template: Request,
    timeout = this.timeout,
  ): Promise<Exchange> {
    const request = framed(this.endpoint, template);
    return this.closed ? abandoned(request) : await connection.connection.send(request, timeout);
  }

  /**
   * A connection with our own writer. If only one request is sent at a time, it replaces undici's connection.
   */
  private ownOf(connection: Connections): SocketConnection {
    if (connection.connection instanceof SocketConnection) return connection.connection;
    if (this.limit === 1) this.renew(connection);
    connection.own ??= new SocketConnection(this.endpoint);
    return connection.own;
  }

  private async sendAllOver(
    own: SocketConnection,
    templates: readonly Request[],
  ): Promise<readonly Exchange[]> {
    const requests = templates.map((template) => framed(this.endpoint, template));
    if (this.closed) return requests.map(abandoned);
    if (templates.some(({ delivery }) => delivery?.freshConnection)) await own.close();
    return own.sendAll(requests, this.timeout);
  }

  private async sendOver(own: SocketConnection, template: Request): Promise<Exchange> {
    const request = framed(this.endpoint, template);
    if (this.closed) return abandoned(request);
    if (template.delivery?.freshConnection === true) await own.close();
    return own.send(request, this.timeout);
  }

  /** The outcome of a request, which is sent again if its connection was closed under it. */
  private async resent(exchange: Exchange, again: () => Promise<Exchange>): Promise<Exchange> {
    if (!isClosedUnder(exchange) || this.closed) return exchange;
    this.closedUnderRequests += 1;
    const second = await again();
    // If nothing listens any more, the first fault says what happened to the request.
    return second.kind === 'broken' && second.fault.kind === 'refused' && exchange.kind === 'broken'
      ? { ...second, fault: exchange.fault }
      : second;
  }

  /** Raw bytes have a connection to themselves, since they may leave anything on it. */
  private async sendRaw(connection: Connections, template: Request): Promise<Exchange> {
    this.renew(connection, SocketConnection);
    const exchange = await this.sendOn(connection, template, Math.min(this.timeout, MAX_RAW_WAIT_MS));
    this.renew(connection);
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
 * Whether the connection was closed without a final response, or with 408, which a server sends on a
 * connection that was idle for too long (RFC 9110 section 15.5.9). Both may have crossed the request.
 */
const isClosedUnder = (exchange: Exchange) =>
  (exchange.response?.status === 408 && !isAborted(exchange)) ||
  (exchange.kind === 'broken' && exchange.fault.kind === 'closed' && exchange.response === undefined);

/** Headers that undici rewrites or does not send. */
const NOT_BY_UNDICI = ['connection', 'expect', 'host', 'keep-alive', 'upgrade'];

/**
 * undici gives up a chunked request whose connection is closed, although the response may have arrived: a store may
 * answer before it has read the body (RFC 9112 section 9.6).
 */
const needsOwnWriter = ({ delivery, framing, headers }: Request): boolean =>
  delivery !== undefined || framing === 'chunked' || NOT_BY_UNDICI.some((name) => hasHeader(headers, name));

interface Sequenced {
  readonly make: () => Request;
  readonly template: Request;
}

/**
 * Groups requests that are sent without waiting for responses in between. A request is made when its group is
 * formed.
 */
function* batchesOf(
  requests: readonly (() => Request)[],
  pipelined: boolean,
): Generator<readonly Sequenced[]> {
  let batch: Sequenced[] = [];
  for (const make of requests) {
    const template = make();
    const { expectContinue, abortAfter, freshConnection } = template.delivery ?? {};
    // After a request to upgrade, wait to learn whether the connection stays with this protocol.
    const isLast = endsConnection(template) || hasHeader(template.headers, 'upgrade');
    const isSeparate = !pipelined || expectContinue || abortAfter !== undefined || freshConnection || isLast;
    if (isSeparate && batch.length > 0) yield batch;
    if (isSeparate) {
      batch = [];
      yield [{ make, template }];
    } else batch.push({ make, template });
  }
  if (batch.length > 0) yield batch;
}

/** Adds the path of the base URL and the headers of framing to a request. */
function framed({ authority, prefix }: Endpoint, request: Request): Request {
  const { headers, body, method, delivery } = request;
  const framing = body === undefined ? 'length' : request.framing;
  const framings: HeaderPair[] = [];
  if (awaitsContinue(request)) framings.push(['expect', '100-continue']);
  if (framing === 'chunked') {
    if (delivery?.chunks === 'trailer') framings.push(['trailer', TRAILER]);
    framings.push(['transfer-encoding', 'chunked']);
  } else if (body !== undefined || method === 'POST')
    framings.push(['content-length', digits(String(body?.length ?? 0), delivery)]);
  if (request.rawBytes !== undefined) framings.push(['connection', 'close']);
  const all: HeaderPair[] = [
    ...(hasHeader(headers, 'host') ? [] : [['host', authority] as const]),
    ...headers,
    ...framings,
  ];
  return {
    ...request,
    framing,
    path: `${prefix}${request.path}`,
    headers: delivery?.headerOrder === undefined ? all : inOrder(all, delivery.headerOrder),
  };
}

/** Sorts headers by a list of names and takes over its letter case; headers not in the list come last. */
function inOrder(headers: readonly HeaderPair[], order: readonly string[]): HeaderPair[] {
  const left = [...headers];
  if (!hasHeader(headers, 'connection') && order.some((name) => name.toLowerCase() === 'connection'))
    left.push(['connection', 'keep-alive']);
  const named = order.flatMap((name) => {
    const at = left.findIndex(([own]) => own.toLowerCase() === name.toLowerCase());
    return left.splice(at, at < 0 ? 0 : 1).map(([, value]): HeaderPair => [name, value]);
  });
  return [...named, ...left];
}
