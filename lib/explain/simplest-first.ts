import { dependsOnFreshId, type ExpectedOutcome } from '../payloads/test-case.ts';
import type { Experiments } from './experiment/experiments.ts';
import type { CheckFailure } from './explanation/cluster.ts';
import { modelRequestOf } from './explanation/request-parts.ts';
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
/** The cost of a request that the store may know from a sequence; more than that of the sequence itself. */
const REPEATED_COST = 200;

/**
 * Whether a failing request has the same bytes each time, and what preceded it is not known: then it fails
 * each time because of what the store remembers of them.
 */
export const isOnlyRepeated = (
  { failure: { template, before = [], exchange } }: CheckFailure,
  experiments: Experiments,
): boolean =>
  before.length === 0 &&
  !dependsOnFreshId(template, experiments.token) &&
  experiments.expectedOutcomeOfSent({ exchange, template }) === 'accept';

/** Sorts failures for explanation: ordinary requests, whose faults affect all others, then steady ones. */
export const simplestFirst = (
  members: readonly CheckFailure[],
  experiments: Experiments,
): readonly CheckFailure[] => {
  const cost = (member: CheckFailure): number => {
    const { template, before = [], when } = member.failure;
    const request = modelRequestOf(template, experiments.ordinary.plant);
    if (request === undefined) return UNKNOWN_REQUEST_COST;
    const delivered = Object.keys(template).length + Object.keys(template.delivery ?? {}).length;
    const expected = experiments.expectedOutcomeOf(request);
    const isOrdinary = expected === 'accept' && !isWrong400(member.symptom);
    const outcomeCost = OUTCOME_COSTS[expected === 'accept' && !isOrdinary ? 'accept-or-reject' : expected];
    const isSteady = when === 'always' || (isOrdinary && experiments.restarts === 0);
    const unsteadyCost = isSteady ? 0 : UNSTEADY_COST;
    const repeatedCost = isOnlyRepeated(member, experiments) ? REPEATED_COST : 0;
    return delivered + outcomeCost + before.length * COST_PER_REQUEST_BEFORE + unsteadyCost + repeatedCost;
  };
  return members.toSorted((a, b) => cost(a) - cost(b));
};
