import { type Cluster, levelOf } from '../cluster.ts';

/** MUST first, then what explains the most checks. */
export function ordered(clusters: readonly Cluster[]): readonly Cluster[] {
  const isMust = (cluster: Cluster) => (levelOf(cluster) === 'MUST' ? 1 : 0);
  const checks = ({ members }: Cluster) => new Set(members.map(({ check }) => check)).size;
  return clusters.toSorted((a, b) => isMust(b) - isMust(a) || checks(b) - checks(a));
}
