import type { Contract } from '../contract/contract.ts';
import { DocumentError } from '../contract/document.ts';
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
