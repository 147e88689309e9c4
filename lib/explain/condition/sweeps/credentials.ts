import { type InvalidCredential, invalidCredentials, moreWords } from '../../../payloads/credentials.ts';
import type { Candidate, CandidateClass, Sweep } from '../candidates.ts';

/** Every credential that has to be rejected. */
export const credentialSweep = (token: string): Sweep => ({
  part: 'Authorization',
  candidates: invalidCredentials.map((one) => candidateOf(one, token)),
  classes: CLASSES,
});

/** The same, and credentials that only one check tries. */
export const credentialCandidates = (token: string): readonly Candidate[] =>
  [...invalidCredentials, ...moreWords].map((one) => candidateOf(one, token));

function candidateOf(one: InvalidCredential, token: string): Candidate {
  const { name, credential } = one;
  const [value = ''] = credential.values(token);
  const own = credential.header === undefined ? value : undefined;
  return {
    value: name,
    words: {
      clause: name.startsWith('no ')
        ? 'there is no Authorization header'
        : name === 'an empty Authorization header'
          ? 'the Authorization header is empty'
          : `the credential is ${name}`,
      noun: name.startsWith('no ') ? 'requests without an Authorization header' : nounOf(one),
      topics: ['credential'],
    },
    apply: (state) => ({ ...state, credential }),
    label: name,
    classes: [
      'any',
      ...ROWS.flatMap(([id, , , has]) => (own !== undefined && has?.(own, token) === true ? [id] : [])),
      ...(credential.header === undefined ? [] : ['carrier', 'no header']),
      ...(name === 'no Authorization header' ? ['nothing', 'falsy', 'no header'] : []),
      ...(value === '' && credential.header === undefined && name !== 'no Authorization header'
        ? ['falsy']
        : []),
    ],
  };
}

/** `an asterisk` alone would be no credential. */
function nounOf({ name, kind }: InvalidCredential): string {
  if (/^the scheme [A-Z]/.test(name)) return `the token under ${name}`;
  const isWord = ['word', 'odd characters', 'odd characters at the end'].includes(kind);
  return isWord && !/\btoken/.test(name) ? `${name} as the token` : name;
}

/** A set of credentials, and whether the value of an Authorization header belongs to it. */
type Row = readonly [
  id: string,
  noun: string,
  clause: string,
  has?: (value: string, token: string) => boolean,
];

const wordOf = (value: string): string | undefined => /^bearer\s+(\S.*)$/i.exec(value)?.[1];

/** About the token after the scheme Bearer. */
const ofToken =
  (has: (word: string, token: string) => boolean) =>
  (value: string, token: string): boolean => {
    const word = wordOf(value);
    return word !== undefined && has(word, token);
  };

/** The same of a token of one word. */
const ofWord = (has: (word: string, token: string) => boolean) =>
  ofToken((word, token) => !word.includes(' ') && has(word, token));

const isOther = (value: string, token: string) => wordOf(value) === undefined && value.includes(token);

const ROWS: readonly Row[] = [
  ['any', 'requests without a valid token', 'the token is missing or wrong'],
  ['header', 'any Authorization header', 'the token is wrong', (value) => value !== ''],
  ['bearer', 'any bearer token', 'the bearer token is wrong', ofToken(() => true)],
  [
    'contains',
    'any Authorization header that contains the token',
    'the header contains the token',
    (value, token) => value.includes(token),
  ],
  [
    'long',
    'any bearer token of eight characters or more',
    'the bearer token is wrong',
    ofWord((word) => word.length >= 8),
  ],
  ['other scheme', 'any header that contains the token', 'the scheme is not Bearer', isOther],
  [
    'any scheme',
    'the token under any scheme',
    'the scheme is not Bearer',
    (value, token) => /^(?!bearer )\S+ /i.test(value) && value.endsWith(` ${token}`),
  ],
  [
    'one word',
    'an Authorization header of one word',
    'the Authorization header is one word',
    (value) => /^\S+$/.test(value),
  ],
  ['basic', 'Basic credentials', 'the scheme is Basic', (value) => /^basic /i.test(value)],
  [
    'other schemes',
    'the token under another scheme',
    'the scheme is another one',
    (value, token) => /^(?!bearer)\w+ /i.test(value) && !/^basic/i.test(value) && value.endsWith(` ${token}`),
  ],
  [
    'at least',
    'any bearer token that is at least as long as the right one',
    'a wrong token is at least as long as the right one',
    ofWord((word, token) => word.length >= token.length),
  ],
  [
    'token inside',
    'bearer tokens that contain the right one',
    'a wrong token contains the right one',
    ofWord((word, token) => word.includes(token)),
  ],
  [
    'starts',
    'bearer tokens that begin with the right one',
    'a wrong token begins with the right one',
    ofToken((word, token) => word.startsWith(token)),
  ],
  [
    'length',
    'any bearer token of the same length',
    'a wrong token has the length of the right one',
    ofToken((word, token) => word.length === token.length),
  ],
  [
    'other bytes',
    'bearer tokens of another length',
    'the bearer token differs in length from the right one',
    // A header is read as Latin-1 by some and compared as UTF-8.
    ofWord((word, token) => Buffer.byteLength(word) !== Buffer.byteLength(token)),
  ],
  [
    'other length',
    'bearer tokens of another length',
    'the bearer token differs in length from the right one',
    ofWord((word, token) => word.length !== token.length),
  ],
  [
    'half',
    'bearer tokens with the same first half',
    'a wrong token has the first half of the right one',
    ofToken((word, token) => word.startsWith(token.slice(0, Math.ceil(token.length / 2)))),
  ],
  [
    'end',
    'bearer tokens that end like the right one',
    'a wrong token ends like the right one',
    ofWord((word, token) => word.endsWith(token.slice(-6))),
  ],
  [
    'prefix',
    'any prefix of the token',
    'the token is only a prefix of the right one',
    ofToken((word, token) => word.length < token.length && token.startsWith(word)),
  ],
  [
    'case',
    'the token in another case',
    'the token is in another case',
    ofToken((word, token) => word !== token && word.toLowerCase() === token.toLowerCase()),
  ],
  [
    'rearranged',
    'the characters of the token in another order',
    'the token is rearranged',
    ofToken((word, token) => [...word].sort().join('') === [...token].sort().join('')),
  ],
  [
    'jwt',
    'any token in three parts, such as an unsigned JSON Web Token',
    'the token has three parts',
    ofToken((word) => word.split('.').length === 3),
  ],
  [
    'inherited',
    'the name of a property of every object as the token',
    'the token is the name of a property of every object',
    ofToken((word) => word in Object.prototype),
  ],
  ['no header', 'requests without an Authorization header', 'there is no Authorization header'],
  [
    'falsy',
    'requests with an empty or no Authorization header',
    'the Authorization header is missing or empty',
  ],
  ['nothing', 'requests without an Authorization header', 'there is no Authorization header'],
  ['carrier', 'the token in another header', 'the token is in another header'],
];

const CLASSES = ROWS.map(
  ([id, noun, clause]): CandidateClass => ({
    id,
    words: { noun, clause, topics: id === 'any' ? ['any credential', 'credential'] : ['credential'] },
    group: 'credential',
  }),
);
