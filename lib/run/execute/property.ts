import type { Arbitrary, Value } from 'fast-check';
import type { Rule } from '../../judge/rules.ts';
import { sampleAfter } from '../../payloads/random.ts';
import type { TestCase } from '../../payloads/test-case.ts';
import type { PlantFactory, Test } from '../check.ts';
import { caseCountOf } from '../plan/plan.ts';
import type { Shard } from '../plan/shard.ts';
import { type CheckCoverage, type Failure, timedOut } from '../result/result.ts';
import type { Tally } from '../result/tally.ts';
import { tryEach } from './cases.ts';
import { confirm } from './confirm.ts';
import type { Execution } from './execution.ts';
import { requireAccepted, runTestCase } from './run-test-case.ts';
import type { TestRun } from './test-run.ts';

/** Requests spent on shrinking one failure. */
const SHRINK_BUDGET_REQUESTS = 80;

/**
 * Random cases of a check, run in one go or several. The first that fails is confirmed in isolation, and shrunk if it
 * fails there every time.
 */
export class PropertyTest implements TestRun {
  private readonly test: Test & { kind: 'property' };
  private readonly checkId: string;
  private readonly arbitrary: Arbitrary<TestCase>;
  private readonly named: readonly TestCase[];
  private readonly id: (index: number) => bigint;
  private readonly count: number;
  private readonly shard: Shard;
  private readonly plants: PlantFactory;
  private readonly execution: Execution;
  private readonly tally: Tally;
  /** The places of the named cases that were tried. */
  private readonly tried: number[] = [];
  private next: number;
  private isShrunk = false;

  constructor(
    { id, test }: { readonly id: string; readonly test: Test & { kind: 'property' } },
    plants: PlantFactory,
    shard: Shard,
    execution: Execution,
    tally: Tally,
  ) {
    this.test = test;
    this.checkId = id;
    this.arbitrary = test.cases(plants);
    this.plants = plants;
    this.named = test.named?.(plants) ?? [];
    this.count = caseCountOf(test, execution.cases, plants, this.named);
    this.id = execution.ids.reserve(this.count + 1);
    this.shard = shard;
    this.next = shard.index;
    this.execution = execution;
    this.tally = tally;
    tally.coverage = () => this.coverage;
  }

  get ended(): boolean {
    return this.next > this.count;
  }

  async run(limit: number): Promise<void> {
    const { test, id, count, next, execution, tally } = this;
    const step = this.shard.of;
    const below = Math.min(count + 1, next + limit * step);
    const control = () => this.sendControl();
    await tryEach({ from: next, below, step }, control, execution, tally, (index) =>
      this.tryOne(index, id(index)),
    );
    this.next = next + Math.ceil((below - next) / step) * step;
    const { first } = tally;
    if (first === undefined || this.isShrunk) return;
    this.isShrunk = true;
    const { place, failure } = first;
    tally.leadWith(
      await inIsolation(failure, place, this.sampled(place), this.arbitrary, test.rules, execution),
    );
  }

  private async tryOne(index: number, id: bigint): Promise<Failure | undefined> {
    const failure = await runTestCase(this.sampled(index).value, id, this.test.rules, this.execution);
    if (index < this.named.length) this.tried.push(index);
    return failure;
  }

  /** How much of the covering array was tried. */
  private get coverage(): CheckCoverage | undefined {
    const { test, plants, named, tried, count, shard } = this;
    if (test.covers === undefined) return undefined;
    const own = test.covers(plants, tried);
    if (shard.of === 1) return own;
    const ofAllShards = [...named.keys()].slice(0, count);
    const { rows, covered } = test.covers(plants, ofAllShards);
    return { ...own, together: { rows, covered } };
  }

  private sampled(index: number): Value<TestCase> {
    return sampleAfter(this.named, this.arbitrary, this.execution.seed, this.checkId, index);
  }

  private async sendControl(): Promise<void> {
    const { control } = this.sampled(0).value;
    if (control !== undefined) await requireAccepted(control, this.id(this.count), this.execution);
  }
}

/** Confirms a failure in isolation, and shrinks it if it fails there every time. */
async function inIsolation(
  failure: Failure,
  index: number,
  value: Value<TestCase>,
  arbitrary: Arbitrary<TestCase>,
  rules: readonly Rule[],
  execution: Execution,
): Promise<Failure> {
  const again = await confirm({ failure, place: index }, rules, execution);
  let minimal: Failure = { ...again, sampled: { path: String(index), shrinks: 0 } };
  if (again.when !== 'always' || timedOut(again)) return minimal;
  const retry = (one: TestCase) => runTestCase(one, execution.ids.aside(index), rules, execution);
  let current = value;
  let budget = SHRINK_BUDGET_REQUESTS;
  let path = String(index);
  for (let shrinks = 1, found = true; found && budget > 0; shrinks += 1) {
    found = false;
    let step = 0;
    for (const candidate of arbitrary.shrink(current.value, current.context)) {
      if (budget === 0) break;
      budget -= 1;
      const smaller = await retry(candidate.value);
      // A smaller payload may fail for another cause; only the original one counts.
      if (smaller !== undefined && smaller.finding.problem === again.finding.problem) {
        path = `${path}:${step}`;
        const { when, retries = {} } = again;
        minimal = { ...smaller, when, retries, sampled: { path, shrinks } };
        current = candidate;
        found = true;
        break;
      }
      step += 1;
    }
  }
  return minimal;
}
