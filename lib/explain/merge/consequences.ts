import { sum } from '../../collections.ts';
import { mediaTypes } from '../../judge/reading.ts';
import { membersOf } from '../../members.ts';
import type { CauseKind } from '../../run/result/cause.ts';
import type { Failure } from '../../run/result/result.ts';
import { bodyText } from '../../utf8.ts';
import type { Exchange } from '../../wire/exchange.ts';
import { headerValue } from '../../wire/headers.ts';
import { hasEveryPart } from '../assign/covers.ts';
import { type Cluster, levelOf } from '../cluster.ts';
import { wholeIdIn } from '../condition/remainders.ts';
import { stateOf } from '../condition/request-parts.ts';
import { depthIn } from '../condition/sweeps/sizes.ts';
import { firstValue } from '../symptom/body.ts';
import { aspectOf, keyOf, type SymptomKind } from '../symptom/symptom.ts';
import { areVague, type Condition, fullText, modulusIn, topicsOf } from '../wording/condition.ts';
import { labelOf } from '../wording/request-words.ts';

/** Whether the fault of `root` also accounts for the failures of `consequence`. */
export type Explains = (root: Cluster, consequence: Cluster) => boolean;

type Compares = (one: Cluster, other: Cluster) => boolean;

const hasSymptom = ({ symptom }: Cluster, ...kinds: readonly SymptomKind[]): boolean =>
  kinds.includes(symptom.kind);

const isOfKind = ({ explanation }: Cluster, ...kinds: readonly CauseKind[]): boolean =>
  kinds.includes(explanation.kind);

/** Whether the body of every failing request of a cluster is as described. */
const everyBody = ({ members }: Cluster, is: (body: string) => boolean): boolean =>
  members.every(({ failure: { exchange } }) => is(bodyText(exchange.request.body)));

export const textOfAll = (conditions: readonly Condition[]): string => conditions.map(fullText).join('\n');

const hasConditions = ({ explanation }: Cluster, wanted: readonly Condition[]): boolean =>
  wanted.every((own) => explanation.conditions.some((condition) => fullText(condition) === fullText(own)));

/** Whether the first cluster has all conditions of the second. */
const hasConditionsOf: Compares = (one, { explanation }) => hasConditions(one, explanation.conditions);

/** Whether the labels of the first cluster include those of the failures of the second. */
const hasLabelsOf: Compares = ({ explanation: { labels = [] } }, other) =>
  other.members.every(({ failure }) => labels.includes(labelOf(failure)));

const dependsOnEarlier = (cluster: Cluster): boolean =>
  isOfKind(cluster, 'sequence') ||
  cluster.explanation.conditions.some(({ part }) => part === 'earlier requests');

const isIntermittent = (cluster: Cluster): boolean =>
  isOfKind(cluster, 'intermittent', 'under-concurrency') ||
  cluster.members.some(({ failure: { when } }) => when === 'under-concurrency');

const isWrong200 = ({ symptom }: Cluster): boolean =>
  symptom.status === 200 && ['representation', 'echo'].includes(aspectOf(symptom));

const isAuthentication = ({ symptom: { kind, status }, explanation: { subject } }: Cluster): boolean =>
  (kind === 'rejects' && status === 401) ||
  (kind === 'accepts' && subject !== undefined && topicsOf(subject).includes('credential'));

/** Whether the symptoms are the same. Accepting a wrong credential and accepting a wrong body are not. */
const isSameSymptom: Compares = (one, other) =>
  keyOf(one.symptom) === keyOf(other.symptom) && isAuthentication(one) === isAuthentication(other);

/** Whether the cluster is about a body: one defect of a body may be mistaken for another. */
const isAboutRequestBody = (cluster: Cluster): boolean =>
  hasSymptom(cluster, 'accepts', 'rejects') && !isAuthentication(cluster);

/** The consequence is a sequence about which no more is known than one of the conditions of the root. */
const explainsSequence: Explains = (root, consequence) => {
  const own = textOfAll(consequence.explanation.conditions).trim();
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

/** Whether a condition says only how often the symptom shows. */
export const isRate = ({ note, clause, phrase }: Condition): boolean =>
  note !== undefined && clause === undefined && phrase === undefined;

/** Whether nothing is known about when the failure recurs but how often. */
const hasOnlyRate = (cluster: Cluster): boolean =>
  isOfKind(cluster, 'intermittent') && cluster.explanation.conditions.every(isRate);

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

/** A request that kills the store leaves those in flight with it without an answer. */
const killsOthers: Explains = (root, consequence) =>
  hasSymptom(root, 'crashes') &&
  isOfKind(root, 'always') &&
  hasSymptom(consequence, 'closed', 'no-answer', 'incomplete') &&
  (isOfKind(consequence, 'once') || isIntermittent(consequence));

const isClear = ({ explanation: { kind, conditions } }: Cluster): boolean =>
  kind !== 'once' && conditions.length > 0 && !areVague(conditions);

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
const includes: Explains = (root, consequence) =>
  isSameSymptom(root, consequence) &&
  (isMore(root, consequence) ||
    isWider(root, consequence) ||
    haveItsRemainder(root, consequence) ||
    areDeepEnough(root, consequence) ||
    areLongEnough(root, consequence) ||
    (haveItsFeature(root, consequence) && !isMore(consequence, root)));

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

/** If any value of a header replaces the token, so does the token in that header. */
const acceptsCarrier: Explains = (root, consequence) => {
  const { header } = consequence.explanation.state.credential ?? {};
  return (
    hasSymptom(root, 'accepts') &&
    hasSymptom(consequence, 'accepts') &&
    header !== undefined &&
    root.explanation.conditions.some(({ part }) => part?.toLowerCase() === header.toLowerCase())
  );
};

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
    const state = neutral && stateOf(template, neutral.plant);
    return neutral !== undefined && state !== undefined && hasEveryPart(state, neutral, conditions);
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

/** Merge rules for failures that another fault caused by chance. */
export const FAILURES_BY_CHANCE: readonly Explains[] = [
  explainsSequence,
  explainsChance,
  acceptsCarrier,
  killsOthers,
];

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
  leavesUnfinished,
  lacksLength,
  leavesRequest,
  explainsNotReproduced,
  hasItsParts,
];
