import type { Arbitrary } from 'fast-check';
import type { Contract } from '../contract/contract.ts';
import { plainPlants } from '../payloads/admits.ts';
import type { JsonObject } from '../payloads/json.ts';
import type { Strength } from '../payloads/model/model.ts';
import { draw } from '../payloads/random.ts';
import type { Plants } from './check.ts';

/** How many dimensions are combined in every way. */
export const strengthOf = (thorough = false): Strength => (thorough ? 3 : 2);

/** The plants of one check: they follow from the seed of the run and the id of the check alone. */
export function plantsFor(contract: Contract, seed: number, checkId: string, strength: Strength = 2): Plants {
  let drawn = 0;
  const one = <T>(arbitrary: Arbitrary<T>): T => {
    drawn += 1;
    return draw(arbitrary, seed, `${checkId}/named`, drawn).value;
  };
  return {
    contract,
    plain: (properties = 'all'): JsonObject => one(plainPlants(contract, properties)),
    draw: one,
    strength,
  };
}
