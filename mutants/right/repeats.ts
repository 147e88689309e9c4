import { packageFile } from '../../lib/package.ts';
import { Numeral } from '../../reference/json.ts';
import { type Answer, json, type NewPlant, type Received, Refusal } from '../../reference/store.ts';
import { type Change, type RightStore, right } from '../fleet.ts';
import { anew, answering, deferring, html, later, unique } from '../helpers.ts';

const taken = (status: number) => json(status, { error: status, message: 'there is such a plant already' });

const slug = (name: string) =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');

/** What a second plant with an id gets depends on the first one. */
const second = (answer: (first: NewPlant, plant: NewPlant, said: Answer) => Answer): Change =>
  anew(() => {
    const plants = new Map<bigint, { plant: NewPlant; said: Answer }>();
    return answering((said, plant) => {
      const first = plants.get(plant.id);
      if (first !== undefined) return answer(first.plant, plant, first.said);
      plants.set(plant.id, { plant, said });
      return said;
    });
  });

/** A plant that is accepted is answered like an earlier one with the same key. */
const replaying = (key: (request: Received) => string | undefined): Change =>
  anew(() => {
    const answers = new Map<string, Answer>();
    return answering((said, _plant, request) => {
      const under = key(request);
      if (under === undefined) return said;
      const kept = answers.get(under);
      if (kept !== undefined) return { ...kept, headers: { ...kept.headers, 'idempotent-replayed': 'true' } };
      answers.set(under, said);
      return said;
    });
  });

/** An id or name that was in a rejected plant is used up as well: "a fresh id (never sent before)". */
const burning = (property: 'id' | 'name', status: number): Change =>
  anew(() => {
    const seen = new Set<string>();
    return (reference) => ({
      validate(value, request) {
        const said = value instanceof Map ? value.get(property) : undefined;
        const key = said instanceof Numeral ? said.text : typeof said === 'string' ? said : undefined;
        const used = key !== undefined && seen.has(key);
        if (key !== undefined) seen.add(key);
        const plant = reference.validate(value, request);
        if (used) throw new Refusal(status, status, `the ${property} has been used`);
        return plant;
      },
    });
  });

/** What becomes of a second plant with an id, or a name: uniqueness is not shown. */
export const repeats: readonly RightStore[] = [
  right(
    'unique-names-normalised',
    'a name that is taken gets 409, compared in small letters, in compatible normal form, with white space collapsed',
    unique(({ name }) => name.normalize('NFKD').toLowerCase().replace(/\s+/g, ' ').trim()),
  ),
  right(
    'unique-slugs-400',
    'a name with the slug of another gets 400: letters and digits alone count',
    unique(({ name, id }) => slug(name) || `plant-${id}`, 400),
  ),
  right(
    'unique-names-and-tags-422',
    'a name and tag that are taken together get 422',
    unique(({ name, tag }) => JSON.stringify([name, tag]), 422),
  ),
  right(
    'unique-double-ids',
    'ids are kept as doubles: one that rounds to another gets 409, which only ids beyond 2^53 do',
    unique(({ id }) => Number(id)),
  ),
  right('unique-ids-html', 'an id that is taken gets 409 in HTML: only a 400 is an Error', (reference) => ({
    ...unique(({ id }) => id)(reference),
    send: (answer, response, request) =>
      reference.send(answer.status === 409 ? html(409, 'Conflict') : answer, response, request),
  })),
  right(
    'idempotent-ids',
    'the same plant with the same id gets its 200 again; another one with that id gets 409',
    second((first, plant, said) =>
      first.name === plant.name && first.tag === plant.tag ? said : taken(409),
    ),
  ),
  right(
    'idempotent-ids-400',
    'the same plant with the same id gets its 200 again; another one with that id gets 400',
    second((first, plant, said) =>
      first.name === plant.name && first.tag === plant.tag ? said : taken(400),
    ),
  ),
  right(
    'first-plant-stays',
    'a second plant with an id gets 200 and the first one: that a name comes back equal is a SHOULD',
    second((_first, _plant, said) => said),
  ),
  right(
    'existing-303',
    'a second plant with an id gets 303 to the first one',
    second(({ id }) => ({ status: 303, headers: { location: `/plants/${id}` } })),
  ),
  right(
    'idempotency-key',
    'a plant with the Idempotency-Key of an earlier one gets the answer to that one: "header parameters: None"',
    replaying(({ headers }) => headers['idempotency-key']?.[0]),
  ),
  right(
    'idempotency-key-422',
    'an Idempotency-Key with another body than before gets 422',
    anew(() => {
      const bodies = new Map<string, string>();
      return (reference) => ({
        negotiate(request) {
          reference.negotiate(request);
          const key = request.headers['idempotency-key']?.[0];
          if (key === undefined) return;
          const body = request.body.toString('latin1');
          if ((bodies.get(key) ?? body) !== body) throw new Refusal(422, 422, 'the key has another request');
          bodies.set(key, body);
        },
      });
    }),
  ),
  right(
    'same-bytes-same-answer',
    'the same bytes under the same content type get the answer of the first',
    replaying(({ body, headers }) => `${headers['content-type']} ${body.toString('latin1')}`),
  ),
  right(
    'same-bytes-429',
    'the same bytes as one of the last 5 requests get 429 with Retry-After: 0, once: a double click',
    deferring(
      429,
      () => '0',
      () => {
        const recent: string[] = [];
        return ({ body, headers }) => {
          const bytes = `${headers.authorization} ${headers['content-type']} ${body.toString('latin1')}`;
          if (body.length < 20) return false;
          const at = recent.indexOf(bytes);
          if (at >= 0) recent.splice(at, 1);
          else recent.push(bytes);
          if (recent.length > 5) recent.shift();
          return at >= 0;
        };
      },
    ),
  ),
  right(
    'ids-locked-423',
    'while a plant is under way, a second one with its id gets 423; afterwards it is accepted',
    anew(() => {
      const held = new Map<bigint, Received['message']>();
      return (reference) => ({
        validate(value, request) {
          const plant = reference.validate(value, request);
          if (held.has(plant.id)) throw new Refusal(423, 423, 'such a plant is being created');
          held.set(plant.id, request.message);
          return plant;
        },
        async send(answer, response, request) {
          await later(5);
          for (const [id, by] of held) if (by === request.message) held.delete(id);
          reference.send(answer, response, request);
        },
      });
    }),
  ),
  right(
    'ids-used-once',
    'an id that was in a rejected plant gets 409: no fresh id was ever sent',
    burning('id', 409),
  ),
  right(
    'names-used-once-400',
    'a name that was in a rejected plant gets 400: no fresh name was ever sent',
    burning('name', 400),
  ),
  {
    ...right(
      'unique-names-of-three-capitals',
      'names are three capitals, each of the 17,576 once: one that is taken gets 409',
      (reference) => {
        const once = unique(({ name }) => name)(reference);
        return {
          ...once,
          validate(value, request) {
            const plant = reference.validate(value, request);
            if (!/^[A-Z]{3}$/.test(plant.name)) throw new Refusal(400, 10, 'a name is three capitals');
            return plant;
          },
        };
      },
    ),
    overlays: [packageFile('mutants/overlays/three-capitals.yaml')],
  },
];
