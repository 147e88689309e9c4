import { compact } from '../../collections.ts';
import type { Contract } from '../../contract/contract.ts';
import { stringsOf } from '../../contract/shape.ts';
import { withWords } from '../../payloads/fresh.ts';
import { type FreshText, write } from '../../payloads/json.ts';
import { modelsOf } from '../../payloads/model/model.ts';
import type { ModelRequest } from '../../payloads/model/model-request.ts';
import { ID } from '../../payloads/plants.ts';
import { isValid } from '../../payloads/validity.ts';
import { headerValue } from '../../wire/headers.ts';
import { withinBudget } from '../experiment/experiments.ts';
import { findRareRemainder, wholeIdIn } from '../experiment/remainders.ts';
import type { Search } from '../experiment/search.ts';
import { type SweepResult, sweep } from '../experiment/sweep.ts';
import { areVague, type Condition } from '../explanation/condition.ts';
import type { Explanation } from '../explanation/explanation.ts';
import { BODY, CREDENTIAL, type RequestPart, WHITE_SPACE } from '../explanation/request-parts.ts';
import { mustReject } from '../symptom/detect-symptoms.ts';
import { exactNameIn, isIn, type Sweep } from '../values/candidates.ts';
import { credentialSweep } from '../values/credentials.ts';
import { defectSweep } from '../values/defects.ts';
import { headerSweep } from '../values/headers.ts';
import { idSweep } from '../values/ids.ts';
import { escapeSweep } from '../values/list-members.ts';
import { methodSweep } from '../values/methods.ts';
import {
  headerValuesIn,
  modelSweep,
  WITH_EVERY_ESCAPE,
  WITH_INHERITED_NAME,
  WITH_REPEATED_PROPERTY,
  WITH_UNUSUAL_NAME,
  withRepeatedNames,
} from '../values/model.ts';
import { orderSweep } from '../values/order.ts';
import { depthSweep, nestingIn, paddedTo, sizeSweep, sizesBetween, withRealSize } from '../values/sizes.ts';
import {
  inheritedNameSweep,
  lengths,
  propertyNameSweep,
  stringIn,
  textSweep,
  undeclaredLengthSweep,
  undeclaredNumberSweep,
} from '../values/strings.ts';
import { wordsOf } from '../wording/request-words.ts';
import { addPartOfText } from './part-of-text.ts';
import { reduce } from './reduce.ts';

export interface ConditionSearchResult extends Pick<Explanation, 'conditions' | 'parts' | 'neutral'> {
  readonly sweeps: readonly SweepResult[];
}

export const UNCONDITIONAL: ConditionSearchResult = {
  conditions: [],
  sweeps: [],
  parts: [],
  neutral: undefined,
};

/** Finds further conditions: requests that differ from `request` only in the plant may not show the symptom. */
export async function findMoreConditions(
  request: ModelRequest,
  others: readonly ModelRequest[],
  search: Search,
): Promise<ConditionSearchResult> {
  for (const other of others) {
    if ((await search.shows(other)) !== false) continue;
    if ((await search.shows(other)) !== false || (await search.shows(request)) !== true) return UNCONDITIONAL;
    const { request: reduced, parts } = await reduce(request, other, search);
    return { ...(await findConditions(reduced, parts, other, search)), parts, neutral: other };
  }
  return UNCONDITIONAL;
}

/** If more undeclared properties than this matter, what matters is their number. */
const MAX_UNDECLARED = 3;

/**
 * Finds a condition for each part that matters, and how far it reaches.
 *
 * @param neutral a request that does not show the symptom, if one is known
 */
export async function findConditions(
  request: ModelRequest,
  parts: readonly RequestPart[],
  neutral: ModelRequest | undefined,
  search: Search,
): Promise<Pick<ConditionSearchResult, 'conditions' | 'sweeps'>> {
  const conditions: Condition[] = [];
  const sweeps: SweepResult[] = [];
  const undeclared = parts.filter(
    ({ name }) =>
      !search.contract.newPlant.shape.properties.has(name) && request.plant.get(name) !== undefined,
  );
  const isNumber = undeclared.length > MAX_UNDECLARED;
  /** Parts that the condition about the number covers: so many properties have too many orders to try. */
  const isOfNumber = (part: RequestPart) => undeclared.includes(part) || part.name === 'property order';
  if (isNumber)
    conditions.push({
      phrase: `with ${undeclared.length} or more undeclared properties`,
      topics: ['undeclared property'],
    });
  const equal = await withinBudget(() => findEqualTexts(parts, request, search));
  if (equal !== undefined) conditions.push(equal.condition);
  for (const part of parts) {
    if (equal?.parts.includes(part) === true) continue;
    if (isSubject(part, request, neutral, search) || (isNumber && isOfNumber(part))) continue;
    const { condition, swept } = await findConditionOf(part, request, neutral, search);
    sweeps.push(...compact(swept));
    // A slow symptom allows only a few tries, so a part may have been kept although it does not matter.
    const isRefuted =
      search.isSlow && parts.length > 1 && swept?.shown.length === 0 && swept.notShown.length > 0;
    if (!isRefuted) conditions.push(condition);
  }
  const isOrder = parts.some(({ name }) => name === 'property order');
  const isKnown = conditions.length > 0 && !areVague(conditions);
  const order =
    isKnown && !isOrder && !isNumber ? await withinBudget(() => findOrders(request, search)) : undefined;
  conditions.push(...(order?.named ?? []).map(({ condition }) => condition));
  sweeps.push(...compact(order));
  const size = await withinBudget(() => findShortness(conditions, request, neutral, search));
  if (size === undefined) return { conditions, sweeps };
  return { conditions: [size, ...conditions.filter((one) => !isOfPlant(one, search))], sweeps };
}

export const isOfPlant = ({ part = '' }: Condition, { contract }: Search): boolean =>
  contract.newPlant.shape.properties.has(part);

/** If several properties matter, finds whether that is because together they make the body short. */
async function findShortness(
  conditions: readonly Condition[],
  request: ModelRequest,
  neutral: ModelRequest | undefined,
  search: Search,
): Promise<Condition | undefined> {
  const { experiments } = search;
  if (neutral === undefined || conditions.filter((one) => isOfPlant(one, search)).length < 2)
    return undefined;
  const [size, usual] = [request, neutral].map((one) => experiments.sizeOf(one));
  if (size === undefined || usual === undefined || size >= usual) return undefined;
  // Otherwise, exactly these bytes may be what matters.
  const longer = { ...request, edits: [...request.edits, paddedTo(size + 1)] };
  if ((await search.shows(longer)) !== true) return undefined;
  const [limit] = (await sweep(sizesBetween(size, usual), request, search, false)).named;
  return limit?.isExact === true ? limit.condition : undefined;
}

/** If two texts that matter are the same, finds whether that is why they matter. */
async function findEqualTexts(
  parts: readonly RequestPart[],
  request: ModelRequest,
  search: Search,
): Promise<{ readonly condition: Condition; readonly parts: readonly RequestPart[] } | undefined> {
  const strings = stringsOf(search.contract.newPlant.shape);
  const [first, second] = parts.filter(({ name }) => strings.includes(name));
  if (first === undefined || second === undefined) return undefined;
  const textOf = ({ name }: RequestPart) => write(request.plant.get(name) ?? null, 1n);
  if (textOf(first) !== textOf(second)) return undefined;
  const text = withWords((word) => word(9));
  const withTexts = (other: FreshText): ModelRequest => ({
    ...request,
    plant: request.plant.with(first.name, text).with(second.name, other),
  });
  const reversed = text.map((letters) => [...letters].reverse().join(''));
  const decides =
    (await search.showsEachTime(withTexts(text), 2)) &&
    !(await search.showsAtLeastOnce(withTexts(reversed), 2));
  if (!decides) return undefined;
  const [property, other] = [second.name, first.name];
  const clause = `${property} equals ${other}`;
  return {
    condition: { clause, property, otherProperties: [other], part: property },
    parts: [first, second],
  };
}

/** Whether a part is what makes the request invalid: that is the subject of the cause, never a condition. */
function isSubject(
  part: RequestPart,
  request: ModelRequest,
  neutral: ModelRequest | undefined,
  search: Search,
): boolean {
  const expected = search.expectedOutcomeOf(request);
  if (!mustReject(expected)) return false;
  if (search.invalidParts.includes(part)) return true;
  const isBodyRight = () =>
    neutral !== undefined && search.expectedOutcomeOf(part.copy(neutral, request)) !== 'reject-body';
  return expected === 'reject-body' && (part === BODY || isBodyRight());
}

/** The condition for one part, and the values that were tried to find out how far it reaches. */
async function findConditionOf(
  part: RequestPart,
  request: ModelRequest,
  neutral: ModelRequest | undefined,
  search: Search,
): Promise<{ readonly condition: Condition; readonly swept: SweepResult | undefined }> {
  const { name } = part;
  const without = neutral === undefined ? request : part.copy(neutral, request);
  // Keep a property in its position, which may matter, too.
  const isProperty = search.contract.newPlant.shape.properties.has(name);
  const base = isProperty && !isRepeated(name, request) ? request : without;
  const values = neutral && sweepOf(part, request, neutral, search);
  const isAccepted = search.expectedOutcomeOf(request) === 'accept';
  // If no budget is left to find out how far it reaches, report what is known.
  const sweepAll = (one: Sweep | undefined) =>
    one && withinBudget(() => sweep(one, base, search, isAccepted));
  const first = await sweepAll(values);
  const whole = first?.notShown.length === 0 ? ((await sweepAll(values?.instead)) ?? first) : first;
  const swept = isProperty && whole !== undefined ? await addPartOfText(name, whole, request, search) : whole;
  const size = neutral && (await withinBudget(() => findSize(part, swept, request, without, search)));
  const rare = await withinBudget(() => findRemainder(name, swept, base, search));
  const own = size ?? rare ?? byValues(swept, isProperty) ?? wordsOf(part, request, search);
  const condition = (await withinBudget(() => findTotalLength(own, request, search))) ?? own;
  return { condition: { ...condition, part: name }, swept };
}

/** If a text may be longer when another one is shorter, the limit is on their total length. */
async function findTotalLength(
  { statement }: Condition,
  request: ModelRequest,
  search: Search,
): Promise<Condition | undefined> {
  if (statement?.is !== 'longer than') return undefined;
  const { property, characters, upTo = Number.POSITIVE_INFINITY } = statement;
  const tooLong = lengthened(property, characters + 1, request);
  for (const other of stringsOf(search.contract.newPlant.shape)) {
    const { length } = stringIn(request.plant.get(other)) ?? '';
    const moved = Math.min(length - SHORT, upTo - characters - 1);
    if (other === property || moved <= 0) continue;
    const shorter = lengthened(other, length - moved, tooLong);
    const longer = lengthened(property, characters + 1 + moved, shorter);
    const isTotal =
      (await search.showsEachTime(tooLong, 2)) &&
      !(await search.showsAtLeastOnce(shorter, 2)) &&
      (await search.showsEachTime(longer, 2));
    if (!isTotal) continue;
    const properties = [property, other].toSorted();
    const total = characters + length;
    const clause = `${properties.join(' and ')} together are longer than ${total} characters`;
    const together = { properties, characters: total };
    return { clause, property, otherProperties: [other], isLarger: true, topics: ['size'], together };
  }
  return undefined;
}

/** The length of a text that is shorter than usual, but can still be new each time. */
const SHORT = 6;

const lengthened = (property: string, characters: number, request: ModelRequest): ModelRequest =>
  lengths(property).apply(request, BigInt(characters));

function byValues(swept: SweepResult | undefined, isProperty: boolean): Condition | undefined {
  // If all ids show the symptom, their values do not matter.
  if (swept?.ladder.part === ID && swept.notShown.length === 0) return undefined;
  const [named] = swept?.named ?? [];
  const condition = named?.condition;
  if (condition?.isPartial !== true) return condition;
  // A partial list of failing values says something only about a property, and little if most values fail.
  const [shown, notShown] = [swept?.shown.length ?? 0, swept?.notShown.length ?? 0];
  if (!isProperty) return undefined;
  return shown > notShown * FEW_FACTOR ? { ...condition, isMost: true } : condition;
}

/** If more values than this, for each that passes, show the symptom, a list of them says little. */
const FEW_FACTOR = 2;

/** If no class of ids fits the ids that fail, a remainder may. */
async function findRemainder(
  name: string,
  swept: SweepResult | undefined,
  base: ModelRequest,
  search: Search,
): Promise<Condition | undefined> {
  const [candidate] = swept?.shown ?? [];
  if (name !== ID || candidate === undefined || swept?.named[0]?.isExact === true) return undefined;
  const exchange = await search.failingExchange(candidate.apply(base));
  const id = exchange && wholeIdIn(exchange);
  return id === undefined ? undefined : findRareRemainder(id, base, search);
}

/** The orders of properties that show the symptom, unless all of them do. */
async function findOrders(request: ModelRequest, search: Search): Promise<SweepResult | undefined> {
  if (search.expectedOutcomeOf(request) !== 'accept') return undefined;
  const swept = await sweep(orderSweep(request.plant), request, search, true);
  return swept.notShown.length > 0 && exactNameIn(swept.named) !== undefined ? swept : undefined;
}

/** If a part makes the request larger, its size may be what matters. */
async function findSize(
  part: RequestPart,
  swept: SweepResult | undefined,
  request: ModelRequest,
  without: ModelRequest,
  search: Search,
): Promise<Condition | undefined> {
  if (search.experiments.sizeOf(request) <= search.experiments.sizeOf(without)) return undefined;
  const [known] = swept?.named ?? [];
  if (known?.isExact === true && known.condition.isLarger !== true) return undefined;
  const size = await sweep(sizeSweep, without, search, search.expectedOutcomeOf(without) === 'accept');
  const [limit] = size.named;
  if (size.shown.length === 0 || limit === undefined) return undefined;
  if (part === WHITE_SPACE && (await isOfWhiteSpace(request, without, search))) {
    const { bytesAbove } = limit.condition;
    const spaces = bytesAbove === undefined ? undefined : bytesAbove - search.experiments.sizeOf(without);
    return spaces === undefined
      ? undefined
      : { phrase: `with more than ${spaces} spaces in a row in the JSON text`, isLarger: true };
  }
  return withRealSize(limit.condition, without, (one) => search.experiments.sizeOf(one));
}

/** Whether a body that is as large without the white space, for its longer texts, does not show the symptom. */
async function isOfWhiteSpace(
  request: ModelRequest,
  without: ModelRequest,
  search: Search,
): Promise<boolean> {
  const size = search.experiments.sizeOf(request);
  for (const name of stringsOf(search.contract.newPlant.shape)) {
    const longer = lengthened(name, size, without);
    if (!isValid(search.contract, longer.plant)) continue;
    return !(await search.showsAtLeastOnce(longer, 2));
  }
  return false;
}

/** The values to try for one part. */
function sweepOf(
  part: RequestPart,
  request: ModelRequest,
  neutral: ModelRequest,
  { contract, experiments }: Search,
): Sweep | undefined {
  const { shape } = contract.newPlant;
  const { name, dimension } = part;
  if (experiments.expectedOutcomeOf(request) === 'reject-credential') {
    const { credential: _, ...authorised } = request;
    const { credential: __, ...repaired } = part.copy(neutral, request);
    // If the token is invalid anyway, a defect of the body is a condition like any other.
    const isDefect =
      experiments.expectedOutcomeOf(authorised) === 'reject-body' &&
      experiments.expectedOutcomeOf(repaired) !== 'reject-body';
    if (isDefect) return defectSweep(contract, neutral.plant);
    if (part === CREDENTIAL) return credentialSweep(experiments.token);
  }
  if (part === CREDENTIAL) return undefined;
  if (isRepeated(name, request)) {
    // Every way in which a declared property can occur twice.
    const { candidates, ...rest } = undeclaredSweep(contract);
    return { ...rest, candidates: candidates.filter(isIn({ id: WITH_REPEATED_PROPERTY })) };
  }
  if (name === ID) return idSweep;
  if (name === 'method') return methodSweep;
  if (name === 'property order') return orderSweep(neutral.plant);
  if (stringsOf(shape).includes(name))
    return textSweep(name, shape.required.has(name), request.plant.get(name));
  if (shape.properties.has(name)) return undefined;
  const undeclared = request.plant.get(name);
  if (undeclared !== undefined) {
    const nesting = nestingIn(write(undeclared, 0n));
    const names = undeclaredSweep(contract);
    const closer =
      nesting === undefined
        ? (undeclaredLengthSweep(name, undeclared) ?? undeclaredNumberSweep(name, undeclared))
        : depthSweep(name, nesting);
    return closer === undefined ? names : { ...closer, instead: names };
  }
  if (dimension !== undefined) return modelSweep(experiments.modelOf(request), dimension);
  const value = headerValue(request.template.headers ?? [], name.toLowerCase());
  return value === undefined
    ? undefined
    : headerSweep(name, value, headerValuesIn(modelsOf(contract)['accept-or-reject'], name));
}

const isRepeated = (property: string, { plant }: ModelRequest): boolean =>
  plant.members.filter(([name]) => name === property).length > 1;

function undeclaredSweep(contract: Contract): Sweep {
  const model = modelsOf(contract)['accept-or-reject'];
  const parts = ['undeclared names', 'undeclared values'].flatMap((name) => modelSweep(model, name) ?? []);
  const repeated = withRepeatedNames(
    parts.flatMap(({ candidates }) => candidates),
    contract,
  );
  return {
    part: 'undeclared properties',
    candidates: repeated.candidates,
    classes: [...(parts[0]?.classes ?? []), ...repeated.classes],
    closer: (shown) => {
      const [only, ...others] = shown;
      if (others.length === 0 && only?.value === WITH_INHERITED_NAME) return inheritedNameSweep;
      if (others.length === 0 && only?.value === WITH_EVERY_ESCAPE) return escapeSweep;
      return shown.length > 0 && shown.every(isIn({ id: WITH_UNUSUAL_NAME })) ? propertyNameSweep : undefined;
    },
  };
}
