import { compact } from '../../collections.ts';
import { withWords } from '../../payloads/fresh.ts';
import { JsonObject, type Member } from '../../payloads/json.ts';
import type { ModelRequest } from '../../payloads/model/model-request.ts';
import { ID } from '../../payloads/plants.ts';
import { isValid } from '../../payloads/validity.ts';
import { type Cluster, withExplanation } from '../explanation/cluster.ts';
import { propertiesIn } from '../explanation/condition.ts';
import type { Explanation } from '../explanation/explanation.ts';
import type { Candidate } from '../values/candidates.ts';
import { type Experiments, withinBudget } from './experiments.ts';
import { hasFreshId } from './ordinary-requests.ts';
import { Search } from './search.ts';

/** A name that a reader recognises as unremarkable, and that a store has not seen before. */
const PLAIN_NAME = withWords((word) => `Aloe${word(5)}`);

/** Cost, in bytes, of a character that is hard to read or that a shell line has to escape. */
const COST_OF_ODD_CHARACTER = 10;
const ODD = /[^\p{L}\p{N}\p{P}\p{S} ]/gu;
/** Cost, in bytes, of anything that a tool such as curl does not send by itself. */
const COST_OF_DELIVERY = 40;

/** Cost, in bytes, of a missing body: a body that is wrong explains more. */
const COST_OF_NO_BODY = 20;

/** Cost, in bytes, of an id that is the same each time: the request may be rejected as a duplicate. */
const COST_OF_FIXED_ID = 60;

/** Cost, in bytes, of a value that a reader may take for the reason: a word of a language, an empty query. */
const COST_OF_MEANING = 40;
const HAS_MEANING = /"(?:null|true|constructor|toString|__proto__|0?)"\s*[,}]/g;

/** How much the reader of a request has to take in, in bytes. */
function costOf(request: ModelRequest, experiments: Experiments): number {
  const { headers, path, body = [], delivery, framing } = experiments.requestOf(request);
  const text = [path, Buffer.from(body).toString('utf8'), ...headers.flat()].join(' ');
  const isDelivered = delivery !== undefined && Object.keys(delivery).length > 0;
  return (
    Buffer.byteLength(text) +
    (text.match(ODD)?.length ?? 0) * COST_OF_ODD_CHARACTER +
    (text.match(HAS_MEANING)?.length ?? 0) * COST_OF_MEANING +
    (path.endsWith('?') ? COST_OF_MEANING : 0) +
    (body.length === 0 ? COST_OF_NO_BODY : 0) +
    (isDelivered ? COST_OF_DELIVERY : 0) +
    (framing === 'chunked' ? COST_OF_DELIVERY : 0) +
    (request.template.preceding === undefined ? 0 : COST_OF_DELIVERY) +
    (request.plant.get(ID) === undefined || hasFreshId(request) ? 0 : COST_OF_FIXED_ID)
  );
}

/** Returns the request with the plainest of several values that all show the symptom. */
export function withPlainest(
  candidates: readonly Candidate[],
  request: ModelRequest,
  experiments: Experiments,
): ModelRequest {
  const [plainest = request] = candidates
    .map((candidate) => candidate.apply(request))
    .map((one) => ({ one, cost: costOf(one, experiments) }))
    .toSorted((a, b) => a.cost - b.cost)
    .map(({ one }) => one);
  return plainest;
}

/** Gives a cluster the plainest request that shows it, with plain values and nothing that does not matter. */
export async function tryPlainestRequest(cluster: Cluster, experiments: Experiments): Promise<Cluster> {
  const { explanation, members, symptom } = cluster;
  const [lead] = members;
  if (lead === undefined || !isSingleRequest(explanation)) return cluster;
  const search = new Search({ ...lead, symptom }, experiments);
  const { request: shown, plainer } = explanation;
  const expected = search.expectedOutcomeOf(shown);
  const plain = (request: ModelRequest) => withPlainPlant(request, explanation, search);
  for (const request of compact(plainer && plain(plainer), plainer, plain(shown))) {
    const isPlainer = costOf(request, experiments) < costOf(shown, experiments);
    if (!isPlainer || search.expectedOutcomeOf(request) !== expected) continue;
    const exchange = await withinBudget(() => search.failingExchange(request));
    if (exchange !== undefined) return withExplanation(cluster, { request, exchange });
  }
  return cluster;
}

const isSingleRequest = ({ kind, template, before = [], repeat }: Explanation): boolean =>
  kind === 'always' && template === undefined && before.length === 0 && repeat.times === 1;

/** The request without optional properties that do not matter, and with a plain name unless it matters. */
function withPlainPlant(request: ModelRequest, found: Explanation, { contract }: Search): ModelRequest {
  const { shape } = contract.newPlant;
  const involved = involvedIn(found);
  const members = request.plant.members
    .filter(([name]) => involved.has(name) || shape.required.has(name) || !shape.properties.has(name))
    .map(([name, value]): Member => [name, name === 'name' && !involved.has(name) ? PLAIN_NAME : value]);
  const plain = { ...request, plant: new JsonObject(members) };
  const wasValid = isValid(contract, request.plant);
  return wasValid && !isValid(contract, plain.plant) ? request : plain;
}

/** The properties that the cause is about. */
const involvedIn = ({ subject, conditions, parts }: Explanation): ReadonlySet<string> =>
  new Set([
    ...parts.map(({ name }) => name),
    ...compact(subject, ...conditions).flatMap((one) => compact(one.part, ...propertiesIn(one))),
  ]);
