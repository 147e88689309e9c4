import { isTooLong, unpackedBytes } from '../../judge/reading.ts';
import { isStoppedAtGateway } from '../../judge/rules.ts';
import { isOutsideContract, type RequestTemplate, withoutPreceding } from '../../payloads/test-case.ts';
import { type Exchange, failedBy, type HeaderPair, isAborted, isTimeout } from '../../wire/exchange.ts';
import { headersSize } from '../../wire/headers.ts';
import type { HttpClient, RepeatableRequest } from '../../wire/http-client.ts';
import { AdaptiveConcurrency } from './adaptive-concurrency.ts';
import { collectGarbage } from './collect-garbage.ts';
import type { ExclusiveAccess } from './exclusive-access.ts';
import { fill, withDefaultHeaders } from './fill-template.ts';
import { KeptCookies } from './kept-cookies.ts';
import { LatencyLog } from './latency.ts';
import { Outage } from './outage.ts';
import { type Pace, pauseAsked } from './pace.ts';
import type { RequestContext } from './request-context.ts';
import { didNotReachStore, isFromGateway } from './unreachable.ts';

/** Implemented by `ExchangeMonitor` (lib/run/execute/exchange-monitor.ts), which applies the invariants. */
export interface ExchangeListener {
  onExchange(exchange: Exchange, template: RequestTemplate, context: RequestContext): void;
}

export interface TransportOptions {
  readonly token: string;
  readonly headers: readonly HeaderPair[];
  readonly query?: readonly HeaderPair[];
  readonly maxConcurrency: number;
  readonly monitor: ExchangeListener;
}

/** Number of timeouts after which the timeout is shortened. */
const MAX_FULL_TIMEOUTS = 3;
/** A shortened timeout is at least this multiple of the median and the 99th percentile of response times. */
const SHORT_TIMEOUT = { timesMedian: 20, times99th: 4, atLeastMs: 1000 } as const;
/** Size of the segments in which a large body is sent again if its response may have been lost. */
const SEGMENT_BYTES = 8 * 1024;
/**
 * Pauses between segments, in the first attempt and, if the response is lost again, in a second one. A busy
 * server must be able to respond in between.
 */
const SEGMENT_PAUSES_MS = [20, 100] as const;
/**
 * Once this many bodies have been sent in segments in vain, no more are: this store closes connections
 * without a response.
 */
const MAX_SEGMENTED_IN_VAIN = 3;
/** Once this many bodies have waited in vain for 100 Continue, others wait only `SHORT_CONTINUE_WAIT_MS`. */
const MAX_FULL_CONTINUE_WAITS = 3;
const SHORT_CONTINUE_WAIT_MS = 100;
/** Limit on bodies after a response that was too long. Even the longest name fits, fully escaped. */
const LOW_BODY_LIMIT_BYTES = 6 * 64 * 1024;
/** Bytes that a header counts for besides its characters: thousands of short headers fill memory, too. */
const HEADER_BYTES = 80;
/** Garbage is collected each time this much has been received. With small responses, that never happens. */
const MAX_GARBAGE_BYTES = 8 * 1024 * 1024;

interface Transmitted {
  readonly exchange: Exchange;
  /** The template that was sent, or that of its preceding request if both must be sent again. */
  readonly about: RequestTemplate;
}

/** Makes one attempt at each request, after its preceding request if it has one, and counts the outcomes. */
export class Transport {
  /** Number of requests whose outcome is known, since the last `resetCounts`. */
  requests = 0;
  latency = new LatencyLog();
  failedWhenRaised = 0;
  readonly outage = new Outage();
  readonly concurrency: AdaptiveConcurrency;
  private readonly client: HttpClient;
  private readonly pace: Pace;
  private readonly access: ExclusiveAccess;
  private readonly options: TransportOptions;
  private readonly cookies = new KeptCookies();
  private timeouts = 0;
  /** Since garbage was last collected. */
  private receivedBytes = 0;
  private unansweredExpectations = 0;
  /** Number of large bodies that got no response even in segments, since the last one that did. */
  private segmentedInVain = 0;

  constructor(client: HttpClient, pace: Pace, access: ExclusiveAccess, options: TransportOptions) {
    this.client = client;
    this.pace = pace;
    this.access = access;
    this.options = { ...options, headers: withDefaultHeaders(options.headers) };
    this.concurrency = new AdaptiveConcurrency(client, options.maxConcurrency);
  }

  /** Shortens the timeout to a multiple of usual response times; to a quarter if there were no responses. */
  shortenTimeout(atLeastMs: number = SHORT_TIMEOUT.atLeastMs): void {
    const { summary } = this.latency;
    const { timesMedian, times99th } = SHORT_TIMEOUT;
    const ms =
      summary === undefined
        ? this.client.endpoint.timeout / 4
        : Math.max(summary.median * timesMedian, summary.p99 * times99th);
    this.client.lowerLimit('timeout', Math.max(atLeastMs, Math.round(ms)));
  }

  resetCounts(): void {
    this.requests = 0;
    this.latency = new LatencyLog();
  }

  /**
   * Sends a request once; if the response to a large body may have been lost, sends the body again in
   * segments.
   * @param hasWaited whether it has already waited for the store; a 502 then counts as the response to the
   * preceding request
   * @throws Stopped if the run has ended
   */
  async send(
    template: RequestTemplate,
    id: bigint,
    context: RequestContext,
    hasWaited: boolean,
  ): Promise<Transmitted> {
    const sent = await this.sendOnce(template, id, context, hasWaited);
    if (!mayHaveBeenRejectedEarly(sent.exchange) || this.segmentedInVain >= MAX_SEGMENTED_IN_VAIN)
      return sent;
    const rejection = await this.resendInSegments(template, context);
    this.segmentedInVain = rejection === undefined ? this.segmentedInVain + 1 : 0;
    return { ...sent, exchange: rejection ?? sent.exchange };
  }

  /** Sends a request once, even if its response may be lost. */
  async sendOnce(
    template: RequestTemplate,
    id: bigint,
    context: RequestContext,
    hasWaited = false,
  ): Promise<Transmitted> {
    const { preceding } = template;
    const sentAt = performance.now();
    this.pace.count();
    if (preceding !== undefined) this.pace.count();
    this.access.enter();
    const [exchange, before] = await this.sendWithPreceding(template, id, context).finally(() =>
      this.access.leave(),
    );
    this.requests += preceding === undefined ? 1 : 2;
    // The end of the run closes connections, which says nothing about the store.
    this.pace.requireGoing();
    this.adaptTo(exchange, template);
    if (preceding !== undefined && before !== undefined) {
      if (this.mustRepeat(before, preceding.template, sentAt, hasWaited))
        return { exchange: { ...before, request: exchange.request }, about: preceding.template };
      // If its response may have been lost, do not report it. A store that really does not respond also fails
      // when the large body is the request itself.
      if (!mayHaveBeenRejectedEarly(before))
        this.options.monitor.onExchange(before, preceding.template, context);
    }
    const isAnswer = exchange.kind === 'answered' && pauseAsked(exchange) === undefined;
    // A request with a delivery takes longer because of our own pauses.
    if (isAnswer && exchange.request.method === 'POST' && template.delivery === undefined) {
      this.latency.add(exchange.ms);
      this.concurrency.add(exchange.ms);
    }
    return {
      exchange: before === undefined ? exchange : { ...exchange, preceding: before },
      about: template,
    };
  }

  isOverloaded(exchange: Exchange, template: RequestTemplate, sentAt: number): boolean {
    return this.concurrency.wasRaisedSince(sentAt) && mayBeOverloaded(exchange, template);
  }

  private async sendWithPreceding(
    template: RequestTemplate,
    id: bigint,
    context: RequestContext,
  ): Promise<readonly [own: Exchange, before: Exchange | undefined]> {
    const { authority: host, prefix } = this.client.endpoint;
    const { token, headers, query = [] } = this.options;
    const makeRequest = (one: RequestTemplate, own: bigint) =>
      fill(one, own, { token, cookies: this.cookies.header, host, prefix, headers, query });
    const filled = (one: RequestTemplate): RepeatableRequest => ({
      request: makeRequest(one, id),
      again: () => {
        this.pace.countResent();
        this.requests += 1;
        // The store may have created the plant before the connection was closed, so use a new id; but a
        // request that follows one with the same values must keep its id.
        return makeRequest(one, template.preceding === undefined ? context.ids.retryId() : id);
      },
    });
    const [own, before] = await sendAfter(template, this.client, filled);
    // A preceding request outside the contract need not be handled properly, so the server may have lost
    // track of where it ends.
    const isLeftOver = isTimeout(own) && followsOutsider(template);
    if (!isLeftOver) return [own, before];
    return [await this.client.send(filled(withoutPreceding(template)).again()), before];
  }

  /** Whether both requests must be sent again because the preceding one did not get its response. */
  private mustRepeat(
    before: Exchange,
    template: RequestTemplate,
    sentAt: number,
    hasWaited: boolean,
  ): boolean {
    // A request outside the contract may get any response, so accept this one.
    if (isOutsideContract(template) || isFinalOfGateway(before)) return false;
    return (
      pauseAsked(before) !== undefined ||
      ((didNotReachStore(before) || before.wentAway) && !hasWaited) ||
      this.isOverloaded(before, template, sentAt)
    );
  }

  /** Adapts limits and waits to what the store has just done, and records it for the outage detector. */
  private adaptTo(exchange: Exchange, template: RequestTemplate): void {
    if (pauseAsked(exchange) === undefined) this.outage.record(exchange);
    this.cookies.learn(exchange, template);
    this.limitBodies(exchange);
    this.collectGarbageIfDue(exchange);
    this.client.lowerConcurrencyFor(this.outage.averageBytes);
    this.shortenWaits(exchange);
  }

  private limitBodies(exchange: Exchange): void {
    const isUnfinished = isTimeout(exchange) && (exchange.response?.body.length ?? 0) > LOW_BODY_LIMIT_BYTES;
    if (isTooLong(exchange) || isUnfinished) this.client.lowerLimit('maxBodyBytes', LOW_BODY_LIMIT_BYTES);
  }

  private collectGarbageIfDue({ response }: Exchange): void {
    if (response === undefined) return;
    this.receivedBytes +=
      headersSize(response.headers) + response.headers.length * HEADER_BYTES + unpackedBytes(response);
    if (this.receivedBytes <= MAX_GARBAGE_BYTES) return;
    this.receivedBytes = 0;
    collectGarbage();
  }

  private shortenWaits(exchange: Exchange): void {
    if (exchange.continueWaitMs !== undefined) this.unansweredExpectations += 1;
    if (this.unansweredExpectations === MAX_FULL_CONTINUE_WAITS)
      this.client.lowerLimit('continueWait', SHORT_CONTINUE_WAIT_MS);
    if (!isTimeout(exchange)) return;
    this.timeouts += 1;
    if (this.timeouts >= MAX_FULL_TIMEOUTS || this.latency.summary === undefined) this.shortenTimeout();
  }

  /**
   * Sends a body in segments, to read a response that is sent before its end: closing a connection with
   * unread data resets it, and the response may be lost (RFC 9112 section 9.6).
   * @returns the response if it is a rejection
   */
  private async resendInSegments(
    template: RequestTemplate,
    context: RequestContext,
  ): Promise<Exchange | undefined> {
    const cut = (body: Uint8Array) =>
      Array.from(
        { length: Math.ceil(body.length / SEGMENT_BYTES) - 1 },
        (_, index) => (index + 1) * SEGMENT_BYTES,
      );
    for (const pauseMs of SEGMENT_PAUSES_MS) {
      const delivery = { ...template.delivery, pauseMs };
      const { exchange } = await this.sendOnce(
        { ...template, cut, delivery },
        context.ids.retryId(),
        context,
      );
      const { status = 0 } = exchange.response ?? {};
      if (status >= 400 && status < 500) return exchange;
      if (!mayHaveBeenRejectedEarly(exchange)) return undefined;
    }
    return undefined;
  }
}

/** @returns the exchange of the request, then that of its preceding request, if there is one */
async function sendAfter(
  template: RequestTemplate,
  client: HttpClient,
  filled: (template: RequestTemplate) => RepeatableRequest,
): Promise<readonly [own: Exchange, before?: Exchange]> {
  const { preceding } = template;
  const send = (one: RequestTemplate) => {
    const { request, again } = filled(one);
    return client.send(request, again);
  };
  if (preceding === undefined) return [await send(template)];
  const sendOnFresh = () => send({ ...template, delivery: { ...template.delivery, freshConnection: true } });
  switch (preceding.connection) {
    case 'other': {
      const before = await send(preceding.template);
      return [await sendOnFresh(), before];
    }
    case 'other-open': {
      const [before, own] = await client.whileOpen(filled(preceding.template).request, sendOnFresh);
      return [own, before];
    }
    case 'concurrent':
      // The preceding request is still in progress when this one arrives.
      return Promise.all([send(preceding.template), send(template)]).then(([before, own]) => [own, before]);
    default: {
      // With a concurrency limit of 1, there is never more than one request in flight.
      const pipelined = preceding.connection === 'pipelined' && client.concurrencyLimit > 1;
      const requests = [filled(preceding.template), filled(template)];
      const [before, own] = await client.sendSequence(requests, { pipelined });
      if (own === undefined) throw new Error('a request was not sent');
      return before === undefined ? [own] : [own, before];
    }
  }
}

const followsOutsider = ({ preceding }: RequestTemplate): boolean =>
  preceding !== undefined &&
  ['same', 'pipelined'].includes(preceding.connection) &&
  isOutsideContract(preceding.template);

const mayBeOverloaded = (exchange: Exchange, template: RequestTemplate): boolean =>
  !isOutsideContract(template) &&
  !isAborted(exchange) &&
  (exchange.response === undefined || exchange.response.status >= 500 || exchange.response.status === 429);

/**
 * Returns whether a gateway cannot forward this request. Varnish adds Retry-After, but waiting is no help.
 */
export const isFinalOfGateway = (exchange: Exchange): boolean =>
  isStoppedAtGateway(exchange) && isFromGateway(exchange);

/** Whether the connection was closed without a response to a large body, or during a rejection. */
const mayHaveBeenRejectedEarly = (exchange: Exchange): boolean =>
  failedBy(exchange, 'closed') &&
  Math.floor((exchange.response?.status ?? 400) / 100) === 4 &&
  (exchange.request.body?.length ?? 0) > SEGMENT_BYTES;
