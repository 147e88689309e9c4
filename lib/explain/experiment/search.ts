import { setTimeout as sleep } from 'node:timers/promises';
import type { Contract } from '../../contract/contract.ts';
import { type ModelRequest, madeValid, templateOf } from '../../payloads/model/model-request.ts';
import type { ExpectedOutcome } from '../../payloads/test-case.ts';
import type { Failure } from '../../run/result/result.ts';
import type { Exchange } from '../../wire/exchange.ts';
import type { CheckFailure } from '../explanation/cluster.ts';
import type { Explanation } from '../explanation/explanation.ts';
import { labelOf } from '../explanation/labels.ts';
import { differences, modelRequestOf, type RequestPart, withParts } from '../explanation/request-parts.ts';
import { mustReject } from '../symptom/detect-symptoms.ts';
import { isSlow, type SymptomKind } from '../symptom/symptom.ts';
import type { TargetSymptom } from '../symptom/target-symptom.ts';
import { defectSweep } from '../values/defects.ts';
import { covers } from './covers.ts';
import type { Experiments } from './experiments.ts';
import { ordinaryRequests } from './ordinary-requests.ts';

/** Finds out whether one kind of explanation is true of a request that may show the symptom. */
export type Finder = (request: ModelRequest, search: Search) => Promise<Explanation | undefined>;

/** How often an outcome must recur before it counts as certain. */
export const REPEATS = 3;

export async function everyTime(times: number, isSo: () => Promise<boolean>): Promise<boolean> {
  for (let remaining = times; remaining > 0; remaining -= 1) if (!(await isSo())) return false;
  return true;
}

export async function countOf(times: number, isSo: () => Promise<boolean>): Promise<number> {
  let count = 0;
  for (let remaining = times; remaining > 0; remaining -= 1) if (await isSo()) count += 1;
  return count;
}

/** Returns the result of the last of several attempts; gives up as soon as one has no result. */
export async function repeated<T>(
  times: number,
  attempt: () => Promise<T | undefined>,
): Promise<T | undefined> {
  let last: T | undefined;
  for (let remaining = times; remaining > 0; remaining -= 1) {
    last = await attempt();
    if (last === undefined) return undefined;
  }
  return last;
}

/** Milliseconds between requests that tell a lasting fault from one that shows in part of each second. */
const MOMENTS_MS = [130, 260, 130];

/** Whether a request that fails now passes a moment later. */
export async function soonPasses(passes: () => Promise<boolean>): Promise<boolean> {
  for (const ms of MOMENTS_MS) {
    await sleep(ms);
    if (await passes()) return true;
  }
  return false;
}

/** Symptoms that depend on the expected outcome. Others, such as a crash, are symptoms of any request. */
const OUTCOME_KINDS: readonly SymptomKind[] = [
  'accepts',
  'rejects',
  'wrong-rejection',
  'detail',
  'should-reject',
];

/** Whether an explanation with conditions covers a request. */
const isExplainedBy = (known: Explanation, request: ModelRequest, { experiments }: Search): boolean =>
  known.kind === 'always' &&
  known.conditions.length > 0 &&
  known.neutral !== undefined &&
  covers(known, { label: '', template: templateOf(request) }, experiments);

/** The properties with which the store does not accept ordinary plants each time. */
function unreliableProperties({ symptom }: CheckFailure, experiments: Experiments): readonly string[] {
  const reliable = experiments.ordinaryFor(symptom);
  const all = ordinaryRequests(experiments.contract);
  const has = (name: string) => (one: ModelRequest) => one.plant.get(name) !== undefined;
  return [...experiments.contract.newPlant.shape.properties.keys()].filter(
    (name) => !reliable.some(has(name)) && reliable.length + all.filter(has(name)).length === all.length,
  );
}

/** The search for the explanation of one failure: the failure, its symptom, and how to send experiments. */
export class Search {
  readonly failure: Failure;
  readonly symptom: TargetSymptom;
  readonly experiments: Experiments;
  readonly contract: Contract;
  /** The plainest ordinary request. */
  readonly ordinary: ModelRequest;
  /** Ordinary requests, without those that the store does not accept each time if the symptom is an acceptance. */
  private readonly ordinaryRequests: readonly ModelRequest[];
  /** The failing request; undefined if the model cannot describe it. */
  readonly failingRequest: ModelRequest | undefined;
  /** Properties with which the store does not accept ordinary plants each time, if the symptom is an acceptance. */
  readonly unreliable: readonly string[];
  /** Whether seeing the symptom takes a full timeout. */
  readonly isSlow: boolean;

  private readonly followsValid: boolean;
  private readonly known: readonly Explanation[];
  private cachedInvalidParts: readonly RequestPart[] | undefined;

  /**
   * @param followsValid whether each invalid request follows a valid one, so that a cache knows that one
   * @param known explanations of other failures with the same symptom, which do not cover this one
   */
  constructor(
    { check, failure, symptom }: CheckFailure,
    experiments: Experiments,
    {
      followsValid = false,
      known = [],
    }: { readonly followsValid?: boolean; readonly known?: readonly Explanation[] } = {},
  ) {
    this.followsValid = followsValid;
    this.known = known;
    this.failure = failure;
    this.symptom = symptom;
    this.experiments = experiments;
    this.contract = experiments.contract;
    this.ordinaryRequests = experiments.ordinaryFor(symptom);
    [this.ordinary = experiments.ordinary] = this.ordinaryRequests;
    this.unreliable = unreliableProperties({ check, failure, symptom }, experiments);
    this.failingRequest = this.withoutUnreliable(modelRequestOf(failure.template, this.ordinary.plant));
    this.isSlow = isSlow(symptom);
  }

  /** Leaves out unreliable properties, unless one of them is what is wrong with the request. */
  private withoutUnreliable(request: ModelRequest | undefined): ModelRequest | undefined {
    const names = this.unreliable.filter((name) => !labelOf(this.failure).includes(name));
    return (
      request && { ...request, plant: names.reduce((plant, name) => plant.without(name), request.plant) }
    );
  }

  /** The parts that make the failing request invalid; empty if the symptom does not depend on that. */
  get invalidParts(): readonly RequestPart[] {
    this.cachedInvalidParts ??= this.findInvalidParts();
    return this.cachedInvalidParts;
  }

  private findInvalidParts(): readonly RequestPart[] {
    const { failingRequest, ordinary } = this;
    const expected =
      failingRequest === undefined ? 'accept-or-reject' : this.expectedOutcomeOf(failingRequest);
    if (failingRequest === undefined || !mustReject(expected) || !OUTCOME_KINDS.includes(this.symptom.kind))
      return [];
    const label = labelOf(this.failure);
    const { candidates } = defectSweep(this.contract, ordinary.plant, true);
    const defect = candidates.find((one) => one.label === label);
    if (expected === 'reject-body' && defect !== undefined)
      return [{ name: 'body', dimension: undefined, copy: (_, to) => defect.apply(to) }];
    return differences(failingRequest, ordinary)
      .filter((part) => this.expectedOutcomeOf(part.copy(failingRequest, ordinary)) === expected)
      .slice(0, 1);
  }

  /** Ordinary requests, made invalid in the same way as the failing one, that show no known fault. */
  get ordinaryVariants(): readonly ModelRequest[] {
    const { failingRequest, invalidParts } = this;
    const ordinary = this.ordinaryRequests;
    const variants =
      failingRequest === undefined
        ? ordinary
        : ordinary.map((one) => withParts(invalidParts, failingRequest, one));
    const others = variants.filter((one) => !this.known.some((known) => isExplainedBy(known, one, this)));
    return others.length === 0 ? variants : others;
  }

  async send(request: ModelRequest): Promise<Exchange> {
    if (this.followsValid && mustReject(this.expectedOutcomeOf(request)))
      await this.experiments.send(madeValid(request));
    return this.experiments.send(request);
  }

  expectedOutcomeOf(request: ModelRequest): ExpectedOutcome {
    return this.experiments.expectedOutcomeOf(request);
  }

  /** Sends a request. Returns whether it shows the symptom; undefined if the response proves nothing. */
  async shows(request: ModelRequest): Promise<boolean | undefined> {
    return this.isShown(await this.send(request), request);
  }

  /** Whether an exchange shows the symptom; undefined if it proves nothing. */
  isShown(exchange: Exchange, request: ModelRequest): boolean | undefined {
    return this.experiments.isShown(exchange, templateOf(request), this.symptom);
  }

  /** Sends a request, and returns the exchange if it shows the symptom. */
  async failingExchange(request: ModelRequest): Promise<Exchange | undefined> {
    const exchange = await this.send(request);
    return this.isShown(exchange, request) === true ? exchange : undefined;
  }

  showsEachTime(request: ModelRequest, times: number): Promise<boolean> {
    return everyTime(times, async () => (await this.shows(request)) === true);
  }

  /** Whether the request shows the symptom again and again; a single time if that takes a timeout. */
  recurs(request: ModelRequest): Promise<boolean> {
    return this.showsEachTime(request, this.isSlow ? 1 : REPEATS);
  }

  async showsAtLeastOnce(request: ModelRequest, times: number, pauseMs = 0): Promise<boolean> {
    return !(await everyTime(times, async () => {
      if (pauseMs > 0) await sleep(pauseMs);
      return (await this.shows(request)) !== true;
    }));
  }
}
