import { groupBy } from '../../groups.ts';
import type { Cluster } from '../cluster.ts';
import { fullText, type Wording } from '../wording/wording.ts';

export const textOfAll = (conditions: readonly Wording[]): string => conditions.map(fullText).join('\n');

/** Makes one cluster, with the failures of all, of those with the same key. Those without a key stay as they are. */
export function joinedByKey(
  clusters: readonly Cluster[],
  key: (cluster: Cluster) => string | undefined,
  join: (first: Cluster, all: readonly Cluster[]) => Cluster,
): readonly Cluster[] {
  const groups = groupBy(clusters, (cluster) => key(cluster) ?? String(clusters.indexOf(cluster)));
  return groups.flatMap(([, all]) => {
    const [first] = all;
    if (first === undefined || all.length < 2) return all;
    return [{ ...join(first, all), members: all.flatMap(({ members }) => members) }];
  });
}

/** Gives the members of each cluster that another one explains to that one. */
export function joinedBy(
  clusters: readonly Cluster[],
  explaining: (cluster: Cluster) => Cluster | undefined,
): readonly Cluster[] {
  const last = (cluster: Cluster): Cluster => {
    const next = explaining(cluster);
    return next === undefined ? cluster : last(next);
  };
  return joinedByKey(clusters, (cluster) => String(clusters.indexOf(last(cluster))), last);
}
