import type { Contract } from '../../contract/contract.ts';
import { freshId, withWords } from '../../payloads/fresh.ts';
import type { Json } from '../../payloads/json.ts';
import { type ModelRequest, templateOf } from '../../payloads/model/model-request.ts';
import { ID } from '../../payloads/plants.ts';
import { isValid } from '../../payloads/validity.ts';
import type { Finder } from '../experiment/search.ts';
import { shownAfterOthers } from '../explanation/explanation.ts';
import { COMPARISONS, precededBy, shownOnlyBy } from './sequence-probe.ts';

/** Three values of a property in ascending order, each fresh whenever it is sent. */
interface Ascending {
  readonly property: string;
  readonly values: readonly [small: Json, middle: Json, large: Json];
  /** Words a preceding plant with the larger value, and one with the smaller value. */
  readonly larger: string;
  readonly smaller: string;
}

/** Finds whether a plant fails because of how its id, or a text, compares with that of the previous plant. */
export const tryComparedWithBefore: Finder = async (request, search) => {
  for (const { property, values, larger, smaller } of ascending(request, search.contract)) {
    const [small, middle, large] = values;
    const template = templateOf({ ...request, plant: request.plant.with(property, middle) });
    const after = (value: Json): ModelRequest =>
      precededBy({ ...request, plant: request.plant.with(property, value) }, template, 'other');
    const pairs = [
      { failing: after(small), passing: after(large), before: larger },
      { failing: after(large), passing: after(small), before: smaller },
    ];
    for (const { failing, passing, before } of pairs) {
      const exchange = await shownOnlyBy(failing, passing, (one) => search.failingExchange(one));
      const condition = { phrase: `after a plant with ${before}`, property, part: 'earlier requests' };
      if (exchange !== undefined) return shownAfterOthers(failing, exchange, [condition], COMPARISONS);
    }
  }
  return undefined;
};

/** A fresh text. The lengths used below differ by more than those of sampled texts. */
const text = (length: number) => withWords((word) => word(length));

function ascending({ plant }: ModelRequest, contract: Contract): readonly Ascending[] {
  const ids: Ascending = {
    property: ID,
    values: [freshId(2n ** 20n, 2n ** 30n), freshId(2n ** 32n, 2n ** 36n), freshId(2n ** 40n, 2n ** 50n)],
    larger: `a higher ${ID}`,
    smaller: `a lower ${ID}`,
  };
  const texts = [...contract.newPlant.shape.properties.keys()].map(
    (property): Ascending => ({
      property,
      values: [text(8), text(16), text(32)],
      larger: `a longer ${property}`,
      smaller: `a shorter ${property}`,
    }),
  );
  return [ids, ...texts].filter(
    ({ property, values }) =>
      plant.get(property) !== undefined &&
      values.every((value) => isValid(contract, plant.with(property, value))),
  );
}
