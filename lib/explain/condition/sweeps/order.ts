import { ordersOf } from '../../../payloads/choose-cases.ts';
import type { JsonObject } from '../../../payloads/json.ts';
import type { Candidate, CandidateClass, Sweep } from '../candidates.ts';

/** Orders of the properties of a plant. */
export function orderSweep(plant: JsonObject): Sweep {
  const names = plant.members.map(([name]) => name);
  const candidates = ordersOf(plant.members).map((members): Candidate => {
    const order = members.map(([name]) => name);
    return {
      value: order.join(', '),
      words: { clause: `the properties are in the order ${order.join(', ')}` },
      apply: (state) => ({ ...state, plant: state.plant.inOrder(order) }),
      classes: [
        ...(order.join() === names.join() ? [] : ['another']),
        ...order.flatMap((name, index) => [
          index === 0 ? `${name} first` : `${name} not first`,
          index === order.length - 1 ? `${name} last` : `${name} not last`,
          ...order.slice(index + 1).map((later) => `${name} before ${later}`),
        ]),
      ],
    };
  });
  const of = (id: string, clause: string): CandidateClass => ({
    id,
    words: { clause },
    group: 'property order',
  });
  return {
    part: 'property order',
    candidates,
    classes: [
      ...names.flatMap((name) => [
        of(`${name} not first`, `${name} is not the first property`),
        of(`${name} not last`, `${name} is not the last property`),
      ]),
      ...names.flatMap((name) => [
        of(`${name} first`, `${name} is the first property`),
        of(`${name} last`, `${name} is the last property`),
      ]),
      ...names.flatMap((name) =>
        names
          .filter((other) => other !== name)
          .map((other) => of(`${name} before ${other}`, `${name} comes before ${other}`)),
      ),
      of('another', `the properties are not in the order ${names.join(', ')}`),
    ],
  };
}
