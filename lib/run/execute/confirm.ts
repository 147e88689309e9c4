import type { Rule } from '../../judge/rules.ts';
import { holdsFresh } from '../../payloads/test-case.ts';
import {
  type Failure,
  type Placed,
  type Retries,
  type Tried,
  timedOut,
  type When,
} from '../result/result.ts';
import { truncated } from '../result/truncate.ts';
import { inPool } from '../send/pool.ts';
import type { Execution } from './execution.ts';

/** Retries, in isolation and under concurrency, of a failure that did not recur at first. */
const RETRIES_IN_ISOLATION = 20;
const CONCURRENT_RETRIES = 24;
/** Limits of retries in isolation: a maximum count, and the probability of all passing by chance at which to stop. */
const MAX_RETRIES_IN_ISOLATION = 200;
const MAX_CHANCE = 0.005;

/** Requests per run for failures that do not recur at once. */
export const SEARCH_BUDGET_REQUESTS = 2000;

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

  get all(): boolean {
    return this.failed === this.tried;
  }

  get pair(): Tried {
    return [this.failed, this.tried];
  }
}

/**
 * Retries a failure in isolation and, if it does not recur, under concurrency, so that the record claims only what
 * was measured. The caller must hold exclusive access. Fresh ids derive from the case's index.
 * @throws Stopped if the run ends meanwhile
 */
export async function confirm(
  { failure, place }: Placed,
  rules: readonly Rule[],
  execution: Execution,
): Promise<Failure> {
  const { template, finding, exchange } = failure;
  const { ids } = execution;
  const { searchBudget: budget, concurrency, judging, ordinary } = execution.run;
  const [same, concurrent] = [new RetryCount(), new RetryCount()];
  // If the template has no fresh values, every retry is identical.
  const fresh = holdsFresh(template, judging.token) ? new RetryCount() : same;
  let broken = false;
  const send = async (id: bigint, sent = template): Promise<Failure | undefined> => {
    const answer = await execution.sendAsIs(sent, id);
    broken ||= answer.kind === 'broken';
    const again = execution.judge(answer, template, rules);
    return again?.problem === finding.problem
      ? { ...failure, finding: again, exchange: truncated(answer) }
      : undefined;
  };
  const anew = () => send(ids.retryId(place));
  // The store may have kept the plant and may reject it now, so it is no longer an ordinary one.
  const { ordinary: _, ...repeated } = template;
  /** Waits for the store to serve again before the next try. */
  const recovered = async () => {
    if (broken) await execution.recover();
    broken = false;
  };
  const once = async () => {
    await same.add(() => send(exchange.request.freshId ?? ids.retryId(place), repeated));
    await recovered();
    await fresh.add(anew);
    await recovered();
  };
  const inIsolation = () => fresh.failed + same.failed > 0;
  const search = async (tries: number) => {
    for (let left = tries; left > 0 && !inIsolation() && budget.left > 0; left -= 1) {
      budget.left -= 1;
      await fresh.add(anew);
      await recovered();
    }
  };
  const concurrently = async (attempt: () => Promise<Failure | undefined>) => {
    const size = concurrency > 1 ? Math.min(CONCURRENT_RETRIES, budget.left) : 0;
    budget.left -= size;
    await inPool(size, concurrency, () => concurrent.add(attempt));
    await recovered();
  };
  const amongOrdinary = async () => {
    const [, again] = await Promise.all([execution.sendAsIs(ordinary, ids.retryId(place)), anew()]);
    return again;
  };
  const found = (when: When): Failure => {
    const retries: Retries = {
      same: same.pair,
      ...(fresh === same ? {} : { fresh: fresh.pair }),
      ...(concurrent.tried === 0 ? {} : { concurrent: concurrent.pair }),
    };
    return { ...(when === 'always' ? (fresh.latest ?? failure) : failure), when, retries };
  };

  const slow = timedOut(failure);
  await once();
  if (!slow) await once();
  // A store that has kept the plant may answer the same bytes differently.
  if (fresh.all) return found('always');
  if (same.all && fresh.failed === 0) {
    if (!slow) await once();
    if (same.all && fresh.failed === 0) return found('this-request');
  }
  if (inIsolation()) return found('now-and-then');
  if (slow) return found('once');

  await concurrently(anew);
  if (concurrent.failed === 0) await concurrently(amongOrdinary);
  // As often as it takes to see the failure in isolation, if it is as frequent there.
  const frequency = concurrent.failed / Math.max(concurrent.tried, 1);
  const enough =
    frequency === 0 ? RETRIES_IN_ISOLATION : Math.ceil(Math.log(MAX_CHANCE) / Math.log(1 - frequency));
  await search(Math.min(frequency === 1 ? 0 : enough, MAX_RETRIES_IN_ISOLATION) - fresh.tried);
  if (inIsolation()) return found('now-and-then');
  return found(concurrent.failed === 0 ? 'once' : 'under-concurrency');
}
