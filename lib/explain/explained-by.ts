import { JsonObject } from '../payloads/json.ts';
import type { RequestState } from '../payloads/model/dimension.ts';
import type { Failure } from '../run/result/result.ts';
import type { CheckFailure, Cluster } from './cluster.ts';
import { stateOf, withParts } from './condition/parts.ts';
import type { Found } from './found.ts';
import { type Lab, unlessSpent, type Wanted } from './lab.ts';
import { roleOf } from './symptom/role.ts';
import { isRejected } from './symptom/symptom.ts';
import { labelOf } from './wording/words.ts';

/** The cluster whose condition explains a failure: without it, the symptom does not show. */
export async function explainedBy<T extends Cluster>(
  clusters: readonly T[],
  { failure, wanted }: CheckFailure,
  lab: Lab,
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
  if (known?.includes(label) === true) return inUndeclared(clusters, failure, wanted, lab);
  const fits = clusters.find(({ found }) => isAbout(found, label, lab)) ?? first;
  if (kind !== 'always') return fits;
  if (isOtherRejection(first.found, failure, lab)) return undefined;
  const state = neutral && stateOf(failure.template, neutral.plant);
  if (neutral === undefined || state === undefined) return fits;
  // An ordinary part may also hide another fault, so that the failing one has to show this one by itself.
  const explains = await unlessSpent(
    async () =>
      (await lab.shows(withParts(parts, neutral, state), wanted)) !== true &&
      (!suffices || (await mayShowAlone(withParts(parts, state, neutral), state, wanted, lab))),
  );
  return explains === false ? undefined : fits;
}

/**
 * Whether the parts that matter may show a failure in an otherwise neutral request. Where they have an id of their own
 * each time, it may take more than one try, and a failure that does not show again itself says nothing.
 */
async function mayShowAlone(
  alone: RequestState,
  failing: RequestState,
  wanted: Wanted,
  lab: Lab,
): Promise<boolean> {
  for (let left = 2; left > 0; left -= 1) if ((await lab.shows(alone, wanted)) !== false) return true;
  return (await lab.shows(failing, wanted)) === false;
}

/** Whether one is about what is wrong with bodies, and the other about credentials. */
function isOtherRejection({ subject, state }: Found, { exchange, template }: Failure, lab: Lab): boolean {
  const [one, other] = [lab.roleOf(state), roleOf(exchange.request, template, lab.contract, lab.token)];
  return subject !== undefined && one !== other && isRejected(one) && isRejected(other);
}

/** What is wrong with a plant may also stand in undeclared properties: in another case, or one level down. */
async function inUndeclared<T extends Cluster>(
  clusters: readonly T[],
  failure: Failure,
  wanted: Wanted,
  lab: Lab,
): Promise<T | undefined> {
  const cluster = clusters.find(({ found: { subject } }) =>
    /another case|nested|__proto__/.test(subject?.noun ?? ''),
  );
  const state = stateOf(failure.template, new JsonObject([]));
  if (cluster === undefined || state === undefined) return undefined;
  const { properties } = lab.contract.newPlant.shape;
  const plant = new JsonObject(state.plant.members.filter(([name]) => properties.has(name)));
  const shows = await unlessSpent(() => lab.shows({ ...state, plant }, wanted));
  return shows === false ? cluster : undefined;
}

/** Whether a finding and a label name the same property. */
function isAbout({ subject, conditions }: Found, label: string, { contract }: Lab): boolean {
  const named = (text: string) => new Set(text.split(/[^\w]+/));
  const property = [...contract.newPlant.shape.properties.keys()].find((name) => named(label).has(name));
  if (property === undefined) return false;
  const words = [subject, ...conditions].flatMap((one) => [one?.clause ?? '', one?.noun ?? '']);
  return words.some((one) => named(one).has(property));
}
