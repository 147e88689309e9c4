import type { Predecessor } from '../payloads/case.ts';
import type { Level, TestKind } from '../run/check.ts';
import type { Latency } from '../run/latency.ts';
import type { Cause, CheckCoverage, Failure, Observations, Retries, Stop, Verdict } from '../run/result.ts';
import type { RunFooter, Settled } from '../run/run.ts';
import type { Outcome, Summary } from '../run/verdict.ts';
import type { Delivery, FaultKind } from '../wire/exchange.ts';

/** A body: as text where it is UTF-8, else as base64; `bytes` is how many there were, kept or not. */
export type RecordedBody = { readonly bytes: number; readonly truncated?: true } & (
  | { readonly text: string }
  | { readonly base64: string }
);

export interface RecordedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: RecordedBody;
  /** How it was put on its connection, where that matters. */
  readonly delivery?: Delivery;
  /** The bytes that were sent are not what the other fields say: the request was not well-formed. */
  readonly verbatim?: true;
  /** Another request was sent right before it, or at the same time; the label says which. */
  readonly after?: Predecessor['connection'];
}

export interface RecordedExchange {
  readonly label: string;
  /** What was sent before it, or at the same time, where the failure takes that. */
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
  /** From its beginning to its end; other checks may be carried out meanwhile. */
  readonly seconds: number;
  /**
   * What it failed for, the first cause first; a fingerprint names one cause of one check. Where their counts do not
   * add up to `failed`, there were more than are told apart.
   */
  readonly causes: readonly (Cause & { readonly fingerprint: string })[];
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
  /** Of a check that begins with a covering array: how much of it was tried. */
  readonly coverage?: CheckCoverage;
}

/** A known deviation: a failure that a team has decided to live with for a time. */
export interface BaselineEntry {
  readonly id: string;
  readonly reason: string;
  readonly issue?: string;
  /** The last day on which it holds, `2026-12-31`. */
  readonly until?: string;
  /** The causes that are known; where none are named, every failure of the check is. */
  readonly fingerprints?: readonly string[];
  /** One more of them: how entries were written that knew one cause alone, whatever was asked. */
  readonly fingerprint?: string;
}

export interface Baseline {
  readonly file: string;
  /** The seed and the random cases of the run that it was made of; a plain list of entries does not say. */
  readonly seed?: number;
  readonly cases?: number;
  /** Whether that run was thorough. */
  readonly thorough?: boolean;
  readonly entries: readonly BaselineEntry[];
}

/**
 * What became of an entry: the failure that it knows is there, a part of what it knows is there no more, its date is
 * past, or nothing can be said, as its check was not carried out or may have missed the failure by chance.
 */
export type EntryState = 'known' | 'stale' | 'expired' | 'not-evaluated';

/** The CI result: what the run means for a pipeline. The outcome is the store's; the CI result is the team's. */
export interface Gate {
  /**
   * 0 pass; 1 fail, for the store or for the baseline itself; 2 fail, as the filter left nothing to judge;
   * 3 fail, as the store could not be judged.
   */
  readonly exitCode: 0 | 1 | 2 | 3;
  /** Why, in one sentence. */
  readonly reason: string;
  readonly baseline: JudgedBaseline | null;
}

/** A baseline with what became of its entries. */
export interface JudgedBaseline extends Baseline {
  readonly entries: readonly (BaselineEntry & { readonly state: EntryState; readonly remedy?: string })[];
}

/** All that a run has found, and all that reports are made of. The token is nowhere in it. */
export interface RunRecord {
  readonly schemaVersion: 1;
  readonly suite: { readonly name: string; readonly version: string; readonly catalogue: string };
  readonly document: {
    readonly file: string;
    readonly sha256: string;
    readonly version: string;
    /** The version of OpenAPI, where it is not the one that documents are read as. */
    readonly openapi?: string;
    /** The overlays that were applied, where there are any. */
    readonly overlays?: readonly string[];
    /** What in the document is most likely not as it was meant. */
    readonly warnings?: readonly string[];
  };
  readonly target: { readonly name: string; readonly baseUrl: string; readonly server: string | null };
  readonly options: Settled;
  readonly startedAt: string;
  readonly seconds: number;
  readonly requests: number;
  /** Seconds of them that were waited because the store asked for it, where it did. */
  readonly waited?: number;
  /** Connections that were closed while a request was on its way, where there were any; each was sent once more. */
  readonly closedUnderRequests?: number;
  readonly created: RunFooter['created'];
  /** Valid plants that were rejected for an id or a name in use, and not judged for that. */
  readonly collisions?: number;
  readonly latency: Latency | null;
  readonly outcome: Outcome;
  readonly gate: Gate;
  readonly stop: Stop | null;
  readonly advice: string | null;
  readonly summary: Summary;
  readonly results: readonly RecordedResult[];
  readonly observations: Observations;
}
