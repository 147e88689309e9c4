import type { Baseline, RunRecord } from '../report/record.ts';
import { Recorder } from '../report/recorder.ts';
import { redactor } from '../report/redact.ts';
import { type Estimate, estimate } from '../run/estimate.ts';
import { DEFAULTS } from '../run/plan.ts';
import { inPool } from '../run/pool.ts';
import { type OpenRun, openRun, type RunOptions } from '../run/run.ts';
import type { Comparison, Portrait } from './comparison.ts';
import { differentialOf, isAsked, OF_A_RUN } from './differential.ts';
import { comparisonOf, type Entry } from './fold.ts';

/** A store to compare, and what is to be sent to it. */
export interface ComparedTarget {
  readonly name: string;
  readonly plan: RunOptions;
  /** What no report may hold. */
  readonly secrets: readonly string[];
  readonly baseline?: Baseline | undefined;
  readonly portrait?: Portrait | undefined;
}

/** Stores that are run against at a time. */
const AT_A_TIME = 4;

/**
 * Runs the catalogue against each of several stores, sends all of them the same generated payloads, and puts
 * what was found side by side.
 */
export async function compareStores(
  targets: readonly ComparedTarget[],
  signal?: AbortSignal,
): Promise<Comparison> {
  const open: { readonly target: ComparedTarget; readonly run: OpenRun; readonly recorder: Recorder }[] = [];
  // Without one of them there is no comparison: the runs against the others are not carried on.
  const breaking = new AbortController();
  const ending = AbortSignal.any([breaking.signal, ...(signal === undefined ? [] : [signal])]);
  const carryOut = async (index: number) => {
    const target = targets[index];
    if (target === undefined) return;
    const { plan, secrets, baseline } = target;
    const recorder = new Recorder(secrets, baseline);
    const run = await openRun(plan, undefined, ending);
    open[index] = { target, run, recorder };
    recorder.take({ type: 'start', header: run.header });
    for await (const result of run.carryOutAll()) recorder.take({ type: 'result', result });
  };
  try {
    await inPool(targets.length, AT_A_TIME, (index) =>
      carryOut(index).catch((error: unknown) => {
        breaking.abort();
        throw error;
      }),
    );
    const differential = await differenceOf(open);
    const entries: Entry[] = [];
    for (const { target, run, recorder } of open) {
      recorder.take({ type: 'end', footer: await run.close() });
      const { name, portrait } = target;
      const record: RunRecord = recorder.record();
      entries.push({ name, record, ...(portrait === undefined ? {} : { portrait }) });
    }
    return comparisonOf(entries, differential);
  } catch (error) {
    await Promise.allSettled(open.map(({ run }) => run.close()));
    throw error;
  }
}

/** What each of the stores is going to be asked: the checks, and what stores may disagree on. */
export async function estimateOf(plan: RunOptions): Promise<Estimate> {
  const cases = Math.ceil((plan.cases ?? DEFAULTS.cases) * OF_A_RUN);
  const [checks, beside] = [
    await estimate(plan),
    await estimate({ ...plan, cases, thorough: false, catalogue: plan.catalogue.filter(isAsked) }),
  ];
  return { requests: checks.requests + beside.requests, plants: checks.plants + beside.plants };
}

async function differenceOf(
  open: readonly { readonly target: ComparedTarget; readonly run: OpenRun }[],
): Promise<Comparison['differential']> {
  const [first] = open;
  if (first === undefined) return null;
  const { plan } = first.target;
  const { seed, cases } = first.run.header.options;
  const selected = plan.catalogue.filter(({ id }) => plan.selected?.(id) ?? true);
  return differentialOf(
    open.map(({ target, run }) => ({
      name: target.name,
      baseUrl: target.plan.baseUrl,
      ask: (drafts) => run.ask(drafts),
    })),
    selected,
    {
      contract: plan.contract,
      seed,
      cases,
      redact: redactor(open.flatMap(({ target }) => target.secrets)),
    },
  );
}
