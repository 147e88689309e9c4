import { ordersOf } from '../../../payloads/choose-cases.ts';
import type { JsonObject } from '../../../payloads/json.ts';
import type { Candidate, CandidateClass, Sweep } from '../candidates.ts';

/** Maximum number of properties whose order is spelled out. */
const MAX_LISTED = 6;

export function orderSweep(plant: JsonObject): Sweep {
  const names = plant.members.map(([name]) => name);
  const first = (name: string) => `${name} is the first property`;
  const last = (name: string) => `${name} is the last property`;
  const notFirst = (name: string) => `${name} is not the first property`;
  const notLast = (name: string) => `${name} is not the last property`;
  const before = (name: string, other: string) => `${name} comes before ${other}`;
  const isLong = names.length > MAX_LISTED;
  const another = isLong
    ? 'the properties are in another order'
    : `the properties are not in the order ${names.join(', ')}`;
  const listed = isLong ? [] : names;
  const classOf = (clause: string, property: string, ...otherProperties: string[]): CandidateClass => ({
    id: clause,
    condition: { clause, statement: { property, is: 'described' }, otherProperties },
  });
  return {
    part: 'property order',
    candidates: ordersOf(plant.members).map((members): Candidate => {
      const order = members.map(([name]) => name);
      return {
        value: order.join(', '),
        condition: {
          clause: isLong
            ? 'the properties are in certain orders'
            : `the properties are in the order ${order.join(', ')}`,
          otherProperties: listed,
        },
        apply: (state) => ({ ...state, plant: state.plant.inOrder(order) }),
        classes: [
          ...(order.join() === names.join() ? [] : [another]),
          ...order.flatMap((name, index) => [
            index === 0 ? first(name) : notFirst(name),
            index === order.length - 1 ? last(name) : notLast(name),
            ...order.slice(index + 1).map((later) => before(name, later)),
          ]),
        ],
      };
    }),
    classes: [
      ...names.flatMap((name) => [notFirst, notLast].map((clauseOf) => classOf(clauseOf(name), name))),
      ...names.flatMap((name) => [first, last].map((clauseOf) => classOf(clauseOf(name), name))),
      ...names.flatMap((name) =>
        names.filter((other) => other !== name).map((other) => classOf(before(name, other), name, other)),
      ),
      { id: another, condition: { clause: another, otherProperties: listed } },
    ],
  };
}
