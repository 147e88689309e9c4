import { fixedFor } from '../payloads/fresh.ts';
import type { RequestState } from '../payloads/model/dimension.ts';
import type { RequestTemplate } from '../payloads/test-case.ts';
import type { PrecedingRequest } from '../run/check.ts';
import type { CauseKind, Ladder, Repeat, StatusCounts } from '../run/result/cause.ts';
import type { Tried } from '../run/result/result.ts';
import type { Exchange } from '../wire/exchange.ts';
import { escapesIn, type Feature } from './condition/features.ts';
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
  /** The simplest request that shows it. */
  readonly state: RequestState;
  readonly exchange: Exchange;
  /** A request with plainer values, which probably shows it as well. */
  readonly plainer?: RequestState | undefined;
  /** The request with an ordinary part in place of each decisive one: it does not show the symptom. */
  readonly neutral: RequestState | undefined;
  readonly parts: readonly RequestPart[];
  /** Whether these parts show it in an otherwise neutral request. */
  readonly suffices: boolean;
  readonly ladders: readonly Ladder[];
  readonly inside: Tried;
  readonly outside: Tried;
  readonly repeat: Repeat;
  /** The responses of the run until the store accepted its last plant, if it accepts none any more. */
  readonly until?: StatusCounts | undefined;
  /** Whether it shows for a while only, and the store recovers. */
  readonly isForAWhile?: boolean;
  /** The divisor, if the remainder of the id decides. */
  readonly modulus?: number;
  /** Labels of the defects that it explains. */
  readonly labels?: readonly string[];
  /** Labels of all defects that were tried. */
  readonly known?: readonly string[];
  /** The JSON types of the values of the property that it is about, if it is about one. */
  readonly types?: ReadonlySet<string>;
  /** A property common to all bodies that trigger the symptom. */
  readonly feature?: Feature | undefined;
  /** The requests that have to come before. */
  readonly before?: readonly PrecedingRequest[];
  /** The request, if it is not that of the state. */
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
  suffices: false,
  ladders: [],
  inside: NOTHING_TRIED,
  outside: NOTHING_TRIED,
  repeat: { times: 1, inFlight: 1 },
});

/** What is to be confirmed: a request that shows the symptom, and what is known of it. */
export type Description = Pick<Explanation, 'state'> &
  Partial<Pick<Explanation, 'subject' | 'conditions' | 'parts' | 'neutral' | 'plainer'>> & {
    readonly sweeps?: readonly SweepResult[];
  };

/** Confirming requests with fresh values: as many that meet the condition as that do not. */
const CONFIRMING_TRIES = 12;
/** Confirming requests after sweeps that tried many values already. */
const MIN_CONFIRMING_TRIES = 4;
/** Confirming requests for a symptom that takes long to see. */
const CONFIRMING_TRIES_IF_SLOW = 1;

/** Sends the request once more, and confirms the condition, as far as the budget allows. */
export async function explanationOf(
  { state, subject, conditions = [], sweeps = [], parts = [], neutral, plainer }: Description,
  search: Search,
): Promise<Explanation> {
  const exchange = (await withinBudget(() => shownAgain(state, search))) ?? search.failure.exchange;
  const inside = sweeps.flatMap(({ shown }) => shown).length;
  const outside = sweeps.flatMap(({ hidden }) => hidden).length;
  const again = await tried(state, Math.max(CONFIRMING_TRIES - inside, MIN_CONFIRMING_TRIES), search);
  const others =
    neutral === undefined ? NOTHING_TRIED : await tried(neutral, CONFIRMING_TRIES - outside, search);
  const onlyThese = neutral && !search.isSlow ? withParts(parts, state, neutral) : undefined;
  return {
    ...bareExplanation(state, exchange),
    feature: escapesIn(conditions),
    subject,
    conditions,
    neutral,
    plainer,
    parts,
    suffices: onlyThese !== undefined && (await withinBudget(() => search.shows(onlyThese))) === true,
    ladders: sweeps.map(({ ladder }) => ladder),
    inside: [inside + again[0], inside + again[1]],
    outside: [others[0], outside + others[1]],
  };
}

/** The first exchange that shows the symptom; if none does, the last one. */
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

/** Sends a request up to `times` times, as far as the budget allows. */
async function tried(state: RequestState, times: number, search: Search): Promise<Tried> {
  let [failed, all] = [0, 0];
  const maxTries = search.isSlow ? Math.min(times, CONFIRMING_TRIES_IF_SLOW) : times;
  for (let left = maxTries; left > 0 && search.experiments.hasBudget; left -= 1) {
    const shows = await search.shows(state);
    if (shows === true) failed += 1;
    if (shows !== undefined) all += 1;
  }
  return [failed, all];
}

/** The request with the values of one id, so that it is the same each time it is sent. */
export const withFixedId = (state: RequestState, id: bigint): RequestState => ({
  ...state,
  plant: fixedFor(state.plant, id),
});
