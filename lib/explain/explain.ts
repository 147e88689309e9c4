import type { Contract } from '../contract/contract.ts';
import { groupBy } from '../groups.ts';
import { JsonObject } from '../payloads/json.ts';
import { initialState, type RequestState, templateOf } from '../payloads/model/dimension.ts';
import type { Cause } from '../run/cause.ts';
import type { Check } from '../run/check.ts';
import type { CheckResult, Failure } from '../run/result.ts';
import type { Explain } from '../run/run.ts';
import { adviceFor } from './advice.ts';
import { type Circumstance, circumstancesOf, sinceWhen } from './circumstances.ts';
import { type Found, Inquiry } from './found.ts';
import { investigate } from './investigate.ts';
import { type Budget, BudgetSpent, Lab, type Line, type Wanted } from './lab.ts';
import { ordinaryStates } from './ordinary.ts';
import { stateOf } from './parts.ts';
import { nounOf } from './sweeps/defects.ts';
import { keyOf } from './symptom.ts';
import { sentenceOf } from './title.ts';
import { wantedOf } from './wanted.ts';
import { alike } from './whole.ts';
import { labelOf, SOME_VALUES, SUCH_AS } from './words.ts';

export interface ExplainOptions {
  readonly contract: Contract;
  readonly token: string;
  readonly catalogue: readonly Check[];
  /** Requests in flight at most. */
  readonly concurrency: number;
  /** The id of the first request of the run. */
  readonly firstId: bigint;
  readonly budget: Budget;
}

/** Seconds for experiments at most: a store that hangs is not worth more. */
const MAX_SECONDS = 15;

/**
 * What a run needs to explain its failures.
 * @param requests to be spent on experiments at most
 */
export const explainer =
  (
    { contract, token, catalogue }: Pick<ExplainOptions, 'contract' | 'token' | 'catalogue'>,
    requests: number,
  ): Explain =>
  (results, run) => {
    const { concurrency, firstId } = run.header.options;
    return explain(results, run, {
      contract,
      token,
      catalogue,
      concurrency,
      firstId: BigInt(firstId),
      budget: { requests, seconds: MAX_SECONDS },
    });
  };

/** A failure of a check, and what to look for to see it again. */
export interface Shown {
  readonly check: Check;
  readonly failure: Failure;
  readonly wanted: Wanted;
}

/** What was found out about some failures. */
interface Draft {
  readonly wanted: Wanted;
  readonly found: Circumstance;
  readonly members: readonly Shown[];
}

/**
 * Finds the causes of the failures of a run by experiments.
 * @param results all results of the run
 * @returns what is to be fixed, in the order in which to fix it
 */
export async function explain(
  results: readonly CheckResult[],
  line: Line,
  options: ExplainOptions,
): Promise<readonly Cause[]> {
  const { contract, token, catalogue, budget } = options;
  const byId = new Map(catalogue.map((check) => [check.id, check]));
  const failures = results
    .filter(({ verdict }) => verdict === 'fail')
    .flatMap(({ check: { id }, failures: some }) => {
      const check = byId.get(id);
      if (check === undefined) return [];
      return some.map(
        (failure): Shown => ({ check, failure, wanted: wantedOf(failure, check, contract, token) }),
      );
    })
    .map((one, _index, all) => withWholeAnswer(one, all));
  if (failures.length === 0) return [];
  const lab = new Lab(line, contract, token, budget);
  const served = results.some(
    ({ check, verdict }) => check.id === 'ordinary/answers-200' && verdict === 'pass',
  );
  const drafts =
    (served ? undefined : await everything(failures, lab)) ??
    (await bySymptom(failures, lab, options, served));
  return ordered(withoutRepetition(acrossProperties(drafts)), catalogue).map((draft) =>
    causeOf(draft, catalogue),
  );
}

/** A response that was not kept as a whole is wrong in the way of another one with the same finding. */
const withWholeAnswer = (one: Shown, all: readonly Shown[]): Shown => {
  if (one.failure.exchange.response?.size === undefined) return one;
  const like = all.find(
    ({ failure: { finding, exchange } }) =>
      exchange.response?.size === undefined && finding.cause === one.failure.finding.cause,
  );
  return like === undefined ? one : { ...one, wanted: like.wanted };
};

const unlessSpent = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BudgetSpent) return undefined;
    throw error;
  }
};

/** A store that treats all requests alike has one fault, whatever the checks say. */
async function everything(failures: readonly Shown[], lab: Lab): Promise<readonly Draft[] | undefined> {
  const found = await unlessSpent(() => alike(lab));
  return found === undefined ? undefined : [{ ...found, members: failures }];
}

async function bySymptom(
  failures: readonly Shown[],
  lab: Lab,
  options: ExplainOptions,
  served: boolean,
): Promise<readonly Draft[]> {
  const clusters = groupBy(failures, ({ wanted }) => keyOf(wanted)).map(([, members]) => members);
  const rank = (members: readonly Shown[]) =>
    members.some(({ check }) => check.level === 'MUST') ? members.length + 1000 : members.length;
  const drafts: Draft[] = [];
  for (const members of clusters.toSorted((a, b) => rank(b) - rank(a)))
    drafts.push(...(await ofOneSymptom(members, lab, options, served)));
  return drafts;
}

/** If any ordinary request shows the symptom, but was served earlier in the run, something has changed since. */
async function checked(
  found: readonly Found[] | undefined,
  served: boolean,
  inquiry: Inquiry,
): Promise<readonly Circumstance[] | undefined> {
  const { wanted, lab } = inquiry;
  const [only] = found ?? [];
  const isUnconditional = only?.subject === undefined && only?.conditions.length === 0;
  if (!served || only === undefined || !isUnconditional || lab.roleOf(only.state) !== 'accept') return found;
  if (wanted.aspect !== 'outcome') return found;
  const since = await sinceWhen(only.state, inquiry);
  return since === undefined ? found : [since];
}

/** Ordinary requests first: what fails with them fails with others too. */
const simplestFirst = (members: readonly Shown[], lab: Lab): readonly Shown[] => {
  const [ordinary] = ordinaryStates(lab.contract);
  const cost = ({ failure: { template, before = [] } }: Shown): number => {
    const state = ordinary === undefined ? undefined : stateOf(template, ordinary.plant);
    if (state === undefined) return 1000;
    const delivered = Object.keys(template).length + Object.keys(template.delivery ?? {}).length;
    return delivered + (lab.roleOf(state) === 'accept' ? 0 : 5) + before.length * 10;
  };
  return members.toSorted((a, b) => cost(a) - cost(b));
};

async function ofOneSymptom(
  members: readonly Shown[],
  lab: Lab,
  { concurrency, firstId }: ExplainOptions,
  served: boolean,
): Promise<readonly Draft[]> {
  const drafts: Draft[] = [];
  let left = simplestFirst(members, lab);
  for (let lead = left[0]; lead !== undefined; lead = left[0]) {
    const { failure, wanted } = lead;
    const inquiry = new Inquiry(failure, wanted, lab);
    const found = (await unlessSpent(async () => checked(await investigate(inquiry), served, inquiry))) ??
      (await unlessSpent(async () => {
        const one = await circumstancesOf(inquiry, concurrency);
        return one === undefined ? undefined : [one];
      })) ?? [unexplained(failure, wanted, failure.exchange.request.freshId === firstId)];
    const own = found.map((one): Draft & { members: Shown[] } => ({ wanted, found: one, members: [] }));
    const rest: Shown[] = [];
    for (const member of left) {
      const explaining = member === lead ? own[0] : await explainedBy(own, member, lab);
      if (explaining === undefined) rest.push(member);
      else explaining.members.push(member);
    }
    // A cause that no failure was found for was seen in the experiments: the check of the lead found it, too.
    drafts.push(...own.map((one) => (one.members.length > 0 ? one : { ...one, members: [lead] })));
    left = rest;
  }
  return drafts;
}

/** The draft whose condition explains a failure: without it, the symptom does not show. */
async function explainedBy<T extends Draft>(
  drafts: readonly T[],
  { failure, wanted }: Shown,
  lab: Lab,
): Promise<T | undefined> {
  const [first] = drafts;
  if (first === undefined) return undefined;
  const label = labelOf(failure);
  const own = drafts.find(({ found: { labels } }) => labels?.includes(label) === true);
  if (own !== undefined) return own;
  const { neutral, parts, kind, known } = first.found;
  if (known?.includes(label) === true) return inUndeclared(drafts, failure, wanted, lab);
  const fits = drafts.find(({ found }) => isAbout(found, label)) ?? first;
  if (kind !== 'always' || neutral === undefined) return fits;
  const state = stateOf(failure.template, neutral.plant);
  if (state === undefined) return fits;
  const without = parts.reduce<RequestState>((changed, part) => part.copy(neutral, changed), state);
  const shows = await unlessSpent(() => lab.shows(without, wanted));
  return shows === true ? undefined : fits;
}

/** What is wrong with a plant may also stand in undeclared properties: in another case, or one level down. */
async function inUndeclared<T extends Draft>(
  drafts: readonly T[],
  failure: Failure,
  wanted: Wanted,
  lab: Lab,
): Promise<T | undefined> {
  const draft = drafts.find(({ found: { subject } }) =>
    /another case|nested|__proto__/.test(subject?.noun ?? ''),
  );
  const state = stateOf(failure.template, new JsonObject([]));
  if (draft === undefined || state === undefined) return undefined;
  const { properties } = lab.contract.newPlant.shape;
  const plant = new JsonObject(state.plant.members.filter(([name]) => properties.has(name)));
  const shows = await unlessSpent(() => lab.shows({ ...state, plant }, wanted));
  return shows === false ? draft : undefined;
}

/** Whether a finding and a label name the same property. */
function isAbout({ subject, conditions }: Found, label: string): boolean {
  const property = /\b(id|name|tag)\b/.exec(label)?.[1];
  if (property === undefined) return false;
  const words = [subject, ...conditions].flatMap((one) => [one?.clause ?? '', one?.noun ?? '']);
  return words.some((one) => new RegExp(`\\b${property}\\b`).test(one));
}

/** What is known of a failure that no experiment shows again. */
function unexplained(failure: Failure, wanted: Wanted, isFirst: boolean): Circumstance {
  const { template, exchange, label, before = [], when } = failure;
  const isSubject = wanted.aspect === 'success' && !isFirst;
  const phrase = isFirst ? 'that are the first of the run' : `${SUCH_AS} ${label}`;
  return {
    kind: before.length > 0 ? 'sequence' : 'once',
    subject: isSubject ? { noun: nounOf(labelOf(failure)) } : undefined,
    conditions:
      isSubject && when !== 'under-concurrency'
        ? []
        : [{ phrase: when === 'under-concurrency' ? 'while others are in flight' : phrase }],
    state: initialState(new JsonObject([])),
    exchange,
    neutral: undefined,
    parts: [],
    ladders: [],
    inside: [1, 1],
    outside: [0, 0],
    repeat: { times: 1, inFlight: 1 },
    before,
    template,
  };
}

/** Joins drafts that say the same of two properties: what checks one of them usually checks the other. */
function acrossProperties(drafts: readonly Draft[]): readonly Draft[] {
  const parts = ({ found: { kind, subject, conditions } }: Draft) => {
    const [only, ...others] = conditions;
    if (kind !== 'always' || subject !== undefined || others.length > 0) return undefined;
    return /^(name|tag) (.*)$/.exec(only?.clause ?? '')?.slice(1);
  };
  const key = (draft: Draft) => {
    const [, rest] = parts(draft) ?? [];
    return `${draft.wanted.words.replace(/\b(?:name|tag)\b/, '')}\n${rest ?? drafts.indexOf(draft)}`;
  };
  return groupBy(drafts, key).flatMap(([, members]) => {
    const [first, second] = members;
    if (first === undefined || second === undefined || first.wanted.words !== second.wanted.words)
      return members;
    const properties = [...new Set(members.flatMap((draft) => parts(draft)?.[0] ?? []))];
    const clause = `${properties.join(' or ')} ${parts(first)?.[1] ?? ''}`;
    const all = members.flatMap((draft) => draft.members);
    return [{ ...first, found: { ...first.found, conditions: [{ clause }] }, members: all }];
  });
}

/** One draft for each symptom and condition. What is known of one condition best stands for those known less. */
function withoutRepetition(drafts: readonly Draft[]): readonly Draft[] {
  const isVague = ({ found: { conditions } }: Draft) =>
    conditions.some(({ phrase = '' }) => phrase.includes(SOME_VALUES) || phrase.includes(SUCH_AS));
  const key = (draft: Draft) => {
    const clear = drafts.find((one) => keyOf(one.wanted) === keyOf(draft.wanted) && !isVague(one));
    const { wanted, found } = isVague(draft) ? (clear ?? draft) : draft;
    const { title } = sentenceOf(wanted, found.subject, found.conditions);
    return isVague(draft) && clear === undefined ? keyOf(wanted) : title;
  };
  return groupBy(drafts, key).flatMap(([, members]) => {
    const first = members.find((one) => !isVague(one)) ?? members[0];
    return first === undefined ? [] : [{ ...first, members: members.flatMap((one) => one.members) }];
  });
}

const levelOf = ({ members }: Draft): 'MUST' | 'SHOULD' =>
  members.some(({ check }) => check.level === 'MUST') ? 'MUST' : 'SHOULD';

/** MUST first, then what explains the most. */
function ordered(drafts: readonly Draft[], catalogue: readonly Check[]): readonly Draft[] {
  const weight = (draft: Draft) =>
    (levelOf(draft) === 'MUST' ? catalogue.length : 0) +
    new Set(draft.members.map(({ check }) => check)).size;
  return drafts.toSorted((a, b) => weight(b) - weight(a));
}

function causeOf(draft: Draft, catalogue: readonly Check[]): Cause {
  const { wanted, found, members } = draft;
  const { title, condition } = sentenceOf(wanted, found.subject, found.conditions);
  const ids = new Set(members.map(({ check }) => check.id));
  return {
    title,
    level: levelOf(draft),
    symptom: wanted.words,
    condition,
    kind: found.kind,
    confirmed: { inside: found.inside, outside: found.outside },
    checks: catalogue.flatMap(({ id }) => (ids.has(id) ? [id] : [])),
    advice: adviceFor(wanted, found, members[0]?.check),
    example: exampleOf(found),
    matters: found.parts.map(({ name }) => name),
    ladders: found.ladders,
    repeat: found.repeat,
  };
}

function exampleOf({ template, state, exchange, before = [] }: Circumstance): Cause['example'] {
  const own = template ?? templateOf(state);
  const { preceding } = exchange;
  if (own.after === undefined || preceding === undefined) return { template: own, exchange, before };
  const { template: earlier, connection } = own.after;
  return {
    template: own,
    exchange,
    before: [...before, { template: earlier, exchange: preceding, connection }],
  };
}
