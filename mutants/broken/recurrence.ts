import { Numeral, type Value } from '../../reference/json.ts';
import { type Answer, json, type Received } from '../../reference/store.ts';
import { type BrokenStore, broken, type Change } from '../fleet.ts';
import { cutting, every, failing, overlapping, seenBefore, unique, withFreshState } from '../helpers.ts';

const failure = json(500, { error: 500, message: 'simulated' });

/** Takes the records of rejected plants from a pool without emptying them. */
const keepingValues = withFreshState((): Change => {
  let record = new Map<string, Value>();
  return (right) => ({
    validate(value, request) {
      if (!(value instanceof Map)) return right.validate(value, request);
      for (const [name, own] of value)
        if (typeof own === 'string' || own instanceof Numeral) record.set(name, own);
      const plant = right.validate(new Map([...record, ...value]), request);
      record = new Map();
      return plant;
    },
  });
});

/** Faults that recur differently: a report must not claim more about recurrence than was tried. */
export const recurrence: readonly BrokenStore[] = [
  broken(
    'again-always',
    '500 if the name contains a hyphen',
    ['ordinary/accepts-names-of-many-kinds', 'ordinary/accepts-any-plant'],
    failing(({ name }) => name.includes('-')),
  ),
  broken(
    'again-known-id',
    '500 if the name contains a hyphen, and 409 if the id exists',
    ['ordinary/accepts-names-of-many-kinds', 'ordinary/accepts-any-plant'],
    (right) => {
      const known = unique(({ id }) => id)(right);
      return {
        ...known,
        create(plant, request) {
          const answer = known.create?.(plant, request) ?? right.create(plant, request);
          return answer.status === 200 && plant.name.includes('-') ? failure : answer;
        },
      };
    },
  ),
  broken(
    'again-with-tag',
    '500 to a plant with a tag if one with the same id exists without a tag',
    ['combinations/answers-unconstrained-plants'],
    withFreshState(() => {
      const tagless = new Set<bigint>();
      return failing(({ id, fields }) => {
        if (id === undefined) return false;
        if (!fields.has('tag')) tagless.add(id);
        return fields.has('tag') && tagless.has(id);
      });
    }),
  ),
  broken(
    'again-key',
    'repeats the 200 to an Idempotency-Key that it knows, whatever the body: it stores the response, not the request',
    ['combinations/rejects-invalid-bodies', 'state/answers-any-sequence'],
    withFreshState(() => {
      const answers = new Map<string, Answer>();
      const keyOf = (request: Received) => request.headers['idempotency-key']?.[0] ?? '';
      return (right) => ({
        create(plant, request) {
          const answer = right.create(plant, request);
          if (keyOf(request) !== '') answers.set(keyOf(request), answer);
          return answer;
        },
        reject: (rejection, request) =>
          (rejection.status === 400 ? answers.get(keyOf(request)) : undefined) ??
          right.reject(rejection, request),
      });
    }),
  ),
  broken(
    'again-known-id-cut',
    'closes the connection on an id that exists, as after an exception of the database',
    ['invariants/answers'],
    withFreshState(() => cutting(seenBefore(({ id }) => id))),
  ),
  broken(
    'again-values-of-rejected',
    'keeps the right values of a rejected plant for properties that the next one lacks',
    ['invalid/rejects-missing-property'],
    keepingValues,
  ),
  broken(
    'again-17th-id',
    '500 if the id is a multiple of 17',
    ['ordinary/accepts-any-plant'],
    failing(({ id }) => id !== undefined && id % 17n === 0n),
  ),
  broken(
    'again-one-in-20',
    '500 to one request in 20, whatever it contains',
    ['ordinary/accepts-any-plant'],
    withFreshState(() => failing(every(20))),
  ),
  broken(
    'again-crowded',
    '500 while more than four requests are in progress',
    ['ordinary/accepts-any-plant', 'ordinary/accepts-concurrent-requests'],
    overlapping(4, (here) => failing(() => here() > 4)),
  ),
  broken(
    'again-never',
    '500 to the 100th plant with a plain name, and to no other',
    ['invariants/no-server-error'],
    withFreshState(() => {
      let count = 0;
      return failing(({ name }) => {
        // Any check may send the 100th request, and its response must be one that is judged.
        if (!/^[A-Za-z][A-Za-z ]*$/.test(name)) return false;
        count += 1;
        return count === 100;
      });
    }),
  ),
];
