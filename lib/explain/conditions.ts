import type { RequestState } from '../payloads/model/dimension.ts';
import type { Words } from './cells.ts';
import type { Inquiry } from './found.ts';
import type { Lab } from './lab.ts';
import type { Part } from './parts.ts';
import { reduce } from './reduce.ts';
import { type Reach, sweep } from './sweep.ts';
import { sweepOf } from './sweep-of.ts';
import { defectSweep } from './sweeps/defects.ts';
import { sizeSweep } from './sweeps/sizes.ts';
import { isRejected } from './symptom.ts';
import { wordsOf } from './words.ts';

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
  const isCarrier = (part: Part) =>
    (role === 'reject-body' && part.name === 'body') || carriers.includes(part);
  const conditions: Words[] = [];
  const reaches: Reach[] = [];
  for (const part of parts) {
    if (isRejected(role) && isCarrier(part)) continue;
    const bare = neutral === undefined ? state : part.copy(neutral, state);
    const values = neutral === undefined ? undefined : valuesFor(part, state, neutral, bare, inquiry.lab);
    const reach = values === undefined ? undefined : await sweep(values, bare, inquiry, role === 'accept');
    if (reach !== undefined) reaches.push(reach);
    const words = reach?.named[0]?.words;
    const size = await bySize(reach, state, neutral, inquiry);
    const isScattered = / other values?$/.test(words?.clause ?? '');
    conditions.push(
      size ?? (isScattered ? undefined : words) ?? wordsOf(part, state, inquiry.failure, inquiry.lab),
    );
  }
  return { conditions, reaches };
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

/** If a request is larger than its neighbour, its size may be what matters. */
async function bySize(
  reach: Reach | undefined,
  state: RequestState,
  neutral: RequestState | undefined,
  inquiry: Inquiry,
): Promise<Words | undefined> {
  if (neutral === undefined || inquiry.lab.sizeOf(state) <= inquiry.lab.sizeOf(neutral)) return undefined;
  if (
    reach?.named[0]?.isExact === true &&
    !/longer|there is a|larger body/.test(textOf(reach.named[0].words))
  )
    return undefined;
  const size = await sweep(sizeSweep, neutral, inquiry, inquiry.lab.roleOf(neutral) === 'accept');
  return size.inside === 0 ? undefined : size.named[0]?.words;
}

const textOf = ({ clause = '', phrase = '' }: Words): string => `${clause} ${phrase}`;
