import type { Gate, RecordedBody, RunRecord } from '../report/record.ts';
import type { About } from '../run/check.ts';
import type { Verdict } from '../run/result.ts';

/** What became of one check at one store. */
export interface Cell {
  readonly verdict: Verdict;
  readonly cases: number;
  readonly failed: number;
  readonly cause?: string;
  readonly expected?: string;
  readonly actual?: string;
  /** Why it was not tried. */
  readonly reason?: string;
  readonly curl?: string;
}

/** What is known of an implementation apart from what it does. */
export interface Portrait {
  readonly language: string;
  readonly framework: string;
  readonly version: string;
  readonly note: string;
}

/** One store: what a run found of it, or why there was none. */
export type Column = { readonly name: string; readonly portrait?: Portrait } & (
  | ({
      readonly state: 'run';
      readonly exitCode: Gate['exitCode'];
      readonly cells: Readonly<Record<string, Cell>>;
      /** What it was left with. */
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

/** One store's answer to a payload. */
export interface Answer {
  readonly name: string;
  readonly status?: number;
  readonly contentType?: string;
  readonly body?: RecordedBody;
  readonly fault?: string;
}

/** A payload on which stores differ, as small as it goes, and what each of them answers. */
export interface Disagreement {
  /** What the payload is. */
  readonly label: string;
  readonly request: { readonly contentType: string; readonly body: RecordedBody; readonly curl: string };
  /** Payloads that were answered in just these ways. */
  readonly payloads: number;
  readonly shrinks: number;
  /** The ways in which it was answered, that of the most stores first. */
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
  readonly exitCode: Gate['exitCode'];
  readonly checks: readonly About[];
  readonly columns: readonly Column[];
  /** Null where saved records were compared: there was no store to ask. */
  readonly differential: {
    /** Payloads that every store was sent. */
    readonly payloads: number;
    readonly disagreements: readonly Disagreement[];
    /** Further disagreements that are not shown. */
    readonly more: number;
  } | null;
}
