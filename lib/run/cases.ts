import { attempt, mustBeTaken, type Tools } from './attempt.ts';
import { type Plants, type Test, Untestable } from './check.ts';
import { inPool } from './pool.ts';
import type { Failure } from './result.ts';
import type { Tally } from './tally.ts';

/** Answers that were waited for in vain, after which a check does not go on. */
const MOST_TIMEOUTS = 3;

/** Tries every named case of a check, and the control of the first beside them. */
export async function tryCases(
  test: Test & { kind: 'cases' },
  plants: Plants,
  tools: Tools,
  tally: Tally,
): Promise<void> {
  const [cases = [], ...rounds] = Array.from({ length: test.attempts ?? 1 }, () => test.cases(plants));
  if (cases.length === 0) return;
  const id = tools.ids.reserve(cases.length + 1);
  const places = { from: 0, below: cases.length + 1, step: 1 };
  const twin = cases.find((one) => one.twin !== undefined)?.twin;
  const control = twin === undefined ? undefined : () => mustBeTaken(twin, id(0), tools);
  await tryEach(places, control, tools, tally, async (index) => {
    const one = cases[index];
    if (one === undefined) return undefined;
    let failure = await attempt(one, id(index + 1), test.rules, tools);
    for (const round of rounds) {
      const again = round[index];
      if (failure === undefined || again === undefined) break;
      failure = await attempt(again, tools.ids.aside(index), test.rules, tools);
    }
    return failure;
  });
}

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
