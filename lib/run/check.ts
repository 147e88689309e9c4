import type { Arbitrary } from 'fast-check';
import type { Contract } from '../contract/contract.ts';
import type { Finding, Rule } from '../judge/rules.ts';
import type { Case, Draft } from '../payloads/case.ts';
import type { JsonObject } from '../payloads/json.ts';
import type { Coverage, Strength } from '../payloads/model/model.ts';
import type { Exchange } from '../wire/exchange.ts';

/**
 * MUST: the interface states it. SHOULD: a standard that it leans on says so, or it follows from reading
 * the document as the whole contract. OBSERVE: the interface leaves it open; it is recorded, never judged.
 */
export type Level = 'MUST' | 'SHOULD' | 'OBSERVE';

/** What a check is, apart from how it is carried out. */
export interface About {
  /** Semantic, and for good: `auth/rejects-missing-token`. */
  readonly id: string;
  readonly level: Level;
  /** One sentence about a conforming store. */
  readonly statement: string;
  /** Sections of the interface, pointers into openapi.yaml, sections of RFCs. */
  readonly basis: readonly string[];
  /** What a failure means, and how to mend it. */
  readonly hint: string;
}

/** Plants to make requests of; the n-th of a check is the same in every run of a seed. */
export interface Plants {
  readonly contract: Contract;
  /** A plant of which nothing is the point, with every declared property or the required ones. */
  plain(properties?: 'all' | 'required'): JsonObject;
  /** A value of an arbitrary. */
  draw<T>(arbitrary: Arbitrary<T>): T;
  /** How many dimensions are combined in every way: 2 for all pairs of values, 3 for all triples. */
  readonly strength: Strength;
}

/** What was sent before the request of a failure, or at the same time, where the failure takes that. */
export interface Before {
  readonly draft: Draft;
  readonly exchange: Exchange;
}

/** What a procedure works with. */
export interface Bench {
  readonly plants: Plants;
  /** How many random cases the run asks for. */
  readonly cases: number;
  /** An ordinary id that no request had. */
  nextId(): bigint;
  /** A number in this range that no request had as its id, in this run or an earlier one. */
  freshId(from: bigint, below: bigint): bigint;
  send(draft: Draft): Promise<Exchange>;
  /** Sends all of them, as many at a time as the run allows; the exchanges are in the order of the drafts. */
  sendAll(drafts: readonly Draft[]): Promise<readonly Exchange[]>;
  /** Judges an exchange; true when every rule holds, else the finding is booked. */
  judge(exchange: Exchange, draft: Draft, label: string, rules: readonly Rule[]): boolean;
  /** The first rule that an exchange breaks, without booking it. */
  find(exchange: Exchange, draft: Draft, rules: readonly Rule[]): Finding | undefined;
  /** Books a finding that no single rule makes. */
  book(
    exchange: Exchange,
    draft: Draft,
    label: string,
    finding: Finding,
    more?: {
      /** The label without what is drawn anew in each run, where it holds such a thing. */
      readonly stableLabel?: string;
      readonly before?: readonly Before[];
    },
  ): void;
  /** Goes on only where the store takes this; a refusal proves nothing where its well-formed twin is refused as well. */
  control(draft: Draft): Promise<void>;
  /** Records what the interface leaves open, under a stable key. */
  note(key: string, value: string | number | boolean): void;
  /** Milliseconds of the answers to POST so far, a sample of at most some thousands. */
  readonly latencies: readonly number[];
}

/** How a check is carried out. */
export type Test =
  /** Each of these cases, by name. */
  | {
      readonly kind: 'cases';
      readonly cases: (plants: Plants) => readonly Case[];
      readonly rules: readonly Rule[];
      /** The check that says why no answer is one that the rules are about; by default that there are any. */
      readonly explainedBy?: string;
    }
  /** Cases drawn at random, `share` times as many as the run asks for, counting those before them that have a name. */
  | {
      readonly kind: 'property';
      readonly cases: (plants: Plants) => Arbitrary<Case>;
      /** What is tried first, whatever the seed: what a verdict would otherwise hang on by chance. */
      readonly named?: (plants: Plants) => readonly Case[];
      readonly rules: readonly Rule[];
      readonly share: number;
      /** The cases that have a name are rows of a covering array: what those at some places cover. */
      readonly covers?: (plants: Plants, rows: readonly number[]) => Coverage;
      readonly explainedBy?: string;
    }
  /** Every exchange of the run that it applies to, whichever check it was sent for. */
  | {
      readonly kind: 'standing';
      readonly applies: (exchange: Exchange, draft: Draft) => boolean;
      /** What there was none of, where it applied to nothing. */
      readonly lacking: string;
      readonly rules: readonly Rule[];
    }
  /** Steps that depend on one another. */
  | {
      readonly kind: 'procedure';
      /** What is sent, in one sentence. */
      readonly sends: string;
      readonly run: (bench: Bench) => Promise<void>;
      /** It is about requests that are on their way at the same time. */
      readonly atOnce?: boolean;
      /** It is about the connections, or about what one request does to the next: nothing else is sent meanwhile. */
      readonly alone?: boolean;
    };

export type TestKind = Test['kind'];

/** A check is a value; whoever runs it is a loop over values. */
export type Check = About & {
  readonly test: Test;
  /** Why the check says nothing for this document, or undefined where it does. */
  readonly silent?: ((contract: Contract) => string | undefined) | undefined;
};

/** The check could not be carried out, through no fault that it looks for. */
export class Untestable extends Error {
  readonly blockedBy: string;

  constructor(blockedBy: string, message: string) {
    super(message);
    this.name = 'Untestable';
    this.blockedBy = blockedBy;
  }
}

/** What the check is about cannot come about in this run, and neither the store nor the check is to blame. */
export class NotApplicable extends Untestable {}
