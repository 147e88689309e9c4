import { fixedFor } from '../payloads/fresh.ts';
import type { RequestState } from '../payloads/model/dimension.ts';
import type { RequestTemplate } from '../payloads/test-case.ts';
import type { PrecedingRequest } from '../run/check.ts';
import type { CauseKind, Ladder, Repeat, StatusCounts } from '../run/result/cause.ts';
import type { Tried } from '../run/result/result.ts';
import type { Exchange } from '../wire/exchange.ts';
import { type Feature, spellingIn } from './condition/features.ts';
import { type RequestPart, withParts } from './condition/request-parts.ts';
import type { SweepResult } from './condition/sweep.ts';
import { withinBudget } from './experiments.ts';
import type { Search } from './search.ts';
import type { Condition } from './wording/condition.ts';

/** What experiments found out about a symptom. */
export interface Explanation {
  readonly kind: CauseKind;
  /** What was wrong with the request, if it had to be rejected. */
  readonly subject: Condition | undefined;
  readonly conditions: readonly Condition[];
  /** The simplest request that shows the symptom. */
  readonly state: RequestState;
  readonly exchange: Exchange;
  /** A request with plainer values, which probably shows it as well. */
  readonly plainer?: RequestState | undefined;
  /** The request with an ordinary part in place of each decisive one: it does not show the symptom. */
  readonly neutral: RequestState | undefined;
  readonly parts: readonly RequestPart[];
  /** Whether `parts` alone show the symptom in an otherwise neutral request. */
  readonly partsSuffice: boolean;
  readonly ladders: readonly Ladder[];
  readonly inside: Tried;
  readonly outside: Tried;
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
  readonly before?: readonly PrecedingRequest[];
  /** The request template, if it does not follow from `state`. */
  readonly template?: RequestTemplate;
}

const NOTHING_TRIED: Tried = [0, 0];

/** What is known about a failing request before its condition is found. */
export const bareExplanation = (state: RequestState, exchange: Exchange): Explanation => ({
  kind: 'always',
  subject: undefined,
  conditions: [],
  state,
  exchange,
  neutral: undefined,
  parts: [],
  partsSuffice: false,
  ladders: [],
  inside: NOTHING_TRIED,
  outside: NOTHING_TRIED,
  repeat: { times: 1, inFlight: 1 },
});

/**
 * An explanation that is yet to be confirmed: a request that shows the symptom, and what is known about it.
 */
export type Description = Pick<Explanation, 'state'> &
  Partial<Pick<Explanation, 'subject' | 'conditions' | 'parts' | 'neutral' | 'plainer'>> & {
    readonly sweeps?: readonly SweepResult[];
  };

/** Maximum number of confirming requests that meet the condition, and of those that do not. */
const CONFIRMING_TRIES = 12;
/** Minimum number of confirming requests, even after sweeps that tried many values. */
const MIN_CONFIRMING_TRIES = 4;
/** Number of confirming requests for a symptom that takes a full timeout to see. */
const CONFIRMING_TRIES_IF_SLOW = 1;

/** Sends the request again and confirms the condition, as far as the budget allows. */
export async function explanationOf(
  { state, subject, conditions = [], sweeps = [], parts = [], neutral, plainer }: Description,
  search: Search,
): Promise<Explanation> {
  const exchange = (await withinBudget(() => shownAgain(state, search))) ?? search.failure.exchange;
  const inside = sweeps.flatMap(({ shown }) => shown).length;
  const outside = sweeps.flatMap(({ hidden }) => hidden).length;
  const confirming = await tried(state, Math.max(CONFIRMING_TRIES - inside, MIN_CONFIRMING_TRIES), search);
  const others =
    neutral === undefined ? NOTHING_TRIED : await tried(neutral, CONFIRMING_TRIES - outside, search);
  const onlyThese = neutral && !search.isSlow ? withParts(parts, state, neutral) : undefined;
  return {
    ...bareExplanation(state, exchange),
    feature: spellingIn(conditions),
    subject,
    conditions,
    neutral,
    plainer,
    parts,
    partsSuffice: onlyThese !== undefined && (await withinBudget(() => search.shows(onlyThese))) === true,
    ladders: sweeps.map(({ ladder }) => ladder),
    inside: [inside + confirming[0], inside + confirming[1]],
    outside: [others[0], outside + others[1]],
  };
}

/** The first exchange that shows the symptom, or else the last one. */
async function shownAgain(state: RequestState, search: Search): Promise<Exchange> {
  let exchange = await search.send(state);
  for (
    let remaining = MIN_CONFIRMING_TRIES;
    remaining > 0 && search.isShown(exchange, state) === false;
    remaining -= 1
  )
    exchange = await search.send(state);
  return exchange;
}

/**
 * Sends a request up to `times` times, as far as the budget allows, and counts how often it shows the
 * symptom.
 */
async function tried(state: RequestState, times: number, search: Search): Promise<Tried> {
  let [failed, conclusive] = [0, 0];
  const maxTries = search.isSlow ? Math.min(times, CONFIRMING_TRIES_IF_SLOW) : times;
  for (let remaining = maxTries; remaining > 0 && search.experiments.hasBudget; remaining -= 1) {
    const shows = await search.shows(state);
    if (shows === true) failed += 1;
    if (shows !== undefined) conclusive += 1;
  }
  return [failed, conclusive];
}

/** The request with all of its fresh values fixed to those of one id, so that it is identical each time. */
export const withFixedId = (state: RequestState, id: bigint): RequestState => ({
  ...state,
  plant: fixedFor(state.plant, id),
});
