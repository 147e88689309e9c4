import type { ModelRequest } from '../../payloads/model/model-request.ts';
import type { Exchange } from '../../wire/exchange.ts';
import { bareExplanation, type Explanation } from '../explanation/explanation.ts';
import { withParts } from '../explanation/request-parts.ts';
import { withinBudget } from './experiments.ts';
import { featureIn } from './features.ts';
import type { Search } from './search.ts';
import type { SweepResult } from './sweep.ts';

/** An unconfirmed explanation: a request that shows the symptom, and what is known about it. */
export type Unconfirmed = Pick<Explanation, 'request'> &
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
export async function confirmExplanation(
  { sweeps = [], ...known }: Unconfirmed,
  search: Search,
): Promise<Explanation> {
  const { request, conditions = [], parts = [], neutral } = known;
  const exchange = (await withinBudget(() => shownAgain(request, search))) ?? search.failure.exchange;
  const inside = sweeps.flatMap(({ shown }) => shown).length;
  const outside = sweeps.flatMap(({ notShown }) => notShown).length;
  const times = Math.max(CONFIRMING_TRIES - inside, MIN_CONFIRMING_TRIES);
  const [confirming, others] = await triedInTurn(
    [request, neutral],
    [times, CONFIRMING_TRIES - outside],
    search,
  );
  const onlyThese = neutral && !search.isSlow ? withParts(parts, request, neutral) : undefined;
  return {
    ...bareExplanation(request, exchange),
    ...known,
    feature: featureIn(conditions, search.contract),
    partsSuffice: onlyThese !== undefined && (await withinBudget(() => search.shows(onlyThese))) === true,
    ladders: sweeps.map(({ ladder }) => ladder),
    inside: [inside + confirming.failed, inside + confirming.conclusive],
    outside: [others.failed, outside + others.conclusive],
    isRefuted:
      confirming.failed * 2 < confirming.conclusive || others.failed * 2 > outside + others.conclusive,
  };
}

/** Sends the request until it shows the symptom or the response proves nothing; returns the last exchange. */
async function shownAgain(request: ModelRequest, search: Search): Promise<Exchange> {
  for (let remaining = MIN_CONFIRMING_TRIES; ; remaining -= 1) {
    const exchange = await search.send(request);
    if (remaining === 0 || search.isShown(exchange, request) !== false) return exchange;
  }
}

/**
 * Sends two requests in turn, each as often as given and as far as the budget allows, and counts how often each
 * fails. A store that fails for a while then seldom fails with one of them only.
 */
async function triedInTurn(
  requests: readonly [ModelRequest, ModelRequest | undefined],
  times: readonly [number, number],
  search: Search,
) {
  const none = () => ({ failed: 0, conclusive: 0 });
  const counts = [none(), none()] as const;
  const limits = search.isSlow ? times.map((one) => Math.min(one, CONFIRMING_TRIES_IF_SLOW)) : times;
  for (let turn = 0; turn < Math.max(...limits); turn += 1)
    for (const [index, count] of counts.entries()) {
      const request = requests[index];
      if (request === undefined || turn >= (limits[index] ?? 0) || !search.experiments.hasBudget) continue;
      const shows = await search.shows(request);
      if (shows === true) count.failed += 1;
      if (shows !== undefined) count.conclusive += 1;
    }
  return counts;
}
