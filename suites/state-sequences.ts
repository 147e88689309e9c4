import { groupBy } from '../lib/collections.ts';
import {
  createdOrRejectedRules,
  createdRules,
  type Finding,
  type Rule,
  rejectedRules,
} from '../lib/judge/rules.ts';
import { fixedFor } from '../lib/payloads/fresh.ts';
import type { Json, JsonObject } from '../lib/payloads/json.ts';
import { ID } from '../lib/payloads/plants.ts';
import { DESCRIPTIONS, type Step, sequencesOf, withFewerMoments, wordsOf } from '../lib/payloads/sequence.ts';
import { shortest } from '../lib/payloads/shrink-list.ts';
import type { RequestTemplate } from '../lib/payloads/test-case.ts';
import { isValid } from '../lib/payloads/validity.ts';
import type { Check, CheckContext, SentRequest } from '../lib/run/check.ts';
import { must, ordinaryRequest } from './define.ts';

/** Limit on the requests spent on shrinking failing sequences. */
const SHRINK_BUDGET_REQUESTS = 300;
const MAX_BEFORE = 32;
/** Number of ids reserved per step: most steps use one id, some two or three. */
const IDS_PER_STEP = 2;
/** Number of different problems after which no more sequences are tried. */
const MAX_PROBLEMS = 3;

/** What an outcome may depend on besides the request: which plants may have been created. */
interface StoreState {
  /** The known ids, by the number of their plant in the sequence. */
  readonly ids: Map<number, bigint>;
  /** Numbers of the plants whose id, or whose name, may be in use. */
  readonly idInUse: Set<number>;
  readonly nameInUse: Set<number>;
}

interface SentStep {
  readonly step: Step;
  readonly template: RequestTemplate;
  /** Empty if the response is not to be judged. */
  readonly rules: readonly Rule[];
  /** The number of the plant whose id the request has, and of the one whose name it has. */
  readonly id: number | undefined;
  readonly name: number | undefined;
}

interface StepPlant extends Pick<SentStep, 'id' | 'name'> {
  readonly json: JsonObject;
  /** Whether every store must accept the plant unless its id or name is in use. */
  readonly isOrdinary: boolean;
}

interface StepFailure extends SentStep, SentRequest {
  /** The requests of the sequence that were sent before it, or at the same time. */
  readonly before: readonly SentRequest[];
  readonly finding: Finding;
}

/** Plays sequences of steps. Each sequence has its own plants, so that they do not interfere. */
class Sequences {
  private readonly context: CheckContext;
  private readonly plants: readonly JsonObject[];
  /** A plant that is sent first, to separate a sequence from earlier requests and their connection. */
  private readonly separator: JsonObject;
  /** The kinds of requests that were answered correctly, and the names of their defects. */
  readonly passed: Set<string>;

  constructor(context: CheckContext, plants: readonly JsonObject[], passed = new Set<string>()) {
    this.context = context;
    this.plants = plants;
    this.passed = passed;
    this.separator = context.plants.plain();
  }

  /** Gives the steps ids of their own, so that several sequences can be played concurrently. */
  withOwnIds(steps: readonly Step[]): Sequences {
    const context = this.context.withOwnIds((steps.length + 1) * IDS_PER_STEP);
    return new Sequences(context, this.plants, this.passed);
  }

  /** Sends the steps in order until one of them is answered incorrectly. */
  async playSequence(steps: readonly Step[]): Promise<StepFailure | undefined> {
    const known: StoreState = { ids: new Map(), idInUse: new Set(), nameInUse: new Set() };
    const before: SentRequest[] = [];
    const round = this.context.nextId();
    await this.context.send(ordinaryRequest(this.separator));
    for (const [moment, together] of byMoment(steps).entries()) {
      const sent = together.map((step) => this.request(step, together, moment === 0, known, round));
      const exchanges = await this.context.sendAll(sent.map(({ template }) => template));
      const answered = sent.flatMap((one, index) => {
        const exchange = exchanges[index];
        return exchange === undefined ? [] : [{ ...one, exchange }];
      });
      for (const one of answered) updateState(one, known);
      for (const one of answered) {
        const finding = this.context.find(one.exchange, one.template, one.rules);
        if (finding !== undefined)
          return { ...one, finding, before: [...before, ...answered.filter((other) => other !== one)] };
        this.passed.add(kindOf(one));
        const { wrong } = one.step;
        if (wrong !== undefined && 'name' in wrong) this.passed.add(wrong.name);
      }
      before.push(...answered);
    }
    return undefined;
  }

  private request(
    step: Step,
    together: readonly Step[],
    isFirst: boolean,
    known: StoreState,
    round: bigint,
  ): SentStep {
    const { plant: number, wrong, manner } = step;
    const connection = isFirst && step.connection !== 'own' ? 'fresh' : step.connection;
    const others = together.filter((other) => other !== step && other.plant === number);
    const wasSent = known.ids.has(number);
    const { json, id, name, isOrdinary } = this.plantOf(step, others.length > 0, known);
    const mayBeInUse =
      (id !== undefined && known.idInUse.has(id)) ||
      (name !== undefined && known.nameInUse.has(name)) ||
      others.some(mayCreate);
    const mustBeAccepted = wrong === undefined && manner === 'as usual' && isOrdinary && !mayBeInUse;
    const ownTemplate = this.templateOf({ ...step, connection }, json, mustBeAccepted, round);
    const template: RequestTemplate =
      wasSent || others.length > 0 ? { ...ownTemplate, sentBefore: true } : ownTemplate;
    return { step, template, rules: rulesFor(step, mustBeAccepted), id, name };
  }

  private plantOf({ plant: number, like }: Step, isShared: boolean, { ids }: StoreState): StepPlant {
    const { context } = this;
    const fresh = this.plants[number % this.plants.length] ?? context.plants.plain();
    const isAccented = like === 'composed' || like === 'decomposed';
    if (!ids.has(number) && (isShared || isAccented)) ids.set(number, context.nextId());
    const ownId = ids.get(number);
    const fixed = (id: bigint) => fixedFor(fresh, id);
    const itself = ownId === undefined ? fresh : fixed(ownId);
    const same: StepPlant = { json: itself, id: number, name: number, isOrdinary: true };
    const changed = (json: JsonObject, rest: Omit<StepPlant, 'json'>): StepPlant =>
      isValid(context.plants.contract, json) ? { ...rest, json } : same;
    const id: Json | undefined = itself.get(ID);
    const name = itself.get('name');
    if (isAccented && typeof name === 'string') {
      const accented = `${name} é`.normalize(like === 'composed' ? 'NFC' : 'NFD');
      return changed(fixed(context.nextId()).with('name', accented), { ...same, isOrdinary: false });
    }
    if (ownId === undefined || like === 'same') return same;
    const other = fixed(context.nextId());
    if (like === 'same id' && id !== undefined)
      return changed(other.with(ID, id), { id: number, name: undefined, isOrdinary: true });
    if (typeof name !== 'string') return same;
    const named = like === 'name in another case' ? inAnotherCase(name) : name;
    return changed(other.with('name', named), { id: undefined, name: number, isOrdinary: true });
  }

  private templateOf(
    { plant, wrong, manner, connection }: Step,
    json: JsonObject,
    mustBeAccepted: boolean,
    round: bigint,
  ): RequestTemplate {
    const delivery = DELIVERIES[connection];
    const around: RequestTemplate = {
      ...(manner === 'in chunks' ? { framing: 'chunked' as const } : {}),
      ...(manner === 'with a query' ? { path: '/plants?page=1' } : {}),
      headers: [
        ...(manner === 'with an Idempotency-Key' ? [['idempotency-key', `${round}-${plant}`] as const] : []),
        ...(connection === 'own' ? [['connection', 'close'] as const] : []),
      ],
      ...(delivery === undefined ? {} : { delivery }),
    };
    if (mustBeAccepted) return { ...around, ...ordinaryRequest(json) };
    const body: RequestTemplate['body'] = { json };
    switch (wrong?.kind) {
      case undefined:
        return { ...around, body };
      case 'body':
        return { ...around, body: wrong.corrupt(json), contentType: 'application/json' };
      case 'credential':
        return { ...around, body, credential: wrong.credential };
      case 'aborted':
        return { ...around, body, delivery: { ...delivery, abortAfter: ABORT_AFTER_BYTES } };
      case 'oversized':
        return {
          ...around,
          body: { json, edit: (text) => text + ' '.repeat(OVERSIZED_BYTES) },
          outsideContract: true,
        };
    }
  }
}

/** Requests without a delivery use other connections than requests with one. */
const DELIVERIES: Readonly<Record<Step['connection'], RequestTemplate['delivery']>> = {
  kept: {},
  other: undefined,
  fresh: { freshConnection: true },
  own: { freshConnection: true },
};

/** Number of bytes sent of the body of an aborted request, and of white space added to an oversized one. */
const ABORT_AFTER_BYTES = 12;
const OVERSIZED_BYTES = 80 * 1024;

const mayCreate = ({ wrong }: Step): boolean => wrong?.kind !== 'body' && wrong?.kind !== 'credential';

function rulesFor({ wrong }: Step, mustBeAccepted: boolean): readonly Rule[] {
  if (wrong?.kind === 'aborted' || wrong?.kind === 'oversized') return [];
  if (wrong !== undefined) return rejectedRules;
  return mustBeAccepted ? createdRules : createdOrRejectedRules;
}

/** Updates the state. A request that was not clearly rejected may have created a plant. */
function updateState({ step, id, name, exchange }: SentStep & SentRequest, known: StoreState): void {
  const { request, kind, response } = exchange;
  if (!known.ids.has(step.plant) && request.freshId !== undefined) known.ids.set(step.plant, request.freshId);
  const isRejected = kind === 'answered' && response.status >= 400 && response.status < 500;
  if (isRejected) return;
  if (id !== undefined) known.idInUse.add(id);
  if (name !== undefined) known.nameInUse.add(name);
}

const inAnotherCase = (name: string): string =>
  name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase();

const byMoment = (steps: readonly Step[]): readonly (readonly Step[])[] =>
  groupBy(steps, ({ moment }) => String(moment)).map(([, together]) => together);

/** The kind of a request, independent of the seed and of earlier requests. */
const kindOf = ({ step: { wrong }, rules }: SentStep): string => {
  if (wrong !== undefined) return `a request ${DESCRIPTIONS[wrong.kind]}`;
  return rules === createdRules ? 'an ordinary plant' : 'a plant that may be a duplicate';
};

async function anySequence(context: CheckContext): Promise<void> {
  await context.control(ordinaryRequest(context.plants.plain()));
  const { plants } = context;
  const sequences = new Sequences(context, [
    plants.plain(),
    plants.plain('required'),
    plants.plain(),
    plants.plain('required'),
  ]);
  const problems = new Set<string>();
  const budget = { left: SHRINK_BUDGET_REQUESTS };
  const all = sequencesOf(plants.contract, context.cases, plants.sample);
  const each = all.map((steps) => ({ steps, own: sequences.withOwnIds(steps) }));
  const record = (found: StepFailure & { readonly label: string }) =>
    context.recordFailure(found.exchange, found.template, found.label, found.finding, {
      stableLabel: failureLabel(found),
      before: found.before.slice(-MAX_BEFORE),
    });
  // Playing the sequences concurrently saves time, but only one after the other shows which steps a failure
  // needs.
  const failures = context.isDistant
    ? await Promise.all(each.map(({ steps, own }) => own.playSequence(withFewerMoments(steps))))
    : undefined;
  if (failures?.every((failure) => failure === undefined)) return;
  for (const { steps, own } of each) {
    const failure = await own.playSequence(steps);
    if (failure === undefined || problems.has(problemOf(failure))) continue;
    problems.add(problemOf(failure));
    const wasRight = sequences.passed.has(failureLabel(failure));
    const found = await shrunk(failure, steps, (some) => sequences.playSequence(some), budget, wasRight);
    record(found);
    // Do not wait for further timeouts.
    if (problems.size === MAX_PROBLEMS || hasTimedOut(failure)) return;
  }
  for (const [index, failure] of (failures ?? []).entries()) {
    if (failure === undefined || problems.has(problemOf(failure))) continue;
    problems.add(problemOf(failure));
    const whole = upTo(failure, withFewerMoments(each[index]?.steps ?? []));
    record({ ...failure, label: `${failureSummary(whole, failure)}, which did not recur` });
  }
}

const hasTimedOut = ({ exchange }: StepFailure): boolean =>
  exchange.kind === 'broken' && exchange.fault.kind === 'timeout';

/** The problem of a failure, with the kind of request if it is part of the problem. */
const problemOf = (failure: StepFailure): string =>
  failure.finding.ofRequest === true
    ? `${failure.finding.problem}: ${kindOf(failure)}`
    : failure.finding.problem;

/** What is wrong with the request itself, whatever preceded it. */
const failureLabel = (failure: StepFailure): string => {
  const { wrong } = failure.step;
  return failure.finding.ofRequest === true && wrong && 'name' in wrong ? wrong.name : kindOf(failure);
};

const SIMPLER = [
  ['connection', 'kept'],
  ['manner', 'as usual'],
  ['like', 'same'],
] as const;

/**
 * Shrinks a failing sequence, with fresh values each time.
 * @param wasRight whether a request of this kind was answered correctly before
 */
async function shrunk(
  failure: StepFailure,
  steps: readonly Step[],
  play: (steps: readonly Step[]) => Promise<StepFailure | undefined>,
  budget: { left: number },
  wasRight: boolean,
): Promise<StepFailure & { readonly label: string }> {
  let latest = failure;
  const shows = async (some: readonly Step[]): Promise<boolean | undefined> => {
    if (budget.left < some.length) return undefined;
    budget.left -= some.length;
    const again = await play(some);
    if (again === undefined || problemOf(again) !== problemOf(failure)) return false;
    latest = again;
    return true;
  };
  const whole = upTo(failure, steps);
  const unshrunk = (what: string) => ({ ...failure, label: `${failureSummary(whole, failure)}, ${what}` });
  if (hasTimedOut(failure)) return unshrunk('which was not retried');
  if (wasRight && whole.length > 1 && (await shows([failure.step])) === true)
    return unshrunk('and from then on');
  let recurs = false;
  for (let remaining = MAX_REPETITIONS; remaining > 0 && !recurs; remaining -= 1)
    recurs = (await shows(whole)) === true;
  if (!recurs) return unshrunk('which did not recur');
  let least = upTo(latest, await shortest(upTo(latest, whole), shows));
  for (let at = 0; at < least.length; at += 1)
    for (const [property, usual] of SIMPLER) {
      const step = least[at];
      if (step === undefined || step[property] === usual) continue;
      const simpler = least.with(at, { ...step, [property]: usual });
      if ((await shows(simpler)) === true) least = upTo(latest, simpler);
    }
  return { ...latest, label: stepLabel(least, latest.step) };
}

/** Number of attempts with a whole sequence before its failure counts as intermittent. */
const MAX_REPETITIONS = 3;

const upTo = ({ step: { moment } }: StepFailure, steps: readonly Step[]): readonly Step[] =>
  steps.filter((one) => one.moment <= moment);

function failureSummary(steps: readonly Step[], failure: StepFailure): string {
  const others = steps.filter((step) => step !== failure.step);
  const kinds = groupBy(others, ({ wrong }) =>
    wrong === undefined ? 'a valid request' : `a request ${DESCRIPTIONS[wrong.kind]}`,
  );
  const all = kinds.map(([kind, { length }]) => (length === 1 ? kind : `${length} × ${kind}`));
  return `${all.length === 0 ? '' : `after: ${all.join(' | ')}; then: `}${kindOf(failure)}`;
}

function stepLabel(steps: readonly Step[], last: Step): string {
  const words = wordsOf(steps);
  const earlier = steps.filter(({ moment }) => moment < last.moment).map(words);
  const beside = steps.filter((step) => step.moment === last.moment && step !== last).map(words);
  return [
    ...(earlier.length === 0 ? [] : [`after: ${runLengths(earlier)}; then: `]),
    words(last),
    ...(beside.length === 0 ? [] : [`, at the same time as: ${runLengths(beside)}`]),
  ].join('');
}

/** Joins descriptions, counting consecutive equal ones. */
function runLengths(words: readonly string[]): string {
  const runs: { text: string; times: number }[] = [];
  for (const text of words) {
    const last = runs.at(-1);
    if (last?.text === text) last.times += 1;
    else runs.push({ text, times: 1 });
  }
  return runs.map(({ text, times }) => (times === 1 ? text : `${times} × ${text}`)).join(' | ');
}

export const sequenceChecks: readonly Check[] = [
  must('state/answers-any-sequence', {
    statement:
      'In any sequence of requests, the outcome of each depends only on the request itself and on the plants created before.',
    basis: ['section 4, rule 1', 'section 4, request body', 'section 5, rule 1', 'RFC 9110 section 3.3'],
    hint: 'Look for state that the listed requests leave behind: a cache whose key is incomplete, a connection that stays authenticated, a buffer or lock that is not released, a counter that overflows.',
    test: {
      kind: 'scenario',
      sends:
        'Three series: every invalid body (at most 64), each on its own connection; every invalid credential; nine aborted requests. After each series, an ordinary plant, one without a token, and an invalid body. Then plants that resemble an earlier one in their bytes, id, name or Idempotency-Key, with and without a defect, and eight at the same time. Then one sequence for every twelve random cases (at most 100), each of 8 to 16 steps of all these kinds and of oversized requests, on several connections.',
      run: anySequence,
      exclusive: 'unless-distant',
    },
  }),
];
