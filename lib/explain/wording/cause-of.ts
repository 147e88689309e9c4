import { templateOf } from '../../payloads/model/dimension.ts';
import type { Check } from '../../run/check.ts';
import type { Cause } from '../../run/result/cause.ts';
import { type Cluster, levelOf } from '../cluster.ts';
import type { Explanation } from '../explanation.ts';
import { adviceFor } from './advice.ts';
import { sentenceOf } from './title.ts';

/** Words a cluster. */
export function causeOf(cluster: Cluster, catalogue: readonly Check[]): Cause {
  const { sought, ofSeveral = sought, found, members, also = [] } = cluster;
  const { title, condition } = sentenceOf(ofSeveral, found.subject, found.conditions);
  const ids = new Set(members.map(({ check }) => check.id));
  return {
    title: [title, ...also].join('; also '),
    level: levelOf(cluster),
    symptom: sought.words,
    condition,
    kind: found.kind,
    confirmed: { inside: found.inside, outside: found.outside },
    checks: catalogue.flatMap(({ id }) => (ids.has(id) ? [id] : [])),
    advice: adviceFor(sought, found, members),
    example: exampleOf(found),
    matters: found.parts.map(({ name }) => name),
    ladders: found.ladders,
    repeat: found.repeat,
    modulus: found.modulus,
  };
}

function exampleOf({ template, state, exchange, before = [] }: Explanation): Cause['example'] {
  const own = template ?? templateOf(state);
  const { preceding } = exchange;
  if (own.preceding === undefined || preceding === undefined) return { template: own, exchange, before };
  const { template: earlier, connection } = own.preceding;
  return {
    template: own,
    exchange,
    before: [...before, { template: earlier, exchange: preceding, connection }],
  };
}
