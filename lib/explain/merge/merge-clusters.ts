import { groupBy } from '../../collections.ts';
import { type Cluster, inFixOrder, withExplanation } from '../explanation/cluster.ts';
import { type Condition, fullText } from '../explanation/condition.ts';
import { CONSEQUENCES } from './consequences.ts';
import { FAILURES_BY_CHANCE } from './failures-by-chance.ts';
import type { Explains, SameFault } from './merge-rule.ts';
import { byCodePath, SAME_FAULTS } from './same-fault.ts';

/** Merges clusters until there is one for each fault, in the order in which to fix them. */
export function mergeClusters(clusters: readonly Cluster[]): readonly Cluster[] {
  let remaining: readonly Cluster[] = clusters.map(withDistinctConditions);
  for (const explains of FAILURES_BY_CHANCE) remaining = absorbed(remaining, explains);
  for (const rule of SAME_FAULTS) remaining = mergedByKey(remaining, rule);
  for (const explains of CONSEQUENCES) remaining = absorbed(remaining, explains);
  return inFixOrder(mergedByKey(remaining, byCodePath));
}

/** Merges clusters with the same key, keeping the failures of all. Clusters without a key are unchanged. */
function mergedByKey(clusters: readonly Cluster[], { key, join }: SameFault): readonly Cluster[] {
  const groups = groupBy(clusters, (cluster) => key(cluster, clusters) ?? String(clusters.indexOf(cluster)));
  return groups.map(([, all]) => (all.length === 1 ? all[0] : withMembers(join(all[0], all), all)));
}

/** Moves the failures of each explained cluster into the cluster that explains it. */
function absorbed(clusters: readonly Cluster[], explains: Explains): readonly Cluster[] {
  const roots = new Map(clusters.map((cluster) => [cluster, rootOf(cluster, clusters, explains)]));
  return [...new Set(roots.values())].map((root) =>
    withMembers(
      root,
      clusters.filter((cluster) => roots.get(cluster) === root),
    ),
  );
}

/**
 * Finds the cluster that explains this one, directly or through others, and that none explains. Returns the
 * cluster itself if there is none, or if clusters explain one another.
 */
function rootOf(cluster: Cluster, clusters: readonly Cluster[], explains: Explains): Cluster {
  let root = cluster;
  for (const _ of clusters) {
    const next = clusters.find((one) => one !== root && explains(one, root));
    if (next === undefined) return root;
    root = next;
  }
  return cluster;
}

const withMembers = (cluster: Cluster, all: readonly Cluster[]): Cluster => ({
  ...cluster,
  members: all.flatMap(({ members }) => members),
});

/**
 * Drops repeated conditions: several parts of a request may matter for one reason (for example, each makes
 * the body larger), and the part that is wrong is already the subject.
 */
function withDistinctConditions(cluster: Cluster): Cluster {
  const { subject, conditions } = cluster.explanation;
  const isOfSubject = ({ part, property }: Condition) =>
    part !== undefined && part === property && part === subject?.property;
  const others = conditions.filter((condition) => !isOfSubject(condition));
  const byText = new Map(others.map((condition) => [fullText(condition), condition]));
  if (subject !== undefined) byText.delete(fullText(subject));
  return withExplanation(cluster, { conditions: [...byText.values()] });
}
