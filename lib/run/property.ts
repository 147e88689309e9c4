import type { Arbitrary, Value } from 'fast-check';
import type { Rule } from '../judge/rules.ts';
import type { Case } from '../payloads/case.ts';
import { drawAfter } from '../payloads/random.ts';
import { attempt, mustBeTaken, type Tools } from './attempt.ts';
import { tryEach } from './cases.ts';
import type { Plants, Test } from './check.ts';
import { confirm } from './confirm.ts';
import type { CheckIds } from './ids.ts';
import { casesOf } from './plan.ts';
import { type CheckCoverage, type Failure, timedOut } from './result.ts';
import type { Shard } from './shard.ts';
import type { Tally } from './tally.ts';

/** Requests spent on making one failure small. */
const SHRINK_BUDGET = 80;

/**
 * Random cases, many at a time, of a check that may be carried on turn by turn. The first that fails is tried
 * again alone, and there made as small as it goes; one that passes alone has failed because of the company it was in.
 */
export class Drawing {
  private readonly test: Test & { kind: 'property' };
  private readonly checkId: string;
  private readonly arbitrary: Arbitrary<Case>;
  private readonly named: readonly Case[];
  private readonly id: (index: number) => bigint;
  private readonly count: number;
  private readonly shard: Shard;
  private readonly plants: Plants;
  /** The places of the cases with a name that were tried. */
  private readonly tried: number[] = [];
  private next: number;
  private settled = false;

  constructor(
    test: Test & { kind: 'property' },
    checkId: string,
    cases: number,
    plants: Plants,
    ids: CheckIds,
    shard: Shard,
  ) {
    this.test = test;
    this.checkId = checkId;
    this.arbitrary = test.cases(plants);
    this.plants = plants;
    this.named = test.named?.(plants) ?? [];
    this.count = casesOf(test, cases, plants, this.named);
    this.id = ids.reserve(this.count + 1);
    this.shard = shard;
    this.next = shard.index;
  }

  /** Whether there is nothing left to be tried. */
  get ended(): boolean {
    return this.next > this.count;
  }

  /** Tries so many more, at most. */
  async go(most: number, tools: Tools, tally: Tally): Promise<void> {
    const { test, id, count, next } = this;
    tally.coverage = () => this.coverage;
    const step = this.shard.of;
    const below = Math.min(count + 1, next + most * step);
    const control = () => this.control(tools);
    await tryEach({ from: next, below, step }, control, tools, tally, (index) =>
      this.attempt(index, id(index), tools),
    );
    this.next = next + Math.ceil((below - next) / step) * step;
    const { first } = tally;
    if (first === undefined || this.settled) return;
    this.settled = true;
    const { place, failure } = first;
    tally.leadWith(
      await inIsolation(failure, place, this.drawn(place, tools), this.arbitrary, test.rules, tools),
    );
  }

  private async attempt(index: number, id: bigint, tools: Tools): Promise<Failure | undefined> {
    const failure = await attempt(this.drawn(index, tools).value, id, this.test.rules, tools);
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

  private drawn(index: number, { seed }: Tools): Value<Case> {
    return drawAfter(this.named, this.arbitrary, seed, this.checkId, index);
  }

  private async control(tools: Tools): Promise<void> {
    const { twin } = this.drawn(0, tools).value;
    if (twin !== undefined) await mustBeTaken(twin, this.id(this.count), tools);
  }
}

/** The failure as it is in isolation: confirmed, and shrunk where it comes again every time. */
async function inIsolation(
  failure: Failure,
  index: number,
  value: Value<Case>,
  arbitrary: Arbitrary<Case>,
  rules: readonly Rule[],
  tools: Tools,
): Promise<Failure> {
  const again = await confirm({ failure, place: index }, rules, tools);
  let smallest: Failure = { ...again, drawn: { path: String(index), shrinks: 0 } };
  if (again.when !== 'always' || timedOut(again)) return smallest;
  const retry = (one: Case) => attempt(one, tools.ids.aside(index), rules, tools);
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
        const { when, retries = {} } = again;
        smallest = { ...smaller, when, retries, drawn: { path, shrinks } };
        current = candidate;
        found = true;
        break;
      }
      step += 1;
    }
  }
  return smallest;
}
