import { stringsOf } from '../../contract/schema.ts';
import { nestedArrays } from '../../payloads/json.ts';
import type { RequestState } from '../../payloads/model/dimension.ts';
import { type Found, foundIn, type Inquiry } from '../found.ts';
import { type Lab, unlessSpent } from '../lab.ts';
import { ordinaryStates } from '../ordinary.ts';
import { isRejected, NO_ANSWER } from '../symptom/symptom.ts';
import { subjectOf, suchAs } from '../wording/words.ts';
import type { Candidate } from './candidates.ts';
import { conditionsAmong, conditionsOf, UNCONDITIONAL } from './conditions.ts';
import { CREDENTIAL, type Part, stateOf } from './parts.ts';
import { reduce } from './reduce.ts';
import { carriersOf, inEveryRejection, subjectsOf, withSubjects } from './subjects.ts';
import { sweep } from './sweep.ts';
import { DEEP } from './sweeps/depths.ts';
import { idSweep } from './sweeps/ids.ts';
import { orderSweep } from './sweeps/order.ts';
import { paddedTo } from './sweeps/sizes.ts';
import { textSweep } from './sweeps/texts.ts';

/** How often a failure is sent again to see whether it is always there. */
const REPEATS = 3;

/**
 * Finds out under which condition a failure shows.
 * @returns undefined if it does not show again
 * @throws BudgetSpent
 */
export async function investigate(inquiry: Inquiry): Promise<readonly Found[] | undefined> {
  const ordinary = ordinaryStates(inquiry.lab.contract);
  const [first] = ordinary;
  const lead = first === undefined ? undefined : stateOf(inquiry.failure.template, first.plant);
  if (first === undefined || lead === undefined) return undefined;
  const everywhere = await inEveryRejection(first, inquiry);
  if (everywhere !== undefined) return [everywhere];
  const role = inquiry.lab.roleOf(lead);
  if (isRejected(role)) {
    const found = await withSubjects(first, role === 'reject-body', inquiry);
    if (found !== undefined) return found === 'unsteady' ? undefined : found;
  }
  if (await isUnparsed(lead, first, inquiry)) {
    const found = await withSubjects(first, true, inquiry);
    return found === 'unsteady' ? undefined : found;
  }
  const carriers = carriersOf(lead, first, inquiry);
  const bases = ordinary.map((one) => carriers.reduce((state, part) => part.copy(lead, state), one));
  const shown: RequestState[] = [];
  const hidden: RequestState[] = [];
  for (const base of bases) {
    const shows = await inquiry.shows(base);
    if (shows === true) shown.push(base);
    else if (shows === false) hidden.push(base);
  }
  if (shown.length > 0 && hidden.length > 0 && !(await isSteady(shown, hidden, inquiry))) return undefined;
  const [failing, passing] = [shown[0] ?? lead, hidden[0]];
  if (shown.length === 0) {
    const alike =
      (await paddedLike(lead, bases, carriers, inquiry)) ??
      (await nestedLike(lead, bases, carriers, inquiry));
    if (alike !== undefined) return alike;
    if (!(await recurs(lead, inquiry))) return undefined;
  }
  if (passing === undefined && shown.length > 0) return unconditional(failing, carriers, inquiry);
  const { state, parts } = await reduce(failing, passing ?? bases[0] ?? first, inquiry);
  const found = await described(state, parts, passing ?? first, carriers, inquiry);
  return parts.length === 0 ? found : sharedToo(found, state, parts, bases, inquiry);
}

/** What was found, with what the ordinary request has in common with the failing one, if that matters, too. */
async function sharedToo(
  found: readonly Found[],
  state: RequestState,
  parts: readonly Part[],
  bases: readonly RequestState[],
  inquiry: Inquiry,
): Promise<readonly Found[]> {
  const others = bases.map((base) => parts.reduce((other, part) => part.copy(state, other), base));
  const { conditions, reaches } =
    (await unlessSpent(() => conditionsAmong(state, others, inquiry))) ?? UNCONDITIONAL;
  return found.map((one) => ({
    ...one,
    conditions: [...one.conditions, ...conditions],
    ladders: [...one.ladders, ...reaches.map(({ ladder }) => ladder)],
  }));
}

/** What is found with the plant of an ordinary request in a body as large as the failing one, if it shows the symptom. */
async function paddedLike(
  lead: RequestState,
  [base]: readonly RequestState[],
  carriers: readonly Part[],
  inquiry: Inquiry,
): Promise<readonly Found[] | undefined> {
  const { lab } = inquiry;
  const size = lab.sizeOf(lead);
  if (base === undefined || size < lab.sizeOf(base) + LARGER_BYTES) return undefined;
  const { plant, edits } = base;
  // White space may count less than what it stands for.
  const { defect: _, ...rest } = lead;
  for (const one of [base, { ...rest, plant, edits }])
    for (const bytes of [size, 4 * size]) {
      const large = { ...one, edits: [...edits, paddedTo(bytes)] };
      if ((await inquiry.shows(large)) !== true) continue;
      const { state, parts } = await reduce(large, base, inquiry);
      const found = await described(state, parts, base, carriers, inquiry);
      return found.map((each) => ({ ...each, ...featureOf(each) }));
    }
  return undefined;
}

/** What is found with an ordinary request nested as deeply as the failing one, if it shows the symptom. */
async function nestedLike(
  lead: RequestState,
  [base]: readonly RequestState[],
  carriers: readonly Part[],
  inquiry: Inquiry,
): Promise<readonly Found[] | undefined> {
  const [deep = ''] = DEEP.exec(inquiry.lab.textOf(lead)) ?? [];
  if (base === undefined || deep === '') return undefined;
  const nested = { ...base, plant: base.plant.with(UNDECLARED, nestedArrays(deep.length)) };
  if ((await inquiry.shows(nested)) !== true) return undefined;
  const { state, parts } = await reduce(nested, base, inquiry);
  return described(state, parts, base, carriers, inquiry);
}

/** What is nested deeply is not JSON for some parsers: whether the symptom shows with whatever is not. */
const isUnparsed = async (lead: RequestState, ordinary: RequestState, inquiry: Inquiry): Promise<boolean> =>
  DEEP.test(inquiry.lab.textOf(lead)) &&
  (await inquiry.shows({ ...ordinary, defect: { corrupt: (text) => text.slice(0, -1) } })) === true;

const UNDECLARED = 'extra';

/** If the size decides, it explains whatever is larger. */
function featureOf({ conditions }: Found): Pick<Found, 'feature'> {
  for (const words of conditions) {
    const limit = /^the body is longer than (\d+) bytes$/.exec(words.clause ?? '')?.[1];
    if (limit === undefined) continue;
    return { feature: { words, has: (body) => Buffer.byteLength(body) > Number(limit) } };
  }
  return {};
}

/** The least by which a request has to be larger for its size to be tried first. */
const LARGER_BYTES = 500;

const recurs = async (state: RequestState, inquiry: Inquiry): Promise<boolean> => {
  for (let left = inquiry.wanted.words === NO_ANSWER ? 1 : REPEATS; left > 0; left -= 1)
    if ((await inquiry.shows(state)) !== true) return false;
  return true;
};

/** Whether the same requests, with fresh values, show and do not show the symptom again. */
async function isSteady(
  shown: readonly RequestState[],
  hidden: readonly RequestState[],
  inquiry: Inquiry,
): Promise<boolean> {
  for (const state of shown)
    for (let left = 2; left > 0; left -= 1) if ((await inquiry.shows(state)) !== true) return false;
  for (const state of hidden)
    for (let left = 2; left > 0; left -= 1) if ((await inquiry.shows(state)) === true) return false;
  return true;
}

/** Every ordinary request shows it. Looks for unusual ones that do not. */
async function unconditional(
  state: RequestState,
  carriers: readonly Part[],
  inquiry: Inquiry,
): Promise<readonly Found[]> {
  if (inquiry.wanted.isRejection !== true) return described(state, [], undefined, carriers, inquiry);
  for (const one of [idSweep, orderSweep(state.plant), ...texts(inquiry.lab)]) {
    const reach = await sweep(one, state, inquiry, true);
    if (reach.outside === 0 || reach.named[0]?.isExact !== true) continue;
    if (await showsNow(reach.hidden, state, inquiry)) continue;
    const conditions = reach.named.slice(0, 1).map(({ words }) => words);
    return [await foundIn({ state, conditions, reaches: [reach] }, inquiry)];
  }
  return described(state, [], undefined, carriers, inquiry);
}

/** Whether values show the symptom that did not at first: then it is not about them, but about what came before. */
async function showsNow(
  candidates: readonly Candidate[],
  state: RequestState,
  inquiry: Inquiry,
): Promise<boolean> {
  for (const candidate of candidates.slice(0, REPEATS))
    if ((await inquiry.shows(candidate.apply(state))) === true) return true;
  return false;
}

const texts = ({ contract: { newPlant } }: Lab) =>
  stringsOf(newPlant.shape).map((name) => textSweep(name, newPlant.shape.required.has(name)));

/** Says what shows the symptom, and under which conditions. */
async function described(
  state: RequestState,
  parts: readonly Part[],
  neutral: RequestState | undefined,
  carriers: readonly Part[],
  inquiry: Inquiry,
): Promise<readonly Found[]> {
  const role = inquiry.lab.roleOf(state);
  const { conditions, reaches } = await conditionsOf(state, parts, neutral, carriers, inquiry);
  const subjects = isRejected(role) ? await subjectsOf(state, role === 'reject-body', inquiry) : undefined;
  if (subjects === undefined || subjects.named.length === 0) {
    const isSaid = subjects === undefined || parts.includes(CREDENTIAL);
    const subject = isSaid ? undefined : subjectOf(inquiry);
    const isUnknown = subject === undefined && conditions.length === 0 && parts.length > 0;
    const known = isUnknown ? [suchAs(inquiry.failure)] : conditions;
    return [await foundIn({ state, subject, conditions: known, reaches, parts, neutral }, inquiry)];
  }
  const found: Found[] = [];
  for (const { words, candidates } of subjects.named) {
    const [candidate] = candidates;
    const about = {
      state: candidate === undefined ? state : candidate.apply(subjects.base),
      subject: words,
      conditions,
      reaches: [{ ...subjects, inside: candidates.length }, ...reaches],
      parts: [...carriers, ...parts],
      neutral,
    };
    const labels = candidates.flatMap(({ label }) => label ?? []);
    found.push({ ...(await foundIn(about, inquiry)), labels });
  }
  return found;
}
