import type { Exchange } from '../../wire/exchange.ts';

/** A store that serves nothing for so long, and for so many requests, is asked whether it still serves anything. */
const SUSPECT = { ms: 7_000, requests: 20 } as const;

/** Whether a complete response arrived that is not a server error. */
export const isServed = (exchange: Exchange): boolean =>
  exchange.kind === 'answered' && !exchange.response.truncated && exchange.response.status < 500;

/** Counts the requests in a row that were not served. */
export class Outage {
  requests = 0;
  private since = 0;

  record(exchange: Exchange): void {
    if (isServed(exchange)) this.requests = 0;
    else if (this.requests++ === 0) this.since = performance.now();
  }

  get isSuspected(): boolean {
    return this.requests >= SUSPECT.requests && performance.now() - this.since >= SUSPECT.ms;
  }

  /** Call when the store has served a request after all. */
  reset(): void {
    this.requests = 0;
  }
}
