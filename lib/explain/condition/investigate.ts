import { stringsOf } from '../../contract/shape.ts';
import { withWords } from '../../payloads/fresh.ts';
import { Raw } from '../../payloads/json.ts';
import type { RequestState } from '../../payloads/model/dimension.ts';
import { insideCharacter } from '../../payloads/model/message.ts';
import { ID } from '../../payloads/plants.ts';
import type { RequestTemplate } from '../../payloads/test-case.ts';
import { mayExplain } from '../assign/covers.ts';
import { explainBySameValue } from '../circumstances/after-same-value.ts';
import { confirmExplanation } from '../confirm-explanation.ts';
import { withinBudget } from '../experiments.ts';
import { type Explanation, withFixedId } from '../explanation.ts';
import { withPlainest } from '../plainest-request.ts';
import { REPEATS, type Search } from '../search.ts';
import { mustReject } from '../symptom/detect-symptoms.ts';
import type { Condition } from '../wording/condition.ts';
import { subjectOf, suchAs } from '../wording/request-words.ts';
import {
  conditionsOf,
  confirmSubject,
  explainByDefect,
  explainEvery400,
  findSubjects,
  type Subject,
  TRUNCATED,
} from './by-defect.ts';
import { type Candidate, exactNameIn } from './candidates.ts';
import {
  type ConditionSearchResult,
  findConditions,
  findMoreConditions,
  isOfPlant,
  UNCONDITIONAL,
} from './conditions.ts';
import { reduce } from './reduce.ts';
import { wholeIdIn } from './remainders.ts';
import { BODY, CREDENTIAL, type RequestPart, WHITE_SPACE, withParts } from './request-parts.ts';
import { type SweepResult, sweep } from './sweep.ts';
import { idSweep, idsFrom } from './sweeps/ids.ts';
import { orderSweep } from './sweeps/order.ts';
import { digitsSweep, nestingIn, paddedTo, sizeSweep, withRealSize } from './sweeps/sizes.ts';
import { NOT_ASCII, textSweep } from './sweeps/strings.ts';

/** Finds the condition under which a failure shows; undefined if it does not show again. */
export async function investigate(search: Search): Promise<readonly Explanation[] | undefined> {
  const { ordinary } = search;
  const failingState = search.failingState && (await tryNearbyIds(search.failingState, search));
  if (failingState === undefined) return undefined;
  const everywhere = await explainEvery400(search);
  if (everywhere !== undefined) return [everywhere];
  const byInvalidity = await explainInvalidRequest(failingState, search);
  if (byInvalidity !== 'something else') return byInvalidity;
  const shown: RequestState[] = [];
  const notShown: RequestState[] = [];
  for (const variant of search.ordinaryVariants) {
    const shows = await search.shows(variant);
    if (shows === true) shown.push(variant);
    else if (shows === false) notShown.push(variant);
  }
  if (shown.length > 0 && notShown.length > 0 && !(await isSteady(shown, notShown, search))) return undefined;
  const [failing = failingState] = shown;
  const [passingVariant] = notShown;
  const base = passingVariant ?? search.ordinaryVariants[0] ?? ordinary;
  if (shown.length === 0) {
    const found = (await explainByExactSize(search)) ?? (await explainBySimilar(failingState, search));
    if (found !== undefined) return found;
    if (!(await showsEachTime(failingState, search))) return explainByClassOfId(failingState, base, search);
  }
  if (passingVariant === undefined && shown.length > 0) return explainUnconditional(failing, search);
  const { state, parts } = await reduce(failing, base, search);
  const found = await explainParts(state, parts, passingVariant ?? ordinary, search);
  return parts.length === 0 ? found : addSharedConditions(found, state, parts, search);
}

/** The failing request with ids close to its own, if all fail: part of the range of ordinary ids may fail. */
async function tryNearbyIds(state: RequestState, search: Search): Promise<RequestState> {
  const own = state.plant.get(ID);
  const id = wholeIdIn(search.failure.exchange);
  if (!(own instanceof Raw) || own.choices === 1 || id === undefined || search.isSlow) return state;
  const nearby = { ...state, plant: state.plant.with(ID, idsFrom(id)) };
  return (await showsEachTime(nearby, search)) ? nearby : state;
}

/**
 * Explains the failure by what is wrong with the request, or as malformed JSON if the store treats the body
 * as such.
 *
 * @returns undefined if the failure depends on earlier requests; `something else` if that is not what matters
 */
async function explainInvalidRequest(
  failingState: RequestState,
  search: Search,
): Promise<readonly Explanation[] | 'something else' | undefined> {
  const expected = search.expectedOutcomeOf(failingState);
  const byOwnDefect = mustReject(expected)
    ? await explainByDefect(expected === 'reject-body', search)
    : undefined;
  const found =
    byOwnDefect ??
    (expected === 'reject-body' ? await withinBudget(() => explainLargeBody(search)) : undefined) ??
    ((await isUnparsed(failingState, search)) ? await explainByDefect(true, search) : 'something else');
  return found === 'unsteady' ? undefined : found;
}

/** Adds further conditions: what the ordinary and the failing request have in common may matter as well. */
async function addSharedConditions(
  explanations: readonly Explanation[],
  state: RequestState,
  parts: readonly RequestPart[],
  search: Search,
): Promise<readonly Explanation[]> {
  const others = search.ordinaryVariants.map((base) => withParts(parts, state, base));
  const { conditions, sweeps } =
    (await withinBudget(() => findMoreConditions(state, others, search))) ?? UNCONDITIONAL;
  const further = ({ conditions: own }: Explanation) =>
    own.some(({ isSmaller }) => isSmaller) ? conditions.filter((one) => !isOfPlant(one, search)) : conditions;
  return explanations.map((one) => ({
    ...one,
    conditions: [...one.conditions, ...further(one)],
    ladders: [...one.ladders, ...sweeps.map(({ ladder }) => ladder)],
  }));
}

/** Explains the failure of a large invalid body: which defects show it in bodies above which size. */
async function explainLargeBody(search: Search): Promise<readonly Explanation[] | undefined> {
  const { ordinary, experiments, failure } = search;
  const size = failure.exchange.request.body?.length ?? 0;
  if (size < experiments.sizeOf(ordinary) + LARGER_BYTES || search.isSlow) return undefined;
  const large = { ...ordinary, edits: [...ordinary.edits, paddedTo(size)] };
  const subjects = await findSubjects(large, true, search);
  const explanations: Explanation[] = [];
  for (const own of subjects.named) {
    const [candidate] = own.candidates;
    if (candidate === undefined) continue;
    const neutral = candidate.apply(ordinary);
    const sizes = await sweep(sizeSweep, neutral, search, false);
    const [limit] = sizes.named;
    if (limit === undefined || sizes.notShown.length === 0) return undefined;
    const about = {
      state: candidate.apply(large),
      conditions: [withRealSize(limit.condition, neutral, (one) => experiments.sizeOf(one))],
      parts: [BODY, WHITE_SPACE],
      neutral,
    };
    explanations.push(await confirmSubject(own, subjects, { ...about, sweeps: [sizes] }, search));
  }
  return explanations.length === 0 ? undefined : explanations;
}

/** Common buffer sizes, block sizes and moduli. */
const DIVISORS = [2, 3, 4, 5, 8, 10, 16, 32, 64, 100, 128, 256, 512, 1024, 2048, 4096];

/** Explains the failure by the exact size of the body, if one byte more or less passes. */
async function explainByExactSize(search: Search): Promise<readonly Explanation[] | undefined> {
  const { ordinaryVariants, experiments, failure } = search;
  const [base] = ordinaryVariants.toSorted((a, b) => experiments.sizeOf(a) - experiments.sizeOf(b));
  const size = failure.exchange.request.body?.length ?? 0;
  if (base === undefined || size <= experiments.sizeOf(base)) return undefined;
  const sizedTo = (bytes: number) => ({ ...base, edits: [...base.edits, paddedTo(bytes)] });
  if (!(await showsEachTime(sizedTo(size), search))) return undefined;
  for (const bytes of [size - 1, size + 1])
    if ((await search.shows(sizedTo(bytes))) !== false) return undefined;
  let clause = `the body has ${size} bytes`;
  for (const divisor of DIVISORS) {
    if (size % divisor !== 0 || (await search.shows(sizedTo(size + divisor))) !== true) continue;
    clause = `the length of the body is a multiple of ${divisor} bytes`;
    break;
  }
  const neutral = sizedTo(size + 1);
  const about = { state: sizedTo(size), conditions: [{ clause }], parts: [WHITE_SPACE], neutral };
  return [await confirmExplanation(about, search)];
}

/** Explains the failure by an ordinary request of the same size or nesting, or with a split character. */
async function explainBySimilar(
  failing: RequestState,
  search: Search,
): Promise<readonly Explanation[] | undefined> {
  const [base] = search.ordinaryVariants;
  if (base === undefined) return undefined;
  for (const state of padded(failing, base, search)) {
    if ((await search.shows(state)) !== true) continue;
    const explanations = await explainReduced(base, state, search);
    return explanations.map((each) => ({ ...each, ...featureOf(each) }));
  }
  for (const state of nestedAsDeep(failing, base, search))
    if ((await search.shows(state)) === true) return explainReduced(base, state, search);
  for (const state of split(failing, base, search))
    if (await showsEachTime(state, search)) return explainReduced(base, state, search);
  return undefined;
}

/** Ordinary requests with a body as large as that of the failing one. */
function padded(failing: RequestState, base: RequestState, { experiments }: Search): readonly RequestState[] {
  const size = experiments.sizeOf(failing);
  if (size < experiments.sizeOf(base) + LARGER_BYTES) return [];
  const { plant, edits } = base;
  // A byte of white space may count less than a byte of content, so also try four times the size.
  const { defect: _, ...request } = failing;
  return [base, { ...request, plant, edits }].flatMap((one) =>
    [size, 4 * size].map((bytes) => ({ ...one, edits: [...edits, paddedTo(bytes)] })),
  );
}

/** Ordinary requests in which a character arrives in two pieces, if it may have in the failing one. */
function split(
  failing: RequestState,
  base: RequestState,
  { contract, experiments }: Search,
): readonly RequestState[] {
  const { cut, framing } = failing.template;
  const [property] = stringsOf(contract.newPlant.shape);
  const mayBeSplit =
    (cut !== undefined || framing === 'chunked') && NOT_ASCII.test(experiments.textOf(failing));
  if (property === undefined || !mayBeSplit) return [];
  const wide = withWords((word) => `${word(8)}木${word(4)}`);
  const ways: readonly RequestTemplate[] = [
    { cut: (body) => [insideCharacter(body)] },
    { framing: 'chunked', chunkEnd: insideCharacter },
  ];
  return ways.map((way) => ({
    ...base,
    plant: base.plant.with(property, wide),
    template: { ...base.template, ...way },
  }));
}

/** Minimum number of failing ids between two limits. */
const MIN_IN_RANGE = 10;

/** Explains the failure by a class of ids, if the failing id fails each time while similar ids pass. */
async function explainByClassOfId(
  failingState: RequestState,
  base: RequestState,
  search: Search,
): Promise<readonly Explanation[] | undefined> {
  const { freshId } = search.failure.exchange.request;
  const failing = freshId === undefined ? undefined : withFixedId(failingState, freshId);
  if (failing === undefined || !(await showsEachTime(failing, search))) return undefined;
  const { state, parts } = await reduce(failing, base, search);
  if (!parts.some(({ name }) => name === ID)) return undefined;
  const { named, shown, notShown } = await sweep(idSweep, state, search, false);
  const exact = exactNameIn(named);
  // A few values may fail by chance: a single one of a class, or some between two limits.
  const isClass = (exact?.candidates.length ?? 0) > 1;
  const isRange = exact?.candidates.length === 0 && shown.length >= MIN_IN_RANGE;
  return notShown.length === 0 || (!isClass && !isRange)
    ? undefined
    : explainParts(state, parts, base, search);
}

/** Whether a deeply nested body fails like malformed JSON: some parsers reject deep nesting as malformed. */
const isUnparsed = async (failing: RequestState, search: Search): Promise<boolean> =>
  nestingIn(search.experiments.textOf(failing)) !== undefined &&
  (await search.shows({ ...search.ordinary, defect: TRUNCATED })) === true;

const UNDECLARED = 'extra';

/** Bodies up to this size have to get a response. */
const MAX_BODY_BYTES = 64 * 1024;
/** A body of this fraction of the limit is certainly within it. */
const SIZE_MARGIN = 0.95;

/**
 * Ordinary plants with an undeclared property that is nested as deeply as the failing body, and as deeply as
 * a body can be: once a runtime has optimized a recursion, it may need less stack.
 */
function nestedAsDeep(
  failing: RequestState,
  base: RequestState,
  { experiments }: Search,
): readonly RequestState[] {
  const nesting = nestingIn(experiments.textOf(failing));
  if (nesting === undefined) return [];
  const { levels, nested } = nesting;
  const withLevels = (count: number) => ({ ...base, plant: base.plant.with(UNDECLARED, nested(count)) });
  const bytesPerLevel = experiments.sizeOf(withLevels(levels)) / levels;
  const deepest = Math.floor((MAX_BODY_BYTES * SIZE_MARGIN) / bytesPerLevel);
  return [...new Set([levels, Math.max(levels, deepest)])].map(withLevels);
}

/** If the size of the body decides, the explanation covers any larger body. */
function featureOf({ conditions }: Explanation): Pick<Explanation, 'feature'> | undefined {
  const condition = conditions.find(({ bytesAbove }) => bytesAbove !== undefined);
  const { bytesAbove: limit = 0 } = condition ?? {};
  return condition && { feature: { condition, has: (body) => Buffer.byteLength(body) > limit } };
}

/** Minimum number of extra bytes for the size of a body to be a likely reason. */
const LARGER_BYTES = 500;

const showsEachTime = (state: RequestState, search: Search): Promise<boolean> =>
  search.showsEachTime(state, search.isSlow ? 1 : REPEATS);

/** Whether requests that failed, and requests that passed, do so again with fresh values. */
async function isSteady(
  shown: readonly RequestState[],
  notShown: readonly RequestState[],
  search: Search,
): Promise<boolean> {
  for (const state of shown) if (!(await search.showsEachTime(state, 2))) return false;
  for (const state of notShown) if (await search.showsAtLeastOnce(state, 2)) return false;
  return true;
}

/** Explains a symptom that every ordinary request shows. Looks for unusual values that do not show it. */
async function explainUnconditional(state: RequestState, search: Search): Promise<readonly Explanation[]> {
  const { shape } = search.contract.newPlant;
  const texts = stringsOf(shape).map((name) => textSweep(name, shape.required.has(name)));
  const sweeps = search.symptom.kind === 'rejects' ? [idSweep, orderSweep(state.plant), ...texts] : [];
  for (const one of sweeps) {
    const swept = await sweep(one, state, search, true);
    const [first] = swept.named;
    if (swept.notShown.length === 0 || first?.isExact !== true) continue;
    if (await showsNow(swept.notShown, state, search)) continue;
    return [await confirmExplanation({ state, conditions: [first.condition], sweeps: [swept] }, search)];
  }
  return explainParts(state, [], undefined, search);
}

/** Whether values that passed earlier fail now. If so, earlier requests matter, not the values. */
async function showsNow(
  candidates: readonly Candidate[],
  state: RequestState,
  search: Search,
): Promise<boolean> {
  for (const candidate of candidates.slice(0, REPEATS))
    if ((await search.shows(candidate.apply(state))) === true) return true;
  return false;
}

/** Reduces the failing request towards the passing one, and explains the remaining differences. */
async function explainReduced(
  passing: RequestState,
  failing: RequestState,
  search: Search,
): Promise<readonly Explanation[]> {
  const { state, parts } = await reduce(failing, passing, search);
  return explainParts(state, parts, passing, search);
}

/** For each sweep, gives the request the plainest of the values that its first name covers. */
const plainerValues = (
  state: RequestState,
  sweeps: readonly SweepResult[],
  { experiments }: Search,
): RequestState =>
  sweeps.reduce((one, { named: [first, ...others], shown }) => {
    // A length above a limit names no values: if nothing else is named, it covers all that show the symptom.
    const isLimit = first?.condition.isLarger && first.candidates.length === 0 && others.length === 0;
    return withPlainest(isLimit ? shown : (first?.candidates ?? []), one, experiments);
  }, state);

/** Words a failure by the label of its test case, and by how many digits of a long number matter, if any. */
async function describeByLabel(
  state: RequestState,
  search: Search,
): Promise<Pick<ConditionSearchResult, 'conditions' | 'sweeps'>> {
  const condition = suchAs(search.failure, search.contract);
  const values = digitsSweep(search.experiments.textOf(state), condition.property ?? 'a number in the body');
  const swept = values && (await withinBudget(() => sweep(values, state, search, false)));
  const [digits] = swept?.named ?? [];
  return swept === undefined || digits === undefined
    ? { conditions: [condition], sweeps: [] }
    : { conditions: [{ ...condition, ...digits.condition }], sweeps: [swept] };
}

/** The conditions that a subject needs: it may depend on fewer properties than the failing body. */
async function findNeeded(
  shown: RequestState,
  { conditions, parts, neutral }: Pick<Explanation, 'conditions' | 'parts' | 'neutral'>,
  search: Search,
): Promise<readonly Condition[]> {
  if (neutral === undefined) return conditions;
  const { properties } = search.contract.newPlant.shape;
  const isStated = ({ name }: RequestPart) =>
    properties.has(name) && conditions.some(({ part }) => part === name);
  const unneeded: string[] = [];
  for (const part of parts.filter(isStated)) {
    const shows = await withinBudget(() => search.showsEachTime(part.copy(neutral, shown), 2));
    if (shows === true) unneeded.push(part.name);
  }
  return conditions.filter(({ part = '' }) => !unneeded.includes(part));
}

/** If the size of the body decides, an otherwise ordinary body of that size that shows the symptom as well. */
async function shownBySize(
  { feature, candidates: [candidate] }: Subject,
  neutral: RequestState | undefined,
  search: Search,
): Promise<RequestState | undefined> {
  if (feature?.add === undefined || candidate === undefined || neutral === undefined) return undefined;
  const plain = candidate.apply(neutral);
  const sized = { ...plain, edits: [...plain.edits, feature.add] };
  return (await search.showsEachTime(sized, 2)) ? sized : undefined;
}

/** Finds what shows the symptom and under which conditions, and confirms it. */
async function explainParts(
  state: RequestState,
  parts: readonly RequestPart[],
  neutral: RequestState | undefined,
  search: Search,
): Promise<readonly Explanation[]> {
  const expected = search.expectedOutcomeOf(state);
  const { conditions, sweeps } = await findConditions(state, parts, neutral, search);
  const [part, ...otherParts] = parts;
  const [swept] = sweeps;
  if (part !== undefined && otherParts.length === 0 && swept !== undefined) {
    const found = await withinBudget(() => explainBySameValue(state, part, neutral, swept, search));
    if (found !== undefined) return [{ ...found, parts }];
  }
  const subjects = mustReject(expected)
    ? await withinBudget(() => findSubjects(state, expected === 'reject-body', search, conditions))
    : undefined;
  const explanations: Explanation[] = [];
  if (subjects !== undefined)
    for (const own of subjects.named) {
      const shown = own.candidates[0]?.apply(subjects.base) ?? state;
      const base = plainerValues(subjects.base, sweeps, search);
      const sized = await withinBudget(() => shownBySize(own, neutral, search));
      const needed = await findNeeded(shown, { conditions, parts, neutral }, search);
      const about = {
        state: sized ?? shown,
        plainer: sized === undefined ? withPlainest(own.candidates, base, search.experiments) : undefined,
        conditions: [...(sized === undefined ? needed : []), ...conditionsOf(own)],
        sweeps: sized === undefined ? sweeps : [],
        parts: [...search.invalidParts, ...(sized === undefined ? parts : [WHITE_SPACE])],
        neutral,
      };
      const explanation = await confirmSubject(own, subjects, about, search);
      explanations.push({ ...explanation, feature: own.feature ?? explanation.feature });
    }
  if (explanations.some((one) => mayExplain(one, search))) return explanations;
  const subject = mustReject(expected) && !parts.includes(CREDENTIAL) ? subjectOf(search) : undefined;
  const isUnknown = subject === undefined && conditions.length === 0 && parts.length > 0;
  const plainer = plainerValues(state, sweeps, search);
  const known = isUnknown ? await describeByLabel(state, search) : { conditions, sweeps };
  return [await confirmExplanation({ state, plainer, subject, parts, neutral, ...known }, search)];
}
