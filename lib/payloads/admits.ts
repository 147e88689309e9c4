import type { Contract } from '../contract/contract.ts';
import { type Json, write } from './json.ts';

/** Whether a value is a NewPlant of the document, to the last digit. Any id in the place of a fresh one will do. */
export function admits({ newPlant }: Contract, json: Json, id = 1_234_567n): boolean {
  const text = write(json, id);
  return newPlant.validate(text, JSON.parse(text)).length === 0;
}
