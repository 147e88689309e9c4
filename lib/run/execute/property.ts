import type { Arbitrary, Value } from 'fast-check';
import type { Rule } from '../../judge/rules.ts';
import { sampleAfter } from '../../payloads/random.ts';
import { shrink } from '../../payloads/shrink.ts';
import type { TestCase } from '../../payloads/test-case.ts';
import type { PlantFactory, Test } from '../check.ts';
import { caseCountOf } from '../plan/plan.ts';
import type { Shard } from '../plan/shard.ts';
import { type Failure, isSlowFailure } from '../result/result.ts';
import { tryEach } from './cases.ts';
import { confirm } from './confirm.ts';
import type { Execution, TestRun } from './execution.ts';
import { requireAccepted, runTestCase } from './run-test-case.ts';

/** Tries the random cases of a check. Confirms the first failure; if it recurs each time, shrinks it. */
export function runRandomCases(
  checkId: string,
  test: Test & { kind: 'property' },
  plants: PlantFactory,
  { index: first, of: step }: Shard,
  execution: Execution,
): TestRun {
  const { tally } = execution;
  const { seed, cases } = execution.services;
  const arbitrary = test.cases(plants);
  const named = test.named?.(plants) ?? [];
  const count = caseCountOf(test, cases, plants, named);
  const id = execution.ids.reserve(count + 1);
  const sampled = (index: number) => sampleAfter(named, arbitrary, seed, checkId, index);
  const tried: number[] = [];
  let next = first;
  let isShrunk = false;
  tally.coverage = () => {
    if (test.covers === undefined) return undefined;
    const coverage = test.covers(plants, tried);
    if (step === 1) return coverage;
    const ofAllShards = [...named.keys()].slice(0, count);
    const { rows, covered } = test.covers(plants, ofAllShards);
    return { ...coverage, together: { rows, covered } };
  };
  const sendControl = async () => {
    const { control } = sampled(0).value;
    if (control !== undefined) await requireAccepted(control, id(count), execution);
  };
  const tryOne = async (index: number) => {
    const failure = await runTestCase(sampled(index).value, id(index), test.rules, execution);
    if (index < named.length) tried.push(index);
    else tally.random += 1;
    return failure;
  };
  return {
    get ended() {
      return next > count;
    },
    async run(limit) {
      const positions = Array.from(
        { length: Math.min(limit, Math.ceil((count + 1 - next) / step)) },
        (_, nth) => next + nth * step,
      );
      await tryEach(positions, sendControl, execution, tryOne);
      next += positions.length * step;
      const firstFailure = tally.first;
      if (firstFailure === undefined || isShrunk) return;
      isShrunk = true;
      const { position, failure } = firstFailure;
      const confirmed = await execution.services.sender.exclusively(execution.context, () =>
        inIsolation(failure, position, sampled(position), arbitrary, test.rules, execution),
      );
      tally.replaceFirst(confirmed);
    },
  };
}

/** Confirms a failure of a random case, and shrinks it if it recurs each time. Needs exclusive access. */
async function inIsolation(
  failure: Failure,
  index: number,
  value: Value<TestCase>,
  arbitrary: Arbitrary<TestCase>,
  rules: readonly Rule[],
  execution: Execution,
): Promise<Failure> {
  const confirmed = await confirm({ failure, position: index }, rules, execution);
  if (confirmed.when !== 'always' || isSlowFailure(confirmed))
    return { ...confirmed, sampled: { path: String(index), shrinks: 0 } };
  const { when, retries = {} } = confirmed;
  const attempt = async (testCase: TestCase): Promise<Failure | undefined> => {
    const other = await runTestCase(testCase, execution.ids.retryId(index), rules, execution);
    // A smaller payload may fail for a different reason; accept only the same problem.
    return other?.finding.problem === confirmed.finding.problem ? { ...other, when, retries } : undefined;
  };
  const onFreshConnection = async (testCase: TestCase): Promise<Failure | undefined> => {
    await execution.services.sender.closeIdleConnections();
    return attempt(testCase);
  };
  // If a failing request leaves bytes on its connection, whatever is sent next fails as well.
  const failsOnFreshConnection = (await onFreshConnection(value.value)) !== undefined;
  const { result, path } = await shrink(
    value,
    arbitrary,
    confirmed,
    failsOnFreshConnection ? onFreshConnection : attempt,
  );
  return { ...result, sampled: { path: [index, ...path].join(':'), shrinks: path.length } };
}
