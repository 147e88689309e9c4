import type { Rule } from '../judge/rules.ts';
import { holdsFresh } from '../payloads/case.ts';
import { judged, type Tools } from './attempt.ts';
import { kept } from './keep.ts';
import { inPool } from './pool.ts';
import { type Failure, type Placed, type Retries, type Tried, timedOut, type When } from './result.ts';

/** Tries in isolation, and at once, of a failure that did not come again at first. */
const ISOLATED = 20;
const CONCURRENT = 24;
/** Tries in isolation, at most, and how unlikely that they all pass by chance. */
const MAX_ISOLATED = 200;
const BY_CHANCE = 0.005;

/** Requests that may be spent, in a run, on failures that do not come again at once. */
export const SEARCH_BUDGET_REQUESTS = 2000;

/** Counts tries and the failures among them. */
class Count {
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
 * Retries a failure in isolation, and under concurrency where it does not come again: says of it only what was tried.
 * Nothing else is to be under way. Its fresh ids follow from its place among the cases.
 * @throws Stopped when the run ends meanwhile
 */
export async function confirm(
  { failure, place }: Placed,
  rules: readonly Rule[],
  tools: Tools,
): Promise<Failure> {
  const { draft, finding, exchange } = failure;
  const { ids, searchBudget: budget, concurrency } = tools;
  const [same, concurrent] = [new Count(), new Count()];
  // A request that holds nothing fresh is the same request again.
  const fresh = holdsFresh(draft, tools.token) ? new Count() : same;
  let broken = false;
  const send = async (id: bigint): Promise<Failure | undefined> => {
    const answer = await tools.resend(draft, id);
    broken ||= answer.kind === 'broken';
    const again = judged(answer, draft, rules, tools);
    return again?.cause === finding.cause
      ? { ...failure, finding: again, exchange: kept(answer) }
      : undefined;
  };
  const anew = () => send(ids.aside(place));
  /** What is tried next meets a store that serves. */
  const recovered = async () => {
    if (broken) await tools.recover();
    broken = false;
  };
  const once = async () => {
    await same.add(() => send(exchange.request.freshId ?? ids.aside(place)));
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
  const crowded = async (attempt: () => Promise<Failure | undefined>) => {
    const size = concurrency > 1 ? Math.min(CONCURRENT, budget.left) : 0;
    budget.left -= size;
    await inPool(size, concurrency, () => concurrent.add(attempt));
    await recovered();
  };
  const amongOrdinary = async () => {
    const beside = tools.resend(tools.control(), ids.aside(place));
    const again = await anew();
    await beside;
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
  // A store that has kept the plant may answer the same bytes in another way.
  if (fresh.all) return found('always');
  if (same.all && fresh.failed === 0) {
    if (!slow) await once();
    if (same.all && fresh.failed === 0) return found('this-request');
  }
  if (inIsolation()) return found('now-and-then');
  if (slow) return found('once');

  await crowded(anew);
  if (concurrent.failed === 0) await crowded(amongOrdinary);
  // As often as it takes to see it in isolation too, if it is as frequent there.
  const frequency = concurrent.failed / Math.max(concurrent.tried, 1);
  const enough = frequency === 0 ? ISOLATED : Math.ceil(Math.log(BY_CHANCE) / Math.log(1 - frequency));
  await search(Math.min(frequency === 1 ? 0 : enough, MAX_ISOLATED) - fresh.tried);
  if (inIsolation()) return found('now-and-then');
  return found(concurrent.failed === 0 ? 'once' : 'under-concurrency');
}
