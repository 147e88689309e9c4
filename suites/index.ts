import type { Check } from '../lib/run/check.ts';
import { authChecks } from './auth.ts';
import { combinationChecks } from './combinations.ts';
import { invalidChecks } from './invalid.ts';
import { invariantChecks } from './invariants.ts';
import { observationChecks } from './observe.ts';
import { ordinaryChecks } from './ordinary.ts';
import { stateChecks } from './state.ts';
import { sequenceChecks } from './state-sequences.ts';
import { unconstrainedChecks } from './unconstrained.ts';

/**
 * The order matters: invalid plants are sent before the ids 0 and 1. Later, a store that reads `true` as 1
 * would reject it as a duplicate, which would hide the fault.
 */
export const catalogue: readonly Check[] = [
  ...ordinaryChecks,
  ...invalidChecks,
  ...unconstrainedChecks,
  ...authChecks,
  ...combinationChecks,
  ...observationChecks,
  ...sequenceChecks,
  ...stateChecks,
  ...invariantChecks,
];
