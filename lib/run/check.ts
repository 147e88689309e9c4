import type { Arbitrary } from 'fast-check';
import type { Contract } from '../contract/contract.ts';
import type { Finding, Rule } from '../judge/rules.ts';
import type { JsonObject } from '../payloads/json.ts';
import type { Coverage, Strength } from '../payloads/model/model.ts';
import type { RequestTemplate, TestCase } from '../payloads/test-case.ts';
import type { Exchange } from '../wire/exchange.ts';
import type { Latency } from './send/latency.ts';

/**
 * MUST: the interface states it. SHOULD: a standard that the interface builds on states it, or it follows if
 * the document is the whole contract. OBSERVE: the interface leaves it open; it is recorded, never judged.
 */
export type Level = 'MUST' | 'SHOULD' | 'OBSERVE';

/** The description of a check, without its test. */
export interface About {
  /** Meaningful and permanent, for example `auth/rejects-missing-token`. */
  readonly id: string;
  readonly level: Level;
  /** One sentence about a conforming store. */
  readonly statement: string;
  /** Sections of the interface, pointers into openapi.yaml, sections of RFCs. */
  readonly basis: readonly string[];
  /** What a failure means, and how to fix it. */
  readonly hint: string;
}

/** Makes plants for the requests of a check. The n-th plant is the same in every run with one seed. */
export interface PlantFactory {
  readonly contract: Contract;
  /** An unremarkable ordinary plant, with all declared properties or only the required ones. */
  plain(properties?: 'all' | 'required'): JsonObject;
  sample<T>(arbitrary: Arbitrary<T>): T;
  /** Strength of the covering arrays: 2 covers all pairs of values, 3 all triples. */
  readonly strength: Strength;
}

/** A request sent before, or at the same time as, the failing one, which the failure needs. */
export interface PrecedingRequest {
  readonly template: RequestTemplate;
  readonly exchange: Exchange;
}

/** What a scenario uses to send requests and to record what it finds. */
export interface CheckContext {
  readonly plants: PlantFactory;
  /** How many random cases the run asks for. */
  readonly cases: number;
  /** An ordinary id that no request has used. */
  nextId(): bigint;
  /** An id in this range that no request has used, in this run or an earlier one. */
  freshId(from: bigint, below: bigint): bigint;
  send(template: RequestTemplate): Promise<Exchange>;
  /** Sends as many at a time as the run allows. The exchanges are in the order of the templates. */
  sendAll(templates: readonly RequestTemplate[]): Promise<readonly Exchange[]>;
  /** Judges an exchange. Returns true if it meets every rule; otherwise records a failure. */
  judge(exchange: Exchange, template: RequestTemplate, label: string, rules: readonly Rule[]): boolean;
  /** The finding of the first rule that an exchange breaks. Records no failure. */
  find(exchange: Exchange, template: RequestTemplate, rules: readonly Rule[]): Finding | undefined;
  /** Records a failure that no single rule finds. */
  recordFailure(
    exchange: Exchange,
    template: RequestTemplate,
    label: string,
    finding: Finding,
    more?: {
      /** The label without the parts that differ from run to run, if it has any. */
      readonly stableLabel?: string;
      readonly before?: readonly PrecedingRequest[];
    },
  ): void;
  /**
   * Sends a control request.
   * @throws Untestable if the store rejects it: another rejection then proves nothing
   */
  control(template: RequestTemplate): Promise<void>;
  /** Records what the interface leaves open, under a stable key. */
  recordObservation(key: string, value: string | number | boolean): void;
  /** Whether latency is high enough that the run sends more concurrent requests than usual. */
  readonly isDistant: boolean;
  /** A child context with its own `count` ids, so that its requests do not depend on concurrent ones. */
  withOwnIds(count: number): CheckContext;
  /** Response times of POST requests so far; undefined if there was none. */
  readonly latency: Latency | undefined;
}

/** How a check is carried out. */
export type Test =
  /** Named cases. */
  | {
      readonly kind: 'cases';
      readonly cases: (plants: PlantFactory) => readonly TestCase[];
      readonly rules: readonly Rule[];
      /** The check that explains why the rules applied to no exchange; by default `invariants/answers`. */
      readonly explainedBy?: string;
    }
  /** Random cases: `weight` times as many as the run asks for, including the named ones. */
  | {
      readonly kind: 'property';
      readonly cases: (plants: PlantFactory) => Arbitrary<TestCase>;
      /**
       * Cases tried first, whatever the seed, so that no verdict depends on whether chance generates them.
       */
      readonly named?: (plants: PlantFactory) => readonly TestCase[];
      readonly rules: readonly Rule[];
      readonly weight: number;
      /** The named cases are rows of a covering array. Returns what the given rows cover. */
      readonly covers?: (plants: PlantFactory, rows: readonly number[]) => Coverage;
      readonly explainedBy?: string;
    }
  /** Rules for every exchange of the run that the check applies to, whichever check sent the request. */
  | {
      readonly kind: 'invariant';
      readonly applies: (exchange: Exchange, template: RequestTemplate) => boolean;
      /**
       * The reason to skip the check if it applied to no exchange, for example `the store never answered with
       * 405`.
       */
      readonly absent: string;
      readonly rules: readonly Rule[];
    }
  /** Steps that depend on one another. */
  | {
      readonly kind: 'scenario';
      /** One sentence about what is sent. */
      readonly sends: string;
      readonly run: (context: CheckContext) => Promise<void>;
      /** The check is about requests that are under way at the same time. */
      readonly concurrent?: boolean;
      /**
       * The check is about connections, or about how one request affects the next: nothing else is sent
       * meanwhile.
       */
      readonly exclusive?: boolean;
    };

export type TestKind = Test['kind'];

/** One check of the catalogue. (Checks are plain data; the runner iterates over them.) */
export type Check = About & {
  readonly test: Test;
  /** Why the check does not apply to this document; undefined if it does. */
  readonly notApplicable?: ((contract: Contract) => string | undefined) | undefined;
};

/** The check could not be carried out, for a reason other than the faults that it looks for. */
export class Untestable extends Error {
  readonly blockedBy: string;

  constructor(blockedBy: string, message: string) {
    super(message);
    this.name = 'Untestable';
    this.blockedBy = blockedBy;
  }
}

/** The check does not apply to this run; the store is not to blame. */
export class NotApplicable extends Untestable {}
