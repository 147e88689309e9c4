import { setTimeout as sleep } from 'node:timers/promises';
import type { Draft } from '../payloads/case.ts';
import type { Exchange, HeaderPair, Request } from '../wire/exchange.ts';
import type { Wire } from '../wire/wire.ts';
import { isAway } from './away.ts';
import type { Collisions } from './collisions.ts';
import { fill, withUsual } from './fill.ts';
import { type Errand, Gate } from './gate.ts';
import { LatencyLog } from './latency.ts';
import type { Stop } from './result.ts';
import { Stopped } from './stopped.ts';

export interface SenderOptions {
  readonly token: string;
  readonly headers: readonly HeaderPair[];
  /** Parameters of the query of every request. */
  readonly query?: readonly HeaderPair[];
  /** Requests per second at most. */
  readonly rate: number | undefined;
  /** Requests after which no other is sent. */
  readonly maxRequests: number | undefined;
  /** Milliseconds that a run waits in all because a store asks it to. */
  readonly patience: number;
  readonly collisions: Collisions;
  readonly onExchange: (exchange: Exchange, draft: Draft, errand: Errand) => void;
  /** An ordinary plant, to see whether the store serves anything. */
  readonly control: () => Draft;
  /** Waits until a store that a request did not reach is there again; false where it does not come back. */
  readonly recovered: (errand: Errand, draft: Draft) => Promise<boolean>;
}

const LONGEST_WAIT = 30_000;
/** The longest wait after which a 503 is still believed, in waits that the store asked for. */
const MAX_503_WAITS = 4;

/**
 * Sends drafts at the pace that the user and the store ask for. 429 is waited out and never judged, and so is a 503
 * that says when to come again: unless the request gets it with nothing else on its way, while an ordinary one is
 * served. What did not get as far as the store is sent once more when that is back.
 */
export class Sender {
  requests = 0;
  latency = new LatencyLog();
  private readonly wire: Wire;
  private readonly options: SenderOptions;
  private readonly gate = new Gate();
  private stop: Stop | undefined;
  private begun = 0;
  /** Milliseconds that were waited because the store asked for it. */
  waited = 0;
  private pausedUntil = 0;
  private nextSlot = 0;

  constructor(wire: Wire, options: SenderOptions) {
    this.wire = wire;
    this.options = { ...options, headers: withUsual(options.headers) };
  }

  /** From now on nothing is sent. */
  halt(stop: Stop): void {
    this.stop ??= stop;
  }

  /** Counts from here on. */
  forget(): void {
    this.requests = 0;
    this.latency = new LatencyLog();
  }

  /** Waits for what is on its way, and does `work` while nothing else is sent. */
  alone<T>(errand: Errand, work: () => Promise<T>): Promise<T> {
    return this.gate.alone(errand, work);
  }

  /**
   * Sends a request.
   * @param toBeAccepted whether it is wrong to reject it; where its id or name is in use already, it is sent again
   *   with other fresh values
   * @throws Stopped when the run has ended
   */
  async send(
    draft: Draft,
    freshId: bigint,
    errand: Errand,
    toBeAccepted = draft.ordinary === true,
  ): Promise<Exchange> {
    const first = await this.deliver(draft, freshId, errand);
    const exchange = toBeAccepted
      ? await this.options.collisions.resolve(first, draft, errand.ids, {
          deliver: (other, id) => this.deliver(other, id, errand),
          report: (one, other) => this.options.onExchange(one, other, errand),
        })
      : first;
    this.options.onExchange(exchange, draft, errand);
    return exchange;
  }

  /**
   * Sends a request as it is, whatever the store says of its id and name.
   * @throws Stopped when the run has ended
   */
  async resend(draft: Draft, id: bigint, errand: Errand): Promise<Exchange> {
    const exchange = await this.deliver(draft, id, errand);
    this.options.onExchange(exchange, draft, errand);
    return exchange;
  }

  private async deliver(draft: Draft, freshId: bigint, errand: Errand): Promise<Exchange> {
    let id = freshId;
    let hasWaited = false;
    let left = draft;
    for (let attempt = 1; ; attempt += 1) {
      await this.pace();
      if (this.gate.isClosedTo(errand)) await this.gate.openTo(errand);
      const { atOnce } = this.wire;
      const { exchange, isOwn } = await this.once(left, id, errand);
      if (exchange.kind === 'broken' && exchange.fault.kind === 'unasked-continue') {
        this.wire.speakPlainly();
        id = errand.ids.aside();
        continue;
      }
      const pause = pauseAsked(exchange);
      if (pause === undefined) {
        if (isAway(exchange) && !hasWaited) {
          hasWaited = true;
          if (await this.options.recovered(errand, draft)) continue;
        }
        return exchange;
      }
      // Waiting alone has not helped: perhaps it takes fewer at once. What was on its way by then says it no second time.
      if (attempt > 1 && atOnce === this.wire.atOnce) this.wire.narrow();
      if (isBusy(exchange) && atOnce === 1) return this.insist(alone(left), id, errand, pause);
      // What comes before it has come, or is put off each time, and may be what the store is busy with.
      if (isOwn || attempt > 1) left = alone(left);
      this.pause(pause);
    }
  }

  /**
   * Sends a request that was answered 503, with nothing else on its way and ever longer waits, until there is another
   * answer, or an ordinary request gets one and this does not. Then the 503 is its own.
   */
  private insist(draft: Draft, id: bigint, errand: Errand, pause: number): Promise<Exchange> {
    const afterWaiting = async (ms: number) => {
      this.pause(ms);
      await this.pace();
      return (await this.once(draft, id, errand)).exchange;
    };
    const work = async () => {
      for (let wait = pause; ; wait = Math.min(2 * wait, LONGEST_WAIT)) {
        const exchange = await afterWaiting(wait);
        if (pauseAsked(exchange) === undefined) return exchange;
        if (wait < MAX_503_WAITS * pause) continue;
        this.pause(wait);
        if (!(await this.serves(errand))) continue;
        const again = await afterWaiting(wait);
        if (pauseAsked(again) === undefined || isBusy(again)) return again;
      }
    };
    return this.gate.isHeldBy(errand) ? work() : this.gate.alone({ ...errand }, work);
  }

  /** Sends a request once, whoever has the store to itself and whatever the answer asks for. */
  async ask(draft: Draft, errand: Errand): Promise<Exchange> {
    await this.pace();
    const { exchange } = await this.once(draft, errand.ids.aside(), errand);
    this.options.onExchange(exchange, draft, errand);
    return exchange;
  }

  /** Whether an ordinary plant is served now. */
  private async serves(errand: Errand): Promise<boolean> {
    return pauseAsked(await this.ask(this.options.control(), errand)) === undefined;
  }

  /** @returns whether the exchange is its own, or of what comes before it, for which both have to be put off */
  private async once(
    draft: Draft,
    id: bigint,
    errand: Errand,
  ): Promise<{ readonly exchange: Exchange; readonly isOwn: boolean }> {
    const { authority: host, prefix } = this.wire.endpoint;
    const { token, headers, query = [] } = this.options;
    const made = (one: Draft, own: bigint) => fill(one, own, { token, host, prefix, headers, query });
    const again = (one: Draft) => () => {
      this.begun += 1;
      this.requests += 1;
      // The store may have created the plant before the connection was closed.
      return made(one, errand.ids.aside());
    };
    const send = (one: Draft) => this.wire.send(made(one, id), again(one));
    /** What is made for the first time goes out as it is. */
    const inTurn = (one: Draft) => {
      let isFirst = true;
      return () => {
        const request = isFirst ? made(one, id) : again(one)();
        isFirst = false;
        return request;
      };
    };
    this.countOff();
    if (draft.after !== undefined) this.countOff();
    this.gate.enter();
    const [exchange, before] = await sendAfter(draft, this.wire, send, inTurn).finally(() =>
      this.gate.leave(),
    );
    if (draft.after !== undefined) this.requests += 1;
    this.requests += 1;
    if (draft.after !== undefined && before !== undefined) {
      if (pauseAsked(before) !== undefined || isAway(before))
        return { exchange: { ...before, request: exchange.request }, isOwn: false };
      this.options.onExchange(before, draft.after.draft, errand);
    }
    if (this.stop !== undefined) throw new Stopped(this.stop);
    const isAnswer = exchange.kind === 'answered' && pauseAsked(exchange) === undefined;
    // The pauses of a delivery are ours.
    if (isAnswer && exchange.request.method === 'POST' && draft.delivery === undefined)
      this.latency.add(exchange.ms);
    return { exchange, isOwn: true };
  }

  /**
   * @throws Stopped when the run has ended, or when there have been as many requests as the user allows; those on
   *   their way are waited for
   */
  private countOff(): void {
    if (this.stop !== undefined) throw new Stopped(this.stop);
    const { maxRequests = Number.POSITIVE_INFINITY } = this.options;
    if (this.begun >= maxRequests)
      throw new Stopped({
        kind: 'limit',
        reason: `the run was cut off after ${maxRequests} requests`,
        remedy: 'allow it more with --max-requests',
      });
    this.begun += 1;
  }

  private pause(ms: number): void {
    const until = Date.now() + ms;
    if (until <= this.pausedUntil) return;
    this.waited += until - Math.max(this.pausedUntil, Date.now());
    this.pausedUntil = until;
    if (this.waited > this.options.patience) {
      this.halt({
        kind: 'throttled',
        reason: `the store asks to wait (429, or 503 with Retry-After), and ${Math.round(this.options.patience / 1000)} s of waiting did not do`,
        remedy: 'send fewer a second with --rate, or lift the limit for the run',
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

  /** @throws Stopped when the run has ended meanwhile */
  private async until(time: number): Promise<void> {
    for (let left = time - Date.now(); left > 0; left = time - Date.now()) {
      await sleep(Math.min(left, 250));
      if (this.stop !== undefined) throw new Stopped(this.stop);
    }
  }
}

/**
 * Sends a request, after the one that comes before it where there is one.
 * @returns both exchanges, its own first
 */
async function sendAfter(
  draft: Draft,
  wire: Wire,
  send: (draft: Draft) => Promise<Exchange>,
  inTurn: (draft: Draft) => () => Request,
): Promise<readonly [own: Exchange, before?: Exchange]> {
  const { after } = draft;
  if (after === undefined) return [await send(draft)];
  switch (after.connection) {
    case 'other': {
      const before = await send(after.draft);
      return [await send({ ...draft, delivery: { ...draft.delivery, freshConnection: true } }), before];
    }
    case 'beside':
      return Promise.all([send(draft), send(after.draft)]);
    default: {
      // To a store that takes one request at a time, two are never on their way.
      const pipelined = after.connection === 'pipelined' && wire.atOnce > 1;
      const exchanges = await wire.sendInTurn([inTurn(after.draft), inTurn(draft)], { pipelined });
      const [before, own] = exchanges;
      if (own === undefined) throw new Error('a request was not sent');
      return before === undefined ? [own] : [own, before];
    }
  }
}

/** The request without what comes before it. */
const alone = ({ after: _, ...draft }: Draft): Draft => draft;

const isBusy = ({ response }: Exchange): boolean => response?.status === 503;

/** Milliseconds that an answer asks to wait before the same request is sent again; undefined where it is an answer. */
function pauseAsked(exchange: Exchange): number | undefined {
  const { response } = exchange;
  if (response === undefined || (response.status !== 429 && response.status !== 503)) return undefined;
  const after = response.headers.find(([name]) => name.toLowerCase() === 'retry-after')?.[1];
  // A 503 without a time to come back is a server error like any other.
  if (response.status === 503 && after === undefined) return undefined;
  const asked =
    after === undefined
      ? Number.NaN
      : /^\d+$/.test(after)
        ? Number(after) * 1000
        : Date.parse(after) - Date.now();
  return Math.min(Math.max(Number.isFinite(asked) ? asked : 1000, 50), LONGEST_WAIT);
}
