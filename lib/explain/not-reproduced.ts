import { JsonObject } from '../payloads/json.ts';
import { initialRequest } from '../payloads/model/model-request.ts';
import { oneIn, repeatAtRate } from './circumstances/rate.ts';
import { isRejectedAsDuplicate } from './experiment/duplicates.ts';
import { withinBudget } from './experiment/experiments.ts';
import { everyTime, type Search } from './experiment/search.ts';
import { type CheckFailure, didRecur } from './explanation/cluster.ts';
import { type Condition, IN_SOME_CASES, ofAnything } from './explanation/condition.ts';
import { bareExplanation, type Explanation } from './explanation/explanation.ts';
import { labelOf } from './explanation/labels.ts';
import { toWhom } from './symptom/symptom.ts';
import { ANY_SUBJECT, subjectOf, suchAs } from './wording/request-words.ts';

/** If this many requests, of this many kinds, fail unreliably, their content is not the cause. */
const MIN_INTERMITTENT_REQUESTS = 8;
const MIN_INTERMITTENT_KINDS = 4;

/** Says how often a symptom that no experiment reproduces occurred in the run. */
export function intermittentOverall(
  { failure: { exchange }, ordinary, symptom, experiments }: Search,
  members: readonly CheckFailure[],
): Explanation | undefined {
  if (experiments.storeFailed) return undefined;
  const recursWhenResent = members.some(didRecur);
  const invariant = members.find(({ check }) => check.test.kind === 'invariant');
  const wholeResult = experiments.results.find(({ check }) => check.id === invariant?.check.id);
  const isRare =
    (wholeResult?.failed ?? 0) < MIN_INTERMITTENT_REQUESTS || members.length < MIN_INTERMITTENT_KINDS;
  if (wholeResult === undefined || recursWhenResent || isRare) return undefined;
  const every = oneIn(wholeResult.failed, wholeResult.cases);
  return {
    ...bareExplanation(ordinary, exchange),
    kind: 'intermittent',
    conditions: [ofAnything(`${toWhom(symptom)}about one in ${every} requests of the run`)],
    inside: [wholeResult.failed, wholeResult.cases],
    repeat: repeatAtRate(every),
  };
}

/** Maximum number of retries before a failure counts as not reproducible. */
const MAX_RESENT = 3;

/** Whether the failure recurs when exactly the same request is sent again. */
async function recursOnResend({ failure: { template }, symptom, experiments }: Search): Promise<boolean> {
  const passes = async () => {
    const exchange = await withinBudget(() => experiments.sendFromReserve(template));
    return exchange !== undefined && experiments.isShown(exchange, template, symptom) !== true;
  };
  return !(await everyTime(MAX_RESENT, passes));
}

/** Says what is known about a failure that no experiment reproduces, perhaps for a `shortage` of budget. */
export async function notReproduced(
  search: Search,
  members: readonly CheckFailure[],
  shortage: string | undefined,
): Promise<Explanation> {
  const { failure, symptom, experiments } = search;
  const { storeFailed, run } = experiments;
  const { accepted, header } = run;
  const { template, exchange, before = [], when } = failure;
  const isFirst = experiments.sent > 0 && exchange.request.freshId === BigInt(header.options.firstId);
  const subject = symptom.kind === 'accepts' && !isFirst ? subjectOf(search) : undefined;
  // If all retries pass, nothing is claimed about the request.
  const requests = new Set(members.map((one) => one.failure.exchange.request.freshId));
  const inVain = experiments.sent > 0 && before.length === 0 && !(await recursOnResend(search));
  const mayBeInUse =
    subject !== undefined && (await withinBudget(() => isRejectedAsDuplicate(search, subject))) === true;
  const condition = (): Condition => {
    if (when === 'under-concurrency') return { note: 'while others are in flight' };
    if (isFirst) return { note: `${toWhom(symptom)}the first request of the run`, topics: ['first request'] };
    if (storeFailed && search.isSlow)
      return accepted !== undefined ? { note: 'from some point in the run on' } : {};
    // The defect is known. The request may now be rejected for another reason, such as an id that is in use.
    if (subject !== undefined && subject !== ANY_SUBJECT.credential)
      return experiments.sent === 0 || search.failingRequest === undefined || mayBeInUse ? {} : IN_SOME_CASES;
    if (inVain) return { note: `${requests.size === 1 ? 'once' : 'several times'}, not reproduced` };
    // If several kinds of ordinary requests fail, nothing unusual about a single one matters.
    const ordinary = members.filter((one) => one.failure.template.ordinary === true);
    const isOfAny = new Set(ordinary.map((one) => labelOf(one.failure))).size > 1;
    return subject === undefined && !isOfAny ? suchAs(failure, experiments.contract) : {};
  };
  return {
    ...bareExplanation(initialRequest(new JsonObject([])), exchange),
    kind: before.length > 0 ? 'sequence' : 'once',
    subject,
    conditions: [condition()],
    inside: [1, 1],
    // A request that passed when it was sent again has been examined.
    notExamined: inVain ? undefined : shortage,
    before,
    template,
  };
}
