import type { Wording } from './wording.ts';

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
