import { describeExchange } from '../../judge/reading.ts';
import { JsonObject } from '../../payloads/json.ts';
import type { ModelRequest } from '../../payloads/model/model-request.ts';
import { noCredential } from '../../payloads/test-case.ts';
import { type Exchange, isTimeout } from '../../wire/exchange.ts';
import { bareExplanation } from '../explanation/explanation.ts';
import type { Symptom } from '../symptom/symptom.ts';
import { TRUNCATED } from '../values/defects.ts';
import type { RunWideCauseFinder } from './run-wide-cause.ts';

/** Repetitions for each kind of request; fewer if requests time out. */
const ROUNDS = 3;
const ROUNDS_IF_SLOW = 1;

/** Finds whether the store treats all requests alike: it has a single fault, whatever the checks say. */
export const findSameForAll: RunWideCauseFinder = async (failures, experiments) => {
  const { ordinary } = experiments;
  const authorised: readonly ModelRequest[] = [
    ordinary,
    // Sent twice, since the preceding request may matter.
    ordinary,
    { ...ordinary, defect: { json: new JsonObject([]) } },
    { ...ordinary, defect: TRUNCATED },
  ];
  const exchanges: Exchange[] = [];
  let rounds = ROUNDS;
  for (let round = 0; round < rounds; round += 1)
    for (const request of authorised) {
      const exchange = await experiments.send(request);
      exchanges.push(exchange);
      if (new Set(exchanges.map(responseText)).size > 1) return undefined;
      if (isTimeout(exchange)) rounds = ROUNDS_IF_SLOW;
    }
  const [exchange] = exchanges;
  if (exchange === undefined) return undefined;
  const other = await experiments.send({ ...ordinary, credential: noCredential });
  const authenticates = responseText(other) !== responseText(exchange);
  const whom = authenticates ? 'request with a valid token' : 'request';
  return {
    symptom: symptomOf(exchange, whom),
    explanation: { ...bareExplanation(ordinary, exchange), inside: [exchanges.length, exchanges.length] },
    members: failures.filter(
      ({ failure }) => !authenticates || experiments.expectedOutcomeOfSent(failure) !== 'reject-credential',
    ),
  };
};

export function symptomOf(exchange: Exchange, whom: string): Symptom {
  if (exchange.response === undefined) return { kind: 'none-for-all', words: noAnswerWords(exchange, whom) };
  return {
    kind: 'same-for-all',
    words: `answers every ${whom} with ${describeExchange(exchange).replace(/ (?=\w[\w.+-]*\/\w)/, ' as ')}${exchange.response.truncated ? ' and an incomplete body' : ''}`,
    status: exchange.response.status,
  };
}

function noAnswerWords(exchange: Exchange, whom: string): string {
  const kind = exchange.kind === 'broken' ? exchange.fault.kind : undefined;
  const isAll = whom === 'request';
  if (kind === 'closed')
    return isAll
      ? 'closes every connection without an answer'
      : `closes the connection without an answer to every ${whom}`;
  if (kind === 'timeout') return isAll ? 'never answers' : `does not answer any ${whom}`;
  return `answers no ${whom} (${kind ?? ''})`;
}

const responseText = (exchange: Exchange): string =>
  exchange.response === undefined
    ? `none: ${exchange.kind === 'broken' ? exchange.fault.kind : ''}`
    : `${describeExchange(exchange)}\n${Buffer.from(exchange.response.body).toString('latin1')}`;
