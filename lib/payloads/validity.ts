import type { Arbitrary } from 'fast-check';
import type { Contract } from '../contract/contract.ts';
import { asParsed, type Json, type JsonObject, textAt, write } from './json.ts';
import { memoised } from './memoised.ts';
import { ordinaryIds, plantOf } from './plants.ts';
import { sample } from './random.ts';

/** Returns whether a value is a valid NewPlant, with exact numbers; a fresh id counts as an ordinary one. */
export function isValid({ newPlant }: Contract, json: Json): boolean {
  const { first: id } = ordinaryIds(newPlant.shape);
  return newPlant.validate((path) => textAt(json, id, path), asParsed(json, id)).length === 0;
}

export const isPlantText = ({ newPlant }: Pick<Contract, 'newPlant'>, text: string): boolean =>
  newPlant.validate(text, JSON.parse(text)).length === 0;

/**
 * Returns whether a value is invalid even for a store that reads numbers as doubles (RFC 8259 section 6).
 * False if it is too large to send.
 */
export function isInvalid(contract: Contract, json: Json): boolean {
  const { first: id } = ordinaryIds(contract.newPlant.shape);
  const asDoubles = () => undefined;
  if (isValid(contract, json) || contract.newPlant.validate(asDoubles, asParsed(json, id)).length === 0)
    return false;
  return Buffer.byteLength(write(json, id)) <= MAX_SAFE_BYTES;
}

/** Maximum size of an invalid body; leaves room for white space up to 64 KiB. */
const MAX_SAFE_BYTES = 60 * 1024;

const MAX_PAYLOADS = 48;

/**
 * Replaces invalid plants with samples of each of `instead` in turn, and finally with `otherwise`. A schema
 * can express more than a shape, so few samples may be valid, and filtering might never end.
 */
export const onlyValid = (
  contract: Contract,
  plants: Arbitrary<JsonObject>,
  otherwise?: JsonObject,
  instead: readonly Arbitrary<JsonObject>[] = [plants],
): Arbitrary<JsonObject> =>
  plants.map((plant) => {
    if (isValid(contract, plant)) return plant;
    const stream = write(plant, 1n);
    for (let index = 0; index < MAX_PAYLOADS; index += 1) {
      const arbitrary = instead[Math.floor((index * instead.length) / MAX_PAYLOADS)] ?? plants;
      const other = sample(arbitrary, 0, stream, index).value;
      if (isValid(contract, other)) return other;
    }
    return otherwise ?? plant;
  });

/** Samples plain plants. `requireOrdinary` has made sure that there are some. */
export const plainPlants = (contract: Contract, properties: 'all' | 'required'): Arbitrary<JsonObject> =>
  plainOf(contract)[properties];

const plainOf = memoised((contract: Contract) => {
  const { shape } = contract.newPlant;
  const [all, required] = [plantOf(shape, 'plain', 'all'), plantOf(shape, 'plain', 'required')];
  const some = plantOf(shape, 'plain', 'some');
  return {
    all: onlyValid(contract, all, undefined, [all, some, required]),
    required: onlyValid(contract, required, undefined, [required, some, all]),
  };
});
