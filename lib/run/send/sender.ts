import { setTimeout as sleep } from 'node:timers/promises';
import { isOutsideContract, type RequestTemplate } from '../../payloads/test-case.ts';
import type { Exchange, HeaderPair, Request } from '../../wire/exchange.ts';
import type { HttpClient } from '../../wire/http-client.ts';
import type { Stop } from '../result/result.ts';
import type { Collisions } from './collisions.ts';
import { ExclusiveAccess } from './exclusive-access.ts';
import { fill, withUsual } from './fill.ts';
import { Growth } from './growth.ts';
import { LatencyLog } from './latency.ts';
import type { RequestContext } from './request-context.ts';
import { Stopped } from './stopped.ts';
import { isAway } from './unreachable.ts';

export interface SenderOptions {
  readonly token: string;
  readonly headers: readonly HeaderPair[];
  /** Query parameters of every request. */
  readonly query?: readonly HeaderPair[];
  /** Maximum requests per second. */
  readonly rate: number | undefined;
  /** Requests in flight at most if the store is distant. */
  readonly maxConcurrency: number;
  readonly maxRequests: number | undefined;
  /** Maximum total milliseconds of waiting because the store asks for it. */
  readonly maxWaitMs: number;
  readonly collisions: Collisions;
  readonly onExchange: (exchange: Exchange, template: RequestTemplate, context: RequestContext) => void;
  /** Makes an ordinary plant, to see whether the store serves anything. */
  readonly control: () => RequestTemplate;
  /** Waits for a store that a request did not reach; resolves with false if it does not come back. */
  readonly recovered: (
    exchange: Exchange,
    context: RequestContext,
    template: RequestTemplate,
  ) => Promise<boolean>;
}

const MAX_RETRY_AFTER_MS = 30_000;
/**
 * A 503 is retried with waits of up to this multiple of what the store first asked for, before it may be
 * final.
 */
const MAX_503_WAITS = 4;

/**
 * Sends request templates at the pace that the user and the store ask for. A 429 or a 503 with Retry-After is
 * waited out and not judged, except a 503 that a request gets with nothing else under way while an ordinary
 * request is served. A request that did not reach the store is sent again once the store is back.
 */
export class Sender {
  requests = 0;
  latency = new LatencyLog();
  private readonly client: HttpClient;
  private readonly options: SenderOptions;
  private readonly access = new ExclusiveAccess();
  private readonly growth: Growth;
  private stop: Stop | undefined;
  private sent = 0;
  /** Milliseconds spent waiting because the store asked for it. */
  waited = 0;
  private pausedUntil = 0;
  private nextSlot = 0;

  constructor(client: HttpClient, options: SenderOptions) {
    this.client = client;
    this.options = { ...options, headers: withUsual(options.headers) };
    this.growth = new Growth(client, options.rate === undefined ? options.maxConcurrency : 0);
  }

  /** Stops all further requests. */
  halt(stop: Stop): void {
    this.stop ??= stop;
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
    const first = await this.deliver(template, freshId, context);
    const exchange = toBeAccepted
      ? await this.options.collisions.resolve(first, template, context.ids, {
          deliver: (other, id) => this.deliver(other, id, context),
          report: (one, other) => this.options.onExchange(one, other, context),
        })
      : first;
    this.options.onExchange(exchange, template, context);
    return exchange;
  }

  /**
   * Sends a request as it is, even if its id or name is in use.
   * @throws Stopped if the run has ended
   */
  async resend(template: RequestTemplate, id: bigint, context: RequestContext): Promise<Exchange> {
    const exchange = await this.deliver(template, id, context);
    this.options.onExchange(exchange, template, context);
    return exchange;
  }

  private async deliver(
    template: RequestTemplate,
    freshId: bigint,
    context: RequestContext,
  ): Promise<Exchange> {
    let id = freshId;
    let hasWaited = false;
    let left = template;
    for (let attempt = 1; ; attempt += 1) {
      await this.pace();
      if (this.access.excludes(context)) await this.access.waitFor(context);
      const { concurrencyLimit } = this.client;
      const { exchange, isOwn } = await this.once(left, id, context);
      if (exchange.kind === 'broken' && exchange.fault.kind === 'unasked-continue') {
        this.client.useRawSockets();
        id = context.ids.aside();
        continue;
      }
      const pause = pauseAsked(exchange);
      if (this.growth.isAbove(concurrencyLimit) && mayBeOverloaded(exchange, left)) {
        this.growth.end();
        id = context.ids.aside();
        continue;
      }
      if (pause === undefined) {
        if (isAway(exchange) && !hasWaited) {
          hasWaited = true;
          if (await this.options.recovered(exchange, context, template)) continue;
        }
        return exchange;
      }
      // Waiting did not suffice, so lower the concurrency, but once only for requests that were under way
      // together.
      if (attempt > 1 && concurrencyLimit === this.client.concurrencyLimit) {
        this.growth.end();
        this.client.lowerConcurrency();
      }
      if (isBusy(exchange) && concurrencyLimit === 1)
        return this.insist(withoutPredecessor(left), id, context, pause);
      // The preceding request has been sent, or is rejected each time and may be what keeps the store busy.
      if (isOwn || attempt > 1) left = withoutPredecessor(left);
      this.pause(pause);
    }
  }

  /**
   * Retries a request that was answered 503, exclusively and with growing waits, until the status changes, or
   * until an ordinary request is served while this one is not. The 503 is then its final response.
   */
  private insist(
    template: RequestTemplate,
    id: bigint,
    context: RequestContext,
    pause: number,
  ): Promise<Exchange> {
    const afterWaiting = async (ms: number) => {
      this.pause(ms);
      await this.pace();
      return (await this.once(template, id, context)).exchange;
    };
    const work = async () => {
      for (let wait = pause; ; wait = Math.min(2 * wait, MAX_RETRY_AFTER_MS)) {
        const exchange = await afterWaiting(wait);
        if (pauseAsked(exchange) === undefined) return exchange;
        if (wait < MAX_503_WAITS * pause) continue;
        this.pause(wait);
        if (!(await this.serves(context))) continue;
        const again = await afterWaiting(wait);
        if (pauseAsked(again) === undefined || isBusy(again)) return again;
      }
    };
    return this.access.isHeldBy(context) ? work() : this.access.exclusively({ ...context }, work);
  }

  /** Sends a request once, regardless of exclusive access and of what the response asks for. */
  async sendOnce(template: RequestTemplate, context: RequestContext): Promise<Exchange> {
    await this.pace();
    const { exchange } = await this.once(template, context.ids.aside(), context);
    this.options.onExchange(exchange, template, context);
    return exchange;
  }

  /** Whether the store serves an ordinary plant now. */
  private async serves(context: RequestContext): Promise<boolean> {
    return pauseAsked(await this.sendOnce(this.options.control(), context)) === undefined;
  }

  /**
   * @returns `isOwn` is false if the exchange is that of the preceding request, for which both must be
   * retried
   */
  private async once(
    template: RequestTemplate,
    id: bigint,
    context: RequestContext,
  ): Promise<{ readonly exchange: Exchange; readonly isOwn: boolean }> {
    const { authority: host, prefix } = this.client.endpoint;
    const { token, headers, query = [] } = this.options;
    const made = (one: RequestTemplate, own: bigint) =>
      fill(one, own, { token, host, prefix, headers, query });
    const again = (one: RequestTemplate) => () => {
      this.sent += 1;
      this.requests += 1;
      // The store may have created the plant before the connection was closed.
      return made(one, context.ids.aside());
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
    this.countOff();
    if (template.preceding !== undefined) this.countOff();
    this.access.enter();
    const [exchange, before] = await sendAfter(template, this.client, send, inSequence).finally(() =>
      this.access.leave(),
    );
    if (template.preceding !== undefined) this.requests += 1;
    this.requests += 1;
    if (template.preceding !== undefined && before !== undefined) {
      if (pauseAsked(before) !== undefined || isAway(before))
        return { exchange: { ...before, request: exchange.request }, isOwn: false };
      this.options.onExchange(before, template.preceding.template, context);
    }
    if (this.stop !== undefined) throw new Stopped(this.stop);
    const isAnswer = exchange.kind === 'answered' && pauseAsked(exchange) === undefined;
    // A delivery contains pauses of our own.
    if (isAnswer && exchange.request.method === 'POST' && template.delivery === undefined)
      this.recordTime(exchange.ms);
    return { exchange: before === undefined ? exchange : { ...exchange, preceding: before }, isOwn: true };
  }

  private recordTime(ms: number): void {
    this.latency.add(ms);
    this.growth.add(ms);
  }

  /**
   * Counts a request. Requests under way when the limit is reached are still waited for.
   * @throws Stopped if the run has ended, or the user's limit on requests is reached
   */
  private countOff(): void {
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
    this.waited += until - Math.max(this.pausedUntil, Date.now());
    this.pausedUntil = until;
    if (this.waited > this.options.maxWaitMs) {
      this.halt({
        kind: 'throttled',
        reason: `the store still limits requests (429, or 503 with Retry-After) after ${Math.round(this.options.maxWaitMs / 1000)} s of waiting`,
        remedy: 'set a lower --rate, or lift the rate limit of the store for the run',
      });
    }
  }

  private async pace(): Promise<void> {
    for (;;) {
      if (this.stop !== undefined) throw new Stopped(this.stop);
      const now = Date.now();
      if (now < this.pausedUntil) {
        await sleep(Math.min(this.pausedUntil - now, 250));
        continue;
      }
      if (this.options.rate === undefined) return;
      const slot = Math.max(now, this.nextSlot);
      this.nextSlot = slot + 1000 / this.options.rate;
      await this.until(slot);
      return;
    }
  }

  /** @throws Stopped if the run ends meanwhile */
  private async until(time: number): Promise<void> {
    for (let left = time - Date.now(); left > 0; left = time - Date.now()) {
      await sleep(Math.min(left, 250));
      if (this.stop !== undefined) throw new Stopped(this.stop);
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
    case 'beside':
      return Promise.all([send(template), send(preceding.template)]);
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

/** Whether so many requests in flight may be what went wrong. */
const mayBeOverloaded = ({ response }: Exchange, template: RequestTemplate): boolean =>
  !isOutsideContract(template) &&
  template.delivery?.abortAfter === undefined &&
  (response === undefined || response.status >= 500 || response.status === 429);

const isBusy = ({ response }: Exchange): boolean => response?.status === 503;

/** Milliseconds to wait before a retry, as a response asks; undefined if it is a final response. */
function pauseAsked(exchange: Exchange): number | undefined {
  const { response } = exchange;
  if (response === undefined || (response.status !== 429 && response.status !== 503)) return undefined;
  const after = response.headers.find(([name]) => name.toLowerCase() === 'retry-after')?.[1];
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
