import { pick } from '../collections.ts';
import type { Baseline } from '../report/record/record.ts';
import { Recorder } from '../report/record/recorder.ts';
import { estimate, storedEstimates } from '../run/plan/estimate.ts';
import { DEFAULTS } from '../run/plan/plan.ts';
import type { Estimate } from '../run/plan/typical-estimates.ts';
import type { CheckResult } from '../run/result/result.ts';
import { causesOf, openRun, type RunHandle, type RunPlan } from '../run/run.ts';
import { inPool } from '../run/send/pool.ts';
import { comparisonOf, type Entry } from './build-comparison.ts';
import type { Comparison, ImplementationInfo } from './comparison.ts';
import { differentialOf, isSampled, SAMPLE_FRACTION } from './differential.ts';

export interface ComparedTarget {
  readonly name: string;
  readonly plan: RunPlan;
  readonly secrets: readonly string[];
  readonly baseline?: Baseline | undefined;
  readonly implementation?: ImplementationInfo;
}

const MAX_PARALLEL_TARGETS = 4;

interface OpenTarget {
  readonly target: ComparedTarget;
  readonly run: RunHandle;
  readonly recorder: Recorder;
  readonly results: CheckResult[];
}

export async function compareStores(
  targets: readonly ComparedTarget[],
  signal?: AbortSignal,
): Promise<Comparison> {
  const open: OpenTarget[] = [];
  // If one run throws, no comparison is possible, so abort the other runs.
  const failure = new AbortController();
  const anyAbort = AbortSignal.any([failure.signal, ...(signal === undefined ? [] : [signal])]);
  const runTarget = async (index: number) => {
    const target = targets[index];
    if (target === undefined) return;
    const { plan, secrets, baseline } = target;
    const recorder = new Recorder(secrets, baseline);
    const run = await openRun(plan, undefined, anyAbort);
    const results: CheckResult[] = [];
    open[index] = { target, run, recorder, results };
    recorder.add({ type: 'start', header: run.header });
    for await (const result of run.runAll()) {
      recorder.add({ type: 'result', result });
      results.push(result);
    }
  };
  const explainTarget = async (index: number) => {
    const one = open[index];
    if (one === undefined) return;
    const causes = await causesOf(one.results, one.run, one.target.plan);
    if (causes !== undefined) one.recorder.add({ type: 'causes', causes });
  };
  const ofAll = (work: (index: number) => Promise<void>) =>
    inPool(targets.length, MAX_PARALLEL_TARGETS, (index) =>
      work(index).catch((error: unknown) => {
        failure.abort();
        throw error;
      }),
    );
  try {
    await ofAll(runTarget);
    const differential = await differentialOf(open);
    await ofAll(explainTarget);
    const entries: Entry[] = [];
    for (const { target, run, recorder } of open) {
      recorder.add({ type: 'end', footer: await run.close() });
      entries.push({ ...pick(target, 'name', 'implementation'), record: recorder.record() });
    }
    return comparisonOf(entries, differential);
  } catch (error) {
    await Promise.allSettled(open.map(({ run }) => run.close()));
    throw error;
  }
}

/** Estimates what each store will be sent: requests of the checks, and payloads for finding disagreements. */
export async function estimateOf(plan: RunPlan): Promise<Estimate> {
  const cases = Math.ceil((plan.cases ?? DEFAULTS.cases) * SAMPLE_FRACTION);
  const [checks, payloads] = [
    await estimate(plan, storedEstimates(plan.contract)),
    await estimate({ ...plan, cases, thorough: false, catalogue: plan.catalogue.filter(isSampled) }),
  ];
  return { requests: checks.requests + payloads.requests, plants: checks.plants + payloads.plants };
}
