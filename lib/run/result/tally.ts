import type { NotApplied } from '../../judge/rules.ts';
import { isTimeout } from '../../wire/exchange.ts';
import type { Untestable } from '../check.ts';
import { FailureGroups } from './failure-groups.ts';
import {
  type CheckCoverage,
  type FailedCase,
  type Failure,
  type FailureGroup,
  type Observations,
  type PositionedFailure,
  problemOf,
} from './result.ts';
import { MAX_KEPT_BODY_BYTES, MAX_WHOLE_BODY_BYTES, truncatedCase, truncatedFailure } from './truncate.ts';

/** Number of failures that are kept in full: reports show the first, and some with other problems. */
export const MAX_FAILURES = 5;
/** Maximum number of problems of a check for which a failure is kept. */
const MAX_PROBLEMS_OF_A_CHECK = 20;

/** Maximum number of failed cases that are kept without their exchanges. */
const MAX_FAILED_CASES = 1000;

function withoutExchange(failure: Failure): FailedCase {
  const { exchange: _, recent: __, sampled: ___, when: ____, retries: _____, ...failedCase } = failure;
  return truncatedCase(failedCase);
}

/** The failure of a case that was not answered while other checks were running. */
interface PendingFailure extends PositionedFailure {
  /** Set if the case was answered correctly in isolation. */
  passed?: true;
}

const isLong = ({ exchange }: Failure): boolean =>
  (exchange.response?.body.length ?? 0) > MAX_KEPT_BODY_BYTES;

/** The results of a check so far. Valid at any time, even if the run stops in the middle of the check. */
export class Tally {
  cases = 0;
  failed = 0;
  /** Number of cases with random values; the other cases are the same in every run. */
  random = 0;
  timeouts = 0;
  blocked: Untestable | undefined;
  /** Whether a case remained unanswered in isolation as well. */
  hasConfirmed = false;
  pending: PendingFailure[] = [];
  /** Whether any exchange showed what the check is about. */
  ruleApplied = false;
  /** Why no rule applied, for the first exchange to which none did. */
  whyNotApplied: string | undefined;
  readonly failedCases: FailedCase[] = [];
  readonly observations: Record<string, Observations[string]> = {};
  /** What was tried of a covering array. Slow to compute. */
  coverage: () => CheckCoverage | undefined = () => undefined;
  private readonly groups = new FailureGroups();
  private readonly byProblem = new Map<string, { position: number; failure: Failure; failed: number }>();
  /** The first failure, once it has been retried. */
  private confirmedFirst: Failure | undefined;
  private readonly onNew: (failure: Failure) => void;

  /** @param onNew called with the first failure of each problem */
  constructor(onNew: (failure: Failure) => void = () => {}) {
    this.onNew = onNew;
  }

  /** Records a failure. For each problem, the failure with the lowest position is kept. */
  recordFailure(failure: Failure, position = this.failed): void {
    this.failed += 1;
    this.groups.add(failure, position);
    if (this.failedCases.length < MAX_FAILED_CASES) this.failedCases.push(withoutExchange(failure));
    if (isTimeout(failure.exchange)) this.timeouts += 1;
    const problem = problemOf(failure);
    const known = this.byProblem.get(problem);
    if (known === undefined) {
      if (this.byProblem.size < MAX_PROBLEMS_OF_A_CHECK) this.onNew(failure);
      this.byProblem.set(problem, { position, failure: this.kept(failure), failed: 1 });
      if (this.byProblem.size > MAX_PROBLEMS_OF_A_CHECK)
        this.byProblem.delete(this.inOrder.at(-1)?.[0] ?? problem);
      return;
    }
    known.failed += 1;
    if (position < known.position)
      Object.assign(known, { position, failure: this.kept(failure, known.failure) });
  }

  /** Truncates the response. Keeps more of one long response of each check, so that it can be explained. */
  private kept(failure: Failure, replaced?: Failure): Failure {
    const hasOther = [...this.byProblem.values()].some(
      (one) => one.failure !== replaced && isLong(one.failure),
    );
    return truncatedFailure(failure, hasOther ? MAX_KEPT_BODY_BYTES : MAX_WHOLE_BODY_BYTES);
  }

  /** Records a pass or, if no rule applied, why the exchange proves nothing. */
  recordPass(missing: NotApplied | undefined): void {
    if (missing === undefined) this.ruleApplied = true;
    else this.whyNotApplied ??= missing.notApplied;
  }

  /** Holds back a failure until it is clear which check caused it. */
  addPending(pending: PendingFailure): void {
    this.pending.push(pending);
    if (isTimeout(pending.failure.exchange)) this.timeouts += 1;
  }

  confirmPending(pending: PendingFailure, failure: Failure, unanswered: boolean): void {
    this.pending = this.pending.filter((one) => one !== pending);
    this.recordFailure({ ...failure, when: 'always', retries: { fresh: [1, 1] } }, pending.position);
    this.hasConfirmed ||= unanswered;
  }

  /** Records the pending failures, except those explained by a confirmed failure of this or another check. */
  settle(othersHaveConfirmed: boolean): void {
    for (const { failure, position, passed } of this.pending) {
      const isExplained =
        passed === true
          ? this.hasConfirmed || othersHaveConfirmed
          : !this.hasConfirmed && othersHaveConfirmed;
      if (!isExplained) this.recordFailure(failure, position);
    }
    this.pending = [];
  }

  /** Replaces the first failure with its confirmed, and possibly shrunk, version. */
  replaceFirst(failure: Failure): void {
    this.confirmedFirst = this.kept(failure, this.first?.failure);
  }

  /** The first failure, if it has not been retried yet. */
  get unconfirmed(): PositionedFailure | undefined {
    const { first, confirmedFirst = first?.failure } = this;
    return first === undefined || confirmedFirst?.when !== undefined ? undefined : first;
  }

  get first(): PositionedFailure | undefined {
    return this.inOrder[0]?.[1];
  }

  /** The failure to show first, followed by some with other problems. */
  get failures(): readonly Failure[] {
    const firstFailures = this.inOrder.slice(0, MAX_FAILURES).map(([, { failure }]) => failure);
    return this.confirmedFirst === undefined
      ? firstFailures
      : [this.confirmedFirst, ...firstFailures.slice(1)];
  }

  get problems(): readonly FailureGroup[] {
    return this.groups.inOrder;
  }

  private get inOrder() {
    return [...this.byProblem].sort(([, a], [, b]) => a.position - b.position);
  }
}
