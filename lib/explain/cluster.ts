import type { Check } from '../run/check.ts';
import type { Failure } from '../run/result/result.ts';
import type { TargetSymptom } from './experiments.ts';
import type { Explanation } from './explanation.ts';

/** A failure of a check, and what to look for to see it again. */
export interface CheckFailure {
  readonly check: Check;
  readonly failure: Failure;
  readonly symptom: TargetSymptom;
}

/** What was found out about some failures. */
export interface Cluster {
  readonly symptom: TargetSymptom;
  /** The symptom as worded in the title, if merged from several clusters. */
  readonly ofSeveral?: TargetSymptom;
  readonly found: Explanation;
  readonly members: readonly CheckFailure[];
  /** What else is wrong under the same condition. */
  readonly also?: readonly string[];
}

/** The highest requirement level (MUST over SHOULD) of the checks it explains. */
export const levelOf = ({ members }: Cluster): 'MUST' | 'SHOULD' =>
  members.some(({ check }) => check.level === 'MUST') ? 'MUST' : 'SHOULD';

/** Order of fixing: MUST first, then causes that make other checks untestable, then by number of checks explained. */
export function inFixOrder(clusters: readonly Cluster[]): readonly Cluster[] {
  const isMust = (cluster: Cluster) => (levelOf(cluster) === 'MUST' ? 1 : 0);
  const checks = ({ members }: Cluster) => new Set(members.map(({ check }) => check)).size;
  const blocks = ({ symptom: { kind } }: Cluster) =>
    kind === 'stops-answering' || kind === 'crashes' ? 1 : 0;
  return clusters.toSorted((a, b) => isMust(b) - isMust(a) || blocks(b) - blocks(a) || checks(b) - checks(a));
}
