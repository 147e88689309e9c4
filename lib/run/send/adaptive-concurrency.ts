import type { HttpClient } from '../../wire/http-client.ts';

/** If even the fastest answer takes this long, the reason is probably the network, not a busy machine. */
const DISTANT_MS = 20;
/** Number of response times of which each median is taken, as a multiple of the concurrency limit. */
const ANSWERS_PER_SLOT = 2;
/** The limit is not raised beyond what is needed for this rate, which the suite itself hardly exceeds. */
const MAX_RAISED_RATE_PER_SECOND = 2000;
/** If the median grows to this multiple of the first one, the store has become slower. */
const MAX_MEDIAN_RISE_FACTOR = 1.3;
/** The limit is raised by this factor, and lowered by it once the store has become slower. */
const GROWTH_FACTOR = 2;

/**
 * Sends more concurrent requests to a distant store while that does not slow it down. Failures at raised
 * concurrency are not judged; these requests are sent again at the usual concurrency.
 */
export class AdaptiveConcurrency {
  private readonly client: HttpClient;
  private readonly usual: number;
  private max: number;
  private times: number[] = [];
  /** Number of answers still to come from requests that were in flight when the limit changed. */
  private ignored = 0;
  /** The median response time at the usual concurrency. */
  private atRest: number | undefined;
  /** The last time at which the limit was still above the usual one. */
  private raisedUntil = Number.NEGATIVE_INFINITY;

  /**
   * @param max maximum number of concurrent requests; if not above the client's limit, that limit never rises
   */
  constructor(client: HttpClient, max: number) {
    this.client = client;
    this.usual = client.concurrencyLimit;
    this.max = max;
  }

  /** Whether the limit was raised at any time since `time`, on the clock of `performance.now()`. */
  wasRaisedSince(time: number): boolean {
    return this.isRaised || this.raisedUntil >= time;
  }

  add(ms: number): void {
    if (this.max <= this.usual) return;
    if (this.ignored > 0) {
      this.ignored -= 1;
      return;
    }
    this.times.push(ms);
    const limit = this.client.concurrencyLimit;
    if (this.times.length < limit * ANSWERS_PER_SLOT) return;
    const sorted = this.times.toSorted((a, b) => a - b);
    const [fastest = 0, median = 0] = [sorted[0], sorted[limit]];
    this.times = [];
    if (fastest < DISTANT_MS) return;
    if (limit <= this.usual) this.atRest = median;
    const isSlower = median > (this.atRest ?? 0) * MAX_MEDIAN_RISE_FACTOR;
    if (isSlower) this.max = Math.max(this.usual, limit / GROWTH_FACTOR);
    const useful = Math.ceil(((this.atRest ?? 0) / 1000) * MAX_RAISED_RATE_PER_SECOND);
    const next = Math.min(limit * GROWTH_FACTOR, this.max, Math.max(useful, limit));
    if (next === limit) return;
    this.setLimit(next);
    this.ignored = limit;
  }

  /** Returns to the usual concurrency for the rest of the run. */
  stopRaising(): void {
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
