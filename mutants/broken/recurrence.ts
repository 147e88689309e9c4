import { json } from '../../reference/store.ts';
import { type BrokenStore, broken } from '../fleet.ts';
import { anew, crowded, every, failing, unique } from '../helpers.ts';

const failure = json(500, { error: 500, message: 'simulated' });

/** Faults that differ in when they come again: a report must not say more of that than was tried. */
export const recurrence: readonly BrokenStore[] = [
  broken(
    'again-always',
    'no answer is 5xx: 500 to every name with a hyphen',
    ['create/takes-names-of-many-kinds', 'create/takes-any-ordinary-plant'],
    failing(({ name }) => name.includes('-')),
  ),
  broken(
    'again-known-id',
    'no answer is 5xx: 500 to every name with a hyphen, and 409 to an id that is taken',
    ['create/takes-names-of-many-kinds', 'create/takes-any-ordinary-plant'],
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
    'again-17th-id',
    'no answer is 5xx: 500 to every id that 17 divides',
    ['create/takes-any-ordinary-plant'],
    failing(({ id }) => id !== undefined && id % 17n === 0n),
  ),
  broken(
    'again-one-in-20',
    'no answer is 5xx: 500 to one request in 20, whatever it is',
    ['create/takes-any-ordinary-plant'],
    anew(() => failing(every(20))),
  ),
  broken(
    'again-crowded',
    'plants are created at once: 500 where more than four are under way',
    ['create/takes-any-ordinary-plant', 'create/takes-many-at-once'],
    crowded(4, (here) => failing(() => here() > 4)),
  ),
  broken(
    'again-never',
    'no answer is 5xx: 500 to the 700th request alone',
    ['always/no-server-error'],
    anew(() => {
      let count = 0;
      return failing(() => {
        count += 1;
        return count === 700;
      });
    }),
  ),
];
