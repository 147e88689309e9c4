import type { RequestState } from '../../payloads/model/dimension.ts';
import { isValid } from '../../payloads/validity.ts';
import type { Search } from '../search.ts';
import { type Wording, withArticle } from '../wording/wording.ts';

/** An optional property that has to be there, or absent, for a symptom to show. */
export interface Presence {
  readonly name: string;
  readonly isPresent: boolean;
}

export const presenceClause = ({ name, isPresent }: Presence): Wording => ({
  clause: `there is ${isPresent ? withArticle(name) : `no ${name}`}`,
  property: name,
});

/**
 * Which optional properties matter to a symptom that does not show each time.
 * @param shows sends a request as often as it takes to see the symptom
 */
export async function presencesOf(
  state: RequestState,
  { contract, ordinary }: Search,
  shows: (state: RequestState) => Promise<boolean>,
): Promise<readonly Presence[]> {
  const { properties, required } = contract.newPlant.shape;
  const found: Presence[] = [];
  for (const name of properties.keys()) {
    const isPresent = state.plant.get(name) !== undefined;
    const value = ordinary.plant.get(name);
    if (required.has(name) || (!isPresent && value === undefined)) continue;
    const plant =
      isPresent || value === undefined ? state.plant.without(name) : state.plant.with(name, value);
    if (isValid(contract, plant) && !(await shows({ ...state, plant }))) found.push({ name, isPresent });
  }
  return found;
}
