import type { Contract } from '../../contract/contract.ts';
import { contentOf, mediaTypes } from '../../judge/reading.ts';
import type { Aspect } from '../../judge/rules.ts';
import type { Exchange, FaultKind, Response } from '../../wire/exchange.ts';
import { describeBody } from './body.ts';
import { echoed } from './echo.ts';

/** What has to become of a request. `open`: the interface does not say. */
export type Role = 'accept' | 'reject-body' | 'reject-credential' | 'open';

/** Whether a request with such a role has to be rejected. */
export const isRejected = (role: Role): boolean => role === 'reject-body' || role === 'reject-credential';

/** What is wrong with a response, in words that begin a title: `answers 500`, `returns name as null`. */
export interface Symptom {
  readonly words: string;
  readonly aspect: Aspect;
  /** What a fault that shows in several ways has in common; by default the words. */
  readonly family?: string;
  /** Neither was the request accepted, nor did anything go wrong on the way: the store rejected a valid plant. */
  readonly isRejection?: true;
}

/** The symptom that takes longest to see. */
export const NO_ANSWER = 'does not answer';

export const NOT_HTTP = 'answers with something that is not HTTP';

const BROKEN: Partial<Record<FaultKind, string>> = {
  timeout: NO_ANSWER,
  closed: 'closes the connection without an answer',
  'not-http': NOT_HTTP,
};

/** What is wrong with the outcome of an exchange: whether and with which status it was answered. */
function outcomeOf(exchange: Exchange, role: Role): Symptom | undefined {
  const symptom = (words: string): Symptom => ({ words, aspect: 'outcome' });
  const { response } = exchange;
  if (exchange.kind === 'broken')
    return symptom(
      response === undefined
        ? (BROKEN[exchange.fault.kind] ?? `gives no answer (${exchange.fault.kind})`)
        : `breaks off the response (${response.status})`,
    );
  const { status, truncated } = exchange.response;
  if (truncated) return symptom(`sends an incomplete response (${status})`);
  if (status >= 500) return symptom(`answers ${status}`);
  if (isRejected(role))
    return status < 300
      ? undefined
      : symptom(`rejects with ${status} instead of ${role === 'reject-body' ? 400 : 401}`);
  if (status === 200) return undefined;
  if (status >= 400) return { ...symptom(`rejects with ${status}`), isRejection: true };
  return symptom(
    status < 300 ? `answers ${status} instead of 200` : `redirects with ${status} instead of answering 200`,
  );
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** How a 200 or 400 differs from the declared one. */
function representationOf(response: Response, contract: Contract): Symptom | undefined {
  const { status } = response;
  if (status !== 200 && status !== 400) return undefined;
  const symptom = (words: string): Symptom => ({ words, aspect: 'representation' });
  const types = [...new Set(mediaTypes(response))];
  const content = contentOf(response);
  if (types.length === 0)
    return symptom(`answers ${status} ${isEmpty(response) ? 'without a body' : 'without a Content-Type'}`);
  if (types.length > 1) return symptom(`answers ${status} with the Content-Types ${types.join(' and ')}`);
  if (types[0] !== 'application/json')
    return symptom(`answers ${status} with Content-Type ${types[0]?.slice(0, 60)}`);
  const validate = status === 200 ? contract.plant.validate : contract.error.validate;
  if (content.kind === 'json' && validate(content.text, content.value).length === 0) return undefined;
  const words = describeBody(response, content, contract);
  // How broken a text is depends on its content.
  return content.kind === 'unreadable' && response.body.length > 0
    ? { ...symptom(words), family: `unreadable ${status}` }
    : symptom(words);
}

const isEmpty = ({ body }: Response) => body.length === 0;

/**
 * Everything that is wrong with a response, the same in words for responses that are wrong in the same way.
 * Rules about details (such as an empty message) are left to the checks that have them.
 */
export function symptomsOf(exchange: Exchange, role: Role, contract: Contract): readonly Symptom[] {
  const { response } = exchange;
  const found: (Symptom | undefined)[] = [outcomeOf(exchange, role)];
  if (response !== undefined) {
    if (isRejected(role) && isSuccess(response.status)) found.push({ words: 'accepts', aspect: 'success' });
    if (exchange.kind === 'answered') {
      found.push(representationOf(response, contract));
      if (role === 'accept') found.push(...echoed(exchange, contract));
    }
  }
  return found.filter((one) => one !== undefined);
}

/** Names a symptom: the same for responses that are wrong in the same way. */
export const keyOf = ({ words, family = words }: Pick<Symptom, 'words' | 'family'>): string => family;
