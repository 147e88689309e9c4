import type { Cluster } from '../cluster.ts';
import { aspectOf, keyOf } from '../symptom/symptom.ts';
import { topicsOf } from '../wording/topics.ts';
import { fullText } from '../wording/wording.ts';
import { labelOf } from '../wording/words.ts';
import { joinedBy } from './join.ts';

const dependsOnEarlier = ({ found: { kind, conditions } }: Cluster): boolean =>
  kind === 'sequence' || conditions.some(({ part }) => part === 'earlier requests');

/** If an earlier request matters, a value that was sent before shows the symptom for that reason. */
export function withoutRepeatedValues(clusters: readonly Cluster[]): readonly Cluster[] {
  const afterEarlier = clusters.filter(dependsOnEarlier);
  return joinedBy(clusters, (cluster) =>
    !afterEarlier.includes(cluster) && cluster.found.conditions.some(({ isRepeated }) => isRepeated === true)
      ? afterEarlier.find(({ sought }) => keyOf(sought) === keyOf(cluster.sought))
      : undefined,
  );
}

const isIntermittent = ({ found: { kind }, members }: Cluster): boolean =>
  kind === 'now-and-then' ||
  kind === 'under-concurrency' ||
  members.some(({ failure: { when } }) => when === 'under-concurrency');

/** A success whose body is not the right one. */
const isGarbled = ({ sought }: Cluster): boolean =>
  sought.status === 200 && ['representation', 'echo'].includes(aspectOf(sought));

/**
 * If earlier requests matter, or others at the same time, what no experiment shows again has probably met such requests
 * by chance.
 */
export function withoutChance(clusters: readonly Cluster[]): readonly Cluster[] {
  const explaining = clusters.filter((one) => dependsOnEarlier(one) || isIntermittent(one));
  const isAuthentication = ({ sought: { kind, status }, found }: Cluster) =>
    (kind === 'rejects' && status === 401) ||
    (kind === 'accepts' && found.subject !== undefined && topicsOf(found.subject).includes('credential'));
  /** What is wrong with one body is taken for that of another. */
  const isOfBody = (one: Cluster) =>
    ['accepts', 'rejects'].includes(one.sought.kind) && !isAuthentication(one);
  return joinedBy(clusters, (cluster) =>
    cluster.found.kind === 'once' && !explaining.includes(cluster)
      ? explaining.find(
          (one) =>
            keyOf(one.sought) === keyOf(cluster.sought) ||
            (isAuthentication(one) && isAuthentication(cluster)) ||
            (isIntermittent(one) && isOfBody(one) && isOfBody(cluster)) ||
            (isIntermittent(one) && isGarbled(one) && isGarbled(cluster)),
        )
      : undefined,
  );
}

/** What a request or response leaves on its connection is read as the next one: one fault. */
export function withoutRemains(clusters: readonly Cluster[]): readonly Cluster[] {
  const wrongLength = clusters.find(
    ({ sought: { kind } }) => kind === 'truncated-json' || kind === 'incomplete',
  );
  const unread = clusters.find(({ sought: { kind } }) => kind === 'unread-body');
  const isAfterOthers = ({ found: { kind } }: Cluster) => kind === 'sequence' || kind === 'once';
  return joinedBy(clusters, (cluster) => {
    if (cluster.sought.kind === 'not-http' && wrongLength !== undefined) return wrongLength;
    return cluster !== unread && isAfterOthers(cluster) ? unread : undefined;
  });
}

/** A store that accepts some bodies with a defect does not check for it: that it fails with others is the same fault. */
export function withoutUnchecked(clusters: readonly Cluster[]): readonly Cluster[] {
  const unchecked = clusters.filter(
    ({ sought, found }) => sought.kind === 'accepts' && found.kind === 'always',
  );
  const includes = ({ found: { labels = [], conditions } }: Cluster, { found, members }: Cluster) =>
    conditions.every((one) => found.conditions.some((own) => fullText(own) === fullText(one))) &&
    members.every(({ failure }) => labels.includes(labelOf(failure)));
  return joinedBy(clusters, (cluster) =>
    cluster.sought.kind === 'server-error' ? unchecked.find((one) => includes(one, cluster)) : undefined,
  );
}
