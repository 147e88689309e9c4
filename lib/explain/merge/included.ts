import type { Cluster } from '../cluster.ts';
import { keyOf } from '../symptom/symptom.ts';
import { fullText } from '../wording/wording.ts';
import { labelOf } from '../wording/words.ts';
import { joinedBy, textOfAll } from './join.ts';

/** Drops clusters that a broader cluster with the same conditions includes. */
export function withoutIncluded(clusters: readonly Cluster[]): readonly Cluster[] {
  const conditions = ({ found }: Cluster) => textOfAll(found.conditions);
  const kinds = ({ found: { labels = [] } }: Cluster) => labels.length;
  const isOfAll = ({ found: { subject } }: Cluster) => subject === undefined;
  const isWider = (one: Cluster, other: Cluster) =>
    one !== other &&
    one.found.conditions.length > 0 &&
    one.found.conditions.length < other.found.conditions.length &&
    one.found.kind === other.found.kind &&
    JSON.stringify(one.found.subject) === JSON.stringify(other.found.subject) &&
    one.found.conditions.every((own) =>
      other.found.conditions.some((another) => fullText(another) === fullText(own)),
    );
  const isMore = (one: Cluster, other: Cluster) =>
    conditions(one) === conditions(other) &&
    ((isOfAll(one) && !isOfAll(other)) ||
      (kinds(one) > kinds(other) &&
        other.members.every(({ failure }) => one.found.labels?.includes(labelOf(failure)) === true)));
  const includes = (one: Cluster, other: Cluster) =>
    keyOf(one.sought) === keyOf(other.sought) &&
    (isMore(one, other) || isWider(one, other) || (isFeatured(one, other) && !isMore(other, one)));
  return joinedBy(clusters, (cluster) => clusters.find((one) => includes(one, cluster)));
}

/** Whether all bodies of a cluster have the feature of another one. */
const isFeatured = ({ found: { feature } }: Cluster, { found, members }: Cluster): boolean =>
  feature !== undefined &&
  found.feature === undefined &&
  members.every(({ failure: { exchange } }) =>
    feature.has(Buffer.from(exchange.request.body ?? []).toString('utf8')),
  );

/** A limit below this may lie below the size of an ordinary request by chance. */
const MIN_LIMIT_BYTES = 300;

/** A store that does not read what is beyond some size rejects larger plants, and accepts what is wrong only there. */
export function withoutBeyondSize(clusters: readonly Cluster[]): readonly Cluster[] {
  const limitOf = ({ found: { conditions } }: Cluster) =>
    Math.max(...conditions.map(({ bytesAbove = 0 }) => bytesAbove));
  const limited = clusters.filter(
    (cluster) => cluster.sought.kind === 'rejects' && limitOf(cluster) >= MIN_LIMIT_BYTES,
  );
  const isBeyond = ({ members }: Cluster, limit: number) =>
    members.every(({ failure: { exchange } }) => (exchange.request.body?.length ?? 0) > limit);
  return joinedBy(clusters, (cluster) =>
    cluster.sought.kind === 'accepts' ? limited.find((one) => isBeyond(cluster, limitOf(one))) : undefined,
  );
}

/** If a header stands in for a token whatever it contains, the token in that header does so as well. */
export function withoutCarriers(clusters: readonly Cluster[]): readonly Cluster[] {
  const accepting = clusters.filter(({ sought: { kind } }) => kind === 'accepts');
  const hasPart = ({ found: { conditions } }: Cluster, header: string) =>
    conditions.some(({ part }) => part?.toLowerCase() === header.toLowerCase());
  return joinedBy(clusters, (cluster) => {
    const { header } = cluster.found.state.credential ?? {};
    return header === undefined || !accepting.includes(cluster)
      ? undefined
      : accepting.find((one) => one !== cluster && hasPart(one, header));
  });
}

/**
 * A store that rejects valid plants whatever they contain does the same with others: that their status is not the right
 * one is no second fault.
 */
export function withoutOthersRejected(clusters: readonly Cluster[]): readonly Cluster[] {
  const everything = clusters.filter(
    ({ sought, found: { kind, conditions } }) =>
      sought.kind === 'rejects' && (kind !== 'always' || conditions.length === 0),
  );
  return joinedBy(clusters, ({ sought: { kind, status } }) =>
    kind === 'wrong-rejection' ? everything.find((one) => one.sought.status === status) : undefined,
  );
}
