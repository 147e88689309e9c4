import { templateOf } from '../../payloads/model/model-request.ts';
import { REPEATS, repeated, type Search } from '../experiment/search.ts';
import { type Explanation, shownAfterOthers } from '../explanation/explanation.ts';
import type { SymptomKind } from '../symptom/symptom.ts';
import { suchAs } from '../wording/request-words.ts';
import { SequenceProbe } from './sequence-probe.ts';

/** Symptoms of a store that is away for a moment: its process, or a worker, is being restarted. */
const AWAY: readonly SymptomKind[] = ['closed', 'incomplete', 'server-error'];

/**
 * Finds whether ordinary requests fail for a while after the failing one, which therefore fails when it is
 * repeated.
 */
export async function tryAfterItself(search: Search): Promise<Explanation | undefined> {
  const { failingRequest, ordinary, symptom, failure, contract } = search;
  const isOfPlant = failure.template.ordinary === true;
  if (failingRequest === undefined || isOfPlant || !AWAY.includes(symptom.kind)) return undefined;
  const last = await repeated(REPEATS, async () => {
    // Waits until the store accepts plants again.
    if ((await SequenceProbe.of(ordinary, search)) === undefined) return undefined;
    const sent = await search.send(failingRequest);
    // Two in a row: a single one may fail because of what the request leaves behind.
    const exchange = await repeated(2, () => search.failingExchange(ordinary));
    return exchange && { exchange, before: [{ template: templateOf(failingRequest), exchange: sent }] };
  });
  if (last === undefined) return undefined;
  const { clause, phrase = `in which ${clause}` } = suchAs(failure, contract);
  const condition = { phrase: `for a while after a request ${phrase}`, part: 'earlier requests' };
  return { ...shownAfterOthers(ordinary, last.exchange, [condition], REPEATS), before: last.before };
}
