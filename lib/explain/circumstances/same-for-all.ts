import { summarise } from '../../judge/reading.ts';
import { JsonObject } from '../../payloads/json.ts';
import type { RequestState } from '../../payloads/model/dimension.ts';
import { noCredential } from '../../payloads/test-case.ts';
import type { Exchange } from '../../wire/exchange.ts';
import type { CheckFailure, Cluster } from '../cluster.ts';
import type { Experiments } from '../experiments.ts';
import { bareExplanation } from '../explanation.ts';
import type { Symptom } from '../symptom/symptom.ts';

/** How often each kind of request is sent, and one that is not answered. */
const [TURNS, SLOW_TURNS] = [3, 1];

/**
 * Finds out whether the store treats all requests alike: valid ones, invalid ones, and perhaps those without a token.
 * Such a store has one fault, whatever the checks say.
 */
export async function sameForAll(
  failures: readonly CheckFailure[],
  experiments: Experiments,
): Promise<Cluster | undefined> {
  const { ordinary } = experiments;
  const authorised: readonly RequestState[] = [
    ordinary,
    // Once more, as what comes before may matter.
    ordinary,
    { ...ordinary, defect: { json: new JsonObject([]) } },
    { ...ordinary, defect: { corrupt: (text) => text.slice(0, -1) } },
  ];
  const exchanges: Exchange[] = [];
  let turns = TURNS;
  for (let turn = 0; turn < turns; turn += 1)
    for (const state of authorised) {
      const exchange = await experiments.send(state);
      exchanges.push(exchange);
      if (new Set(exchanges.map(contentOf)).size > 1) return undefined;
      if (exchange.kind === 'broken' && exchange.fault.kind === 'timeout') turns = SLOW_TURNS;
    }
  const [exchange] = exchanges;
  if (exchange === undefined) return undefined;
  const other = await experiments.send({ ...ordinary, credential: noCredential });
  const authenticates = contentOf(other) !== contentOf(exchange);
  const whom = authenticates ? 'request with a valid token' : 'request';
  return {
    sought: symptomOf(exchange, whom),
    found: { ...bareExplanation(ordinary, exchange), inside: [exchanges.length, exchanges.length] },
    members: failures.filter(
      ({ failure }) => !authenticates || experiments.expectedOutcomeOfSent(failure) !== 'reject-credential',
    ),
  };
}

function symptomOf(exchange: Exchange, whom: string): Symptom {
  if (exchange.response === undefined)
    return {
      kind: 'none-for-all',
      words: `answers no ${whom} (${exchange.kind === 'broken' ? exchange.fault.kind : ''})`,
    };
  return {
    kind: 'same-for-all',
    words: `answers every ${whom} with ${summarise(exchange).replace(/ (?=\S+\/)/, ' as ')}${exchange.response.truncated ? ' and an incomplete body' : ''}`,
    status: exchange.response.status,
  };
}

const contentOf = (exchange: Exchange): string =>
  exchange.response === undefined
    ? `none: ${exchange.kind === 'broken' ? exchange.fault.kind : ''}`
    : `${summarise(exchange)}\n${Buffer.from(exchange.response.body).toString('latin1')}`;
