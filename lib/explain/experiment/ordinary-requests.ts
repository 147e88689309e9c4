import type { Contract } from '../../contract/contract.ts';
import { freshId, withWords } from '../../payloads/fresh.ts';
import { type Json, JsonObject, write } from '../../payloads/json.ts';
import { memoised } from '../../payloads/memoised.ts';
import { initialRequest, type ModelRequest } from '../../payloads/model/model-request.ts';
import { ID } from '../../payloads/plants.ts';
import { sample } from '../../payloads/random.ts';
import { isValid, plainPlants } from '../../payloads/validity.ts';

/** Returns ordinary requests that differ in all ways in which ordinary plants may, the plainest first. */
export const ordinaryRequests = memoised((contract: Contract): readonly [ModelRequest, ...ModelRequest[]] => {
  const plain = (properties: 'all' | 'required', index: number): JsonObject =>
    sample(plainPlants(contract, properties), 0, 'explain', index).value;
  const set = (plant: JsonObject, values: Readonly<Record<string, Json>>): JsonObject =>
    Object.entries(values).reduce(
      (own, [name, value]) => (own.get(name) === undefined ? own : own.with(name, value)),
      plant,
    );
  // A new tag in each request: the store may remember the tags that it has seen.
  const all = set(plain('all', 0), { tag: withWords((word) => word(18)) });
  const required = plain('required', 1);
  // Both odd and even ids, so that a fault that depends on the last bit shows in every round. The ids of a
  // plant all have the same number of digits and of bits, so that a fault that depends on these numbers shows
  // each time, or never.
  const odd = freshId(2n ** 28n + 1n, 2n ** 29n, 2n);
  const candidates = [
    set(all, { [ID]: odd }),
    set(required, { [ID]: odd }),
    set(all, { [ID]: freshId(2n ** 30n + 1n, 2n ** 31n, 2n), name: withWords((word) => `A${word(39)}`) }),
    set(required, { [ID]: freshId(2n ** 22n, 2n ** 23n, 2n), name: withWords((word) => word(3)) }),
    set(all, { [ID]: freshId(2n ** 24n + 1n, 2n ** 25n, 2n), tag: withWords((word) => word(19)) }),
    set(required, { [ID]: odd, name: withWords((word) => `A${word(5)} ${word(6)}`) }),
    new JsonObject([...set(all, { [ID]: odd }).members].reverse()),
  ];
  const [first = all, ...others] = candidates.filter((plant) => isValid(contract, plant));
  return [initialRequest(first), ...others.map(initialRequest)];
});

/** Returns whether each request with this plant gets a new id. */
export function hasFreshId({ plant }: ModelRequest): boolean {
  const id = plant.get(ID);
  return id === undefined || write(id, 1n) !== write(id, 2n);
}
