import { fixedFor } from '../payloads/fresh.ts';
import { type RequestState, templateOf } from '../payloads/model/dimension.ts';
import type { CauseKind, Ladder, Repeat } from '../run/result/cause.ts';
import type { Failure, Tried } from '../run/result/result.ts';
import type { Exchange } from '../wire/exchange.ts';
import type { Words } from './condition/candidates.ts';
import type { Feature } from './condition/features.ts';
import { type Part, withParts } from './condition/parts.ts';
import type { Reach } from './condition/sweep.ts';
import { type Lab, unlessSpent, type Wanted } from './lab.ts';
import { NO_ANSWER } from './symptom/symptom.ts';

/** A failure to be explained, what to look for to see it again, and the means to do so. */
export class Inquiry {
  readonly failure: Failure;
  readonly wanted: Wanted;
  readonly lab: Lab;

  constructor(failure: Failure, wanted: Wanted, lab: Lab) {
    this.failure = failure;
    this.wanted = wanted;
    this.lab = lab;
  }

  /**
   * Whether a request shows the symptom; undefined if its response says nothing about it.
   * @throws BudgetSpent
   */
  shows(state: RequestState): Promise<boolean | undefined> {
    return this.lab.shows(state, this.wanted);
  }

  /** The same of a request that was sent. */
  isShown(exchange: Exchange, state: RequestState): boolean | undefined {
    return this.lab.isShown(exchange, templateOf(state), this.wanted);
  }
}

/** What experiments found out about a symptom. */
export interface Found {
  readonly kind: CauseKind;
  /** What was wrong with the request, if it had to be rejected. */
  readonly subject: Words | undefined;
  readonly conditions: readonly Words[];
  /** The simplest request that shows it. */
  readonly state: RequestState;
  readonly exchange: Exchange;
  /** The same without the parts that matter; the symptom does not show. */
  readonly neutral: RequestState | undefined;
  readonly parts: readonly Part[];
  /** Whether these parts show it in an otherwise neutral request. */
  readonly suffices: boolean;
  readonly ladders: readonly Ladder[];
  readonly inside: Tried;
  readonly outside: Tried;
  readonly repeat: Repeat;
  /** If the remainder of the id decides: when divided by this. */
  readonly modulus?: number;
  /** Labels of what is wrong with the requests that it is about, and of all that was tried. */
  readonly labels?: readonly string[];
  readonly known?: readonly string[];
  /** What bodies of all kinds have in common that show it. */
  readonly feature?: Feature;
}

const NONE: Tried = [0, 0];

/** What is known of a request that shows a symptom before any condition is. */
export const bareFinding = (state: RequestState, exchange: Exchange): Found => ({
  kind: 'always',
  subject: undefined,
  conditions: [],
  state,
  exchange,
  neutral: undefined,
  parts: [],
  suffices: false,
  ladders: [],
  inside: NONE,
  outside: NONE,
  repeat: { times: 1, inFlight: 1 },
});

export interface Description {
  readonly state: RequestState;
  readonly subject?: Words | undefined;
  readonly conditions?: readonly Words[];
  readonly reaches?: readonly Reach[];
  readonly parts?: readonly Part[];
  readonly neutral?: RequestState | undefined;
}

/** Tries with fresh values that confirm a condition: such as meet it, and such as do not. */
const ENOUGH_TRIES = 12;
/** The same if it was tried with many values: it may depend on something else than these. */
const SOME_TRIES = 4;
/** The same for a symptom that takes long to see. */
const ENOUGH_SLOW_TRIES = 1;

/** Sends the request once more, and confirms the condition, as far as the budget allows. */
export async function foundIn(
  { state, subject, conditions = [], reaches = [], parts = [], neutral }: Description,
  inquiry: Inquiry,
): Promise<Found> {
  const isSlow = inquiry.wanted.words === NO_ANSWER;
  const exchange = (await unlessSpent(() => shownAgain(state, inquiry))) ?? inquiry.failure.exchange;
  const count = (of: (reach: Reach) => number) => reaches.reduce((sum, reach) => sum + of(reach), 0);
  const [inside, outside] = [count((reach) => reach.inside), count((reach) => reach.outside)];
  const again = await tried(state, Math.max(ENOUGH_TRIES - inside, SOME_TRIES), inquiry);
  const others = neutral === undefined ? NONE : await tried(neutral, ENOUGH_TRIES - outside, inquiry);
  const alone = neutral && !isSlow ? withParts(parts, state, neutral) : undefined;
  return {
    ...bareFinding(state, exchange),
    subject,
    conditions,
    neutral,
    parts,
    suffices: alone !== undefined && (await unlessSpent(() => inquiry.shows(alone))) === true,
    ladders: reaches.map(({ ladder }) => ladder),
    inside: [inside + again[0], inside + again[1]],
    outside: [others[0], outside + others[1]],
  };
}

/** The first exchange that shows the symptom; if none does, the last one. */
async function shownAgain(state: RequestState, inquiry: Inquiry): Promise<Exchange> {
  let exchange = await inquiry.lab.send(state);
  for (let left = SOME_TRIES; left > 0 && inquiry.isShown(exchange, state) === false; left -= 1)
    exchange = await inquiry.lab.send(state);
  return exchange;
}

/** Sends a request so many times, as far as the budget allows. */
async function tried(state: RequestState, times: number, inquiry: Inquiry): Promise<Tried> {
  let [failed, all] = [0, 0];
  const maxTries = inquiry.wanted.words === NO_ANSWER ? ENOUGH_SLOW_TRIES : times;
  for (let left = Math.min(times, maxTries); left > 0 && inquiry.lab.hasBudget; left -= 1) {
    const shows = await inquiry.shows(state);
    if (shows === true) failed += 1;
    if (shows !== undefined) all += 1;
  }
  return [failed, all];
}

/** The request with the values of one id, so that it is the same each time it is sent. */
export const pinned = (state: RequestState, id: bigint): RequestState => ({
  ...state,
  plant: fixedFor(state.plant, id),
});
