import { stringsOf } from '../../contract/shape.ts';
import { membersOf } from '../../members.ts';
import { withWords } from '../../payloads/fresh.ts';
import { write } from '../../payloads/json.ts';
import type { ModelRequest } from '../../payloads/model/model-request.ts';
import { bodyText } from '../../utf8.ts';
import { REPEATS, type Search } from '../experiment/search.ts';
import type { SweepResult } from '../experiment/sweep.ts';
import { type Explanation, shownAfterOthers } from '../explanation/explanation.ts';
import type { RequestPart } from '../explanation/request-parts.ts';

/** Most stores that limit how many plants have the same value, or that run out of room for them, allow fewer. */
const MAX_WITH_SAME_VALUE = 120;

/**
 * Finds whether a plant fails only because many earlier ones had the same text: a value that is new to the
 * store fails, too, once enough plants have had it.
 *
 * @param swept the values that fail; if any of them is new in each request, the text itself matters
 */
export async function explainBySameValue(
  request: ModelRequest,
  { name }: RequestPart,
  neutral: ModelRequest | undefined,
  { shown }: SweepResult,
  search: Search,
): Promise<Explanation | undefined> {
  if (search.isSlow || shown.length === 0 || !stringsOf(search.contract.newPlant.shape).includes(name))
    return undefined;
  const valueIn = ({ plant }: ModelRequest, id: bigint) => write(plant.get(name) ?? null, id);
  const isNewEachTime = (one: ModelRequest) => valueIn(one, 1n) !== valueIn(one, 2n);
  if (shown.some((candidate) => isNewEachTime(candidate.apply(request)))) return undefined;
  const withNewValue = {
    ...request,
    plant: request.plant.with(
      name,
      withWords((word) => word(9)),
    ),
  };
  const first = await search.send(withNewValue);
  const value = membersOf(bodyText(first.request.body))[name];
  if (typeof value !== 'string' || search.isShown(first, withNewValue) !== false) return undefined;
  const withSameValue = { ...request, plant: request.plant.with(name, value) };
  for (let earlier = 1; earlier <= MAX_WITH_SAME_VALUE; earlier += 1) {
    const exchange = await search.failingExchange(withSameValue);
    if (exchange === undefined) continue;
    // From then on, each plant with this value fails, and one with a new value does not.
    const isConfirmed =
      (await search.showsEachTime(withSameValue, REPEATS)) && (await search.shows(withNewValue)) === false;
    if (!isConfirmed) return undefined;
    const phrase =
      earlier === 1
        ? `if an earlier plant had the same ${name}`
        : `after ${earlier} plants with the same ${name}`;
    return {
      ...shownAfterOthers(withSameValue, exchange, [{ phrase, property: name, part: name }], REPEATS),
      outside: [0, earlier],
      neutral,
      repeat: { times: earlier + 1, inFlight: 1 },
    };
  }
  return undefined;
}
