import { stringsOf } from '../../contract/shape.ts';
import { withWords } from '../../payloads/fresh.ts';
import type { RequestState } from '../../payloads/model/dimension.ts';
import { insideCharacter } from '../../payloads/model/message.ts';
import { ID } from '../../payloads/plants.ts';
import type { RequestTemplate } from '../../payloads/test-case.ts';
import { type Experiments, unlessSpent } from '../experiments.ts';
import { type Explanation, explanationOf, pinned } from '../explanation.ts';
import type { Investigation } from '../investigation.ts';
import { ordinaryStates } from '../ordinary-requests.ts';
import { mustReject } from '../symptom/expected-outcome.ts';
import { isSlow } from '../symptom/symptom.ts';
import { subjectOf, suchAs } from '../wording/words.ts';
import type { Candidate } from './candidates.ts';
import { conditionsAmong, conditionsOf, UNCONDITIONAL } from './conditions.ts';
import { CREDENTIAL, type Part, stateOf, WHITE_SPACE } from './parts.ts';
import { reduce } from './reduce.ts';
import { faultPartsOf, inEveryRejection, subjectsOf, withSubjects } from './subjects.ts';
import { sweep } from './sweep.ts';
import { nestingIn } from './sweeps/depths.ts';
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
export async function investigate(investigation: Investigation): Promise<readonly Explanation[] | undefined> {
  const ordinary = ordinaryStates(investigation.experiments.contract);
  const [first] = ordinary;
  const lead = stateOf(investigation.failure.template, first.plant);
  if (lead === undefined) return undefined;
  const everywhere = await inEveryRejection(first, investigation);
  if (everywhere !== undefined) return [everywhere];
  const expected = investigation.experiments.expectedOutcomeOf(lead);
  if (mustReject(expected)) {
    const found = await withSubjects(first, expected === 'reject-body', investigation);
    if (found !== undefined) return found === 'unsteady' ? undefined : found;
  }
  if (await isUnparsed(lead, first, investigation)) {
    const found = await withSubjects(first, true, investigation);
    return found === 'unsteady' ? undefined : found;
  }
  const faultParts = faultPartsOf(lead, first, investigation);
  const bases = ordinary.map((one) => faultParts.reduce((state, part) => part.copy(lead, state), one));
  const shown: RequestState[] = [];
  const hidden: RequestState[] = [];
  for (const base of bases) {
    const shows = await investigation.shows(base);
    if (shows === true) shown.push(base);
    else if (shows === false) hidden.push(base);
  }
  if (shown.length > 0 && hidden.length > 0 && !(await isSteady(shown, hidden, investigation)))
    return undefined;
  const [failing, passing] = [shown[0] ?? lead, hidden[0]];
  if (shown.length === 0) {
    const found =
      (await sizedLike(bases, investigation)) ??
      (await paddedLike(lead, bases, faultParts, investigation)) ??
      (await nestedLike(lead, bases, faultParts, investigation)) ??
      (await splitLike(lead, bases, faultParts, investigation));
    if (found !== undefined) return found;
    if (!(await recurs(lead, investigation)))
      return byClassOfId(lead, passing ?? bases[0] ?? first, faultParts, investigation);
  }
  if (passing === undefined && shown.length > 0) return unconditional(failing, faultParts, investigation);
  const { state, parts } = await reduce(failing, passing ?? bases[0] ?? first, investigation);
  const found = await described(state, parts, passing ?? first, faultParts, investigation);
  return parts.length === 0 ? found : sharedToo(found, state, parts, bases, investigation);
}

/** What was found, with what the ordinary request has in common with the failing one, if that matters, too. */
async function sharedToo(
  found: readonly Explanation[],
  state: RequestState,
  parts: readonly Part[],
  bases: readonly RequestState[],
  investigation: Investigation,
): Promise<readonly Explanation[]> {
  const others = bases.map((base) => parts.reduce((other, part) => part.copy(state, other), base));
  const { conditions, sweeps } =
    (await unlessSpent(() => conditionsAmong(state, others, investigation))) ?? UNCONDITIONAL;
  return found.map((one) => ({
    ...one,
    conditions: [...one.conditions, ...conditions],
    ladders: [...one.ladders, ...sweeps.map(({ ladder }) => ladder)],
  }));
}

/** Lengths of which buffers and blocks are multiples, and remainders that programs look at. */
const DIVISORS = [2, 3, 4, 5, 8, 10, 16, 32, 64, 100, 128, 256, 512, 1024, 2048, 4096];

/** What is found with an ordinary request of exactly the failing size, if one byte more or less passes. */
async function sizedLike(
  bases: readonly RequestState[],
  investigation: Investigation,
): Promise<readonly Explanation[] | undefined> {
  const { experiments, failure } = investigation;
  const [base] = bases.toSorted((a, b) => experiments.sizeOf(a) - experiments.sizeOf(b));
  const size = failure.exchange.request.body?.length ?? 0;
  if (base === undefined || size <= experiments.sizeOf(base)) return undefined;
  const sized = (bytes: number) => ({ ...base, edits: [...base.edits, paddedTo(bytes)] });
  if (!(await recurs(sized(size), investigation))) return undefined;
  for (const bytes of [size - 1, size + 1])
    if ((await investigation.shows(sized(bytes))) !== false) return undefined;
  let divisor: number | undefined;
  for (const one of DIVISORS) {
    if (size % one !== 0 || (await investigation.shows(sized(size + one))) !== true) continue;
    divisor = one;
    break;
  }
  const clause =
    divisor === undefined
      ? `the body has ${size} bytes`
      : `the length of the body is a multiple of ${divisor} bytes`;
  const neutral = sized(size + 1);
  const about = { state: sized(size), conditions: [{ clause }], parts: [WHITE_SPACE], neutral };
  return [await explanationOf(about, investigation)];
}

/** What is found with the plant of an ordinary request in a body as large as the failing one, if it shows the symptom. */
async function paddedLike(
  lead: RequestState,
  [base]: readonly RequestState[],
  faultParts: readonly Part[],
  investigation: Investigation,
): Promise<readonly Explanation[] | undefined> {
  const { experiments } = investigation;
  const size = experiments.sizeOf(lead);
  if (base === undefined || size < experiments.sizeOf(base) + LARGER_BYTES) return undefined;
  const { plant, edits } = base;
  // White space may count less than what it stands for.
  const { defect: _, ...rest } = lead;
  for (const one of [base, { ...rest, plant, edits }])
    for (const bytes of [size, 4 * size]) {
      const large = { ...one, edits: [...edits, paddedTo(bytes)] };
      if ((await investigation.shows(large)) !== true) continue;
      const found = await reducedTo(base, large, faultParts, investigation);
      return found.map((each) => ({ ...each, ...featureOf(each) }));
    }
  return undefined;
}

/** What is found with an ordinary request nested as deeply as the failing one, if it shows the symptom. */
async function nestedLike(
  lead: RequestState,
  [base]: readonly RequestState[],
  faultParts: readonly Part[],
  investigation: Investigation,
): Promise<readonly Explanation[] | undefined> {
  const deep = nestingIn(investigation.experiments.textOf(lead));
  if (base === undefined || deep === undefined) return undefined;
  const nested = { ...base, plant: base.plant.with(UNDECLARED, deep.nested(deep.levels)) };
  if ((await investigation.shows(nested)) !== true) return undefined;
  return reducedTo(base, nested, faultParts, investigation);
}

/** What is found with an ordinary request of which one character arrives in two pieces, if it shows the symptom. */
async function splitLike(
  lead: RequestState,
  [base]: readonly RequestState[],
  faultParts: readonly Part[],
  investigation: Investigation,
): Promise<readonly Explanation[] | undefined> {
  const { experiments } = investigation;
  const { cut, framing } = lead.template;
  const [property] = stringsOf(experiments.contract.newPlant.shape);
  const mayBeSplit =
    (cut !== undefined || framing === 'chunked') && /[^\0-\x7f]/.test(experiments.textOf(lead));
  if (base === undefined || property === undefined || !mayBeSplit) return undefined;
  const wide = base.plant.with(
    property,
    withWords((word) => `${word(8)}木${word(4)}`),
  );
  const ways: readonly RequestTemplate[] = [
    { cut: (body) => [insideCharacter(body)] },
    { framing: 'chunked', chunkEnd: insideCharacter },
  ];
  for (const way of ways) {
    const split: RequestState = { ...base, plant: wide, template: { ...base.template, ...way } };
    if (await recurs(split, investigation)) return reducedTo(base, split, faultParts, investigation);
  }
  return undefined;
}

/** What is found with the very id that failed, if others of its range pass, and it has a class by which they differ. */
async function byClassOfId(
  lead: RequestState,
  base: RequestState,
  faultParts: readonly Part[],
  investigation: Investigation,
): Promise<readonly Explanation[] | undefined> {
  const { freshId } = investigation.failure.exchange.request;
  const failing = freshId === undefined ? undefined : pinned(lead, freshId);
  if (failing === undefined || !(await recurs(failing, investigation))) return undefined;
  const { state, parts } = await reduce(failing, base, investigation);
  if (!parts.some(({ name }) => name === ID)) return undefined;
  const { named, outside } = await sweep(idSweep, state, investigation, false);
  const [only, ...others] = named;
  // One value may fail by chance.
  const isClass = only?.isExact === true && only.candidates.length > 1 && others.length === 0;
  if (outside === 0 || !isClass) return undefined;
  return described(state, parts, base, faultParts, investigation);
}

/** Some parsers reject deep nesting as malformed: checks whether any malformed body shows the symptom. */
const isUnparsed = async (
  lead: RequestState,
  ordinary: RequestState,
  investigation: Investigation,
): Promise<boolean> =>
  nestingIn(investigation.experiments.textOf(lead)) !== undefined &&
  (await investigation.shows({ ...ordinary, defect: { corrupt: (text) => text.slice(0, -1) } })) === true;

const UNDECLARED = 'extra';

/** If the size decides, it explains whatever is larger. */
function featureOf({ conditions }: Explanation): Pick<Explanation, 'feature'> {
  for (const words of conditions) {
    const { bytesAbove } = words;
    if (bytesAbove === undefined) continue;
    return { feature: { words, has: (body) => Buffer.byteLength(body) > bytesAbove } };
  }
  return {};
}

/** The least by which a request has to be larger for its size to be tried first. */
const LARGER_BYTES = 500;

const recurs = async (state: RequestState, investigation: Investigation): Promise<boolean> => {
  for (let left = isSlow(investigation.sought) ? 1 : REPEATS; left > 0; left -= 1)
    if ((await investigation.shows(state)) !== true) return false;
  return true;
};

/** Whether the same requests, with fresh values, show and do not show the symptom again. */
async function isSteady(
  shown: readonly RequestState[],
  hidden: readonly RequestState[],
  investigation: Investigation,
): Promise<boolean> {
  for (const state of shown)
    for (let left = 2; left > 0; left -= 1) if ((await investigation.shows(state)) !== true) return false;
  for (const state of hidden)
    for (let left = 2; left > 0; left -= 1) if ((await investigation.shows(state)) === true) return false;
  return true;
}

/** Every ordinary request shows it. Looks for unusual ones that do not. */
async function unconditional(
  state: RequestState,
  faultParts: readonly Part[],
  investigation: Investigation,
): Promise<readonly Explanation[]> {
  if (investigation.sought.kind !== 'rejects')
    return described(state, [], undefined, faultParts, investigation);
  for (const one of [idSweep, orderSweep(state.plant), ...texts(investigation.experiments)]) {
    const reach = await sweep(one, state, investigation, true);
    if (reach.outside === 0 || reach.named[0]?.isExact !== true) continue;
    if (await showsNow(reach.hidden, state, investigation)) continue;
    const conditions = reach.named.slice(0, 1).map(({ words }) => words);
    return [await explanationOf({ state, conditions, sweeps: [reach] }, investigation)];
  }
  return described(state, [], undefined, faultParts, investigation);
}

/** Whether values that passed earlier fail now: then earlier requests matter, and not the values. */
async function showsNow(
  candidates: readonly Candidate[],
  state: RequestState,
  investigation: Investigation,
): Promise<boolean> {
  for (const candidate of candidates.slice(0, REPEATS))
    if ((await investigation.shows(candidate.apply(state))) === true) return true;
  return false;
}

const texts = ({ contract: { newPlant } }: Experiments) =>
  stringsOf(newPlant.shape).map((name) => textSweep(name, newPlant.shape.required.has(name)));

/** Takes away what does not matter of a failing request, towards one that passes, and says what is left. */
async function reducedTo(
  passing: RequestState,
  failing: RequestState,
  faultParts: readonly Part[],
  investigation: Investigation,
): Promise<readonly Explanation[]> {
  const { state, parts } = await reduce(failing, passing, investigation);
  return described(state, parts, passing, faultParts, investigation);
}

/** Says what shows the symptom, and under which conditions. */
async function described(
  state: RequestState,
  parts: readonly Part[],
  neutral: RequestState | undefined,
  faultParts: readonly Part[],
  investigation: Investigation,
): Promise<readonly Explanation[]> {
  const expected = investigation.experiments.expectedOutcomeOf(state);
  const { conditions, sweeps } = await conditionsOf(state, parts, neutral, faultParts, investigation);
  const subjects = mustReject(expected)
    ? await unlessSpent(() => subjectsOf(state, expected === 'reject-body', investigation))
    : undefined;
  if (subjects === undefined || subjects.named.length === 0) {
    const isSaid = subjects === undefined || parts.includes(CREDENTIAL);
    const subject = isSaid ? undefined : subjectOf(investigation);
    const isUnknown = subject === undefined && conditions.length === 0 && parts.length > 0;
    const known = isUnknown
      ? [suchAs(investigation.failure, investigation.experiments.contract)]
      : conditions;
    return [
      await explanationOf({ state, subject, conditions: known, sweeps, parts, neutral }, investigation),
    ];
  }
  const found: Explanation[] = [];
  for (const { words, candidates } of subjects.named) {
    const [candidate] = candidates;
    const about = {
      state: candidate === undefined ? state : candidate.apply(subjects.base),
      subject: words,
      conditions,
      sweeps: [{ ...subjects, inside: candidates.length }, ...sweeps],
      parts: [...faultParts, ...parts],
      neutral,
    };
    const labels = candidates.flatMap(({ label }) => label ?? []);
    found.push({ ...(await explanationOf(about, investigation)), labels });
  }
  return found;
}
