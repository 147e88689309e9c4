import type { Contract } from '../contract/contract.ts';
import { groupBy } from '../groups.ts';
import { JsonObject } from '../payloads/json.ts';
import { initialState } from '../payloads/model/dimension.ts';
import type { Cause } from '../run/cause.ts';
import type { Check } from '../run/check.ts';
import type { CheckResult } from '../run/result.ts';
import type { Explain } from '../run/run.ts';
import { alike } from './alike.ts';
import { causeOf } from './cause-of.ts';
import { type Circumstance, circumstancesOf, sinceWhen } from './circumstances.ts';
import type { Draft, Shown } from './draft.ts';
import { explainedBy } from './explained-by.ts';
import { bareFinding, type Found, Inquiry } from './found.ts';
import { investigate } from './investigate.ts';
import { type Budget, Lab, type Line, unlessSpent } from './lab.ts';
import { merged } from './merge.ts';
import { ordinaryStates } from './ordinary.ts';
import { stateOf } from './parts.ts';
import { roleOf } from './role.ts';
import { keyOf } from './symptom.ts';
import { wantedOf } from './wanted.ts';
import { ANY_SUBJECT, labelOf, subjectOf, suchAs } from './words.ts';

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

const secondsSince = (time: string): number => (Date.now() - Date.parse(time)) / 1000;

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
    const { concurrency, firstId, maxRequests, maxSeconds } = run.header.options;
    // The user's limits are about the whole run; to reach one would cut it short.
    const requestsLeft = (maxRequests ?? Number.POSITIVE_INFINITY) - run.requests;
    const secondsLeft = (maxSeconds ?? Number.POSITIVE_INFINITY) - secondsSince(run.header.startedAt) - 1;
    return explain(results, run, {
      contract,
      token,
      catalogue,
      concurrency,
      firstId: BigInt(firstId),
      budget: {
        requests: Math.min(requests, requestsLeft),
        seconds: Math.min(MAX_SECONDS, secondsLeft),
      },
    });
  };

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
  const every = await everything(failures, lab);
  const left = failures.filter((one) => every?.members.includes(one) !== true);
  const drafts = [...(every === undefined ? [] : [every]), ...(await bySymptom(left, lab, options, served))];
  return merged(drafts).map((draft) => causeOf(draft, catalogue));
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

/** A store that treats all requests alike has one fault, whatever the checks say. */
async function everything(failures: readonly Shown[], lab: Lab): Promise<Draft | undefined> {
  const found = await unlessSpent(() => alike(lab));
  if (found === undefined) return undefined;
  const isAuthorised = ({ failure: { exchange, template } }: Shown) =>
    roleOf(exchange.request, template, lab.contract, lab.token) !== 'reject-credential';
  return { ...found, members: found.authenticates ? failures.filter(isAuthorised) : failures };
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
      })) ?? [unexplained(inquiry, lab.sent > 0 && failure.exchange.request.freshId === firstId)];
    const own = found.map((one): Draft & { members: Shown[] } => ({ wanted, found: one, members: [] }));
    const rest: Shown[] = [];
    for (const member of left) {
      const explaining = member === lead ? own[0] : await explainedBy(own, member, lab);
      if (explaining === undefined) rest.push(member);
      else explaining.members.push(member);
    }
    for (const [index, one] of own.entries()) own[index] = withAllSubjects(one);
    // A cause that no failure was found for was seen in the experiments: the check of the lead found it, too.
    drafts.push(...own.map((one) => (one.members.length > 0 ? one : { ...one, members: [lead] })));
    left = rest;
  }
  return drafts;
}

/** What only shows at times was tried with one kind of invalid request; the failures say whether it shows with others. */
function withAllSubjects<T extends Draft>(draft: T): T {
  const { found, members } = draft;
  const kinds = new Set(members.map(({ failure }) => labelOf(failure)));
  if (found.kind === 'always' || found.subject === undefined || kinds.size < 2) return draft;
  return {
    ...draft,
    found: { ...found, subject: ANY_SUBJECT[found.state.credential === undefined ? 'body' : 'credential'] },
  };
}

/** What is known of a failure that no experiment shows again. */
function unexplained(inquiry: Inquiry, isFirst: boolean): Circumstance {
  const { failure, wanted } = inquiry;
  const { template, exchange, before = [], when } = failure;
  const isSubject = wanted.aspect === 'success' && !isFirst;
  return {
    ...bareFinding(initialState(new JsonObject([])), exchange),
    kind: before.length > 0 ? 'sequence' : 'once',
    subject: isSubject ? subjectOf(inquiry) : undefined,
    conditions:
      when === 'under-concurrency'
        ? [{ note: 'while others are in flight' }]
        : isFirst
          ? [{ phrase: 'that are the first of the run' }]
          : isSubject
            ? []
            : [suchAs(failure)],
    inside: [1, 1],
    before,
    template,
  };
}
