import { type Cause, causeOf, type Failure } from './result.ts';

/**
 * Causes of one check that are told apart. A run sends some hundreds of kinds of requests, so that more causes come of
 * a store that answers each in a way of its own; then their counts do not add up to that of the failures.
 */
const MAX_CAUSES = 2000;

/** Counts the failures of a check by what is wrong with the answer and by what was asked. */
export class Causes {
  private readonly byKey = new Map<string, Cause>();

  add(failure: Failure, place: number): void {
    const { finding, label, stableLabel = label } = failure;
    const request = finding.ofRequest === true ? undefined : stableLabel;
    const cause = causeOf(failure);
    const key = keyOf({ cause, request });
    const known = this.byKey.get(key);
    if (known === undefined && this.byKey.size >= MAX_CAUSES) return;
    this.byKey.set(key, {
      cause,
      ...(request === undefined ? {} : { request }),
      failed: (known?.failed ?? 0) + 1,
      place: Math.min(known?.place ?? place, place),
    });
  }

  /** The one that was met first in the plan comes first. */
  get inOrder(): readonly Cause[] {
    return [...this.byKey.values()].sort((a, b) => a.place - b.place || (keyOf(a) < keyOf(b) ? -1 : 1));
  }
}

const keyOf = ({ cause, request = '' }: { readonly cause: string; readonly request?: string | undefined }) =>
  `${cause}\n${request}`;
