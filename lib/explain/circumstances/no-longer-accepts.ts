import { membersOf } from '../../members.ts';
import { freshId, freshText } from '../../payloads/fresh.ts';
import { FRESH, FreshText, type Json } from '../../payloads/json.ts';
import type { RequestState } from '../../payloads/model/dimension.ts';
import { ID } from '../../payloads/plants.ts';
import type { FailureCount } from '../../run/result/result.ts';
import { bodyText } from '../../utf8.ts';
import type { Exchange } from '../../wire/exchange.ts';
import type { CheckFailure } from '../cluster.ts';
import { wholeIdIn } from '../condition/remainders.ts';
import { type Experiments, withinBudget } from '../experiments.ts';
import type { Explanation } from '../explanation.ts';
import { ordinaryStates } from '../ordinary-requests.ts';
import { everyTime, REPEATS, Search, soonPasses } from '../search.ts';
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
  const [first, ...others] = ordinaryStates(experiments.contract);
  const wrong = async (state: RequestState) => wrongResponse(await experiments.send(state), experiments);
  const symptom = await wrong(first);
  if (symptom === undefined || wrongResponse(accepted, experiments)?.words === symptom.words)
    return undefined;
  if (await isOnlyOfIds(accepted, first, wrong)) return undefined;
  if (!isSlow(symptom) && (await soonPasses(async () => (await wrong(first)) === undefined)))
    return undefined;
  const fails = async (state: RequestState) => (await wrong(state))?.words === symptom.words;
  const failing: [RequestState, ...RequestState[]] = [first];
  const passing: RequestState[] = [];
  for (const state of isSlow(symptom) ? others.slice(0, 1) : others)
    ((await fails(state)) ? failing : passing).push(state);
  const rejected: NoLongerAccepted | undefined =
    passing.length === 0 ? { state: first } : await plantsNoLongerAccepted(accepted, failing, passing, fails);
  const members = failures.filter((one) => keyOf(one.symptom) === keyOf(symptom));
  if (rejected === undefined || members.length === 0) return undefined;
  const tried: FailureCount = [failing.length, failing.length];
  const found = await describeFromSomePointOn(rejected.state, tried, symptom, experiments, rejected.property);
  return {
    symptom,
    explanation: (await findHowMany(rejected.state, found, members, experiments)) ?? found,
    members,
  };
};

/** Whether only the id decides: ids close to that of the plant accepted at the start are still accepted. */
async function isOnlyOfIds(
  accepted: Exchange,
  state: RequestState,
  wrong: (state: RequestState) => Promise<Symptom | undefined>,
): Promise<boolean> {
  const id = wholeIdIn(accepted);
  if (id === undefined || id < 2n ** 20n) return false;
  const plant = state.plant.with(ID, freshId(id, id + id / 100n));
  return everyTime(REPEATS, async () => (await wrong({ ...state, plant })) === undefined);
}

/** Finds after how many requests of one kind a store stops accepting ordinary plants for a while. */
const findHowMany = (
  state: RequestState,
  { isForAWhile }: Explanation,
  [firstFailure]: readonly CheckFailure[],
  experiments: Experiments,
): Promise<Explanation | undefined> =>
  withinBudget(async () => {
    if (isForAWhile !== true || firstFailure === undefined) return undefined;
    const search = new Search(firstFailure, experiments);
    const probe = await SequenceProbe.of(state, search);
    return (await tryAfterFlood(state, search)) ?? (probe && tryAfterMany(probe));
  });

/** Ordinary plants that the store no longer accepts. */
interface NoLongerAccepted {
  readonly state: RequestState;
  /** What they have in common (`tag`, or `new tag`), if other plants are still accepted. */
  readonly property?: string;
}

/**
 * Finds whether the plants that fail are those with a certain property, or with a new value of it. The plant
 * accepted at the start must have that property, too.
 */
async function plantsNoLongerAccepted(
  accepted: Exchange,
  failing: readonly [RequestState, ...RequestState[]],
  passing: readonly RequestState[],
  fails: (state: RequestState) => Promise<boolean>,
): Promise<NoLongerAccepted | undefined> {
  const [first] = failing;
  const { plant } = first;
  const has = (name: string) => (state: RequestState) => state.plant.get(name) !== undefined;
  const name = plant.members
    .map(([key]) => key)
    .find((key) => failing.every(has(key)) && !passing.some(has(key)));
  if (name === undefined) return undefined;
  const value = membersOf(bodyText(accepted.request.body))[name];
  if (typeof value !== 'string') return undefined;
  const withValue = (other: Json): RequestState => ({ ...first, plant: plant.with(name, other) });
  // A new value of the same form, so that the form is not what matters.
  if (!(await fails(withValue(freshText(value))))) return undefined;
  if (await fails(withValue(value))) return { state: first, property: name };
  // In shell commands, the new id makes each value new.
  const renewed = plant.with(ID, FRESH).with(name, new FreshText((id) => `${name}${id}`, 2 ** 53));
  return { state: { ...first, plant: renewed }, property: `new ${name}` };
}
