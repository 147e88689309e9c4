import { ordersOf } from '../../payloads/choose-cases.ts';
import type { JsonObject } from '../../payloads/json.ts';
import type { Candidate, CandidateClass, Sweep } from './candidates.ts';

/** Maximum number of properties whose order is spelled out. */
const MAX_LISTED = 6;

type Order = readonly string[];

/** Tries the properties of a plant in other orders. */
export function orderSweep(plant: JsonObject): Sweep {
  const names = plant.members.map(([name]) => name);
  const isLong = names.length > MAX_LISTED;
  const listed = isLong ? [] : names;
  const classes = [
    ...names.flatMap((name) => [notFirst(name), notLast(name)]),
    ...names.flatMap((name) => [first(name), last(name)]),
    ...names.flatMap((name) =>
      names.filter((other) => other !== name).map((other) => comesBefore(name, other)),
    ),
    classOf(
      isLong
        ? 'the properties are in another order'
        : `the properties are not in the order ${names.join(', ')}`,
      (order) => order.join() !== names.join(),
      { otherProperties: listed },
    ),
  ];
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
        apply: (request) => ({ ...request, plant: request.plant.inOrder(order) }),
        classes: classes.flatMap(({ id, has }) => (has(order) ? [id] : [])),
      };
    }),
    classes,
  };
}

const classOf = (
  clause: string,
  has: (order: Order) => boolean,
  about: CandidateClass['condition'],
): CandidateClass & { readonly has: (order: Order) => boolean } => ({
  id: clause,
  condition: { clause, ...about, hasOrder: has },
  has,
});

const about = (property: string, ...otherProperties: string[]): CandidateClass['condition'] => ({
  statement: { property, is: 'described' },
  otherProperties,
});

const first = (name: string) =>
  classOf(`${name} is the first property`, (order) => order[0] === name, about(name));
const last = (name: string) =>
  classOf(`${name} is the last property`, (order) => order.at(-1) === name, about(name));
const notFirst = (name: string) =>
  classOf(`${name} is not the first property`, (order) => order[0] !== name, about(name));
const notLast = (name: string) =>
  classOf(`${name} is not the last property`, (order) => order.at(-1) !== name, about(name));
const comesBefore = (name: string, other: string) =>
  classOf(
    `${name} comes before ${other}`,
    (order) => order.indexOf(name) < order.indexOf(other),
    about(name, other),
  );
