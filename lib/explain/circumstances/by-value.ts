import { Raw } from '../../payloads/json.ts';
import type { ModelRequest } from '../../payloads/model/model-request.ts';
import { ID } from '../../payloads/plants.ts';
import { isValid } from '../../payloads/validity.ts';
import type { Exchange } from '../../wire/exchange.ts';
import { withinBudget } from '../experiment/experiments.ts';
import { findRareRemainder, withRemainder } from '../experiment/remainders.ts';
import type { Search } from '../experiment/search.ts';
import { sweep } from '../experiment/sweep.ts';
import { type Condition, thereIs, thereIsNo } from '../explanation/condition.ts';
import { bareExplanation, type Explanation, withFixedId } from '../explanation/explanation.ts';
import { idSweep } from '../values/ids.ts';

/** When to try the failing id (true): irregular, so that the order of requests cannot be the reason. */
const BAD_OR_GOOD = [true, false, false, true, true, false, true, true, false, false, false, true];

/** Finds whether the values of the failing exchange always fail, and those of the passing one never do. */
export async function explainByValue(
  request: ModelRequest,
  failing: Exchange,
  passing: Exchange,
  search: Search,
): Promise<Explanation | undefined> {
  const [bad, good] = [failing.request.freshId, passing.request.freshId];
  if (bad === undefined || good === undefined) return undefined;
  for (const isBad of BAD_OR_GOOD)
    if (((await search.shows(withFixedId(request, isBad ? bad : good))) === true) !== isBad) return undefined;
  const tried: TriedId[] = [];
  for (const first of [bad, good].flatMap((id) => idOfRequest(withFixedId(request, id)) ?? []))
    for (let offset = 0n; offset < NEIGHBOUR_IDS; offset += 1n) {
      const id = first + offset;
      const plant = withFixedId(request, good).plant.with(ID, id);
      tried.push({ id, shows: (await search.shows({ ...request, plant })) === true });
    }
  const found = aboutIds(tried) ?? (await aboutRareIds(tried, request, search));
  const small = found && (await withDigitAnywhere(found, tried, request, search));
  const reach =
    small === undefined ? await sweep(idSweep, withFixedId(request, good), search, true) : undefined;
  const { condition, example }: AboutIds = small ?? {
    condition: reach?.named[0]?.condition ?? { phrase: 'with some names or ids', isVague: true },
  };
  const known = withFixedId(request, bad);
  const failingRequest = example === undefined ? known : { ...known, plant: known.plant.with(ID, example) };
  const presences = await withinBudget(() =>
    requiredPresences(failingRequest, search, async (other) => (await search.shows(other)) === true),
  );
  const exchange = await search.send(failingRequest);
  const ladder = reach?.ladder ?? {
    part: ID,
    tried: tried.map(({ id, shows }) => ({ value: String(id), shows })),
  };
  const all = [...BAD_OR_GOOD, ...ladder.tried.map(({ shows }) => shows)];
  const shown = all.filter((shows) => shows).length;
  return {
    ...bareExplanation(failingRequest, exchange),
    conditions: [condition, ...(presences ?? []).map(presenceCondition)],
    inside: [shown, shown],
    outside: [0, all.length - shown],
    ladders: [ladder],
  };
}

interface TriedId {
  readonly id: bigint;
  readonly shows: boolean;
}

/** Number of consecutive ids to try, and therefore the largest divisor that they can reveal. */
const NEIGHBOUR_IDS = 24n;

/** The id of a plant if it is written as a plain integer, not as `1.0` or `1e3`. */
function idOfRequest({ plant }: ModelRequest): bigint | undefined {
  const id = plant.get(ID);
  if (!(id instanceof Raw)) return typeof id === 'bigint' ? id : undefined;
  const numeral = id.written(0n);
  return /^-?\d+$/.test(numeral) ? BigInt(numeral) : undefined;
}

interface AboutIds {
  readonly condition: Condition;
  /** An id that fails; by default the one that failed first. */
  readonly example?: bigint | undefined;
}

/** Finds the remainder that decides if only one of the ids failed, so that the divisor must be large. */
async function aboutRareIds(
  tried: readonly TriedId[],
  request: ModelRequest,
  search: Search,
): Promise<AboutIds | undefined> {
  const [failing, ...others] = tried.filter(({ shows }) => shows).map(({ id }) => id);
  if (failing === undefined || others.length > 0) return undefined;
  const condition = await findRareRemainder(failing, request, search);
  return condition && { condition };
}

/** Finds what the failing ids have in common and the passing ones do not: a remainder, or a digit. */
function aboutIds(tried: readonly TriedId[]): AboutIds | undefined {
  const decides = (has: (id: bigint) => boolean) => tried.every(({ id, shows }) => shows === has(id));
  const shown = tried.filter(({ shows }) => shows).map(({ id }) => id);
  const [first] = shown;
  for (let modulus = 2n; first !== undefined && modulus <= NEIGHBOUR_IDS; modulus += 1n) {
    const rest = first % modulus;
    if (decides((id) => id % modulus === rest)) return { condition: withRemainder(rest, modulus) };
  }
  const digit = [...'0123456789'].find((one) => decides((id) => `${id}`.includes(one)));
  const example = shown.find((id) => `${id}`.at(-1) === digit);
  return digit === undefined || example === undefined ? undefined : withDigit(digit, example);
}

const withDigit = (digit: string, example: bigint | undefined): AboutIds => ({
  condition: { clause: `${ID} contains the digit ${digit}`, property: ID, modulus: 10 },
  example,
});

/** If the last digit seems to decide, tries whether an id fails with that digit in another place. */
async function withDigitAnywhere(
  found: AboutIds,
  tried: readonly TriedId[],
  request: ModelRequest,
  search: Search,
): Promise<AboutIds> {
  const digit = `${tried.find(({ shows }) => shows)?.id ?? ''}`.at(-1);
  const passing = tried.find(({ id, shows }) => !shows && id > 0n)?.id;
  if (found.condition.modulus !== 10 || digit === undefined || passing === undefined) return found;
  const [first = '', _, ...others] = `${passing}`;
  const plant = request.plant.with(ID, BigInt([first, digit, ...others].join('')));
  return (await search.shows({ ...request, plant })) === true ? withDigit(digit, found.example) : found;
}

/** An optional property that must be present, or absent, for the symptom to show. */
interface Presence {
  readonly name: string;
  readonly isPresent: boolean;
}

export const presenceCondition = ({ name, isPresent }: Presence): Condition =>
  isPresent ? thereIs(name) : thereIsNo(name);

/**
 * Finds which optional properties matter to an intermittent symptom.
 *
 * @param shows sends a request as often as it takes to see the symptom
 */
export async function requiredPresences(
  request: ModelRequest,
  { contract, ordinary }: Search,
  shows: (request: ModelRequest) => Promise<boolean>,
): Promise<readonly Presence[]> {
  const { properties, required } = contract.newPlant.shape;
  const found: Presence[] = [];
  for (const name of properties.keys()) {
    const isPresent = request.plant.get(name) !== undefined;
    const value = ordinary.plant.get(name);
    if (required.has(name) || (!isPresent && value === undefined)) continue;
    const plant =
      isPresent || value === undefined ? request.plant.without(name) : request.plant.with(name, value);
    if (isValid(contract, plant) && !(await shows({ ...request, plant }))) found.push({ name, isPresent });
  }
  return found;
}
