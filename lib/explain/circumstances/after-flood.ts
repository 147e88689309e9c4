import { templateOf } from '../../payloads/model/model-request.ts';
import { withinBudget } from '../experiment/experiments.ts';
import type { Finder } from '../experiment/search.ts';
import { shownAfterOthers } from '../explanation/explanation.ts';
import { tryAfterManyOfKind } from './after-many.ts';
import { PRECEDING_KINDS, SequenceProbe } from './sequence-probe.ts';

/** A limiter or gateway that locks out clients with many rejections does so before this number. */
const FLOOD = 100;

/** The statuses with which limiters and gateways refuse a client. */
const LOCKED_OUT: readonly number[] = [401, 403, 429, 503];

const KINDS = [PRECEDING_KINDS.rejected, PRECEDING_KINDS.unauthenticated];

/**
 * Finds whether a valid request fails for a while after many rejections within a second or two, and whether
 * fewer in a row suffice.
 */
export const tryAfterFlood: Finder = async (request, search) => {
  const { symptom, experiments } = search;
  const mayBeLockedOut = symptom.kind === 'rejects' && LOCKED_OUT.includes(symptom.status ?? 0);
  if (!mayBeLockedOut || search.expectedOutcomeOf(request) !== 'accept') return undefined;
  for (const kind of KINDS) {
    const template = templateOf(kind.from(request));
    const shownAfterFlood = () =>
      withinBudget(async () => {
        // Waits until the store accepts plants again.
        const probe = await SequenceProbe.of(request, search);
        if (probe === undefined) return undefined;
        const sent = await experiments.sendConcurrently(Array.from({ length: FLOOD }, () => template));
        const exchange = await search.failingExchange(request);
        return exchange && { probe, exchange, before: sent.map((one) => ({ template, exchange: one })) };
      });
    const shown = await shownAfterFlood();
    if (shown === undefined) continue;
    const fewer = await withinBudget(() => tryAfterManyOfKind(shown.probe, kind));
    if (fewer !== undefined && fewer !== 'whatever comes before') return fewer;
    // Each lock-out takes a while to end, so there may be no time left for another.
    const last = experiments.hasBudget ? await shownAfterFlood() : shown;
    if (last === undefined) continue;
    const { exchange, before } = last;
    const usual = before[0]?.exchange.response?.status;
    const count = before.filter((sent) => sent.exchange.response?.status === usual).length;
    const phrase = `for a while after about ${count} ${kind.plural} in quick succession`;
    const condition = { phrase, part: 'earlier requests' };
    return { ...shownAfterOthers(request, exchange, [condition], last === shown ? 1 : 2), before };
  }
  return undefined;
};
