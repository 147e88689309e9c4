import { groupBy } from '../../collections.ts';
import { createdRules, notSuccess, type Rule } from '../../judge/rules.ts';
import type { TestCase } from '../../payloads/test-case.ts';
import type { Check, SentRequest } from '../../run/check.ts';
import { plantsFor } from '../../run/plant-factory.ts';
import { covers } from '../experiment/covers.ts';
import { type Experiments, withinBudget } from '../experiment/experiments.ts';
import { repeated } from '../experiment/search.ts';
import { type Cluster, withExplanation } from '../explanation/cluster.ts';
import type { Explanation } from '../explanation/explanation.ts';
import { aspectOf, type SymptomKind } from '../symptom/symptom.ts';
import { REQUESTS_TO_EXHAUST_A_STORE } from './from-some-point-on.ts';

/** Symptoms of a store that now fails on requests that it used to reject. */
const BROKEN: readonly SymptomKind[] = ['server-error', 'closed', 'not-http'];

/** Rewords a cluster as a fault that began during the run, and adds what reproduces it on a fresh store. */
const sinceSomePoint = (
  cluster: Cluster,
  reproduction: Pick<Explanation, 'before'> | Pick<Explanation, 'repeat'>,
): Cluster =>
  withExplanation(cluster, {
    kind: 'from-then-on',
    conditions: [...cluster.explanation.conditions, { note: 'from some point in the run on' }],
    ...reproduction,
  });

/** The named cases of a check, if it applies all these rules. */
const casesOf = (
  { id, test }: Check,
  rules: readonly Rule[],
  { contract, run: { header } }: Experiments,
): readonly TestCase[] =>
  test.kind === 'cases' && rules.every((rule) => test.rules.includes(rule))
    ? test.cases(plantsFor(contract, header.options.seed, id))
    : [];

/** The named cases of the checks that passed and apply all these rules. */
function passedCases(rules: readonly Rule[], experiments: Experiments): readonly TestCase[] {
  const { results, catalogue } = experiments;
  const passed = new Set(results.filter(({ verdict }) => verdict === 'pass').map(({ check }) => check.id));
  return catalogue.filter(({ id }) => passed.has(id)).flatMap((check) => casesOf(check, rules, experiments));
}

/** Maximum number of preceding requests in the steps. */
const MAX_BEFORE = 12;

/**
 * Recognises a store that now always accepts what it rejected in a check that passed. A request of the run
 * must have changed it, for example by polluting `Object.prototype`. See also `beganInCheck` and
 * `beganAfterCheck`.
 *
 * @returns the cluster, reworded if the fault began during the run. If the store now accepts too much, the
 * cluster has one request of each kind that is accepted, any of which may have changed the store
 */
export async function rewordIfBegunDuringRun(cluster: Cluster, experiments: Experiments): Promise<Cluster> {
  const { symptom, explanation, members } = cluster;
  const { labels = [], kind, conditions } = explanation;
  if (kind !== 'always') return cluster;
  if (aspectOf(symptom) === 'representation' || symptom.kind === 'echo') {
    const reworded = await beganAfterCheck(cluster, experiments);
    return reworded !== cluster || conditions.length > 0 ? reworded : beganInCheck(cluster, experiments);
  }
  if (conditions.length > 0) return cluster;
  if (BROKEN.includes(symptom.kind)) return beganInCheck(cluster, experiments);
  if (symptom.kind !== 'accepts') return cluster;
  const rejected = passedCases([notSuccess], experiments).find(({ label }) => labels.includes(label));
  if (rejected === undefined) return cluster;
  const acceptedNow = () => experiments.failingExchange(rejected.template, symptom);
  if ((await withinBudget(() => repeated(2, acceptedNow))) === undefined) return cluster;
  const accepted = groupBy(
    members
      .flatMap(({ check }) => casesOf(check, [notSuccess], experiments))
      .filter(({ label }) => labels.includes(label)),
    ({ label }) => label,
  ).map(([, [{ template }]]) => template);
  const before: SentRequest[] = [];
  await withinBudget(async () => {
    for (const template of accepted.slice(0, MAX_BEFORE))
      before.push({ template, exchange: await experiments.sendTemplate(template) });
  });
  return sinceSomePoint(cluster, { before });
}

/** Number of valid plants of passed checks to send again. */
const MAX_PLANTS = 12;

/** Recognises a store whose answers to valid plants are now wrong, although a check with such plants passed. */
async function beganAfterCheck(cluster: Cluster, experiments: Experiments): Promise<Cluster> {
  // Only invariants judge the plants of checks that passed.
  if (!cluster.members.some(({ check }) => check.test.kind === 'invariant')) return cluster;
  const plants = passedCases(createdRules, experiments).filter((one) =>
    covers(cluster.explanation, one, experiments),
  );
  const now = await withinBudget(async () => {
    for (const { template } of plants.slice(0, MAX_PLANTS)) {
      const again = () => experiments.failingExchange(template, cluster.symptom);
      if ((await repeated(2, again)) !== undefined) return true;
    }
    return false;
  });
  if (now !== true) return cluster;
  const before: SentRequest[] = [];
  await withinBudget(async () => {
    // What most often changes later answers: properties that every object then inherits.
    const inherited = experiments.catalogue.filter(({ id }) => id.includes('inherited'));
    for (const { template } of inherited
      .flatMap((check) => casesOf(check, [notSuccess], experiments))
      .slice(0, MAX_BEFORE))
      before.push({ template, exchange: await experiments.sendTemplate(template) });
  });
  return sinceSomePoint(cluster, { before });
}

/** Maximum number of cases of a check to send again, to see whether more of them fail than in the run. */
const MAX_SENT_AGAIN = 40;

/** Recognises a store that fails on more invalid bodies than during a check: it ran out of a resource, or counts. */
async function beganInCheck(cluster: Cluster, experiments: Experiments): Promise<Cluster> {
  const { explanation, members, symptom } = cluster;
  const checks = new Map(members.map(({ check }) => [check.id, check]));
  const partly = experiments.results.flatMap(({ check: { id }, failed, cases: tried }) => {
    const check = checks.get(id);
    const cases = check === undefined ? [] : casesOf(check, [notSuccess], experiments);
    const isAboutThese = cases.length > 0 && cases.every((one) => covers(explanation, one, experiments));
    return isAboutThese && failed < tried && cases.length <= MAX_SENT_AGAIN ? [{ cases, failed }] : [];
  });
  const [smallest] = partly.toSorted((a, b) => a.cases.length - b.cases.length);
  if (smallest === undefined) return cluster;
  const templates = smallest.cases.map(({ template }) => template);
  const exchanges = (await withinBudget(() => experiments.sendConcurrently(templates))) ?? [];
  const failing = exchanges.filter((exchange, index) => {
    const template = templates[index];
    return template !== undefined && experiments.isShown(exchange, template, symptom) === true;
  });
  return failing.length <= smallest.failed
    ? cluster
    : sinceSomePoint(cluster, { repeat: { times: REQUESTS_TO_EXHAUST_A_STORE, inFlight: 1 } });
}
