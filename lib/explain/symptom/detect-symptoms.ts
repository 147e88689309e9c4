import { compact } from '../../collections.ts';
import type { Contract } from '../../contract/contract.ts';
import { contentOf, isSuccess, mediaTypes, objectOf } from '../../judge/reading.ts';
import type { ExpectedOutcome } from '../../payloads/test-case.ts';
import type { Exchange, FaultKind, Response } from '../../wire/exchange.ts';
import { echoed, unreadable, wrongBody } from './body.ts';
import { answers, REJECTS, type Symptom, type SymptomKind } from './symptom.ts';

const BROKEN: Partial<Record<FaultKind, Symptom>> = {
  timeout: { kind: 'no-answer', words: 'does not answer' },
  closed: { kind: 'closed', words: 'closes the connection without an answer' },
  'not-http': { kind: 'not-http', words: 'answers with something that is not HTTP' },
};

/** What is wrong with the outcome of an exchange: whether it was answered, and with which status. */
function outcomeSymptom(exchange: Exchange, expected: ExpectedOutcome): Symptom | undefined {
  if (exchange.kind === 'broken') {
    const { fault, response } = exchange;
    if (response === undefined)
      return BROKEN[fault.kind] ?? { kind: 'closed', words: `gives no answer (${fault.kind})` };
    const { status } = response;
    const verb = fault.kind === 'timeout' ? 'does not finish' : 'truncates';
    const words = `${verb} the ${status} response`;
    // If the connection closes, an endless response looks like a truncated one, so both have the same key.
    return { kind: 'incomplete', words, status, groupKey: `incomplete ${status}` };
  }
  const { status, truncated } = exchange.response;
  const symptom = (kind: SymptomKind, words: string): Symptom => ({ kind, words, status });
  if (truncated) return symptom('incomplete', `sends an incomplete ${status} response`);
  if (status >= 500) return symptom('server-error', `answers ${status}`);
  if (mustReject(expected)) {
    const right = expected === 'reject-body' ? 400 : 401;
    return status < 300 ? undefined : symptom('wrong-rejection', `${REJECTS} ${status} instead of ${right}`);
  }
  if (status === 200) return undefined;
  if (status >= 400) return symptom('rejects', `${REJECTS} ${status}`);
  return status < 300 || status === 304
    ? symptom(status === 304 ? 'redirects' : 'wrong-success', `answers ${status} instead of 200`)
    : symptom('redirects', `redirects with ${status} instead of answering 200`);
}

/** The symptom of a success where a rejection was due. */
const acceptance = (response: Response, { error }: Contract): Symptom =>
  response.status === 200 && objectOf(response, error.validate) !== undefined
    ? { kind: 'accepts', words: 'answers 200 with an Error to', isErrorAsSuccess: true }
    : { kind: 'accepts', words: 'accepts' };

/** How a 200 or 400 response differs from the declared one. */
function representationOf(response: Response, contract: Contract): Symptom | undefined {
  const { status } = response;
  if (status !== 200 && status !== 400) return undefined;
  const [type, ...otherTypes] = new Set(mediaTypes(response));
  const content = contentOf(response);
  if (type === undefined)
    return response.body.length === 0
      ? answers(status, 'no-body', 'without a body')
      : answers(status, 'media-type', 'without a Content-Type');
  if (otherTypes.length > 0)
    return answers(status, 'media-type', `with the Content-Types ${[type, ...otherTypes].join(' and ')}`);
  if (type !== 'application/json')
    return answers(status, 'media-type', `with Content-Type ${type.slice(0, 60)}`);
  if (content.kind === 'unreadable') return unreadable(response);
  const { validate } = status === 200 ? contract.plant : contract.error;
  if (validate(content.text, content.value).length === 0) return undefined;
  return wrongBody(status, content, contract);
}

/**
 * Returns all symptoms of an exchange, always in the same words for the same fault. Leaves out what only a
 * rule about details finds, such as an empty message.
 */
export function symptomsOf(
  exchange: Exchange,
  expected: ExpectedOutcome,
  contract: Contract,
): readonly Symptom[] {
  const { kind, response } = exchange;
  const isAccepted = mustReject(expected) && isSuccess(response?.status);
  return compact(
    outcomeSymptom(exchange, expected),
    isAccepted && response && acceptance(response, contract),
    kind === 'answered' && representationOf(response, contract),
    ...(kind === 'answered' && expected === 'accept' ? echoed(exchange, contract) : []),
  );
}

export const mustReject = (expected: ExpectedOutcome): boolean =>
  expected === 'reject-body' || expected === 'reject-credential';
