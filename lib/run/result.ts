import type { Finding } from '../judge/rules.ts';
import type { Draft, Population } from '../payloads/case.ts';
import type { Coverage } from '../payloads/model/model.ts';
import type { Exchange } from '../wire/exchange.ts';
import type { About, Before, TestKind } from './check.ts';

export type Verdict = 'pass' | 'fail' | 'observed' | 'untestable' | 'skipped';

/** One case on which a check failed. */
export interface Failure {
  readonly label: string;
  /** As that of the case; by default the label. */
  readonly stableLabel?: string | undefined;
  readonly population: Population;
  readonly before?: readonly Before[];
  readonly finding: Finding;
  readonly draft: Draft;
  readonly exchange: Exchange;
  /** Where in the draws it came from, and what it took to make it small. */
  readonly drawn?: { readonly path: string; readonly shrinks: number };
  /** Whether it comes again when its request is sent again; absent where that was not tried. */
  readonly when?: When;
  readonly retries?: Retries;
}

/**
 * When a failure comes again in isolation: always; only with these bytes and not with a fresh id; now and then;
 * not, but under concurrency; or not at all.
 */
export type When = 'always' | 'this-request' | 'now-and-then' | 'under-concurrency' | 'once';

/** How many tries failed, of how many. */
export type Tried = readonly [failed: number, tried: number];

/** How a failure was tried again: in isolation with the same bytes and with a fresh id, and under concurrency. */
export interface Retries {
  readonly same?: Tried;
  readonly fresh?: Tried;
  readonly concurrent?: Tried;
}

export const timedOut = ({ exchange }: Pick<Failure, 'exchange'>): boolean =>
  exchange.kind === 'broken' && exchange.fault.kind === 'timeout';

/** A failure, and its place among the cases. */
export interface Placed {
  readonly failure: Failure;
  readonly place: number;
}

/** What a failure is told apart by: failures of one cause are likely to be fixed by one change. */
export const causeOf = ({
  finding,
  label,
  stableLabel = label,
}: Pick<Failure, 'finding' | 'label' | 'stableLabel'>): string =>
  finding.ofRequest === true ? `${finding.cause}: ${stableLabel}` : finding.cause;

/** One cause that a check has failed for, with one kind of request. */
export interface Cause {
  /** What is wrong with the answer. */
  readonly cause: string;
  /** What was asked, where the cause does not say it: nothing that differs from run to run. */
  readonly request?: string;
  /** Cases that failed for it. */
  readonly failed: number;
  /** Where the first of them stands among the cases. */
  readonly place: number;
}

export type Observations = Readonly<Record<string, string | number | boolean>>;

/** How much of a covering array was tried. */
export interface CheckCoverage extends Coverage {
  /** In a shard: what all of them try. */
  readonly together?: Pick<Coverage, 'rows' | 'covered'>;
}

export interface CheckResult {
  readonly check: About;
  /** How it was carried out. */
  readonly kind: TestKind;
  readonly verdict: Verdict;
  /** Cases tried, or exchanges judged. */
  readonly cases: number;
  /** Cases that failed. */
  readonly failed: number;
  readonly seconds: number;
  /** The one to look at first, then some of other causes; a few at most. */
  readonly failures: readonly Failure[];
  readonly causes: readonly Cause[];
  readonly observations: Observations;
  /** Of a check that begins with a covering array. */
  readonly coverage?: CheckCoverage;
  /** Why it was not tried, or not to the end. */
  readonly blocked?: { readonly by: string; readonly reason: string };
}

/** What ended a run before its end. */
export interface Stop {
  readonly kind:
    | 'unreachable'
    | 'untrusted'
    | 'not-http'
    | 'token-refused'
    | 'throttled'
    | 'ids-in-use'
    /** Interrupted. */
    | 'cut-off'
    /** A limit of time or of requests that the user set. */
    | 'limit'
    /** The first failure, where the user asked for no more. */
    | 'bailed'
    | 'gone';
  /** What happened. */
  readonly reason: string;
  /** What to do about it. */
  readonly remedy: string;
}
