import type { RequestState } from '../../payloads/model/dimension.ts';
import { ID } from '../../payloads/plants.ts';
import { type Experiments, unlessSpent } from '../experiments.ts';
import type { Investigation } from '../explanation.ts';
import { isRejected } from '../symptom/symptom.ts';
import { isVague, wordsOf } from '../wording/words.ts';
import type { Wording } from './candidates.ts';
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
  carriers: readonly Part[],
  investigation: Investigation,
): Promise<Pick<Conditions, 'conditions' | 'sweeps'>> {
  const role = investigation.experiments.roleOf(state);
  /** What is wrong with the request is what the cause is about: no condition of it. */
  const isWrong = (part: Part) =>
    part.name === 'body' ||
    (neutral !== undefined && investigation.experiments.roleOf(part.copy(neutral, state)) !== 'reject-body');
  const isCarrier = (part: Part) => (role === 'reject-body' && isWrong(part)) || carriers.includes(part);
  const conditions: Wording[] = [];
  const sweeps: SweepResult[] = [];
  for (const part of parts) {
    if (isRejected(role) && isCarrier(part)) continue;
    const bare = neutral === undefined ? state : part.copy(neutral, state);
    // A property stays where it is: its place may matter, too.
    const isReplaced =
      investigation.experiments.contract.newPlant.shape.properties.has(part.name) &&
      state.plant.members.filter(([name]) => name === part.name).length === 1;
    const base = isReplaced ? state : bare;
    const values =
      neutral === undefined ? undefined : valuesFor(part, state, neutral, bare, investigation.experiments);
    const reach =
      values === undefined ? undefined : await sweep(values, base, investigation, role === 'accept');
    if (reach !== undefined) sweeps.push(reach);
    // If it shows with all ids, it is not about their values.
    const isAboutValue = part.name !== ID || reach?.outside !== 0;
    const words = isAboutValue ? reach?.named[0]?.words : undefined;
    const size = neutral === undefined ? undefined : await bySize(reach, state, bare, investigation);
    const isScattered = / other values?$/.test(words?.clause ?? '');
    conditions.push(
      size ??
        (isScattered ? undefined : words) ??
        wordsOf(part, state, investigation.failure, investigation.experiments),
    );
  }
  const isOrder = parts.some(({ name }) => name === 'property order');
  const isKnown = conditions.length > 0 && !conditions.some(isVague);
  const order = isKnown && !isOrder ? await unlessSpent(() => byOrder(state, investigation)) : undefined;
  if (order === undefined) return { conditions, sweeps };
  return {
    conditions: [...conditions, ...order.named.map(({ words }) => words)],
    sweeps: [...sweeps, order],
  };
}

/** The orders of the properties with which the symptom shows, if it does not with all. */
async function byOrder(state: RequestState, investigation: Investigation): Promise<SweepResult | undefined> {
  if (investigation.experiments.roleOf(state) !== 'accept') return undefined;
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
    experiments.roleOf(state) === 'reject-credential' &&
    experiments.roleOf(authorised) === 'reject-body' &&
    experiments.roleOf(repaired) !== 'reject-body'
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
  if (
    reach?.named[0]?.isExact === true &&
    !/longer|there is a|larger body/.test(textOf(reach.named[0].words))
  )
    return undefined;
  const size = await sweep(
    sizeSweep,
    bare,
    investigation,
    investigation.experiments.roleOf(bare) === 'accept',
  );
  return size.inside === 0 ? undefined : size.named[0]?.words;
}

const textOf = ({ clause = '', phrase = '' }: Wording): string => `${clause} ${phrase}`;
