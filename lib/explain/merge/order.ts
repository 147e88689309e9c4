import { type Cluster, levelOf } from '../cluster.ts';

/** MUST first, then what keeps other checks from being tested, then what explains the most checks. */
export function ordered(clusters: readonly Cluster[]): readonly Cluster[] {
  const isMust = (cluster: Cluster) => (levelOf(cluster) === 'MUST' ? 1 : 0);
  const checks = ({ members }: Cluster) => new Set(members.map(({ check }) => check)).size;
  const blocks = ({ sought: { kind } }: Cluster) => (kind === 'dies' ? 1 : 0);
  return clusters.toSorted((a, b) => isMust(b) - isMust(a) || blocks(b) - blocks(a) || checks(b) - checks(a));
}
