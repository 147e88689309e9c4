import { type DefectKind, defectsOf } from '../payloads/defects.ts';
import { JsonObject } from '../payloads/json.ts';
import type { RequestState } from '../payloads/model/dimension.ts';
import type { Failure } from '../run/result/result.ts';
import type { CheckFailure, Cluster } from './cluster.ts';
import { stateOf, withParts } from './condition/parts.ts';
import { type Experiments, type SoughtSymptom, unlessSpent } from './experiments.ts';
import type { Explanation } from './explanation.ts';
import { mustReject } from './symptom/symptoms-of.ts';
import { labelOf } from './wording/words.ts';

/** The cluster whose condition explains a failure: without it, the symptom does not show. */
export async function explainedBy<T extends Cluster>(
  clusters: readonly T[],
  { failure, sought }: CheckFailure,
  experiments: Experiments,
): Promise<T | undefined> {
  const [first] = clusters;
  if (first === undefined) return undefined;
  const label = labelOf(failure);
  const own = clusters.find(({ found: { labels } }) => labels?.includes(label) === true);
  if (own !== undefined) return own;
  const { body } = failure.exchange.request;
  const text = Buffer.from(body ?? []).toString('utf8');
  const featured = clusters.find(({ found: { feature } }) => feature?.has(text) === true);
  if (featured !== undefined) return featured;
  const { neutral, parts, suffices, kind, known } = first.found;
  if (known?.includes(label) === true) return inUndeclared(clusters, failure, sought, experiments);
  const fits = clusters.find(({ found }) => isAbout(found, label, experiments)) ?? first;
  if (kind !== 'always') return fits;
  if (isOtherRejection(first.found, failure, experiments)) return undefined;
  const state = neutral && stateOf(failure.template, neutral.plant);
  if (neutral === undefined || state === undefined)
    // Without an experiment, what is wrong with a property explains only what is about it.
    return isOfProperty(fits.found) && !isAbout(fits.found, label, experiments) ? undefined : fits;
  // An ordinary part may also hide another fault, so that the failing one has to show this one by itself.
  const explains = await unlessSpent(
    async () =>
      (await experiments.shows(withParts(parts, neutral, state), sought)) !== true &&
      (!suffices || (await partsMayShow(withParts(parts, state, neutral), state, sought, experiments))),
  );
  return explains === false ? undefined : fits;
}

/**
 * Whether the parts that matter may show a failure in an otherwise neutral request. Where they have an id of their own
 * each time, it may take more than one try, and a failure that does not show again itself says nothing.
 */
async function partsMayShow(
  alone: RequestState,
  failing: RequestState,
  sought: SoughtSymptom,
  experiments: Experiments,
): Promise<boolean> {
  for (let left = 2; left > 0; left -= 1) if ((await experiments.shows(alone, sought)) !== false) return true;
  return (await experiments.shows(failing, sought)) === false;
}

/** Whether one is about what is wrong with bodies, and the other about credentials. */
function isOtherRejection(
  { subject, state }: Explanation,
  failure: Failure,
  experiments: Experiments,
): boolean {
  const [one, other] = [experiments.expectedOutcomeOf(state), experiments.expectedOutcomeOfSent(failure)];
  return subject !== undefined && one !== other && mustReject(one) && mustReject(other);
}

/** Defects with which the right value stands in an undeclared property. */
const UNDECLARED: readonly (DefectKind | undefined)[] = ['other-name', 'nested', 'inherited'];

/** What is wrong with a plant may also stand in undeclared properties: in another case, or one level down. */
async function inUndeclared<T extends Cluster>(
  clusters: readonly T[],
  failure: Failure,
  sought: SoughtSymptom,
  experiments: Experiments,
): Promise<T | undefined> {
  const kinds = new Map(
    defectsOf(experiments.contract.newPlant.shape).map(({ name, kind }) => [name, kind] as const),
  );
  const isAboutUndeclared = (label: string) => UNDECLARED.includes(kinds.get(label));
  const cluster = clusters.find(
    ({ found: { labels = [] } }) => labels.length > 0 && labels.every(isAboutUndeclared),
  );
  const state = stateOf(failure.template, new JsonObject([]));
  if (cluster === undefined || state === undefined) return undefined;
  const { properties } = experiments.contract.newPlant.shape;
  const plant = new JsonObject(state.plant.members.filter(([name]) => properties.has(name)));
  const shows = await unlessSpent(() => experiments.shows({ ...state, plant }, sought));
  return shows === false ? cluster : undefined;
}

/** Whether it is about nothing but what is wrong with a property. */
const isOfProperty = ({ subject, conditions }: Explanation): boolean =>
  subject?.property !== undefined && conditions.length === 0;

/** Whether a finding and a label name the same property. */
function isAbout({ subject, conditions }: Explanation, label: string, { contract }: Experiments): boolean {
  const named = new Set(label.split(/\W+/));
  const property = [...contract.newPlant.shape.properties.keys()].find((name) => named.has(name));
  if (property === undefined) return false;
  return [subject, ...conditions].some((one) => one?.property === property || one?.part === property);
}
