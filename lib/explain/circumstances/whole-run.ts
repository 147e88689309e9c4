import { compact } from '../../collections.ts';
import { type ModelRequest, templateOf } from '../../payloads/model/model-request.ts';
import { isTimeout } from '../../wire/exchange.ts';
import { type Experiments, withinBudget } from '../experiment/experiments.ts';
import { ordinaryRequests } from '../experiment/ordinary-requests.ts';
import { REPEATS } from '../experiment/search.ts';
import type { CheckFailure, Cluster } from '../explanation/cluster.ts';
import type { Condition } from '../explanation/condition.ts';
import { shownAfterOthers } from '../explanation/explanation.ts';
import { isSlow } from '../symptom/symptom.ts';
import { findLeftover } from './left-on-connection.ts';
import { findAcceptedNoLonger } from './no-longer-accepts.ts';
import type { RunWideCauseFinder } from './run-wide-cause.ts';
import { findSameForAll } from './same-for-all.ts';
import { precededBy, shownOnlyBy } from './sequence-probe.ts';
import { died, neverAnswered } from './store-died.ts';

/** Finds the faults that affect the whole run. */
export async function runWideClusters(
  failures: readonly CheckFailure[],
  experiments: Experiments,
): Promise<readonly Cluster[]> {
  const blocked = await withinBudget(() => findOneConnectionAtATime(failures, experiments));
  if (blocked !== undefined) return [blocked];
  const alike =
    (await withinBudget(() => findAcceptedNoLonger(failures, experiments))) ??
    (await withinBudget(() => findSameForAll(failures, experiments)));
  const found =
    alike === undefined ? await withinBudget(() => findLeftover(failures, experiments)) : undefined;
  const stopped = neverAnswered(failures, experiments) ?? died(failures, experiments);
  return compact(alike, found, stopped);
}

/** Finds whether an open connection keeps the store from answering requests on others. */
const findOneConnectionAtATime: RunWideCauseFinder = async (failures, experiments) => {
  const members = failures.filter(({ symptom }) => isSlow(symptom));
  if (members.length === 0) return undefined;
  const [ordinary, , , other = ordinary] = ordinaryRequests(experiments.contract);
  const beside = precededBy(ordinary, templateOf(other), 'other-open');
  const timedOut = async (request: ModelRequest) => {
    const sent = await experiments.send(request);
    return isTimeout(sent) ? sent : undefined;
  };
  // Each comparison takes a full timeout.
  const exchange = await shownOnlyBy(beside, ordinary, timedOut, REPEATS);
  if (exchange === undefined) return undefined;
  const condition: Condition = { phrase: 'while another connection is open', topics: ['connections'] };
  return {
    symptom: { kind: 'no-answer', words: 'does not answer' },
    explanation: shownAfterOthers(beside, exchange, [condition], REPEATS),
    members,
  };
};
