import { packageFile } from '../../lib/package.ts';
import { Numeral } from '../../reference/json.ts';
import { type Answer, type NewPlant, type Received, Rejection } from '../../reference/store.ts';
import { type Change, type RightStore, right } from '../fleet.ts';
import {
  answering,
  conflict,
  deferring,
  html,
  later,
  sending,
  together,
  unique,
  withFreshState,
} from '../helpers.ts';

const slug = (name: string) =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');

/** The response to a second plant with the same id depends on the first one. */
const second = (answer: (first: NewPlant, plant: NewPlant, response: Answer) => Answer): Change =>
  withFreshState(() => {
    const plants = new Map<bigint, { plant: NewPlant; response: Answer }>();
    return answering((response, plant) => {
      const first = plants.get(plant.id);
      if (first !== undefined) return answer(first.plant, plant, first.response);
      plants.set(plant.id, { plant, response });
      return response;
    });
  });

/** Repeats the response to an earlier accepted plant with the same key. */
const replaying = (key: (request: Received) => string | undefined): Change =>
  withFreshState(() => {
    const answers = new Map<string, Answer>();
    return answering((response, _plant, request) => {
      const under = key(request);
      if (under === undefined) return response;
      const kept = answers.get(under);
      if (kept !== undefined) return { ...kept, headers: { ...kept.headers, 'idempotent-replayed': 'true' } };
      answers.set(under, response);
      return response;
    });
  });

/** An id or name in a rejected plant is used up as well: "a fresh id (never sent before)". */
const burning = (property: 'id' | 'name', status: number): Change =>
  withFreshState(() => {
    const seen = new Set<string>();
    return (reference) => ({
      validate(value, request) {
        const given = value instanceof Map ? value.get(property) : undefined;
        const key = given instanceof Numeral ? given.text : typeof given === 'string' ? given : undefined;
        const used = key !== undefined && seen.has(key);
        if (key !== undefined) seen.add(key);
        const plant = reference.validate(value, request);
        if (used) throw new Rejection(status, status, `the ${property} has already been used`);
        return plant;
      },
    });
  });

/** Stores with an unusual response to a second plant with the same id or name: uniqueness is unspecified. */
export const repeats: readonly RightStore[] = [
  right(
    'unique-names-normalised',
    '409 if the name exists, compared in lower case and NFKD with white space collapsed',
    unique(({ name }) => name.normalize('NFKD').toLowerCase().replace(/\s+/g, ' ').trim()),
  ),
  right(
    'unique-slugs-400',
    '400 if the slug of the name exists: only letters and digits count',
    unique(({ name, id }) => slug(name) || `plant-${id}`, 400),
  ),
  right(
    'unique-names-and-tags-422',
    '422 if the combination of name and tag exists',
    unique(({ name, tag }) => JSON.stringify([name, tag]), 422),
  ),
  right(
    'unique-double-ids',
    'stores ids as doubles: 409 if the rounded id exists, which happens only beyond 2^53',
    unique(({ id }) => Number(id)),
  ),
  right(
    'unique-ids-html',
    '409 in HTML if the id exists: only a 400 has to be an Error',
    together(
      unique(({ id }) => id),
      sending((answer) => (answer.status === 409 ? html(409, 'Conflict') : answer)),
    ),
  ),
  right(
    'idempotent-ids',
    'repeats the 200 for the same plant with the same id; 409 for another plant with that id',
    second((first, plant, response) =>
      first.name === plant.name && first.tag === plant.tag ? response : conflict(409),
    ),
  ),
  right(
    'idempotent-ids-400',
    'repeats the 200 for the same plant with the same id; 400 for another plant with that id',
    second((first, plant, response) =>
      first.name === plant.name && first.tag === plant.tag ? response : conflict(400),
    ),
  ),
  right(
    'first-plant-stays',
    'answers a second plant with the same id with 200 and the first plant: echoing the name is a SHOULD',
    second((_first, _plant, response) => response),
  ),
  right(
    'existing-303',
    'redirects a second plant with the same id to the first with 303',
    second(({ id }) => ({ status: 303, headers: { location: `/plants/${id}` } })),
  ),
  right(
    'idempotency-key',
    'repeats the response to an earlier plant with the same Idempotency-Key: "header parameters: None"',
    replaying(({ headers }) => headers['idempotency-key']?.[0]),
  ),
  right(
    'idempotency-key-422',
    '422 if an Idempotency-Key is reused with another body',
    withFreshState(() => {
      const bodies = new Map<string, string>();
      return (reference) => ({
        negotiate(request) {
          reference.negotiate(request);
          const key = request.headers['idempotency-key']?.[0];
          if (key === undefined) return;
          const body = request.body.toString('latin1');
          if ((bodies.get(key) ?? body) !== body)
            throw new Rejection(422, 422, 'the key belongs to another request');
          bodies.set(key, body);
        },
      });
    }),
  ),
  right(
    'same-bytes-same-answer',
    'repeats the response to the same bytes with the same content type',
    replaying(({ body, headers }) => `${headers['content-type']} ${body.toString('latin1')}`),
  ),
  right(
    'same-bytes-429',
    '429 with Retry-After: 0, once, if the same bytes were among the last 5 requests: a double click',
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
    '423 while another plant with the same id is being created; accepts it afterwards',
    withFreshState(() => {
      const held = new Map<bigint, Received['message']>();
      return (reference) => ({
        validate(value, request) {
          const plant = reference.validate(value, request);
          if (held.has(plant.id)) throw new Rejection(423, 423, 'such a plant is being created');
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
    '409 if the id was in a rejected plant: no fresh id is affected',
    burning('id', 409),
  ),
  right(
    'names-used-once-400',
    '400 if the name was in a rejected plant: no fresh name is affected',
    burning('name', 400),
  ),
  {
    ...right(
      'unique-names-of-three-capitals',
      'accepts names of three capitals, each of the 17,576 once: 409 if the name exists',
      (reference) => {
        const once = unique(({ name }) => name)(reference);
        return {
          ...once,
          validate(value, request) {
            const plant = reference.validate(value, request);
            if (!/^[A-Z]{3}$/.test(plant.name))
              throw new Rejection(400, 10, 'a name consists of three capitals');
            return plant;
          },
        };
      },
    ),
    overlays: [packageFile('mutants/overlays/three-capitals.yaml')],
  },
];
