import type { Contract } from '../../contract/contract.ts';
import { contentOf, mediaTypes } from '../../judge/reading.ts';
import type { Aspect } from '../../judge/rules.ts';
import type { ExpectedOutcome } from '../../payloads/test-case.ts';
import type { Exchange, FaultKind, Response } from '../../wire/exchange.ts';
import { unreadable, wrongBody } from './body.ts';
import { echoed } from './echo.ts';
import { mustReject } from './expected-outcome.ts';

/** What can be wrong with a response, and the aspect of it that is. */
const ASPECTS = {
  /** No response within the time-out. */
  'no-answer': 'outcome',
  /** The connection was closed, or failed in another way. */
  closed: 'outcome',
  'not-http': 'outcome',
  /** The response breaks off. */
  incomplete: 'outcome',
  'server-error': 'outcome',
  /** A plant that the store has to accept is rejected. */
  rejects: 'outcome',
  /** The right requests are rejected, with the wrong status. */
  'wrong-rejection': 'outcome',
  /** The right requests are accepted, with the wrong status. */
  'wrong-success': 'outcome',
  redirects: 'outcome',
  /** All requests get the same response. */
  'same-for-all': 'outcome',
  /** All requests get none. */
  'none-for-all': 'outcome',
  /** A request that the store has to reject is accepted. */
  accepts: 'success',
  'media-type': 'representation',
  'no-body': 'representation',
  /** HTML or other text under the right media type. */
  text: 'representation',
  'truncated-json': 'representation',
  unreadable: 'representation',
  /** The right value in an object or array. */
  wrapped: 'representation',
  /** A property is null, though the schema does not allow it. */
  'null-property': 'representation',
  /** JSON that is not a Plant, or not an Error, in another way. */
  'wrong-body': 'representation',
  /** A property of the created plant is not what was sent. */
  echo: 'echo',
  /** The finding of a rule about details. */
  detail: 'detail',
  /** Such a finding about a request that should be rejected. */
  lenient: 'detail',
} as const satisfies Readonly<Record<string, Aspect>>;

export type SymptomKind = keyof typeof ASPECTS;

/** What is wrong with a response. */
export interface Symptom {
  readonly kind: SymptomKind;
  /** How a title begins: `answers 500`, `returns name as null`. */
  readonly words: string;
  /** The status of the response, unless there is none. */
  readonly status?: number;
  /** The property of the response that is wrong. */
  readonly property?: string;
  /** What a fault that shows in several ways has in common; by default the words. */
  readonly family?: string;
}

export const aspectOf = ({ kind }: Symptom): Aspect => ASPECTS[kind];

/** Whether a symptom takes as long to see as the time-out. */
export const isSlow = ({ kind }: Symptom): boolean => kind === 'no-answer';

const BROKEN: Partial<Record<FaultKind, Symptom>> = {
  timeout: { kind: 'no-answer', words: 'does not answer' },
  closed: { kind: 'closed', words: 'closes the connection without an answer' },
  'not-http': { kind: 'not-http', words: 'answers with something that is not HTTP' },
};

/** What is wrong with the outcome of an exchange: whether and with which status it was answered. */
function outcomeOf(exchange: Exchange, expected: ExpectedOutcome): Symptom | undefined {
  if (exchange.kind === 'broken') {
    const { fault, response } = exchange;
    if (response === undefined)
      return BROKEN[fault.kind] ?? { kind: 'closed', words: `gives no answer (${fault.kind})` };
    const { status } = response;
    return { kind: 'incomplete', words: `breaks off the response (${status})`, status };
  }
  const { status, truncated } = exchange.response;
  const symptom = (kind: SymptomKind, words: string): Symptom => ({ kind, words, status });
  if (truncated) return symptom('incomplete', `sends an incomplete response (${status})`);
  if (status >= 500) return symptom('server-error', `answers ${status}`);
  if (mustReject(expected))
    return status < 300
      ? undefined
      : symptom(
          'wrong-rejection',
          `rejects with ${status} instead of ${expected === 'reject-body' ? 400 : 401}`,
        );
  if (status === 200) return undefined;
  if (status >= 400) return symptom('rejects', `${REJECTS} ${status}`);
  return status < 300
    ? symptom('wrong-success', `answers ${status} instead of 200`)
    : symptom('redirects', `redirects with ${status} instead of answering 200`);
}

const REJECTS = 'rejects with';

/** Whether a symptom of a record, which has only its words, is about a rejection. */
export const isAboutRejection = (words: string): boolean => words.startsWith(REJECTS);

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** How a 200 or 400 differs from the declared one. */
function representationOf(response: Response, contract: Contract): Symptom | undefined {
  const { status } = response;
  if (status !== 200 && status !== 400) return undefined;
  const symptom = (kind: SymptomKind, words: string): Symptom => ({
    kind,
    words: `answers ${status} ${words}`,
    status,
  });
  const types = [...new Set(mediaTypes(response))];
  const content = contentOf(response);
  if (types.length === 0)
    return response.body.length === 0
      ? symptom('no-body', 'without a body')
      : symptom('media-type', 'without a Content-Type');
  if (types.length > 1) return symptom('media-type', `with the Content-Types ${types.join(' and ')}`);
  if (types[0] !== 'application/json')
    return symptom('media-type', `with Content-Type ${types[0]?.slice(0, 60)}`);
  if (content.kind === 'unreadable') return unreadable(response);
  const validate = status === 200 ? contract.plant.validate : contract.error.validate;
  if (validate(content.text, content.value).length === 0) return undefined;
  return wrongBody(status, content, contract);
}

/**
 * Everything that is wrong with a response, the same in words for responses that are wrong in the same way.
 * Rules about details (such as an empty message) are left to the checks that have them.
 */
export function symptomsOf(
  exchange: Exchange,
  expected: ExpectedOutcome,
  contract: Contract,
): readonly Symptom[] {
  const { response } = exchange;
  const found: (Symptom | undefined)[] = [outcomeOf(exchange, expected)];
  if (response !== undefined) {
    if (mustReject(expected) && isSuccess(response.status)) found.push({ kind: 'accepts', words: 'accepts' });
    if (exchange.kind === 'answered') {
      found.push(representationOf(response, contract));
      if (expected === 'accept') found.push(...echoed(exchange, contract));
    }
  }
  return found.filter((one) => one !== undefined);
}

/** Names a symptom: the same for responses that are wrong in the same way. */
export const keyOf = ({ words, family = words }: Pick<Symptom, 'words' | 'family'>): string => family;
