import type { Arbitrary } from 'fast-check';
import type { Contract } from '../contract/contract.ts';
import { type Json, type JsonObject, write } from './json.ts';
import { ordinaryIds } from './plants.ts';

/** Whether a value is a NewPlant of the document, to the last digit; with an ordinary id for a fresh one. */
export function admits({ newPlant }: Contract, json: Json): boolean {
  const text = write(json, ordinaryIds(newPlant.shape).first);
  return newPlant.validate(text, JSON.parse(text)).length === 0;
}

/**
 * The plants that are NewPlants of the document, with `otherwise` in the place of the others: what a schema
 * says beyond shapes may leave none of an arbitrary, and a filter would then look for ever.
 */
export const onlyAdmitted = (
  contract: Contract,
  plants: Arbitrary<JsonObject>,
  otherwise: JsonObject,
): Arbitrary<JsonObject> => plants.map((plant) => (admits(contract, plant) ? plant : otherwise));
