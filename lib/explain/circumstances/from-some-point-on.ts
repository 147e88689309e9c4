import { setTimeout as sleep } from 'node:timers/promises';
import { type ModelRequest, templateOf } from '../../payloads/model/model-request.ts';
import type { SentRequest } from '../../run/check.ts';
import type { FailureCount } from '../../run/result/result.ts';
import type { Exchange } from '../../wire/exchange.ts';
import { type Experiments, withinBudget } from '../experiment/experiments.ts';
import { everyTime, REPEATS } from '../experiment/search.ts';
import { withArticle } from '../explanation/condition.ts';
import { bareExplanation, type Explanation } from '../explanation/explanation.ts';
import { aspectOf } from '../symptom/symptom.ts';
import type { TargetSymptom } from '../symptom/target-symptom.ts';
import { MAX_RECOVERY_PAUSES, PRECEDING_KINDS, RECOVERY_PAUSE_MS } from './sequence-probe.ts';

/** Most stores that run out of a resource have done so after this many requests of each kind. */
export const REQUESTS_TO_EXHAUST_A_STORE = 200;

/** Most stores that keep a table of the values of a property have filled it after this many. */
const VALUES_TO_FILL_A_TABLE = 400;

/**
 * Describes a failure that began during the run. On a fresh store, sending many requests of each kind
 * alternately reproduces it.
 *
 * @param property what all failing plants have in common, if only some plants fail
 */
export async function describeFromSomePointOn(
  request: ModelRequest,
  inside: FailureCount,
  symptom: TargetSymptom,
  experiments: Experiments,
  property?: string,
): Promise<Explanation> {
  const exchange = await experiments.send(request);
  const before: SentRequest[] = [];
  // The search may have used up its budget if the store takes a second for each answer.
  await withinBudget(async () => {
    for (const kind of [PRECEDING_KINDS.rejected, PRECEDING_KINDS.unauthenticated]) {
      const template = templateOf(kind.from(request));
      before.push({ template, exchange: await experiments.sendFromReserve(template) });
    }
  });
  // Repeated, since perhaps only some plants fail.
  const recovers = () =>
    everyTime(REPEATS, async () => (await experiments.shows(request, symptom)) === false);
  const lasts = await everyTime(MAX_RECOVERY_PAUSES, async () => {
    await sleep(RECOVERY_PAUSE_MS);
    return (await withinBudget(recovers)) !== true;
  });
  const [rejected, unauthenticated] = before.map(
    (one) => statusOrError(one.exchange) === statusOrError(exchange),
  );
  const isOutcome = aspectOf(symptom) === 'outcome' && symptom.kind !== 'rejects';
  const everything = unauthenticated === true ? 'everything' : 'every request with a valid token';
  const ordinary = rejected === true ? everything : 'ordinary plants';
  const whom =
    property !== undefined
      ? `${symptom.kind === 'rejects' ? '' : 'to requests '}with ${withArticle(property)} `
      : isOutcome
        ? `to ${ordinary} `
        : '';
  return {
    ...bareExplanation(request, exchange),
    kind: 'from-then-on',
    conditions: [{ note: `${whom}${lasts ? 'from some point in the run on' : 'for a while'}` }],
    isForAWhile: !lasts,
    inside,
    before,
    until: lasts && property === undefined && isOutcome ? experiments.run.countsUntilLastAccepted : undefined,
    repeat: {
      times: property === undefined ? REQUESTS_TO_EXHAUST_A_STORE : VALUES_TO_FILL_A_TABLE,
      inFlight: 1,
    },
  };
}

/** The status, or the fault that prevented a response. */
const statusOrError = (exchange: Exchange) =>
  exchange.kind === 'broken' ? exchange.fault.kind : exchange.response.status;
