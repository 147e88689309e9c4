import { setTimeout as sleep } from 'node:timers/promises';
import { templateOf } from '../../payloads/model/model-request.ts';
import { type Finder, REPEATS, repeated } from '../experiment/search.ts';
import { shownAfterOthers } from '../explanation/explanation.ts';
import type { SymptomKind } from '../symptom/symptom.ts';

/** Longer than hurried limits on idle connections to a database or to the store behind a gateway. */
const PAUSES_MS = [1200, 2400];

/** Symptoms of a store that fails although nothing is wrong with the request. */
const FAILS: readonly SymptomKind[] = ['rejects', 'server-error', 'closed', 'incomplete'];

/** Finds whether a valid request, which failed once, fails if no other request came for a while. */
export const tryAfterPause: Finder = async (request, search) => {
  const { failure, symptom, isSlow } = search;
  const isRare = failure.when === 'once' && FAILS.includes(symptom.kind) && !isSlow;
  if (!isRare || search.expectedOutcomeOf(request) !== 'accept') return undefined;
  for (const pauseMs of PAUSES_MS) {
    const last = await repeated(REPEATS, async () => {
      await search.send(request);
      const earlier = await search.send(request);
      if (search.isShown(earlier, request) !== false) return undefined;
      await sleep(pauseMs);
      const exchange = await search.failingExchange(request);
      return exchange && { earlier, exchange };
    });
    if (last === undefined) continue;
    const { earlier, exchange } = last;
    return {
      ...shownAfterOthers(
        request,
        exchange,
        [{ phrase: `after a pause of ${pauseMs / 1000} seconds`, part: 'earlier requests' }],
        REPEATS,
      ),
      before: [{ template: templateOf(request), exchange: earlier }],
      repeat: { times: 1, inFlight: 1, pauseMs },
    };
  }
  return undefined;
};
