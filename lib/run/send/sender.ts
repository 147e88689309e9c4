import { statusOf } from '../../judge/reading.ts';
import { type RequestTemplate, withoutPreceding } from '../../payloads/test-case.ts';
import { type Exchange, failedBy } from '../../wire/exchange.ts';
import type { HttpClient } from '../../wire/http-client.ts';
import { OUTSIDE_CHECKS } from '../plan/plan.ts';
import { type RunState, Stopped } from '../run-state.ts';
import type { Collisions } from './collisions.ts';
import { ConcurrencyBackoff } from './concurrency-backoff.ts';
import { ExclusiveAccess } from './exclusive-access.ts';
import { type Limits, Pace, pauseAsked } from './pace.ts';
import type { Recovery } from './recovery.ts';
import type { RequestContext } from './request-context.ts';
import { isFinalOfGateway, Transport, type TransportOptions } from './transport.ts';
import { didNotReachStore, isFromGateway } from './unreachable.ts';

interface SenderOptions extends TransportOptions, Limits {
  readonly collisions: Collisions;
  readonly recovery: Recovery;
  readonly state: RunState;
  readonly probe: RequestTemplate;
}

/** Several, since another request may kill the store while this one waits. A gateway gets only one. */
const MAX_WAITS_FOR_STORE = 5;
/**
 * The order in which to send ordinary requests (`true`) and repetitions of a request that got a 503. The 503
 * is final if all of the former pass and none of the latter does.
 */
const IS_ORDINARY_IN_ORDER: readonly boolean[] = [true, false, true, true, false, false, true];

interface Attempt {
  readonly template: RequestTemplate;
  readonly id: bigint;
  /** Counts from 1. */
  readonly number: number;
  readonly waits: number;
}

/** The result of an attempt: an exchange to judge, or what to change for the next attempt. */
type AttemptResult = { readonly judge: Exchange } | { readonly retry: Partial<Attempt> };

/**
 * Sends each template until there is a response to judge. Waits out a 429, a 503 with Retry-After (unless
 * only this request keeps getting it), and an outage of the store.
 */
export class Sender {
  private readonly client: HttpClient;
  private readonly options: SenderOptions;
  private readonly access = new ExclusiveAccess();
  private readonly backoff: ConcurrencyBackoff;
  readonly pace: Pace;
  readonly transport: Transport;
  /** Whether a 503 was final for some request, so that it may be for others, too. */
  private hasFinal503 = false;

  constructor(client: HttpClient, options: SenderOptions) {
    this.client = client;
    this.backoff = new ConcurrencyBackoff(client);
    this.options = options;
    this.pace = new Pace(options.state, options);
    // With a rate, more concurrency would be of no use.
    const maxConcurrency = options.rate === undefined ? options.maxConcurrency : client.concurrencyLimit;
    this.transport = new Transport(client, this.pace, this.access, { ...options, maxConcurrency });
  }

  /** Waits for the requests in flight, then runs `work` while only this context may send requests. */
  exclusively<T>(context: RequestContext, work: () => Promise<T>): Promise<T> {
    return this.access.exclusively(context, work);
  }

  /**
   * Sends a request, and reports the exchange to the monitor.
   * @param toBeAccepted whether to send it again with other fresh values if its id or name is in use
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
          report: (one, other) => this.options.monitor.onExchange(one, other, context),
        })
      : first;
    this.options.monitor.onExchange(exchange, template, context);
    return exchange;
  }

  closeIdleConnections(): Promise<void> {
    return this.client.closeIdle();
  }

  useOneConnection(): void {
    this.transport.concurrency.stopRaising();
    this.client.setConcurrencyLimit(1);
  }

  /** Sends a request once, ignoring exclusive access: it waits for its turn, but is not sent again. */
  async sendProbe(template: RequestTemplate, context: RequestContext): Promise<Exchange> {
    await this.pace.waitForSlot(template);
    const { exchange } = await this.transport.sendOnce(template, context.ids.retryId(), context);
    this.options.monitor.onExchange(exchange, template, context);
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
      if ('judge' in result) return result.judge;
      attempt = { ...attempt, ...result.retry, number: attempt.number + 1 };
    }
  }

  private async tryOnce(attempt: Attempt, context: RequestContext): Promise<AttemptResult> {
    const { template, id, waits } = attempt;
    await this.waitUntilAllowed(template, context);
    const { concurrencyLimit } = this.client;
    const sentAt = performance.now();
    const { exchange, about } = await this.transport.send(template, id, context, waits > 0);
    const isOwn = about === template;
    if (failedBy(exchange, 'unsolicited-continue')) {
      this.client.useRawSockets();
      return { retry: { id: context.ids.retryId() } };
    }
    if (isFinalOfGateway(exchange)) return { judge: exchange };
    if (this.transport.isOverloaded(exchange, about, sentAt)) {
      this.transport.failedWhenRaised += 1;
      this.transport.concurrency.stopRaising();
      return { retry: { id: context.ids.retryId() } };
    }
    const pauseMs = pauseAsked(exchange);
    if (pauseMs !== undefined) {
      const isRepeated = attempt.number > 1;
      // Waiting was not enough, so lower the concurrency, but only once for requests that were in flight
      // together.
      if (isRepeated && concurrencyLimit === this.client.concurrencyLimit) {
        this.transport.concurrency.stopRaising();
        this.backoff.lower();
      }
      const single = withoutPreceding(template);
      if (statusOf(exchange) === 503 && (isRepeated || this.hasFinal503)) {
        const settled = await this.isolate503(single, id, context);
        if (settled !== undefined) return { judge: settled };
      }
      this.pace.pause(pauseMs, statusOf(exchange) === 429);
      // Do not repeat the preceding request: it has been answered, or it is rejected each time and is
      // perhaps what keeps the store busy.
      return { retry: isOwn || isRepeated ? { template: single } : {} };
    }
    this.backoff.recordAnswer();
    const maxWaits = exchange.wentAway || isFromGateway(exchange) ? 1 : MAX_WAITS_FOR_STORE;
    if ((exchange.wentAway || didNotReachStore(exchange)) && waits < maxWaits) {
      const isBack = await this.options.recovery.whileAway(exchange, sentAt, context, template, this);
      if (isBack || !isOwn) return { retry: { waits: waits + 1 } };
    }
    await this.checkForOutage(context);
    return { judge: exchange };
  }

  /** @throws Stopped if the run has ended, or if the checks have ended and a check sends this request */
  private async waitUntilAllowed(template: RequestTemplate, context: RequestContext): Promise<void> {
    const { stopOfChecks } = this.options.state;
    if (stopOfChecks !== undefined && context.id !== OUTSIDE_CHECKS) throw new Stopped(stopOfChecks);
    await this.pace.waitForSlot(template);
    if (this.access.excludes(context)) await this.access.waitFor(context);
  }

  /** Probes the store if it may no longer serve requests. */
  private async checkForOutage(context: RequestContext): Promise<void> {
    const { state, recovery } = this.options;
    const { outage } = this.transport;
    const probe = async () => {
      if (state.stop === undefined && (outage.isSuspected || outage.mostTimeOut || outage.answersTooMuch))
        await recovery.duringOutage(outage, context, this);
    };
    // A store that fails with several requests in flight may serve one at a time.
    if (outage.isSuspected) await this.alone(context, probe);
    else await probe();
  }

  /**
   * Finds out whether a 503 is about this request alone: sends it and ordinary requests, one at a time.
   * @returns the response to judge: one that asks for no wait, or the 503 if ordinary requests are served
   */
  private isolate503(
    template: RequestTemplate,
    id: bigint,
    context: RequestContext,
  ): Promise<Exchange | undefined> {
    return this.alone(context, async () => {
      let last: Exchange | undefined;
      for (const isOrdinary of IS_ORDINARY_IN_ORDER) {
        if (isOrdinary) {
          const probed = await this.sendProbe(this.options.probe, context);
          if (pauseAsked(probed) !== undefined) return undefined;
          continue;
        }
        last = (await this.transport.sendOnce(template, id, context)).exchange;
        if (pauseAsked(last) === undefined) return last;
      }
      this.hasFinal503 = true;
      return last;
    });
  }

  /** Runs `work` while no other request is in flight, not even one of the same context. */
  private alone<T>(context: RequestContext, work: () => Promise<T>): Promise<T> {
    return this.access.isHeldBy(context) ? work() : this.access.exclusively({}, work);
  }
}
