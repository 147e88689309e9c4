import type { Arbitrary } from 'fast-check';
import type { Contract } from '../contract/contract.ts';
import { type Json, type JsonObject, write } from './json.ts';
import { ordinaryIds, plantOf } from './plants.ts';
import { draw } from './random.ts';
import { remembered } from './remembered.ts';

/** Whether a value is a NewPlant of the document, to the last digit; with an ordinary id for a fresh one. */
export function admits({ newPlant }: Contract, json: Json): boolean {
  return isPlantText({ newPlant }, write(json, ordinaryIds(newPlant.shape).first));
}

/** Whether the text of a JSON value is that of a NewPlant. */
export const isPlantText = ({ newPlant }: Pick<Contract, 'newPlant'>, text: string): boolean =>
  newPlant.validate(text, JSON.parse(text)).length === 0;

/**
 * Whether a value is no NewPlant, and is none either for a store that reads numbers as doubles: RFC 8259 section 6
 * lets it lose what they cannot hold. What is too large to be sent is none of these.
 */
export function isMalformed(contract: Contract, json: Json): boolean {
  const text = write(json, ordinaryIds(contract.newPlant.shape).first);
  if (isPlantText(contract, text) || Buffer.byteLength(text) > LARGEST) return false;
  return !isPlantText(contract, JSON.stringify(JSON.parse(text)));
}

/** Bytes of a body that any store has to refuse soundly, with room for white space. */
const LARGEST = 60 * 1024;

/** How often another plant is drawn in the place of one that the document does not admit. */
const TRIES = 48;

/**
 * The plants that are NewPlants of the document. What a schema says beyond shapes may leave few of an arbitrary or
 * none, and a filter would then look for ever: in the place of the others stands one that is drawn from `instead`,
 * in turn, and in the end `otherwise`.
 */
export const onlyAdmitted = (
  contract: Contract,
  plants: Arbitrary<JsonObject>,
  otherwise?: JsonObject,
  instead: readonly Arbitrary<JsonObject>[] = [plants],
): Arbitrary<JsonObject> =>
  plants.map((plant) => {
    if (admits(contract, plant)) return plant;
    const stream = write(plant, 1n);
    for (let index = 0; index < TRIES; index += 1) {
      const arbitrary = instead[Math.floor((index * instead.length) / TRIES)] ?? plants;
      const other = draw(arbitrary, 0, stream, index).value;
      if (admits(contract, other)) return other;
    }
    return otherwise ?? plant;
  });

/**
 * Plants of which nothing is the point, with every declared property or the required ones, as far as the document
 * admits that. Whether any could be made, requireOrdinary has found out.
 */
export const plainPlants = (contract: Contract, properties: 'all' | 'required'): Arbitrary<JsonObject> =>
  plainOf(contract)[properties];

const plainOf = remembered((contract: Contract) => {
  const { shape } = contract.newPlant;
  const [all, required] = [plantOf(shape, 'plain', 'all'), plantOf(shape, 'plain', 'required')];
  const some = plantOf(shape, 'plain', 'some');
  return {
    all: onlyAdmitted(contract, all, undefined, [all, some, required]),
    required: onlyAdmitted(contract, required, undefined, [required, some, all]),
  };
});
