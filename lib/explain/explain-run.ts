import { compact, groupBy } from '../collections.ts';
import type { Contract } from '../contract/contract.ts';
import { JsonObject } from '../payloads/json.ts';
import { initialState } from '../payloads/model/dimension.ts';
import { dependsOnFreshId, type ExpectedOutcome } from '../payloads/test-case.ts';
import type { Cause } from '../run/result/cause.ts';
import type { FindCauses } from '../run/run.ts';
import { explanationFor } from './choose-explanation.ts';
import { sameValues } from './circumstances/concurrency.ts';
import { circumstancesOf, toWhom } from './circumstances/find-circumstances.ts';
import { withHistory } from './circumstances/history.ts';
import { needsRejectionBefore } from './circumstances/sequence-probe.ts';
import { sincePassed } from './circumstances/since-passed.ts';
import { acceptedNoLonger, died, neverAnswered, sameForAll, unreadBody } from './circumstances/whole-run.ts';
import type { CheckFailure, Cluster } from './cluster.ts';
import { investigate } from './condition/investigate.ts';
import { mayExplain } from './condition/may-explain.ts';
import { stateOf } from './condition/request-parts.ts';
import {
  type ExperimentChannel,
  Experiments,
  type ExplainedRun,
  isWrong400,
  withinBudget,
} from './experiments.ts';
import { bareExplanation, type Explanation } from './explanation.ts';
import { merged } from './merge/merged.ts';
import { REPEATS, Search } from './search.ts';
import { keyOf, type SymptomKind } from './symptom/symptom.ts';
import { targetSymptomOf } from './symptom/target-symptom.ts';
import { causeOf } from './wording/cause-of.ts';
import { alternatives, areVague, type Condition } from './wording/condition.ts';
import {
  ANY_SUBJECT,
  bodiesNamed,
  defectWords,
  labelOf,
  subjectOf,
  suchAs,
} from './wording/request-words.ts';

/** Upper limit on experiment time, in seconds; keeps a hanging store from delaying the report. */
const MAX_SECONDS = 15;
const MAX_SECONDS_OF_OUTAGE = 10;
/** To start a store again takes most of it. */
const MAX_SECONDS_WITH_RESTARTS = 60;

function secondsFor({ stop, accepted, restarts }: Parameters<FindCauses>[1]): number {
  if (restarts > 0) return MAX_SECONDS_WITH_RESTARTS;
  if (stop !== undefined && ['outage', 'unresponsive', 'too-large'].includes(stop.kind))
    return MAX_SECONDS_OF_OUTAGE;
  // A store that never answered would cost a timeout for each experiment.
  return stop?.kind === 'gone' && accepted === undefined ? 0 : MAX_SECONDS;
}

const secondsSince = (time: string): number => (Date.now() - Date.parse(time)) / 1000;

/**
 * Finds the causes of a run's failures within the request and time budget.
 * @param requests to be spent on experiments at most
 * @returns the causes, in the order in which to fix them
 */
export function explainRun(
  [results, run]: Parameters<FindCauses>,
  { contract, token, catalogue }: Pick<ExplainedRun, 'contract' | 'token' | 'catalogue'>,
  requests: number,
): ReturnType<FindCauses> {
  const { concurrency, seed, firstId, maxRequests, maxSeconds } = run.header.options;
  // The user's limits are about the whole run; to reach one would cut it short.
  const requestsLeft = (maxRequests ?? Number.POSITIVE_INFINITY) - run.requests;
  const secondsLeft = (maxSeconds ?? Number.POSITIVE_INFINITY) - secondsSince(run.header.startedAt) - 1;
  const explained: ExplainedRun = {
    results,
    contract,
    token,
    catalogue,
    concurrency,
    seed,
    firstId: BigInt(firstId),
    accepted: run.accepted,
    answers: run.answers,
    gone: run.stop?.kind === 'gone' || run.stop?.kind === 'outage',
    inFlight: run.inFlight,
    budget: {
      requests: Math.min(requests, requestsLeft),
      seconds: Math.min(secondsFor(run), secondsLeft),
    },
  };
  return explain(run, explained).catch((error: unknown) => {
    // The verdict does not depend on the causes: an error of the suite in looking for them must not cost it.
    process.emitWarning(
      `The causes of failures were named without experiments. Please report this: ${error}`,
    );
    return explain(run, { ...explained, budget: { requests: 0, seconds: 0 } });
  });
}

async function explain(channel: ExperimentChannel, run: ExplainedRun): Promise<readonly Cause[]> {
  const { results, contract, token, catalogue } = run;
  const byId = new Map(catalogue.map((check) => [check.id, check]));
  const failures = results
    .filter(({ verdict }) => verdict === 'fail')
    .flatMap(({ check: { id }, failures: some }) => {
      const check = byId.get(id);
      if (check === undefined) return [];
      return some.map(
        (failure): CheckFailure => ({
          check,
          failure,
          symptom: targetSymptomOf(failure, check, contract, token),
        }),
      );
    })
    .map((one, _index, all) => withCompleteResponse(one, all));
  if (failures.length === 0) return [];
  const experiments = new Experiments(channel, run);
  const alike =
    (await withinBudget(() => acceptedNoLonger(failures, experiments))) ??
    (await withinBudget(() => sameForAll(failures, experiments)));
  const unread =
    alike === undefined ? await withinBudget(() => unreadBody(failures, experiments)) : undefined;
  const lost = neverAnswered(failures, experiments) ?? died(failures, experiments);
  const known = compact(alike, unread, lost);
  const left = failures.filter((one) => !known.some(({ members }) => members.includes(one)));
  const clusters = [...known];
  for (const cluster of await explainBySymptom(left, experiments))
    clusters.push(await sincePassed(cluster, experiments));
  return merged(clusters).map((cluster) => causeOf(cluster, catalogue));
}

/**
 * If the response was truncated, use the symptom of another failure with the same finding and a complete response.
 */
const withCompleteResponse = (one: CheckFailure, all: readonly CheckFailure[]): CheckFailure => {
  if (one.failure.exchange.response?.size === undefined) return one;
  const like = all.find(
    ({ failure: { finding, exchange } }) =>
      exchange.response?.size === undefined && finding.problem === one.failure.finding.problem,
  );
  return like === undefined ? one : { ...one, symptom: like.symptom };
};

async function explainBySymptom(
  failures: readonly CheckFailure[],
  experiments: Experiments,
): Promise<readonly Cluster[]> {
  const groups = groupBy(failures, ({ symptom }) => keyOf(symptom)).map(([, members]) => members);
  const rank = (members: readonly CheckFailure[]) =>
    members.some(({ check }) => check.level === 'MUST') ? members.length + 1000 : members.length;
  const clusters: Cluster[] = [];
  for (const members of groups.toSorted((a, b) => rank(b) - rank(a)))
    clusters.push(...(await explainSymptom(members, experiments)));
  return clusters;
}

/** Costs that put failures with a certain expected outcome first, and those about open behaviour last. */
const UNCLEAR_OUTCOME_COST = 8;
const OUTCOME_COSTS: Readonly<Record<ExpectedOutcome, number>> = {
  accept: 0,
  'reject-body': 5,
  'reject-credential': 5,
  open: UNCLEAR_OUTCOME_COST,
};

/**
 * Intermittent failures come last: other requests may cause them.
 */
const UNSTEADY_COST = 500;

/** Sorts ordinary requests first, as a fault that they trigger affects all requests, then what recurs each time. */
const simplestFirst = (
  members: readonly CheckFailure[],
  experiments: Experiments,
): readonly CheckFailure[] => {
  const cost = ({ failure: { template, before = [], when }, symptom }: CheckFailure): number => {
    const state = stateOf(template, experiments.ordinary.plant);
    if (state === undefined) return 1000;
    const delivered = Object.keys(template).length + Object.keys(template.delivery ?? {}).length;
    const expected = experiments.expectedOutcomeOf(state);
    const isOrdinary = expected === 'accept' && !isWrong400(symptom);
    const outcomeCost = expected === 'accept' && !isOrdinary ? UNCLEAR_OUTCOME_COST : OUTCOME_COSTS[expected];
    const isSteady = when === 'always' || (isOrdinary && experiments.restarts === 0);
    const unsteadyCost = isSteady ? 0 : UNSTEADY_COST;
    return delivered + outcomeCost + before.length * 10 + unsteadyCost;
  };
  return members.toSorted((a, b) => cost(a) - cost(b));
};

/** What is wrong if the store had to be started again after each request that shows the symptom. */
const CRASHES = { kind: 'crashes', words: 'dies without an answer' } as const;
const UNANSWERED: readonly SymptomKind[] = ['closed', 'no-answer', 'incomplete'];

async function explainSymptom(
  members: readonly CheckFailure[],
  experiments: Experiments,
): Promise<readonly Cluster[]> {
  const clusters: Cluster[] = [];
  let left = simplestFirst(members, experiments);
  for (let lead = left[0]; lead !== undefined; lead = left[0]) {
    const search = new Search(lead, experiments);
    const restartsBefore = experiments.restarts;
    const found = (await explainFailure(search)) ?? [
      intermittentOverall(search, left) ?? (await unexplained(search, left)),
    ];
    const isFatal = experiments.restarts - restartsBefore >= REPEATS;
    const symptom =
      isFatal && UNANSWERED.includes(lead.symptom.kind) ? { ...lead.symptom, ...CRASHES } : lead.symptom;
    const own = found.find((one) => mayExplain(one, search));
    const explaining = new Map<CheckFailure, Explanation | undefined>([[lead, own ?? found[0]]]);
    const broad = found.filter(({ labels = [] }) => labels.length > 0);
    for (const one of left)
      if (one !== lead)
        explaining.set(
          one,
          await explanationFor(isMoreSerious(one, lead) ? broad : found, new Search(one, experiments)),
        );
    for (const one of found) {
      const explained = left.filter((member) => explaining.get(member) === one);
      // Experiments also find other faults, which their own failures lead to.
      if (explained.length === 0) continue;
      clusters.push(withAllSubjects({ symptom, found: one, members: explained }, experiments.contract));
    }
    left = left.filter((one) => explaining.get(one) === undefined);
  }
  return clusters;
}

/** Whether a store accepts what it must reject, and not only, like that of the other failure, what it should reject. */
const isMoreSerious = ({ check, symptom: { kind } }: CheckFailure, other: CheckFailure): boolean =>
  kind === 'accepts' && check.level === 'MUST' && other.check.level === 'SHOULD';

/** Explains a failure by experiments; undefined if only an identical request, or none, reproduces it. */
async function explainFailure(search: Search): Promise<readonly Explanation[] | undefined> {
  const all = await withinBudget(async () =>
    (await needsRejectionBefore(search)) ? undefined : investigate(search),
  );
  const found = all?.some(showsRegardless) === true ? undefined : all;
  // The id is the only repeated value that was tried; other repeated values may matter as well.
  if (found?.some(({ conditions }) => conditions.some(({ isOfSameId }) => isOfSameId)) === true) {
    const general = await withinBudget(() => sameValues(search.ordinary, search));
    if (general !== undefined) return [general];
  }
  const isClear = found?.every(({ conditions }) => !areVague(conditions)) === true;
  const { template, before = [] } = search.failure;
  // A value that is always the same may have been sent before, and that may be what matters.
  const mayBeKnown = before.length > 0 || !dependsOnFreshId(template, search.experiments.token);
  if (found !== undefined && (isClear || !mayBeKnown)) return histories(found, search);
  const one = await withinBudget(() => circumstancesOf(search));
  // A failure that shows each time needs no other requests.
  if (one !== undefined && (found === undefined || one.kind !== 'from-then-on')) return [one];
  return found === undefined || before.length > 0 ? undefined : histories(found, search);
}

/** Whether the symptom also occurs when the condition is not met. */
const showsRegardless = ({ outside: [shown, tried] }: Explanation): boolean => shown * 2 > tried;

/** Adds the required preceding requests to the explanation. */
async function histories(found: readonly Explanation[], search: Search): Promise<readonly Explanation[]> {
  const all: Explanation[] = [];
  for (const one of found) all.push((await withinBudget(() => withHistory(one, search))) ?? one);
  return all;
}

/** More are not listed in a title. */
const MAX_KINDS = 3;

/**
 * A symptom that is intermittent, or of an unusual kind of request, was tried with one kind of invalid request; the
 * failures tell whether others show it, too.
 */
function withAllSubjects(cluster: Cluster, contract: Contract): Cluster {
  const { found, members } = cluster;
  const kinds = new Set(members.map(({ failure }) => labelOf(failure)));
  if (found.subject === undefined || kinds.size < 2) return cluster;
  const { credential } = found.template ?? found.state;
  if (found.kind === 'always') {
    const isListed = found.labels === undefined && credential === undefined && kinds.size <= MAX_KINDS;
    const several = () => alternatives([...kinds].map((kind) => defectWords(kind, contract)));
    return isListed ? { ...cluster, found: { ...found, subject: several() } } : cluster;
  }
  const subject =
    credential === undefined ? (bodiesNamed(kinds, contract) ?? ANY_SUBJECT.body) : ANY_SUBJECT.credential;
  return { ...cluster, found: { ...found, subject } };
}

/** If this many different requests fail, none of them reliably, the requests themselves are not the cause. */
const MIN_INTERMITTENT_REQUESTS = 8;

/** Describes a symptom that experiments cannot reproduce by its frequency in the run. */
function intermittentOverall(
  { failure: { exchange }, ordinary, symptom, experiments: { run } }: Search,
  members: readonly CheckFailure[],
): Explanation | undefined {
  if (run.gone) return undefined;
  const recursWhenResent = members.some(
    ({ failure: { when } }) => when === 'always' || when === 'this-request',
  );
  const invariant = members.find(({ check }) => check.test.kind === 'invariant');
  const whole = run.results.find(({ check }) => check.id === invariant?.check.id);
  if (whole === undefined || recursWhenResent || members.length < MIN_INTERMITTENT_REQUESTS) return undefined;
  const every = Math.max(2, Math.round(whole.cases / Math.max(1, whole.failed)));
  return {
    ...bareExplanation(ordinary, exchange),
    kind: 'now-and-then',
    conditions: [
      { note: `${toWhom(symptom)}about one request of the run in ${every}, whatever it contains` },
    ],
    inside: [whole.failed, whole.cases],
    repeat: { times: Math.min(every * 5, 500), inFlight: 1 },
  };
}

/** Retries before a failure counts as not reproducible. */
const MAX_RESENT = 3;

/** Whether a failure shows when the very same request is sent again. */
async function recurs({ failure: { template }, symptom, experiments }: Search): Promise<boolean> {
  for (let remaining = MAX_RESENT; remaining > 0; remaining -= 1) {
    const exchange = await withinBudget(() => experiments.sendAgain(template));
    if (exchange === undefined || experiments.isShown(exchange, template, symptom) === true) return true;
  }
  return false;
}

/** What is known of a failure that no experiment shows again. */
async function unexplained(search: Search, members: readonly CheckFailure[]): Promise<Explanation> {
  const { failure, symptom, experiments } = search;
  const { firstId, accepted, gone } = experiments.run;
  const { template, exchange, before = [], when } = failure;
  const isFirst = experiments.sent > 0 && exchange.request.freshId === firstId;
  const subject = symptom.kind === 'accepts' && !isFirst ? subjectOf(search) : undefined;
  // Failed attempts to reproduce it say nothing about the request.
  const requests = new Set(members.map((one) => one.failure.exchange.request.freshId));
  const inVain = experiments.sent > 0 && before.length === 0 && !(await recurs(search));
  const condition = (): Condition => {
    if (when === 'under-concurrency') return { note: 'while others are in flight' };
    if (isFirst) return { phrase: 'that are the first of the run', topics: ['first request'] };
    if (gone && search.isSlow)
      return accepted !== undefined ? { note: 'from some point in the run onwards' } : {};
    // What is wrong with the request is known, and why it is rejected now may be something else: an id in use.
    if (subject !== undefined && subject !== ANY_SUBJECT.credential) return {};
    if (inVain) return { note: `${requests.size === 1 ? 'once' : 'several times'}, not reproduced` };
    // Ordinary requests of several kinds show it, so that nothing unusual about one of them matters.
    const ordinary = members.filter((one) => one.failure.template.ordinary === true);
    const isOfAny = new Set(ordinary.map((one) => labelOf(one.failure))).size > 1;
    return subject === undefined && !isOfAny ? suchAs(failure, experiments.contract) : {};
  };
  return {
    ...bareExplanation(initialState(new JsonObject([])), exchange),
    kind: before.length > 0 ? 'sequence' : 'once',
    subject,
    conditions: [condition()],
    inside: [1, 1],
    before,
    template,
  };
}
