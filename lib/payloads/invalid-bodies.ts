import type { Contract } from '../contract/contract.ts';
import { defectsOf, mustBeRejected } from './defects.ts';
import type { JsonObject } from './json.ts';
import { notJson } from './malformed.ts';
import type { Body } from './test-case.ts';
import { isInvalid } from './validity.ts';

interface InvalidBody {
  readonly name: string;
  /** Makes the body from a valid plant; undefined if that is impossible. */
  readonly madeOf: (plant: JsonObject) => Body | undefined;
}

export const defectiveBodies = (contract: Contract): readonly (InvalidBody & { readonly kind: string })[] =>
  defectsOf(contract.newPlant.shape)
    .filter(mustBeRejected)
    .map(({ name, kind, typical }) => ({
      name,
      kind,
      madeOf(plant) {
        const json = typical(plant).find((one) => isInvalid(contract, one));
        return json === undefined ? undefined : { json };
      },
    }));

export const malformedBodies: readonly InvalidBody[] = notJson.map(({ name, apply }) => ({
  name,
  madeOf: (plant) => ({ json: plant, edit: apply }),
}));
