import { fixedFor } from '../payloads/fresh.ts';
import { JsonObject } from '../payloads/json.ts';
import type { RequestState } from '../payloads/model/dimension.ts';
import { ID } from '../payloads/plants.ts';
import { nothing } from '../payloads/test-case.ts';
import type { CauseKind, Ladder } from '../run/cause.ts';
import type { Failure, Tried } from '../run/result.ts';
import type { Exchange } from '../wire/exchange.ts';
import type { Cell, Words } from './cells.ts';
import { sweepOf } from './condition.ts';
import type { Lab, Wanted } from './lab.ts';
import { ordinaryStates } from './ordinary.ts';
import { BODY, CREDENTIAL, differences, type Part, stateOf } from './parts.ts';
import { reduce } from './reduce.ts';
import { type Reach, sweep } from './sweep.ts';
import { credentialSweep } from './sweeps/credentials.ts';
import { clauseOf, defectSweep, nounOf } from './sweeps/defects.ts';
import { idSweep } from './sweeps/ids.ts';
import { orderSweep } from './sweeps/order.ts';
import { sizeSweep } from './sweeps/sizes.ts';
import { textSweep } from './sweeps/texts.ts';
import { keyOf, NO_ANSWER, type Role } from './symptom.ts';

/** What experiments found out about a symptom. */
export interface Found {
  readonly kind: CauseKind;
  /** What was wrong with the request, if it had to be rejected. */
  readonly subject: Words | undefined;
  readonly conditions: readonly Words[];
  /** The simplest request that shows it. */
  readonly state: RequestState;
  readonly exchange: Exchange;
  /** The same without the parts that matter; the symptom does not show. */
  readonly neutral: RequestState | undefined;
  readonly parts: readonly Part[];
  readonly ladders: readonly Ladder[];
  readonly inside: Tried;
  readonly outside: Tried;
  readonly repeat: { readonly times: number; readonly inFlight: number };
  /** Labels of what is wrong with the requests that it is about, and of all that was tried. */
  readonly labels?: readonly string[];
  readonly known?: readonly string[];
}

/** How often a failure is sent again to see whether it is always there. */
const REPEATS = 3;

/**
 * Finds out under which condition a failure shows.
 * @returns undefined if it does not show again
 * @throws BudgetSpent
 */
export async function investigate(
  failure: Failure,
  wanted: Wanted,
  lab: Lab,
): Promise<readonly Found[] | undefined> {
  const ordinary = ordinaryStates(lab.contract);
  const [first] = ordinary;
  const lead = first === undefined ? undefined : stateOf(failure.template, first.plant);
  if (first === undefined || lead === undefined) return undefined;
  const everywhere = await inEveryRejection(first, lab, wanted);
  if (everywhere !== undefined) return [everywhere];
  const role = lab.roleOf(lead);
  if (role === 'reject-body' || role === 'reject-credential') {
    const found = await withSubjects(first, role === 'reject-body', failure, lab, wanted);
    if (found !== undefined) return found;
  }
  const carriers = carriersOf(lead, first, failure, lab, wanted);
  const bases = ordinary.map((one) => carriers.reduce((state, part) => part.copy(lead, state), one));
  const shown: RequestState[] = [];
  const hidden: RequestState[] = [];
  for (const base of bases) {
    const shows = await lab.shows(base, wanted);
    if (shows === true) shown.push(base);
    else if (shows === false) hidden.push(base);
  }
  if (shown.length > 0 && hidden.length > 0 && !(await isSteady(shown, hidden, lab, wanted)))
    return undefined;
  const [failing, passing] = [shown[0] ?? lead, hidden[0]];
  if (shown.length === 0 && !(await recurs(lead, lab, wanted))) return undefined;
  if (passing === undefined && shown.length > 0)
    return unconditional(failing, carriers, failure, lab, wanted);
  const reduced = await reduce(failing, passing ?? bases[0] ?? first, lab, wanted);
  return described(reduced.state, reduced.parts, passing ?? first, carriers, failure, lab, wanted);
}

/** Whether every 400 has the symptom, whatever it was that the store rejected. */
async function inEveryRejection(
  ordinary: RequestState,
  lab: Lab,
  wanted: Wanted,
): Promise<Found | undefined> {
  if (wanted.aspect !== 'representation' || wanted.status !== 400) return undefined;
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
    const shows = await lab.shows(state, wanted);
    if (shows === false) return undefined;
    if (shows === true) shown ??= state;
  }
  return shown === undefined ? undefined : foundIn({ state: shown }, lab, wanted);
}

/** What has to be rejected and shows the symptom in otherwise ordinary requests; undefined if the failure does not. */
async function withSubjects(
  ordinary: RequestState,
  isBody: boolean,
  failure: Failure,
  lab: Lab,
  wanted: Wanted,
): Promise<readonly Found[] | undefined> {
  const subjects = await lab.remembered(`subjects/${isBody}/${keyOf(wanted)}`, () =>
    subjectsOf(ordinary, isBody, lab, wanted),
  );
  const labels = subjects.named.flatMap(({ cells }) => cells.flatMap(({ label }) => label ?? []));
  const own = labelOf(failure);
  if (subjects.named.length === 0 || (isKnown(own, subjects) && !labels.includes(own))) return undefined;
  const found: Found[] = [];
  const known = subjects.cells.flatMap(({ label }) => label ?? []);
  for (const { words, cells } of subjects.named) {
    const [cell] = cells;
    if (cell === undefined) continue;
    const state = cell.apply(subjects.base);
    const others = ordinaryStates(lab.contract).map((one) => cell.apply(one));
    const among = await conditionsAmong(state, others, failure, lab, wanted);
    const reaches = [{ ...subjects, inside: cells.length }, ...among.reaches];
    const parts = [isBody ? BODY : CREDENTIAL, ...among.parts];
    const about = { ...among, state, subject: words, reaches, parts };
    const one = await foundIn(about, lab, wanted);
    // Seen by chance.
    if (one.inside[0] < one.inside[1]) return undefined;
    found.push({ ...one, labels: cells.flatMap(({ label }) => label ?? []), known });
  }
  return found;
}

interface Conditions {
  readonly conditions: readonly Words[];
  readonly reaches: readonly Reach[];
  readonly parts: readonly Part[];
  readonly neutral: RequestState | undefined;
}

const UNCONDITIONAL: Conditions = { conditions: [], reaches: [], parts: [], neutral: undefined };

/** What else has to be the case: some requests that differ only in the plant may not show the symptom. */
async function conditionsAmong(
  state: RequestState,
  others: readonly RequestState[],
  failure: Failure,
  lab: Lab,
  wanted: Wanted,
): Promise<Conditions> {
  for (const other of others) {
    if ((await lab.shows(other, wanted)) !== false) continue;
    if ((await lab.shows(other, wanted)) !== false || (await lab.shows(state, wanted)) !== true)
      return UNCONDITIONAL;
    const { state: reduced, parts } = await reduce(state, other, lab, wanted);
    return {
      ...(await conditionsOf(reduced, parts, other, [], failure, lab, wanted)),
      parts,
      neutral: other,
    };
  }
  return UNCONDITIONAL;
}

/** The name of what is wrong with a request, as labels of checks have it. */
export const labelOf = ({ label, stableLabel = label }: Failure): string => stableLabel;

const isKnown = (label: string, { cells }: Subjects): boolean => cells.some((cell) => cell.label === label);

/** Whether a symptom is one only with a request that has to be rejected: a crash is one with any. */
const needsRole = ({ aspect, words }: Wanted): boolean =>
  aspect === 'success' || aspect === 'detail' || words.startsWith('rejects with');

/** Copies what makes a request one that has to be rejected. */
function carriersOf(
  lead: RequestState,
  ordinary: RequestState,
  failure: Failure,
  lab: Lab,
  wanted: Wanted,
): readonly Part[] {
  const role = lab.roleOf(lead);
  if (!isRejected(role) || !needsRole(wanted)) return [];
  const label = labelOf(failure);
  const cell = defectSweep(lab.contract, ordinary.plant).cells.find((one) => one.label === label);
  if (role === 'reject-body' && cell !== undefined)
    return [{ name: 'body', dimension: undefined, copy: (_, to) => cell.apply(to) }];
  const parts = differences(lead, ordinary);
  const one = parts.find((part) => lab.roleOf(part.copy(lead, ordinary)) === role);
  return one === undefined ? [] : [one];
}

const recurs = async (state: RequestState, lab: Lab, wanted: Wanted): Promise<boolean> => {
  for (let left = wanted.words === NO_ANSWER ? 1 : REPEATS; left > 0; left -= 1)
    if ((await lab.shows(state, wanted)) !== true) return false;
  return true;
};

/** Whether the same requests, with fresh values, show and do not show the symptom again. */
async function isSteady(
  shown: readonly RequestState[],
  hidden: readonly RequestState[],
  lab: Lab,
  wanted: Wanted,
): Promise<boolean> {
  for (const state of shown)
    for (let left = 2; left > 0; left -= 1) if ((await lab.shows(state, wanted)) !== true) return false;
  for (const state of hidden)
    for (let left = 2; left > 0; left -= 1) if ((await lab.shows(state, wanted)) === true) return false;
  return true;
}

/** Every ordinary request shows it. Looks for unusual ones that do not. */
async function unconditional(
  state: RequestState,
  carriers: readonly Part[],
  failure: Failure,
  lab: Lab,
  wanted: Wanted,
): Promise<readonly Found[]> {
  if (wanted.isRejection !== true) return described(state, [], undefined, carriers, failure, lab, wanted);
  for (const one of [idSweep, orderSweep(state.plant), ...texts(lab)]) {
    const reach = await sweep(one, state, lab, wanted, true);
    if (reach.outside === 0 || reach.named.length === 0) continue;
    const conditions = reach.named.slice(0, 1).map(({ words }) => words);
    return [await foundIn({ state, conditions, reaches: [reach] }, lab, wanted)];
  }
  return described(state, [], undefined, carriers, failure, lab, wanted);
}

const texts = ({ contract: { newPlant } }: Lab) =>
  [...newPlant.shape.properties].flatMap(([name, { types }]) =>
    types.includes('string') ? [textSweep(name, newPlant.shape.required.has(name))] : [],
  );

/** How far each part that matters reaches. */
async function conditionsOf(
  state: RequestState,
  parts: readonly Part[],
  neutral: RequestState | undefined,
  carriers: readonly Part[],
  failure: Failure,
  lab: Lab,
  wanted: Wanted,
): Promise<Pick<Conditions, 'conditions' | 'reaches'>> {
  const role = lab.roleOf(state);
  const isCarrier = (part: Part) =>
    (role === 'reject-body' && part.name === 'body') || carriers.includes(part);
  const conditions: Words[] = [];
  const reaches: Reach[] = [];
  for (const part of parts) {
    if (isRejected(role) && isCarrier(part)) continue;
    const bare = neutral === undefined ? state : part.copy(neutral, state);
    const values = neutral === undefined ? undefined : valuesFor(part, state, neutral, bare, lab);
    const reach =
      values === undefined ? undefined : await sweep(values, bare, lab, wanted, role === 'accept');
    if (reach !== undefined) reaches.push(reach);
    const words = reach?.named[0]?.words;
    const size = await bySize(reach, state, neutral, lab, wanted);
    const isScattered = / other values?$/.test(words?.clause ?? '');
    conditions.push(size ?? (isScattered ? undefined : words) ?? wordsOf(part, state, failure));
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

const isRejected = (role: Role): boolean => role === 'reject-body' || role === 'reject-credential';

/** Says what shows the symptom, and under which conditions. */
async function described(
  state: RequestState,
  parts: readonly Part[],
  neutral: RequestState | undefined,
  carriers: readonly Part[],
  failure: Failure,
  lab: Lab,
  wanted: Wanted,
): Promise<readonly Found[]> {
  const role = lab.roleOf(state);
  const { conditions, reaches } = await conditionsOf(state, parts, neutral, carriers, failure, lab, wanted);
  const subjects = isRejected(role)
    ? await subjectsOf(state, role === 'reject-body', lab, wanted)
    : undefined;
  if (subjects === undefined || subjects.named.length === 0) {
    const subject = subjects === undefined ? undefined : subjectOf(failure, wanted, lab);
    const isUnknown = subject === undefined && conditions.length === 0 && parts.length > 0;
    const known = isUnknown ? [suchAs(failure)] : conditions;
    return [await foundIn({ state, subject, conditions: known, reaches, parts, neutral }, lab, wanted)];
  }
  const found: Found[] = [];
  for (const { words, cells } of subjects.named) {
    const [cell] = cells;
    const about = {
      state: cell === undefined ? state : cell.apply(subjects.base),
      subject: words,
      conditions,
      reaches: [{ ...subjects, inside: cells.length }, ...reaches],
      parts: [...carriers, ...parts],
      neutral,
    };
    found.push(await foundIn(about, lab, wanted));
  }
  return found;
}

/** The words for requests of which only one is known. */
export const suchAs = (failure: Failure): Words =>
  /^(?:id|name|tag) /.test(labelOf(failure))
    ? { clause: labelOf(failure) }
    : { phrase: `${SUCH_AS} ${failure.label}` };

/** What is wrong with the request of a failure, if it had to be rejected. */
export function subjectOf(failure: Failure, { aspect }: Wanted, lab: Lab): Words | undefined {
  const label = labelOf(failure);
  const [ordinary] = ordinaryStates(lab.contract);
  const cells = [
    ...credentialSweep(lab.token).cells,
    ...(ordinary === undefined ? [] : defectSweep(lab.contract, ordinary.plant).cells),
  ].filter((cell) => cell.label === label);
  const [only, ...others] = cells;
  if (only !== undefined && others.length === 0) return only.words;
  if (aspect !== 'success') return undefined;
  return { noun: nounOf(label), clause: clauseOf(label) };
}

/** The words for a part of which no other values are known. */
function wordsOf({ name }: Part, { template, plant }: RequestState, failure: Failure): Words {
  if (name === 'method') return { phrase: `with the method ${template.method}` };
  if (name === 'target') return { phrase: `to ${template.path ?? 'the target in absolute form'}` };
  if (name === 'Content-Type')
    return {
      phrase: template.contentType === undefined ? 'without a Content-Type' : `as ${template.contentType}`,
    };
  if (name === 'body' || plant.get(name) !== undefined) return suchAs(failure);
  return { phrase: `with ${SOME_VALUES} ${name}` };
}

/** Marks of conditions of which nothing better is known. */
export const [SOME_VALUES, SUCH_AS] = ['some values of', 'such as:'] as const;

/** If a request is larger than its neighbour, its size may be what matters. */
async function bySize(
  reach: Reach | undefined,
  state: RequestState,
  neutral: RequestState | undefined,
  lab: Lab,
  wanted: Wanted,
): Promise<Words | undefined> {
  if (neutral === undefined || lab.sizeOf(state) <= lab.sizeOf(neutral)) return undefined;
  if (
    reach?.named[0]?.isExact === true &&
    !/longer|there is a|larger body/.test(textOf(reach.named[0].words))
  )
    return undefined;
  const size = await sweep(sizeSweep, neutral, lab, wanted, lab.roleOf(neutral) === 'accept');
  return size.inside === 0 ? undefined : size.named[0]?.words;
}

const textOf = ({ clause = '', phrase = '' }: Words): string => `${clause} ${phrase}`;

interface Subjects extends Reach {
  readonly base: RequestState;
  readonly cells: readonly Cell[];
}

/** What has to be rejected and shows the symptom. */
async function subjectsOf(state: RequestState, isBody: boolean, lab: Lab, wanted: Wanted): Promise<Subjects> {
  const { credential, defect: _, ...rest } = state;
  const base = isBody
    ? { ...rest, plant: repaired(rest, lab), ...(credential === undefined ? {} : { credential }) }
    : rest;
  const values = isBody ? defectSweep(lab.contract, base.plant) : credentialSweep(lab.token);
  return { ...(await sweep(values, base, lab, wanted, false)), base, cells: values.cells };
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

interface Description {
  readonly state: RequestState;
  readonly subject?: Words | undefined;
  readonly conditions?: readonly Words[];
  readonly reaches?: readonly Reach[];
  readonly parts?: readonly Part[];
  readonly neutral?: RequestState | undefined;
}

/** Tries with fresh values that confirm a condition: such as meet it, and such as do not. */
const ENOUGH_TRIES = 12;
/** The same for a symptom that takes long to see. */
const ENOUGH_SLOW_TRIES = 2;

async function foundIn(
  { state, subject, conditions = [], reaches = [], parts = [], neutral }: Description,
  lab: Lab,
  wanted: Wanted,
): Promise<Found> {
  const exchange = await lab.send(state);
  const count = (of: (reach: Reach) => number) => reaches.reduce((sum, reach) => sum + of(reach), 0);
  const [inside, outside] = [count((reach) => reach.inside), count((reach) => reach.outside)];
  const again = await tried(state, ENOUGH_TRIES - inside, lab, wanted);
  const others = neutral === undefined ? NONE : await tried(neutral, ENOUGH_TRIES - outside, lab, wanted);
  return {
    kind: 'always',
    subject,
    conditions,
    state,
    exchange,
    neutral,
    parts,
    ladders: reaches.map(({ ladder }) => ladder),
    inside: [inside + again[0], inside + again[1]],
    outside: [others[0], outside + others[1]],
    repeat: { times: 1, inFlight: 1 },
  };
}

const NONE: Tried = [0, 0];

/** Sends a request so many times, as far as the budget allows. */
async function tried(state: RequestState, times: number, lab: Lab, wanted: Wanted): Promise<Tried> {
  let [failed, all] = [0, 0];
  const most = wanted.words === NO_ANSWER ? ENOUGH_SLOW_TRIES : times;
  for (let left = Math.min(times, most); left > 0 && lab.hasBudget; left -= 1) {
    const shows = await lab.shows(state, wanted);
    if (shows === true) failed += 1;
    if (shows !== undefined) all += 1;
  }
  return [failed, all];
}

/** The request with the values of one id, so that it is the same each time it is sent. */
export const pinned = (state: RequestState, id: bigint): RequestState => {
  const plant = fixedFor(state.plant, id);
  return { ...state, plant: typeof state.plant.get(ID) === 'symbol' ? plant.with(ID, id) : plant };
};
