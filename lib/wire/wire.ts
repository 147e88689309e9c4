import { ABANDONED, type Connection } from './connection.ts';
import type { Endpoint } from './endpoint.ts';
import { type Exchange, type HeaderPair, isAborted, type Request } from './exchange.ts';
import { awaitsContinue, digits, endsConnection, holds, TRAILER } from './segments.ts';
import { SocketConnection, takesHandshake } from './socket.ts';
import { UndiciConnection } from './undici-connection.ts';

interface Lane {
  connection: Connection;
  /** What carries the requests that undici does not send as they are, while `connection` is undici's. */
  own?: SocketConnection;
}

/** Milliseconds that the answer to raw bytes is waited for: many stores leave broken HTTP without one. */
const MAX_RAW_WAIT_MS = 3000;

/**
 * Sends requests over a bounded number of connections. Follows no redirect, decodes nothing, and sends a
 * request again in one case alone: its connection was closed before the answer began.
 */
export class Wire {
  readonly endpoint: Endpoint;
  /** Connections that were closed while a request was on its way, where it was sent once more. */
  closedUnderRequests = 0;
  private readonly lanes: Lane[] = [];
  private readonly idle: Lane[] = [];
  private readonly waiting: ((lane: Lane) => void)[] = [];
  private most: number;
  private timeout: number;
  private closed = false;
  private kind: new (endpoint: Endpoint) => Connection = UndiciConnection;

  constructor(endpoint: Endpoint, connections: number) {
    this.endpoint = endpoint;
    this.timeout = endpoint.timeout;
    this.most = connections;
  }

  /**
   * Sends a request and waits for its end, whatever it is. Never rejects for what a store does.
   * @param again what to send where it is sent once more: what must be new may have been used up
   */
  async send(draft: Request, again: () => Request = () => draft): Promise<Exchange> {
    const lane = await this.take();
    try {
      if (draft.verbatim !== undefined) return await this.sendRaw(lane, draft);
      if (needsOwnWriter(draft)) {
        const own = this.ownOf(lane);
        return await this.resent(await this.sendOver(own, draft), async () => {
          await own.close();
          return this.sendOver(own, again());
        });
      }
      if (!(lane.connection instanceof this.kind)) this.renew(lane);
      if (this.most === 1) void lane.own?.close();
      return await this.resent(await this.sendOn(lane, draft), () => {
        this.renew(lane);
        return this.sendOn(lane, again());
      });
    } finally {
      this.give(lane);
    }
  }

  /**
   * Sends requests over one connection, each after the answer to the one before it, and nothing else in between. What the
   * connection ended before goes over a fresh one, and what was on its way is sent once more.
   * @param pipelined sends them without waiting for answers; one that waits for 100 Continue, is aborted, or asks for a
   *   fresh connection goes by itself
   */
  async sendInTurn(
    requests: readonly (() => Request)[],
    { pipelined = false }: { readonly pipelined?: boolean } = {},
  ): Promise<readonly Exchange[]> {
    const lane = await this.take();
    try {
      const own = this.ownOf(lane);
      const exchanges: Exchange[] = [];
      const noted = (exchange: Exchange, isOnward: boolean): Exchange =>
        isOnward || exchanges.length === 0 ? exchange : { ...exchange, reconnected: true };
      for (const batch of batchesOf(requests, pipelined)) {
        const isOnward = own.isOpen && batch[0]?.draft.delivery?.freshConnection !== true;
        const sent = await this.sendAllOver(
          own,
          batch.map(({ draft }) => draft),
        );
        for (const [index, exchange] of sent.entries()) {
          const one = noted(exchange, isOnward || index > 0);
          const again = async () => {
            // Never over one that has carried an answer: this store may be about to close it.
            await own.close();
            return noted(await this.sendOver(own, batch[index]?.make() ?? exchange.request), false);
          };
          exchanges.push(await this.resent(one, again));
        }
      }
      return exchanges;
    } finally {
      this.give(lane);
    }
  }

  /** From now on each request goes over connections with a writer and a reader of our own. */
  speakPlainly(): void {
    this.kind = SocketConnection;
  }

  /** Whether a server that closes connections without a word speaks TLS, where http:// was asked for. */
  async speaksTls(): Promise<boolean> {
    return !this.endpoint.secure && (await takesHandshake(this.endpoint));
  }

  /** From now on no answer is waited for longer than this. To connect may take as long as before. */
  hurry(timeout: number): void {
    this.timeout = Math.min(timeout, this.timeout);
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

  /** Gives up what is on its way. Nothing is sent after that. */
  async close(): Promise<void> {
    this.closed = true;
    await Promise.all(this.lanes.flatMap(({ connection, own }) => [connection.close(), own?.close()]));
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
    const lane: Lane = { connection: new this.kind(this.endpoint) };
    this.lanes.push(lane);
    return lane;
  }

  private renew(lane: Lane, kind = this.kind): void {
    void lane.connection.close();
    lane.connection = new kind(this.endpoint);
  }

  private async sendOn(lane: Lane, draft: Request, timeout = this.timeout): Promise<Exchange> {
    const request = framed(this.endpoint, draft);
    return this.closed ? abandoned(request) : await lane.connection.send(request, timeout);
  }

  /** A connection with a writer of our own. Where one request is sent at a time, there is one connection in all. */
  private ownOf(lane: Lane): SocketConnection {
    if (lane.connection instanceof SocketConnection) return lane.connection;
    if (this.most === 1) this.renew(lane);
    lane.own ??= new SocketConnection(this.endpoint);
    return lane.own;
  }

  private async sendAllOver(own: SocketConnection, drafts: readonly Request[]): Promise<readonly Exchange[]> {
    const requests = drafts.map((draft) => framed(this.endpoint, draft));
    if (this.closed) return requests.map(abandoned);
    if (drafts.some(({ delivery }) => delivery?.freshConnection)) await own.close();
    return own.sendAll(requests, this.timeout);
  }

  private async sendOver(own: SocketConnection, draft: Request): Promise<Exchange> {
    const request = framed(this.endpoint, draft);
    if (this.closed) return abandoned(request);
    if (draft.delivery?.freshConnection === true) await own.close();
    return own.send(request, this.timeout);
  }

  /** What became of a request that is sent once more where its connection was closed under it. */
  private async resent(exchange: Exchange, again: () => Promise<Exchange>): Promise<Exchange> {
    if (!isClosedUnder(exchange) || this.closed) return exchange;
    this.closedUnderRequests += 1;
    const second = await again();
    // That nothing listens any more is what became of it; that the connection was closed is what the request met.
    return second.kind === 'broken' && second.fault.kind === 'refused' && exchange.kind === 'broken'
      ? { ...second, fault: exchange.fault }
      : second;
  }

  /** Raw bytes have a connection to themselves: what is left on it may be anything. */
  private async sendRaw(lane: Lane, draft: Request): Promise<Exchange> {
    this.renew(lane, SocketConnection);
    const exchange = await this.sendOn(lane, draft, Math.min(this.timeout, MAX_RAW_WAIT_MS));
    this.renew(lane);
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
 * The connection was closed without a final answer, or with 408, which says of a connection that it was idle for too
 * long (RFC 9110 section 15.5.9): both may have crossed the request.
 */
const isClosedUnder = (exchange: Exchange) =>
  (exchange.response?.status === 408 && !isAborted(exchange)) ||
  (exchange.kind === 'broken' && exchange.fault.kind === 'closed' && exchange.response === undefined);

/** Headers that undici writes in its own way, or not at all. */
const NOT_BY_UNDICI = ['connection', 'expect', 'host', 'keep-alive', 'upgrade'];

const needsOwnWriter = ({ delivery, headers }: Request): boolean =>
  delivery !== undefined || NOT_BY_UNDICI.some((name) => holds(headers, name));

interface InTurn {
  readonly make: () => Request;
  readonly draft: Request;
}

/** The requests that are sent without waiting for answers in between; each is made when its turn comes. */
function* batchesOf(requests: readonly (() => Request)[], pipelined: boolean): Generator<readonly InTurn[]> {
  let batch: InTurn[] = [];
  for (const make of requests) {
    const draft = make();
    const { expectContinue, abortAfter, freshConnection } = draft.delivery ?? {};
    // Nothing goes out before it is known that it stays with this protocol.
    const isLast = endsConnection(draft) || holds(draft.headers, 'upgrade');
    const isAlone = !pipelined || expectContinue || abortAfter !== undefined || freshConnection || isLast;
    if (isAlone && batch.length > 0) yield batch;
    if (isAlone) {
      batch = [];
      yield [{ make, draft }];
    } else batch.push({ make, draft });
  }
  if (batch.length > 0) yield batch;
}

/** The request with the path of the base URL and the headers of its framing. */
function framed({ authority, prefix }: Endpoint, request: Request): Request {
  const { headers, body, method, delivery } = request;
  // undici makes no chunks of nothing.
  const framing = body === undefined || body.length === 0 ? 'length' : request.framing;
  const framings: HeaderPair[] = [];
  if (awaitsContinue(request)) framings.push(['expect', '100-continue']);
  if (framing === 'chunked') {
    if (delivery?.chunks === 'trailer') framings.push(['trailer', TRAILER]);
    framings.push(['transfer-encoding', 'chunked']);
  } else if (body !== undefined || method === 'POST')
    framings.push(['content-length', digits(String(body?.length ?? 0), delivery)]);
  if (request.verbatim !== undefined) framings.push(['connection', 'close']);
  const all: HeaderPair[] = [
    ...(holds(headers, 'host') ? [] : [['host', authority] as const]),
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

/** Headers in an order of names, each in the letter case of its name there; the others after them. */
function inOrder(headers: readonly HeaderPair[], order: readonly string[]): HeaderPair[] {
  const left = [...headers];
  if (!holds(headers, 'connection') && order.some((name) => name.toLowerCase() === 'connection'))
    left.push(['connection', 'keep-alive']);
  const named = order.flatMap((name) => {
    const at = left.findIndex(([own]) => own.toLowerCase() === name.toLowerCase());
    return left.splice(at, at < 0 ? 0 : 1).map(([, value]): HeaderPair => [name, value]);
  });
  return [...named, ...left];
}
