import type { Arbitrary, Value } from 'fast-check';
import type { Rule } from '../judge/rules.ts';
import type { Case } from '../payloads/case.ts';
import { draw } from '../payloads/random.ts';
import { attempt, mustBeTaken, type Tools } from './attempt.ts';
import { blockedBy, KEPT, MOST_TIMEOUTS, type Tried, timedOut } from './cases.ts';
import type { Plants, Test, Untestable } from './check.ts';
import { inPool } from './pool.ts';
import type { Failure } from './result.ts';

/** Requests spent on making one failure small. */
const SHRINK_BUDGET = 80;

/**
 * Tries random cases, many at a time. The first that fails is tried again alone, and there made as small as
 * it goes; one that passes alone has failed because of the company it was in.
 */
export async function tryProperty(
  test: Test & { kind: 'property' },
  checkId: string,
  count: number,
  plants: Plants,
  tools: Tools,
): Promise<Tried> {
  const arbitrary = test.cases(plants);
  const id = tools.ids.reserve(count + 1);
  const failures: { index: number; failure: Failure }[] = [];
  const drawn = (index: number) => draw(arbitrary, tools.seed, checkId, index);
  let [tried, failed, timeouts] = [0, 0, 0];
  let blocked: Untestable | undefined;
  // The control comes first in the line but is not waited for.
  await inPool(count + 1, tools.concurrency, async (place) => {
    const index = place - 1;
    if (timeouts >= MOST_TIMEOUTS) return;
    if (place === 0) {
      const { twin } = drawn(0).value;
      if (twin !== undefined) blocked = await blockedBy(() => mustBeTaken(twin, id(count), tools));
      return;
    }
    const one = drawn(index).value;
    tried += 1;
    const failure = await attempt(one, id(index), test.rules, tools);
    if (failure === undefined) return;
    failed += 1;
    if (timedOut(failure)) timeouts += 1;
    failures.push({ index, failure });
    failures.sort((a, b) => a.index - b.index).splice(KEPT);
  });
  const [first, ...others] = failures;
  const kept =
    first === undefined ? [] : [await alone(first, drawn(first.index), arbitrary, test.rules, tools)];
  return {
    cases: tried,
    failed,
    failures: [...kept, ...others.map(({ failure }) => failure)],
    ...(blocked === undefined ? {} : { blocked }),
  };
}

/** The failure as it is without company: shrunk, or marked as one that needs company. */
async function alone(
  { index, failure }: { index: number; failure: Failure },
  value: Value<Case>,
  arbitrary: Arbitrary<Case>,
  rules: readonly Rule[],
  tools: Tools,
): Promise<Failure> {
  const retry = (one: Case) => attempt(one, tools.ids.aside(), rules, tools);
  const again = await retry(value.value);
  if (again === undefined)
    return { ...failure, when: 'not-alone', drawn: { path: String(index), shrinks: 0 } };
  let smallest: Failure = { ...again, drawn: { path: String(index), shrinks: 0 } };
  if (timedOut(again)) return smallest;
  let current = value;
  let budget = SHRINK_BUDGET;
  let path = String(index);
  for (let shrinks = 1, found = true; found && budget > 0; shrinks += 1) {
    found = false;
    let step = 0;
    for (const candidate of arbitrary.shrink(current.value, current.context)) {
      if (budget === 0) break;
      budget -= 1;
      const smaller = await retry(candidate.value);
      // Another fault in a smaller payload is another failure: stay with the one that was found.
      if (smaller !== undefined && smaller.finding.cause === again.finding.cause) {
        path = `${path}:${step}`;
        smallest = { ...smaller, drawn: { path, shrinks } };
        current = candidate;
        found = true;
        break;
      }
      step += 1;
    }
  }
  return smallest;
}
