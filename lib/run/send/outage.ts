import { isTooLong, unpackedBytes } from '../../judge/reading.ts';
import { MAX_HEAD_BYTES } from '../../wire/endpoint.ts';
import { type Exchange, isTimeout } from '../../wire/exchange.ts';
import { headersSize } from '../../wire/headers.ts';
import { LARGE_BODY_BYTES } from '../../wire/large-bodies.ts';

/** A store is probed once it has served nothing for this long, and for this many requests. */
const MIN_SUSPECTED_OUTAGE = { ms: 7_000, requests: 20 } as const;
/** The checks end after this many timeouts, if most requests time out. */
const MAX_TIMEOUTS = 150;

/**
 * The checks end if, after this many responses, the average response is this large, or most are too long to
 * be read: judging all of them would take many minutes.
 */
const TOO_LARGE = {
  responses: 24,
  // Above the average of a store that adds a megabyte to every plant, as many requests are rejected.
  averageBytes: 1.5 * LARGE_BODY_BYTES,
  averageHeadBytes: MAX_HEAD_BYTES / 2,
} as const;

/** Returns whether a complete response arrived that is not a server error. */
export const isServed = (exchange: Exchange): boolean =>
  exchange.kind === 'answered' && !exchange.response.truncated && exchange.response.status < 500;

export class Outage {
  /** Number of consecutive requests that got a response but were not served. */
  unservedInRow = 0;
  requests = 0;
  /** Number of requests that timed out. */
  timeouts = 0;
  completeResponses = 0;
  private bytes = 0;
  private headBytes = 0;
  /** Number of responses that were too long to be read. */
  tooLong = 0;
  private since = 0;

  record(exchange: Exchange): void {
    this.requests += 1;
    if (isTimeout(exchange)) this.timeouts += 1;
    if (isTooLong(exchange)) this.tooLong += 1;
    if (exchange.kind === 'answered' && !exchange.response.truncated) {
      this.completeResponses += 1;
      this.bytes += unpackedBytes(exchange.response);
      this.headBytes += headersSize(exchange.response.headers);
    }
    if (isServed(exchange)) this.unservedInRow = 0;
    // `recovery.ts` handles requests without any response.
    else if (exchange.response !== undefined && this.unservedInRow++ === 0) this.since = performance.now();
  }

  get isSuspected(): boolean {
    return (
      this.unservedInRow >= MIN_SUSPECTED_OUTAGE.requests &&
      performance.now() - this.since >= MIN_SUSPECTED_OUTAGE.ms
    );
  }

  get mostTimeOut(): boolean {
    return this.timeouts >= MAX_TIMEOUTS && this.timeouts * 2 > this.requests;
  }

  get answersTooLong(): boolean {
    return this.tooLong >= TOO_LARGE.responses && this.tooLong * 2 > this.requests;
  }

  /** Whether heads average more than half of the longest that we read, far more than most clients read. */
  get hasTooLargeHeads(): boolean {
    return (
      this.completeResponses >= TOO_LARGE.responses && this.averageHeadBytes > TOO_LARGE.averageHeadBytes
    );
  }

  get answersTooMuch(): boolean {
    const hasTooLargeBodies =
      this.completeResponses >= TOO_LARGE.responses && this.averageBytes > TOO_LARGE.averageBytes;
    return this.answersTooLong || this.hasTooLargeHeads || hasTooLargeBodies;
  }

  /** The average size of the headers of a complete response, in bytes. */
  get averageHeadBytes(): number {
    return this.headBytes / Math.max(1, this.completeResponses);
  }

  /** The average size of the body of a complete response, in bytes. */
  get averageBytes(): number {
    return this.bytes / Math.max(1, this.completeResponses);
  }

  /** Call when the store has served a request after all. */
  markServed(): void {
    this.unservedInRow = 0;
  }
}
