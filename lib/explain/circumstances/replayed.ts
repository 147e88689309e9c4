import { type ModelRequest, madeValid, templateOf } from '../../payloads/model/model-request.ts';
import { bodyText } from '../../utf8.ts';
import type { Exchange } from '../../wire/exchange.ts';
import { REPEATS, repeated, type Search } from '../experiment/search.ts';
import { OTHERWISE_THE_SAME } from '../explanation/condition.ts';
import { type Explanation, NOTHING_TRIED, shownAfterOthers } from '../explanation/explanation.ts';
import { mustReject } from '../symptom/detect-symptoms.ts';

/** A name of some length: shorter ones may be defaults, such as `none`. */
const NAME = /"name"\s*:\s*"([^"\\]{6,})/;

/** The name in a response that the request does not contain, as in the response to another request. */
function foreignName({ request, response }: Exchange): string | undefined {
  // The body may be cut off, so it is not parsed.
  const [, name] = NAME.exec(bodyText(response?.body)) ?? [];
  return name === undefined || bodyText(request.body).includes(name) ? undefined : name;
}

const hasForeignName = (exchange: Exchange): boolean => foreignName(exchange) !== undefined;

/**
 * Finds whether a cache answers an invalid request with the response to a valid one. The values in the
 * response prove it; without them, it would go unnoticed if the cache already knows a valid one.
 */
export async function tryReplay(request: ModelRequest, search: Search): Promise<Explanation | undefined> {
  const { symptom, failure, ordinary } = search;
  const valid = madeValid(request);
  if (symptom.kind !== 'accepts' || !hasForeignName(failure.exchange)) return undefined;
  if (mustReject(search.expectedOutcomeOf(valid))) return undefined;
  const plain = await search.send(ordinary);
  const after = foreignName(await search.send(request));
  // The first store answers everything with the same name, the second with the name of the previous plant.
  if (hasForeignName(plain) || (after !== undefined && bodyText(plain.request.body).includes(after)))
    return undefined;
  const condition = { phrase: OTHERWISE_THE_SAME, part: 'earlier requests' };
  return repeated(REPEATS, async () => {
    const earlier = await search.send(valid);
    const exchange = await search.failingExchange(request);
    const name = exchange && foreignName(exchange);
    if (exchange === undefined || name === undefined) return undefined;
    if (!bodyText(earlier.request.body).includes(name) && foreignName(earlier) !== name) return undefined;
    return {
      ...shownAfterOthers(request, exchange, [condition], REPEATS),
      outside: NOTHING_TRIED,
      before: [{ template: templateOf(valid), exchange: earlier }],
    };
  });
}
