import { isOutsideContract } from '../../payloads/test-case.ts';
import { type PlantFactory, type Test, Untestable } from '../check.ts';
import type { Failure } from '../result/result.ts';
import { mapInPool } from '../send/pool.ts';
import { isUnanswered } from '../send/unreachable.ts';
import type { Execution, TestRun } from './execution.ts';
import { requireAccepted, runTestCase } from './run-test-case.ts';

/** Number of timeouts after which a check stops. */
const MAX_TIMEOUTS = 3;
/** Maximum number of cases to retry in isolation if no exchange has shown yet what the check is about. */
const MAX_RETRIED_CASES = 3;

/**
 * Tries the named cases of a check. Other checks may run meanwhile, so a case without an answer is pending
 * until it has been retried in isolation.
 */
export function runNamedCases(
  test: Test & { kind: 'cases' },
  plants: PlantFactory,
  execution: Execution,
): TestRun {
  const { ids, tally } = execution;
  const cases = test.cases(plants);
  const control = cases.find((one) => one.control !== undefined)?.control;
  const sendControl = async (id: bigint) => {
    if (control !== undefined) await requireAccepted(control, id, execution);
  };
  const tryOne = async (index: number, id: bigint): Promise<Failure | undefined> => {
    const testCase = cases[index];
    return testCase === undefined ? undefined : runTestCase(testCase, id, test.rules, execution);
  };
  const retry = (index: number) => tryOne(index, ids.retryId(index));
  return {
    ended: true,
    async run() {
      if (cases.length === 0) return;
      const id = ids.reserve(cases.length + 1);
      await tryEach(
        [0, ...cases.map((_, index) => index + 1)],
        () => sendControl(id(0)),
        execution,
        async (index) => {
          const failure = await tryOne(index, id(index + 1));
          if (failure === undefined || !mayBeCollateral(failure)) return failure;
          tally.addPending({ failure, position: index });
          return undefined;
        },
      );
    },
    /**
     * Retries the pending cases in isolation until one is unanswered again. If none is, another check may
     * have stopped the store.
     */
    async retryInIsolation() {
      if (tally.blocked !== undefined && control !== undefined)
        tally.blocked = await untestableReason(() => sendControl(ids.retryId()));
      for (const pending of tally.pending.toSorted((a, b) => a.position - b.position)) {
        const failure = await retry(pending.position);
        if (failure === undefined) pending.passed = true;
        else tally.confirmPending(pending, failure, mayBeCollateral(failure));
        if (tally.hasConfirmed) return;
      }
      // Another check may have prevented this one from getting any answer.
      for (let index = 0; index < MAX_RETRIED_CASES && !tally.ruleApplied && tally.failed === 0; index += 1) {
        const failure = await retry(index);
        if (failure !== undefined) tally.recordFailure(failure, index);
      }
    },
  };
}

/** Whether the request should have been answered and was not: another check may have broken the store. */
const mayBeCollateral = ({ template, exchange }: Failure): boolean =>
  !isOutsideContract(template) && isUnanswered(exchange);

/**
 * Tries the cases at these positions concurrently. Position 0 stands for the control request; the cases do
 * not wait for its outcome.
 */
export async function tryEach(
  positions: readonly number[],
  control: () => Promise<void>,
  execution: Execution,
  tryOne: (index: number) => Promise<Failure | undefined>,
): Promise<void> {
  const { tally } = execution;
  await mapInPool(
    positions,
    () => execution.concurrencyLimit,
    async (position) => {
      if (position === 0) {
        tally.blocked = await untestableReason(control);
        return;
      }
      if (tally.timeouts >= MAX_TIMEOUTS || execution.isOver) return;
      const failure = await tryOne(position - 1);
      tally.cases += 1;
      if (failure !== undefined) tally.recordFailure(failure, position - 1);
    },
  );
}

/** Does the work. Returns why it cannot be done; undefined if it succeeded. */
export async function untestableReason(work: () => Promise<void>): Promise<Untestable | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof Untestable) return error;
    throw error;
  }
}
