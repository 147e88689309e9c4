import { JsonObject } from '../../payloads/json.ts';
import type { RequestState } from '../../payloads/model/dimension.ts';
import { noCredential } from '../../payloads/test-case.ts';
import { type Experiments, isWrong400, type SoughtSymptom } from '../experiments.ts';
import { type Explanation, explanationOf } from '../explanation.ts';
import type { Investigation } from '../investigation.ts';
import { ordinaryStates } from '../ordinary-requests.ts';
import { mustReject } from '../symptom/expected-outcome.ts';
import { keyOf, type SymptomKind } from '../symptom/symptom.ts';
import { labelOf } from '../wording/words.ts';
import type { Candidate, CandidateClass } from './candidates.ts';
import { conditionsAmong, UNCONDITIONAL } from './conditions.ts';
import { type Feature, separating } from './features.ts';
import { BODY, CREDENTIAL, differences, type Part } from './parts.ts';
import { type SweepResult, sweep } from './sweep.ts';
import { credentialSweep } from './sweeps/credentials.ts';
import { NOT_JSON } from './sweeps/defect-classes.ts';
import { defectSweep, isAboutBytes } from './sweeps/defects.ts';

/** Whether every 400 has the symptom, whatever it was that the store rejected. */
export async function inEveryRejection(
  ordinary: RequestState,
  investigation: Investigation,
): Promise<Explanation | undefined> {
  if (!isWrong400(investigation.sought)) return undefined;
  const rejected: readonly RequestState[] = [
    { ...ordinary, defect: { json: new JsonObject([]) } },
    { ...ordinary, defect: { corrupt: (text) => text.slice(0, -1) } },
    { ...ordinary, defect: { json: null } },
    { ...ordinary, defect: { json: ordinary.plant.with('name', 7n) } },
    { ...ordinary, defect: { noBody: true } },
    { ...ordinary, credential: noCredential },
  ];
  let shown: RequestState | undefined;
  for (const state of rejected) {
    const shows = await investigation.shows(state);
    if (shows === false) return undefined;
    if (shows === true) shown ??= state;
  }
  return shown === undefined ? undefined : explanationOf({ state: shown }, investigation);
}

/**
 * What has to be rejected and shows the symptom in otherwise ordinary requests.
 * @returns undefined if the failure does not; `unsteady` if it depends on what came before
 * @throws BudgetSpent
 */
export async function withSubjects(
  ordinary: RequestState,
  isBody: boolean,
  investigation: Investigation,
): Promise<readonly Explanation[] | 'unsteady' | undefined> {
  const kind = `${isBody}/${isAboutBytes(labelOf(investigation.failure), investigation.experiments.contract)}`;
  const subjects = await investigation.experiments.remembered(
    `subjects/${kind}/${keyOf(investigation.sought)}`,
    () => subjectsOf(ordinary, isBody, investigation),
  );
  if (await beganToShow(subjects, investigation)) return 'unsteady';
  const labels = subjects.named.flatMap(({ candidates }) => candidates.flatMap(({ label }) => label ?? []));
  const own = labelOf(investigation.failure);
  if (subjects.named.length === 0 || (isKnown(own, subjects) && !labels.includes(own))) return undefined;
  const found: Explanation[] = [];
  const known = subjects.candidates.flatMap(({ label }) => label ?? []);
  for (const { words, candidates } of subjects.named) {
    const [candidate] = candidates;
    if (candidate === undefined) continue;
    const state = candidate.apply(subjects.base);
    const others = ordinaryStates(investigation.experiments.contract).map((one) => candidate.apply(one));
    const among =
      subjects.feature === undefined
        ? await conditionsAmong(state, others, investigation)
        : { ...UNCONDITIONAL, conditions: [subjects.feature.words] };
    const sweeps = [{ ...subjects, inside: candidates.length }, ...among.sweeps];
    const parts = [isBody ? BODY : CREDENTIAL, ...among.parts];
    const about = { ...among, state, subject: words, sweeps, parts };
    const one = await explanationOf(about, investigation);
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
  investigation: Investigation,
): Promise<boolean> {
  const [first] = hidden;
  const [earliest] = shown;
  if (
    first === undefined ||
    earliest === undefined ||
    candidates.indexOf(first) > candidates.indexOf(earliest)
  )
    return false;
  for (let left = 2; left > 0; left -= 1)
    if ((await investigation.shows(first.apply(base))) !== true) return false;
  return true;
}

const isKnown = (label: string, { candidates }: Subjects): boolean =>
  candidates.some((candidate) => candidate.label === label);

/** Whether a symptom depends on the expected outcome: a crash is one with any request. */
const dependsOnOutcome = ({ kind }: SoughtSymptom): boolean => OUTCOME_KINDS.includes(kind);

const OUTCOME_KINDS: readonly SymptomKind[] = ['accepts', 'rejects', 'wrong-rejection', 'detail', 'lenient'];

/** The parts that make a request one that has to be rejected. */
export function faultPartsOf(
  lead: RequestState,
  ordinary: RequestState,
  investigation: Investigation,
): readonly Part[] {
  const expected = investigation.experiments.expectedOutcomeOf(lead);
  if (!mustReject(expected) || !dependsOnOutcome(investigation.sought)) return [];
  const label = labelOf(investigation.failure);
  const candidate = defectSweep(investigation.experiments.contract, ordinary.plant, true).candidates.find(
    (one) => one.label === label,
  );
  if (expected === 'reject-body' && candidate !== undefined)
    return [{ name: 'body', dimension: undefined, copy: (_, to) => candidate.apply(to) }];
  const parts = differences(lead, ordinary);
  const one = parts.find(
    (part) => investigation.experiments.expectedOutcomeOf(part.copy(lead, ordinary)) === expected,
  );
  return one === undefined ? [] : [one];
}

interface Subjects extends SweepResult {
  readonly base: RequestState;
  readonly candidates: readonly Candidate[];
  /** If it is not what is wrong that decides, but what bodies have in common. */
  readonly feature?: Feature;
}

/** What has to be rejected and shows the symptom. */
export async function subjectsOf(
  state: RequestState,
  isBody: boolean,
  investigation: Investigation,
): Promise<Subjects> {
  const { credential, defect: _, ...rest } = state;
  const base = isBody
    ? {
        ...rest,
        plant: repaired(rest, investigation.experiments),
        ...(credential === undefined ? {} : { credential }),
      }
    : rest;
  const { contract, token } = investigation.experiments;
  const values = isBody
    ? defectSweep(contract, base.plant, isAboutBytes(labelOf(investigation.failure), contract))
    : credentialSweep(token);
  const reach = await sweep(values, base, investigation, false);
  const [only, ...others] = reach.named;
  const isScattered = others.length > 0 || (only?.isExact === false && only.isListed !== true);
  const separated =
    isBody && isScattered ? separatedIn(reach, values.classes, base, investigation.experiments) : undefined;
  return { ...reach, ...separated, base, candidates: values.candidates };
}

/** The broadest class of bodies in which a feature separates those that show the symptom from the others. */
function separatedIn(
  { shown, hidden }: SweepResult,
  classes: readonly CandidateClass[],
  base: RequestState,
  experiments: Experiments,
): Pick<Subjects, 'named' | 'feature'> | undefined {
  // A parser that rejects what is not JSON leaves the other bodies to whatever comes after it.
  const isParsed = shown.every((candidate) => !candidate.classes.includes(NOT_JSON));
  const tried = ({ id }: CandidateClass) =>
    [...shown, ...hidden]
      .filter(({ classes: own }) => own.includes(id) && !(isParsed && own.includes(NOT_JSON)))
      .map((candidate) => [experiments.textOf(candidate.apply(base)), shown.includes(candidate)] as const);
  for (const one of classes) {
    if (!shown.every((candidate) => candidate.classes.includes(one.id))) continue;
    const feature = separating(tried(one), experiments.contract);
    if (feature !== undefined) return { named: [{ ...one, candidates: shown, isExact: true }], feature };
  }
  return undefined;
}

/** The plant with ordinary values for those that are wrong. */
function repaired(state: RequestState, experiments: Experiments): RequestState['plant'] {
  if (experiments.expectedOutcomeOf(state) === 'accept') return state.plant;
  const [ordinary] = ordinaryStates(experiments.contract);
  const parts = differences(ordinary, state);
  const one = parts
    .map((part) => part.copy(ordinary, state))
    .find((next) => experiments.expectedOutcomeOf(next) !== 'reject-body');
  return one?.plant ?? ordinary.plant;
}
