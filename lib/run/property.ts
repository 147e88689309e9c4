import type { Arbitrary, Value } from 'fast-check';
import type { Rule } from '../judge/rules.ts';
import type { Case } from '../payloads/case.ts';
import { draw } from '../payloads/random.ts';
import { attempt, mustBeTaken, type Tools } from './attempt.ts';
import { tryEach } from './cases.ts';
import type { Plants, Test } from './check.ts';
import type { Failure } from './result.ts';
import { type Tally, timedOut } from './tally.ts';

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
  tally: Tally,
): Promise<void> {
  const arbitrary = test.cases(plants);
  const id = tools.ids.reserve(count + 1);
  const drawn = (index: number) => draw(arbitrary, tools.seed, checkId, index);
  const { twin } = drawn(0).value;
  const control = twin === undefined ? undefined : () => mustBeTaken(twin, id(count), tools);
  await tryEach(count, control, tools, tally, (index) =>
    attempt(drawn(index).value, id(index), test.rules, tools),
  );
  const { first } = tally;
  if (first === undefined) return;
  tally.leadWith(await alone(first.failure, first.place, drawn(first.place), arbitrary, test.rules, tools));
}

/** The failure as it is without company: shrunk, or marked as one that needs company. */
async function alone(
  failure: Failure,
  index: number,
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
