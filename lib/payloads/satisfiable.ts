import type { Contract } from '../contract/contract.ts';
import { DocumentError } from '../contract/document.ts';
import type { Shape } from '../contract/schema.ts';
import { admits } from './admits.ts';
import { write } from './json.ts';
import { ordinaryIds, plantOf } from './plants.ts';
import { draw } from './random.ts';

/**
 * Every verdict rests on plants that any store takes: makes sure that there are some.
 * @throws DocumentError when the schema says more than plants can be made from
 */
export function requireOrdinary(contract: Contract): void {
  const { shape } = contract.newPlant;
  requireSmall(contract, shape, 'NewPlant');
  for (let index = 0; index < 8; index += 1) {
    const plant = draw(
      plantOf(shape, 'plain', index % 2 === 0 ? 'all' : 'required'),
      0,
      'document',
      index,
    ).value;
    if (admits(contract, plant)) continue;
    const text = write(plant, ordinaryIds(shape).first);
    throw new DocumentError(
      contract.document.file,
      undefined,
      `no ordinary NewPlant could be made from its schema: ${text} is none`,
    );
  }
}

/** Characters of a string, and items of a list, beyond which the smallest plant is larger than a store has to take. */
const [LONGEST, MOST] = [32 * 1024, 1024];

function requireSmall(contract: Contract, shape: Shape, place: string): void {
  const { text, minItems, properties, items, types } = shape;
  const problem =
    types.includes('string') && text.min > LONGEST
      ? `has at least ${text.min} characters`
      : types.includes('array') && minItems > MOST
        ? `has at least ${minItems} items`
        : undefined;
  if (problem !== undefined)
    throw new DocumentError(
      contract.document.file,
      undefined,
      `no ordinary NewPlant could be made from its schema: ${place} ${problem}, and requests of the suite have 64 KiB at most`,
    );
  for (const [name, property] of properties) requireSmall(contract, property, `${place} > ${name}`);
  if (items !== undefined && minItems > 0) requireSmall(contract, items, `${place} > items`);
}
