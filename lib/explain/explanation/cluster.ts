import type { Check } from '../../run/check.ts';
import type { FailedCase, Failure } from '../../run/result/result.ts';
import type { TargetSymptom } from '../symptom/target-symptom.ts';
import type { Explanation } from './explanation.ts';

/** A failure of a check, and the symptom that shows whether it recurs. */
export interface CheckFailure {
  readonly check: Check;
  readonly failure: Failure;
  readonly symptom: TargetSymptom;
}

/** Whether a failure showed again when its request was sent again. */
export const didRecur = ({ failure: { when } }: CheckFailure): boolean =>
  when === 'always' || when === 'this-request';

/** A failed case of a check, which probably has the same symptom as a failure. */
export interface FurtherFailure {
  readonly check: Check;
  readonly failed: FailedCase;
  readonly symptom: TargetSymptom;
}

/** Failures with one explanation. */
export interface Cluster {
  readonly symptom: TargetSymptom;
  /** The symptom as worded in the title, if merged from several clusters. */
  readonly ofSeveral?: TargetSymptom;
  readonly explanation: Explanation;
  readonly members: readonly CheckFailure[];
  /** Other symptoms under the same condition. */
  readonly also?: readonly string[];
}

/** Returns the cluster with some of its explanation replaced. */
export const withExplanation = (cluster: Cluster, changes: Partial<Explanation>): Cluster => ({
  ...cluster,
  explanation: { ...cluster.explanation, ...changes },
});

/** Returns the highest requirement level (MUST over SHOULD) of the checks of the failures. */
export const levelOf = ({ members }: Pick<Cluster, 'members'>): 'MUST' | 'SHOULD' =>
  members.some(({ check }) => check.level === 'MUST') ? 'MUST' : 'SHOULD';

/** Sorts clusters in the order in which to fix them: MUST first, then what blocks others, then by checks. */
export function inFixOrder(clusters: readonly Cluster[]): readonly Cluster[] {
  const isMust = (cluster: Cluster) => (levelOf(cluster) === 'MUST' ? 1 : 0);
  const checks = ({ members }: Cluster) => new Set(members.map(({ check }) => check)).size;
  const blocks = ({ symptom: { kind } }: Cluster) =>
    kind === 'stops-answering' || kind === 'crashes' ? 1 : 0;
  return clusters.toSorted((a, b) => isMust(b) - isMust(a) || blocks(b) - blocks(a) || checks(b) - checks(a));
}
