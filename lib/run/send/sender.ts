import { setTimeout as sleep } from 'node:timers/promises';
import { isLongEcho } from '../../judge/reading.ts';
import { isStoppedAtGateway } from '../../judge/rules.ts';
import { isOutsideContract, type RequestTemplate } from '../../payloads/test-case.ts';
import { type Exchange, type HeaderPair, isTimeout, type Request } from '../../wire/exchange.ts';
import { headerValue } from '../../wire/headers.ts';
import type { HttpClient } from '../../wire/http-client.ts';
import { OUTSIDE_CHECKS } from '../plan/plan.ts';
import type { Stop } from '../result/result.ts';
import type { RunState } from '../run-state.ts';
import { AdaptiveConcurrency } from './adaptive-concurrency.ts';
import { collectGarbage } from './collect-garbage.ts';
import type { Collisions } from './collisions.ts';
import { ExclusiveAccess } from './exclusive-access.ts';
import { fill, withDefaultHeaders } from './fill-template.ts';
import { KeptCookies } from './kept-cookies.ts';
import { LatencyLog } from './latency.ts';
import { Outage } from './outage.ts';
import type { Recovery } from './recovery.ts';
import type { RequestContext } from './request-context.ts';
import { Stopped } from './stopped.ts';
import { didNotReachStore, isFromGateway } from './unreachable.ts';

interface SenderOptions {
  readonly token: string;
  readonly headers: readonly HeaderPair[];
  /** Query parameters of every request. */
  readonly query?: readonly HeaderPair[];
  /** Maximum requests per second. */
  readonly rate: number | undefined;
  /** Requests in flight at most if latency is high. */
  readonly maxConcurrency: number;
  readonly maxRequests: number | undefined;
  /** Maximum total milliseconds of waiting because the store asks for it. */
  readonly maxWaitMs: number;
  readonly collisions: Collisions;
  readonly monitor: ExchangeListener;
  readonly recovery: Recovery;
  readonly state: RunState;
  /** An ordinary plant, to see whether the store serves anything. */
  readonly probe: RequestTemplate;
}

/** Sees every exchange of a run. */
export interface ExchangeListener {
  observe(exchange: Exchange, template: RequestTemplate, context: RequestContext): void;
}

/** Times that a request waits for a store that it did not reach: other requests may have killed it again. */
const MAX_WAITS_FOR_STORE = 5;

const MAX_RETRY_AFTER_MS = 30_000;
/**
 * Interleaving of ordinary requests (`true`) and the one answered 503. If only the ordinary ones pass in this order,
 * the 503 is a final answer and not a rate limit.
 */
const IS_ORDINARY_IN_ORDER: readonly boolean[] = [true, false, true, true, false, false, true];
/**
 * Thresholds for detecting a rate limit. After this much waiting, space requests, and increase the spacing each time;
 * keeping to the limit is cheaper than hitting it repeatedly.
 */
const SPACING = { afterWaitingMs: 8000, requestsBetween: 80, firstMs: 4, maxMs: 20 } as const;
/** Timeouts after which the others are shortened. */
const MAX_FULL_TIMEOUTS = 3;
/** Segments of a large body whose response may have been lost. */
const SEGMENT_BYTES = 8 * 1024;
/** Milliseconds between segments, first and if the response is lost again: a busy server has to respond in between. */
const SEGMENT_PAUSES_MS = [20, 100] as const;
/** A timeout is shortened to this many times the usual time of an answer, and to this at least. */
const SHORT_TIMEOUT = { timesMedian: 20, atLeastMs: 1000 } as const;
/** Bodies that wait for 100 Continue in vain before others wait less. */
const MAX_FULL_CONTINUE_WAITS = 3;
const SHORT_CONTINUE_WAIT_MS = 100;
/** The limit on bodies once one was too long: the longest name, with each character escaped, is shorter. */
const LOW_BODY_LIMIT_BYTES = 6 * 64 * 1024;

/** To parse a body of this size takes memory that has to be freed soon. */
const LARGE_BODY_BYTES = 1024 * 1024;

/** What follows an exchange: it is judged, or its request is sent again after something has been done. */
type NextStep =
  | { readonly kind: 'judge the store' | 'judge the gateway' }
  | { readonly kind: 'use raw sockets' | 'lower concurrency' | 'wait for the store' }
  | { readonly kind: 'pause'; readonly ms: number };

/**
 * Sends request templates at the pace that the user and the store ask for. The sender waits out a 429, or a 503 with
 * Retry-After, and does not judge it, unless a single request keeps getting the 503 while ordinary ones succeed. A request that did not reach the store is sent again once the store is back.
 */
export class Sender {
  /** Requests whose outcome is known, since the last `resetCounts`. */
  requests = 0;
  latency = new LatencyLog();
  private readonly client: HttpClient;
  private readonly options: SenderOptions;
  private readonly access = new ExclusiveAccess();
  private readonly growth: AdaptiveConcurrency;
  private readonly cookies = new KeptCookies();
  private readonly outage = new Outage();
  /** Set if the store asks for longer waits than the run allows. */
  private throttled: Stop | undefined;
  private timeouts = 0;
  private unansweredExpectations = 0;
  /** Requests that count towards the limit of the user. */
  private sent = 0;
  /** Milliseconds spent waiting because the store asked for it. */
  waitedMs = 0;
  private pausedUntil = 0;
  /** Whether a 503 with Retry-After proved to be the final response to some request: it may be for others too. */
  private hasFinal503 = false;
  private nextSlot = 0;
  /** Requests sent before the last wait. */
  private sentAtLastWait = 0;
  /** Milliseconds between requests at least. */
  private spacing: number;

  constructor(client: HttpClient, options: SenderOptions) {
    this.client = client;
    this.spacing = options.rate === undefined ? 0 : 1000 / options.rate;
    this.options = { ...options, headers: withDefaultHeaders(options.headers) };
    this.growth = new AdaptiveConcurrency(client, options.rate === undefined ? options.maxConcurrency : 0);
  }

  /** Why nothing more is sent, if nothing is. */
  private get stop(): Stop | undefined {
    const { state } = this.options;
    return this.throttled ?? (state.signal.aborted ? state.stop : undefined);
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

  /** Waits for the requests under way, then runs `work` while nothing else is sent. */
  exclusively<T>(context: RequestContext, work: () => Promise<T>): Promise<T> {
    return this.access.exclusively(context, work);
  }

  /**
   * Sends a request.
   * @param toBeAccepted whether the store should accept it; if its id or name is already in use, it is sent
   *   again with other fresh values
   * @throws Stopped if the run has ended
   */
  async send(
    template: RequestTemplate,
    freshId: bigint,
    context: RequestContext,
    toBeAccepted = template.ordinary === true,
  ): Promise<Exchange> {
    const first = await this.sendWithRetries(template, freshId, context);
    const exchange = toBeAccepted
      ? await this.options.collisions.resolve(first, template, context.ids, {
          sendWithRetries: (other, id) => this.sendWithRetries(other, id, context),
          report: (one, other) => this.options.monitor.observe(one, other, context),
        })
      : first;
    this.options.monitor.observe(exchange, template, context);
    return exchange;
  }

  /**
   * Sends a request as it is, even if its id or name is in use.
   * @throws Stopped if the run has ended
   */
  async sendAsIs(template: RequestTemplate, id: bigint, context: RequestContext): Promise<Exchange> {
    const exchange = await this.sendWithRetries(template, id, context);
    this.options.monitor.observe(exchange, template, context);
    return exchange;
  }

  private async sendWithRetries(
    template: RequestTemplate,
    freshId: bigint,
    context: RequestContext,
  ): Promise<Exchange> {
    const { recovery } = this.options;
    let id = freshId;
    let waits = 0;
    let current = template;
    for (let attempt = 1; ; attempt += 1) {
      await this.admit(current, context);
      const { concurrencyLimit } = this.client;
      const sentAt = performance.now();
      const { exchange: first, isOwn } = await this.tryOnce(current, id, context, waits > 0);
      const exchange = mayHaveBeenRejectedEarly(first)
        ? ((await this.rejection(current, context)) ?? first)
        : first;
      const judged = isOwn ? current : (current.preceding?.template ?? current);
      const next = this.nextStep(exchange, judged, sentAt, waits);
      switch (next.kind) {
        case 'use raw sockets':
          this.client.useRawSockets();
          id = context.ids.retryId();
          continue;
        case 'lower concurrency':
          this.growth.end();
          id = context.ids.retryId();
          continue;
        case 'wait for the store': {
          waits += 1;
          const isBack = await recovery.whileAway(exchange, sentAt, context, template, this);
          if (isBack || !isOwn) continue;
          return this.afterOutage(exchange, context);
        }
        case 'pause': {
          // Waiting did not suffice, so lower the concurrency, but once only for requests that were under way
          // together.
          if (attempt > 1 && concurrencyLimit === this.client.concurrencyLimit) {
            this.growth.end();
            this.client.lowerConcurrency();
          }
          if (isBusy(exchange) && (attempt > 1 || this.hasFinal503)) {
            const settled = await this.settle(withoutPredecessor(current), id, context);
            if (settled !== undefined) return settled;
          }
          // The preceding request has been sent, or is rejected each time and may be what keeps the store busy.
          if (isOwn || attempt > 1) current = withoutPredecessor(current);
          this.pause(next.ms);
          continue;
        }
        case 'judge the store':
          return this.afterOutage(exchange, context);
        case 'judge the gateway':
          return exchange;
      }
    }
  }

  /**
   * Waits until a request may be sent.
   * @throws Stopped if the run has ended, or the checks have and the request is that of a check
   */
  private async admit(template: RequestTemplate, context: RequestContext): Promise<void> {
    const { stopOfChecks } = this.options.state;
    if (stopOfChecks !== undefined && context.id !== OUTSIDE_CHECKS) throw new Stopped(stopOfChecks);
    await this.pace(template);
    if (this.access.excludes(context)) await this.access.waitFor(context);
  }

  /**
   * What to do about an exchange.
   * @param sentAt when the request was sent, on the clock of `performance.now()`
   * @param waits how often the store has been waited for
   */
  private nextStep(exchange: Exchange, template: RequestTemplate, sentAt: number, waits: number): NextStep {
    if (exchange.kind === 'broken' && exchange.fault.kind === 'unsolicited-continue')
      return { kind: 'use raw sockets' };
    if (isFinalOfGateway(exchange)) return { kind: 'judge the gateway' };
    if (this.isOverloaded(exchange, template, sentAt)) return { kind: 'lower concurrency' };
    const ms = pauseAsked(exchange);
    if (ms !== undefined) return { kind: 'pause', ms };
    if (exchange.wentAway) return { kind: waits === 0 ? 'wait for the store' : 'judge the store' };
    const maxWaits = isFromGateway(exchange) ? 1 : MAX_WAITS_FOR_STORE;
    return {
      kind: didNotReachStore(exchange) && waits < maxWaits ? 'wait for the store' : 'judge the store',
    };
  }

  /** Whether the failure of a request may be due to more requests in flight than usual. */
  private isOverloaded(exchange: Exchange, template: RequestTemplate, sentAt: number): boolean {
    return this.growth.wasRaisedSince(sentAt) && mayBeOverloaded(exchange, template);
  }

  /** Returns the exchange once the store, if it may have ceased to serve, has been asked. */
  private async afterOutage(exchange: Exchange, context: RequestContext): Promise<Exchange> {
    const { state, recovery } = this.options;
    const { isSuspected, isCertain, answersTooMuch } = this.outage;
    if (state.stop === undefined && (isSuspected || isCertain || answersTooMuch))
      await recovery.duringOutage(this.outage, context, this);
    return exchange;
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
      const { exchange } = await this.tryOnce({ ...template, cut, delivery }, context.ids.retryId(), context);
      const { status = 0 } = exchange.response ?? {};
      if (status >= 400 && status < 500) return exchange;
      if (!mayHaveBeenRejectedEarly(exchange)) return undefined;
    }
    return undefined;
  }

  /**
   * Sends a request that was answered 503, and ordinary requests, one at a time.
   * @returns the response to judge: one that asks for no wait, or the 503 if only ordinary requests are served
   */
  private settle(
    template: RequestTemplate,
    id: bigint,
    context: RequestContext,
  ): Promise<Exchange | undefined> {
    const work = async () => {
      let last: Exchange | undefined;
      for (const isOrdinary of IS_ORDINARY_IN_ORDER) {
        if (isOrdinary && !(await this.serves(context))) return undefined;
        if (isOrdinary) continue;
        last = (await this.tryOnce(template, id, context)).exchange;
        if (pauseAsked(last) === undefined) return last;
      }
      this.hasFinal503 = true;
      return last;
    };
    return this.access.isHeldBy(context) ? work() : this.access.exclusively({ ...context }, work);
  }

  /** Sends a request once, regardless of exclusive access and of what the response asks for. */
  async sendProbe(template: RequestTemplate, context: RequestContext): Promise<Exchange> {
    await this.pace(template);
    const { exchange } = await this.tryOnce(template, context.ids.retryId(), context);
    this.options.monitor.observe(exchange, template, context);
    return exchange;
  }

  /** Whether the store serves an ordinary plant now. */
  private async serves(context: RequestContext): Promise<boolean> {
    return pauseAsked(await this.sendProbe(this.options.probe, context)) === undefined;
  }

  /**
   * @param hasWaited whether the suite has waited for the store, so that a 502 is its own
   * @returns `isOwn` is false if the exchange is that of the preceding request, for which both must be
   * retried
   */
  private async tryOnce(
    template: RequestTemplate,
    id: bigint,
    context: RequestContext,
    hasWaited = false,
  ): Promise<{ readonly exchange: Exchange; readonly isOwn: boolean }> {
    const { authority: host, prefix } = this.client.endpoint;
    const { token, headers, query = [] } = this.options;
    const made = (one: RequestTemplate, own: bigint) =>
      fill(one, own, { token, cookies: this.cookies.header, host, prefix, headers, query });
    const again = (one: RequestTemplate) => () => {
      this.sent += 1;
      this.requests += 1;
      // The store may have created the plant before the connection was closed. What follows a request with the same
      // values is about them.
      return made(one, template.preceding === undefined ? context.ids.retryId() : id);
    };
    const send = (one: RequestTemplate) => this.client.send(made(one, id), again(one));
    /** Makes the request as it is the first time, and with another id when it is sent again. */
    const inSequence = (one: RequestTemplate) => {
      let isFirst = true;
      return () => {
        const request = isFirst ? made(one, id) : again(one)();
        isFirst = false;
        return request;
      };
    };
    const sentAt = performance.now();
    this.countRequest();
    if (template.preceding !== undefined) this.countRequest();
    this.access.enter();
    const exchanged = async () => {
      const [own, before] = await sendAfter(template, this.client, send, inSequence);
      // Nothing is required of such a predecessor, so the server may be at a loss where it ends.
      const isLeftOver = isTimeout(own) && followsOutsider(template);
      return [
        isLeftOver ? await this.client.send(again(withoutPredecessor(template))()) : own,
        before,
      ] as const;
    };
    const [exchange, before] = await exchanged().finally(() => this.access.leave());
    if (template.preceding !== undefined) this.requests += 1;
    this.requests += 1;
    if (pauseAsked(exchange) === undefined) this.outage.record(exchange);
    this.lowerLimits(exchange);
    this.cookies.learn(exchange, template);
    if (template.preceding !== undefined && before !== undefined) {
      // A request outside the contract may always get any response; do not wait for another.
      const isFinal = isOutsideContract(template.preceding.template) || isFinalOfGateway(before);
      const mustBeRepeated =
        pauseAsked(before) !== undefined ||
        ((didNotReachStore(before) || before.wentAway) && !hasWaited) ||
        this.isOverloaded(before, template.preceding.template, sentAt);
      if (!isFinal && mustBeRepeated)
        return { exchange: { ...before, request: exchange.request }, isOwn: false };
      // Its response may have been lost. A store that gives none fails with large bodies of their own, too.
      if (!mayHaveBeenRejectedEarly(before))
        this.options.monitor.observe(before, template.preceding.template, context);
    }
    if (this.stop !== undefined) throw new Stopped(this.stop);
    const isAnswer = exchange.kind === 'answered' && pauseAsked(exchange) === undefined;
    // A delivery contains pauses of our own.
    if (isAnswer && exchange.request.method === 'POST' && template.delivery === undefined) {
      this.latency.add(exchange.ms);
      this.growth.add(exchange.ms);
    }
    return { exchange: before === undefined ? exchange : { ...exchange, preceding: before }, isOwn: true };
  }

  /**
   * Once the store has left requests unanswered or responses unfinished, it has failed; use a shorter timeout and
   * less memory for the rest.
   */
  private lowerLimits(exchange: Exchange): void {
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
   * Counts a request. Requests under way when the limit is reached are still waited for.
   * @throws Stopped if the run has ended, or the user's limit on requests is reached
   */
  private countRequest(): void {
    if (this.stop !== undefined) throw new Stopped(this.stop);
    const { maxRequests = Number.POSITIVE_INFINITY } = this.options;
    if (this.sent >= maxRequests)
      throw new Stopped({
        kind: 'limit',
        reason: `the run reached its limit of ${maxRequests} requests`,
        remedy: 'raise --max-requests',
      });
    this.sent += 1;
  }

  private pause(ms: number): void {
    const until = Date.now() + ms;
    if (until <= this.pausedUntil) return;
    this.waitedMs += until - Math.max(this.pausedUntil, Date.now());
    this.pausedUntil = until;
    const isLimit =
      this.waitedMs > SPACING.afterWaitingMs && this.sent - this.sentAtLastWait < SPACING.requestsBetween;
    this.sentAtLastWait = this.sent;
    if (isLimit && this.spacing < SPACING.maxMs) this.spacing = Math.max(SPACING.firstMs, this.spacing * 1.5);
    if (this.waitedMs > this.options.maxWaitMs) {
      this.throttled ??= {
        kind: 'throttled',
        reason: `the store still limits requests (429, or 503 with Retry-After) after ${Math.round(this.options.maxWaitMs / 1000)} s of waiting`,
        remedy: 'set a lower --rate, or lift the rate limit of the store for the run',
      };
    }
  }

  /** Waits until the store and the user allow the next request, and the one before it if there is one. */
  private async pace({ preceding }: RequestTemplate): Promise<void> {
    await this.until(() => this.pausedUntil);
    if (this.spacing === 0) return;
    const slot = Math.max(Date.now(), this.nextSlot);
    this.nextSlot = slot + this.spacing * (preceding === undefined ? 1 : 2);
    await this.until(() => slot);
  }

  /**
   * Waits until a time that may move.
   * @throws Stopped if the run has ended, or ends meanwhile
   */
  private async until(time: () => number): Promise<void> {
    for (;;) {
      if (this.stop !== undefined) throw new Stopped(this.stop);
      const left = time() - Date.now();
      if (left <= 0) return;
      await sleep(Math.min(left, 250));
    }
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

const withoutPredecessor = ({ preceding: _, ...template }: RequestTemplate): RequestTemplate => template;

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
const isFinalOfGateway = (exchange: Exchange): boolean =>
  isStoppedAtGateway(exchange) && isFromGateway(exchange);

const isBusy = ({ response }: Exchange): boolean => response?.status === 503;

/** Milliseconds to wait before a retry, as a response asks; undefined if it is a final response. */
function pauseAsked(exchange: Exchange): number | undefined {
  const { response } = exchange;
  if (response === undefined || (response.status !== 429 && response.status !== 503)) return undefined;
  const after = headerValue(response.headers, 'retry-after');
  // A 503 without Retry-After is a server error like any other.
  if (response.status === 503 && after === undefined) return undefined;
  const asked =
    after === undefined
      ? Number.NaN
      : /^\d+$/.test(after)
        ? Number(after) * 1000
        : Date.parse(after) - Date.now();
  return Math.min(Math.max(Number.isFinite(asked) ? asked : 1000, 50), MAX_RETRY_AFTER_MS);
}

/** Whether a connection was closed without a response to a large body, or during a rejection. */
const mayHaveBeenRejectedEarly = (exchange: Exchange): boolean =>
  exchange.kind === 'broken' &&
  exchange.fault.kind === 'closed' &&
  Math.floor((exchange.response?.status ?? 400) / 100) === 4 &&
  (exchange.request.body?.length ?? 0) > SEGMENT_BYTES;
