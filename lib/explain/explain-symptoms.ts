import { groupBy } from '../collections.ts';
import { dependsOnFreshId } from '../payloads/test-case.ts';
import { explanationFor } from './choose-explanation.ts';
import { sameValues } from './circumstances/concurrency.ts';
import { circumstancesOf } from './circumstances/find-circumstances.ts';
import { withHistory } from './circumstances/history.ts';
import { needsRejectionBefore } from './circumstances/sequence-probe.ts';
import type { CheckFailure, Cluster } from './cluster.ts';
import { investigate } from './condition/investigate.ts';
import { mayExplain } from './condition/may-explain.ts';
import { type Experiments, withinBudget } from './experiments.ts';
import type { Explanation } from './explanation.ts';
import { intermittentOverall, notReproduced } from './not-reproduced.ts';
import { REPEATS, Search } from './search.ts';
import { simplestFirst } from './simplest-first.ts';
import { keyOf, type Symptom, type SymptomKind } from './symptom/symptom.ts';
import { withAllSubjects } from './with-all-subjects.ts';
import { areVague } from './wording/condition.ts';

/** Explains failures with the same symptom together, those of the most serious symptom first. */
export async function explainBySymptom(
  failures: readonly CheckFailure[],
  experiments: Experiments,
): Promise<readonly Cluster[]> {
  const groups = groupBy(failures, ({ symptom }) => keyOf(symptom)).map(([, members]) => members);
  const rank = (members: readonly CheckFailure[]) =>
    members.some(({ check }) => check.level === 'MUST') ? members.length + 1000 : members.length;
  const clusters: Cluster[] = [];
  for (const members of groups.toSorted((a, b) => rank(b) - rank(a)))
    clusters.push(...(await explainSymptom(members, experiments)));
  return clusters;
}

/** What is wrong if the store had to be started again after each request that shows the symptom. */
const CRASHES = { kind: 'crashes', words: 'dies without an answer' } as const;
const UNANSWERED: readonly SymptomKind[] = ['closed', 'no-answer', 'incomplete'];

/** Explains the simplest failure, then what its explanation leaves unexplained, until nothing is left. */
async function explainSymptom(
  members: readonly CheckFailure[],
  experiments: Experiments,
): Promise<readonly Cluster[]> {
  const clusters: Cluster[] = [];
  let left = simplestFirst(members, experiments);
  for (let lead = left[0]; lead !== undefined; lead = left[0]) {
    const { symptom, explanations } = await explainLead(lead, left, experiments);
    const explaining = await assigned(left, lead, explanations, experiments);
    for (const found of explanations) {
      const explained = left.filter((member) => explaining.get(member) === found);
      // Experiments also find other faults, which their own failures lead to.
      if (explained.length === 0) continue;
      clusters.push(withAllSubjects({ symptom, found, members: explained }, experiments.contract));
    }
    left = left.filter((one) => explaining.get(one) === undefined);
  }
  return clusters;
}

interface Explained {
  readonly symptom: Symptom;
  /** At least one; several if each of several conditions suffices. */
  readonly explanations: readonly Explanation[];
}

/** Explains one of several failures: by experiments or, if they do not show it again, by what is known of all. */
async function explainLead(
  lead: CheckFailure,
  members: readonly CheckFailure[],
  experiments: Experiments,
): Promise<Explained> {
  const search = new Search(lead, experiments);
  const restartsBefore = experiments.restarts;
  const explanations = (await explainFailure(search)) ?? [
    intermittentOverall(search, members) ?? (await notReproduced(search, members)),
  ];
  const isFatal = experiments.restarts - restartsBefore >= REPEATS && UNANSWERED.includes(lead.symptom.kind);
  return { symptom: isFatal ? { ...lead.symptom, ...CRASHES } : lead.symptom, explanations };
}

/** The explanation that each failure belongs to. The failure that was explained belongs to one in any case. */
async function assigned(
  members: readonly CheckFailure[],
  lead: CheckFailure,
  explanations: readonly Explanation[],
  experiments: Experiments,
): Promise<ReadonlyMap<CheckFailure, Explanation | undefined>> {
  const ofLead = explanations.find((one) => mayExplain(one, new Search(lead, experiments)));
  const explaining = new Map([[lead, ofLead ?? explanations[0]]]);
  const broad = explanations.filter(({ labels = [] }) => labels.length > 0);
  for (const one of members) {
    if (one === lead) continue;
    const eligible = isMoreSerious(one, lead) ? broad : explanations;
    explaining.set(one, await explanationFor(eligible, new Search(one, experiments)));
  }
  return explaining;
}

/** Whether a store accepts what it must reject, and not only, like that of the other failure, what it should reject. */
const isMoreSerious = ({ check, symptom: { kind } }: CheckFailure, other: CheckFailure): boolean =>
  kind === 'accepts' && check.level === 'MUST' && other.check.level === 'SHOULD';

/**
 * Explains a failure by experiments: by what is in the request, by what happens at the same time or before, or both.
 * @returns undefined if only an identical request, or none, shows the failure, or if the budget is used up
 */
async function explainFailure(search: Search): Promise<readonly Explanation[] | undefined> {
  const byContent = await explainByContent(search);
  // The id is the only repeated value that was tried; other repeated values may matter as well.
  if (byContent?.some(({ conditions }) => conditions.some(({ isOfSameId }) => isOfSameId)) === true) {
    const general = await withinBudget(() => sameValues(search.ordinary, search));
    if (general !== undefined) return [general];
  }
  const isClear = byContent?.every(({ conditions }) => !areVague(conditions)) === true;
  const { template, before = [] } = search.failure;
  // A value that is always the same may have been sent before, and that may be what matters.
  const mayBeKnown = before.length > 0 || !dependsOnFreshId(template, search.experiments.token);
  if (byContent !== undefined && (isClear || !mayBeKnown)) return histories(byContent, search);
  const byCircumstances = await withinBudget(() => circumstancesOf(search));
  // A failure that shows each time needs no other requests.
  const isNeeded = byContent === undefined || byCircumstances?.kind !== 'from-then-on';
  if (byCircumstances !== undefined && isNeeded) return [byCircumstances];
  return byContent === undefined || before.length > 0 ? undefined : histories(byContent, search);
}

/** Undefined if the failure does not depend on what the request contains. */
async function explainByContent(search: Search): Promise<readonly Explanation[] | undefined> {
  const found = await withinBudget(async () =>
    (await needsRejectionBefore(search)) ? undefined : investigate(search),
  );
  return found?.some(showsRegardless) === true ? undefined : found;
}

/** Whether the symptom also occurs when the condition is not met. */
const showsRegardless = ({ outside: [shown, tried] }: Explanation): boolean => shown * 2 > tried;

/** Adds the required preceding requests to the explanation. */
async function histories(found: readonly Explanation[], search: Search): Promise<readonly Explanation[]> {
  const all: Explanation[] = [];
  for (const one of found) all.push((await withinBudget(() => withHistory(one, search))) ?? one);
  return all;
}
