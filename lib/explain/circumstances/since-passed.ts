import { notSuccess } from '../../judge/rules.ts';
import type { TestCase } from '../../payloads/test-case.ts';
import type { Check, PrecedingRequest } from '../../run/check.ts';
import { plantsFor } from '../../run/plant-factory.ts';
import type { Cluster } from '../cluster.ts';
import { type Experiments, withinBudget } from '../experiments.ts';
import type { SymptomKind } from '../symptom/symptom.ts';
import type { Condition } from '../wording/condition.ts';
import { labelOf } from '../wording/request-words.ts';

/** Symptoms with which a store fails that once rejected such requests as it should. */
const BROKEN: readonly SymptomKind[] = ['server-error', 'closed', 'not-http'];

/** Rejections after which most stores that run out of something have done so. */
const REJECTIONS_TO_EXHAUST_A_STORE = 200;

const SINCE_SOME_POINT: Condition = { note: 'from some point in the run onwards' };

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
  if (kind !== 'always' || conditions.length > 0) return cluster;
  const { results, catalogue, contract, seed } = experiments.run;
  const casesOf = ({ id, test }: Check): readonly TestCase[] =>
    test.kind === 'cases' && test.rules.includes(notSuccess) ? test.cases(plantsFor(contract, seed, id)) : [];
  if (BROKEN.includes(symptom.kind)) return beganInCheck(cluster, experiments, casesOf);
  if (symptom.kind !== 'accepts') return cluster;
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
      conditions: [SINCE_SOME_POINT],
      before,
    },
  };
}

/**
 * Handles a store that now fails with all invalid bodies of a kind, although a check passed with some of them: it has run
 * out of something.
 */
function beganInCheck(
  cluster: Cluster,
  { run: { results } }: Experiments,
  casesOf: (check: Check) => readonly TestCase[],
): Cluster {
  const { found, members } = cluster;
  const { labels = [] } = found;
  const isAboutThese = (check: Check) => {
    const cases = casesOf(check);
    return cases.length > 0 && cases.every(({ label }) => labels.includes(label));
  };
  const checks = new Set(members.map(({ check }) => check).filter(isAboutThese));
  const began = results.some(
    ({ check, failed, cases }) => failed < cases && [...checks].some(({ id }) => id === check.id),
  );
  return began
    ? {
        ...cluster,
        found: {
          ...found,
          kind: 'from-then-on',
          conditions: [SINCE_SOME_POINT],
          repeat: { times: REJECTIONS_TO_EXHAUST_A_STORE, inFlight: 1 },
        },
      }
    : cluster;
}
