import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestState } from '../../payloads/model/dimension.ts';
import { sweep } from '../condition/sweep.ts';
import { modelSweep } from '../condition/sweeps/model.ts';
import { bareExplanation, type Explanation } from '../explanation.ts';
import { REPEATS, type Search } from '../search.ts';
import { mustReject } from '../symptom/symptoms-of.ts';
import { alternatives } from '../wording/several.ts';
import { KINDS, PAUSE_MS, Preceding, type Sequence } from './preceding.ts';

const ALL_KINDS = Object.values(KINDS);
/** What is likely to come once before a request; wrong tokens are counted. */
const SINGLE_KINDS = [KINDS.accepted, KINDS.rejected, KINDS.unauthenticated];

/**
 * Whether a body that has to be rejected is accepted after a rejected one, but not after an accepted one: then what comes
 * before it matters, and its own parts do not.
 */
export async function needsRejectionBefore(search: Search): Promise<boolean> {
  const { lead, sought } = search;
  if (lead === undefined || sought.kind !== 'accepts' || !mustReject(search.expectedOutcomeOf(lead)))
    return false;
  const preceding = await Preceding.of(lead, search);
  if (preceding === undefined) return false;
  // In changing order: every other request may show it.
  for (const kind of [KINDS.accepted, KINDS.rejected, KINDS.rejected, KINDS.accepted])
    if ((await preceding.after(kind)).shows !== (kind === KINDS.rejected)) return false;
  return true;
}

/**
 * What has to come right before a request, over another connection, so that a symptom shows.
 * @returns undefined if it shows whatever came before, or never
 */
export async function afterOne(preceding: Preceding): Promise<Explanation | undefined> {
  const shows: boolean[] = [];
  for (const kind of SINGLE_KINDS) shows.push((await preceding.after(kind)).shows);
  if (shows.every((one) => one === shows[0])) return undefined;
  const found: { readonly phrase: string; readonly sequence: Sequence }[] = [];
  for (const kind of SINGLE_KINDS) {
    const sequence = await preceding.alwaysAfter(kind);
    if (sequence !== undefined) found.push({ phrase: `after ${kind.one}`, sequence });
  }
  const [first] = found;
  if (first === undefined || found.length === SINGLE_KINDS.length) return undefined;
  return preceding.finding(alternatives(found.map(({ phrase }) => ({ phrase }))), first.sequence);
}

/** Whether a symptom shows only within a moment after an accepted plant. */
export async function soonAfter(preceding: Preceding): Promise<Explanation | undefined> {
  const { state, search } = preceding;
  if ((await search.shows(state)) !== true) return undefined;
  let last: Sequence | undefined;
  for (let left = REPEATS; left > 0; left -= 1) {
    await sleep(PAUSE_MS);
    if ((await search.shows(state)) === true) return undefined;
    last = await preceding.after(KINDS.accepted);
    if (!last.shows) return undefined;
  }
  return last && preceding.finding({ phrase: `soon after ${KINDS.accepted.one}` }, last);
}

/** Numbers of requests of one kind in a row. */
const COUNTS = [2, 3, 5, 8, 10, 20, 30];

/** How many requests of one kind have to come right before a request so that a symptom shows. */
export async function afterMany(
  preceding: Preceding,
  counts: readonly number[] = COUNTS,
): Promise<Explanation | undefined> {
  for (const kind of ALL_KINDS)
    for (const count of counts) {
      const sequence = await preceding.alwaysAfter(kind, count);
      if (sequence !== undefined)
        return preceding.finding({ phrase: `after ${count} ${kind.many} in a row` }, sequence);
    }
  return undefined;
}

/** What has to come before a request on the same connection, or beside it, so that a symptom shows. */
export async function onConnection(state: RequestState, search: Search): Promise<Explanation | undefined> {
  const history = modelSweep(search.experiments.modelOf(state), 'history');
  if (history === undefined) return undefined;
  const reach = await sweep(history, state, search, false);
  const [found] = reach.named;
  for (const candidate of found?.candidates ?? []) {
    const later = candidate.apply(state);
    const exchange = await search.shownBy(later);
    if (found === undefined || exchange === undefined) continue;
    return {
      ...bareExplanation(later, exchange),
      kind: 'sequence',
      conditions: [found.words],
      ladders: [reach.ladder],
      inside: [reach.inside, reach.inside],
      outside: [0, reach.outside],
    };
  }
  return undefined;
}
