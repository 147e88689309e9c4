import type { Check } from '../check.ts';
import { DEFAULTS } from '../defaults.ts';
import type { CheckIds } from '../plan/ids.ts';
import { sampleCount, type WorkItem } from '../plan/plan.ts';
import type { Shard } from '../plan/shard.ts';
import { plantsFor, strengthOf } from '../plant-factory.ts';
import { concluded, inAnotherShard, skipped } from '../result/conclude.ts';
import type { CheckResult, Failure, Stop } from '../result/result.ts';
import { Tally } from '../result/tally.ts';
import { mapInPool } from '../send/pool.ts';
import { requestContext } from '../send/request-context.ts';
import { runNamedCases } from './cases.ts';
import { confirm } from './confirm.ts';
import { Execution, type RunServices, type TestRun } from './execution.ts';
import type { Invariants } from './invariants.ts';
import { runRandomCases } from './property.ts';
import { runScenario } from './scenario.ts';

/**
 * Number of checks that run at the same time. Most send few requests, so that one alone would leave a distant
 * store idle.
 */
const MAX_PARALLEL_CHECKS = 8;

interface ExecutorOptions {
  readonly catalogue: readonly Check[];
  readonly selected: (id: string) => boolean;
  readonly thorough: boolean;
  readonly shard: Shard;
  readonly idsOf: (checkId: string) => CheckIds;
  readonly invariants: Invariants;
  readonly onFailure: (check: Check, failure: Failure) => void;
}

interface ActiveCheck {
  readonly check: Check;
  readonly execution: Execution;
  /** Undefined for invariants, which run along with all other checks, and after the end of the run. */
  readonly testRun: TestRun | undefined;
  seconds: number;
  /** What ended the run while this check was running. */
  stop: Stop | undefined;
}

export class CheckExecutor {
  private readonly services: RunServices;
  private readonly options: ExecutorOptions;
  private readonly positions: ReadonlyMap<string, number>;
  private readonly active = new Map<Check, ActiveCheck>();
  private unfinished = false;

  constructor(services: RunServices, options: ExecutorOptions) {
    this.services = services;
    this.options = options;
    this.positions = new Map(options.catalogue.map(({ id }, position) => [id, position]));
  }

  /** @returns the results in the order of the items, without those of checks that have cases left */
  async runBatch(
    items: readonly WorkItem[],
    onBegin: (check: Check) => void,
  ): Promise<readonly CheckResult[]> {
    const done = await mapInPool(items, MAX_PARALLEL_CHECKS, async (item) => {
      onBegin(item.check);
      return this.skippedResult(item.check) ?? (await this.runItem(item));
    });
    const active = done.filter((one) => 'execution' in one);
    const tallies = active.map(({ execution }) => execution.tally);
    for (const tally of tallies) tally.settle(tallies.some((other) => other !== tally && other.hasConfirmed));
    for (const one of active) await this.confirm(one);
    return done.flatMap((one) => {
      if (!('execution' in one)) return [one];
      return one.stop === undefined && one.testRun?.ended === false ? [] : [this.conclude(one)];
    });
  }

  private skippedResult(check: Check): CheckResult | undefined {
    if (!this.options.selected(check.id)) return skipped(check, 'user', 'skipped by --only or --skip');
    const reason = check.notApplicable?.(this.services.judging.contract);
    if (reason !== undefined) return skipped(check, 'document', reason);
    return this.isInThisShard(check) ? undefined : inAnotherShard(check);
  }

  /** A shard tries some cases of every random check, and all cases of some of the other checks. */
  private isInThisShard({ id, test }: Check): boolean {
    const { shard, thorough } = this.options;
    if (test.kind === 'invariant') return true;
    if (test.kind === 'property')
      return thorough || shard.index <= sampleCount(test.weight, this.services.cases);
    return (this.positions.get(id) ?? 0) % shard.of === shard.index;
  }

  private async runItem({ check, limit }: WorkItem): Promise<ActiveCheck> {
    const { state, recovery } = this.services;
    const active = this.active.get(check) ?? this.begin(check);
    const { context } = active.execution;
    recovery.enter(context);
    const started = performance.now();
    if (state.stop === undefined) await state.unlessStopped(() => this.runTest(active, limit));
    active.seconds += (performance.now() - started) / 1000;
    active.stop = state.stop;
    recovery.leave(context);
    return active;
  }

  private begin(check: Check): ActiveCheck {
    const { idsOf, invariants, onFailure } = this.options;
    const context = requestContext(check.id, idsOf(check.id));
    const tally =
      check.test.kind === 'invariant'
        ? invariants.tally(check)
        : new Tally((failure) => onFailure(check, failure));
    const execution = new Execution(this.services, context, tally);
    // Making the cases would take longer than ending the run.
    const testRun = this.services.state.stop === undefined ? this.testRunOf(check, execution) : undefined;
    const active = { check, execution, testRun, seconds: 0, stop: undefined };
    this.active.set(check, active);
    return active;
  }

  private testRunOf({ id, test }: Check, execution: Execution): TestRun | undefined {
    const { shard, thorough } = this.options;
    const { judging, seed } = this.services;
    const plants = plantsFor(judging.contract, seed, id, strengthOf(thorough));
    switch (test.kind) {
      case 'cases':
        return runNamedCases(test, plants, execution);
      case 'property':
        return runRandomCases(id, test, plants, shard, execution);
      case 'scenario':
        return runScenario(test, plants, execution);
      case 'invariant':
        return undefined;
    }
  }

  private async runTest({ testRun, execution }: ActiveCheck, limit: number): Promise<void> {
    await testRun?.run(limit);
    const { context, tally } = execution;
    if (context.broken === 0) return;
    await this.services.sender.exclusively(context, async () => {
      await execution.recover();
      await testRun?.retryInIsolation?.();
      if (tally.hasConfirmed) await execution.recover();
    });
  }

  private async confirm({ check: { test }, execution }: ActiveCheck): Promise<void> {
    const { state } = this.services;
    const { tally } = execution;
    const { unconfirmed } = tally;
    if (unconfirmed === undefined || !('rules' in test) || state.stop !== undefined) return;
    const confirmed = await state.unlessStopped(() => confirm(unconfirmed, test.rules, execution));
    if (confirmed !== undefined) tally.replaceFirst(confirmed);
  }

  private conclude({ check, execution, seconds, stop }: ActiveCheck): CheckResult {
    this.active.delete(check);
    const usual = Math.min(DEFAULTS.cases, this.services.cases);
    const end = { stop, shard: this.options.shard, usual, unfinished: this.unfinished };
    const result = concluded(check, execution.tally, seconds, end);
    if (result.verdict === 'untestable' && stop !== undefined) this.unfinished = true;
    return result;
  }
}
