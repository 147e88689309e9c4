import type { HttpClient } from '../../wire/http-client.ts';

/** If even the fastest answer takes this long, the network is the likely reason, not a busy machine. */
const DISTANT_MS = 20;
/** Answers from which a median is taken, as a multiple of the requests in flight. */
const WINDOW = 2;
/** A median this many times the first one shows that the store has become slower. */
const MAX_RISE = 1.3;
const FACTOR = 2;

/**
 * Sends more requests at a time to a distant store, as long as that does not make its answers slower, and fewer if it
 * does. A failure at raised concurrency is not judged: the request is resent at the usual concurrency.
 */
export class AdaptiveConcurrency {
  private readonly client: HttpClient;
  private readonly usual: number;
  private max: number;
  private times: number[] = [];
  /** Answers to requests that were under way when the limit changed. */
  private ignored = 0;
  /** The median while no more than usual were in flight. */
  private atRest: number | undefined;
  /** When the limit was last raised above the usual one. */
  private raisedUntil = Number.NEGATIVE_INFINITY;

  /** @param max requests in flight at most; no more than the client allows now means no growth */
  constructor(client: HttpClient, max: number) {
    this.client = client;
    this.usual = client.concurrencyLimit;
    this.max = max;
  }

  /** Whether more requests than usual may have been in flight since then, on the clock of `performance.now()`. */
  wasRaisedSince(time: number): boolean {
    return this.isRaised || this.raisedUntil >= time;
  }

  /** Takes the milliseconds of an answer into account. */
  add(ms: number): void {
    if (this.max <= this.usual) return;
    if (this.ignored > 0) {
      this.ignored -= 1;
      return;
    }
    this.times.push(ms);
    const limit = this.client.concurrencyLimit;
    if (this.times.length < limit * WINDOW) return;
    const sorted = this.times.toSorted((a, b) => a - b);
    const [fastest = 0, median = 0] = [sorted[0], sorted[limit]];
    this.times = [];
    if (fastest < DISTANT_MS) return;
    if (limit <= this.usual) this.atRest = median;
    const isSlower = median > (this.atRest ?? 0) * MAX_RISE;
    if (isSlower) this.max = Math.max(this.usual, limit / FACTOR);
    const next = Math.min(limit * FACTOR, this.max);
    if (next === limit) return;
    this.setLimit(next);
    this.ignored = limit;
  }

  /** Goes back to the usual number of requests in flight for the rest of the run. */
  end(): void {
    this.max = this.usual;
    if (this.isRaised) this.setLimit(this.usual);
  }

  private get isRaised(): boolean {
    return this.client.concurrencyLimit > this.usual;
  }

  private setLimit(limit: number): void {
    if (this.isRaised) this.raisedUntil = performance.now();
    this.client.setConcurrencyLimit(limit);
  }
}
