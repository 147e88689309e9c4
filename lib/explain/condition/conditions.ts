import type { RequestState } from '../../payloads/model/dimension.ts';
import { ID } from '../../payloads/plants.ts';
import type { Inquiry } from '../found.ts';
import { type Lab, unlessSpent } from '../lab.ts';
import { isRejected } from '../symptom/symptom.ts';
import { isVague, wordsOf } from '../wording/words.ts';
import type { Words } from './candidates.ts';
import type { Part } from './parts.ts';
import { reduce } from './reduce.ts';
import { type Reach, sweep } from './sweep.ts';
import { sweepOf } from './sweep-of.ts';
import { defectSweep } from './sweeps/defects.ts';
import { orderSweep } from './sweeps/order.ts';
import { sizeSweep } from './sweeps/sizes.ts';

export interface Conditions {
  readonly conditions: readonly Words[];
  readonly reaches: readonly Reach[];
  readonly parts: readonly Part[];
  readonly neutral: RequestState | undefined;
}

export const UNCONDITIONAL: Conditions = { conditions: [], reaches: [], parts: [], neutral: undefined };

/** What else has to be the case: some requests that differ only in the plant may not show the symptom. */
export async function conditionsAmong(
  state: RequestState,
  others: readonly RequestState[],
  inquiry: Inquiry,
): Promise<Conditions> {
  for (const other of others) {
    if ((await inquiry.shows(other)) !== false) continue;
    if ((await inquiry.shows(other)) !== false || (await inquiry.shows(state)) !== true) return UNCONDITIONAL;
    const { state: reduced, parts } = await reduce(state, other, inquiry);
    return {
      ...(await conditionsOf(reduced, parts, other, [], inquiry)),
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
  inquiry: Inquiry,
): Promise<Pick<Conditions, 'conditions' | 'reaches'>> {
  const role = inquiry.lab.roleOf(state);
  /** What is wrong with the request is what the cause is about: no condition of it. */
  const isWrong = (part: Part) =>
    part.name === 'body' ||
    (neutral !== undefined && inquiry.lab.roleOf(part.copy(neutral, state)) !== 'reject-body');
  const isCarrier = (part: Part) => (role === 'reject-body' && isWrong(part)) || carriers.includes(part);
  const conditions: Words[] = [];
  const reaches: Reach[] = [];
  for (const part of parts) {
    if (isRejected(role) && isCarrier(part)) continue;
    const bare = neutral === undefined ? state : part.copy(neutral, state);
    // A property stays where it is: its place may matter, too.
    const isReplaced =
      inquiry.lab.contract.newPlant.shape.properties.has(part.name) &&
      state.plant.members.filter(([name]) => name === part.name).length === 1;
    const base = isReplaced ? state : bare;
    const values = neutral === undefined ? undefined : valuesFor(part, state, neutral, bare, inquiry.lab);
    const reach = values === undefined ? undefined : await sweep(values, base, inquiry, role === 'accept');
    if (reach !== undefined) reaches.push(reach);
    // If it shows with all ids, it is not about their values.
    const isAboutValue = part.name !== ID || reach?.outside !== 0;
    const words = isAboutValue ? reach?.named[0]?.words : undefined;
    const size = neutral === undefined ? undefined : await bySize(reach, state, bare, inquiry);
    const isScattered = / other values?$/.test(words?.clause ?? '');
    conditions.push(
      size ?? (isScattered ? undefined : words) ?? wordsOf(part, state, inquiry.failure, inquiry.lab),
    );
  }
  const isOrder = parts.some(({ name }) => name === 'property order');
  const isKnown = conditions.length > 0 && !conditions.some(isVague);
  const order = isKnown && !isOrder ? await unlessSpent(() => byOrder(state, inquiry)) : undefined;
  if (order === undefined) return { conditions, reaches };
  return {
    conditions: [...conditions, ...order.named.map(({ words }) => words)],
    reaches: [...reaches, order],
  };
}

/** The orders of the properties with which the symptom shows, if it does not with all. */
async function byOrder(state: RequestState, inquiry: Inquiry): Promise<Reach | undefined> {
  if (inquiry.lab.roleOf(state) !== 'accept') return undefined;
  const reach = await sweep(orderSweep(state.plant), state, inquiry, true);
  const [only, ...others] = reach.named;
  return reach.outside > 0 && others.length === 0 && only?.isExact === true ? reach : undefined;
}

/** Values to try for a part. Without a valid token, what is wrong with the body is a condition like any other. */
function valuesFor(part: Part, state: RequestState, neutral: RequestState, bare: RequestState, lab: Lab) {
  const { credential: _, ...authorised } = state;
  const { credential: __, ...repaired } = bare;
  if (
    lab.roleOf(state) === 'reject-credential' &&
    lab.roleOf(authorised) === 'reject-body' &&
    lab.roleOf(repaired) !== 'reject-body'
  )
    return defectSweep(lab.contract, neutral.plant);
  return sweepOf(part, state, neutral, lab);
}

/** If a request is larger with a part than without it, its size may be what matters. */
async function bySize(
  reach: Reach | undefined,
  state: RequestState,
  bare: RequestState,
  inquiry: Inquiry,
): Promise<Words | undefined> {
  if (inquiry.lab.sizeOf(state) <= inquiry.lab.sizeOf(bare)) return undefined;
  if (
    reach?.named[0]?.isExact === true &&
    !/longer|there is a|larger body/.test(textOf(reach.named[0].words))
  )
    return undefined;
  const size = await sweep(sizeSweep, bare, inquiry, inquiry.lab.roleOf(bare) === 'accept');
  return size.inside === 0 ? undefined : size.named[0]?.words;
}

const textOf = ({ clause = '', phrase = '' }: Words): string => `${clause} ${phrase}`;
