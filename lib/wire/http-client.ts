import { setTimeout as sleep } from 'node:timers/promises';
import { ABANDONED, type Connection, type ResponseLimits } from './connection.ts';
import type { Endpoint } from './endpoint.ts';
import { type Exchange, failedBy, type HeaderPair, isAborted, type Request } from './exchange.ts';
import { closesConnection, hasHeader, headerValue } from './headers.ts';
import { LargeBodies } from './large-bodies.ts';
import { awaitsContinue, CONTINUE_WAIT_MS, endsConnection, LEADING_ZEROS, TRAILER } from './segments.ts';
import { refusesConnections, SocketConnection } from './socket.ts';
import { UndiciConnection } from './undici-connection.ts';

/** Limit on the total size of the response bodies in flight, if all are of average length. */
const MAX_IN_FLIGHT_BYTES = 8 * 1024 * 1024;

/** Carries one request at a time, so the number of slots limits concurrency. */
interface Slot {
  main: Connection;
  /** Carries the requests that undici would change or cannot send, if `main` is an `UndiciConnection`. */
  rawSocket?: SocketConnection;
}

/** Maximum wait for the response to raw bytes. Many stores do not answer malformed HTTP at all. */
const MAX_RAW_WAIT_MS = 3000;

/** Milliseconds within which a store that serves one request at a time should notice an abort. */
const ABORT_NOTICED_MS = 20;

export interface RepeatableRequest {
  readonly request: Request;
  /** Makes the request for a second attempt, since the fresh values of the first may be used up. */
  readonly again: () => Request;
}

/**
 * Does not follow redirects or decode content. Repeats a request only if its connection closed too early, or
 * if undici or pipelining may be why it failed.
 */
export class HttpClient {
  readonly endpoint: Endpoint;
  /** Number of connections that closed during a request, which was then sent again. */
  closedMidRequest = 0;
  private readonly slots: Slot[] = [];
  private readonly idle: Slot[] = [];
  private readonly waiting: ((slot: Slot) => void)[] = [];
  private maxConcurrency: number;
  private responseLimits: ResponseLimits;
  private closed = false;
  /** Number of requests with pauses whose connection was closed in every try. */
  private delayedInVain = 0;
  /** Whether our own reader may read what undici cannot. */
  private canFallBack = true;
  /** Whether the server reads pipelined requests and sends each response in one piece. */
  private canPipeline = true;
  private kind: new (endpoint: Endpoint) => Connection = UndiciConnection;

  constructor(endpoint: Endpoint, connections: number) {
    this.endpoint = endpoint;
    this.responseLimits = {
      timeout: endpoint.timeout,
      maxBodyBytes: endpoint.maxBodyBytes,
      continueWait: CONTINUE_WAIT_MS,
      largeBodies: new LargeBodies(),
    };
    this.maxConcurrency = connections;
  }

  /**
   * Never rejects, whatever the store does.
   * @param again makes the request for a second attempt, since the fresh values of the first may be used up
   */
  async send(request: Request, again: () => Request = () => request): Promise<Exchange> {
    const slot = await this.acquire();
    try {
      if (request.rawBytes !== undefined) return await this.sendRaw(slot, request);
      if (needsRawSocket(request)) {
        const rawSocket = this.rawSocketOf(slot);
        const anew = async () => {
          await rawSocket.close();
          return this.sendOn(rawSocket, again());
        };
        const exchange = await this.retriedIfClosed(await this.sendOn(rawSocket, request), anew);
        if (this.maxConcurrency === 1 && isAborted(exchange)) await sleep(ABORT_NOTICED_MS);
        return exchange;
      }
      if (!(slot.main instanceof this.kind)) this.renew(slot);
      if (this.maxConcurrency === 1) void slot.rawSocket?.close();
      const anew = () => {
        this.renew(slot);
        return this.sendOn(slot.main, again());
      };
      const exchange = await this.retriedIfClosed(await this.sendOn(slot.main, request), anew);
      // What other requests found may have changed `kind` since this one was sent.
      const isReadByUs = slot.main instanceof SocketConnection;
      if (isReadByUs || !this.canFallBack || !isUnreadable(exchange)) return exchange;
      return await this.retryWithOwnReader(slot, exchange, again());
    } finally {
      this.release(slot);
    }
  }

  async closeIdle(): Promise<void> {
    await Promise.all(
      this.idle.map(async (slot) => {
        this.renew(slot);
        await slot.rawSocket?.close();
      }),
    );
  }

  /** Sends a request over a connection of its own, and keeps only that one open during `work`. */
  async whileOpen<T>(request: Request, work: () => Promise<T>): Promise<readonly [Exchange, T]> {
    await this.closeIdle();
    const connection = new SocketConnection(this.endpoint);
    try {
      const exchange = await this.sendOn(connection, request);
      return [exchange, await work()];
    } finally {
      await connection.close();
    }
  }

  /**
   * Sends requests over one connection, one after the other. Sends a request again
   * - if the connection ends;
   * - if it was pipelined, and was not read, or its response was cut short or mixed with an interim one;
   * - if it follows a HEAD whose response had a body (RFC 9110 section 9.3.2 forbids it; we do not judge it).
   * @param pipelined does not wait for responses, unless a request waits for 100 Continue or is aborted
   */
  async sendSequence(
    requests: readonly RepeatableRequest[],
    { pipelined = false }: { readonly pipelined?: boolean } = {},
  ): Promise<readonly Exchange[]> {
    const slot = await this.acquire();
    try {
      const rawSocket = this.rawSocketOf(slot);
      const exchanges: Exchange[] = [];
      for (const batch of batchesOf(requests, pipelined && this.canPipeline)) {
        const sent = await this.sendAllOn(
          rawSocket,
          batch.map(({ request }) => request),
          exchanges.length > 0,
        );
        for (const [index, exchange] of sent.entries()) {
          const again = async () => {
            // Never over a connection that has carried a response: this store may be about to close it.
            await rawSocket.close();
            return this.sendOn(rawSocket, batch[index]?.again() ?? exchange.request);
          };
          const isLost =
            index > 0
              ? beginsWithInterim(exchange) || isUnread(exchange)
              : sent.length > 1 && failedBy(exchange, 'timeout');
          if (isLost) this.canPipeline = false;
          const previous = exchanges.at(-1);
          const isGarbled = previous?.request.method === 'HEAD' && failedBy(exchange, 'not-http');
          // A reset after a later response discards the end of the earlier responses.
          const isCut = sent.length > 1 && isClosed(exchange);
          exchanges.push(
            isLost || isGarbled ? await again() : await this.retriedIfClosed(exchange, again, isCut),
          );
        }
      }
      return exchanges;
    } finally {
      this.release(slot);
    }
  }

  useRawSockets(): void {
    this.kind = SocketConnection;
  }

  /** Lowers a limit on further responses. The time limit on connecting does not change. */
  lowerLimit(name: Exclude<keyof ResponseLimits, 'largeBodies'>, to: number): void {
    this.responseLimits = { ...this.responseLimits, [name]: Math.min(to, this.responseLimits[name]) };
  }

  get concurrencyLimit(): number {
    return this.maxConcurrency;
  }

  /** Lowers the concurrency limit so that response bodies of this size fit into a fixed amount of memory. */
  lowerConcurrencyFor(bodyBytes: number): void {
    const fitting = Math.max(1, Math.floor(MAX_IN_FLIGHT_BYTES / Math.max(1, bodyBytes)));
    if (fitting < this.maxConcurrency) this.setConcurrencyLimit(fitting);
  }

  /** Requests in flight continue; idle connections beyond the limit are closed. */
  setConcurrencyLimit(limit: number): void {
    this.maxConcurrency = limit;
    for (const slot of this.idle.splice(0, Math.max(0, this.slots.length - limit))) this.discard(slot);
    while (this.busy < this.maxConcurrency && this.waiting.length > 0)
      this.waiting.shift()?.(this.idle.pop() ?? this.openSlot());
  }

  private get busy(): number {
    return this.slots.length - this.idle.length;
  }

  /** Abandons the requests in flight. Nothing is sent afterwards. */
  async close(): Promise<void> {
    this.closed = true;
    await Promise.all(this.slots.flatMap(({ main, rawSocket }) => [main.close(), rawSocket?.close()]));
  }

  private acquire(): Promise<Slot> {
    if (this.busy >= this.maxConcurrency) return new Promise((resolve) => this.waiting.push(resolve));
    // The most recently used connection is the least likely to be closed, and reusing it reveals state that
    // the store keeps for a connection.
    return Promise.resolve(this.idle.pop() ?? this.openSlot());
  }

  private release(slot: Slot): void {
    const next = this.busy <= this.maxConcurrency ? this.waiting.shift() : undefined;
    if (next !== undefined) next(slot);
    else if (this.slots.length > this.maxConcurrency) this.discard(slot);
    else this.idle.push(slot);
  }

  private discard(slot: Slot): void {
    this.slots.splice(this.slots.indexOf(slot), 1);
    void slot.main.close();
    void slot.rawSocket?.close();
  }

  private openSlot(): Slot {
    const slot: Slot = { main: new this.kind(this.endpoint) };
    this.slots.push(slot);
    return slot;
  }

  private renew(slot: Slot, kind = this.kind): void {
    void slot.main.close();
    slot.main = new kind(this.endpoint);
  }

  private async sendOn(
    connection: Connection,
    request: Request,
    limits = this.responseLimits,
  ): Promise<Exchange> {
    const framedRequest = addFraming(this.endpoint, request);
    if (this.closed) return abandoned(framedRequest);
    if (request.delivery?.freshConnection === true) await connection.close();
    return connection.send(framedRequest, limits);
  }

  /** The raw socket of a slot. With a concurrency limit of 1, it replaces undici's connection. */
  private rawSocketOf(slot: Slot): SocketConnection {
    if (slot.main instanceof SocketConnection) return slot.main;
    if (this.maxConcurrency === 1) this.renew(slot);
    slot.rawSocket ??= new SocketConnection(this.endpoint);
    return slot.rawSocket;
  }

  private async sendAllOn(
    rawSocket: SocketConnection,
    requests: readonly Request[],
    areNext: boolean,
  ): Promise<readonly Exchange[]> {
    const framedRequests = requests.map((request) => addFraming(this.endpoint, request));
    if (this.closed) return framedRequests.map(abandoned);
    if (requests.some(({ delivery }) => delivery?.freshConnection)) await rawSocket.close();
    return rawSocket.sendAll(framedRequests, this.responseLimits, areNext);
  }

  /** If our own reader can read what undici cannot, it reads all further responses. */
  private async retryWithOwnReader(slot: Slot, unreadable: Exchange, request: Request): Promise<Exchange> {
    this.renew(slot, SocketConnection);
    const exchange = await this.sendOn(slot.main, request);
    // If our own reader finds no final response either, keep undici's error.
    const isRead = (exchange.response?.status ?? 0) >= FIRST_FINAL_STATUS;
    this.canFallBack = isRead || unreadable.response !== undefined;
    if (this.canFallBack) this.useRawSockets();
    else this.renew(slot);
    return this.canFallBack ? exchange : unreadable;
  }

  /**
   * Sends the request again if the connection was closed before the response was complete. Returns the final
   * outcome.
   */
  private async retriedIfClosed(
    exchange: Exchange,
    sendAgain: () => Promise<Exchange>,
    isCut = false,
  ): Promise<Exchange> {
    if (!(isCut || isClosedMidRequest(exchange)) || this.closed) return exchange;
    this.closedMidRequest += 1;
    const began = performance.now() - exchange.ms;
    let second = await sendAgain();
    const maxTries = this.delayedInVain < MAX_DELAYED_IN_VAIN ? MAX_DELAYED_TRIES : 2;
    for (let tries = 2; tries < maxTries && wasDelayed(second); tries += 1) second = await sendAgain();
    if (wasDelayed(second)) this.delayedInVain += 1;
    if (second.kind !== 'broken') return second;
    // If nothing listens any more, the first exchange tells what happened to the request.
    if (second.fault.kind === 'refused' && exchange.kind === 'broken') return { ...exchange, wentAway: true };
    // The system may have accepted a connection just before the store stopped listening.
    const wentAway = isClosed(second) && (await refusesConnections(this.endpoint));
    // Count the time from the first attempt, which may have had the same effect on the store.
    return { ...second, ms: performance.now() - began, ...(wentAway ? { wentAway } : {}) };
  }

  /** Sends raw bytes over a connection of their own, since they may leave anything on it. */
  private async sendRaw(slot: Slot, request: Request): Promise<Exchange> {
    this.renew(slot, SocketConnection);
    const exchange = await this.sendOn(slot.main, request, {
      ...this.responseLimits,
      timeout: Math.min(this.responseLimits.timeout, MAX_RAW_WAIT_MS),
    });
    this.renew(slot);
    return exchange;
  }
}

/** Lower statuses belong to interim responses, or are not valid (RFC 9110 section 15). */
const FIRST_FINAL_STATUS = 200;

const abandoned = (request: Request): Exchange => ({
  request,
  ms: 0,
  interim: [],
  kind: 'broken',
  fault: ABANDONED,
  response: undefined,
});

/** Node writes an interim response to a pipelined request between head and body of the final one. */
const beginsWithInterim = ({ response }: Exchange): boolean =>
  response !== undefined &&
  /^HTTP\/1\.[01] 1\d\d /.test(Buffer.from(response.body.subarray(0, 16)).toString('latin1'));

/**
 * No response, or the 400 of an HTTP parser, which has no JSON: some servers and proxies mistake a pipelined
 * request for a part of the preceding body. Clients should not pipeline after a POST (RFC 9112 section 9.3.2).
 */
const isUnread = (exchange: Exchange): boolean =>
  exchange.kind === 'broken'
    ? exchange.response === undefined && failedBy(exchange, 'timeout', 'not-http')
    : exchange.response.status === 400 &&
      !/json/i.test(headerValue(exchange.response.headers, 'content-type') ?? '');

/**
 * Whether the connection closed without a final response, or with a 408 for an idle connection (RFC 9110
 * section 15.5.9): either may have crossed the request on its way. So may the reset of a connection with
 * unread bytes, which loses the end of the response (RFC 9112 section 9.6).
 */
const isClosedMidRequest = (exchange: Exchange) =>
  (exchange.response?.status === 408 && !isAborted(exchange)) ||
  (isClosed(exchange) && (exchange.response === undefined || closesConnection(exchange.response.headers)));

const isClosed = (exchange: Exchange): boolean => failedBy(exchange, 'closed');

/**
 * Maximum number of tries of a request with pauses of our own, during which a store may close the connection as
 * idle.
 */
const MAX_DELAYED_TRIES = 8;

/** Once this many requests with pauses got no response in any try, later ones get fewer tries. */
const MAX_DELAYED_IN_VAIN = 3;

/** Between these delays, a close may be due to a pause that a busy machine made longer. */
const MIN_DELAY_MS = 20;
const MAX_DELAY_MS = 1000;

const wasDelayed = (exchange: Exchange): boolean =>
  isClosedMidRequest(exchange) &&
  exchange.request.delivery !== undefined &&
  exchange.ms >= MIN_DELAY_MS &&
  exchange.ms <= MAX_DELAY_MS;

/**
 * Whether undici could not read the response. It rejects, for example, a tab before the value of
 * Content-Length (RFC 9110 section 5.6.3).
 */
const isUnreadable = (exchange: Exchange): boolean => failedBy(exchange, 'not-http');

/** Headers that undici rewrites or omits. */
const NOT_BY_UNDICI = ['connection', 'expect', 'host', 'keep-alive', 'upgrade'];

/**
 * undici gives up on a chunked request whose connection is closed, although a store may have answered before
 * it has read the body (RFC 9112 section 9.6).
 */
const needsRawSocket = ({ delivery, framing, headers }: Request): boolean =>
  delivery !== undefined || framing === 'chunked' || NOT_BY_UNDICI.some((name) => hasHeader(headers, name));

/** No response is awaited within a batch. */
function* batchesOf(
  requests: readonly RepeatableRequest[],
  pipelined: boolean,
): Generator<readonly RepeatableRequest[]> {
  let batch: RepeatableRequest[] = [];
  for (const one of requests) {
    const { request } = one;
    const { expectContinue, abortAfter, freshConnection } = request.delivery ?? {};
    const isSeparate = !pipelined || expectContinue || abortAfter !== undefined || endsConnection(request);
    if ((isSeparate || freshConnection) && batch.length > 0) {
      yield batch;
      batch = [];
    }
    if (isSeparate) yield [one];
    else batch.push(one);
  }
  if (batch.length > 0) yield batch;
}

function addFraming({ authority, prefix }: Endpoint, request: Request): Request {
  const { headers, body, method, delivery } = request;
  const framing = body === undefined ? 'length' : request.framing;
  const framings: HeaderPair[] = [];
  const spelled = (value: string) =>
    delivery?.capitals === true ? value.replace(/[a-z]/, (letter) => letter.toUpperCase()) : value;
  if (awaitsContinue(request)) framings.push(['expect', spelled('100-continue')]);
  if (framing === 'chunked') {
    if (delivery?.chunks === 'trailer') framings.push(['trailer', TRAILER]);
    framings.push(['transfer-encoding', spelled('chunked')]);
  } else if (body !== undefined || (method === 'POST' && delivery?.noLength !== true))
    framings.push(['content-length', `${delivery?.leadingZeros ? LEADING_ZEROS : ''}${body?.length ?? 0}`]);
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

/** Sorts headers by a list of names, whose letter case they adopt. Headers that are not listed come last. */
function inOrder(headers: readonly HeaderPair[], order: readonly string[]): HeaderPair[] {
  const unsorted = [...headers];
  if (!hasHeader(headers, 'connection') && order.some((name) => name.toLowerCase() === 'connection'))
    unsorted.push(['connection', 'keep-alive']);
  const named = order.flatMap((name) => {
    const at = unsorted.findIndex(([own]) => own.toLowerCase() === name.toLowerCase());
    return unsorted.splice(at, at < 0 ? 0 : 1).map(([, value]): HeaderPair => [name, value]);
  });
  return [...named, ...unsorted];
}
