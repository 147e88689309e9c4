import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestTemplate } from '../../payloads/test-case.ts';
import type { Exchange } from '../../wire/exchange.ts';
import { headerValue } from '../../wire/headers.ts';
import type { Stop } from '../result/result.ts';
import { type RunState, Stopped } from '../run-state.ts';

const MAX_RETRY_AFTER_MS = 30_000;
/** Maximum total time that a run waits at the store's request. */
const MAX_WAIT_MS = 300_000;
/** Requests are spaced out after this much waiting, if that takes less time than the pauses. */
const SPACING = { afterWaitingMs: 4000, firstMs: 4, maxMs: 20, factor: 1.5 } as const;

export interface Limits {
  readonly rate: number | undefined;
  readonly maxRequests: number | undefined;
  /** Maximum total time to wait at the store's request, in milliseconds. */
  readonly maxWaitMs?: number;
}

/** How fast, and how many requests, the user and the store allow a run to send. */
export class Pace {
  /** Milliseconds spent waiting at the store's request. */
  waitedMs = 0;
  private readonly state: RunState;
  private readonly maxRequests: number;
  private readonly maxWaitMs: number;
  /** Number of requests sent since the start of the run, whether or not their outcome is known. */
  private sent = 0;
  private sentAtLastWait = 0;
  private pausedUntil = 0;
  private nextSlot = 0;
  /** Milliseconds between two requests. */
  private spacing: number;
  /** Set if the store asks for longer waits than the run allows. */
  private throttled: Stop | undefined;

  constructor(
    state: RunState,
    { rate, maxRequests = Number.POSITIVE_INFINITY, maxWaitMs = MAX_WAIT_MS }: Limits,
  ) {
    this.state = state;
    this.maxWaitMs = maxWaitMs;
    this.maxRequests = maxRequests;
    this.spacing = rate === undefined ? 0 : 1000 / rate;
  }

  /** @throws Stopped if nothing more may be sent */
  requireGoing(): void {
    const stop = this.throttled ?? (this.state.signal.aborted ? this.state.stop : undefined);
    if (stop !== undefined) throw new Stopped(stop);
  }

  /** @throws Stopped if the run has ended, or ends meanwhile */
  async waitForSlot({ preceding }: RequestTemplate): Promise<void> {
    await this.until(() => this.pausedUntil);
    if (this.spacing === 0) return;
    const slot = Math.max(Date.now(), this.nextSlot);
    this.nextSlot = slot + this.spacing * (preceding === undefined ? 1 : 2);
    await this.until(() => slot);
  }

  /**
   * Counts a request about to be sent. When the limit is reached, requests in flight may still complete.
   * @throws Stopped if the run has ended, or the user's limit on requests is reached
   */
  count(): void {
    this.requireGoing();
    if (this.sent >= this.maxRequests)
      throw new Stopped({
        kind: 'limit',
        reason: `the run reached its limit of ${this.maxRequests} requests`,
        remedy: 'raise --max-requests',
      });
    this.sent += 1;
  }

  /** Counts a request that the client repeats of its own accord. */
  countResent(): void {
    this.sent += 1;
  }

  /**
   * Pauses the run. If a rate limit (429) requires pauses often, also slows down from then on. A 503 is not
   * about the rate.
   */
  pause(ms: number, isRateLimit: boolean): void {
    const until = Date.now() + ms;
    if (until <= this.pausedUntil) return;
    // Other requests were in flight when the pause began, and are told the same.
    const isKnown = Date.now() < this.pausedUntil;
    this.waitedMs += until - Math.max(this.pausedUntil, Date.now());
    this.pausedUntil = until;
    if (isRateLimit && !isKnown && this.waitedMs > SPACING.afterWaitingMs) this.spaceOut(ms);
    this.sentAtLastWait = this.sent;
    if (this.waitedMs > this.maxWaitMs) {
      this.throttled ??= {
        kind: 'throttled',
        reason: `the store still limits requests (429, or 503 with Retry-After) after ${Math.round(this.maxWaitMs / 1000)} s of waiting`,
        remedy: 'set a lower --rate, or lift the rate limit of the store for the run',
      };
    }
  }

  /** Spaces requests out more, unless pauses of this length take less time. */
  private spaceOut(pauseMs: number): void {
    const wider = Math.max(SPACING.firstMs, this.spacing * SPACING.factor);
    const addedMs = (this.sent - this.sentAtLastWait) * (wider - this.spacing);
    if (addedMs < pauseMs && this.spacing < SPACING.maxMs) this.spacing = wider;
  }

  private async until(time: () => number): Promise<void> {
    for (;;) {
      this.requireGoing();
      const msLeft = time() - Date.now();
      if (msLeft <= 0) return;
      await sleep(Math.min(msLeft, 250));
    }
  }
}

/** Returns for how many ms a response asks to pause before a retry; undefined if the response is final. */
export function pauseAsked({ response }: Exchange): number | undefined {
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
