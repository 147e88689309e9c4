import { compact, groupBy } from '../collections.ts';
import type { ModelRequest } from '../payloads/model/model-request.ts';
import { ID } from '../payloads/plants.ts';
import { dependsOnFreshId } from '../payloads/test-case.ts';
import { explanationCovering } from './assign/choose-explanation.ts';
import { withAllSubjects } from './assign/with-all-subjects.ts';
import { trySameValues } from './circumstances/concurrency.ts';
import { findCircumstances } from './circumstances/find-circumstances.ts';
import { addHistory } from './circumstances/history.ts';
import { mayOnlyOverlap, tryOverlap } from './circumstances/overlap.ts';
import { tryReplay } from './circumstances/replayed.ts';
import { needsRejectionBefore, tryOnConnection } from './circumstances/sequence-probe.ts';
import { investigate } from './condition/investigate.ts';
import { covers, isExcluded, mayExplain } from './experiment/covers.ts';
import { type Experiments, withinBudget } from './experiment/experiments.ts';
import { REPEATS, repeated, Search, soonPasses } from './experiment/search.ts';
import { type CheckFailure, type Cluster, didRecur, type FurtherFailure, levelOf } from './facts/cluster.ts';
import { areVague, type Condition, fullText } from './facts/condition.ts';
import type { Explanation } from './facts/explanation.ts';
import { intermittentOverall, notReproduced } from './not-reproduced.ts';
import { isOnlyRepeated, simplestFirst } from './simplest-first.ts';
import { isSlow, keyOf, type Symptom, type SymptomKind } from './symptom/symptom.ts';

/**
 * Explains the failures of each symptom together: first those that violate a MUST. Symptoms that take a timeout to
 * see, and those of which no failure recurred, come after others of the same level: an explanation of others may
 * cover them, and searching for their own takes long.
 */
export async function explainBySymptom(
  failures: readonly CheckFailure[],
  further: readonly FurtherFailure[],
  experiments: Experiments,
): Promise<readonly Cluster[]> {
  const groups = groupBy(failures, ({ symptom }) => keyOf(symptom)).map(([, members]) => members);
  const hasMust = (members: readonly CheckFailure[]) => (levelOf({ members }) === 'MUST' ? 1 : 0);
  const clusters: Cluster[] = [];
  const takesLong = ([{ symptom }]: readonly [CheckFailure, ...CheckFailure[]]) => Number(isSlow(symptom));
  for (const members of groups.toSorted(
    (a, b) =>
      hasMust(b) - hasMust(a) ||
      takesLong(a) - takesLong(b) ||
      Number(b.some(didRecur)) - Number(a.some(didRecur)) ||
      b.length - a.length,
  )) {
    const alike = further.filter(({ symptom }) => members.some((one) => one.symptom === symptom));
    clusters.push(...(await experiments.forSymptom(() => explainSymptom(members, alike, experiments))));
  }
  return clusters;
}

/** The first case of each check, then the second of each, and so on. */
const interleavedByCheck = (further: readonly FurtherFailure[]): readonly FurtherFailure[] =>
  groupBy(further, ({ check }) => check.id)
    .flatMap(([, some]) => some.map((one, index) => ({ one, index })))
    .toSorted((a, b) => a.index - b.index)
    .map(({ one }) => one);

/** Maximum number of further failed cases of a symptom to compare with its explanations. */
const MAX_COMPARED = 2000;
/** Maximum number of them to send again. */
const MAX_SENT_AGAIN = 12;

/** At most `max` items of a list, at equal distances. */
const evenlySpaced = <T>(all: readonly T[], max: number): readonly T[] =>
  all.filter(
    (_, index) => Math.floor((index * max) / all.length) !== Math.floor(((index - 1) * max) / all.length),
  );

/** Adds clusters for failed cases that no explanation covers: their check has found another fault, too. */
async function explainFurther(
  further: readonly FurtherFailure[],
  clusters: readonly Cluster[],
  experiments: Experiments,
): Promise<readonly Cluster[]> {
  const added: Cluster[] = [];
  let remaining = MAX_SENT_AGAIN;
  for (const { check, failed, symptom } of interleavedByCheck(evenlySpaced(further, MAX_COMPARED))) {
    if (remaining === 0 || !experiments.hasBudget) break;
    const known = [...clusters, ...added].map(({ explanation }) => explanation);
    if (known.some((one) => covers(one, failed, experiments) && !isExcluded(one, failed))) continue;
    remaining -= 1;
    const exchange = await withinBudget(() =>
      repeated(2, () => experiments.failingExchange(failed.template, symptom)),
    );
    if (exchange === undefined) continue;
    const lead: CheckFailure = { check, failure: { ...failed, exchange, when: 'always' }, symptom };
    if (isOnlyRepeated(lead, experiments)) continue;
    const search = new Search(lead, experiments);
    if ((await explanationCovering(known, search)) !== undefined) continue;
    const explained = await explainLead(lead, [lead], known, experiments);
    const explanation = explained?.explanations.find((one) => mayExplain(one, search));
    if (explained === undefined || explanation === undefined || areVague(explanation.conditions)) continue;
    const cluster = { symptom: explained.symptom, explanation, members: [lead] };
    added.push(withAllSubjects(cluster, experiments));
  }
  return added;
}

/** The symptom if the store had to be restarted after every request that shows it. */
const CRASHES = { kind: 'crashes', words: 'dies without an answer' } as const;
const UNANSWERED: readonly SymptomKind[] = ['closed', 'no-answer', 'incomplete'];

/** Number of failures of a symptom to try in vain before giving up. */
const MAX_IN_VAIN = 3;

/**
 * Explains the simplest failure, then the failures that its explanation does not cover, until none is left.
 * Failures that did not recur come later, since the explanation of others may cover them, and those that no
 * experiment reproduces come last.
 */
async function explainSymptom(
  members: readonly CheckFailure[],
  further: readonly FurtherFailure[],
  experiments: Experiments,
): Promise<readonly Cluster[]> {
  const clusters: Cluster[] = [];
  /** Adds the clusters of what was explained, and returns the other failures. */
  const added = async (
    failures: readonly CheckFailure[],
    lead: CheckFailure,
    { symptom, explanations }: Explained,
  ) => {
    const explaining = await assigned(failures, lead, explanations, experiments);
    for (const explanation of explanations) {
      const explained = failures.filter((member) => explaining.get(member) === explanation);
      // An experiment may also have found another fault; its own failures will lead to it.
      if (explained.length === 0) continue;
      clusters.push(withAllSubjects({ symptom, explanation, members: explained }, experiments));
    }
    return failures.filter((member) => explaining.get(member) === undefined);
  };
  /** The failures for which no explanation was found, and why experiments may have been missing. */
  const inVain = new Map<CheckFailure, string | undefined>();
  let unexplained = simplestFirst(members, experiments);
  const explainAll = async (mayLead: (failure: CheckFailure) => boolean) => {
    while (inVain.size < MAX_IN_VAIN) {
      const lead = unexplained.find(mayLead);
      if (lead === undefined) return;
      const known = clusters.map(({ explanation }) => explanation);
      const work = () => explainLead(lead, members, known, experiments);
      const [explained, shortage] = await experiments.withShortage(work);
      if (explained !== undefined) unexplained = await added(unexplained, lead, explained);
      else {
        inVain.set(lead, shortage);
        unexplained = unexplained.filter((failure) => failure !== lead);
      }
    }
  };
  await explainAll((one) => didRecur(one) && !isOnlyRepeated(one, experiments));
  clusters.push(...(await explainFurther(further, clusters, experiments)));
  await explainAll(() => true);
  let rest = [...inVain.keys(), ...unexplained];
  for (let [lead] = rest; lead !== undefined; [lead] = rest) {
    const shortage = inVain.has(lead) ? inVain.get(lead) : [...inVain.values()].at(-1);
    const explanation = await notReproduced(new Search(lead, experiments), rest, shortage);
    rest = await added(rest, lead, { symptom: lead.symptom, explanations: [explanation] });
  }
  return clusters;
}

interface Explained {
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
async function explainLead(
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

/** Assigns each failure to the explanation that covers it, if any, and `lead` to its own. */
async function assigned(
  members: readonly CheckFailure[],
  lead: CheckFailure,
  explanations: readonly Explanation[],
  experiments: Experiments,
): Promise<ReadonlyMap<CheckFailure, Explanation | undefined>> {
  const ofLead = explanations.find((one) => mayExplain(one, new Search(lead, experiments)));
  const explaining = new Map([[lead, ofLead ?? explanations[0]]]);
  const broad = explanations.filter(({ labels = [] }) => labels.length > 0);
  for (const member of members) {
    if (member === lead) continue;
    const eligible = isMoreSerious(member, lead) ? broad : explanations;
    explaining.set(member, await explanationCovering(eligible, new Search(member, experiments)));
  }
  return explaining;
}

/** Whether the first failure accepts a request against a MUST, and the other one violates only a SHOULD. */
const isMoreSerious = ({ check, symptom: { kind } }: CheckFailure, other: CheckFailure): boolean =>
  kind === 'accepts' && check.level === 'MUST' && other.check.level === 'SHOULD';

/**
 * Explains a failure by experiments: by the content of the request, by concurrent or preceding requests, or
 * by both.
 *
 * @returns undefined if at most an identical request shows the failure, or if the budget is used up
 */
async function explainFailure(search: Search): Promise<readonly Explanation[] | undefined> {
  const byContent = await explainByContent(search);
  // Only a repeated id was tried; other repeated values may matter as well.
  if (byContent?.some(({ conditions }) => conditions.some(({ isOfSameId }) => isOfSameId)) === true) {
    const general = await withinBudget(() => trySameValues(search.ordinary, search));
    if (general !== undefined) return [general];
  }
  const [only, ...others] = byContent ?? [];
  if (only !== undefined && others.length === 0 && mayOnlyOverlap(only)) {
    const overlapping = await withinBudget(() => tryOverlap(only, search));
    if (overlapping !== undefined) return [overlapping];
  }
  // The same id each time may matter only because the store knows it.
  if (byContent?.some(({ conditions }) => conditions.some(isOfKnownId)) === true) {
    const byHistory = await withinBudget(() => tryOnConnection(search.ordinary, search));
    if (byHistory !== undefined) return [byHistory];
  }
  const isClear = byContent?.every(({ conditions }) => !areVague(conditions)) === true;
  const { template, before = [] } = search.failure;
  // A value that is the same in each request has been sent before, and that may be what matters.
  const mayBeKnown = before.length > 0 || !dependsOnFreshId(template, search.experiments.token);
  if (byContent !== undefined && (isClear || !mayBeKnown)) return histories(byContent, search);
  const byCircumstances = await withinBudget(() => findCircumstances(search));
  // A failure that shows each time does not depend on other requests.
  const isNeeded = byContent === undefined || byCircumstances?.kind !== 'from-then-on';
  if (byCircumstances !== undefined && isNeeded) return [byCircumstances];
  return byContent === undefined || before.length > 0 ? undefined : histories(byContent, search);
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
  return isUnsteady || (await withinBudget(() => isOfMoment(always.request, search))) === true
    ? undefined
    : found;
}

const isOfKnownId = ({ isRepeated, part }: Condition): boolean => isRepeated === true && part === ID;

const hasWords = (conditions: readonly Condition[]): boolean =>
  conditions.some((one) => fullText(one).trim() !== '');

/** Whether a symptom that all requests now show is temporary: the first plant did not show it. */
async function isOfMoment(request: ModelRequest, search: Search): Promise<boolean> {
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
