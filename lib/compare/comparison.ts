import type { CiResult, RecordedBody, RecordedCause, RunRecord } from '../report/record.ts';
import type { About } from '../run/check.ts';
import type { Verdict } from '../run/result.ts';

/** The result of one check at one store. */
export interface Cell {
  readonly verdict: Verdict;
  readonly cases: number;
  readonly failed: number;
  readonly cause?: string;
  readonly expected?: string;
  readonly actual?: string;
  /** Why it was not tested. */
  readonly reason?: string;
  readonly curl?: string;
}

/** One fault of a store. Stores with the same fingerprint share it. */
export type ComparedCause = Omit<RecordedCause, 'counterexample' | 'matters' | 'ladders'>;

/** The stack of an implementation. */
export interface ImplementationInfo {
  readonly language: string;
  readonly framework: string;
  readonly version: string;
  readonly note: string;
}

/** One store: the results of its run, or why it was not run. */
export type Column = { readonly name: string; readonly implementation?: ImplementationInfo } & (
  | ({
      readonly state: 'run';
      readonly exitCode: CiResult['exitCode'];
      /** In the order in which to fix them. */
      readonly causes: readonly ComparedCause[];
      readonly cells: Readonly<Record<string, Cell>>;
      readonly created?: Partial<RunRecord['created']> | undefined;
    } & Pick<
      RunRecord,
      | 'target'
      | 'outcome'
      | 'stop'
      | 'advice'
      | 'summary'
      | 'latency'
      | 'observations'
      | 'requests'
      | 'seconds'
    >)
  | { readonly state: 'not-run'; readonly reason: string }
);

/** The answer of one store to a payload. */
export interface Answer {
  readonly name: string;
  readonly status?: number;
  readonly contentType?: string;
  readonly body?: RecordedBody;
  readonly fault?: string;
}

/** A shrunk payload on which stores differ, and the answer of each. */
export interface Disagreement {
  readonly label: string;
  readonly request: { readonly contentType: string; readonly body: RecordedBody; readonly curl: string };
  /** How many payloads divide the stores in this way. */
  readonly payloads: number;
  readonly shrinks: number;
  /** The different answers, that of the most stores first. */
  readonly ways: readonly { readonly signature: string; readonly answers: readonly Answer[] }[];
}

/** Several stores side by side. */
export interface Comparison {
  readonly schemaVersion: 1;
  readonly kind: 'comparison';
  readonly suite: RunRecord['suite'];
  readonly document: RunRecord['document'];
  readonly options: Pick<RunRecord['options'], 'seed' | 'cases' | 'thorough' | 'strict'>;
  readonly startedAt: string;
  readonly seconds: number;
  readonly exitCode: CiResult['exitCode'];
  readonly checks: readonly About[];
  readonly columns: readonly Column[];
  /** Null for a comparison of saved records. */
  readonly differential: {
    /** Payloads that every store was sent. */
    readonly payloads: number;
    readonly disagreements: readonly Disagreement[];
    /** Disagreements beyond those listed. */
    readonly more: number;
  } | null;
}
