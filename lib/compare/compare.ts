import { compact, pick } from '../collections.ts';
import type { Baseline } from '../report/record/record.ts';
import { Recorder } from '../report/record/recorder.ts';
import { DEFAULTS } from '../run/defaults.ts';
import { estimate, storedEstimates } from '../run/plan/estimate.ts';
import type { Estimate } from '../run/plan/typical-estimates.ts';
import type { CheckResult } from '../run/result/result.ts';
import { causesOf, type LoadedOptions, type OpenRun, openRun } from '../run/run.ts';
import { mapInPool } from '../run/send/pool.ts';
import { comparisonOf, type Entry } from './build-comparison.ts';
import type { Comparison, ImplementationInfo } from './comparison.ts';
import { differentialOf, isSampled, SAMPLE_FRACTION } from './differential.ts';

export interface ComparedTarget {
  readonly name: string;
  readonly loaded: LoadedOptions;
  readonly secrets: readonly string[];
  readonly baseline?: Baseline | undefined;
  readonly implementation?: ImplementationInfo;
}

const MAX_PARALLEL_TARGETS = 4;

export async function compareStores(
  targets: readonly ComparedTarget[],
  signal?: AbortSignal,
): Promise<Comparison> {
  const opened: OpenRun[] = [];
  // If one run throws, no comparison is possible, so abort the other runs.
  const failure = new AbortController();
  const anyAbort = AbortSignal.any([...compact(failure.signal, signal)]);
  const ofAll = <T, R>(list: readonly T[], work: (one: T) => Promise<R>) =>
    mapInPool(list, MAX_PARALLEL_TARGETS, (one) =>
      work(one).catch((error: unknown) => {
        failure.abort();
        throw error;
      }),
    );
  try {
    const stores = await ofAll(targets, async (target) => {
      const recorder = new Recorder(target.secrets, target.baseline);
      const run = await openRun(target.loaded, undefined, anyAbort);
      opened.push(run);
      const results: CheckResult[] = [];
      recorder.add({ type: 'start', header: run.header });
      for await (const result of run.runAll()) {
        recorder.add({ type: 'result', result });
        results.push(result);
      }
      return { target, run, recorder, results };
    });
    const differential = await differentialOf(stores);
    await ofAll(stores, async ({ target, run, recorder, results }) => {
      const causes = await causesOf(results, run, target.loaded);
      if (causes !== undefined) recorder.add({ type: 'causes', causes });
    });
    const entries: Entry[] = [];
    for (const { target, run, recorder } of stores) {
      recorder.add({ type: 'end', footer: await run.close() });
      entries.push({ ...pick(target, 'name', 'implementation'), record: recorder.record() });
    }
    return comparisonOf(entries, differential);
  } catch (error) {
    await Promise.allSettled(opened.map((run) => run.close()));
    throw error;
  }
}

/** Estimates what each store will be sent: requests of the checks, and payloads for finding disagreements. */
export async function estimateOf(loaded: LoadedOptions): Promise<Estimate> {
  const cases = Math.ceil((loaded.cases ?? DEFAULTS.cases) * SAMPLE_FRACTION);
  const [checks, payloads] = [
    await estimate(loaded, storedEstimates(loaded.contract)),
    await estimate({ ...loaded, cases, thorough: false, catalogue: loaded.catalogue.filter(isSampled) }),
  ];
  return { requests: checks.requests + payloads.requests, plants: checks.plants + payloads.plants };
}
