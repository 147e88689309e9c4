import type { Cluster } from '../cluster.ts';
import { fullText } from '../wording/wording.ts';
import { withoutChance, withoutRemains, withoutRepeatedValues, withoutUnchecked } from './consequences.ts';
import { withoutBeyondSize, withoutCarriers, withoutIncluded, withoutOthersRejected } from './included.ts';
import { ordered } from './order.ts';
import {
  acrossLengths,
  acrossMediaTypes,
  acrossPieces,
  acrossProperties,
  acrossSpellings,
  acrossSubjects,
  acrossTypes,
  byCodePath,
  withoutRepetition,
} from './same-fault.ts';

/** What is to be fixed: one cluster for each fault, in the order in which to fix them. */
export const merged = (clusters: readonly Cluster[]): readonly Cluster[] =>
  [
    withDistinctConditions,
    withoutRepeatedValues,
    withoutChance,
    withoutCarriers,
    acrossTypes,
    acrossProperties,
    acrossLengths,
    acrossSubjects,
    acrossPieces,
    acrossSpellings,
    acrossMediaTypes,
    withoutRepetition,
    withoutUnchecked,
    withoutIncluded,
    withoutBeyondSize,
    withoutOthersRejected,
    withoutRemains,
    byCodePath,
    ordered,
  ].reduce((left, step) => step(left), clusters);

/** Several parts of a request may matter for one reason, such as that each makes the body larger. */
const withDistinctConditions = (clusters: readonly Cluster[]): readonly Cluster[] =>
  clusters.map(({ found, ...rest }) => {
    const byText = new Map(found.conditions.map((words) => [fullText(words), words]));
    return { ...rest, found: { ...found, conditions: [...byText.values()] } };
  });
