import type { Aspect } from '../../judge/rules.ts';

/** The kinds of symptoms, each with the aspect of the response that is wrong. */
const ASPECTS = {
  /** No response within the timeout. */
  'no-answer': 'outcome',
  /** The connection was closed, or failed in some other way. */
  closed: 'outcome',
  'not-http': 'outcome',
  incomplete: 'outcome',
  'server-error': 'outcome',
  /** A plant that the store has to accept is rejected. */
  rejects: 'outcome',
  /** A request that must be rejected is rejected, but with the wrong status. */
  'wrong-rejection': 'outcome',
  /** A request that must be accepted is accepted, but with the wrong status. */
  'wrong-success': 'outcome',
  redirects: 'outcome',
  /** The store parses bytes of one request as the next. */
  'unread-body': 'outcome',
  /** The store parses the end of an earlier body as part of the current one. */
  'stale-body': 'outcome',
  /** The store no longer answers any request. */
  'stops-answering': 'outcome',
  crashes: 'outcome',
  'same-for-all': 'outcome',
  'none-for-all': 'outcome',
  /** A request that the store has to reject is accepted. */
  accepts: 'success',
  'media-type': 'representation',
  'no-body': 'representation',
  /** HTML or other text, labelled with the right media type. */
  text: 'representation',
  'truncated-json': 'representation',
  unreadable: 'representation',
  /** The body is compressed without a Content-Encoding header. */
  'undeclared-coding': 'representation',
  /** The right value inside an object or array. */
  wrapped: 'representation',
  /** A property is null, though the schema does not allow it. */
  'null-property': 'representation',
  /** Any other JSON that is not a Plant or Error. */
  'wrong-body': 'representation',
  /** A property of the created plant differs from the one that was sent. */
  echo: 'echo',
  detail: 'detail',
  /** A finding about details for a request that should be rejected. */
  'should-reject': 'detail',
} as const satisfies Readonly<Record<string, Aspect>>;

export type SymptomKind = keyof typeof ASPECTS;

export interface Symptom {
  readonly kind: SymptomKind;
  /** The beginning of a title: `answers 500`, `returns name as null`. */
  readonly words: string;
  readonly status?: number;
  /** The property that is wrong in the response. */
  readonly property?: string;
  /** What stands in place of the property's value: `a number`. */
  readonly instead?: string;
  /** The body is an Error although the status is 200. */
  readonly isErrorAsSuccess?: true;
  /** Key shared by all variants of one fault; by default `words`. */
  readonly groupKey?: string;
}

/** Returns the symptom of a response with this status; the words say what else is wrong with it. */
export const answers = (status: number, kind: SymptomKind, words: string): Symptom => ({
  kind,
  words: `answers ${status} ${words}`,
  status,
});

export const aspectOf = ({ kind }: Symptom): Aspect => ASPECTS[kind];

/** Returns whether seeing the symptom takes a full timeout. */
export const isSlow = ({ kind }: Symptom): boolean => kind === 'no-answer';

/** Identifies a symptom: the same for responses that are wrong in the same way. */
export const keyOf = ({ words, groupKey = words }: Pick<Symptom, 'words' | 'groupKey'>): string => groupKey;

export const REJECTS = 'rejects with';

/** Words the symptom `rejects` for a title. */
export const rejectsValid = (status: number | undefined): string => `answers ${status} to valid requests`;

/** Returns whether a recorded symptom, of which only the words are known, is a rejection. */
export const isAboutRejection = (words: string): boolean => words.startsWith(REJECTS);

/** Returns the preposition, with a space, that links a symptom to the requests that show it. */
export function toWhom(symptom: Symptom): string {
  if (isSlow(symptom)) return '';
  if (symptom.kind === 'accepts') return 'in ';
  return /^returns /.test(symptom.words) ? 'in answers to ' : 'to ';
}
