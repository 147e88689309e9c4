import type { Preceding, RequestTemplate } from '../../payloads/test-case.ts';
import type { Exchange } from '../../wire/exchange.ts';
import type { SentRequest } from '../check.ts';
import type { FailureCount } from './result.ts';

/**
 * When a fault shows. `always`: with each request that meets the condition. `intermittent`: with some of
 * these requests, whatever they contain. `under-concurrency`: only while other requests are in flight.
 * `sequence`: only after other requests. `from-then-on`: with every request from some point in the run
 * onwards. `once`: no experiment was made, or none reproduced it.
 */
export type CauseKind =
  | 'always'
  | 'intermittent'
  | 'under-concurrency'
  | 'sequence'
  | 'from-then-on'
  | 'once';

/** The values that were tried to find out how far one part of a condition reaches. */
export interface Ladder {
  readonly part: string;
  readonly tried: readonly {
    readonly value: string;
    readonly shows: boolean;
  }[];
}

export type StatusCounts = readonly { readonly status: number; readonly count: number }[];

/** A fault of the store, as far as experiments could establish it. */
export interface Cause {
  /** A complete sentence that includes the condition; never truncated. */
  readonly title: string;
  readonly level: 'MUST' | 'SHOULD';
  /** What is wrong with the response, for example `answers 500`. */
  readonly symptom: string;
  /** For example `name contains an apostrophe`; null if there is none, or if it is unknown. */
  readonly condition: string | null;
  readonly kind: CauseKind;
  /** With fresh values: requests that met the condition, and requests that did not. */
  readonly confirmed: { readonly inside: FailureCount; readonly outside: FailureCount };
  /** Counts of the responses up to the last accepted plant, if the store no longer accepts any. */
  readonly until?: StatusCounts | undefined;
  /** Why no experiment could examine it, for example `the budget of 1,000 requests for a symptom was used up`. */
  readonly notExamined?: string | undefined;
  /** Ids of the failed checks that it explains: MUST before SHOULD, then in the order of the catalogue. */
  readonly checks: readonly string[];
  readonly expected: string;
  readonly advice: string;
  /** The simplest request that shows the fault, and the requests that must be sent before. */
  readonly example: {
    readonly template: RequestTemplate;
    readonly exchange: Exchange;
    readonly before: readonly (SentRequest & {
      /** How the request was sent relative to the next one; by default over another connection. */
      readonly connection?: Preceding['connection'];
    })[];
  };
  /** The parts of the example that matter; the others can be anything ordinary. */
  readonly matters: readonly string[];
  /** Whether the id of the example matters, so that no other id shows the fault. */
  readonly keepsId: boolean;
  readonly ladders: readonly Ladder[];
  readonly repeat: Repeat;
  readonly shownIn: ShownIn;
  /** The divisor, if the fault depends on the remainder of the id. */
  readonly modulus?: number | undefined;
}

/** The part of the response that shows the fault. */
export type ShownIn = 'status' | 'media type' | 'body';

/** How often a request has to be sent until the fault shows. */
export interface Repeat {
  readonly times: number;
  readonly inFlight: number;
  readonly onConnection?: true;
  readonly sameId?: true;
  /** Milliseconds to wait before the request. */
  readonly pauseMs?: number;
}
