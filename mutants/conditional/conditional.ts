import type { Steps } from '../../reference/store.ts';
import type { BrokenStore } from '../fleet.ts';
import {
  ACCEPTS_ORDINARY,
  ANSWERS,
  ANSWERS_UNCONSTRAINED,
  ANY_SEQUENCE,
  ERROR_JSON,
  ERROR_SHAPE,
  NO_SERVER_ERROR,
  REJECTS_BODIES,
  REJECTS_CREDENTIALS,
} from './checks.ts';
import { type Met, startRecorded } from './recorder.ts';

/** The dimensions in which requests differ. */
export type Dimension =
  | 'outcome'
  | 'credential'
  | 'framing'
  | 'media type'
  | 'accept'
  | 'headers'
  | 'target'
  | 'size'
  | 'text'
  | 'values'
  | 'history'
  | 'load';

/** What a store may reject because of one condition alone: the payload, or the head. */
type Open = 'payload' | 'head';

/** When a fault shows. */
export interface Condition {
  readonly dimension: Dimension;
  readonly open: Open | undefined;
  readonly holds: (met: Met) => boolean;
}

/** Conditions of one dimension; set `open` if accepting such requests is not a MUST. */
export const about =
  (dimension: Dimension) =>
  (holds: Condition['holds'], open?: Open): Condition => ({ dimension, open, holds });

/** What the faults do, at the beginning of each description. */
const FAULTS = {
  rejects: 'rejects an ordinary plant',
  misanswers: 'answers 200 without a valid Plant',
  body: 'accepts an invalid body',
  credential: 'accepts an invalid credential',
  /** Faults on an ordinary plant. */
  crash: 'answers with 5xx',
  silence: 'does not complete the response',
  /** Faults on a request that has to be rejected. */
  failure: 'answers 5xx instead of a rejection',
  html: 'answers a 400 that is not JSON',
  shape: 'answers 400 without an Error',
};
type Kind = keyof typeof FAULTS;

/** What goes wrong. */
export interface Fault {
  readonly kind: Kind;
  /** Set if only one defect, or only one invalid credential, is accepted. */
  readonly specific: 'outcome' | 'credential' | undefined;
  readonly instead: (right: Steps, token: string) => Partial<Steps>;
}

/** A store that breaks one MUST where several conditions are met. */
export interface ConditionalStore extends BrokenStore {
  /** Number of factors: the conditions, and the defect or credential of the fault if only one is accepted. */
  readonly strength: 1 | 2 | 3;
  readonly dimensions: readonly Dimension[];
  readonly conditions: readonly Condition[];
  readonly fault: Fault;
}

function checksFor(kind: Kind, conditions: readonly Condition[]): readonly string[] {
  if (conditions.some(({ dimension }) => dimension === 'history' || dimension === 'load'))
    return [ANY_SEQUENCE];
  const ordinary = conditions.every(({ open }) => open === undefined);
  switch (kind) {
    case 'rejects':
      return [ACCEPTS_ORDINARY];
    case 'misanswers':
      return [conditions.some(({ open }) => open === 'payload') ? ANSWERS_UNCONSTRAINED : ACCEPTS_ORDINARY];
    case 'body':
      return [REJECTS_BODIES];
    case 'credential':
      return [REJECTS_CREDENTIALS];
    case 'failure':
      return [NO_SERVER_ERROR];
    case 'crash':
      return ordinary ? [NO_SERVER_ERROR, ACCEPTS_ORDINARY] : [NO_SERVER_ERROR];
    case 'silence':
      return ordinary ? [ANSWERS, ACCEPTS_ORDINARY] : [ANSWERS];
    case 'html':
      return [ERROR_JSON];
    case 'shape':
      return [ERROR_SHAPE];
  }
}

const strengthOf = (factors: number) => {
  if (factors === 1 || factors === 2 || factors === 3) return factors;
  throw new Error(`a fault needs one to three factors, not ${factors}`);
};

/** How long a store with a load condition delays each response, in milliseconds. */
const OVERLAP_MS = 25;

/**
 * Returns the reference store with a fault that shows only if all conditions are met; `like` is the bug that
 * it imitates.
 */
export const conditional = (
  name: string,
  like: string,
  conditions: readonly Condition[],
  fault: Fault,
): ConditionalStore => {
  const factors = conditions.map(({ dimension }): Dimension => dimension);
  if (fault.specific !== undefined) factors.push(fault.specific);
  const delay = factors.includes('load') ? OVERLAP_MS : 0;
  const when = (met: Met) => conditions.every(({ holds }) => holds(met));
  return {
    name,
    breaks: `${FAULTS[fault.kind]}: ${like}`,
    fails: checksFor(fault.kind, conditions),
    strength: strengthOf(factors.length),
    dimensions: [...new Set(factors)],
    conditions,
    fault,
    start: (token) => startRecorded(token, { when, instead: fault.instead, delay }),
  };
};
