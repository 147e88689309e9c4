import type { Aspect } from '../../judge/rules.ts';

/** What can be wrong with a response, and the aspect of it that is. */
const ASPECTS = {
  /** No response within the timeout. */
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
  /** Bytes of one request are taken for the next. */
  'unread-body': 'outcome',
  /** The store answers nothing any more. */
  'stops-answering': 'outcome',
  crashes: 'outcome',
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
  /** The body is compressed without a Content-Encoding header. */
  'undeclared-coding': 'representation',
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
  /** A detail finding for a request that should be rejected. */
  'should-reject': 'detail',
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
  /** What that property is instead: `a number`. */
  readonly instead?: string;
  /** The body is an Error, though the status is that of a success. */
  readonly isErrorAsSuccess?: true;
  /** Grouping key shared by all variants of one fault; defaults to `words`. */
  readonly groupKey?: string;
}

export const aspectOf = ({ kind }: Symptom): Aspect => ASPECTS[kind];

/** Whether a symptom takes as long to see as the timeout. */
export const isSlow = ({ kind }: Symptom): boolean => kind === 'no-answer';

/** Names a symptom: the same for responses that are wrong in the same way. */
export const keyOf = ({ words, groupKey = words }: Pick<Symptom, 'words' | 'groupKey'>): string => groupKey;

export const REJECTS = 'rejects with';

/** Whether a symptom of a record, which has only its words, is about a rejection. */
export const isAboutRejection = (words: string): boolean => words.startsWith(REJECTS);
