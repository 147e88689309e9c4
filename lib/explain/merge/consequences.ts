import { membersOf } from '../../judge/reading.ts';
import { ID } from '../../payloads/plants.ts';
import type { Exchange } from '../../wire/exchange.ts';
import type { Cluster } from '../cluster.ts';
import { hasFreshId } from '../ordinary-requests.ts';
import { aspectOf, keyOf, type SymptomKind } from '../symptom/symptom.ts';
import { areVague, type Condition, fullText, topicsOf } from '../wording/condition.ts';
import { labelOf } from '../wording/request-words.ts';

/** Whether one cluster explains the failures of another one. */
export type Explains = (one: Cluster, other: Cluster) => boolean;

const hasSymptom = ({ symptom }: Cluster, ...kinds: readonly SymptomKind[]): boolean =>
  kinds.includes(symptom.kind);

const isSameSymptom: Explains = (one, other) => keyOf(one.symptom) === keyOf(other.symptom);

export const textOfAll = (conditions: readonly Condition[]): string => conditions.map(fullText).join('\n');

const hasConditionsOf: Explains = (one, other) =>
  other.found.conditions.every((own) =>
    one.found.conditions.some((condition) => fullText(condition) === fullText(own)),
  );

const hasLabelsOf: Explains = ({ found: { labels = [] } }, other) =>
  other.members.every(({ failure }) => labels.includes(labelOf(failure)));

const dependsOnEarlier = ({ found: { kind, conditions } }: Cluster): boolean =>
  kind === 'sequence' || conditions.some(({ part }) => part === 'earlier requests');

/** If a preceding request triggers the symptom, a repeated value fails for the same reason. */
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

/** One body defect may be mistaken for another. */
const isOfBody = (one: Cluster): boolean => hasSymptom(one, 'accepts', 'rejects') && !isAuthentication(one);

const meetsOthers = (one: Cluster): boolean => dependsOnEarlier(one) || isIntermittent(one);

/**
 * If earlier requests matter, or others at the same time, what no experiment shows again has probably met such requests
 * by chance.
 */
const explainsChance: Explains = (one, other) =>
  meetsOthers(one) &&
  other.found.kind === 'once' &&
  !meetsOthers(other) &&
  (isSameSymptom(one, other) ||
    (isAuthentication(one) && isAuthentication(other)) ||
    (isIntermittent(one) && isOfBody(one) && isOfBody(other)) ||
    (isIntermittent(one) && isWrong200(one) && isWrong200(other)));

/** If values decide how a property is converted, a conversion that no experiment shows again is due to its value, too. */
const convertsToo: Explains = (one, other) =>
  one.found.kind === 'always' &&
  other.found.kind === 'once' &&
  one.symptom.status === other.symptom.status &&
  one.symptom.instead !== undefined &&
  other.symptom.instead !== undefined &&
  one.found.conditions.some(({ property }) => property === one.symptom.property);

/** A store that answers 200 to what it finds invalid answers in the same way to what may be valid. */
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
  Object.keys(membersOf(Buffer.from(exchange.response?.body ?? []).toString('utf8'))).join();

/** A request that kills the store leaves those in flight with it without an answer. */
const killsOthers: Explains = (one, other) =>
  hasSymptom(one, 'crashes') &&
  one.found.kind === 'always' &&
  hasSymptom(other, 'closed', 'no-answer', 'incomplete') &&
  (other.found.kind === 'once' || isIntermittent(other));

/** What a response leaves on its connection is read as the next one: one fault. */
const leavesResponse: Explains = (one, other) =>
  hasSymptom(one, 'truncated-json', 'incomplete') && hasSymptom(other, 'not-http');

const isClear = ({ found: { kind, conditions } }: Cluster): boolean =>
  kind !== 'once' && conditions.length > 0 && !areVague(conditions);

/** A store that leaves responses unfinished on some way in does so whatever their status. */
const leavesUnfinished: Explains = (one, other) =>
  isClear(one) &&
  areVague(other.found.conditions) &&
  hasSymptom(one, 'incomplete', 'no-answer') &&
  keyOf(one.symptom) !== keyOf(other.symptom) &&
  hasSymptom(other, 'incomplete', 'no-answer');

/** What fails whenever requests are sent in some way also fails in them for reasons that no experiment showed again. */
const wasSentInItsWay: Explains = (one, other) =>
  isClear(one) &&
  hasSymptom(one, 'incomplete', 'no-answer', 'closed') &&
  areVague(other.found.conditions) &&
  other.members.every(({ failure: { label } }) =>
    one.found.conditions.every(({ phrase }) => phrase !== undefined && label.includes(phrase)),
  );

/** What a store leaves unread of a body is read as the next request. */
const leavesRequest: Explains = (one, other) =>
  hasSymptom(one, 'unread-body') &&
  !hasSymptom(other, 'unread-body') &&
  (other.found.kind === 'sequence' || other.found.kind === 'once');

/** A store that accepts some bodies with a defect does not check for it: the same fault makes it fail with others. */
const doesNotCheck: Explains = (one, other) =>
  hasSymptom(one, 'accepts') &&
  one.found.kind === 'always' &&
  hasSymptom(other, 'server-error') &&
  hasConditionsOf(other, one) &&
  hasLabelsOf(one, other);

const isOfAll = ({ found: { subject } }: Cluster): boolean => subject === undefined;

/** Whether the conditions of one are some of those of the other. */
const isWider: Explains = (one, other) =>
  one.found.conditions.length > 0 &&
  one.found.conditions.length < other.found.conditions.length &&
  one.found.kind === other.found.kind &&
  JSON.stringify(one.found.subject) === JSON.stringify(other.found.subject) &&
  hasConditionsOf(other, one);

/** Whether one is about more kinds of requests than the other, under the same conditions. */
const isMore: Explains = (one, other) =>
  textOfAll(one.found.conditions) === textOfAll(other.found.conditions) &&
  ((isOfAll(one) && !isOfAll(other)) ||
    ((one.found.labels ?? []).length > (other.found.labels ?? []).length && hasLabelsOf(one, other)));

/** Whether every failing body of the other has the feature that the one names. */
const haveItsFeature: Explains = (one, other) => {
  const { feature } = one.found;
  return (
    feature !== undefined &&
    other.found.feature === undefined &&
    isAuthentication(one) === isAuthentication(other) &&
    other.members.every(({ failure: { exchange } }) =>
      feature.has(Buffer.from(exchange.request.body ?? []).toString('utf8')),
    )
  );
};

const WHOLE_ID = new RegExp(`"${ID}"\\s*:\\s*(-?\\d+)(?![\\d.eE])`);

/** The remainder of the id in a request. */
function remainderIn({ request }: Exchange, modulus: number): bigint | undefined {
  const id = WHOLE_ID.exec(Buffer.from(request.body ?? []).toString('utf8'))?.[1];
  return id === undefined ? undefined : BigInt(id) % BigInt(modulus);
}

/** Whether every failing id of the other has the remainder that the one names. */
const haveItsRemainder: Explains = (one, other) => {
  const { modulus, exchange } = one.found;
  if (modulus === undefined || other.found.modulus !== undefined) return false;
  const own = remainderIn(exchange, modulus);
  return (
    own !== undefined && other.members.every(({ failure }) => remainderIn(failure.exchange, modulus) === own)
  );
};

/** A broader cluster with the same symptom includes a narrower one. */
const includes: Explains = (one, other) =>
  isSameSymptom(one, other) &&
  (isMore(one, other) ||
    isWider(one, other) ||
    haveItsRemainder(one, other) ||
    (haveItsFeature(one, other) && !isMore(other, one)));

/** A limit below this may lie below the size of an ordinary request by chance. */
const MIN_LIMIT_BYTES = 300;

/** A store that stops reading at some size rejects larger plants, and accepts what is wrong only beyond it. */
const readsOnlyBeginning: Explains = (one, other) => {
  const limit = Math.max(...one.found.conditions.map(({ bytesAbove = 0 }) => bytesAbove));
  return (
    hasSymptom(one, 'rejects') &&
    hasSymptom(other, 'accepts') &&
    limit >= MIN_LIMIT_BYTES &&
    other.members.every(({ failure: { exchange } }) => (exchange.request.body?.length ?? 0) > limit)
  );
};

/** If a header stands in for a token whatever it contains, the token in that header does so as well. */
const acceptsCarrier: Explains = (one, other) => {
  const { header } = other.found.state.credential ?? {};
  return (
    hasSymptom(one, 'accepts') &&
    hasSymptom(other, 'accepts') &&
    header !== undefined &&
    one.found.conditions.some(({ part }) => part?.toLowerCase() === header.toLowerCase())
  );
};

/** A store that rejects valid plants with a wrong status uses it for invalid ones too; do not report that twice. */
const rejectsEverything: Explains = (one, other) =>
  hasSymptom(one, 'rejects') &&
  one.found.kind !== 'once' &&
  (one.found.kind !== 'always' || one.found.conditions.length === 0) &&
  hasSymptom(other, 'wrong-rejection') &&
  one.symptom.status === other.symptom.status;

/** Failures that another fault brought about by chance. */
export const BY_CHANCE: readonly Explains[] = [
  explainsRepeatedValue,
  explainsChance,
  acceptsCarrier,
  convertsToo,
  killsOthers,
];

/** What follows from another fault. */
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
];
