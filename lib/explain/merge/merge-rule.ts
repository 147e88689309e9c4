import type { Cluster } from '../explanation/cluster.ts';

/** A merge rule: which clusters are one fault, and how the merged cluster is worded. */
export interface SameFault {
  /** Equal for clusters that are one fault; undefined for a cluster that the rule does not merge. */
  readonly key: (cluster: Cluster, all: readonly Cluster[]) => string | undefined;
  readonly join: (first: Cluster, all: readonly Cluster[]) => Cluster;
}

/** Whether the fault of `root` also accounts for the failures of `consequence`. */
export type Explains = (root: Cluster, consequence: Cluster) => boolean;
