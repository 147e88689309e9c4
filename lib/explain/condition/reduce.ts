import type { RequestState } from '../../payloads/model/dimension.ts';
import type { Investigation } from '../explanation.ts';
import { differences, type Part } from './parts.ts';

/** A request with as few differences from an ordinary one as show the symptom. */
export interface Reduced {
  readonly state: RequestState;
  /** The parts that have to be as they are. */
  readonly parts: readonly Part[];
}

/**
 * Finds out which parts of a request matter.
 * @param failing shows the symptom
 * @param ordinary does not
 * @throws BudgetSpent
 */
export async function reduce(
  failing: RequestState,
  ordinary: RequestState,
  investigation: Investigation,
): Promise<Reduced> {
  const parts = differences(failing, ordinary);
  // One part is usually enough, and a request without the symptom is answered faster.
  for (const part of parts) {
    const state = part.copy(failing, ordinary);
    if ((await investigation.shows(state)) === true) return { state, parts: [part] };
  }
  let state = failing;
  let needed: readonly Part[] = parts;
  for (const part of parts) {
    const without = part.copy(ordinary, state);
    if ((await investigation.shows(without)) !== true) continue;
    state = without;
    needed = needed.filter((one) => one !== part);
  }
  return { state, parts: needed };
}
