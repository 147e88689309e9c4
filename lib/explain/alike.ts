import { summarise } from '../judge/reading.ts';
import { JsonObject } from '../payloads/json.ts';
import type { RequestState } from '../payloads/model/dimension.ts';
import { nothing } from '../payloads/test-case.ts';
import type { Exchange } from '../wire/exchange.ts';
import type { Circumstance } from './circumstances.ts';
import { bareFinding } from './found.ts';
import type { Lab, Wanted } from './lab.ts';
import { ordinaryStates } from './ordinary.ts';

/** How often each kind of request is sent. */
const TURNS = 3;

/**
 * Finds out whether the store treats all requests alike: a valid one, an invalid one, and one without a token.
 * @throws BudgetSpent
 */
export async function alike(
  lab: Lab,
): Promise<{ readonly wanted: Wanted; readonly found: Circumstance } | undefined> {
  const [ordinary] = ordinaryStates(lab.contract);
  if (ordinary === undefined) return undefined;
  const kinds: readonly RequestState[] = [
    ordinary,
    { ...ordinary, defect: { json: new JsonObject([]) } },
    { ...ordinary, credential: nothing },
  ];
  const exchanges: Exchange[] = [];
  for (let turn = 0; turn < TURNS; turn += 1)
    for (const state of kinds) {
      exchanges.push(await lab.send(state));
      if (new Set(exchanges.map(contentOf)).size > 1) return undefined;
    }
  const [exchange] = exchanges;
  if (exchange === undefined) return undefined;
  const answer =
    exchange.response === undefined ? undefined : summarise(exchange).replace(/ (?=\S+\/)/, ' as ');
  return {
    wanted: {
      words:
        answer === undefined
          ? `answers no request (${exchange.kind === 'broken' ? exchange.fault.kind : ''})`
          : `answers every request with ${answer}`,
      aspect: 'outcome',
    },
    found: {
      ...bareFinding(ordinary, exchange),
      inside: [exchanges.length, exchanges.length],
    },
  };
}

const contentOf = (exchange: Exchange): string =>
  exchange.response === undefined
    ? `none: ${exchange.kind === 'broken' ? exchange.fault.kind : ''}`
    : `${summarise(exchange)}\n${Buffer.from(exchange.response.body).toString('latin1')}`;
