import { notSuccess } from '../../judge/rules.ts';
import type { TestCase } from '../../payloads/test-case.ts';
import type { Check, PrecedingRequest } from '../../run/check.ts';
import { plantsFor } from '../../run/plant-factory.ts';
import type { Cluster } from '../cluster.ts';
import { type Experiments, withinBudget } from '../experiments.ts';
import { labelOf } from '../wording/request-words.ts';

/** Maximum number of preceding requests in the steps. */
const MAX_BEFORE = 12;

/**
 * Handles a store that now always accepts what it rejected in a check that passed: an earlier request of the
 * run must have changed it, such as one that pollutes the prototype of all objects.
 *
 * @returns the cluster with the requests of the check that failed first, any of which may have changed the
 * store
 */
export async function sincePassed(cluster: Cluster, experiments: Experiments): Promise<Cluster> {
  const { symptom, found, members } = cluster;
  const { labels = [], kind, conditions } = found;
  if (symptom.kind !== 'accepts' || kind !== 'always' || conditions.length > 0) return cluster;
  const { results, catalogue, contract, seed } = experiments.run;
  const casesOf = ({ id, test }: Check): readonly TestCase[] =>
    test.kind === 'cases' && test.rules.includes(notSuccess) ? test.cases(plantsFor(contract, seed, id)) : [];
  const passed = new Set(results.filter(({ verdict }) => verdict === 'pass').map(({ check }) => check.id));
  const isRejected = catalogue.some(
    (check) => passed.has(check.id) && casesOf(check).some(({ label }) => labels.includes(label)),
  );
  const first = members.find(({ check }) => check.test.kind === 'cases');
  if (!isRejected || first === undefined) return cluster;
  const cases = casesOf(first.check);
  const failed = cases.findIndex(({ label }) => label === labelOf(first.failure));
  const before: PrecedingRequest[] = [];
  await withinBudget(async () => {
    for (const { template } of cases.slice(0, failed + 1).slice(-MAX_BEFORE)) {
      const [exchange] = await experiments.together([template]);
      if (exchange !== undefined) before.push({ template, exchange });
    }
  });
  return {
    ...cluster,
    found: {
      ...found,
      kind: 'from-then-on',
      conditions: [{ note: 'from some point in the run onwards' }],
      before,
    },
  };
}
