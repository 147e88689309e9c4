import { type RequestTemplate, withoutPredecessor } from '../../payloads/test-case.ts';
import type { Exchange } from '../../wire/exchange.ts';
import type { HttpClient } from '../../wire/http-client.ts';
import { OUTSIDE_CHECKS } from '../plan/plan.ts';
import type { RunState } from '../run-state.ts';
import type { Collisions } from './collisions.ts';
import { ExclusiveAccess } from './exclusive-access.ts';
import type { Latency } from './latency.ts';
import { type Limits, Pace, pauseAsked } from './pace.ts';
import type { Recovery } from './recovery.ts';
import type { RequestContext } from './request-context.ts';
import { Stopped } from './stopped.ts';
import { isFinalOfGateway, Transport, type TransportOptions } from './transport.ts';
import { didNotReachStore, isFromGateway } from './unreachable.ts';

interface SenderOptions extends TransportOptions, Limits {
  readonly collisions: Collisions;
  readonly recovery: Recovery;
  readonly state: RunState;
  /** An ordinary plant, to see whether the store serves anything. */
  readonly probe: RequestTemplate;
}

/** Times that a request waits for a store that it did not reach: other requests may have killed it again. */
const MAX_WAITS_FOR_STORE = 5;
/**
 * Interleaving of ordinary requests (`true`) and the one answered 503. If only the ordinary ones pass in this order,
 * the 503 is a final answer and not a rate limit.
 */
const IS_ORDINARY_IN_ORDER: readonly boolean[] = [true, false, true, true, false, false, true];

/** One of the attempts to get a response that can be judged. */
interface Attempt {
  readonly template: RequestTemplate;
  readonly id: bigint;
  /** From 1. */
  readonly number: number;
  /** How often the store has been waited for. */
  readonly waits: number;
}

/** What comes of an attempt: an exchange to judge, or what to change in the next attempt. */
type AttemptResult =
  | { readonly kind: 'judge'; readonly exchange: Exchange }
  | { readonly kind: 'retry'; readonly change: Partial<Attempt> };

/** What an exchange asks for: it is judged, or its request is sent again after something has been done. */
type NextStep =
  | { readonly kind: 'judge the store' | 'judge the gateway' }
  | { readonly kind: 'use raw sockets' | 'lower concurrency' | 'wait for the store' }
  | { readonly kind: 'pause'; readonly ms: number };

/**
 * Sends request templates until there is a response to judge. It waits out a 429, or a 503 with Retry-After, and does not
 * judge it, unless a single request keeps getting the 503 while ordinary ones succeed. It sends a request that did not
 * reach the store again once the store is back.
 */
export class Sender {
  private readonly client: HttpClient;
  private readonly options: SenderOptions;
  private readonly access = new ExclusiveAccess();
  private readonly pace: Pace;
  private readonly transport: Transport;
  /** Whether a 503 with Retry-After proved to be the final response to some request: it may be for others too. */
  private hasFinal503 = false;

  constructor(client: HttpClient, options: SenderOptions) {
    this.client = client;
    this.options = options;
    this.pace = new Pace(options.state, options);
    const maxConcurrency = options.rate === undefined ? options.maxConcurrency : 0;
    this.transport = new Transport(client, this.pace, this.access, { ...options, maxConcurrency });
  }

  /** Requests whose outcome is known. */
  get requests(): number {
    return this.transport.requests;
  }

  get latency(): Latency | undefined {
    return this.transport.latency.summary;
  }

  /** Milliseconds spent waiting because the store asked for it. */
  get waitedMs(): number {
    return this.pace.waitedMs;
  }

  /** Shortens the timeout from now on, as the usual response time is known. */
  shortenTimeout(): void {
    this.transport.shortenTimeout();
  }

  /** Resets the request count and the latencies. */
  resetCounts(): void {
    this.transport.resetCounts();
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

  /** Sends a request once, regardless of exclusive access and of what the response asks for. */
  async sendProbe(template: RequestTemplate, context: RequestContext): Promise<Exchange> {
    await this.pace.waitForTurn(template);
    const { exchange } = await this.transport.sendOnce(template, context.ids.retryId(), context);
    this.options.monitor.observe(exchange, template, context);
    return exchange;
  }

  private async sendWithRetries(
    template: RequestTemplate,
    id: bigint,
    context: RequestContext,
  ): Promise<Exchange> {
    let attempt: Attempt = { template, id, number: 1, waits: 0 };
    for (;;) {
      const result = await this.tryOnce(attempt, context);
      if (result.kind === 'judge') return result.exchange;
      attempt = { ...attempt, ...result.change, number: attempt.number + 1 };
    }
  }

  private async tryOnce(attempt: Attempt, context: RequestContext): Promise<AttemptResult> {
    const { template, id, waits } = attempt;
    await this.admit(template, context);
    const { concurrencyLimit } = this.client;
    const sentAt = performance.now();
    const { exchange, about } = await this.transport.send(template, id, context, waits > 0);
    const isOwn = about === template;
    const next = this.nextStep(exchange, about, sentAt, waits);
    switch (next.kind) {
      case 'use raw sockets':
        this.client.useRawSockets();
        return { kind: 'retry', change: { id: context.ids.retryId() } };
      case 'lower concurrency':
        this.transport.growth.end();
        return { kind: 'retry', change: { id: context.ids.retryId() } };
      case 'wait for the store': {
        const isBack = await this.options.recovery.whileAway(exchange, sentAt, context, template, this);
        if (isBack || !isOwn) return { kind: 'retry', change: { waits: waits + 1 } };
        return { kind: 'judge', exchange: await this.afterOutage(exchange, context) };
      }
      case 'pause': {
        const isRepeated = attempt.number > 1;
        // Waiting did not suffice, so lower the concurrency, but once only for requests that were under way together.
        if (isRepeated && concurrencyLimit === this.client.concurrencyLimit) {
          this.transport.growth.end();
          this.client.lowerConcurrency();
        }
        const alone = withoutPredecessor(template);
        if (isBusy(exchange) && (isRepeated || this.hasFinal503)) {
          const settled = await this.settle(alone, id, context);
          if (settled !== undefined) return { kind: 'judge', exchange: settled };
        }
        this.pace.pause(next.ms);
        // The preceding request has been sent, or is rejected each time and may be what keeps the store busy.
        return { kind: 'retry', change: isOwn || isRepeated ? { template: alone } : {} };
      }
      case 'judge the store':
        return { kind: 'judge', exchange: await this.afterOutage(exchange, context) };
      case 'judge the gateway':
        return { kind: 'judge', exchange };
    }
  }

  /**
   * Waits until a request may be sent.
   * @throws Stopped if the run has ended, or the checks have and the request is that of a check
   */
  private async admit(template: RequestTemplate, context: RequestContext): Promise<void> {
    const { stopOfChecks } = this.options.state;
    if (stopOfChecks !== undefined && context.id !== OUTSIDE_CHECKS) throw new Stopped(stopOfChecks);
    await this.pace.waitForTurn(template);
    if (this.access.excludes(context)) await this.access.waitFor(context);
  }

  /**
   * What to do about an exchange.
   * @param about the template of its request
   * @param sentAt when the request was sent, on the clock of `performance.now()`
   * @param waits how often the store has been waited for
   */
  private nextStep(exchange: Exchange, about: RequestTemplate, sentAt: number, waits: number): NextStep {
    if (exchange.kind === 'broken' && exchange.fault.kind === 'unsolicited-continue')
      return { kind: 'use raw sockets' };
    if (isFinalOfGateway(exchange)) return { kind: 'judge the gateway' };
    if (this.transport.isOverloaded(exchange, about, sentAt)) return { kind: 'lower concurrency' };
    const ms = pauseAsked(exchange);
    if (ms !== undefined) return { kind: 'pause', ms };
    if (exchange.wentAway) return { kind: waits === 0 ? 'wait for the store' : 'judge the store' };
    const maxWaits = isFromGateway(exchange) ? 1 : MAX_WAITS_FOR_STORE;
    return {
      kind: didNotReachStore(exchange) && waits < maxWaits ? 'wait for the store' : 'judge the store',
    };
  }

  /** Returns the exchange once the store, if it may have ceased to serve, has been asked. */
  private async afterOutage(exchange: Exchange, context: RequestContext): Promise<Exchange> {
    const { state, recovery } = this.options;
    const { outage } = this.transport;
    const ask = async () => {
      if (state.stop === undefined && (outage.isSuspected || outage.isCertain || outage.answersTooMuch))
        await recovery.duringOutage(outage, context, this);
    };
    // A store that fails while several requests are in flight may serve one at a time.
    if (outage.isSuspected && !this.access.isHeldBy(context))
      await this.access.exclusively({ ...context }, ask);
    else await ask();
    return exchange;
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
        last = (await this.transport.sendOnce(template, id, context)).exchange;
        if (pauseAsked(last) === undefined) return last;
      }
      this.hasFinal503 = true;
      return last;
    };
    return this.access.isHeldBy(context) ? work() : this.access.exclusively({ ...context }, work);
  }

  /** Whether the store serves an ordinary plant now. */
  private async serves(context: RequestContext): Promise<boolean> {
    return pauseAsked(await this.sendProbe(this.options.probe, context)) === undefined;
  }
}

const isBusy = ({ response }: Exchange): boolean => response?.status === 503;
