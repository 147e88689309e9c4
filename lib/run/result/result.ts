import type { Finding } from '../../judge/rules.ts';
import type { Coverage } from '../../payloads/model/model.ts';
import type { RequestTemplate } from '../../payloads/test-case.ts';
import { type Exchange, isTimeout } from '../../wire/exchange.ts';
import type { About, PrecedingRequest, TestKind } from '../check.ts';

export type Verdict = 'pass' | 'fail' | 'observed' | 'untestable' | 'skipped';

/** One case on which a check failed. */
export interface Failure {
  readonly label: string;
  /** The stable label of the case; by default the label. */
  readonly stableLabel?: string | undefined;
  /** For invariants only: which check sent the request, and its unusual parts. */
  readonly sentFor?: { readonly check: string; readonly label: string };
  readonly before?: readonly PrecedingRequest[];
  readonly finding: Finding;
  readonly template: RequestTemplate;
  readonly exchange: Exchange;
  /** The place of the sample, and the number of steps to shrink it. */
  readonly sampled?: { readonly path: string; readonly shrinks: number };
  /** Whether the failure recurs when the request is sent again; absent if that was not tried. */
  readonly when?: When;
  readonly retries?: Retries;
}

/**
 * When a failure recurs: always in isolation; only with the same bytes and not with a fresh id; now and then
 * in isolation; only under concurrency; or not at all.
 */
export type When = 'always' | 'this-request' | 'now-and-then' | 'under-concurrency' | 'once';

export type Tried = readonly [failed: number, tried: number];

/** Retries of a failure: in isolation with the same bytes and with a fresh id, and under concurrency. */
export interface Retries {
  readonly same?: Tried;
  readonly fresh?: Tried;
  readonly concurrent?: Tried;
}

export const timedOut = ({ exchange }: Pick<Failure, 'exchange'>): boolean => isTimeout(exchange);

/** A failure, and its place among the cases. */
export interface Positioned {
  readonly failure: Failure;
  readonly place: number;
}

/** Identifies what is wrong: failures with the same text are likely to be fixed by the same change. */
export const problemOf = ({
  finding,
  label,
  stableLabel = label,
}: Pick<Failure, 'finding' | 'label' | 'stableLabel'>): string =>
  finding.ofRequest === true ? `${finding.problem}: ${stableLabel}` : finding.problem;

/** The failures of a check with the same problem and the same kind of request. */
export interface FailureGroup {
  /** What is wrong with the response. */
  readonly problem: string;
  /** The kind of request, if the problem does not name it, in words that do not differ from run to run. */
  readonly request?: string;
  readonly failed: number;
  /** Place of the first of them among the cases. */
  readonly place: number;
}

export type Observations = Readonly<Record<string, string | number | boolean>>;

/** How much of a covering array was tried. */
export interface CheckCoverage extends Coverage {
  /** In a shard: what all shards together try. */
  readonly together?: Pick<Coverage, 'rows' | 'covered'>;
}

export interface CheckResult {
  readonly check: About;
  readonly kind: TestKind;
  readonly verdict: Verdict;
  /** Cases tried, requests sent by a scenario, or exchanges judged by an invariant. */
  readonly cases: number;
  readonly failed: number;
  readonly seconds: number;
  /** The failure to look at first, then a few with other problems. */
  readonly failures: readonly Failure[];
  readonly problems: readonly FailureGroup[];
  readonly observations: Observations;
  /** Cases with random values, of a generated check; its others are the same in every run. */
  readonly random?: number;
  /** Only for a check that begins with a covering array. */
  readonly coverage?: CheckCoverage;
  /** Why the check was not run, or not to the end. */
  readonly blocked?: { readonly by: string; readonly reason: string };
}

/** Why a run ended early. */
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
    /** Interrupted. */
    | 'cut-off'
    /** The user's limit on time or requests was reached. */
    | 'limit'
    /** The first failure, with --bail. */
    | 'bailed'
    /** The store answers nothing any more. */
    | 'gone'
    /** The store serves nothing: all it sends are server errors and incomplete responses. */
    | 'outage'
    /** The store leaves most requests unanswered. */
    | 'unresponsive'
    /** All responses are so large that a run would take too long. */
    | 'too-large';
  readonly reason: string;
  /** What to do about it. */
  readonly remedy: string;
}
