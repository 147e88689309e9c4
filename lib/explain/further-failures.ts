import { groupBy } from '../collections.ts';
import { explanationCovering } from './coverage/choose-explanation.ts';
import { withAllSubjects } from './coverage/with-all-subjects.ts';
import { covers, isExcluded, mayExplain } from './experiment/covers.ts';
import { type Experiments, withinBudget } from './experiment/experiments.ts';
import { repeated, Search } from './experiment/search.ts';
import { explainLead } from './explain-failure.ts';
import type { CheckFailure, Cluster, FurtherFailure } from './explanation/cluster.ts';
import { areVague } from './explanation/condition.ts';
import { isOnlyRepeated } from './simplest-first.ts';

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
export async function explainFurther(
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
