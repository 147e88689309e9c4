import { membersOf } from '../../members.ts';
import { bodyText } from '../../utf8.ts';
import type { Exchange } from '../../wire/exchange.ts';
import { type Cluster, levelOf } from '../cluster.ts';
import { wholeIdIn } from '../condition/remainders.ts';
import { depthIn } from '../condition/sweeps/sizes.ts';
import { hasFreshId } from '../ordinary-requests.ts';
import { aspectOf, keyOf, type SymptomKind } from '../symptom/symptom.ts';
import { areVague, type Condition, fullText, modulusIn, topicsOf } from '../wording/condition.ts';
import { labelOf } from '../wording/request-words.ts';

/** Whether the first cluster explains the failures of the second. */
export type Explains = (one: Cluster, other: Cluster) => boolean;

const hasSymptom = ({ symptom }: Cluster, ...kinds: readonly SymptomKind[]): boolean =>
  kinds.includes(symptom.kind);

export const textOfAll = (conditions: readonly Condition[]): string => conditions.map(fullText).join('\n');

const hasConditionsOf: Explains = (one, other) =>
  other.found.conditions.every((own) =>
    one.found.conditions.some((condition) => fullText(condition) === fullText(own)),
  );

const hasLabelsOf: Explains = ({ found: { labels = [] } }, other) =>
  other.members.every(({ failure }) => labels.includes(labelOf(failure)));

const dependsOnEarlier = ({ found: { kind, conditions } }: Cluster): boolean =>
  kind === 'sequence' || conditions.some(({ part }) => part === 'earlier requests');

/** If the symptom depends on a preceding request, a repeated value fails for the same reason. */
const explainsRepeatedValue: Explains = (one, other) =>
  dependsOnEarlier(one) &&
  !dependsOnEarlier(other) &&
  isSameSymptom(one, other) &&
  (!hasFreshId(other.found.state) || other.found.conditions.some(({ isRepeated }) => isRepeated === true));

const isIntermittent = ({ found: { kind }, members }: Cluster): boolean =>
  kind === 'now-and-then' ||
  kind === 'under-concurrency' ||
  members.some(({ failure: { when } }) => when === 'under-concurrency');

const isWrong200 = ({ symptom }: Cluster): boolean =>
  symptom.status === 200 && ['representation', 'echo'].includes(aspectOf(symptom));

const isAuthentication = ({ symptom: { kind, status }, found: { subject } }: Cluster): boolean =>
  (kind === 'rejects' && status === 401) ||
  (kind === 'accepts' && subject !== undefined && topicsOf(subject).includes('credential'));

/** Whether both have the same symptom. To accept a wrong credential and to accept a wrong body are two. */
const isSameSymptom: Explains = (one, other) =>
  keyOf(one.symptom) === keyOf(other.symptom) && isAuthentication(one) === isAuthentication(other);

/** Whether the cluster is about a body: one defect of a body may be mistaken for another. */
const isOfBody = (one: Cluster): boolean => hasSymptom(one, 'accepts', 'rejects') && !isAuthentication(one);

/** A sequence of which nothing is known to matter, or only a clear condition on earlier requests and more. */
const explainsSequence: Explains = (one, other) => {
  const own = textOfAll(other.found.conditions).trim();
  const texts = one.found.conditions.map((condition) => fullText(condition).trim());
  return (
    dependsOnEarlier(one) &&
    isClear(one) &&
    other.found.kind === 'sequence' &&
    (own === '' || texts.some((text) => text !== '' && own.includes(text))) &&
    isSameSymptom(one, other)
  );
};

const meetsOthers = (one: Cluster): boolean => dependsOnEarlier(one) || isIntermittent(one);

/**
 * If the symptom depends on earlier or concurrent requests, a failure that no experiment reproduces probably
 * met such requests by chance.
 */
const explainsChance: Explains = (one, other) =>
  meetsOthers(one) &&
  other.found.kind === 'once' &&
  !meetsOthers(other) &&
  (isSameSymptom(one, other) ||
    (isAuthentication(one) && isAuthentication(other)) ||
    (isIntermittent(one) && isOfBody(one) && isOfBody(other)) ||
    (isIntermittent(one) && isWrong200(one) && isWrong200(other)));

/**
 * If the value of a property decides how it is converted, an irreproducible conversion also depends on the
 * value.
 */
const convertsToo: Explains = (one, other) =>
  one.found.kind === 'always' &&
  other.found.kind === 'once' &&
  one.symptom.status === other.symptom.status &&
  one.symptom.instead !== undefined &&
  other.symptom.instead !== undefined &&
  one.found.conditions.some(({ property }) => property === one.symptom.property);

/**
 * A store that answers 200 to a body that it finds invalid does the same for other bodies that it finds
 * invalid.
 */
const answersInvalid: Explains = (one, other) =>
  hasSymptom(one, 'accepts') &&
  one.found.kind === 'always' &&
  !isAuthentication(one) &&
  other.symptom.status === 200 &&
  aspectOf(other.symptom) === 'representation' &&
  areVague(other.found.conditions) &&
  namesInResponse(one) !== '' &&
  namesInResponse(one) === namesInResponse(other);

const namesInResponse = ({ found: { exchange } }: Cluster): string =>
  Object.keys(membersOf(bodyText(exchange.response?.body))).join();

/** A request that kills the store leaves those in flight with it without an answer. */
const killsOthers: Explains = (one, other) =>
  hasSymptom(one, 'crashes') &&
  one.found.kind === 'always' &&
  hasSymptom(other, 'closed', 'no-answer', 'incomplete') &&
  (other.found.kind === 'once' || isIntermittent(other));

/** The remains of a response are read as the beginning of the next response on the connection: one fault. */
const leavesResponse: Explains = (one, other) =>
  hasSymptom(one, 'truncated-json', 'incomplete') && hasSymptom(other, 'not-http');

const isClear = ({ found: { kind, conditions } }: Cluster): boolean =>
  kind !== 'once' && conditions.length > 0 && !areVague(conditions);

/** A store that leaves responses unfinished on one code path does so whatever their status. */
const leavesUnfinished: Explains = (one, other) =>
  isClear(one) &&
  areVague(other.found.conditions) &&
  hasSymptom(one, 'incomplete', 'no-answer') &&
  keyOf(one.symptom) !== keyOf(other.symptom) &&
  hasSymptom(other, 'incomplete', 'no-answer');

/**
 * If requests sent in a certain way always fail, irreproducible failures of requests sent in this way have
 * the same cause.
 */
const wasSentInItsWay: Explains = (one, other) =>
  isClear(one) &&
  hasSymptom(one, 'incomplete', 'no-answer', 'closed') &&
  areVague(other.found.conditions) &&
  other.members.every(({ failure: { label } }) =>
    one.found.conditions.every(({ phrase }) => phrase !== undefined && label.includes(phrase)),
  );

/** The unread rest of a body is parsed as the next request. */
const leavesRequest: Explains = (one, other) =>
  hasSymptom(one, 'unread-body') &&
  !hasSymptom(other, 'unread-body') &&
  (other.found.kind === 'sequence' || other.found.kind === 'once');

/**
 * A store that accepts some bodies with a defect does not check for it. That others with the defect make it
 * fail has the same cause.
 */
const doesNotCheck: Explains = (one, other) =>
  hasSymptom(one, 'accepts') &&
  one.found.kind === 'always' &&
  hasSymptom(other, 'server-error') &&
  hasConditionsOf(other, one) &&
  hasLabelsOf(one, other);

const isOfAll = ({ found: { subject } }: Cluster): boolean => subject === undefined;

/** Whether the conditions of the first cluster are a proper subset of those of the second. */
const isWider: Explains = (one, other) =>
  one.found.conditions.length > 0 &&
  one.found.conditions.length < other.found.conditions.length &&
  one.found.kind === other.found.kind &&
  JSON.stringify(one.found.subject) === JSON.stringify(other.found.subject) &&
  hasConditionsOf(other, one);

/** Whether the first cluster covers more kinds of requests than the second, under the same conditions. */
const isMore: Explains = (one, other) =>
  textOfAll(one.found.conditions) === textOfAll(other.found.conditions) &&
  ((isOfAll(one) && !isOfAll(other)) ||
    ((one.found.labels ?? []).length > (other.found.labels ?? []).length && hasLabelsOf(one, other)));

/** Whether every failing body of the second cluster has the feature that the first one names. */
const haveItsFeature: Explains = (one, other) => {
  const { feature } = one.found;
  return (
    feature !== undefined &&
    other.found.feature === undefined &&
    isAuthentication(one) === isAuthentication(other) &&
    other.members.every(({ failure: { exchange } }) => feature.has(bodyText(exchange.request.body)))
  );
};

/** Whether a body that is nested deeply enough is all that the first cluster needs. */
const areDeepEnough: Explains = (one, other) => {
  const [levels, ...others] = one.found.conditions.map(({ levelsAbove }) => levelsAbove);
  return (
    levels !== undefined &&
    others.length === 0 &&
    other.members.every(({ failure: { exchange } }) => depthIn(bodyText(exchange.request.body)) > levels)
  );
};

/** The remainder of the id in a request. */
const remainderIn = (exchange: Exchange, modulus: number): bigint | undefined => {
  const id = wholeIdIn(exchange);
  return id === undefined ? undefined : id % BigInt(modulus);
};

/** Whether every failing id of the second cluster has the remainder that the first one names. */
const haveItsRemainder: Explains = (one, other) => {
  const modulus = modulusIn(one.found.conditions);
  if (modulus === undefined || modulusIn(other.found.conditions) !== undefined) return false;
  const remainder = remainderIn(one.found.exchange, modulus);
  return (
    remainder !== undefined &&
    other.members.every(({ failure }) => remainderIn(failure.exchange, modulus) === remainder)
  );
};

/** A broader cluster with the same symptom includes a narrower one. */
const includes: Explains = (one, other) =>
  isSameSymptom(one, other) &&
  (isMore(one, other) ||
    isWider(one, other) ||
    haveItsRemainder(one, other) ||
    areDeepEnough(one, other) ||
    (haveItsFeature(one, other) && !isMore(other, one)));

/** A smaller limit may be exceeded by an ordinary request by chance. */
const MIN_LIMIT_BYTES = 300;

/**
 * A store that reads bodies only up to some size rejects larger plants, and overlooks defects beyond that
 * size.
 */
const readsOnlyBeginning: Explains = (one, other) => {
  const limit = Math.max(...one.found.conditions.map(({ bytesAbove = 0 }) => bytesAbove));
  return (
    hasSymptom(one, 'rejects') &&
    hasSymptom(other, 'accepts') &&
    limit >= MIN_LIMIT_BYTES &&
    other.members.every(({ failure: { exchange } }) => (exchange.request.body?.length ?? 0) > limit)
  );
};

/** If any value of a header replaces the token, so does the token in that header. */
const acceptsCarrier: Explains = (one, other) => {
  const { header } = other.found.state.credential ?? {};
  return (
    hasSymptom(one, 'accepts') &&
    hasSymptom(other, 'accepts') &&
    header !== undefined &&
    one.found.conditions.some(({ part }) => part?.toLowerCase() === header.toLowerCase())
  );
};

/**
 * A store that rejects valid plants with a wrong status uses that status for invalid ones, too. Report it
 * only once.
 */
const rejectsEverything: Explains = (one, other) =>
  hasSymptom(one, 'rejects') &&
  one.found.kind !== 'once' &&
  (one.found.kind !== 'always' || one.found.conditions.length === 0) &&
  hasSymptom(other, 'wrong-rejection') &&
  one.symptom.status === other.symptom.status;

/** A failure that no experiment reproduces probably has the cause of a reproducible one with the same symptom. */
const explainsNotReproduced: Explains = (one, other) =>
  isClear(one) &&
  one.found.kind === 'always' &&
  other.found.kind === 'once' &&
  levelOf(one) === levelOf(other) &&
  isSameSymptom(one, other);

/** Merge rules for failures that another fault caused by chance. */
export const BY_CHANCE: readonly Explains[] = [
  explainsRepeatedValue,
  explainsSequence,
  explainsChance,
  acceptsCarrier,
  convertsToo,
  killsOthers,
];

/** Merge rules for consequences of another fault. */
export const CONSEQUENCES: readonly Explains[] = [
  doesNotCheck,
  answersInvalid,
  includes,
  readsOnlyBeginning,
  rejectsEverything,
  leavesResponse,
  leavesUnfinished,
  wasSentInItsWay,
  leavesRequest,
  explainsNotReproduced,
];
