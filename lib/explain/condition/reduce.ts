import { type ModelRequest, templateOf } from '../../payloads/model/model-request.ts';
import type { Search } from '../experiment/search.ts';
import type { Explanation } from '../explanation/explanation.ts';
import { differences, type RequestPart, withParts } from '../explanation/request-parts.ts';

/** A request that shows the symptom with as few unusual parts as possible, and these parts. */
type Reduced = Pick<Explanation, 'request' | 'parts'>;

/** Finds the parts of a failing request that matter. The ordinary request must not show the symptom. */
export async function reduce(
  failing: ModelRequest,
  ordinary: ModelRequest,
  search: Search,
): Promise<Reduced> {
  const parts = differences(failing, ordinary);
  const atOnce = search.isSlow ? await reducedAtOnce(failing, ordinary, parts, search) : undefined;
  if (atOnce !== undefined) return atOnce;
  // Usually one part suffices, so try single parts first. Requests without the symptom are also answered
  // faster.
  for (const part of parts) {
    const request = part.copy(failing, ordinary);
    if ((await search.shows(request)) === true) return { request, parts: [part] };
  }
  let request = failing;
  let needed: readonly RequestPart[] = parts;
  for (const part of parts) {
    const without = part.copy(ordinary, request);
    if ((await search.shows(without)) !== true) continue;
    request = without;
    needed = needed.filter((one) => one !== part);
  }
  return { request, parts: needed };
}

/** Like `reduce`, but leaves each part out at the same time; undefined if the needed ones do not suffice. */
async function reducedAtOnce(
  failing: ModelRequest,
  ordinary: ModelRequest,
  parts: readonly RequestPart[],
  search: Search,
): Promise<Reduced | undefined> {
  const without = (part: RequestPart) => part.copy(ordinary, failing);
  const exchanges = await search.experiments.sendConcurrently(parts.map(without).map(templateOf));
  const needed = parts.filter((part, index) => {
    const exchange = exchanges[index];
    return exchange === undefined || search.isShown(exchange, without(part)) !== true;
  });
  const request = withParts(needed, failing, ordinary);
  const suffices = needed.length > 0 && (await search.shows(request)) === true;
  return suffices ? { request, parts: needed } : undefined;
}
