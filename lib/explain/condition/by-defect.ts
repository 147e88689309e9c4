import { isUtf8 } from 'node:buffer';
import { membersOf } from '../../members.ts';
import { JsonObject } from '../../payloads/json.ts';
import { type ModelRequest, madeValid } from '../../payloads/model/model-request.ts';
import { noCredential } from '../../payloads/test-case.ts';
import { confirmExplanation, type Unconfirmed } from '../experiment/confirm-explanation.ts';
import { mayExplain, typeIn } from '../experiment/covers.ts';
import { type Feature, FRESH_BYTES, separating } from '../experiment/features.ts';
import { withPlainest } from '../experiment/plainest-request.ts';
import { everyTime, type Search } from '../experiment/search.ts';
import { type SweepResult, sweep } from '../experiment/sweep.ts';
import type { Condition } from '../explanation/condition.ts';
import type { Explanation } from '../explanation/explanation.ts';
import { labelOf } from '../explanation/labels.ts';
import { BODY, CREDENTIAL, differences } from '../explanation/request-parts.ts';
import { keyOf } from '../symptom/symptom.ts';
import { isWrong400 } from '../symptom/target-symptom.ts';
import {
  type Candidate,
  type CandidateClass,
  exactNameIn,
  isIn,
  type NamedCandidates,
  nameCandidates,
  type Sweep,
} from '../values/candidates.ts';
import { credentialSweep } from '../values/credentials.ts';
import { NOT_JSON } from '../values/defect-classes.ts';
import { defectSweep, isAboutBytes, TRUNCATED } from '../values/defects.ts';
import { idsBetween } from '../values/ids.ts';
import { canBePadded, sizesBetween } from '../values/sizes.ts';
import { type ConditionSearchResult, findMoreConditions, UNCONDITIONAL } from './conditions.ts';

const labelsOf = (candidates: readonly Candidate[]): readonly string[] =>
  candidates.flatMap(({ label }) => label ?? []);

/** Explains the symptom if every 400 response shows it, whatever was wrong with the request. */
export async function explainEvery400(search: Search): Promise<Explanation | undefined> {
  if (!isWrong400(search.symptom)) return undefined;
  const { ordinary } = search;
  const rejected: readonly ModelRequest[] = [
    { ...ordinary, defect: { json: new JsonObject([]) } },
    { ...ordinary, defect: TRUNCATED },
    { ...ordinary, defect: { json: null } },
    { ...ordinary, defect: { json: ordinary.plant.with('name', 7n) } },
    { ...ordinary, defect: { noBody: true } },
    { ...ordinary, credential: noCredential },
  ];
  let shown: ModelRequest | undefined;
  for (const request of rejected) {
    const shows = await search.shows(request);
    if (shows === false) return undefined;
    if (shows === true) shown ??= request;
  }
  return shown === undefined ? undefined : confirmExplanation({ request: shown }, search);
}

/**
 * Tries all defects of a body, or all invalid credentials, in otherwise ordinary requests, to see which of
 * them show the symptom.
 *
 * @returns `unsteady` if that depends on earlier requests; undefined if the defect or credential of the
 * failure does not show the symptom by itself
 */
export async function explainByDefect(
  isBody: boolean,
  search: Search,
): Promise<readonly Explanation[] | 'unsteady' | undefined> {
  const kind = `${isBody}/${isNotUtf8(search)}`;
  const subjects = await search.experiments.cached(`subjects/${kind}/${keyOf(search.symptom)}`, () =>
    findSubjects(search.ordinary, isBody, search),
  );
  if (await beganToShow(subjects, search)) return 'unsteady';
  const labels = subjects.named.flatMap(({ candidates }) => labelsOf(candidates));
  const label = labelOf(search.failure);
  const triedLabels = labelsOf(subjects.candidates);
  if (subjects.named.length === 0 || (triedLabels.includes(label) && !labels.includes(label)))
    return undefined;
  const explanations: Explanation[] = [];
  for (const subject of subjects.named) {
    const [candidate] = subject.candidates;
    if (candidate === undefined) continue;
    const request = candidate.apply(subjects.base);
    const others = search.experiments.ordinaryFor(search.symptom).map((one) => candidate.apply(one));
    const among =
      subject.feature === undefined
        ? await findMoreConditions(request, others, search)
        : { ...UNCONDITIONAL, conditions: conditionsOf(subject) };
    const parts = [isBody ? BODY : CREDENTIAL, ...among.parts];
    const plainer = withPlainest(subject.candidates, subjects.base, search.experiments);
    const about = { ...among, request, plainer, parts };
    const explanation = await confirmSubject(subject, subjects, about, search);
    // The first result was a coincidence.
    if (explanation.inside[0] < explanation.inside[1]) return undefined;
    if (explanations.length === 0 && (await passesAfterPlant(explanation.request, search))) return 'unsteady';
    const { feature = explanation.feature } = subject;
    explanations.push({ ...explanation, triedLabels, feature });
  }
  // Other invalid bodies that the store also accepts do not explain this failure.
  const isOther =
    isBody && !triedLabels.includes(label) && !explanations.some((one) => mayExplain(one, search));
  return isOther ? undefined : explanations;
}

/** Whether a request that failed after many like it passes right after a valid one: a store may count them. */
const passesAfterPlant = (request: ModelRequest, search: Search): Promise<boolean> =>
  everyTime(2, async () => {
    await search.experiments.send(search.ordinary);
    return (await search.shows(request)) === false;
  });

/** Explains the symptom by one set of defects or credentials that show it. */
export async function confirmSubject(
  { condition, candidates }: NamedCandidates,
  subjects: Subjects,
  { sweeps, ...known }: Unconfirmed & Pick<ConditionSearchResult, 'sweeps'>,
  search: Search,
): Promise<Explanation> {
  const about = { ...known, subject: condition, sweeps: [{ ...subjects, shown: candidates }, ...sweeps] };
  const { property } = condition;
  const texts = candidates.map((one) => search.experiments.textOf(one.apply(subjects.base)));
  const types =
    property === undefined ? {} : { types: new Set(texts.flatMap((text) => typeIn(text, property) ?? [])) };
  return { ...(await confirmExplanation(about, search)), ...types, labels: labelsOf(candidates) };
}

/** Limits a sweep to some candidates. Drops a class that lost members if a narrower one now has the same. */
function limitedTo(candidates: readonly Candidate[], all: Sweep): Sweep {
  const membersOfClass = (one: CandidateClass) => candidates.filter(isIn(one));
  const classes = all.classes.filter((one, index) => {
    const members = membersOfClass(one);
    const hasLost = members.length < all.candidates.filter(isIn(one)).length;
    const isSame = (other: CandidateClass) =>
      membersOfClass(other).length === members.length && members.every(isIn(other));
    return !hasLost || !all.classes.slice(index + 1).some(isSame);
  });
  return { ...all, candidates, classes };
}

/** Whether a request has the same values as `base` in all properties that the conditions are about. */
function meetsAll(
  conditions: readonly Condition[],
  request: ModelRequest,
  base: ModelRequest,
  { contract: { newPlant }, experiments }: Search,
): boolean {
  const [values, wanted] = [request, base].map((one) => membersOf(experiments.textOf(one)));
  return conditions.every(
    ({ part = '' }) =>
      !newPlant.shape.properties.has(part) ||
      JSON.stringify(values?.[part]) === JSON.stringify(wanted?.[part]),
  );
}

const isNotUtf8 = ({ failure, contract }: Search): boolean =>
  isAboutBytes(labelOf(failure), contract) || !isUtf8(failure.exchange.request.body ?? new Uint8Array());

/** Whether a candidate that did not show the symptom at first shows it now. */
async function beganToShow(
  { base, notShown, shown, candidates }: Subjects,
  search: Search,
): Promise<boolean> {
  const [[first], [earliest]] = [notShown, shown];
  if (first === undefined || earliest === undefined) return false;
  const isEarlier = candidates.indexOf(first) < candidates.indexOf(earliest);
  return isEarlier && search.showsEachTime(first.apply(base), 2);
}

export interface Subject extends NamedCandidates {
  /** Set if a common feature of the bodies decides, rather than their defects. */
  readonly feature?: Feature;
}

/** The condition that the common feature adds, unless it says what is wrong with the bodies. */
export const conditionsOf = ({ feature }: Subject): readonly Condition[] =>
  feature === undefined || feature.isOfDefect === true ? [] : [feature.condition];

interface Subjects extends SweepResult {
  readonly named: readonly Subject[];
  readonly base: ModelRequest;
  readonly candidates: readonly Candidate[];
}

/**
 * Tries everything that makes a body, or a credential, invalid, and names what shows the symptom.
 *
 * @param conditions only bodies that meet them are tried
 */
export async function findSubjects(
  request: ModelRequest,
  isBody: boolean,
  search: Search,
  conditions: readonly Condition[] = [],
): Promise<Subjects> {
  const { contract, token } = search.experiments;
  const { defect: _, ...unchanged } = request;
  const valid = madeValid(request);
  const base = isBody ? { ...unchanged, plant: repaired(valid, search) } : valid;
  const all = isBody
    ? defectSweep(contract, base.plant, isNotUtf8(search), search.symptom.kind === 'server-error')
    : credentialSweep(token);
  const meets = (candidate: Candidate) => {
    const tried = candidate.apply(base);
    const names = Object.keys(membersOf(search.experiments.textOf(tried)));
    const isReliable = !names.some((name) => search.unreliable.includes(name));
    return isReliable && meetsAll(conditions, tried, base, search);
  };
  const values = isBody ? limitedTo(all.candidates.filter(meets), all) : all;
  const swept = await sweep(values, base, search, false);
  const [only, ...others] = swept.named;
  const isScattered = others.length > 0 || (only?.isExact === false && only.isListed !== true);
  const separated =
    isBody && isScattered ? await findSeparating(swept, values.classes, base, search) : undefined;
  return { ...swept, named: separated ?? swept.named, base, candidates: values.candidates };
}

/** Finds the broadest class of bodies in which a feature separates those with the symptom from the rest. */
async function findSeparating(
  swept: SweepResult,
  classes: readonly CandidateClass[],
  base: ModelRequest,
  search: Search,
): Promise<readonly Subject[] | undefined> {
  const { contract, experiments } = search;
  const { shown, notShown } = swept;
  const textOf = (candidate: Candidate) => experiments.textOf(candidate.apply(base));
  // Some stores read no body as an empty object.
  const isNotJson = (candidate: Candidate) =>
    candidate.classes.includes(NOT_JSON) && textOf(candidate) !== '';
  // If the store already rejects non-JSON in the parser, compare only bodies that pass the parser.
  const isParsed = !shown.some(isNotJson);
  const tried = (one: CandidateClass) =>
    [...shown, ...notShown]
      .filter(isIn(one))
      .filter((candidate) => !(isParsed && isNotJson(candidate)))
      .map((candidate) => [textOf(candidate), shown.includes(candidate)] as const);
  for (const one of classes) {
    if (!shown.every(isIn(one))) continue;
    const separated = separating(tried(one), contract);
    if (separated === undefined) continue;
    const without = notShown.filter(isIn(one)).map((candidate) => candidate.apply(base));
    if (!(await decides(separated, without, search))) continue;
    const sized = await withExactSize(separated, swept, base, search);
    const feature = await withExactId(sized, swept, base, search);
    const hasFeature = (candidate: Candidate) => feature.has(textOf(candidate));
    const others = shown.filter((candidate) => !hasFeature(candidate));
    const tries = [...others, ...notShown].map(
      (candidate) => [candidate, others.includes(candidate)] as const,
    );
    const rest = nameCandidates(new Map(tries), classes);
    const isOther = exactNameIn(rest) !== undefined;
    const candidates = isOther ? shown.filter(hasFeature) : shown;
    const condition = feature.isOfDefect === true ? feature.condition : one.condition;
    return [{ ...one, condition, candidates, isExact: true, feature }, ...(isOther ? rest : [])];
  }
  return undefined;
}

/** Maximum number of bodies to pad until one reveals the limit. */
const MAX_PADDED = 3;

/** If the size of the body decides, finds the exact limit by padding the largest body below it. */
async function withExactSize(
  feature: Feature,
  { shown, notShown }: SweepResult,
  base: ModelRequest,
  search: Search,
): Promise<Feature> {
  if (feature.limitBetween === undefined) return feature;
  const [below, size] = feature.limitBetween;
  const { experiments } = search;
  const sizeOf = (request: ModelRequest) => experiments.sizeOf(request);
  // Bodies that show the symptom although they lack the feature, or the other way round, have another fault.
  const lower = [...shown, ...notShown]
    .filter((one) => feature.has(experiments.textOf(one.apply(base))) === shown.includes(one))
    .map((candidate) => candidate.apply(base))
    .filter((request) => sizeOf(request) <= below && canBePadded(experiments.textOf(request)))
    .toSorted((a, b) => sizeOf(b) - sizeOf(a));
  // The length of a fresh value varies, so the largest body may now be above the limit: then a clearly smaller one is
  // tried.
  for (const request of spacedOut(lower, sizeOf).slice(0, MAX_PADDED)) {
    const [limit] = (await sweep(sizesBetween(sizeOf(request), size), request, search, false)).named;
    if (limit?.isExact !== true) continue;
    const { bytesAbove } = limit.condition;
    const has =
      bytesAbove === undefined ? feature.has : (body: string) => Buffer.byteLength(body) > bytesAbove;
    return { ...feature, condition: limit.condition, has };
  }
  return feature;
}

/** Of requests by falling size, those that are smaller than the one before by more than a fresh value may vary. */
function spacedOut(
  bySize: readonly ModelRequest[],
  sizeOf: (request: ModelRequest) => number,
): readonly ModelRequest[] {
  const kept: ModelRequest[] = [];
  for (const request of bySize) {
    const last = kept.at(-1);
    if (last === undefined || sizeOf(last) - sizeOf(request) > FRESH_BYTES) kept.push(request);
  }
  return kept;
}

/** If the magnitude of the id decides, finds the limit with one of the failing bodies. */
async function withExactId(
  feature: Feature,
  { shown }: SweepResult,
  base: ModelRequest,
  search: Search,
): Promise<Feature> {
  const [first] = shown;
  if (feature.idBetween === undefined || first === undefined) return feature;
  const [limit] = (await sweep(idsBetween(...feature.idBetween), first.apply(base), search, false)).named;
  return limit?.isExact === true ? { ...feature, condition: limit.condition } : feature;
}

/** Whether adding the feature makes a request show the symptom; true if that cannot be tried. */
async function decides(
  { add, has }: Feature,
  without: readonly ModelRequest[],
  search: Search,
): Promise<boolean> {
  if (add === undefined) return true;
  const request = without
    .map((one) => ({ ...one, edits: [...one.edits, add] }))
    .find((one) => has(search.experiments.textOf(one)));
  return request === undefined || (await search.shows(request)) !== false;
}

/** The plant, with the ordinary value in place of an invalid one. */
function repaired(request: ModelRequest, search: Search): ModelRequest['plant'] {
  const { ordinary } = search;
  if (search.expectedOutcomeOf(request) === 'accept') return request.plant;
  const candidate = differences(ordinary, request)
    .map((part) => part.copy(ordinary, request))
    .find((next) => search.expectedOutcomeOf(next) !== 'reject-body');
  return candidate === undefined ? ordinary.plant : withoutMisnamed(candidate.plant, search);
}

/** Leaves out what a store may take for a declared property: its name in another case, or with a space. */
function withoutMisnamed(plant: JsonObject, { contract }: Search): JsonObject {
  const { properties } = contract.newPlant.shape;
  const isMisnamed = (name: string) =>
    !properties.has(name) && properties.has(name.replace(/[\s\0]/g, '').toLowerCase());
  return new JsonObject(plant.members.filter(([name]) => !isMisnamed(name)));
}
