import type { Rule } from '../../judge/rules.ts';
import { dependsOnFreshId, type RequestTemplate } from '../../payloads/test-case.ts';
import {
  type Failure,
  type FailureCount,
  isSlowFailure,
  type PositionedFailure,
  type Recurrence,
  type Retries,
} from '../result/result.ts';
import { truncated } from '../result/truncate.ts';
import { mapInPool } from '../send/pool.ts';
import type { Execution } from './execution.ts';

/** Number of retries, in isolation and under concurrency, for a failure that did not recur at once. */
const RETRIES_IN_ISOLATION = 20;
const CONCURRENT_RETRIES = 24;
/**
 * Retries in isolation end after this many, or once an equally frequent failure would pass all of them with
 * at most this probability.
 */
const MAX_RETRIES_IN_ISOLATION = 200;
const MAX_CHANCE = 0.005;

export const CONFIRMATION_BUDGET_REQUESTS = 2000;

class RetryCount {
  failed = 0;
  tried = 0;
  latest: Failure | undefined;

  async add(attempt: () => Promise<Failure | undefined>): Promise<void> {
    const failure = await attempt();
    this.tried += 1;
    if (failure === undefined) return;
    this.failed += 1;
    this.latest = failure;
  }

  get failedEachTime(): boolean {
    return this.failed === this.tried;
  }

  get pair(): FailureCount {
    return [this.failed, this.tried];
  }
}

/**
 * Retries a failure in isolation and, if it does not recur there, under concurrency. The caller must have
 * exclusive access.
 * @throws Stopped if the run ends meanwhile
 */
export async function confirm(
  placed: PositionedFailure,
  rules: readonly Rule[],
  execution: Execution,
): Promise<Failure> {
  const retries = new FailureRetries(placed, rules, execution);
  return retries.confirmedFailure(await recurrenceOf(retries, isSlowFailure(placed.failure)));
}

/** @param slow whether it takes long to see each failure */
async function recurrenceOf(retries: FailureRetries, slow: boolean): Promise<Recurrence> {
  const { same, fresh, concurrent } = retries;
  await retries.retrySameAndFresh();
  if (!slow) await retries.retrySameAndFresh();
  // Only fresh values count here: a store that has kept the plant may answer the same bytes differently.
  if (fresh.failedEachTime) return 'always';
  if (same.failedEachTime && fresh.failed === 0) {
    if (!slow) await retries.retrySameAndFresh();
    if (same.failedEachTime && fresh.failed === 0) return 'this-request';
  }
  if (retries.showInIsolation) return 'intermittent';
  if (slow) return 'once';

  await retries.retryConcurrently('its own kind');
  if (concurrent.failed === 0) await retries.retryConcurrently('ordinary requests');
  // Retry often enough to see the failure in isolation if it is as frequent there as under concurrency.
  const frequency = concurrent.failed / Math.max(concurrent.tried, 1);
  const enough =
    frequency === 0 ? RETRIES_IN_ISOLATION : Math.ceil(Math.log(MAX_CHANCE) / Math.log(1 - frequency));
  await retries.retryUntilSeen(
    Math.min(frequency === 1 ? 0 : enough, MAX_RETRIES_IN_ISOLATION) - fresh.tried,
  );
  if (retries.showInIsolation) return 'intermittent';
  return concurrent.failed === 0 ? 'once' : 'under-concurrency';
}

class FailureRetries {
  readonly same = new RetryCount();
  /** Retries with fresh values. If the template has none, all retries are identical and counted together. */
  readonly fresh: RetryCount;
  readonly concurrent = new RetryCount();
  private readonly failure: Failure;
  private readonly position: number;
  private readonly rules: readonly Rule[];
  private readonly execution: Execution;
  private isBroken = false;

  constructor({ failure, position }: PositionedFailure, rules: readonly Rule[], execution: Execution) {
    this.failure = failure;
    this.position = position;
    this.rules = rules;
    this.execution = execution;
    this.fresh = dependsOnFreshId(failure.template, execution.services.judging.token)
      ? new RetryCount()
      : this.same;
  }

  get showInIsolation(): boolean {
    return this.fresh.failed + this.same.failed > 0;
  }

  /** Retries twice in isolation: first with the same values, then with fresh ones. */
  async retrySameAndFresh(): Promise<void> {
    const { template, exchange } = this.failure;
    // The store may have kept the plant and may now reject it, so it no longer counts as ordinary.
    const { ordinary: _, ...repeated } = template;
    await this.same.add(() => this.send(exchange.request.freshId ?? this.retryId(), repeated));
    await this.recover();
    await this.fresh.add(() => this.retryFresh());
    await this.recover();
  }

  /** Retries in isolation, with fresh values, until the failure recurs. */
  async retryUntilSeen(tries: number): Promise<void> {
    const { confirmationBudget: budget } = this.execution.services;
    for (let remaining = tries; remaining > 0 && !this.showInIsolation && budget.left > 0; remaining -= 1) {
      budget.left -= 1;
      await this.fresh.add(() => this.retryFresh());
      await this.recover();
    }
  }

  /** Retries concurrently: all together, or each one together with an ordinary request. */
  async retryConcurrently(among: 'its own kind' | 'ordinary requests'): Promise<void> {
    const { confirmationBudget: budget, concurrency, ordinary } = this.execution.services;
    const attempt = async () => {
      if (among === 'its own kind') return this.retryFresh();
      const [, failure] = await Promise.all([
        this.execution.sendAsIs(ordinary, this.retryId()),
        this.retryFresh(),
      ]);
      return failure;
    };
    const size = concurrency > 1 ? Math.min(CONCURRENT_RETRIES, budget.left) : 0;
    budget.left -= size;
    await mapInPool(Array.from({ length: size }), concurrency, () => this.concurrent.add(attempt));
    await this.recover();
  }

  confirmedFailure(when: Recurrence): Failure {
    const { failure, same, fresh, concurrent } = this;
    const retries: Retries = {
      same: same.pair,
      ...(fresh === same ? {} : { fresh: fresh.pair }),
      ...(concurrent.tried === 0 ? {} : { concurrent: concurrent.pair }),
    };
    return { ...(when === 'always' ? (fresh.latest ?? failure) : failure), when, retries };
  }

  private retryId(): bigint {
    return this.execution.ids.retryId(this.position);
  }

  /** Retries with fresh values. */
  private retryFresh(): Promise<Failure | undefined> {
    return this.send(this.retryId(), this.failure.template);
  }

  private async send(id: bigint, sent: RequestTemplate): Promise<Failure | undefined> {
    const { template, finding } = this.failure;
    const exchange = await this.execution.sendAsIs(sent, id);
    this.isBroken ||= exchange.kind === 'broken';
    const newFinding = this.execution.judge(exchange, template, this.rules);
    return newFinding?.problem === finding.problem
      ? { ...this.failure, finding: newFinding, exchange: truncated(exchange) }
      : undefined;
  }

  private async recover(): Promise<void> {
    if (this.isBroken) await this.execution.recover();
    this.isBroken = false;
  }
}
