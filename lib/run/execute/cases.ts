import { isOutsideContract } from '../../payloads/test-case.ts';
import { type PlantFactory, type Test, Untestable } from '../check.ts';
import type { Failure } from '../result/result.ts';
import { inPool } from '../send/pool.ts';
import { isUnanswered } from '../send/unreachable.ts';
import type { Execution, TestProgress } from './execution.ts';
import { requireAccepted, runTestCase } from './run-test-case.ts';

/** Stop a check after this many timeouts. */
const MAX_TIMEOUTS = 3;
/** Cases retried in isolation if none was answered; it stops once one shows what the check is about. */
const MAX_RETRIED_CASES = 3;

/**
 * The named cases of a check, and the control of the first of them. Other checks may run at the same time: a case
 * without an answer is pending until it has been retried in isolation.
 */
export function namedCases(
  test: Test & { kind: 'cases' },
  plants: PlantFactory,
  execution: Execution,
): TestProgress {
  const { ids, tally } = execution;
  const cases = test.cases(plants);
  const control = cases.find((one) => one.control !== undefined)?.control;
  const sendControl = async (id: bigint) => {
    if (control !== undefined) await requireAccepted(control, id, execution);
  };
  const tryOne = async (index: number, id: bigint): Promise<Failure | undefined> => {
    const one = cases[index];
    return one === undefined ? undefined : runTestCase(one, id, test.rules, execution);
  };
  const retry = (index: number) => tryOne(index, ids.retryId(index));
  return {
    ended: true,
    async run() {
      if (cases.length === 0) return;
      const id = ids.reserve(cases.length + 1);
      const places = { from: 0, below: cases.length + 1, step: 1 };
      await tryEach(
        places,
        () => sendControl(id(0)),
        execution,
        async (index) => {
          const failure = await tryOne(index, id(index + 1));
          if (failure === undefined || !mayBeCollateral(failure)) return failure;
          tally.addPending({ failure, place: index });
          return undefined;
        },
      );
    },
    /**
     * Retries the control and the pending cases until one is left without an answer again. If one is, this check's own
     * requests stop the store; otherwise those of another check may have.
     */
    async retryInIsolation() {
      if (tally.blocked !== undefined && control !== undefined)
        tally.blocked = await blockedBy(() => sendControl(ids.retryId()));
      for (const pending of tally.pending.toSorted((a, b) => a.place - b.place)) {
        const failure = await retry(pending.place);
        if (failure === undefined) tally.markPassed(pending);
        else tally.confirmPending(pending, failure, mayBeCollateral(failure));
        if (tally.hasConfirmed) return;
      }
      // Another check may have kept this one from seeing any answer.
      for (let index = 0; index < MAX_RETRIED_CASES && !tally.ruleApplied && tally.failed === 0; index += 1) {
        const failure = await retry(index);
        if (failure !== undefined) tally.recordFailure(failure, index);
      }
    },
  };
}

/** Whether an answer was promised and none came: another check may have broken the store. */
const mayBeCollateral = ({ template, exchange }: Failure): boolean =>
  !isOutsideContract(template) && isUnanswered(exchange);

/** Places in the sequence of a check: its control at 0, then its cases. */
interface Places {
  readonly from: number;
  readonly below: number;
  readonly step: number;
}

/** Runs the cases at these indexes concurrently; the control starts first but is not awaited. */
export async function tryEach(
  { from, below, step }: Places,
  control: () => Promise<void>,
  execution: Execution,
  tryOne: (index: number) => Promise<Failure | undefined>,
): Promise<void> {
  const { tally } = execution;
  const width = () => execution.concurrencyLimit;
  await inPool(Math.ceil((below - from) / step), width, async (nth) => {
    const place = from + nth * step;
    if (place === 0) {
      tally.blocked = await blockedBy(control);
      return;
    }
    if (tally.timeouts >= MAX_TIMEOUTS || execution.isOver) return;
    const failure = await tryOne(place - 1);
    tally.cases += 1;
    if (failure !== undefined) tally.recordFailure(failure, place - 1);
  });
}

/** Reason for skipping the work; undefined if it can be done. */
export async function blockedBy(work: () => Promise<void>): Promise<Untestable | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof Untestable) return error;
    throw error;
  }
}
