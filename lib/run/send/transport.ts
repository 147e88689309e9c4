import { isLongEcho } from '../../judge/reading.ts';
import { isStoppedAtGateway } from '../../judge/rules.ts';
import { isOutsideContract, type RequestTemplate, withoutPredecessor } from '../../payloads/test-case.ts';
import { type Exchange, type HeaderPair, isTimeout, type Request } from '../../wire/exchange.ts';
import type { HttpClient } from '../../wire/http-client.ts';
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

/** Sees every exchange of a run. */
export interface ExchangeListener {
  observe(exchange: Exchange, template: RequestTemplate, context: RequestContext): void;
}

export interface TransportOptions {
  readonly token: string;
  readonly headers: readonly HeaderPair[];
  /** Query parameters of every request. */
  readonly query?: readonly HeaderPair[];
  /** Requests in flight at most if latency is high. */
  readonly maxConcurrency: number;
  readonly monitor: ExchangeListener;
}

/** Timeouts after which the others are shortened. */
const MAX_FULL_TIMEOUTS = 3;
/** A timeout is shortened to this many times the usual time of an answer, and to this at least. */
const SHORT_TIMEOUT = { timesMedian: 20, atLeastMs: 1000 } as const;
/** Segments of a large body whose response may have been lost. */
const SEGMENT_BYTES = 8 * 1024;
/** Milliseconds between segments, first and if the response is lost again: a busy server has to respond in between. */
const SEGMENT_PAUSES_MS = [20, 100] as const;
/** Bodies sent in segments in vain before no more are: this store closes connections without a response. */
const MAX_SEGMENTED_IN_VAIN = 3;
/** Bodies that wait for 100 Continue in vain before others wait less. */
const MAX_FULL_CONTINUE_WAITS = 3;
const SHORT_CONTINUE_WAIT_MS = 100;
/** The limit on bodies once one was too long: the longest name, with each character escaped, is shorter. */
const LOW_BODY_LIMIT_BYTES = 6 * 64 * 1024;
/** To parse a body of this size takes memory that has to be freed soon. */
const LARGE_BODY_BYTES = 1024 * 1024;

/** An exchange, and the request of the suite that it is about. */
interface Transmitted {
  readonly exchange: Exchange;
  /** The template, or that of the preceding request, if it is that one's exchange and both must be repeated. */
  readonly about: RequestTemplate;
}

/** Sends each request once, after its preceding request if it has one, and keeps account of what comes back. */
export class Transport {
  /** Requests whose outcome is known, since the last `resetCounts`. */
  requests = 0;
  latency = new LatencyLog();
  readonly outage = new Outage();
  readonly growth: AdaptiveConcurrency;
  private readonly client: HttpClient;
  private readonly pace: Pace;
  private readonly access: ExclusiveAccess;
  private readonly options: TransportOptions;
  private readonly cookies = new KeptCookies();
  private timeouts = 0;
  private unansweredExpectations = 0;
  /** Large bodies, since the last that got a response in this way, that got none even in segments. */
  private segmentedInVain = 0;

  constructor(client: HttpClient, pace: Pace, access: ExclusiveAccess, options: TransportOptions) {
    this.client = client;
    this.pace = pace;
    this.access = access;
    this.options = { ...options, headers: withDefaultHeaders(options.headers) };
    this.growth = new AdaptiveConcurrency(client, options.maxConcurrency);
  }

  /** Shortens the timeout to a multiple of the usual time of an answer, to a quarter if nothing was answered yet. */
  shortenTimeout(): void {
    const { summary } = this.latency;
    const ms =
      summary === undefined ? this.client.endpoint.timeout / 4 : summary.median * SHORT_TIMEOUT.timesMedian;
    this.client.shortenTimeout(Math.max(SHORT_TIMEOUT.atLeastMs, Math.round(ms)));
  }

  /** Resets the request count and the latencies. */
  resetCounts(): void {
    this.requests = 0;
    this.latency = new LatencyLog();
  }

  /**
   * Sends a request once. If its response may have been lost, as the server closed the connection while a large body was
   * under way, the body is sent again in segments.
   * @param hasWaited whether the suite has waited for the store, so that a 502 is its own
   * @throws Stopped if the run has ended
   */
  async send(
    template: RequestTemplate,
    id: bigint,
    context: RequestContext,
    hasWaited = false,
  ): Promise<Transmitted> {
    const sent = await this.sendOnce(template, id, context, hasWaited);
    if (!mayHaveBeenRejectedEarly(sent.exchange) || this.segmentedInVain >= MAX_SEGMENTED_IN_VAIN)
      return sent;
    const rejection = await this.rejection(template, context);
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
    const [exchange, before] = await this.exchanges(template, id, context).finally(() => this.access.leave());
    this.requests += preceding === undefined ? 1 : 2;
    this.account(exchange, template);
    if (preceding !== undefined && before !== undefined) {
      if (this.mustRepeat(before, preceding.template, sentAt, hasWaited))
        return { exchange: { ...before, request: exchange.request }, about: preceding.template };
      // Its response may have been lost. A store that gives none fails with large bodies of their own, too.
      if (!mayHaveBeenRejectedEarly(before))
        this.options.monitor.observe(before, preceding.template, context);
    }
    this.pace.requireGoing();
    const isAnswer = exchange.kind === 'answered' && pauseAsked(exchange) === undefined;
    // A delivery contains pauses of our own.
    if (isAnswer && exchange.request.method === 'POST' && template.delivery === undefined) {
      this.latency.add(exchange.ms);
      this.growth.add(exchange.ms);
    }
    return {
      exchange: before === undefined ? exchange : { ...exchange, preceding: before },
      about: template,
    };
  }

  /** Whether the failure of a request may be due to more requests in flight than usual. */
  isOverloaded(exchange: Exchange, template: RequestTemplate, sentAt: number): boolean {
    return this.growth.wasRaisedSince(sentAt) && mayBeOverloaded(exchange, template);
  }

  /** Fills in the template, and that of the preceding request, and sends them. */
  private async exchanges(
    template: RequestTemplate,
    id: bigint,
    context: RequestContext,
  ): Promise<readonly [own: Exchange, before: Exchange | undefined]> {
    const { authority: host, prefix } = this.client.endpoint;
    const { token, headers, query = [] } = this.options;
    const made = (one: RequestTemplate, own: bigint) =>
      fill(one, own, { token, cookies: this.cookies.header, host, prefix, headers, query });
    const again = (one: RequestTemplate) => () => {
      this.pace.countResent();
      this.requests += 1;
      // The store may have created the plant before the connection was closed. What follows a request with the same
      // values is about them.
      return made(one, template.preceding === undefined ? context.ids.retryId() : id);
    };
    /** Makes the request as it is the first time, and with another id when it is sent again. */
    const inSequence = (one: RequestTemplate) => {
      let isFirst = true;
      return () => {
        const request = isFirst ? made(one, id) : again(one)();
        isFirst = false;
        return request;
      };
    };
    const send = (one: RequestTemplate) => this.client.send(made(one, id), again(one));
    const [own, before] = await sendAfter(template, this.client, send, inSequence);
    // Nothing is required of such a predecessor, so the server may be at a loss where it ends.
    const isLeftOver = isTimeout(own) && followsOutsider(template);
    return [isLeftOver ? await this.client.send(again(withoutPredecessor(template))()) : own, before];
  }

  /** Whether the preceding request did not get its response, so that it and the request have to be sent again. */
  private mustRepeat(
    before: Exchange,
    template: RequestTemplate,
    sentAt: number,
    hasWaited: boolean,
  ): boolean {
    // A request outside the contract may always get any response; do not wait for another.
    if (isOutsideContract(template) || isFinalOfGateway(before)) return false;
    return (
      pauseAsked(before) !== undefined ||
      ((didNotReachStore(before) || before.wentAway) && !hasWaited) ||
      this.isOverloaded(before, template, sentAt)
    );
  }

  /**
   * Keeps account of an exchange. Once the store has left requests unanswered or responses unfinished, it has failed;
   * use a shorter timeout and less memory for the rest.
   */
  private account(exchange: Exchange, template: RequestTemplate): void {
    if (pauseAsked(exchange) === undefined) this.outage.record(exchange);
    this.cookies.learn(exchange, template);
    if (exchange.kind === 'answered' && exchange.response.truncated && !isLongEcho(exchange))
      this.client.lowerBodyLimit(LOW_BODY_LIMIT_BYTES);
    if ((exchange.response?.body.length ?? 0) > LARGE_BODY_BYTES) collectGarbage();
    this.client.lowerConcurrencyFor(this.outage.averageBytes);
    if (exchange.continueWaitMs !== undefined) this.unansweredExpectations += 1;
    if (this.unansweredExpectations === MAX_FULL_CONTINUE_WAITS)
      this.client.shortenContinueWait(SHORT_CONTINUE_WAIT_MS);
    if (!isTimeout(exchange)) return;
    this.timeouts += 1;
    if (this.timeouts >= MAX_FULL_TIMEOUTS || this.latency.summary === undefined) this.shortenTimeout();
  }

  /**
   * Sends a request with a large body in segments, so that a response that comes before the end of the body is read: a
   * server that closes the connection with unread data resets it, and the client may lose the response (RFC 9112 section
   * 9.6).
   * @returns the response if it is a rejection
   */
  private async rejection(template: RequestTemplate, context: RequestContext): Promise<Exchange | undefined> {
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

/**
 * Sends a request, and the preceding request of its template, if any.
 * @returns the exchange of the request, then that of the preceding one
 */
async function sendAfter(
  template: RequestTemplate,
  client: HttpClient,
  send: (template: RequestTemplate) => Promise<Exchange>,
  inSequence: (template: RequestTemplate) => () => Request,
): Promise<readonly [own: Exchange, before?: Exchange]> {
  const { preceding } = template;
  if (preceding === undefined) return [await send(template)];
  switch (preceding.connection) {
    case 'other': {
      const before = await send(preceding.template);
      return [await send({ ...template, delivery: { ...template.delivery, freshConnection: true } }), before];
    }
    case 'concurrent':
      // The other one is in progress when this one arrives.
      return Promise.all([send(preceding.template), send(template)]).then(([before, own]) => [own, before]);
    default: {
      // With a concurrency limit of 1, two requests are never under way.
      const pipelined = preceding.connection === 'pipelined' && client.concurrencyLimit > 1;
      const exchanges = await client.sendSequence([inSequence(preceding.template), inSequence(template)], {
        pipelined,
      });
      const [before, own] = exchanges;
      if (own === undefined) throw new Error('a request was not sent');
      return before === undefined ? [own] : [own, before];
    }
  }
}

/** Whether a request comes after one that is outside the contract, on the same connection. */
const followsOutsider = ({ preceding }: RequestTemplate): boolean =>
  preceding !== undefined &&
  ['same', 'pipelined'].includes(preceding.connection) &&
  isOutsideContract(preceding.template);

/** Whether so many requests in flight may be what went wrong. */
const mayBeOverloaded = ({ response }: Exchange, template: RequestTemplate): boolean =>
  !isOutsideContract(template) &&
  template.delivery?.abortAfter === undefined &&
  (response === undefined || response.status >= 500 || response.status === 429);

/** Whether a gateway says that it cannot forward such a request: Varnish does so with Retry-After, however long one waits. */
export const isFinalOfGateway = (exchange: Exchange): boolean =>
  isStoppedAtGateway(exchange) && isFromGateway(exchange);

/** Whether a connection was closed without a response to a large body, or during a rejection. */
const mayHaveBeenRejectedEarly = (exchange: Exchange): boolean =>
  exchange.kind === 'broken' &&
  exchange.fault.kind === 'closed' &&
  Math.floor((exchange.response?.status ?? 400) / 100) === 4 &&
  (exchange.request.body?.length ?? 0) > SEGMENT_BYTES;
