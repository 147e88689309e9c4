import { JsonObject } from '../../payloads/json.ts';
import type { RequestState } from '../../payloads/model/dimension.ts';
import { nothing } from '../../payloads/test-case.ts';
import { type Found, foundIn, type Inquiry } from '../found.ts';
import { isWrong400, type Lab, type Wanted } from '../lab.ts';
import { ordinaryStates } from '../ordinary.ts';
import { isRejected, keyOf } from '../symptom/symptom.ts';
import { labelOf } from '../wording/words.ts';
import type { Candidate, CandidateClass } from './candidates.ts';
import { conditionsAmong, UNCONDITIONAL } from './conditions.ts';
import { type Feature, separating } from './features.ts';
import { BODY, CREDENTIAL, differences, type Part } from './parts.ts';
import { type Reach, sweep } from './sweep.ts';
import { credentialSweep } from './sweeps/credentials.ts';
import { defectSweep, isAboutBytes, NOT_JSON } from './sweeps/defects.ts';

/** Whether every 400 has the symptom, whatever it was that the store rejected. */
export async function inEveryRejection(ordinary: RequestState, inquiry: Inquiry): Promise<Found | undefined> {
  if (!isWrong400(inquiry.wanted)) return undefined;
  const rejected: readonly RequestState[] = [
    { ...ordinary, defect: { json: new JsonObject([]) } },
    { ...ordinary, defect: { corrupt: (text) => text.slice(0, -1) } },
    { ...ordinary, defect: { json: null } },
    { ...ordinary, defect: { json: ordinary.plant.with('name', 7n) } },
    { ...ordinary, defect: { noBody: true } },
    { ...ordinary, credential: nothing },
  ];
  let shown: RequestState | undefined;
  for (const state of rejected) {
    const shows = await inquiry.shows(state);
    if (shows === false) return undefined;
    if (shows === true) shown ??= state;
  }
  return shown === undefined ? undefined : foundIn({ state: shown }, inquiry);
}

/**
 * What has to be rejected and shows the symptom in otherwise ordinary requests.
 * @returns undefined if the failure does not; `unsteady` if it depends on what came before
 * @throws BudgetSpent
 */
export async function withSubjects(
  ordinary: RequestState,
  isBody: boolean,
  inquiry: Inquiry,
): Promise<readonly Found[] | 'unsteady' | undefined> {
  const kind = `${isBody}/${isAboutBytes(labelOf(inquiry.failure), inquiry.lab.contract)}`;
  const subjects = await inquiry.lab.remembered(`subjects/${kind}/${keyOf(inquiry.wanted)}`, () =>
    subjectsOf(ordinary, isBody, inquiry),
  );
  if (await beganToShow(subjects, inquiry)) return 'unsteady';
  const labels = subjects.named.flatMap(({ candidates }) => candidates.flatMap(({ label }) => label ?? []));
  const own = labelOf(inquiry.failure);
  if (subjects.named.length === 0 || (isKnown(own, subjects) && !labels.includes(own))) return undefined;
  const found: Found[] = [];
  const known = subjects.candidates.flatMap(({ label }) => label ?? []);
  for (const { words, candidates } of subjects.named) {
    const [candidate] = candidates;
    if (candidate === undefined) continue;
    const state = candidate.apply(subjects.base);
    const others = ordinaryStates(inquiry.lab.contract).map((one) => candidate.apply(one));
    const among =
      subjects.feature === undefined
        ? await conditionsAmong(state, others, inquiry)
        : { ...UNCONDITIONAL, conditions: [subjects.feature.words] };
    const reaches = [{ ...subjects, inside: candidates.length }, ...among.reaches];
    const parts = [isBody ? BODY : CREDENTIAL, ...among.parts];
    const about = { ...among, state, subject: words, reaches, parts };
    const one = await foundIn(about, inquiry);
    // Seen by chance.
    if (one.inside[0] < one.inside[1]) return undefined;
    const { feature } = subjects;
    found.push({
      ...one,
      labels: candidates.flatMap(({ label }) => label ?? []),
      known,
      ...(feature === undefined ? {} : { feature }),
    });
  }
  return found;
}

/** Whether what did not show the symptom at first does so now. */
async function beganToShow(
  { base, hidden, shown, candidates }: Subjects,
  inquiry: Inquiry,
): Promise<boolean> {
  const [first] = hidden;
  const [earliest] = shown;
  if (
    first === undefined ||
    earliest === undefined ||
    candidates.indexOf(first) > candidates.indexOf(earliest)
  )
    return false;
  for (let left = 2; left > 0; left -= 1) if ((await inquiry.shows(first.apply(base))) !== true) return false;
  return true;
}

const isKnown = (label: string, { candidates }: Subjects): boolean =>
  candidates.some((candidate) => candidate.label === label);

/** Whether a symptom is one only with a request that has to be rejected: a crash is one with any. */
const needsRole = ({ aspect, words }: Wanted): boolean =>
  aspect === 'success' || aspect === 'detail' || words.startsWith('rejects with');

/** Copies what makes a request one that has to be rejected. */
export function carriersOf(lead: RequestState, ordinary: RequestState, inquiry: Inquiry): readonly Part[] {
  const role = inquiry.lab.roleOf(lead);
  if (!isRejected(role) || !needsRole(inquiry.wanted)) return [];
  const label = labelOf(inquiry.failure);
  const candidate = defectSweep(inquiry.lab.contract, ordinary.plant, true).candidates.find(
    (one) => one.label === label,
  );
  if (role === 'reject-body' && candidate !== undefined)
    return [{ name: 'body', dimension: undefined, copy: (_, to) => candidate.apply(to) }];
  const parts = differences(lead, ordinary);
  const one = parts.find((part) => inquiry.lab.roleOf(part.copy(lead, ordinary)) === role);
  return one === undefined ? [] : [one];
}

interface Subjects extends Reach {
  readonly base: RequestState;
  readonly candidates: readonly Candidate[];
  /** If it is not what is wrong that decides, but what bodies have in common. */
  readonly feature?: Feature;
}

/** What has to be rejected and shows the symptom. */
export async function subjectsOf(state: RequestState, isBody: boolean, inquiry: Inquiry): Promise<Subjects> {
  const { credential, defect: _, ...rest } = state;
  const base = isBody
    ? { ...rest, plant: repaired(rest, inquiry.lab), ...(credential === undefined ? {} : { credential }) }
    : rest;
  const { contract, token } = inquiry.lab;
  const values = isBody
    ? defectSweep(contract, base.plant, isAboutBytes(labelOf(inquiry.failure), contract))
    : credentialSweep(token);
  const reach = await sweep(values, base, inquiry, false);
  const [only, ...others] = reach.named;
  const isScattered = others.length > 0 || only?.isExact === false;
  const separated = isBody && isScattered ? separatedIn(reach, values.classes, base, inquiry.lab) : undefined;
  return { ...reach, ...separated, base, candidates: values.candidates };
}

/** The broadest class of bodies in which a feature separates those that show the symptom from the others. */
function separatedIn(
  { shown, hidden }: Reach,
  classes: readonly CandidateClass[],
  base: RequestState,
  lab: Lab,
): Pick<Subjects, 'named' | 'feature'> | undefined {
  // A parser that rejects what is not JSON leaves the other bodies to whatever comes after it.
  const isParsed = shown.every((candidate) => !candidate.classes.includes(NOT_JSON));
  const tried = ({ id }: CandidateClass) =>
    [...shown, ...hidden]
      .filter(({ classes: own }) => own.includes(id) && !(isParsed && own.includes(NOT_JSON)))
      .map((candidate) => [lab.textOf(candidate.apply(base)), shown.includes(candidate)] as const);
  for (const one of classes) {
    if (!shown.every((candidate) => candidate.classes.includes(one.id))) continue;
    const feature = separating(tried(one), lab.contract);
    if (feature !== undefined) return { named: [{ ...one, candidates: shown, isExact: true }], feature };
  }
  return undefined;
}

/** The plant with ordinary values for those that are wrong. */
function repaired(state: RequestState, lab: Lab): RequestState['plant'] {
  if (lab.roleOf(state) === 'accept') return state.plant;
  const [ordinary = state] = ordinaryStates(lab.contract);
  const parts = differences(ordinary, state);
  const one = parts
    .map((part) => part.copy(ordinary, state))
    .find((next) => lab.roleOf(next) !== 'reject-body');
  return one?.plant ?? ordinary.plant;
}
