import { statusOf } from '../../judge/reading.ts';
import type { RequestTemplate } from '../../payloads/test-case.ts';
import type { Exchange } from '../../wire/exchange.ts';
import { hasHeader } from '../../wire/headers.ts';

/** Number of ordinary plants to send one at a time, to see whether the store then accepts them. */
const ISOLATED_REQUESTS = 12;

/** Detects a likely rate limiter without Retry-After: some ordinary plants get a 503, but not all. */
export class RateLimitDetector {
  private plants = 0;
  private rejected503 = 0;

  record(exchange: Exchange, template: RequestTemplate): void {
    if (template.ordinary !== true) return;
    this.plants += 1;
    const { response } = exchange;
    if (response?.status === 503 && !hasHeader(response.headers, 'retry-after')) this.rejected503 += 1;
  }

  /** @param sendOne sends an ordinary plant with nothing else in flight; undefined if the run is over */
  async advice(sendOne: () => Promise<Exchange | undefined>): Promise<string | undefined> {
    const { plants, rejected503 } = this;
    if (rejected503 === 0 || rejected503 === plants) return undefined;
    let [sent, rejected] = [0, 0];
    for (; sent < ISOLATED_REQUESTS; sent += 1) {
      const exchange = await sendOne();
      if (exchange === undefined) break;
      if (statusOf(exchange) === 503) rejected += 1;
    }
    const isComplete = sent === ISOLATED_REQUESTS;
    const oneAtATime = !isComplete
      ? ''
      : rejected === 0
        ? '; none when sent one at a time'
        : `; ${rejected} of ${sent} when sent one at a time`;
    const remedy =
      isComplete && rejected === 0
        ? 'lower --concurrency, or set --rate'
        : 'set --rate, or lower --concurrency';
    return `The store answered 503 without Retry-After to ${rejected503} of ${plants} ordinary requests${oneAtATime}. If that is a rate limiter, ${remedy}; it should send Retry-After, or answer 429.`;
  }
}
