import { fixedFor } from '../../payloads/fresh.ts';
import type { ModelRequest } from '../../payloads/model/model-request.ts';
import type { RequestTemplate } from '../../payloads/test-case.ts';
import type { SentRequest } from '../../run/check.ts';
import type { CauseKind, Ladder, Repeat, StatusCounts } from '../../run/result/cause.ts';
import type { FailureCount } from '../../run/result/result.ts';
import type { Exchange } from '../../wire/exchange.ts';
import type { Feature } from '../experiment/features.ts';
import type { Condition } from './condition.ts';
import type { RequestPart } from './request-parts.ts';

/** What experiments found out about a symptom. */
export interface Explanation {
  readonly kind: CauseKind;
  /** What was wrong with the request, if it had to be rejected. */
  readonly subject: Condition | undefined;
  readonly conditions: readonly Condition[];
  /** The simplest request that shows the symptom. */
  readonly request: ModelRequest;
  readonly exchange: Exchange;
  /** A request with plainer values, which probably shows it as well. */
  readonly plainer?: ModelRequest | undefined;
  /** The request with an ordinary part in place of each decisive one: it does not show the symptom. */
  readonly neutral: ModelRequest | undefined;
  readonly parts: readonly RequestPart[];
  /** Whether `parts` alone show the symptom in an otherwise neutral request. */
  readonly partsSuffice: boolean;
  readonly ladders: readonly Ladder[];
  /** Counts for requests that meet the conditions (`inside`), and for requests that do not (`outside`). */
  readonly inside: FailureCount;
  readonly outside: FailureCount;
  /** Whether fresh requests contradict the conditions: most of those that meet them pass, or most others fail. */
  readonly isRefuted?: boolean;
  readonly repeat: Repeat;
  /** Counts of the responses up to the last accepted plant, if the store no longer accepts any. */
  readonly until?: StatusCounts | undefined;
  /** Whether the symptom shows only for a while, after which the store recovers. */
  readonly isForAWhile?: boolean;
  /** Labels of the defects that the explanation covers. */
  readonly labels?: readonly string[];
  /** Labels of all defects that were tried. */
  readonly triedLabels?: readonly string[];
  /** If the explanation is about a property: the JSON types of the values that show the symptom. */
  readonly types?: ReadonlySet<string>;
  /** What all bodies that show the symptom have in common. */
  readonly feature?: Feature | undefined;
  /** Why experiments could not examine it completely. */
  readonly notExamined?: string | undefined;
  /** The requests that have to be sent before. */
  readonly before?: readonly SentRequest[];
  /** The request template, if it does not follow from `request`. */
  readonly template?: RequestTemplate;
}

export const NOTHING_TRIED: FailureCount = [0, 0];

/** Says what is known about a failing request before its condition is found. */
export const bareExplanation = (request: ModelRequest, exchange: Exchange): Explanation => ({
  kind: 'always',
  subject: undefined,
  conditions: [],
  request,
  exchange,
  neutral: undefined,
  parts: [],
  partsSuffice: false,
  ladders: [],
  inside: NOTHING_TRIED,
  outside: NOTHING_TRIED,
  repeat: { times: 1, inFlight: 1 },
});

/** Says that a request fails after, or beside, others: each of `times` times with them, never without. */
export const shownAfterOthers = (
  request: ModelRequest,
  exchange: Exchange,
  conditions: readonly Condition[],
  times: number,
): Explanation => ({
  ...bareExplanation(request, exchange),
  kind: 'sequence',
  conditions,
  inside: [times, times],
  outside: [0, times],
});

/** Replaces the fresh values of a request by those for one id, so that it is identical each time. */
export const withFixedId = (request: ModelRequest, id: bigint): ModelRequest => ({
  ...request,
  plant: fixedFor(request.plant, id),
});
