import type { Contract } from '../../contract/contract.ts';
import { isSuccess } from '../../judge/reading.ts';
import { isFinding } from '../../judge/rules.ts';
import { expectedOutcomeOf } from '../../payloads/expected-outcome.ts';
import { type Model, modelsOf } from '../../payloads/model/model.ts';
import { type ModelRequest, templateOf } from '../../payloads/model/model-request.ts';
import {
  type ExpectedOutcome,
  onFreshConnection,
  onOwnConnections,
  type RequestTemplate,
} from '../../payloads/test-case.ts';
import type { Check } from '../../run/check.ts';
import { rulingOf } from '../../run/execute/apply-rules.ts';
import type { CheckResult, Failure } from '../../run/result/result.ts';
import type { ExplainableRun } from '../../run/run.ts';
import { fill } from '../../run/send/fill-template.ts';
import { counted } from '../../text.ts';
import { bodyText } from '../../utf8.ts';
import type { Exchange, Request } from '../../wire/exchange.ts';
import { mustReject, symptomsOf } from '../symptom/detect-symptoms.ts';
import { aspectOf, keyOf } from '../symptom/symptom.ts';
import type { TargetSymptom } from '../symptom/target-symptom.ts';
import { ordinaryRequests } from './ordinary-requests.ts';

/** Thrown when the budget allows no further requests. */
class BudgetExhausted extends Error {}

export interface ExplanationInput {
  readonly run: ExplainableRun;
  readonly results: readonly CheckResult[];
  readonly contract: Contract;
  readonly token: string;
  readonly catalogue: readonly Check[];
  readonly budget: { readonly requests: number; readonly seconds: number };
}

/** An ordinary id with the usual number of digits, for requests that are examined but not sent. */
const SAMPLE_ID = 2n ** 30n + 7n;

/** What is reserved for retrying failures that no experiment reproduces: requests, and a part of the time. */
const RESERVED_REQUESTS = 12;
/** Number of times that a reliable request is accepted in a row. */
const MIN_ACCEPTED_IN_ROW = 3;
/** No single symptom uses up the requests for all: those that no experiment reproduces take many. */
const MAX_REQUESTS_FOR_A_SYMPTOM = 1000;
const RESERVED_TIME_FRACTION = 0.15;

/** Sends experiment requests and tells whether a symptom shows. */
export class Experiments {
  readonly contract: Contract;
  readonly token: string;
  /** The plainest ordinary request. */
  readonly ordinary: ModelRequest;
  sent = 0;
  /** Whether the last attempt to wait until the store accepts plants again was in vain. */
  readonly recovery = { isInVain: false };
  /** Why the last experiment that was asked for could not be made. */
  private shortage: string | undefined;
  private reliable: readonly ModelRequest[];
  /** Number of requests after which experiments about the current symptom end. */
  private limit: number;
  private readonly memory = new Map<string, unknown>();
  readonly run: ExplainableRun;
  readonly catalogue: readonly Check[];
  readonly results: readonly CheckResult[];
  private readonly budget: ExplanationInput['budget'];
  /** When experiments, and the retries after them, must end, on the clock of `performance.now()`. */
  private readonly deadlines: { readonly experiments: number; readonly all: number };

  constructor({ run, catalogue, results, budget, contract, token }: ExplanationInput) {
    this.run = run;
    this.catalogue = catalogue;
    this.results = results;
    this.budget = budget;
    this.limit = budget.requests;
    this.contract = contract;
    this.token = token;
    this.reliable = ordinaryRequests(contract);
    [this.ordinary] = ordinaryRequests(contract);
    const now = performance.now();
    const ms = budget.seconds * 1000;
    this.deadlines = { experiments: now + ms * (1 - RESERVED_TIME_FRACTION), all: now + ms };
  }

  /** Does `work` once for each key. */
  async cached<T>(key: string, work: () => Promise<T>): Promise<T> {
    if (!this.memory.has(key)) this.memory.set(key, await work());
    return this.memory.get(key) as T;
  }

  send(request: ModelRequest): Promise<Exchange> {
    return this.sendTemplate(templateOf(request));
  }

  async sendTemplate(template: RequestTemplate): Promise<Exchange> {
    const [exchange] = await this.sendConcurrently([template]);
    if (exchange === undefined) throw this.exhausted('the run had ended');
    return exchange;
  }

  async sendConcurrently(templates: readonly RequestTemplate[]): Promise<readonly Exchange[]> {
    this.requireBudgetFor(templates.length);
    return this.sendAll(templates.map(onOwnConnections));
  }

  /** Sends a request without which a failure could not be described; may use the reserved part of the budget. */
  async sendFromReserve(template: RequestTemplate): Promise<Exchange> {
    const [exchange] = this.isWithin(1, this.deadlines.all)
      ? await this.sendAll([onOwnConnections(template)])
      : [];
    if (exchange === undefined) throw new BudgetExhausted();
    return exchange;
  }

  /** Finds which ordinary requests the store accepts each time. A defect can only be judged in one of these. */
  async findReliable(): Promise<void> {
    const requests = ordinaryRequests(this.contract);
    const accepted: ModelRequest[] = [];
    for (const request of requests) {
      const statuses: (number | undefined)[] = [];
      while (statuses.length < MIN_ACCEPTED_IN_ROW)
        statuses.push((await this.send(request)).response?.status);
      if (statuses.every(isSuccess)) accepted.push(request);
    }
    if (accepted.length > 0) this.reliable = accepted;
  }

  /** The ordinary requests in which to look for a symptom, the plainest first. */
  ordinaryFor({ kind }: TargetSymptom): readonly ModelRequest[] {
    return kind === 'accepts' ? this.reliable : ordinaryRequests(this.contract);
  }

  /** Does the work for one symptom, within its share of the budget. */
  async forSymptom<T>(work: () => Promise<T>): Promise<T> {
    this.limit = Math.min(this.budget.requests, this.sent + MAX_REQUESTS_FOR_A_SYMPTOM);
    try {
      return await work();
    } finally {
      this.limit = this.budget.requests;
    }
  }

  /** Does some work. Also returns why some of its experiments could not be made; undefined if all were. */
  async withShortage<T>(work: () => Promise<T>): Promise<readonly [T, shortage: string | undefined]> {
    this.shortage = undefined;
    return [await work(), this.shortage];
  }

  /** Whether the run ended early because the store stopped answering, or answered with nothing but errors. */
  get storeFailed(): boolean {
    const kind = this.run.stop?.kind;
    return kind === 'gone' || kind === 'outage';
  }

  /** Maximum number of requests in flight. */
  get concurrency(): number {
    return this.run.header.options.concurrency;
  }

  get restarts(): number {
    return this.run.restarts;
  }

  /** Sends requests one after the other over one connection, for as long as the store keeps it open. */
  async onOneConnection(requests: readonly ModelRequest[]): Promise<readonly Exchange[]> {
    this.requireBudgetFor(requests.length);
    const [first, ...later] = requests.map(templateOf);
    return first === undefined ? [] : this.sendAll([onFreshConnection(first), ...later], 1);
  }

  get hasBudget(): boolean {
    return this.hasBudgetFor(1);
  }

  private hasBudgetFor(requests: number): boolean {
    return this.isWithin(requests + RESERVED_REQUESTS, this.deadlines.experiments);
  }

  private requireBudgetFor(requests: number): void {
    if (this.hasBudgetFor(requests)) return;
    const { budget } = this;
    if (Math.min(budget.requests, budget.seconds) <= 0) throw this.exhausted('no experiments were possible');
    const isSpent = this.sent + requests + RESERVED_REQUESTS > this.limit;
    const share =
      this.limit < budget.requests
        ? `${counted(MAX_REQUESTS_FOR_A_SYMPTOM, 'request')} for a symptom`
        : counted(budget.requests, 'request');
    throw this.exhausted(
      isSpent
        ? `the budget of ${share} was used up`
        : `the ${counted(Math.round(budget.seconds), 'second')} for experiments were over`,
    );
  }

  /** The error for an experiment that cannot be made. */
  private exhausted(shortage: string): BudgetExhausted {
    this.shortage = shortage;
    return new BudgetExhausted();
  }

  private isWithin(requests: number, until: number): boolean {
    return this.sent + requests <= this.limit && performance.now() < until;
  }

  private async sendAll(
    templates: readonly RequestTemplate[],
    maxInFlight?: number,
  ): Promise<readonly Exchange[]> {
    const exchanges = await this.run.sendOutsideChecks(templates, maxInFlight);
    if (exchanges === undefined) throw this.exhausted('the run had ended');
    this.sent += templates.length;
    return exchanges;
  }

  /** The request as it is sent, with an id of the usual length. */
  requestOf(request: ModelRequest): Request {
    return fill(templateOf(request), SAMPLE_ID, { token: this.token, host: '', prefix: '', headers: [] });
  }

  sizeOf(request: ModelRequest): number {
    return this.requestOf(request).body?.length ?? 0;
  }

  textOf(request: ModelRequest): string {
    return bodyText(this.requestOf(request).body);
  }

  expectedOutcomeOf(request: ModelRequest): ExpectedOutcome {
    return expectedOutcomeOf(this.requestOf(request), templateOf(request), this.contract, this.token);
  }

  expectedOutcomeOfSent({ exchange, template }: Pick<Failure, 'exchange' | 'template'>): ExpectedOutcome {
    return expectedOutcomeOf(exchange.request, template, this.contract, this.token);
  }

  /** The model whose values requests like this one combine. */
  modelOf(request: ModelRequest): Model {
    const expected = this.expectedOutcomeOf(request);
    return modelsOf(this.contract)[expected === 'accept' ? 'accept-or-reject' : expected];
  }

  async shows(request: ModelRequest, symptom: TargetSymptom): Promise<boolean | undefined> {
    return this.isShown(await this.send(request), templateOf(request), symptom);
  }

  /** Sends a request, and returns the exchange if it shows the symptom. */
  async failingExchange(template: RequestTemplate, symptom: TargetSymptom): Promise<Exchange | undefined> {
    const exchange = await this.sendTemplate(template);
    return this.isShown(exchange, template, symptom) === true ? exchange : undefined;
  }

  isShown(exchange: Exchange, template: RequestTemplate, symptom: TargetSymptom): boolean | undefined {
    const expected = this.expectedOutcomeOfSent({ exchange, template });
    if (symptom.rules !== undefined) {
      // Rules for requests that must be rejected say nothing about those that must be accepted, and vice
      // versa.
      if ((expected === 'accept') !== (symptom.rules.expected === 'accept')) return undefined;
      const ruling = rulingOf(exchange, template, symptom.rules.all, this);
      if (isFinding(ruling)) return ruling.problem === symptom.rules.problem;
      return ruling === undefined ? false : undefined;
    }
    if (!mayShow(expected, symptom)) return undefined;
    if (symptomsOf(exchange, expected, this.contract).some((one) => keyOf(one) === keyOf(symptom)))
      return true;
    return isConclusive(exchange, expected, symptom) ? false : undefined;
  }
}

/** Whether the symptom would be a fault of such a request: an `accept-or-reject` request may be rejected. */
const mayShow = (expected: ExpectedOutcome, { kind }: TargetSymptom): boolean =>
  kind !== 'rejects' || expected === 'accept';

/** Whether a response without the symptom proves that the request does not cause it. */
function isConclusive(exchange: Exchange, expected: ExpectedOutcome, symptom: TargetSymptom): boolean {
  switch (symptom.kind) {
    case 'rejects':
    case 'wrong-success':
    case 'redirects':
      return expected === 'accept';
    case 'wrong-rejection':
      return mustReject(expected) && (exchange.response?.status ?? 0) >= 400;
    default:
  }
  switch (aspectOf(symptom)) {
    case 'outcome':
      return true;
    case 'success':
      return mustReject(expected) && exchange.kind === 'answered';
    case 'representation':
      return exchange.response?.status === symptom.status;
    case 'echo':
      return expected === 'accept' && exchange.response?.status === 200;
    case 'detail':
      return false;
  }
}

export const withinBudget = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BudgetExhausted) return undefined;
    throw error;
  }
};
