import { isOutsideContract } from '../payloads/case.ts';
import { attempt, mustBeTaken, type Tools } from './attempt.ts';
import { isFromGateway } from './away.ts';
import { type Plants, type Test, Untestable } from './check.ts';
import { inPool } from './pool.ts';
import type { Failure } from './result.ts';
import type { Tally } from './tally.ts';

/** Answers that were waited for in vain, after which a check does not go on. */
const MOST_TIMEOUTS = 3;
/** Cases that are tried again alone where none was answered: one is enough to see what a check is about. */
const FEW = 3;

/**
 * Tries every named case of a check, and the control of the first beside them. Other checks may be carried out at
 * the same time: a case that is left without an answer is suspected, and not booked before it was tried alone.
 */
export async function tryCases(
  test: Test & { kind: 'cases' },
  plants: Plants,
  tools: Tools,
  tally: Tally,
): Promise<void> {
  const cases = test.cases(plants);
  if (cases.length === 0) return;
  const id = tools.ids.reserve(cases.length + 1);
  const places = { from: 0, below: cases.length + 1, step: 1 };
  const twin = cases.find((one) => one.twin !== undefined)?.twin;
  const control = twin === undefined ? undefined : () => mustBeTaken(twin, id(0), tools);
  tally.control = twin === undefined ? undefined : () => mustBeTaken(twin, tools.ids.aside(), tools);
  const tryOne = async (index: number, firstId: bigint) => {
    const one = cases[index];
    return one === undefined ? undefined : attempt(one, firstId, test.rules, tools);
  };
  tally.again = (index) => tryOne(index, tools.ids.aside(index));
  await tryEach(places, control, tools, tally, async (index) => {
    const failure = await tryOne(index, id(index + 1));
    if (failure === undefined || !isUnanswered(failure)) return failure;
    tally.suspect({ failure, place: index, again: () => tryOne(index, tools.ids.aside(index)) });
    return undefined;
  });
}

/**
 * Tries alone what was left without an answer: the control, and then the cases until one is left without an answer
 * again. Then it is the check's own cases that the store does not stand, and else it may have been those of another.
 */
export async function lookInto(tally: Tally): Promise<void> {
  const { blocked, control } = tally;
  if (blocked !== undefined && control !== undefined) tally.blocked = await blockedBy(control);
  for (const suspect of tally.suspects.toSorted((a, b) => a.place - b.place)) {
    const found = await suspect.again();
    if (found === undefined) tally.acquit(suspect);
    else tally.convict(suspect, found, isUnanswered(found));
    if (tally.guilty) return;
  }
  // Where nothing is a failure that has no answer, another check may have kept this one from seeing anything.
  for (let index = 0; index < FEW && !tally.seen && tally.failed === 0; index += 1) {
    const failure = await tally.again?.(index);
    if (failure !== undefined) tally.book(failure, index);
  }
}

/** Whether an answer was promised, and none came from the store that can be read. */
const isUnanswered = ({ draft, exchange }: Failure): boolean =>
  !isOutsideContract(draft) && (exchange.kind === 'broken' || isFromGateway(exchange));

/** Places in the line of a check: its control at 0, then its cases. */
export interface Places {
  readonly from: number;
  readonly below: number;
  readonly step: number;
}

/** Tries what stands at some places side by side. The control comes first in the line but is not waited for. */
export async function tryEach(
  { from, below, step }: Places,
  control: (() => Promise<void>) | undefined,
  { concurrency, enough }: Tools,
  tally: Tally,
  tryOne: (index: number) => Promise<Failure | undefined>,
): Promise<void> {
  await inPool(Math.ceil((below - from) / step), concurrency, async (nth) => {
    const place = from + nth * step;
    if (place === 0) {
      tally.blocked = await blockedBy(control);
      return;
    }
    if (tally.timeouts >= MOST_TIMEOUTS || enough()) return;
    const failure = await tryOne(place - 1);
    tally.cases += 1;
    if (failure !== undefined) tally.book(failure, place - 1);
  });
}

/** The reason why a control does not hold, if it does not. */
async function blockedBy(control: (() => Promise<void>) | undefined): Promise<Untestable | undefined> {
  try {
    await control?.();
    return undefined;
  } catch (error) {
    if (error instanceof Untestable) return error;
    throw error;
  }
}
