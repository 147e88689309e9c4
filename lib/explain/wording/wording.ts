/** How a condition is worded in a title. */
export interface Wording {
  /** After `when`: `name contains an apostrophe`. */
  readonly clause?: string;
  /** After `requests`: `with a query`. */
  readonly phrase?: string;
  /** After `accepts`, for what has to be rejected: `null as id`. */
  readonly noun?: string;
  /** The name of the header of which the phrase says only that it is there. */
  readonly header?: string;
  /** At the end: `to about one request in 25`. */
  readonly note?: string;
  /** The part of the request that it is about, if that is known. */
  readonly part?: string;
  /** The property of the plant that it names. */
  readonly property?: string;
  readonly topics?: readonly Topic[];
  /** Only examples of requests that meet the condition are known. */
  readonly isVague?: true;
  /** The clause names only some of the values that meet it. */
  readonly isPartial?: true;
  /** The value that meets it is the same in each request, so that the store knows it from earlier ones. */
  readonly isRepeated?: true;
  /** Requests that meet it are larger than others, which may be what matters. */
  readonly isLarger?: true;
  /** It is about requests in flight with which a store does something else. */
  readonly isOfOthers?: true;
  /** Bodies with more bytes than this meet it. */
  readonly bytesAbove?: number;
}

export const areVague = (conditions: readonly Wording[]): boolean =>
  conditions.some(({ isVague }) => isVague === true);

/** Everything that a title may say of a condition. */
export const fullText = ({ clause = '', phrase = '', noun = '', note = '' }: Wording): string =>
  [clause, phrase, noun, note].join(' ');

/** `a name`, `an id`. */
export const withArticle = (noun: string): string => `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;

/** What a condition, or what is wrong with a request, is about: advice depends on it. */
export type Topic =
  // Requests as a whole.
  | 'credential'
  | 'any credential'
  | 'media type'
  | 'Accept'
  | 'Expect'
  | 'pieces'
  | 'size'
  | 'depth'
  | 'first request'
  | 'known value'
  // What JSON text looks like.
  | 'spelling'
  | 'undeclared property'
  | 'not JSON'
  | 'more JSON'
  | 'not UTF-8'
  // What is wrong with a plant.
  | 'any body'
  | 'not an object'
  | 'missing'
  | 'other name'
  | 'inherited'
  | 'null'
  | 'falsy'
  | 'wrong type'
  // Valid values of properties.
  | 'value'
  | 'large id'
  | 'quotes'
  | 'template'
  | 'beyond ASCII'
  | 'control character';

/** The topics of the parts of a request. */
const TOPICS_OF_PARTS: Readonly<Record<string, Topic>> = {
  Authorization: 'credential',
  'Content-Type': 'media type',
  Accept: 'Accept',
  Expect: 'Expect',
  framing: 'pieces',
  segments: 'pieces',
  'property order': 'spelling',
  'white space': 'spelling',
  escapes: 'spelling',
};

/** Everything that some words are about. */
export const topicsOf = ({ topics = [], part = '', property }: Wording): readonly Topic[] => [
  ...topics,
  ...(TOPICS_OF_PARTS[part] === undefined ? [] : [TOPICS_OF_PARTS[part]]),
  ...(property === undefined ? [] : (['value'] as const)),
];
