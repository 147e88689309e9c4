import { membersOf } from '../../members.ts';
import { freshId, freshText } from '../../payloads/fresh.ts';
import { FRESH, FreshText, type Json } from '../../payloads/json.ts';
import type { ModelRequest } from '../../payloads/model/model-request.ts';
import { ID } from '../../payloads/plants.ts';
import type { FailureCount } from '../../run/result/result.ts';
import { bodyText } from '../../utf8.ts';
import type { Exchange } from '../../wire/exchange.ts';
import { type Experiments, withinBudget } from '../experiment/experiments.ts';
import { ordinaryRequests } from '../experiment/ordinary-requests.ts';
import { wholeIdIn } from '../experiment/remainders.ts';
import { everyTime, REPEATS, Search, soonPasses } from '../experiment/search.ts';
import type { CheckFailure } from '../explanation/cluster.ts';
import type { Explanation } from '../explanation/explanation.ts';
import { isSlow, keyOf, type Symptom } from '../symptom/symptom.ts';
import { tryAfterFlood } from './after-flood.ts';
import { tryAfterMany } from './after-many.ts';
import { describeFromSomePointOn } from './from-some-point-on.ts';
import { type RunWideCauseFinder, wrongResponse } from './run-wide-cause.ts';
import { SequenceProbe } from './sequence-probe.ts';

/** Finds whether the store no longer answers properly to plants like the one that it accepted at the start. */
export const findAcceptedNoLonger: RunWideCauseFinder = async (failures, experiments) => {
  const { accepted } = experiments.run;
  if (accepted === undefined) return undefined;
  const [first, ...others] = ordinaryRequests(experiments.contract);
  const wrong = async (request: ModelRequest) => wrongResponse(await experiments.send(request), experiments);
  const symptom = await wrong(first);
  if (symptom === undefined || wrongResponse(accepted, experiments)?.words === symptom.words)
    return undefined;
  if (await isOnlyOfIds(accepted, first, wrong)) return undefined;
  if (!isSlow(symptom) && (await soonPasses(async () => (await wrong(first)) === undefined)))
    return undefined;
  const fails = async (request: ModelRequest) => (await wrong(request))?.words === symptom.words;
  const failing: [ModelRequest, ...ModelRequest[]] = [first];
  const passing: ModelRequest[] = [];
  for (const request of isSlow(symptom) ? others.slice(0, 1) : others)
    ((await fails(request)) ? failing : passing).push(request);
  const rejected: NoLongerAccepted | undefined =
    passing.length === 0
      ? { request: first }
      : await plantsNoLongerAccepted(accepted, failing, passing, fails);
  const members = failures.filter((one) => keyOf(one.symptom) === keyOf(symptom));
  if (rejected === undefined || members.length === 0) return undefined;
  const tried: FailureCount = [failing.length, failing.length];
  const found = await describeFromSomePointOn(
    rejected.request,
    tried,
    symptom,
    experiments,
    rejected.property,
  );
  return {
    symptom,
    explanation: (await findHowMany(rejected.request, found, members, experiments)) ?? found,
    members,
  };
};

/** Whether only the id decides: ids close to that of the plant accepted at the start are still accepted. */
async function isOnlyOfIds(
  accepted: Exchange,
  request: ModelRequest,
  wrong: (request: ModelRequest) => Promise<Symptom | undefined>,
): Promise<boolean> {
  const id = wholeIdIn(accepted);
  if (id === undefined || id < 2n ** 20n) return false;
  const plant = request.plant.with(ID, freshId(id, id + id / 100n));
  return everyTime(REPEATS, async () => (await wrong({ ...request, plant })) === undefined);
}

/** Finds after how many requests of one kind a store stops accepting ordinary plants for a while. */
const findHowMany = (
  request: ModelRequest,
  { isForAWhile }: Explanation,
  [firstFailure]: readonly CheckFailure[],
  experiments: Experiments,
): Promise<Explanation | undefined> =>
  withinBudget(async () => {
    if (isForAWhile !== true || firstFailure === undefined) return undefined;
    const search = new Search(firstFailure, experiments);
    const probe = await SequenceProbe.of(request, search);
    return (await tryAfterFlood(request, search)) ?? (probe && tryAfterMany(probe));
  });

/** Ordinary plants that the store no longer accepts. */
interface NoLongerAccepted {
  readonly request: ModelRequest;
  /** What they have in common (`tag`, or `new tag`), if other plants are still accepted. */
  readonly property?: string;
}

/**
 * Finds whether the plants that fail are those with a certain property, or with a new value of it. The plant
 * accepted at the start must have that property, too.
 */
async function plantsNoLongerAccepted(
  accepted: Exchange,
  failing: readonly [ModelRequest, ...ModelRequest[]],
  passing: readonly ModelRequest[],
  fails: (request: ModelRequest) => Promise<boolean>,
): Promise<NoLongerAccepted | undefined> {
  const [first] = failing;
  const { plant } = first;
  const has = (name: string) => (request: ModelRequest) => request.plant.get(name) !== undefined;
  const name = plant.members
    .map(([key]) => key)
    .find((key) => failing.every(has(key)) && !passing.some(has(key)));
  if (name === undefined) return undefined;
  const value = membersOf(bodyText(accepted.request.body))[name];
  if (typeof value !== 'string') return undefined;
  const withValue = (other: Json): ModelRequest => ({ ...first, plant: plant.with(name, other) });
  // A new value of the same form, so that the form is not what matters.
  if (!(await fails(withValue(freshText(value))))) return undefined;
  if (await fails(withValue(value))) return { request: first, property: name };
  // In shell commands, the new id makes each value new.
  const renewed = plant.with(ID, FRESH).with(name, new FreshText((id) => `${name}${id}`, 2 ** 53));
  return { request: { ...first, plant: renewed }, property: `new ${name}` };
}
