import type { CauseKind } from '../../run/result/cause.ts';
import { bodyText } from '../../utf8.ts';
import type { Cluster } from '../explanation/cluster.ts';
import { areVague, type Condition, fullText, topicsOf } from '../explanation/condition.ts';
import { labelOf } from '../explanation/labels.ts';
import { aspectOf, keyOf, type SymptomKind } from '../symptom/symptom.ts';

export type Compares = (one: Cluster, other: Cluster) => boolean;

export const hasSymptom = ({ symptom }: Cluster, ...kinds: readonly SymptomKind[]): boolean =>
  kinds.includes(symptom.kind);

export const isOfKind = ({ explanation }: Cluster, ...kinds: readonly CauseKind[]): boolean =>
  kinds.includes(explanation.kind);

/** Whether the body of every failing request of a cluster is as described. */
export const everyBody = ({ members }: Cluster, is: (body: string) => boolean): boolean =>
  members.every(({ failure: { exchange } }) => is(bodyText(exchange.request.body)));

export const textOfAll = (conditions: readonly Condition[]): string => conditions.map(fullText).join('\n');

export const hasConditions = ({ explanation }: Cluster, wanted: readonly Condition[]): boolean =>
  wanted.every((own) => explanation.conditions.some((condition) => fullText(condition) === fullText(own)));

/** Whether the first cluster has all conditions of the second. */
export const hasConditionsOf: Compares = (one, { explanation }) => hasConditions(one, explanation.conditions);

/** Whether the labels of the first cluster include those of the failures of the second. */
export const hasLabelsOf: Compares = ({ explanation: { labels = [] } }, other) =>
  other.members.every(({ failure }) => labels.includes(labelOf(failure)));

export const dependsOnEarlier = (cluster: Cluster): boolean =>
  isOfKind(cluster, 'sequence') ||
  cluster.explanation.conditions.some(({ part }) => part === 'earlier requests');

export const isIntermittent = (cluster: Cluster): boolean =>
  isOfKind(cluster, 'intermittent', 'under-concurrency') ||
  cluster.members.some(({ failure: { when } }) => when === 'under-concurrency');

export const isWrong200 = ({ symptom }: Cluster): boolean =>
  symptom.status === 200 && ['representation', 'echo'].includes(aspectOf(symptom));

export const isAuthentication = ({ symptom: { kind, status }, explanation: { subject } }: Cluster): boolean =>
  (kind === 'rejects' && status === 401) ||
  (kind === 'accepts' && subject !== undefined && topicsOf(subject).includes('credential'));

/** Whether the symptoms are the same. Accepting a wrong credential and accepting a wrong body are not. */
export const isSameSymptom: Compares = (one, other) =>
  keyOf(one.symptom) === keyOf(other.symptom) && isAuthentication(one) === isAuthentication(other);

/** Whether a condition says only how often the symptom shows. */
export const isRate = ({ note, clause, phrase }: Condition): boolean =>
  note !== undefined && clause === undefined && phrase === undefined;

/** Whether nothing is known about when the failure recurs but how often. */
export const hasOnlyRate = (cluster: Cluster): boolean =>
  isOfKind(cluster, 'intermittent') && cluster.explanation.conditions.every(isRate);

export const isClear = ({ explanation: { kind, conditions } }: Cluster): boolean =>
  kind !== 'once' && conditions.length > 0 && !areVague(conditions);

export const isReproducible = ({ explanation: { kind } }: Cluster): boolean => kind === 'always';

/** Whether only examples of a condition are known. With a subject, this must be true of every condition. */
export const hasVague = ({ explanation: { subject, conditions } }: Cluster): boolean =>
  areVague(conditions) && (subject === undefined || conditions.every(({ isVague }) => isVague === true));
