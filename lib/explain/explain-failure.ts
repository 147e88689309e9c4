import { compact } from '../collections.ts';
import type { ModelRequest } from '../payloads/model/model-request.ts';
import { ID } from '../payloads/plants.ts';
import { dependsOnFreshId } from '../payloads/test-case.ts';
import { trySameValues } from './circumstances/concurrency.ts';
import { findCircumstances } from './circumstances/find-circumstances.ts';
import { addHistory } from './circumstances/history.ts';
import { mayOnlyOverlap, tryOverlap } from './circumstances/overlap.ts';
import { tryReplay } from './circumstances/replayed.ts';
import { needsRejectionBefore, tryOnConnection } from './circumstances/sequence-probe.ts';
import { investigate } from './condition/investigate.ts';
import { type Experiments, withinBudget } from './experiment/experiments.ts';
import { REPEATS, Search, soonPasses } from './experiment/search.ts';
import type { CheckFailure } from './explanation/cluster.ts';
import { areVague, type Condition, fullText } from './explanation/condition.ts';
import type { Explanation } from './explanation/explanation.ts';
import { intermittentOverall } from './not-reproduced.ts';
import type { Symptom, SymptomKind } from './symptom/symptom.ts';

/** The symptom if the store had to be restarted after every request that shows it. */
const CRASHES = { kind: 'crashes', words: 'dies without an answer' } as const;
const UNANSWERED: readonly SymptomKind[] = ['closed', 'no-answer', 'incomplete'];

export interface Explained {
  readonly symptom: Symptom;
  /** At least one. There are several if each of several conditions is sufficient. */
  readonly explanations: readonly Explanation[];
}

/** The search for one failure. If a cache replays responses, the search precedes invalid requests by valid ones. */
async function searchFor(
  lead: CheckFailure,
  known: readonly Explanation[],
  experiments: Experiments,
): Promise<Search> {
  const search = new Search(lead, experiments, { known });
  const { failingRequest } = search;
  const isReplayed =
    failingRequest !== undefined &&
    (await withinBudget(() => tryReplay(failingRequest, search))) !== undefined;
  return isReplayed ? new Search(lead, experiments, { known, followsValid: true }) : search;
}

/** Explains one failure by experiments, or by how often requests fail; undefined if neither is possible. */
export async function explainLead(
  lead: CheckFailure,
  members: readonly CheckFailure[],
  known: readonly Explanation[],
  experiments: Experiments,
): Promise<Explained | undefined> {
  const search = await searchFor(lead, known, experiments);
  const restartsBefore = experiments.restarts;
  const explanations = (await explainFailure(search)) ?? compact(intermittentOverall(search, members));
  if (explanations.length === 0) return undefined;
  const isFatal = experiments.restarts - restartsBefore >= REPEATS && UNANSWERED.includes(lead.symptom.kind);
  return { symptom: isFatal ? { ...lead.symptom, ...CRASHES } : lead.symptom, explanations };
}

/** Faults that depend on more parts of a request than this are rare. */
const MAX_PARTS = 6;

/**
 * Explains a failure by experiments: by the content of the request, by concurrent or preceding requests, or
 * by both.
 *
 * @returns undefined if at most an identical request shows the failure, or if the budget is used up
 */
async function explainFailure(search: Search): Promise<readonly Explanation[] | undefined> {
  const byContent = await explainByContent(search);
  const behind = byContent && (await tryBehindContent(byContent, search));
  if (behind !== undefined) return [behind];
  const isClear = byContent?.every(({ conditions }) => !areVague(conditions)) === true;
  // If so many parts matter, the request probably has to equal an earlier one.
  const mayBeRepeated = byContent?.some(({ parts }) => parts.length > MAX_PARTS) === true;
  const { template, before = [] } = search.failure;
  // A value that is the same in each request has been sent before, and that may be what matters.
  const mayBeKnown = before.length > 0 || !dependsOnFreshId(template, search.experiments.token);
  if (byContent !== undefined && !mayBeRepeated && (isClear || !mayBeKnown))
    return histories(byContent, search);
  const byCircumstances = await withinBudget(() => findCircumstances(search));
  // A failure that shows each time does not depend on other requests.
  const isNeeded = byContent === undefined || byCircumstances?.kind !== 'from-then-on';
  if (byCircumstances !== undefined && isNeeded) return [byCircumstances];
  return byContent === undefined || before.length > 0 ? undefined : histories(byContent, search);
}

/** What may be behind an explanation by content: when to look for it, and how. */
const BEHIND_CONTENT: readonly {
  readonly mayBe: (found: readonly Explanation[]) => boolean;
  readonly find: (found: readonly Explanation[], search: Search) => Promise<Explanation | undefined>;
}[] = [
  // Only a repeated id was tried; other repeated values may matter as well.
  {
    mayBe: (found) => hasCondition(found, ({ needsSameIdInFlight }) => needsSameIdInFlight === true),
    find: (_, search) => trySameValues(search.ordinary, search),
  },
  // A body in several segments may matter only because another request overtakes it.
  {
    mayBe: ([only, ...others]) => only !== undefined && others.length === 0 && mayOnlyOverlap(only),
    find: async ([only], search) => only && tryOverlap(only, search),
  },
  // The same id each time may matter only because the store knows it.
  {
    mayBe: (found) => hasCondition(found, ({ isRepeated, part }) => isRepeated === true && part === ID),
    find: (_, search) => tryOnConnection(search.ordinary, search),
  },
];

const hasCondition = (found: readonly Explanation[], is: (condition: Condition) => boolean): boolean =>
  found.some(({ conditions }) => conditions.some(is));

async function tryBehindContent(
  found: readonly Explanation[],
  search: Search,
): Promise<Explanation | undefined> {
  for (const { mayBe, find } of BEHIND_CONTENT) {
    const behind = mayBe(found) ? await withinBudget(() => find(found, search)) : undefined;
    if (behind !== undefined) return behind;
  }
  return undefined;
}

/** Explains a failure by what the request contains; undefined if that does not matter. */
async function explainByContent(search: Search): Promise<readonly Explanation[] | undefined> {
  const found = await withinBudget(async () =>
    (await needsRejectionBefore(search)) ? undefined : investigate(search),
  );
  if (found === undefined || found.some(({ isRefuted }) => isRefuted === true)) return undefined;
  const always = found.find(({ conditions, subject }) => !hasWords(conditions) && subject === undefined);
  if (always === undefined) return found;
  const isUnsteady = always.inside[0] < always.inside[1];
  return isUnsteady || (await withinBudget(() => isTemporary(always.request, search))) === true
    ? undefined
    : found;
}

const hasWords = (conditions: readonly Condition[]): boolean =>
  conditions.some((one) => fullText(one).trim() !== '');

/** Whether a symptom that all requests now show is temporary: the first plant did not show it. */
async function isTemporary(request: ModelRequest, search: Search): Promise<boolean> {
  const { accepted } = search.experiments.run;
  if (accepted === undefined || search.isShown(accepted, request) !== false) return false;
  return soonPasses(async () => (await search.shows(request)) === false);
}

/** Adds the preceding requests that each explanation needs. */
async function histories(found: readonly Explanation[], search: Search): Promise<readonly Explanation[]> {
  const explanations: Explanation[] = [];
  for (const one of found) explanations.push((await withinBudget(() => addHistory(one, search))) ?? one);
  return explanations;
}
