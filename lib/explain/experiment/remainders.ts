import type { ModelRequest } from '../../payloads/model/model-request.ts';
import { ID } from '../../payloads/plants.ts';
import { bodyText } from '../../utf8.ts';
import type { Exchange } from '../../wire/exchange.ts';
import type { Condition } from '../explanation/condition.ts';
import type { Search } from './search.ts';

const WHOLE_ID = new RegExp(`"${ID}"\\s*:\\s*(-?\\d+)(?![\\d.eE])`);

/** Returns the id in a request, if it is written as an integer. */
export function wholeIdIn({ request }: Exchange): bigint | undefined {
  const id = WHOLE_ID.exec(bodyText(request.body))?.[1];
  return id === undefined ? undefined : BigInt(id);
}

export function withRemainder(rest: bigint, modulus: bigint): Condition {
  const remainder =
    modulus === 10n
      ? `ends in the digit ${rest}`
      : `leaves a remainder of ${rest} when divided by ${modulus}`;
  const divided = rest === 0n ? `is divisible by ${modulus}` : remainder;
  const clause = `${ID} ${modulus > 2n ? divided : rest === 0n ? 'is even' : 'is odd'}`;
  return { clause, property: ID, modulus: Number(modulus) };
}

/** Likely numbers of shards, buckets and slots. */
const MODULI = [25, 30, 31, 32, 36, 37, 48, 50, 60, 64, 97, 99, 100, 101, 127, 128, 255, 256, 500, 512]
  .concat([997, 1000, 1024, 2048, 4096, 10_000])
  .map(BigInt);

/** Finds the remainder that makes an id fail, if the divisor is so large that few ids leave it. */
export async function findRareRemainder(
  failing: bigint,
  request: ModelRequest,
  search: Search,
): Promise<Condition | undefined> {
  const shows = async (id: bigint) =>
    (await search.shows({ ...request, plant: request.plant.with(ID, id) })) === true;
  // If its neighbour fails as well, the magnitude of the id probably matters.
  if (await shows(failing + 1n)) return undefined;
  for (const modulus of MODULI) {
    if (!(await shows(failing + modulus))) continue;
    const isEach = (await shows(failing + 3n * modulus)) && (await shows(failing + 7n * modulus));
    return isEach ? withRemainder(failing % modulus, modulus) : undefined;
  }
  return undefined;
}
