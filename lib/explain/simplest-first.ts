import type { ExpectedOutcome } from '../payloads/test-case.ts';
import type { CheckFailure } from './cluster.ts';
import { stateOf } from './condition/request-parts.ts';
import type { Experiments } from './experiments.ts';
import { isWrong400 } from './symptom/target-symptom.ts';

/** Requests whose outcome is certain come first, those whose outcome is open last. */
const OUTCOME_COSTS: Readonly<Record<ExpectedOutcome, number>> = {
  accept: 0,
  'reject-body': 5,
  'reject-credential': 5,
  'accept-or-reject': 8,
};

/** Intermittent failures come last, since other requests may cause them. */
const UNSTEADY_COST = 500;

/** The cost of a request that the model cannot describe; more than the other costs together. */
const UNKNOWN_REQUEST_COST = 1000;
const COST_PER_REQUEST_BEFORE = 10;

/** Sorts failures for explanation: ordinary requests, whose faults affect all others, then steady ones. */
export const simplestFirst = (
  members: readonly CheckFailure[],
  experiments: Experiments,
): readonly CheckFailure[] => {
  const cost = ({ failure: { template, before = [], when }, symptom }: CheckFailure): number => {
    const state = stateOf(template, experiments.ordinary.plant);
    if (state === undefined) return UNKNOWN_REQUEST_COST;
    const delivered = Object.keys(template).length + Object.keys(template.delivery ?? {}).length;
    const expected = experiments.expectedOutcomeOf(state);
    const isOrdinary = expected === 'accept' && !isWrong400(symptom);
    const outcomeCost = OUTCOME_COSTS[expected === 'accept' && !isOrdinary ? 'accept-or-reject' : expected];
    const isSteady = when === 'always' || (isOrdinary && experiments.restarts === 0);
    const unsteadyCost = isSteady ? 0 : UNSTEADY_COST;
    return delivered + outcomeCost + before.length * COST_PER_REQUEST_BEFORE + unsteadyCost;
  };
  return members.toSorted((a, b) => cost(a) - cost(b));
};
