import type { Predecessor } from '../payloads/test-case.ts';
import type { Cause } from '../run/cause.ts';
import type { Level, TestKind } from '../run/check.ts';
import type { Latency } from '../run/latency.ts';
import type {
  CheckCoverage,
  Failure,
  Cause as FailureCause,
  Observations,
  Retries,
  Stop,
  Verdict,
} from '../run/result.ts';
import type { RunFooter, Settled } from '../run/run.ts';
import type { Outcome, Summary } from '../run/verdict.ts';
import type { Delivery, FaultKind } from '../wire/exchange.ts';

/** A body: text if it is UTF-8, otherwise base64. `bytes` is its full length, even if it is truncated. */
export type RecordedBody = { readonly bytes: number; readonly truncated?: true } & (
  | { readonly text: string }
  | { readonly base64: string }
);

export interface RecordedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: RecordedBody;
  /** How it was sent, if not in the usual way. */
  readonly delivery?: Delivery;
  /** The request was not well-formed, so that the other fields do not give the bytes that were sent. */
  readonly rawBytes?: true;
  /** Another request, named in the label, was sent right before it or at the same time. */
  readonly after?: Predecessor['connection'];
}

export interface RecordedExchange {
  readonly label: string;
  /** Requests before it, or at the same time, that the failure depends on. */
  readonly before?: readonly Pick<RecordedExchange, 'request' | 'response' | 'fault' | 'ms'>[];
  readonly request: RecordedRequest;
  readonly response?: {
    readonly status: number;
    readonly statusText: string;
    readonly headers: readonly (readonly [string, string])[];
    readonly body: RecordedBody;
  };
  readonly fault?: { readonly kind: FaultKind; readonly detail: string };
  readonly ms: number;
  readonly curl: string;
  readonly expected: string;
  readonly actual: string;
  readonly cause: string;
}

export interface RecordedResult {
  readonly id: string;
  readonly level: Level;
  readonly statement: string;
  readonly basis: readonly string[];
  readonly hint: string;
  readonly kind: TestKind;
  readonly verdict: Verdict;
  readonly cases: number;
  readonly failed: number;
  /** From start to end; other checks may run at the same time. */
  readonly seconds: number;
  /**
   * The causes of its failures, in the order in which they occurred; a fingerprint names one cause of one
   * check. If their counts do not add up to `failed`, there were more causes than are recorded.
   */
  readonly causes: readonly (FailureCause & { readonly fingerprint: string })[];
  readonly expected?: string;
  readonly actual?: string;
  readonly blockedBy?: string;
  readonly reason?: string;
  readonly counterexample?: {
    readonly label: string;
    readonly when?: Failure['when'];
    readonly retries?: Retries;
    readonly payload: RecordedBody;
    readonly seed: number;
    readonly path?: string;
    readonly shrinks?: number;
  };
  readonly exchanges: readonly RecordedExchange[];
  readonly observations: Observations;
  /** For a check that begins with a covering array: how much of it was tried. */
  readonly coverage?: CheckCoverage;
}

/** A known deviation: what a team accepts for a time. */
interface Accepted {
  readonly reason: string;
  readonly issue?: string;
  /** The last day on which it is valid, such as `2026-12-31`. */
  readonly until?: string;
}

/** A cause that is known, whichever requests show it. */
export interface KnownCause extends Accepted {
  /** The fingerprint of the cause. */
  readonly cause: string;
  /** The checks that fail for it, each with the fingerprints of its failures, separated by spaces. */
  readonly checks: Readonly<Record<string, string>>;
}

/** A check whose failures are known. */
export interface KnownCheck extends Accepted {
  readonly id: string;
  /** The known failures; without any, every failure of the check is known. */
  readonly fingerprints?: readonly string[];
  /** One more known failure, regardless of the request: the format of earlier versions. */
  readonly fingerprint?: string;
}

export type BaselineEntry = KnownCause | KnownCheck;

export interface Baseline {
  readonly file: string;
  /** Seed and sample count of the run it was made of; a plain list of entries has none. */
  readonly seed?: number;
  readonly cases?: number;
  /** Whether that run was thorough. */
  readonly thorough?: boolean;
  /** The day of the first run whose failures were recorded, and how many entries there have been since. */
  readonly since?: string;
  readonly total?: number;
  readonly entries: readonly BaselineEntry[];
}

/**
 * The state of an entry. `known`: its failure still occurs. `stale`: all or some of it no longer occurs.
 * `expired`: its date has passed. `not-evaluated`: its check was not run, or may have missed the failure by
 * chance.
 */
export type EntryState = 'known' | 'stale' | 'expired' | 'not-evaluated';

/**
 * What the run means for a pipeline. The outcome is about the store, the CI result about the team's baseline.
 */
export interface CiResult {
  /**
   * 0: pass. 1: fail because of the store or an outdated baseline. 2: fail because the filter left nothing to
   * judge. 3: fail because the store could not be judged.
   */
  readonly exitCode: 0 | 1 | 2 | 3;
  /** Why, in a few words. */
  readonly reason: string;
  readonly baseline: JudgedBaseline | null;
}

/** A baseline with the states of its entries. */
export interface JudgedBaseline extends Baseline {
  readonly entries: readonly (BaselineEntry & { readonly state: EntryState; readonly remedy?: string })[];
}

/** One fault of the store: what explains one failed check or many. See `Cause` for the fields that it shares with it. */
export interface RecordedCause
  extends Pick<
    Cause,
    | 'title'
    | 'level'
    | 'symptom'
    | 'condition'
    | 'kind'
    | 'confirmed'
    | 'checks'
    | 'advice'
    | 'matters'
    | 'ladders'
  > {
  /** Shell lines that show the fault on a freshly started store, and again on the same one. */
  readonly steps: readonly string[];
  /** The status that the steps show. */
  readonly answer: number | 'none';
  /** The simplest request that shows it; absent only if it was made of an earlier record without one. */
  readonly counterexample?: Pick<RecordedExchange, 'before' | 'request' | 'response' | 'fault' | 'ms'>;
  /** Names symptom and condition, the same in every run. */
  readonly fingerprint: string;
}

/** Everything a run found, and the only source of all reports. It never contains the token. */
export interface RunRecord {
  readonly schemaVersion: 1;
  readonly suite: { readonly name: string; readonly version: string; readonly catalogue: string };
  readonly document: {
    readonly file: string;
    readonly sha256: string;
    readonly version: string;
    /** The OpenAPI version of the document, if it is not 3.1. */
    readonly openapi?: string;
    /** The overlays that were applied. */
    readonly overlays?: readonly string[];
    /** Likely mistakes in the document. */
    readonly warnings?: readonly string[];
  };
  readonly target: {
    readonly name: string;
    readonly baseUrl: string;
    readonly server: string | null;
    /** The environment variable of the token in shell lines, if not PLANT_STORE_TOKEN. */
    readonly tokenEnv?: string;
  };
  readonly options: Settled;
  readonly startedAt: string;
  readonly seconds: number;
  readonly requests: number;
  /** Part of `seconds` that was spent waiting at the store's request. */
  readonly waited?: number;
  /** Connections that were closed during a request; each of those requests was resent. */
  readonly closedUnderRequests?: number;
  readonly created: RunFooter['created'];
  /** Valid plants that were rejected because an id or name was in use, and therefore not judged. */
  readonly collisions?: number;
  readonly latency: Latency | null;
  readonly outcome: Outcome;
  readonly ciResult: CiResult;
  readonly stop: Stop | null;
  readonly advice: string | null;
  readonly summary: Summary;
  /** What is to be fixed, in the order in which to fix it. */
  readonly causes: readonly RecordedCause[];
  readonly results: readonly RecordedResult[];
  readonly observations: Observations;
}

/** A record whose CI result is not known yet. */
export type WithoutCiResult = Omit<RunRecord, 'ciResult'>;
