import { setTimeout as sleep } from 'node:timers/promises';
import { type RequestState, templateOf } from '../../payloads/model/dimension.ts';
import type { Before } from '../../run/check.ts';
import type { Tried } from '../../run/result/result.ts';
import type { Exchange } from '../../wire/exchange.ts';
import type { CheckFailure, Cluster } from '../cluster.ts';
import { type Experiments, type SoughtSymptom, unlessSpent } from '../experiments.ts';
import { bareExplanation, type Explanation } from '../explanation.ts';
import { ordinaryStates } from '../ordinary-requests.ts';
import { aspectOf, isSlow, keyOf } from '../symptom/symptom.ts';
import { symptomsOf } from '../symptom/symptoms-of.ts';
import { KINDS, PAUSE_MS } from './preceding.ts';

/** What a store does with every ordinary plant by the end of a run, though it accepted one at its beginning. */
export async function acceptedNoLonger(
  failures: readonly CheckFailure[],
  experiments: Experiments,
): Promise<Cluster | undefined> {
  const [first, ...others] = ordinaryStates(experiments.contract);
  const outcome = async (state: RequestState) =>
    symptomsOf(await experiments.send(state), 'accept', experiments.contract).find(
      (one) => aspectOf(one) === 'outcome',
    );
  const sought = await outcome(first);
  if (sought === undefined) return undefined;
  const enough = isSlow(sought) ? others.slice(0, 1) : others;
  for (const state of enough) if ((await outcome(state))?.words !== sought.words) return undefined;
  const tried = enough.length + 1;
  const found = await fromThenOn(first, [tried, tried], sought, experiments);
  const members = failures.filter((one) => keyOf(one.sought) === keyOf(sought));
  return members.length === 0 ? undefined : { sought, found, members };
}

/** Requests of each kind after which most stores that run out of something have done so. */
const REQUESTS_TO_EXHAUST_A_STORE = 200;

/** What began to fail during the run. On a fresh store, requests of each kind in turn show it. */
export async function fromThenOn(
  state: RequestState,
  inside: Tried,
  sought: SoughtSymptom,
  experiments: Experiments,
): Promise<Explanation> {
  const exchange = await experiments.send(state);
  const before: Before[] = [];
  // A store that takes a second for each answer leaves no time for more.
  await unlessSpent(async () => {
    for (const { change } of [KINDS.rejected, KINDS.unauthenticated]) {
      const one = { ...state, ...change(state) };
      before.push({ template: templateOf(one), exchange: await experiments.send(one) });
    }
  });
  await sleep(PAUSE_MS);
  const lasts = (await unlessSpent(() => experiments.shows(state, sought))) !== false;
  const [rejected, unauthenticated] = before.map((one) => outcomeOf(one.exchange) === outcomeOf(exchange));
  const isOutcome = aspectOf(sought) === 'outcome' && sought.kind !== 'rejects';
  const all = unauthenticated === true ? 'everything' : 'every request with a valid token';
  const whom = isOutcome ? `to ${rejected === true ? all : 'ordinary plants'} ` : '';
  return {
    ...bareExplanation(state, exchange),
    kind: 'from-then-on',
    conditions: [{ note: `${whom}${lasts ? 'from some point in the run onwards' : 'for a while'}` }],
    inside,
    before,
    repeat: { times: REQUESTS_TO_EXHAUST_A_STORE, inFlight: 1 },
  };
}

/** The status, or what went wrong on the way. */
const outcomeOf = (exchange: Exchange) =>
  exchange.kind === 'broken' ? exchange.fault.kind : exchange.response.status;
