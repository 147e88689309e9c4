import type { Arbitrary } from 'fast-check';
import type { Contract } from '../contract/contract.ts';
import type { JsonObject } from '../payloads/json.ts';
import type { Strength } from '../payloads/model/model.ts';
import { sample } from '../payloads/random.ts';
import { plainPlants } from '../payloads/validity.ts';
import type { PlantFactory } from './check.ts';

export const strengthOf = (thorough: boolean): Strength => (thorough ? 3 : 2);

/** Makes the plants of one check. They depend only on the seed of the run and the id of the check. */
export function plantsFor(
  contract: Contract,
  seed: number,
  checkId: string,
  strength: Strength = 2,
): PlantFactory {
  let sampled = 0;
  const one = <T>(arbitrary: Arbitrary<T>): T => {
    sampled += 1;
    return sample(arbitrary, seed, `${checkId}/named`, sampled).value;
  };
  return {
    contract,
    plain: (properties = 'all'): JsonObject => one(plainPlants(contract, properties)),
    sample: one,
    strength,
  };
}
