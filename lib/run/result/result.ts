import type { Finding } from '../../judge/rules.ts';
import type { Coverage } from '../../payloads/model/model.ts';
import type { RequestTemplate } from '../../payloads/test-case.ts';
import { type Exchange, isTimeout } from '../../wire/exchange.ts';
import type { About, SentRequest, TestKind } from '../check.ts';

export type Verdict = 'pass' | 'fail' | 'observed' | 'untestable' | 'skipped';

export interface Failure {
  readonly label: string;
  readonly stableLabel?: string | undefined;
  /** Only for invariants: the check that sent the request, and the label or its unusual parts. */
  readonly sentFor?: { readonly check: string; readonly label: string };
  readonly before?: readonly SentRequest[];
  /** The last requests of the run that were answered before this failure, whichever check sent them. */
  readonly recent?: readonly RequestTemplate[];
  readonly finding: Finding;
  readonly template: RequestTemplate;
  readonly exchange: Exchange;
  /** The index of the random case followed by the path of its shrinking, and the number of steps. */
  readonly sampled?: { readonly path: string; readonly shrinks: number };
  /** When the failure recurs; absent if that was not tried. */
  readonly when?: Recurrence;
  readonly retries?: Retries;
}

/**
 * `always`: each time in isolation. `this-request`: only with the same bytes. `intermittent`: now and then in
 * isolation. `under-concurrency`: only under concurrency. `once`: not again.
 */
export type Recurrence = 'always' | 'this-request' | 'intermittent' | 'under-concurrency' | 'once';

export type FailureCount = readonly [failed: number, tried: number];

/**
 * How often a failure recurred: in isolation with the same bytes, in isolation with a fresh id, and under
 * concurrency.
 */
export interface Retries {
  readonly same?: FailureCount;
  readonly fresh?: FailureCount;
  readonly concurrent?: FailureCount;
}

/** A failed case without its exchange: enough to send its request again. */
export type FailedCase = Omit<Failure, 'exchange' | 'recent' | 'sampled' | 'when' | 'retries'>;

/** A broken exchange that takes at least this long is slow: the store may have closed an idle connection. */
const SLOW_MS = 2000;

/** Whether it takes so long to see a failure that it is repeated only a few times. */
export const isSlowFailure = ({ exchange }: Pick<Failure, 'exchange'>): boolean =>
  exchange.kind === 'broken' && (isTimeout(exchange) || exchange.ms >= SLOW_MS);

export interface PositionedFailure {
  readonly failure: Failure;
  readonly position: number;
}

/** Identifies a problem: failures with the same text are likely to be fixed by the same change. */
export const problemOf = ({
  finding,
  label,
  stableLabel = label,
}: Pick<Failure, 'finding' | 'label' | 'stableLabel'>): string =>
  finding.ofRequest === true ? `${finding.problem}: ${stableLabel}` : finding.problem;

/** The failures of a check with the same problem and the same kind of request. */
export interface FailureGroup {
  readonly problem: string;
  /** The kind of request, unless the problem names it, worded identically in every run. */
  readonly request?: string;
  readonly failed: number;
  readonly position: number;
}

export type Observations = Readonly<Record<string, string | number | boolean>>;

export interface CheckCoverage extends Coverage {
  /** Only in a shard: what all shards try together. */
  readonly together?: Pick<Coverage, 'rows' | 'covered'>;
}

export interface CheckResult {
  readonly check: About;
  readonly kind: TestKind;
  readonly verdict: Verdict;
  /** Number of cases tried, requests sent by a scenario, or exchanges judged by an invariant. */
  readonly cases: number;
  readonly failed: number;
  readonly seconds: number;
  /** The failure to look at first, followed by a few with other problems. */
  readonly failures: readonly Failure[];
  /** All failed cases, up to a limit. */
  readonly failedCases: readonly FailedCase[];
  readonly problems: readonly FailureGroup[];
  readonly observations: Observations;
  /** Only for a random check: cases with random values. Its other cases are the same in every run. */
  readonly random?: number;
  /** Only for a check that begins with the rows of a covering array. */
  readonly coverage?: CheckCoverage;
  readonly blocked?: { readonly by: string; readonly reason: string };
}

export interface Stop {
  readonly kind:
    | 'unreachable'
    | 'untrusted'
    | 'not-http'
    | 'token-rejected'
    /** Every ordinary plant is answered 404 or 405. */
    | 'not-found'
    | 'throttled'
    | 'ids-in-use'
    | 'cut-off'
    /** A limit that the user set on time or requests was reached. */
    | 'limit'
    /** With --bail: a check failed. */
    | 'bailed'
    | 'gone'
    /** The store sends nothing but server errors and incomplete responses. */
    | 'outage'
    | 'unresponsive'
    /** The responses are so large that the run would take too long. */
    | 'too-large';
  readonly reason: string;
  readonly remedy: string;
}
