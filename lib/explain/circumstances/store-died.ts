import { groupBy } from '../../collections.ts';
import type { RequestInFlight } from '../../run/execute/last-requests.ts';
import type { FailureCount } from '../../run/result/result.ts';
import { ordinariness } from '../../run/send/ordinariness.ts';
import { joined } from '../../text.ts';
import { isAborted } from '../../wire/exchange.ts';
import type { Experiments } from '../experiment/experiments.ts';
import type { CheckFailure, Cluster } from '../explanation/cluster.ts';
import type { Condition } from '../explanation/condition.ts';
import { bareExplanation, type Explanation } from '../explanation/explanation.ts';
import { REQUESTS_TO_EXHAUST_A_STORE } from './from-some-point-on.ts';
import { symptomOf } from './same-for-all.ts';

/** Larger than most pools of connections, threads or slots. */
const REQUESTS_TO_USE_UP_A_POOL = 50;

/** If a store has accepted more ordinary plants than this, one more is unlikely to have crashed it. */
const MIN_ACCEPTED = 20;

/** The steps send this many times as many ordinary plants as the run, in case chance matters. */
const MARGIN_FACTOR = 1.2;

/** Maximum number of requests that the title names, and that the steps send. */
const [MAX_NAMED, MAX_SENT] = [3, 8];

/** The only cause of all unanswered requests if the store died: one of those in flight at the last answer. */
export function died(
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
export function neverAnswered(
  failures: readonly CheckFailure[],
  { ordinary, storeFailed, run: { accepted } }: Experiments,
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
