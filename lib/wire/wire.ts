import { ABANDONED, type Connection } from './connection.ts';
import type { Endpoint } from './endpoint.ts';
import type { Exchange, HeaderPair, Request } from './exchange.ts';
import { SocketConnection, takesHandshake } from './socket.ts';
import { UndiciConnection } from './undici-connection.ts';

interface Lane {
  connection: Connection;
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
      if (!(lane.connection instanceof this.kind)) this.renew(lane);
      const exchange = await this.sendOn(lane, draft);
      if (!isClosedUnder(exchange) || this.closed) return exchange;
      this.closedUnderRequests += 1;
      this.renew(lane);
      const second = await this.sendOn(lane, again());
      // That nothing listens any more is what became of it; that the connection was closed is what the request met.
      return second.kind === 'broken' && second.fault.kind === 'refused' && exchange.kind === 'broken'
        ? { ...second, fault: exchange.fault }
        : second;
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
    await Promise.all(this.lanes.map(({ connection }) => connection.close()));
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
    const lane = { connection: new this.kind(this.endpoint) };
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
  exchange.response?.status === 408 ||
  (exchange.kind === 'broken' && exchange.fault.kind === 'closed' && exchange.response === undefined);

/** The request with the path of the base URL and the headers of its framing. */
function framed({ authority, prefix }: Endpoint, request: Request): Request {
  const { headers, body, method } = request;
  // undici makes no chunks of nothing.
  const framing = body === undefined || body.length === 0 ? 'length' : request.framing;
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
      ...(request.verbatim === undefined ? [] : [['connection', 'close'] as const]),
    ],
  };
}
