import type { RequestState } from '../../payloads/model/dimension.ts';
import { ID } from '../../payloads/plants.ts';
import { type Experiments, unlessSpent } from '../experiments.ts';
import type { Investigation } from '../investigation.ts';
import { mustReject } from '../symptom/expected-outcome.ts';
import { areVague, type Wording } from '../wording/wording.ts';
import { wordsOf } from '../wording/words.ts';
import type { Part } from './parts.ts';
import { reduce } from './reduce.ts';
import { type SweepResult, sweep } from './sweep.ts';
import { sweepOf } from './sweep-of.ts';
import { defectSweep } from './sweeps/defects.ts';
import { orderSweep } from './sweeps/order.ts';
import { sizeSweep } from './sweeps/sizes.ts';

export interface Conditions {
  readonly conditions: readonly Wording[];
  readonly sweeps: readonly SweepResult[];
  readonly parts: readonly Part[];
  readonly neutral: RequestState | undefined;
}

export const UNCONDITIONAL: Conditions = { conditions: [], sweeps: [], parts: [], neutral: undefined };

/** What else has to be the case: some requests that differ only in the plant may not show the symptom. */
export async function conditionsAmong(
  state: RequestState,
  others: readonly RequestState[],
  investigation: Investigation,
): Promise<Conditions> {
  for (const other of others) {
    if ((await investigation.shows(other)) !== false) continue;
    if ((await investigation.shows(other)) !== false || (await investigation.shows(state)) !== true)
      return UNCONDITIONAL;
    const { state: reduced, parts } = await reduce(state, other, investigation);
    return {
      ...(await conditionsOf(reduced, parts, other, [], investigation)),
      parts,
      neutral: other,
    };
  }
  return UNCONDITIONAL;
}

/** How far each part that matters reaches. */
export async function conditionsOf(
  state: RequestState,
  parts: readonly Part[],
  neutral: RequestState | undefined,
  faultParts: readonly Part[],
  investigation: Investigation,
): Promise<Pick<Conditions, 'conditions' | 'sweeps'>> {
  const expected = investigation.experiments.expectedOutcomeOf(state);
  /** What is wrong with the request is what the cause is about: no condition of it. */
  const isWrong = (part: Part) =>
    part.name === 'body' ||
    (neutral !== undefined &&
      investigation.experiments.expectedOutcomeOf(part.copy(neutral, state)) !== 'reject-body');
  const isCarrier = (part: Part) =>
    (expected === 'reject-body' && isWrong(part)) || faultParts.includes(part);
  const conditions: Wording[] = [];
  const sweeps: SweepResult[] = [];
  for (const part of parts) {
    if (mustReject(expected) && isCarrier(part)) continue;
    const bare = neutral === undefined ? state : part.copy(neutral, state);
    // A property stays where it is: its place may matter, too.
    const isProperty = investigation.experiments.contract.newPlant.shape.properties.has(part.name);
    const isReplaced = isProperty && state.plant.members.filter(([name]) => name === part.name).length === 1;
    const base = isReplaced ? state : bare;
    const values =
      neutral === undefined ? undefined : valuesFor(part, state, neutral, bare, investigation.experiments);
    // What is known is said even if there is no time to find out how far it reaches.
    const reach =
      values && (await unlessSpent(() => sweep(values, base, investigation, expected === 'accept')));
    if (reach !== undefined) sweeps.push(reach);
    // If it shows with all ids, it is not about their values.
    const isAboutValue = part.name !== ID || reach?.outside !== 0;
    const words = isAboutValue ? reach?.named[0]?.words : undefined;
    const size = neutral && (await unlessSpent(() => bySize(reach, state, bare, investigation)));
    const named =
      size ??
      // Of a property some of the values say more than the one of the failing request.
      (words?.isPartial === true && !isProperty ? undefined : words) ??
      wordsOf(part, state, investigation.failure, investigation.experiments);
    conditions.push({ ...named, part: part.name });
  }
  const isOrder = parts.some(({ name }) => name === 'property order');
  const isKnown = conditions.length > 0 && !areVague(conditions);
  const order = isKnown && !isOrder ? await unlessSpent(() => byOrder(state, investigation)) : undefined;
  if (order === undefined) return { conditions, sweeps };
  return {
    conditions: [...conditions, ...order.named.map(({ words }) => words)],
    sweeps: [...sweeps, order],
  };
}

/** The orders of the properties with which the symptom shows, if it does not with all. */
async function byOrder(state: RequestState, investigation: Investigation): Promise<SweepResult | undefined> {
  if (investigation.experiments.expectedOutcomeOf(state) !== 'accept') return undefined;
  const reach = await sweep(orderSweep(state.plant), state, investigation, true);
  const [only, ...others] = reach.named;
  return reach.outside > 0 && others.length === 0 && only?.isExact === true ? reach : undefined;
}

/** Values to try for a part. Without a valid token, what is wrong with the body is a condition like any other. */
function valuesFor(
  part: Part,
  state: RequestState,
  neutral: RequestState,
  bare: RequestState,
  experiments: Experiments,
) {
  const { credential: _, ...authorised } = state;
  const { credential: __, ...repaired } = bare;
  if (
    experiments.expectedOutcomeOf(state) === 'reject-credential' &&
    experiments.expectedOutcomeOf(authorised) === 'reject-body' &&
    experiments.expectedOutcomeOf(repaired) !== 'reject-body'
  )
    return defectSweep(experiments.contract, neutral.plant);
  return sweepOf(part, state, neutral, experiments);
}

/** If a request is larger with a part than without it, its size may be what matters. */
async function bySize(
  reach: SweepResult | undefined,
  state: RequestState,
  bare: RequestState,
  investigation: Investigation,
): Promise<Wording | undefined> {
  if (investigation.experiments.sizeOf(state) <= investigation.experiments.sizeOf(bare)) return undefined;
  const [known] = reach?.named ?? [];
  if (known?.isExact === true && known.words.isLarger !== true) return undefined;
  const size = await sweep(
    sizeSweep,
    bare,
    investigation,
    investigation.experiments.expectedOutcomeOf(bare) === 'accept',
  );
  return size.inside === 0 ? undefined : size.named[0]?.words;
}
