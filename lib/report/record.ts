import type { Level } from '../run/check.ts';
import type { Failure, Observations, Stop, Verdict } from '../run/result.ts';
import type { Outcome, RunFooter, Settled, Summary } from '../run/run.ts';
import type { FaultKind } from '../wire/exchange.ts';

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
  /** The bytes that were sent are not what the other fields say: the request was not well-formed. */
  readonly verbatim?: true;
}

export interface RecordedExchange {
  readonly label: string;
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
  readonly verdict: Verdict;
  readonly cases: number;
  readonly failed: number;
  readonly seconds: number;
  readonly expected?: string;
  readonly actual?: string;
  readonly blockedBy?: string;
  readonly reason?: string;
  readonly counterexample?: {
    readonly label: string;
    readonly when: Failure['when'];
    readonly payload: RecordedBody;
    readonly seed: number;
    readonly path?: string;
    readonly shrinks?: number;
  };
  readonly exchanges: readonly RecordedExchange[];
  readonly observations: Observations;
}

/** All that a run has found, and all that reports are made of. The token is nowhere in it. */
export interface RunRecord {
  readonly schemaVersion: 1;
  readonly suite: { readonly name: string; readonly version: string; readonly catalogue: string };
  readonly document: { readonly file: string; readonly sha256: string; readonly version: string };
  readonly target: { readonly name: string; readonly baseUrl: string; readonly server: string | null };
  readonly options: Settled;
  readonly startedAt: string;
  readonly seconds: number;
  readonly requests: number;
  readonly created: RunFooter['created'];
  readonly outcome: Outcome;
  readonly stop: Stop | null;
  readonly advice: string | null;
  readonly summary: Summary;
  readonly results: readonly RecordedResult[];
  readonly observations: Observations;
}
