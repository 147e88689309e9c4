import { compact, groupBy } from '../../collections.ts';
import { describeExchange } from '../../judge/reading.ts';
import { membersOf } from '../../members.ts';
import { wrongToken } from '../../payloads/credentials.ts';
import { freshId, freshText } from '../../payloads/fresh.ts';
import { FRESH, FreshText, type Json, JsonObject } from '../../payloads/json.ts';
import { type RequestState, templateOf } from '../../payloads/model/dimension.ts';
import { ID } from '../../payloads/plants.ts';
import { noCredential, type RequestTemplate } from '../../payloads/test-case.ts';
import type { RequestInFlight } from '../../run/execute/last-requests.ts';
import type { FailureCount } from '../../run/result/result.ts';
import { ordinariness } from '../../run/send/ordinariness.ts';
import { joined } from '../../text.ts';
import { bodyText } from '../../utf8.ts';
import { type Exchange, isAborted, isTimeout } from '../../wire/exchange.ts';
import type { CheckFailure, Cluster } from '../cluster.ts';
import { TRUNCATED } from '../condition/by-defect.ts';
import { wholeIdIn } from '../condition/remainders.ts';
import { type Experiments, withinBudget } from '../experiments.ts';
import { bareExplanation, type Explanation, shownAfterOthers } from '../explanation.ts';
import { ordinaryStates } from '../ordinary-requests.ts';
import { everyTime, REPEATS, Search, soonPasses } from '../search.ts';
import { symptomsOf } from '../symptom/detect-symptoms.ts';
import { aspectOf, isSlow, keyOf, type Symptom } from '../symptom/symptom.ts';
import type { Condition } from '../wording/condition.ts';
import { tryAfterFlood } from './after-flood.ts';
import { tryAfterMany } from './after-many.ts';
import { describeFromSomePointOn, REQUESTS_TO_EXHAUST_A_STORE } from './from-some-point-on.ts';
import {
  COMPARISONS,
  PRECEDING_KINDS,
  type PrecedingKind,
  precededBy,
  SequenceProbe,
  shownOnlyBy,
} from './sequence-probe.ts';

/** Finds a single cause of many failures with different symptoms. */
type RunWideCauseFinder = (
  failures: readonly CheckFailure[],
  experiments: Experiments,
) => Promise<Cluster | undefined>;

/** Finds the faults that affect the whole run. */
export async function runWideClusters(
  failures: readonly CheckFailure[],
  experiments: Experiments,
): Promise<readonly Cluster[]> {
  const blocked = await withinBudget(() => findOneConnectionAtATime(failures, experiments));
  if (blocked !== undefined) return [blocked];
  const alike =
    (await withinBudget(() => findAcceptedNoLonger(failures, experiments))) ??
    (await withinBudget(() => findSameForAll(failures, experiments)));
  const found =
    alike === undefined ? await withinBudget(() => findLeftover(failures, experiments)) : undefined;
  const stopped = neverAnswered(failures, experiments) ?? died(failures, experiments);
  return compact(alike, found, stopped);
}

/** Finds whether an open connection keeps the store from answering requests on others. */
const findOneConnectionAtATime: RunWideCauseFinder = async (failures, experiments) => {
  const members = failures.filter(({ symptom }) => isSlow(symptom));
  if (members.length === 0) return undefined;
  const [ordinary, , , other = ordinary] = ordinaryStates(experiments.contract);
  const beside = precededBy(ordinary, templateOf(other), 'other-open');
  const timedOut = async (state: RequestState) => {
    const sent = await experiments.send(state);
    return isTimeout(sent) ? sent : undefined;
  };
  // Each comparison takes a full timeout.
  const exchange = await shownOnlyBy(beside, ordinary, timedOut, REPEATS);
  if (exchange === undefined) return undefined;
  const condition: Condition = { phrase: 'while another connection is open', topics: ['connections'] };
  return {
    symptom: { kind: 'no-answer', words: 'does not answer' },
    explanation: shownAfterOthers(beside, exchange, [condition], REPEATS),
    members,
  };
};

/** Repetitions for each kind of request; fewer if requests time out. */
const ROUNDS = 3;
const ROUNDS_IF_SLOW = 1;

/** Finds whether the store treats all requests alike: it has a single fault, whatever the checks say. */
const findSameForAll: RunWideCauseFinder = async (failures, experiments) => {
  const { ordinary } = experiments;
  const authorised: readonly RequestState[] = [
    ordinary,
    // Sent twice, since the preceding request may matter.
    ordinary,
    { ...ordinary, defect: { json: new JsonObject([]) } },
    { ...ordinary, defect: TRUNCATED },
  ];
  const exchanges: Exchange[] = [];
  let rounds = ROUNDS;
  for (let round = 0; round < rounds; round += 1)
    for (const state of authorised) {
      const exchange = await experiments.send(state);
      exchanges.push(exchange);
      if (new Set(exchanges.map(responseText)).size > 1) return undefined;
      if (isTimeout(exchange)) rounds = ROUNDS_IF_SLOW;
    }
  const [exchange] = exchanges;
  if (exchange === undefined) return undefined;
  const other = await experiments.send({ ...ordinary, credential: noCredential });
  const authenticates = responseText(other) !== responseText(exchange);
  const whom = authenticates ? 'request with a valid token' : 'request';
  return {
    symptom: symptomOf(exchange, whom),
    explanation: { ...bareExplanation(ordinary, exchange), inside: [exchanges.length, exchanges.length] },
    members: failures.filter(
      ({ failure }) => !authenticates || experiments.expectedOutcomeOfSent(failure) !== 'reject-credential',
    ),
  };
};

function symptomOf(exchange: Exchange, whom: string): Symptom {
  if (exchange.response === undefined) return { kind: 'none-for-all', words: noAnswerWords(exchange, whom) };
  return {
    kind: 'same-for-all',
    words: `answers every ${whom} with ${describeExchange(exchange).replace(/ (?=\w[\w.+-]*\/\w)/, ' as ')}${exchange.response.truncated ? ' and an incomplete body' : ''}`,
    status: exchange.response.status,
  };
}

function noAnswerWords(exchange: Exchange, whom: string): string {
  const kind = exchange.kind === 'broken' ? exchange.fault.kind : undefined;
  const isAll = whom === 'request';
  if (kind === 'closed')
    return isAll
      ? 'closes every connection without an answer'
      : `closes the connection without an answer to every ${whom}`;
  if (kind === 'timeout') return isAll ? 'never answers' : `does not answer any ${whom}`;
  return `answers no ${whom} (${kind ?? ''})`;
}

const responseText = (exchange: Exchange): string =>
  exchange.response === undefined
    ? `none: ${exchange.kind === 'broken' ? exchange.fault.kind : ''}`
    : `${describeExchange(exchange)}\n${Buffer.from(exchange.response.body).toString('latin1')}`;

/** Finds whether bytes of an earlier request on the connection are taken for those of the next one. */
const findLeftover: RunWideCauseFinder = async (failures, experiments) => {
  const members = failures.filter(mayBeOfConnection);
  // If the store dies of a request, the next one fails as well.
  if (members.length === 0 || experiments.restarts > 0) return undefined;
  const found = (await findStaleBody(experiments)) ?? (await findUnreadPart(experiments));
  return found && { ...found, members };
};

/** A fault of the connection. */
type Leftover = Omit<Cluster, 'members'> | undefined;

/** Explains `symptom` if an ordinary plant always fails in the first of two requests, and never in the second. */
async function failsOnlyIn(
  failing: RequestState,
  passing: RequestState,
  symptom: Symptom,
  experiments: Experiments,
): Promise<Leftover> {
  const exchange = await shownOnlyBy(failing, passing, (state) => failingExchange(state, experiments));
  return exchange && { symptom, explanation: shownAfterOthers(failing, exchange, [], COMPARISONS) };
}

/** White space that makes a body longer than that of any ordinary plant. */
const PADDING = ' '.repeat(300);

/**
 * Finds whether the store leaves a longer body in a buffer of the connection, and parses its end as part of
 * the next body. The resulting failures depend on the lengths of both, and look random.
 */
async function findStaleBody(experiments: Experiments): Promise<Leftover> {
  const [ordinary, , earlier = ordinary] = ordinaryStates(experiments.contract);
  const padded = (state: RequestState): RequestState => ({ ...state, edits: [(text) => PADDING + text] });
  const afterLonger = precededBy(ordinary, templateOf(padded(earlier)), 'same');
  const afterShorter = precededBy(padded(ordinary), templateOf(earlier), 'same');
  const words = 'parses the end of an earlier, longer body on the connection as part of the body';
  const found = await failsOnlyIn(afterLonger, afterShorter, { kind: 'stale-body', words }, experiments);
  if (found === undefined) return undefined;
  // Otherwise, what the store remembers is not of the connection.
  const onAnother = precededBy(ordinary, templateOf(padded(earlier)), 'other');
  return (await failingExchange(onAnother, experiments)) === undefined ? found : undefined;
}

interface RejectedEarly extends Pick<PrecedingKind, 'singular' | 'from'> {
  /** Makes the control request, which leaves no unread bytes; by default the same without a body. */
  readonly control?: PrecedingKind['from'];
}

/** Requests that a store may reject before it has read or parsed the whole body. */
const REJECTED_EARLY: readonly RejectedEarly[] = [
  PRECEDING_KINDS.unauthenticated,
  {
    ...PRECEDING_KINDS.wrong,
    from: (ordinary) => ({ ...ordinary, credential: wrongToken('a random token of the same length') }),
  },
  {
    singular: 'a request with another media type',
    from: (ordinary) => ({ ...ordinary, template: { contentType: 'text/plain' } }),
  },
  {
    singular: 'a request with malformed JSON',
    from: (ordinary) => ({ ...ordinary, defect: TRUNCATED }),
    control: PRECEDING_KINDS.rejected.from,
  },
];

/** A request of which a store may leave a part unread, and a control request of which it cannot. */
interface LeavingPart {
  readonly part: string;
  readonly request: RequestTemplate;
  readonly control: RequestTemplate;
}

function unreadPartsOf(earlier: RequestState): readonly LeavingPart[] {
  const chunked = (template: RequestTemplate): RequestTemplate => ({ ...template, framing: 'chunked' });
  const rejected = REJECTED_EARLY.map(({ singular, from, control }): LeavingPart => {
    const request = templateOf(from(earlier));
    return {
      part: `the body of ${singular}`,
      request,
      control: control === undefined ? { ...request, body: undefined } : templateOf(control(earlier)),
    };
  });
  const plant = chunked(templateOf(earlier));
  return [
    ...rejected,
    ...rejected.map(({ part, request, control }) => ({
      part: part.replace('body', 'chunked body'),
      request: chunked(request),
      control: chunked(control),
    })),
    {
      part: 'the trailer after a chunked body',
      request: { ...plant, delivery: { chunks: 'trailer' } },
      control: { ...plant, delivery: { chunks: 'many' } },
    },
  ];
}

/**
 * Finds whether the store leaves a part of a request unread, such as the body of one that it rejects, and parses it
 * as the next request. The resulting failures depend on the bytes of the body and look random.
 */
async function findUnreadPart(experiments: Experiments): Promise<Leftover> {
  // Two plants that share no values, since a store may remember what it rejected.
  const [ordinary, , earlier = ordinary] = ordinaryStates(experiments.contract);
  for (const { part, request, control } of unreadPartsOf(earlier)) {
    const found = await failsOnlyIn(
      precededBy(ordinary, request, 'same'),
      precededBy(ordinary, control, 'same'),
      { kind: 'unread-body', words: `parses ${part} as the next request on the connection` },
      experiments,
    );
    // Otherwise, chance, or what the store remembers, decides.
    const onAnother = precededBy(ordinary, request, 'other');
    const passes = async () => (await failingExchange(onAnother, experiments)) === undefined;
    if (found !== undefined && (await everyTime(COMPARISONS, passes))) return found;
  }
  // Flushes bytes that rejected requests left behind, so that they do not affect later experiments.
  for (const state of ordinaryStates(experiments.contract)) await experiments.send(state);
  return undefined;
}

/** What is wrong with the response to an ordinary plant, other than values that are not those sent. */
const wrongResponse = (exchange: Exchange, { contract }: Experiments): Symptom | undefined =>
  symptomsOf(exchange, 'accept', contract).find((one) => aspectOf(one) !== 'echo');

/** Sends an ordinary plant, and returns the exchange if its outcome is wrong, whatever the body. */
async function failingExchange(state: RequestState, experiments: Experiments): Promise<Exchange | undefined> {
  const exchange = await experiments.send(state);
  const symptoms = symptomsOf(exchange, 'accept', experiments.contract);
  return symptoms.some((one) => aspectOf(one) === 'outcome') ? exchange : undefined;
}

/** Whether the failure may be due to bytes that an earlier request left on the connection. */
const mayBeOfConnection = ({
  failure: { when, template, before = [] },
  symptom: { kind },
}: CheckFailure): boolean => {
  // A store that accepted the request again, by itself, accepts it whatever came before.
  if (kind === 'accepts' || kind === 'should-reject') return when === 'once' || when === 'under-concurrency';
  return when !== 'always' || template.preceding !== undefined || before.length > 0;
};

/** If a store has accepted more ordinary plants than this, one more is unlikely to have crashed it. */
const MIN_ACCEPTED = 20;

/** The steps send this many times as many ordinary plants as the run, in case chance matters. */
const MARGIN_FACTOR = 1.2;

/** Larger than most pools of connections, threads or slots. */
const REQUESTS_TO_USE_UP_A_POOL = 50;

/** Maximum number of requests that the title names, and that the steps send. */
const [MAX_NAMED, MAX_SENT] = [3, 8];

/** The only cause of all unanswered requests if the store died: one of those in flight at the last answer. */
function died(
  failures: readonly CheckFailure[],
  { ordinary, contract, run: { inFlight, countsUntilLastAccepted } }: Experiments,
): Cluster | undefined {
  const distinct = groupBy(inFlight, requestLabel).map(([, [first]]) => first);
  const members = failures.filter(
    ({ symptom: { kind }, failure: { exchange } }) =>
      exchange.response === undefined && (kind === 'closed' || kind === 'no-answer'),
  );
  const wasInFlight = ({ failure }: CheckFailure) =>
    inFlight.some(({ template }) => template === failure.template);
  const last =
    members.find((one) => one.failure.template.ordinary === true && !wasInFlight(one)) ?? members.at(-1);
  if (distinct.length === 0 || last === undefined) return undefined;
  const { exchange, template } = last.failure;
  const accepted = countsUntilLastAccepted.find(({ status }) => status === 200)?.count ?? 0;
  const symptom = { kind: 'stops-answering', words: 'stops answering for good' } as const;
  const common = {
    ...bareExplanation(ordinary, exchange),
    kind: 'from-then-on',
    until: countsUntilLastAccepted,
    template,
  } as const;
  // Any client would send these requests, and the store accepted many like them, so none of them alone killed
  // it.
  if (accepted > MIN_ACCEPTED && distinct.every((one) => ordinariness(one.template, contract) === 2)) {
    const times = Math.max(REQUESTS_TO_EXHAUST_A_STORE, Math.ceil(accepted * MARGIN_FACTOR));
    const explanation: Explanation = {
      ...common,
      conditions: [{ note: 'from some point in the run on' }],
      inside: [members.length, members.length],
      repeat: { times, inFlight: 1 },
    };
    return { symptom, explanation, members };
  }
  // A store that hangs has probably exhausted a pool: every request of one kind took one item of it.
  const repeat = { times: last.symptom.kind === 'no-answer' ? REQUESTS_TO_USE_UP_A_POOL : 1, inFlight: 1 };
  return {
    symptom: distinct.length === 1 ? symptom : { ...symptom, words: `${symptom.words}, probably` },
    explanation: {
      ...common,
      conditions: [wordsFor(distinct.slice(0, MAX_NAMED))],
      inside: [1, 1],
      before: distinct.slice(0, MAX_SENT),
      repeat,
    },
    members,
  };
}

/** The only cause if the store never answered. No experiments are possible. */
function neverAnswered(
  failures: readonly CheckFailure[],
  { ordinary, run: { storeFailed, accepted } }: Experiments,
): Cluster | undefined {
  const [first] = failures;
  const isAnswered = failures.some(({ failure }) => failure.exchange.response !== undefined);
  if (first === undefined || !storeFailed || accepted !== undefined || isAnswered) return undefined;
  const { exchange, template } = first.failure;
  const tried: FailureCount = [failures.length, failures.length];
  const explanation = { ...bareExplanation(ordinary, exchange), template, inside: tried };
  return { symptom: symptomOf(exchange, 'request'), explanation, members: failures };
}

const requestLabel = ({ exchange, template: { sentAs = '' }, check }: RequestInFlight): string =>
  isAborted(exchange) ? 'broken off' : `${check}: ${sentAs}`;

/** @param named at least one request, the likeliest culprit first */
function wordsFor(named: readonly RequestInFlight[]): Condition {
  if (named.some(({ exchange }) => isAborted(exchange))) return { phrase: 'that the client broke off' };
  // The label of a combination lists every unusual value, so it would name too much.
  const labels = named.flatMap(({ template: { sentAs }, check }) =>
    sentAs === undefined || check.startsWith('combinations/') ? [] : [sentAs],
  );
  const checks = [...new Set(named.map(({ check }) => check))];
  return {
    phrase: labels.length > 0 ? `such as: ${joined(labels, 'or')}` : `like those of ${joined(checks, 'or')}`,
    isVague: true,
  };
}

/** Finds whether the store no longer answers properly to plants like the one that it accepted at the start. */
const findAcceptedNoLonger: RunWideCauseFinder = async (failures, experiments) => {
  const { accepted } = experiments.run;
  if (accepted === undefined) return undefined;
  const [first, ...others] = ordinaryStates(experiments.contract);
  const wrong = async (state: RequestState) => wrongResponse(await experiments.send(state), experiments);
  const symptom = await wrong(first);
  if (symptom === undefined || wrongResponse(accepted, experiments)?.words === symptom.words)
    return undefined;
  if (await isOnlyOfIds(accepted, first, wrong)) return undefined;
  if (!isSlow(symptom) && (await soonPasses(async () => (await wrong(first)) === undefined)))
    return undefined;
  const fails = async (state: RequestState) => (await wrong(state))?.words === symptom.words;
  const failing: [RequestState, ...RequestState[]] = [first];
  const passing: RequestState[] = [];
  for (const state of isSlow(symptom) ? others.slice(0, 1) : others)
    ((await fails(state)) ? failing : passing).push(state);
  const rejected: NoLongerAccepted | undefined =
    passing.length === 0 ? { state: first } : await plantsNoLongerAccepted(accepted, failing, passing, fails);
  const members = failures.filter((one) => keyOf(one.symptom) === keyOf(symptom));
  if (rejected === undefined || members.length === 0) return undefined;
  const tried: FailureCount = [failing.length, failing.length];
  const found = await describeFromSomePointOn(rejected.state, tried, symptom, experiments, rejected.property);
  return {
    symptom,
    explanation: (await findHowMany(rejected.state, found, members, experiments)) ?? found,
    members,
  };
};

/** Whether only the id decides: ids close to that of the plant accepted at the start are still accepted. */
async function isOnlyOfIds(
  accepted: Exchange,
  state: RequestState,
  wrong: (state: RequestState) => Promise<Symptom | undefined>,
): Promise<boolean> {
  const id = wholeIdIn(accepted);
  if (id === undefined || id < 2n ** 20n) return false;
  const plant = state.plant.with(ID, freshId(id, id + id / 100n));
  return everyTime(REPEATS, async () => (await wrong({ ...state, plant })) === undefined);
}

/** Finds after how many requests of one kind a store stops accepting ordinary plants for a while. */
const findHowMany = (
  state: RequestState,
  { isForAWhile }: Explanation,
  [firstFailure]: readonly CheckFailure[],
  experiments: Experiments,
): Promise<Explanation | undefined> =>
  withinBudget(async () => {
    if (isForAWhile !== true || firstFailure === undefined) return undefined;
    const search = new Search(firstFailure, experiments);
    const probe = await SequenceProbe.of(state, search);
    return (await tryAfterFlood(state, search)) ?? (probe && tryAfterMany(probe));
  });

/** Ordinary plants that the store no longer accepts. */
interface NoLongerAccepted {
  readonly state: RequestState;
  /** What they have in common (`tag`, or `new tag`), if other plants are still accepted. */
  readonly property?: string;
}

/**
 * Finds whether the plants that fail are those with a certain property, or with a new value of it. The plant
 * accepted at the start must have that property, too.
 */
async function plantsNoLongerAccepted(
  accepted: Exchange,
  failing: readonly [RequestState, ...RequestState[]],
  passing: readonly RequestState[],
  fails: (state: RequestState) => Promise<boolean>,
): Promise<NoLongerAccepted | undefined> {
  const [first] = failing;
  const { plant } = first;
  const has = (name: string) => (state: RequestState) => state.plant.get(name) !== undefined;
  const name = plant.members
    .map(([key]) => key)
    .find((key) => failing.every(has(key)) && !passing.some(has(key)));
  if (name === undefined) return undefined;
  const value = membersOf(bodyText(accepted.request.body))[name];
  if (typeof value !== 'string') return undefined;
  const withValue = (other: Json): RequestState => ({ ...first, plant: plant.with(name, other) });
  // A new value of the same form, so that the form is not what matters.
  if (!(await fails(withValue(freshText(value))))) return undefined;
  if (await fails(withValue(value))) return { state: first, property: name };
  // In shell commands, the new id makes each value new.
  const renewed = plant.with(ID, FRESH).with(name, new FreshText((id) => `${name}${id}`, 2 ** 53));
  return { state: { ...first, plant: renewed }, property: `new ${name}` };
}
