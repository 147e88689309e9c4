import { randomUUID } from 'node:crypto';
import { compact } from '../../collections.ts';
import { membersOf } from '../../members.ts';
import { unseenToken } from '../../payloads/credentials.ts';
import { freshId } from '../../payloads/fresh.ts';
import { templateOf } from '../../payloads/model/model-request.ts';
import { ID } from '../../payloads/plants.ts';
import { bodyText } from '../../utf8.ts';
import { hasHeader } from '../../wire/headers.ts';
import { REPEATS, repeated, type Search } from '../experiment/search.ts';
import type { Condition } from '../explanation/condition.ts';
import { type Explanation, shownAfterOthers } from '../explanation/explanation.ts';
import { aspectOf } from '../symptom/symptom.ts';
import { withHeader } from '../values/headers.ts';
import { tryAfterMany } from './after-many.ts';
import { describeFromSomePointOn } from './from-some-point-on.ts';
import { tryReplay } from './replayed.ts';
import {
  COMPARISONS,
  PRECEDING_KINDS,
  precededBy,
  type Sequence,
  SequenceProbe,
  shownOnlyBy,
  tryAfterDuplicate,
  tryAfterOne,
  tryOnConnection,
  trySoonAfter,
} from './sequence-probe.ts';

/** Adds to an explanation the requests that must come before, if there are any. */
export async function addHistory(found: Explanation, search: Search): Promise<Explanation> {
  const { request, subject, conditions } = found;
  const { symptom, experiments } = search;
  const isOrdinary =
    subject === undefined && conditions.length === 0 && experiments.expectedOutcomeOf(request) === 'accept';
  if (isOrdinary && experiments.run.accepted !== undefined && aspectOf(symptom) === 'outcome')
    return describeFromSomePointOn(request, found.inside, symptom, experiments);
  const known = (await tryKnownValue(found, search)) ?? (await tryKnownHeader(found, search));
  if (known !== undefined) return known;
  const probe = await SequenceProbe.of(request, search);
  const history = probe && (await findHistory(probe));
  if (history === undefined) return found;
  // If the id is constant, the store may already know it, and that may be all that matters.
  const fresh = withOrdinary(ID, found);
  const withFresh = fresh && (await addHistory(fresh, search));
  return withFresh !== undefined && withFresh !== fresh ? withFresh : withPreceding(found, history);
}

/** Adds to an explanation the preceding requests that a search has found to be required. */
const withPreceding = (
  found: Explanation,
  { kind, before = [], request, exchange, conditions, inside, ladders }: Explanation,
): Explanation => ({
  ...found,
  kind,
  before,
  request,
  exchange,
  conditions: [...found.conditions, ...conditions],
  ladders: [...found.ladders, ...ladders],
  inside: kind === 'always' ? found.inside : inside,
});

/** Gives a property its neutral value, without conditions about it; undefined if it does not matter. */
function withOrdinary(property: string, found: Explanation): Explanation | undefined {
  const partOfProperty = found.parts.find(({ name }) => name === property);
  if (partOfProperty === undefined || found.neutral === undefined) return undefined;
  return {
    ...found,
    request: partOfProperty.copy(found.neutral, found.request),
    parts: found.parts.filter((part) => part !== partOfProperty),
    conditions: found.conditions.filter(({ part }) => part !== property),
  };
}

/** Finds whether a constant value fails only because the store has seen it: any repeated value must fail. */
async function tryKnownValue(found: Explanation, search: Search): Promise<Explanation | undefined> {
  const { ordinary } = search;
  for (const { part: property = '', isRepeated } of found.conditions) {
    const other = isRepeated === true ? withOrdinary(property, found) : undefined;
    const value = other?.request.plant.get(property);
    if (other === undefined || value === undefined) continue;
    const plant = ordinary.plant.with(ID, freshId(2n ** 20n, 2n ** 22n)).with(property, value);
    const { required } = search.contract.newPlant.shape;
    const missing = [...required].find((name) => ![ID, property].includes(name));
    const earlier = compact(
      { one: 'a plant', before: plant },
      missing !== undefined && { one: 'a rejected body', before: plant.without(missing) },
    );
    for (const { one, before } of earlier) {
      const request = precededBy(other.request, templateOf({ ...ordinary, plant: before }), 'other');
      const exchange = await shownOnlyBy(request, other.request, (tried) => search.failingExchange(tried));
      if (exchange === undefined) continue;
      const condition: Condition = {
        phrase: `after ${one} with the same ${property}`,
        property,
        part: 'earlier requests',
        topics: ['known value'],
      };
      return withPreceding(other, shownAfterOthers(request, exchange, [condition], COMPARISONS));
    }
  }
  return undefined;
}

/** Finds whether a header fails only because the store has seen its value, as a key to responses. */
async function tryKnownHeader(found: Explanation, search: Search): Promise<Explanation | undefined> {
  const headers = found.request.template.headers ?? [];
  for (const { name } of found.parts) {
    if (!hasHeader(headers, name.toLowerCase())) continue;
    const condition: Condition = {
      phrase: `with the ${name} of an earlier request`,
      part: name,
      topics: ['known value'],
    };
    const last = await repeated(REPEATS, async () => {
      if ((await search.shows(withHeader(found.request, name, newKey()))) !== false) return undefined;
      const key = newKey();
      const first = withHeader(search.ordinary, name, key);
      const before = [{ template: templateOf(first), exchange: await search.send(first) }];
      const request = withHeader(found.request, name, key);
      const exchange = await search.failingExchange(request);
      return exchange && { ...shownAfterOthers(request, exchange, [condition], REPEATS), before };
    });
    if (last === undefined) return undefined;
    const conditions = found.conditions.filter(({ part }) => part !== name);
    return withPreceding({ ...found, conditions }, last);
  }
  return undefined;
}

const newKey = (): string => `"${randomUUID()}"`;

async function findHistory(probe: SequenceProbe): Promise<Explanation | undefined> {
  const { request, search } = probe;
  const expected = search.expectedOutcomeOf(request);
  const replay = await tryReplay(request, search);
  if (replay !== undefined) return replay;
  const direct =
    expected === 'reject-credential'
      ? ((await trySentAgain(probe)) ?? (await tryAfterOne(probe)) ?? (await trySoonAfter(probe)))
      : ((await tryAfterOne(probe)) ?? (await tryAfterDuplicate(probe)));
  if (direct !== undefined) return direct;
  const atRest = await probe.after(PRECEDING_KINDS.accepted);
  // A failure that needs several predecessors does not show right after an accepted plant.
  if (!atRest.shows) return (await tryAfterMany(probe)) ?? tryOnConnection(request, search);
  if (expected !== 'reject-body' || !hasEarlierValues(atRest)) return undefined;
  const note = 'and answers with values of the previous plant';
  return { ...probe.explanation({ note }, atRest), kind: 'always' };
}

/** Finds whether a wrong token is rejected at first, but accepted when it is sent again. */
async function trySentAgain(probe: SequenceProbe): Promise<Explanation | undefined> {
  const { request, search } = probe;
  if (search.symptom.kind !== 'accepts') return undefined;
  return repeated(REPEATS, async () => {
    const wrong = { ...request, credential: unseenToken() };
    const first = await search.send(wrong);
    if (search.isShown(first, wrong) !== false) return undefined;
    const exchange = await search.send(wrong);
    if (search.isShown(exchange, wrong) !== true) return undefined;
    const before = [{ template: templateOf(wrong), exchange: first }];
    const condition: Condition = { clause: 'the same wrong token was sent before', topics: ['credential'] };
    return { ...probe.explanation(condition, { before, exchange }), request: wrong };
  });
}

/** Whether the response contains values of a preceding plant that the request itself does not contain. */
function hasEarlierValues({ before, exchange }: Sequence): boolean {
  const requestText = bodyText(exchange.request.body);
  const earlier = before.flatMap((one) => valuesIn(one.exchange.request.body));
  const answered = new Set(valuesIn(exchange.response?.body));
  return earlier.some((text) => answered.has(text) && !requestText.includes(text));
}

const valuesIn = (body: Uint8Array | undefined): readonly string[] =>
  Object.values(membersOf(bodyText(body))).flatMap((one) =>
    typeof one === 'string' || typeof one === 'number' ? [String(one)] : [],
  );
