import { stringsOf } from '../../contract/shape.ts';
import { Raw } from '../../payloads/json.ts';
import type { ModelRequest } from '../../payloads/model/model-request.ts';
import { ID } from '../../payloads/plants.ts';
import { confirmExplanation } from '../experiment/confirm-explanation.ts';
import { withinBudget } from '../experiment/experiments.ts';
import { wholeIdIn } from '../experiment/remainders.ts';
import { REPEATS, type Search } from '../experiment/search.ts';
import { sweep } from '../experiment/sweep.ts';
import { type Explanation, withFixedId } from '../explanation/explanation.ts';
import { type RequestPart, withParts } from '../explanation/request-parts.ts';
import { mustReject } from '../symptom/detect-symptoms.ts';
import { type Candidate, exactNameIn } from '../values/candidates.ts';
import { TRUNCATED } from '../values/defects.ts';
import { idSweep, idsFrom } from '../values/ids.ts';
import { orderSweep } from '../values/order.ts';
import { nestingIn } from '../values/sizes.ts';
import { textSweep } from '../values/strings.ts';
import { explainByDefect, explainEvery400 } from './by-defect.ts';
import { explainByExactSize, explainLargeBody } from './by-size.ts';
import { findMoreConditions, isOfPlant, UNCONDITIONAL } from './conditions.ts';
import { explainParts } from './explain-parts.ts';
import { reduce } from './reduce.ts';
import { explainBySimilar } from './similar-request.ts';

/** Finds the condition under which a failure shows; undefined if it does not show again. */
export async function investigate(search: Search): Promise<readonly Explanation[] | undefined> {
  const { ordinary } = search;
  const failingRequest = search.failingRequest && (await tryNearbyIds(search.failingRequest, search));
  if (failingRequest === undefined) return undefined;
  const everywhere = await explainEvery400(search);
  if (everywhere !== undefined) return [everywhere];
  const byInvalidity = await explainInvalidRequest(failingRequest, search);
  if (byInvalidity !== 'something else') return byInvalidity;
  const shown: ModelRequest[] = [];
  const notShown: ModelRequest[] = [];
  for (const variant of search.ordinaryVariants) {
    const shows = await search.shows(variant);
    if (shows === true) shown.push(variant);
    else if (shows === false) notShown.push(variant);
  }
  if (shown.length > 0 && notShown.length > 0 && !(await isSteady(shown, notShown, search))) return undefined;
  const [failing = failingRequest] = shown;
  const [passingVariant] = notShown;
  const base = passingVariant ?? search.ordinaryVariants[0] ?? ordinary;
  if (shown.length === 0) {
    const found = (await explainByExactSize(search)) ?? (await explainBySimilar(failingRequest, search));
    if (found !== undefined) return found;
    if (!(await search.recurs(failingRequest))) return explainByClassOfId(failingRequest, base, search);
  }
  if (passingVariant === undefined && shown.length > 0) return explainUnconditional(failing, search);
  const { request, parts } = await reduce(failing, base, search);
  const found = await explainParts(request, parts, passingVariant ?? ordinary, search);
  return parts.length === 0 ? found : addSharedConditions(found, request, parts, search);
}

/** The failing request with ids close to its own, if all fail: part of the range of ordinary ids may fail. */
async function tryNearbyIds(request: ModelRequest, search: Search): Promise<ModelRequest> {
  const own = request.plant.get(ID);
  const id = wholeIdIn(search.failure.exchange);
  if (!(own instanceof Raw) || own.choices === 1 || id === undefined || search.isSlow) return request;
  const nearby = { ...request, plant: request.plant.with(ID, idsFrom(id)) };
  return (await search.recurs(nearby)) ? nearby : request;
}

/**
 * Explains the failure by what is wrong with the request, or as malformed JSON if the store treats the body
 * as such.
 *
 * @returns undefined if the failure depends on earlier requests; `something else` if that is not what matters
 */
async function explainInvalidRequest(
  failingRequest: ModelRequest,
  search: Search,
): Promise<readonly Explanation[] | 'something else' | undefined> {
  const expected = search.expectedOutcomeOf(failingRequest);
  const byOwnDefect = mustReject(expected)
    ? await explainByDefect(expected === 'reject-body', search)
    : undefined;
  const found =
    byOwnDefect ??
    (expected === 'reject-body' ? await withinBudget(() => explainLargeBody(search)) : undefined) ??
    ((await isUnparsed(failingRequest, search)) ? await explainByDefect(true, search) : 'something else');
  return found === 'unsteady' ? undefined : found;
}

/** Adds further conditions: what the ordinary and the failing request have in common may matter as well. */
async function addSharedConditions(
  explanations: readonly Explanation[],
  request: ModelRequest,
  parts: readonly RequestPart[],
  search: Search,
): Promise<readonly Explanation[]> {
  const others = search.ordinaryVariants.map((base) => withParts(parts, request, base));
  const { conditions, sweeps } =
    (await withinBudget(() => findMoreConditions(request, others, search))) ?? UNCONDITIONAL;
  const further = ({ conditions: own }: Explanation) =>
    own.some(({ isSmaller }) => isSmaller) ? conditions.filter((one) => !isOfPlant(one, search)) : conditions;
  return explanations.map((one) => ({
    ...one,
    conditions: [...one.conditions, ...further(one)],
    ladders: [...one.ladders, ...sweeps.map(({ ladder }) => ladder)],
  }));
}

/** Minimum number of failing ids between two limits. */
const MIN_IN_RANGE = 10;

/** Explains the failure by a class of ids, if the failing id fails each time while similar ids pass. */
async function explainByClassOfId(
  failingRequest: ModelRequest,
  base: ModelRequest,
  search: Search,
): Promise<readonly Explanation[] | undefined> {
  const { freshId } = search.failure.exchange.request;
  const failing = freshId === undefined ? undefined : withFixedId(failingRequest, freshId);
  if (failing === undefined || !(await search.recurs(failing))) return undefined;
  const { request, parts } = await reduce(failing, base, search);
  if (!parts.some(({ name }) => name === ID)) return undefined;
  const { named, shown, notShown } = await sweep(idSweep, request, search, false);
  const exact = exactNameIn(named);
  // A few values may fail by chance: a single one of a class, or some between two limits.
  const isClass = (exact?.candidates.length ?? 0) > 1;
  const isRange = exact?.candidates.length === 0 && shown.length >= MIN_IN_RANGE;
  return notShown.length === 0 || (!isClass && !isRange)
    ? undefined
    : explainParts(request, parts, base, search);
}

/** Whether a deeply nested body fails like malformed JSON: some parsers reject deep nesting as malformed. */
const isUnparsed = async (failing: ModelRequest, search: Search): Promise<boolean> =>
  nestingIn(search.experiments.textOf(failing)) !== undefined &&
  (await search.shows({ ...search.ordinary, defect: TRUNCATED })) === true;

/** Whether requests that failed, and requests that passed, do so again with fresh values. */
async function isSteady(
  shown: readonly ModelRequest[],
  notShown: readonly ModelRequest[],
  search: Search,
): Promise<boolean> {
  for (const request of shown) if (!(await search.showsEachTime(request, 2))) return false;
  for (const request of notShown) if (await search.showsAtLeastOnce(request, 2)) return false;
  return true;
}

/** Explains a symptom that every ordinary request shows. Looks for unusual values that do not show it. */
async function explainUnconditional(request: ModelRequest, search: Search): Promise<readonly Explanation[]> {
  const { shape } = search.contract.newPlant;
  const texts = stringsOf(shape).map((name) => textSweep(name, shape.required.has(name)));
  const sweeps = search.symptom.kind === 'rejects' ? [idSweep, orderSweep(request.plant), ...texts] : [];
  for (const one of sweeps) {
    const swept = await sweep(one, request, search, true);
    const [first] = swept.named;
    if (swept.notShown.length === 0 || first?.isExact !== true) continue;
    if (await showsNow(swept.notShown, request, search)) continue;
    return [await confirmExplanation({ request, conditions: [first.condition], sweeps: [swept] }, search)];
  }
  return explainParts(request, [], undefined, search);
}

/** Whether values that passed earlier fail now. If so, earlier requests matter, not the values. */
async function showsNow(
  candidates: readonly Candidate[],
  request: ModelRequest,
  search: Search,
): Promise<boolean> {
  for (const candidate of candidates.slice(0, REPEATS))
    if ((await search.shows(candidate.apply(request))) === true) return true;
  return false;
}
