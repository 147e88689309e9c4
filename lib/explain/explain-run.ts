import type { Check } from '../run/check.ts';
import type { Cause } from '../run/result/cause.ts';
import type { CheckResult } from '../run/result/result.ts';
import type { ExplainableRun } from '../run/run.ts';
import { rewordIfBegunDuringRun } from './circumstances/began-during-run.ts';
import { runWideClusters } from './circumstances/whole-run.ts';
import { Experiments, type ExplanationInput, withinBudget } from './experiment/experiments.ts';
import { tryPlainestRequest } from './experiment/plainest-request.ts';
import { explainBySymptom } from './explain-symptoms.ts';
import type { CheckFailure, Cluster, FurtherFailure } from './explanation/cluster.ts';
import { mergeClusters } from './merge/merge-clusters.ts';
import { tryOtherProperties } from './other-properties.ts';
import { targetSymptomOf } from './symptom/target-symptom.ts';
import { causeOf } from './wording/cause-of.ts';

/** Experiments may take this part of the time of the checks, within these limits: a store may hang. */
const PART_OF_RUN = 0.5;
const MIN_SECONDS = 15;
const MAX_SECONDS = 60;
const MAX_SECONDS_OF_OUTAGE = 10;
/** Restarting the store takes up most of this time. */
const MAX_SECONDS_WITH_RESTARTS = 60;

function secondsFor({ stop, accepted, restarts, header }: ExplainableRun): number {
  if (restarts > 0) return MAX_SECONDS_WITH_RESTARTS;
  if (stop !== undefined && ['outage', 'unresponsive', 'too-large'].includes(stop.kind))
    return MAX_SECONDS_OF_OUTAGE;
  // With a store that never answered, every experiment would take a full timeout.
  if (stop?.kind === 'gone' && accepted === undefined) return 0;
  if (stop !== undefined) return MIN_SECONDS;
  return Math.min(Math.max(MIN_SECONDS, PART_OF_RUN * secondsSince(header.startedAt)), MAX_SECONDS);
}

const secondsSince = (time: string): number => (Date.now() - Date.parse(time)) / 1000;

/**
 * Finds the causes of a run's failures within the request and time budget.
 *
 * @param requests maximum number of experiment requests
 * @returns the causes, in the order in which to fix them
 */
export function explainRun(
  results: readonly CheckResult[],
  run: ExplainableRun,
  { contract, token, catalogue }: Pick<ExplanationInput, 'contract' | 'token' | 'catalogue'>,
  requests: number,
): Promise<readonly Cause[]> {
  const { maxRequests, maxSeconds } = run.header.options;
  // The user's limits apply to the whole run; reaching one of them would cut the run short.
  const requestsLeft = (maxRequests ?? Number.POSITIVE_INFINITY) - run.requests;
  const secondsLeft = (maxSeconds ?? Number.POSITIVE_INFINITY) - secondsSince(run.header.startedAt) - 1;
  const budget = {
    requests: Math.min(requests, requestsLeft),
    seconds: Math.min(secondsFor(run), secondsLeft),
  };
  const input = { run, results, contract, token, catalogue, budget };
  return explain(input).catch((error: unknown) => {
    // The verdict does not depend on the causes, so an internal error here must not lose the verdict.
    process.emitWarning(
      `The causes of failures were named without experiments. Please report this: ${error instanceof Error ? error.stack : error}`,
    );
    return explain({ ...input, budget: { requests: 0, seconds: 0 } });
  });
}

async function explain(input: ExplanationInput): Promise<readonly Cause[]> {
  const { results, catalogue } = input;
  // In the order of the catalogue, so that the causes do not depend on the order of the run.
  const failed = catalogue.flatMap((check) =>
    results
      .filter((result) => result.check.id === check.id && result.verdict === 'fail')
      .map((result): FailedCheck => ({ check, result })),
  );
  const failures = checkFailuresOf(failed, input);
  if (failures.length === 0) return [];
  const experiments = new Experiments(input);
  const runWide = await runWideClusters(failures, experiments);
  const unexplained = failures.filter((one) => !runWide.some(({ members }) => members.includes(one)));
  const rejectsOrdinary = unexplained.some(({ failure }) => failure.template.ordinary === true);
  if (rejectsOrdinary && unexplained.some(({ symptom }) => symptom.kind === 'accepts'))
    await withinBudget(() => experiments.findReliable());
  const further = failed.flatMap((one) => furtherFailures(one, unexplained));
  const clusters = [...runWide];
  for (const cluster of await explainBySymptom(unexplained, further, experiments))
    clusters.push(await rewordIfBegunDuringRun(cluster, experiments));
  const general: Cluster[] = [];
  for (const cluster of mergeClusters(clusters)) general.push(await tryOtherProperties(cluster, experiments));
  const causes: Cause[] = [];
  // Again, since a text that was tried in other properties may make two clusters alike.
  for (const cluster of mergeClusters(general))
    causes.push(causeOf(await tryPlainestRequest(cluster, experiments), catalogue, experiments));
  return causes;
}

interface FailedCheck {
  readonly check: Check;
  readonly result: CheckResult;
}

function checkFailuresOf(failed: readonly FailedCheck[], { contract, token }: ExplanationInput) {
  const all = failed.flatMap(({ check, result: { failures } }) =>
    failures.map((failure): CheckFailure => {
      const symptom = targetSymptomOf(failure, check, contract, token);
      return { check, failure, symptom };
    }),
  );
  return all.map((failure) => withCompleteResponse(failure, all));
}

/** The failed cases of a check with the same problem as one of its failures, without these failures. */
function furtherFailures(
  { check, result }: FailedCheck,
  failures: readonly CheckFailure[],
): readonly FurtherFailure[] {
  const ofCheck = failures.filter((failure) => failure.check === check);
  const shown = new Set(ofCheck.map(({ failure }) => failure.template));
  return result.failedCases
    .filter(({ template }) => !shown.has(template))
    .flatMap((failed) => {
      const alike = ofCheck.find(({ failure: { finding } }) => finding.problem === failed.finding.problem);
      return alike === undefined ? [] : [{ check, failed, symptom: alike.symptom }];
    });
}

/** If the response was truncated, takes the symptom from a failure with the same problem that was not. */
function withCompleteResponse(one: CheckFailure, others: readonly CheckFailure[]): CheckFailure {
  const isCut = ({ failure: { exchange } }: CheckFailure) => exchange.response?.size !== undefined;
  const { problem } = one.failure.finding;
  const complete = others.find((other) => !isCut(other) && other.failure.finding.problem === problem);
  return isCut(one) && complete !== undefined ? { ...one, symptom: complete.symptom } : one;
}
