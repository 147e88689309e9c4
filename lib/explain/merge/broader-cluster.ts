import { sum } from '../../collections.ts';
import { membersOf } from '../../members.ts';
import type { Exchange } from '../../wire/exchange.ts';
import { wholeIdIn } from '../experiment/remainders.ts';
import { modulusIn } from '../explanation/condition.ts';
import { depthIn } from '../values/sizes.ts';
import {
  type Compares,
  everyBody,
  hasConditions,
  hasConditionsOf,
  hasLabelsOf,
  isSameSymptom,
  textOfAll,
} from './cluster-facts.ts';
import type { Explains } from './merge-rule.ts';

/** Whether the conditions of the root are a proper subset of those of the consequence. */
const isWider: Explains = (root, consequence) => {
  const [wider, narrower] = [root.explanation, consequence.explanation];
  return (
    wider.conditions.length > 0 &&
    wider.conditions.length < narrower.conditions.length &&
    wider.kind === narrower.kind &&
    JSON.stringify(wider.subject) === JSON.stringify(narrower.subject) &&
    hasConditionsOf(consequence, root)
  );
};

/** Whether the first cluster covers more kinds of requests than the second, under the same conditions. */
const isMore: Compares = (one, other) => {
  const [more, fewer] = [one.explanation, other.explanation];
  return (
    textOfAll(more.conditions) === textOfAll(fewer.conditions) &&
    ((more.subject === undefined && fewer.subject !== undefined) ||
      ((more.labels ?? []).length > (fewer.labels ?? []).length && hasLabelsOf(one, other)))
  );
};

/** Whether every failing body of the consequence has the feature that the root names, and what else decides. */
const haveItsFeature: Explains = (root, consequence) => {
  const { feature } = root.explanation;
  const other = consequence.explanation.feature;
  const isNarrower = feature?.besides === undefined && other?.besides !== undefined;
  return (
    feature !== undefined &&
    (other === undefined || isNarrower) &&
    hasConditions(consequence, feature.besides ?? []) &&
    everyBody(consequence, feature.has)
  );
};

/** Whether depth is the only condition of the root, and every failing body of the consequence exceeds it. */
const areDeepEnough: Explains = (root, consequence) => {
  const [levels, ...others] = root.explanation.conditions.map(({ levelsAbove }) => levelsAbove);
  return (
    levels !== undefined && others.length === 0 && everyBody(consequence, (body) => depthIn(body) > levels)
  );
};

/** Whether the total length of texts is the only condition of the root, and every failing body exceeds it. */
const areLongEnough: Explains = (root, consequence) => {
  const [together, ...others] = root.explanation.conditions.map((condition) => condition.together);
  const lengthIn = (value: unknown) => (typeof value === 'string' ? value.length : 0);
  return (
    together !== undefined &&
    others.length === 0 &&
    everyBody(consequence, (body) => {
      const members = membersOf(body);
      return sum(together.properties, (name) => lengthIn(members[name])) > together.characters;
    })
  );
};

/** The remainder of the id in a request. */
const remainderIn = (exchange: Exchange, modulus: number): bigint | undefined => {
  const id = wholeIdIn(exchange);
  return id === undefined ? undefined : id % BigInt(modulus);
};

/** Whether every failing id of the consequence has the remainder that the root names. */
const haveItsRemainder: Explains = (root, consequence) => {
  const modulus = modulusIn(root.explanation.conditions);
  if (modulus === undefined || modulusIn(consequence.explanation.conditions) !== undefined) return false;
  const remainder = remainderIn(root.explanation.exchange, modulus);
  return (
    remainder !== undefined &&
    consequence.members.every(({ failure }) => remainderIn(failure.exchange, modulus) === remainder)
  );
};

/** A broader cluster with the same symptom includes a narrower one. */
export const includes: Explains = (root, consequence) =>
  isSameSymptom(root, consequence) &&
  (isMore(root, consequence) ||
    isWider(root, consequence) ||
    haveItsRemainder(root, consequence) ||
    areDeepEnough(root, consequence) ||
    areLongEnough(root, consequence) ||
    (haveItsFeature(root, consequence) && !isMore(consequence, root)));
