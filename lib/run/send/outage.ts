import { type Exchange, isTimeout } from '../../wire/exchange.ts';

/** A store that serves nothing for this long, and for this many requests, is asked whether it still serves anything. */
const SUSPECT = { ms: 7_000, requests: 20 } as const;
/** End the run after this many unanswered requests, if they are the majority. */
const MAX_TIMEOUTS = 150;

/** If this many responses have more than so many bytes on average, to read and judge those of a run takes many minutes. */
const TOO_LARGE = { averageBytes: 512 * 1024, responses: 24 } as const;

/** Whether a complete response arrived that is not a server error. */
export const isServed = (exchange: Exchange): boolean =>
  exchange.kind === 'answered' && !exchange.response.truncated && exchange.response.status < 500;

/** Counts the requests that were not served. */
export class Outage {
  /** Requests in a row that were not served. */
  inRow = 0;
  /** Requests that got no response in time, and all. */
  timeouts = 0;
  all = 0;
  /** Complete responses, and the bytes of their bodies. */
  complete = 0;
  bytes = 0;
  private since = 0;

  record(exchange: Exchange): void {
    this.all += 1;
    if (isTimeout(exchange)) this.timeouts += 1;
    if (exchange.kind === 'answered' && !exchange.response.truncated) {
      this.complete += 1;
      this.bytes += exchange.response.body.length;
    }
    if (isServed(exchange)) this.inRow = 0;
    // recovery.ts handles requests without any response.
    else if (exchange.response !== undefined && this.inRow++ === 0) this.since = performance.now();
  }

  get isSuspected(): boolean {
    return this.inRow >= SUSPECT.requests && performance.now() - this.since >= SUSPECT.ms;
  }

  /** Whether most requests get no response. */
  get isCertain(): boolean {
    return this.timeouts >= MAX_TIMEOUTS && this.timeouts * 2 > this.all;
  }

  /** Whether all responses are so large that a run would not end soon. */
  get answersTooMuch(): boolean {
    return this.complete >= TOO_LARGE.responses && this.averageBytes > TOO_LARGE.averageBytes;
  }

  /** Bytes of the body of a complete response. */
  get averageBytes(): number {
    return this.bytes / Math.max(1, this.complete);
  }

  /** Call when the store has served a request after all. */
  reset(): void {
    this.inRow = 0;
  }
}
