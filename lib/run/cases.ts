import { attempt, mustBeTaken, type Tools } from './attempt.ts';
import { type Plants, type Test, Untestable } from './check.ts';
import { inPool } from './pool.ts';
import type { Failure } from './result.ts';

/** What came of trying. */
export interface Tried {
  readonly cases: number;
  readonly failed: number;
  /** Some failures at most, the first ones. */
  readonly failures: readonly Failure[];
  readonly blocked?: Untestable;
}

/** A report shows the first; the others are there to tell one cause from several. */
export const KEPT = 5;

/** Answers that were waited for in vain, after which a check does not go on. */
export const MOST_TIMEOUTS = 3;

export const timedOut = ({ exchange }: Failure): boolean =>
  exchange.kind === 'broken' && exchange.fault.kind === 'timeout';

/** Tries every named case of a check, and the control of the first beside them. */
export async function tryCases(test: Test & { kind: 'cases' }, plants: Plants, tools: Tools): Promise<Tried> {
  const rounds = Array.from({ length: test.attempts ?? 1 }, () => test.cases(plants));
  const cases = rounds[0] ?? [];
  if (cases.length === 0) return { cases: 0, failed: 0, failures: [] };
  const id = tools.ids.reserve(cases.length + 1);
  const failures: (Failure | undefined)[] = [];
  let blocked: Untestable | undefined;
  let [tried, timeouts] = [0, 0];
  // The control comes first in the line but is not waited for.
  await inPool(cases.length + 1, tools.concurrency, async (place) => {
    if (place === 0) {
      const twin = cases.find((one) => one.twin !== undefined)?.twin;
      if (twin !== undefined) blocked = await blockedBy(() => mustBeTaken(twin, id(0), tools));
      return;
    }
    const one = cases[place - 1];
    if (one === undefined || timeouts >= MOST_TIMEOUTS) return;
    let failure = await attempt(one, id(place), test.rules, tools);
    for (const round of rounds.slice(1)) {
      const again = round[place - 1];
      if (failure === undefined || again === undefined) break;
      failure = await attempt(again, tools.ids.aside(), test.rules, tools);
    }
    failures[place] = failure;
    tried += 1;
    if (failure !== undefined && timedOut(failure)) timeouts += 1;
  });
  const found = failures.filter((failure) => failure !== undefined);
  return {
    cases: tried,
    failed: found.length,
    failures: found.slice(0, KEPT),
    ...(blocked === undefined ? {} : { blocked }),
  };
}

/** The reason why a control does not hold, if it does not. */
export async function blockedBy(control: () => Promise<void>): Promise<Untestable | undefined> {
  try {
    await control();
    return undefined;
  } catch (error) {
    if (error instanceof Untestable) return error;
    throw error;
  }
}
