import type { Contract } from '../contract/contract.ts';
import { groupBy } from '../groups.ts';
import { JsonObject } from '../payloads/json.ts';
import { initialState } from '../payloads/model/dimension.ts';
import { holdsFresh } from '../payloads/test-case.ts';
import type { Check } from '../run/check.ts';
import type { Cause } from '../run/result/cause.ts';
import type { CheckResult } from '../run/result/result.ts';
import type { Explain } from '../run/run.ts';
import { alike } from './circumstances/alike.ts';
import { type Circumstance, circumstancesOf, toWhom } from './circumstances/circumstances.ts';
import { withHistory } from './circumstances/history.ts';
import { noLonger } from './circumstances/since.ts';
import type { CheckFailure, Cluster } from './cluster.ts';
import type { Words } from './condition/candidates.ts';
import { investigate } from './condition/investigate.ts';
import { stateOf } from './condition/parts.ts';
import { explainedBy } from './explained-by.ts';
import { bareFinding, type Found, Inquiry } from './found.ts';
import { type Budget, isWrong400, Lab, type Line, unlessSpent } from './lab.ts';
import { merged } from './merge.ts';
import { ordinaryStates } from './ordinary.ts';
import { roleOf } from './symptom/role.ts';
import { keyOf, NO_ANSWER, type Role } from './symptom/symptom.ts';
import { wantedOf } from './symptom/wanted.ts';
import { causeOf } from './wording/cause-of.ts';
import { ANY_SUBJECT, bodiesNamed, isVague, labelOf, subjectOf, suchAs } from './wording/words.ts';

export interface ExplainOptions {
  /** All results of the run. */
  readonly results: readonly CheckResult[];
  readonly contract: Contract;
  readonly token: string;
  readonly catalogue: readonly Check[];
  /** Requests in flight at most. */
  readonly concurrency: number;
  /** The id of the first request of the run. */
  readonly firstId: bigint;
  /** Whether the store accepted an ordinary plant when the run began. */
  readonly served: boolean;
  /** Whether the run ended early because the store answers nothing any more. */
  readonly gone: boolean;
  readonly budget: Budget;
}

/** Seconds for experiments at most: a store that hangs is not worth more. */
const MAX_SECONDS = 15;

const secondsSince = (time: string): number => (Date.now() - Date.parse(time)) / 1000;

/**
 * Finds the causes of the failures of a run, within its limits.
 * @param requests to be spent on experiments at most
 * @returns what is to be fixed, in the order in which to fix it
 */
export function explainRun(
  [results, run]: Parameters<Explain>,
  { contract, token, catalogue }: Pick<ExplainOptions, 'contract' | 'token' | 'catalogue'>,
  requests: number,
): ReturnType<Explain> {
  const { concurrency, firstId, maxRequests, maxSeconds } = run.header.options;
  // The user's limits are about the whole run; to reach one would cut it short.
  const requestsLeft = (maxRequests ?? Number.POSITIVE_INFINITY) - run.requests;
  const secondsLeft = (maxSeconds ?? Number.POSITIVE_INFINITY) - secondsSince(run.header.startedAt) - 1;
  return explain(run, {
    results,
    contract,
    token,
    catalogue,
    concurrency,
    firstId: BigInt(firstId),
    served: run.served,
    gone: run.stop?.kind === 'gone',
    budget: {
      requests: Math.min(requests, requestsLeft),
      seconds: Math.min(MAX_SECONDS, secondsLeft),
    },
  });
}

/**
 * Finds the causes of the failures of a run by experiments.
 * @returns what is to be fixed, in the order in which to fix it
 */
async function explain(line: Line, options: ExplainOptions): Promise<readonly Cause[]> {
  const { results, contract, token, catalogue, budget, served } = options;
  const byId = new Map(catalogue.map((check) => [check.id, check]));
  const failures = results
    .filter(({ verdict }) => verdict === 'fail')
    .flatMap(({ check: { id }, failures: some }) => {
      const check = byId.get(id);
      if (check === undefined) return [];
      return some.map(
        (failure): CheckFailure => ({ check, failure, wanted: wantedOf(failure, check, contract, token) }),
      );
    })
    .map((one, _index, all) => withWholeAnswer(one, all));
  if (failures.length === 0) return [];
  const lab = new Lab(line, contract, token, budget);
  const every =
    (served ? await noLongerServed(failures, lab) : undefined) ?? (await everything(failures, lab));
  const left = failures.filter((one) => every?.members.includes(one) !== true);
  const clusters = [...(every === undefined ? [] : [every]), ...(await bySymptom(left, lab, options))];
  return merged(clusters).map((cluster) => causeOf(cluster, catalogue));
}

/** A response that was not kept as a whole is wrong in the way of another one with the same finding. */
const withWholeAnswer = (one: CheckFailure, all: readonly CheckFailure[]): CheckFailure => {
  if (one.failure.exchange.response?.size === undefined) return one;
  const like = all.find(
    ({ failure: { finding, exchange } }) =>
      exchange.response?.size === undefined && finding.cause === one.failure.finding.cause,
  );
  return like === undefined ? one : { ...one, wanted: like.wanted };
};

/** A store that treats all requests alike has one fault, whatever the checks say. */
async function everything(failures: readonly CheckFailure[], lab: Lab): Promise<Cluster | undefined> {
  const found = await unlessSpent(() => alike(lab));
  if (found === undefined) return undefined;
  const isAuthorised = ({ failure: { exchange, template } }: CheckFailure) =>
    roleOf(exchange.request, template, lab.contract, lab.token) !== 'reject-credential';
  return { ...found, members: found.authenticates ? failures.filter(isAuthorised) : failures };
}

/** What a store does with ordinary requests by the end of a run that it served at its beginning. */
async function noLongerServed(failures: readonly CheckFailure[], lab: Lab): Promise<Cluster | undefined> {
  const found = await unlessSpent(() => noLonger(lab));
  if (found === undefined) return undefined;
  const members = failures.filter(({ wanted }) => keyOf(wanted) === keyOf(found.wanted));
  return members.length === 0 ? undefined : { ...found, members };
}

async function bySymptom(
  failures: readonly CheckFailure[],
  lab: Lab,
  options: ExplainOptions,
): Promise<readonly Cluster[]> {
  const groups = groupBy(failures, ({ wanted }) => keyOf(wanted)).map(([, members]) => members);
  const rank = (members: readonly CheckFailure[]) =>
    members.some(({ check }) => check.level === 'MUST') ? members.length + 1000 : members.length;
  const clusters: Cluster[] = [];
  for (const members of groups.toSorted((a, b) => rank(b) - rank(a)))
    clusters.push(...(await ofOneSymptom(members, lab, options)));
  return clusters;
}

/** What is left open may be answered in several ways, and what has to be accepted is rejected by few stores. */
const UNCLEAR = 8;
const COSTS: Readonly<Record<Role, number>> = {
  accept: 0,
  'reject-body': 5,
  'reject-credential': 5,
  open: UNCLEAR,
};

/** Ordinary requests first: what fails with them fails with others too. */
const simplestFirst = (members: readonly CheckFailure[], lab: Lab): readonly CheckFailure[] => {
  const [ordinary] = ordinaryStates(lab.contract);
  const cost = ({ failure: { template, before = [] }, wanted }: CheckFailure): number => {
    const state = ordinary === undefined ? undefined : stateOf(template, ordinary.plant);
    if (state === undefined) return 1000;
    const delivered = Object.keys(template).length + Object.keys(template.delivery ?? {}).length;
    const role = lab.roleOf(state);
    const roleCost = role === 'accept' && isWrong400(wanted) ? UNCLEAR : COSTS[role];
    return delivered + roleCost + before.length * 10;
  };
  return members.toSorted((a, b) => cost(a) - cost(b));
};

async function ofOneSymptom(
  members: readonly CheckFailure[],
  lab: Lab,
  options: ExplainOptions,
): Promise<readonly Cluster[]> {
  const clusters: Cluster[] = [];
  let left = simplestFirst(members, lab);
  for (let lead = left[0]; lead !== undefined; lead = left[0]) {
    const { failure, wanted } = lead;
    const inquiry = new Inquiry(failure, wanted, lab);
    const found = (await explanation(inquiry, options)) ?? [
      ofTheRun(inquiry, left, options) ?? (await unexplained(inquiry, options)),
    ];
    const own = found.map((one): Cluster & { members: CheckFailure[] } => ({
      wanted,
      found: one,
      members: [],
    }));
    const rest: CheckFailure[] = [];
    for (const member of left) {
      const explaining = member === lead ? own[0] : await explainedBy(own, member, lab);
      if (explaining === undefined) rest.push(member);
      else explaining.members.push(member);
    }
    for (const [index, one] of own.entries()) own[index] = withAllSubjects(one, lab.contract);
    // A cause that no failure was found for was seen in the experiments: the check of the lead found it, too.
    clusters.push(...own.map((one) => (one.members.length > 0 ? one : { ...one, members: [lead] })));
    left = rest;
  }
  return clusters;
}

/** What experiments find out about a failure; undefined if none shows it again, or only the very same request does. */
async function explanation(
  inquiry: Inquiry,
  { concurrency, served }: ExplainOptions,
): Promise<readonly Circumstance[] | undefined> {
  const all = await unlessSpent(() => investigate(inquiry));
  const found = all?.some(isByChance) === true ? undefined : all;
  const isClear = found?.every(({ conditions }) => !conditions.some(isVague)) === true;
  const { template, before = [] } = inquiry.failure;
  // Values that nothing is known of, and that are always the same, may have been sent before: that may be what matters.
  const mayBeKnown = before.length > 0 || !holdsFresh(template, inquiry.lab.token);
  if (found !== undefined && (isClear || !mayBeKnown)) return histories(found, served, inquiry);
  const one = await unlessSpent(() => circumstancesOf(inquiry, concurrency));
  // What shows each time does so without others, too.
  if (one !== undefined && (found === undefined || one.kind !== 'from-then-on')) return [one];
  return found === undefined || before.length > 0 ? undefined : histories(found, served, inquiry);
}

/** Whether the symptom shows as well if a condition is not met. */
const isByChance = ({ outside: [shown, tried] }: Found): boolean => shown * 2 > tried;

/** What was found, with what has to come before. */
async function histories(
  found: readonly Found[],
  served: boolean,
  inquiry: Inquiry,
): Promise<readonly Circumstance[]> {
  const all: Circumstance[] = [];
  for (const one of found) all.push((await unlessSpent(() => withHistory(one, served, inquiry))) ?? one);
  return all;
}

/** What only shows at times was tried with one kind of invalid request; the failures say whether it shows with others. */
function withAllSubjects<T extends Cluster>(cluster: T, contract: Contract): T {
  const { found, members } = cluster;
  const kinds = new Set(members.map(({ failure }) => labelOf(failure)));
  if (found.kind === 'always' || found.subject === undefined || kinds.size < 2) return cluster;
  const { credential } = found.template ?? found.state;
  const subject =
    credential === undefined ? (bodiesNamed(kinds, contract) ?? ANY_SUBJECT.body) : ANY_SUBJECT.credential;
  return { ...cluster, found: { ...found, subject } };
}

/** Failures of so many different requests, none of which fails each time, are not about the requests. */
const MANY_AT_TIMES = 8;

/** How often a symptom showed in the run, if experiments do not show it again. */
function ofTheRun(
  { failure: { exchange }, wanted, lab }: Inquiry,
  members: readonly CheckFailure[],
  { results, gone }: ExplainOptions,
): Circumstance | undefined {
  if (gone) return undefined;
  const [ordinary] = ordinaryStates(lab.contract);
  const recurs = members.some(({ failure: { when } }) => when === 'always' || when === 'this-request');
  const invariant = members.find(({ check }) => check.test.kind === 'invariant');
  const whole = results.find(({ check }) => check.id === invariant?.check.id);
  if (ordinary === undefined || whole === undefined || recurs || members.length < MANY_AT_TIMES)
    return undefined;
  const every = Math.max(2, Math.round(whole.cases / Math.max(1, whole.failed)));
  return {
    ...bareFinding(ordinary, exchange),
    kind: 'now-and-then',
    conditions: [{ note: `${toWhom(wanted)}about one request of the run in ${every}, whatever it contains` }],
    inside: [whole.failed, whole.cases],
    repeat: { times: Math.min(every * 5, 500), inFlight: 1 },
  };
}

/** How often a request is sent again before it is said that its failure does not recur. */
const LAST_TRIES = 3;

/** Whether a failure shows when the very same request is sent again. */
async function recurs({ failure: { template }, wanted, lab }: Inquiry): Promise<boolean> {
  for (let left = LAST_TRIES; left > 0; left -= 1) {
    const exchange = await unlessSpent(() => lab.sendAgain(template));
    if (exchange === undefined || lab.isShown(exchange, template, wanted) === true) return true;
  }
  return false;
}

/** What is known of a failure that no experiment shows again. */
async function unexplained(
  inquiry: Inquiry,
  { firstId, served, gone }: ExplainOptions,
): Promise<Circumstance> {
  const { failure, wanted, lab } = inquiry;
  const { template, exchange, before = [], when } = failure;
  const isFirst = lab.sent > 0 && exchange.request.freshId === firstId;
  const subject = wanted.aspect === 'success' && !isFirst ? subjectOf(inquiry) : undefined;
  // What was tried in vain says nothing about the request.
  const inVain = lab.sent > 0 && before.length === 0 && !(await recurs(inquiry));
  const condition = (): Words => {
    if (when === 'under-concurrency') return { note: 'while others are in flight' };
    if (isFirst) return { phrase: 'that are the first of the run' };
    if (gone && wanted.words === NO_ANSWER) return served ? { note: 'from some point of the run on' } : {};
    // What is wrong with the request is known, and why it is rejected now may be something else: an id in use.
    if (subject !== undefined && subject !== ANY_SUBJECT.credential) return {};
    if (inVain) return { note: 'once, but not again' };
    return subject === undefined ? suchAs(failure) : {};
  };
  return {
    ...bareFinding(initialState(new JsonObject([])), exchange),
    kind: before.length > 0 ? 'sequence' : 'once',
    subject,
    conditions: [condition()],
    inside: [1, 1],
    before,
    template,
  };
}
