import { type Failure, type FailureGroup, problemOf } from './result.ts';

/** More occur only if a store answers each kind of request differently. The counts then do not add up. */
const MAX_GROUPS = 2000;

export class FailureGroups {
  private readonly byKey = new Map<string, FailureGroup>();

  add(failure: Failure, position: number): void {
    const { finding, label, stableLabel = label } = failure;
    const request = finding.ofRequest === true ? undefined : stableLabel;
    const problem = problemOf(failure);
    const key = keyOf(problem, request);
    const known = this.byKey.get(key);
    if (known === undefined && this.byKey.size >= MAX_GROUPS) return;
    this.byKey.set(key, {
      problem,
      ...(request === undefined ? {} : { request }),
      failed: (known?.failed ?? 0) + 1,
      position: Math.min(known?.position ?? position, position),
    });
  }

  /** The groups in the order of their first cases in the plan. */
  get inOrder(): readonly FailureGroup[] {
    return [...this.byKey.values()].sort(
      (a, b) =>
        a.position - b.position || (keyOf(a.problem, a.request) < keyOf(b.problem, b.request) ? -1 : 1),
    );
  }
}

const keyOf = (problem: string, request = '') => `${problem}\n${request}`;
