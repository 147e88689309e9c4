import type { Predecessor, RequestTemplate } from '../../payloads/test-case.ts';
import type { Exchange } from '../../wire/exchange.ts';
import type { PrecedingRequest } from '../check.ts';
import type { Tried } from './result.ts';

/**
 * When a fault shows. `always`: with each request that meets the condition. `now-and-then`: with some of them,
 * whatever they contain. `under-concurrency`: only while other requests are in flight. `sequence`: only after other
 * requests. `from-then-on`: with every request since a point of the run. `once`: no experiment was made, or none
 * reproduced it.
 */
export type CauseKind =
  | 'always'
  | 'now-and-then'
  | 'under-concurrency'
  | 'sequence'
  | 'from-then-on'
  | 'once';

/** What was tried to find out how far one part of the condition reaches. */
export interface Ladder {
  /** The part of the request, for example `name` or `Accept-Encoding`. */
  readonly part: string;
  readonly tried: readonly {
    /** For example `255 characters`. */
    readonly value: string;
    /** Whether the fault showed. */
    readonly shows: boolean;
  }[];
}

/** How many responses had which status. */
export type StatusCounts = readonly { readonly status: number; readonly count: number }[];

/** One fault of the store, as far as experiments establish it. */
export interface Cause {
  /** One complete sentence with the condition, never truncated. */
  readonly title: string;
  readonly level: 'MUST' | 'SHOULD';
  /** What is wrong with the response, for example `answers 500`. */
  readonly symptom: string;
  /** For example `name contains an apostrophe`; null if the fault shows whatever is sent, or if it is unknown. */
  readonly condition: string | null;
  readonly kind: CauseKind;
  /** Failed requests of those tried, with fresh values: `inside` meet the condition, `outside` do not. */
  readonly confirmed: { readonly inside: Tried; readonly outside: Tried };
  /** The responses of the run until the store accepted its last plant, if it accepts none any more. */
  readonly until?: StatusCounts | undefined;
  /** Ids of the failed checks that it explains: MUST before SHOULD, otherwise in the order of the catalogue. */
  readonly checks: readonly string[];
  /** What the store should have answered, for example `200 with a Plant`. */
  readonly expected: string;
  /** What to fix first, then how such a fault typically comes about. */
  readonly advice: string;
  /** The simplest request that shows it, and the requests that have to be sent before. */
  readonly example: {
    readonly template: RequestTemplate;
    readonly exchange: Exchange;
    readonly before: readonly (PrecedingRequest & {
      /** How it was sent; by default over another connection. */
      readonly connection?: Predecessor['connection'];
    })[];
  };
  /** The parts of that request that matter; the others can be anything ordinary. */
  readonly matters: readonly string[];
  readonly ladders: readonly Ladder[];
  /** How often to send the request, and how many at a time, until the fault shows. */
  readonly repeat: Repeat;
  /** The divisor, if the fault depends on the id's remainder. */
  readonly modulus?: number | undefined;
}

/** How often a request has to be sent until the fault shows. */
export interface Repeat {
  readonly times: number;
  readonly inFlight: number;
  /** All of them go over one connection. */
  readonly onConnection?: true;
  /** Requests in flight have the same id. */
  readonly sameId?: true;
}
