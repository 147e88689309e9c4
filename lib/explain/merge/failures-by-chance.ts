import type { Cluster } from '../explanation/cluster.ts';
import { fullText, IN_SOME_CASES } from '../explanation/condition.ts';
import {
  type Compares,
  dependsOnEarlier,
  hasOnlyRate,
  hasSymptom,
  isAuthentication,
  isClear,
  isIntermittent,
  isOfKind,
  isSameSymptom,
  isWrong200,
  textOfAll,
} from './cluster-facts.ts';
import type { Explains } from './merge-rule.ts';

/** Whether the cluster is about a body: one defect of a body may be mistaken for another. */
const isAboutRequestBody = (cluster: Cluster): boolean =>
  hasSymptom(cluster, 'accepts', 'rejects') && !isAuthentication(cluster);

/** The consequence is a sequence about which no more is known than one of the conditions of the root. */
const explainsSequence: Explains = (root, consequence) => {
  const known = consequence.explanation.conditions.filter((one) => one !== IN_SOME_CASES);
  const own = textOfAll(known).trim();
  const texts = root.explanation.conditions.map((condition) => fullText(condition).trim());
  return (
    dependsOnEarlier(root) &&
    isClear(root) &&
    isOfKind(consequence, 'sequence') &&
    (own === '' || texts.some((text) => text !== '' && own.includes(text))) &&
    isSameSymptom(root, consequence)
  );
};

const meetsOthers = (cluster: Cluster): boolean => dependsOnEarlier(cluster) || isIntermittent(cluster);

/** Whether the store began to accept such requests at some point, of which no more is known. */
const beganToAccept = (cluster: Cluster): boolean =>
  isOfKind(cluster, 'from-then-on') && hasSymptom(cluster, 'accepts');

/** Whether nothing is known about when the failure recurs, or only how often. */
const isByChance: Compares = (root, consequence) =>
  isOfKind(consequence, 'once')
    ? !meetsOthers(consequence)
    : (hasOnlyRate(consequence) || beganToAccept(consequence)) &&
      !hasOnlyRate(root) &&
      meetsOthers(root) &&
      isClear(root);

/** A failure that no experiment reproduces probably met by chance the requests that the symptom needs. */
const explainsChance: Explains = (root, consequence) =>
  meetsOthers(root) &&
  isByChance(root, consequence) &&
  (isSameSymptom(root, consequence) ||
    (isAuthentication(root) && isAuthentication(consequence)) ||
    (isIntermittent(root) && isAboutRequestBody(root) && isAboutRequestBody(consequence)) ||
    (isWrong200(root) && isWrong200(consequence)));

/** A request that kills the store leaves those in flight with it without an answer. */
const killsOthers: Explains = (root, consequence) =>
  hasSymptom(root, 'crashes') &&
  isOfKind(root, 'always') &&
  hasSymptom(consequence, 'closed', 'no-answer', 'incomplete') &&
  (isOfKind(consequence, 'once') || isIntermittent(consequence));

/** If any value of a header replaces the token, so does the token in that header. */
const acceptsCarrier: Explains = (root, consequence) => {
  const { header } = consequence.explanation.request.credential ?? {};
  return (
    hasSymptom(root, 'accepts') &&
    hasSymptom(consequence, 'accepts') &&
    header !== undefined &&
    root.explanation.conditions.some(({ part }) => part?.toLowerCase() === header.toLowerCase())
  );
};

/** Merge rules for failures that another fault caused by chance. */
export const FAILURES_BY_CHANCE: readonly Explains[] = [
  explainsSequence,
  explainsChance,
  acceptsCarrier,
  killsOthers,
];
