import { groupBy } from '../../groups.ts';
import { type Cluster, inFixOrder } from '../cluster.ts';
import { fullText } from '../wording/wording.ts';
import { BY_CHANCE, CONSEQUENCES, type Explains } from './consequences.ts';
import { byCodePath, SAME_FAULTS, type SameFault } from './same-fault.ts';

/** Merge rules, in order of application. */
const RULES: readonly (Explains | SameFault)[] = [...BY_CHANCE, ...SAME_FAULTS, ...CONSEQUENCES, byCodePath];

/** Merges clusters into one per fault, in order of fixing. */
export const merged = (clusters: readonly Cluster[]): readonly Cluster[] =>
  inFixOrder(
    RULES.reduce<readonly Cluster[]>(
      (left, rule) => applied(left, typeof rule === 'function' ? asMergeRule(rule, left) : rule),
      clusters.map(withDistinctConditions),
    ),
  );

/** Makes one cluster of those with the same key, with the failures of all. Those without a key stay as they are. */
function applied(clusters: readonly Cluster[], { key, join }: SameFault): readonly Cluster[] {
  const groups = groupBy(clusters, (cluster) => key(cluster, clusters) ?? String(clusters.indexOf(cluster)));
  return groups.flatMap(([, all]) => {
    const [first] = all;
    if (first === undefined || all.length < 2) return all;
    return [{ ...join(first, all), members: all.flatMap(({ members }) => members) }];
  });
}

/** Moves the failures of each explained cluster into the cluster that explains it. */
function asMergeRule(explains: Explains, clusters: readonly Cluster[]): SameFault {
  const rootOf = (cluster: Cluster): Cluster => {
    const next = clusters.find((one) => one !== cluster && explains(one, cluster));
    return next === undefined ? cluster : rootOf(next);
  };
  return { key: (cluster) => String(clusters.indexOf(rootOf(cluster))), join: rootOf };
}

/** Several parts of a request may matter for one reason, such as that each makes the body larger. */
function withDistinctConditions({ found, ...rest }: Cluster): Cluster {
  const byText = new Map(found.conditions.map((words) => [fullText(words), words]));
  return { ...rest, found: { ...found, conditions: [...byText.values()] } };
}
