import { mediaTypes } from '../../judge/reading.ts';
import { membersOf } from '../../members.ts';
import type { Failure } from '../../run/result/result.ts';
import { headerValue } from '../../wire/headers.ts';
import { hasEveryPart } from '../experiment/covers.ts';
import { FRESH_BYTES } from '../experiment/features.ts';
import { type Cluster, levelOf } from '../explanation/cluster.ts';
import { areVague } from '../explanation/condition.ts';
import { modelRequestOf } from '../explanation/request-parts.ts';
import { firstValue } from '../symptom/body.ts';
import { aspectOf, keyOf } from '../symptom/symptom.ts';
import { includes } from './broader-cluster.ts';
import {
  dependsOnEarlier,
  everyBody,
  hasConditionsOf,
  hasLabelsOf,
  hasOnlyRate,
  hasSymptom,
  isClear,
  isOfKind,
  isSameSymptom,
  isWrong200,
  textOfAll,
} from './cluster-facts.ts';
import type { Explains } from './merge-rule.ts';

/** A store that converts a value to a string fails for an object whose `toString` is not a function. */
const convertsToString: Explains = (root, consequence) => {
  const property = root.explanation.subject?.property;
  return (
    property !== undefined &&
    hasSymptom(root, 'accepts') &&
    hasSymptom(consequence, 'server-error') &&
    everyBody(consequence, (body) => Object.hasOwn(Object(membersOf(body)[property]), 'toString'))
  );
};

/** Something in front of the store rejects such requests with a 400 of its own, even ordinary ones. */
const rejectsInItsWay: Explains = (root, consequence) => {
  const typesOf = ({ explanation: { exchange } }: Cluster) =>
    exchange.response === undefined ? '' : mediaTypes(exchange.response).join();
  return (
    isClear(root) &&
    hasSymptom(root, 'media-type') &&
    hasSymptom(consequence, 'rejects') &&
    root.symptom.status === 400 &&
    consequence.symptom.status === 400 &&
    typesOf(root) === typesOf(consequence)
  );
};

/** A store that rejects large plants with 413, or some other status, also does so with large invalid bodies. */
const rejectsBySize: Explains = (root, consequence) => {
  const limitsOf = ({ explanation: { conditions } }: Cluster) =>
    conditions.flatMap(({ bytesAbove = [] }) => bytesAbove);
  const [limit, ...others] = limitsOf(root);
  return (
    hasSymptom(root, 'rejects') &&
    hasSymptom(consequence, 'wrong-rejection') &&
    root.symptom.status === consequence.symptom.status &&
    root.explanation.conditions.length === 1 &&
    limit !== undefined &&
    others.length === 0 &&
    limitsOf(consequence).some((one) => one >= limit - FRESH_BYTES)
  );
};

/** Whether a response stops before its end, or a compressed one does, which then cannot be decoded. */
const isUnfinished = (cluster: Cluster): boolean =>
  hasSymptom(cluster, 'incomplete', 'no-answer') || /not encoded as/.test(cluster.symptom.words);

/** A store that leaves responses unfinished on one code path does so whatever their status. */
const leavesUnfinished: Explains = (root, consequence) =>
  areVague(consequence.explanation.conditions) &&
  isUnfinished(root) &&
  isUnfinished(consequence) &&
  keyOf(root.symptom) !== keyOf(consequence.symptom) &&
  (isClear(root) || (hasSymptom(root, 'incomplete') && !hasSymptom(consequence, 'incomplete', 'no-answer')));

/** Whether the store takes the first segment for the whole body. */
const readsOneSegment = (cluster: Cluster): boolean =>
  isClear(cluster) &&
  hasSymptom(cluster, 'rejects') &&
  cluster.explanation.conditions.some(({ part }) => part === 'segments');

/** A large body arrives in several segments, too. */
const readsOneOfMany: Explains = (root, { symptom, explanation: { kind, conditions } }) =>
  readsOneSegment(root) &&
  keyOf(root.symptom) === keyOf(symptom) &&
  kind === 'always' &&
  conditions.length > 0 &&
  conditions.every(({ bytesAbove = 0 }) => bytesAbove >= MIN_LIMIT_BYTES);

/** Whether the store does not read a body to its end, or reads beyond it. */
const misreadsLength = (cluster: Cluster): boolean =>
  hasSymptom(cluster, 'unread-body', 'stale-body') ||
  readsOneSegment(cluster) ||
  (isClear(cluster) && /Content-Length/.test(textOfAll(cluster.explanation.conditions)));

/** A store that fails without Content-Length fails for chunked bodies, and if there is no body at all. */
const lacksLength: Explains = (root, consequence) =>
  isClear(root) &&
  isSameSymptom(root, consequence) &&
  root.explanation.conditions.some(({ part }) => part === 'framing') &&
  consequence.members.every(({ failure }) => failure.template.delivery?.noLength === true);

/** The rest of a body is parsed as the next request, or as part of the next body. */
const leavesRequest: Explains = (root, consequence) =>
  misreadsLength(root) &&
  !misreadsLength(consequence) &&
  (dependsOnEarlier(consequence) || isOfKind(consequence, 'once') || hasOnlyRate(consequence));

/** A store that accepts some bodies with a defect does not check for it, and may fail on others with it. */
const doesNotCheck: Explains = (root, consequence) =>
  hasSymptom(root, 'accepts') &&
  isOfKind(root, 'always') &&
  hasSymptom(consequence, 'server-error') &&
  hasConditionsOf(consequence, root) &&
  hasLabelsOf(root, consequence);

/** A store that accepts an invalid body may also return what is wrong with it. */
const returnsInvalid: Explains = (root, consequence) =>
  hasSymptom(root, 'accepts') &&
  isOfKind(root, 'always') &&
  isWrong200(consequence) &&
  hasLabelsOf(root, consequence);

/** A store that takes falsy values for missing also loses an empty string. */
const losesEmpty: Explains = (root, consequence) => {
  const { property, topics = [] } = root.explanation.subject ?? {};
  return (
    property !== undefined &&
    topics.includes('falsy') &&
    aspectOf(consequence.symptom) === 'echo' &&
    everyBody(consequence, (body) => membersOf(body)[property] === '')
  );
};

/** A smaller limit may be exceeded by an ordinary request by chance. */
const MIN_LIMIT_BYTES = 300;

/** A store that reads bodies only up to some size rejects larger plants, and overlooks defects beyond it. */
const readsOnlyBeginning: Explains = (root, consequence) => {
  const limit = Math.max(...root.explanation.conditions.map(({ bytesAbove = 0 }) => bytesAbove));
  return (
    hasSymptom(root, 'rejects') &&
    hasSymptom(consequence, 'accepts') &&
    limit >= MIN_LIMIT_BYTES &&
    consequence.members.every(({ failure: { exchange } }) => (exchange.request.body?.length ?? 0) > limit)
  );
};

/** A store that takes the first segment for the whole body overlooks what follows in another one. */
const overlooksSegments: Explains = (root, consequence) =>
  readsOneSegment(root) &&
  hasSymptom(consequence, 'accepts') &&
  everyBody(consequence, (body) => {
    const first = firstValue(body);
    return first !== undefined && first.length < body.trimEnd().length;
  });

/** A store that rejects valid plants with a wrong status uses that status for invalid ones, too. */
const rejectsEverything: Explains = (root, consequence) =>
  hasSymptom(root, 'rejects') &&
  !isOfKind(root, 'once') &&
  !(isOfKind(root, 'always') && root.explanation.conditions.length > 0) &&
  hasSymptom(consequence, 'wrong-rejection') &&
  root.symptom.status === consequence.symptom.status;

/** A failure that no experiment reproduces probably has the cause of another one with the same symptom. */
const explainsNotReproduced: Explains = (root, consequence) =>
  isClear(root) &&
  isOfKind(root, 'always') &&
  isOfKind(consequence, 'once') &&
  levelOf(root) === levelOf(consequence) &&
  isSameSymptom(root, consequence);

/** A failure that no experiment reproduces, and whose request has every part that the root needs. */
const hasItsParts: Explains = (root, consequence) => {
  const { conditions, neutral } = root.explanation;
  const isOfPart = ({ template }: Failure) => {
    const request = neutral && modelRequestOf(template, neutral.plant);
    return neutral !== undefined && request !== undefined && hasEveryPart(request, neutral, conditions);
  };
  return (
    isClear(root) &&
    isOfKind(root, 'always') &&
    isOfKind(consequence, 'once') &&
    !dependsOnEarlier(consequence) &&
    aspectOf(root.symptom) !== 'echo' &&
    levelOf(root) === 'MUST' &&
    consequence.members.every(({ failure }) => isOfPart(failure))
  );
};

/** A single credential whose scheme is spelled in the way that makes the store accept all of them. */
const isSpelledLikewise: Explains = (root, consequence) => {
  const { subject, conditions, exchange } = consequence.explanation;
  const value = headerValue(exchange.request.headers, 'authorization') ?? '';
  const ofScheme = root.explanation.conditions;
  return (
    isSameSymptom(root, consequence) &&
    subject !== undefined &&
    conditions.length === 0 &&
    ofScheme.length > 0 &&
    ofScheme.every(({ part }) => part === 'scheme') &&
    hasLabelsOf(root, consequence) &&
    !/^Bearer \S/.test(value)
  );
};

/** Merge rules for consequences of another fault. */
export const CONSEQUENCES: readonly Explains[] = [
  isSpelledLikewise,
  doesNotCheck,
  returnsInvalid,
  losesEmpty,
  includes,
  readsOnlyBeginning,
  overlooksSegments,
  convertsToString,
  rejectsEverything,
  rejectsInItsWay,
  rejectsBySize,
  leavesUnfinished,
  lacksLength,
  readsOneOfMany,
  leavesRequest,
  explainsNotReproduced,
  hasItsParts,
];
