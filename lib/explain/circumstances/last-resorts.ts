import { setTimeout as sleep } from 'node:timers/promises';
import { templateOf } from '../../payloads/model/dimension.ts';
import { type Explanation, shownAfterOthers } from '../explanation.ts';
import { type Finder, REPEATS, repeated, type Search } from '../search.ts';
import type { SymptomKind } from '../symptom/symptom.ts';
import { failsFromSomePointOn } from './from-some-point-on.ts';
import { acceptedSoon, PRECEDING_KINDS } from './sequence-probe.ts';

/** Longer than hurried limits on idle connections to a database or to the store behind a gateway. */
const PAUSES_MS = [1200, 2400];

/** Symptoms of a store that fails although nothing is wrong with the request. */
const FAILS: readonly SymptomKind[] = ['rejects', 'server-error', 'closed', 'incomplete'];

/** Finds whether an ordinary request fails if no other request came for a while. */
export const afterPause: Finder = async (state, search) => {
  if (!mayFailByItself(search)) return undefined;
  for (const pauseMs of PAUSES_MS) {
    const last = await repeated(REPEATS, async () => {
      await search.send(state);
      const earlier = await search.send(state);
      if (search.isShown(earlier, state) !== false) return undefined;
      await sleep(pauseMs);
      const exchange = await search.failingExchange(state);
      return exchange && { earlier, exchange };
    });
    if (last === undefined) continue;
    const { earlier, exchange } = last;
    return {
      ...shownAfterOthers(
        state,
        exchange,
        [{ phrase: `after a pause of ${pauseMs / 1000} seconds`, part: 'earlier requests' }],
        REPEATS,
      ),
      before: [{ template: templateOf(state), exchange: earlier }],
      repeat: { times: 1, inFlight: 1, pauseMs },
    };
  }
  return undefined;
};

/** More than most stores and gateways tolerate of one client within a second. */
const REJECTIONS_IN_A_BURST = 120;

/** Finds whether a store locks its client out for a while after many rejected requests in a short time. */
export const afterBurst: Finder = async (state, search) => {
  if (!mayFailByItself(search)) return undefined;
  const { experiments, symptom } = search;
  const rejections = [PRECEDING_KINDS.rejected, PRECEDING_KINDS.unauthenticated].map(({ change }) =>
    templateOf({ ...state, ...change(state) }),
  );
  const burst = Array.from({ length: REJECTIONS_IN_A_BURST }, (_, index) => rejections[index % 2]).filter(
    (one) => one !== undefined,
  );
  const isLockedOut = async (): Promise<true | undefined> => {
    if ((await acceptedSoon(search)) === undefined) return undefined;
    await experiments.sendConcurrently(burst);
    return (await search.shows(state)) === true ? true : undefined;
  };
  if ((await repeated(REPEATS - 1, isLockedOut)) === undefined) return undefined;
  const found: Explanation = await failsFromSomePointOn(
    state,
    [REPEATS - 1, REPEATS - 1],
    symptom,
    experiments,
  );
  return found.isForAWhile === true
    ? { ...found, conditions: [{ note: 'for a while after many rejected requests' }] }
    : found;
};

const mayFailByItself = ({ failure, symptom, isSlow }: Search): boolean =>
  !isSlow && FAILS.includes(symptom.kind) && failure.template.ordinary === true;
