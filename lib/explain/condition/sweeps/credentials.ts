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
    },
    apply: (state) => ({ ...state, credential }),
    label: name,
    classes: [
      'any',
      ...CLASSES.flatMap(({ id, has }) => (own !== undefined && has(own, token) ? [id] : [])),
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

interface CredentialClass extends CandidateClass {
  /** Whether the value of an Authorization header belongs to it. */
  readonly has: (value: string, token: string) => boolean;
}

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

const CLASSES: readonly CredentialClass[] = [
  described(
    'any',
    'requests without a valid token',
    'the token is missing or wrong',
    'credential',
    () => false,
  ),
  described(
    'header',
    'any Authorization header',
    'the token is wrong',
    'credential',
    (value) => value !== '',
  ),
  described(
    'bearer',
    'any bearer token',
    'the bearer token is wrong',
    'credential',
    ofToken(() => true),
  ),
  described(
    'contains',
    'any Authorization header that contains the token',
    'the header contains the token',
    'credential',
    (value, token) => value.includes(token),
  ),
  described(
    'long',
    'any bearer token of eight characters or more',
    'the bearer token is wrong',
    'credential',
    ofWord((word) => word.length >= 8),
  ),
  described(
    'other scheme',
    'any header that contains the token',
    'the scheme is not Bearer',
    'credential',
    isOther,
  ),
  described(
    'any scheme',
    'the token under any scheme',
    'the scheme is not Bearer',
    'credential',
    (value, token) => /^(?!bearer )\S+ /i.test(value) && value.endsWith(` ${token}`),
  ),
  described(
    'one word',
    'an Authorization header of one word',
    'the Authorization header is one word',
    'credential',
    (value) => /^\S+$/.test(value),
  ),
  described('basic', 'Basic credentials', 'the scheme is Basic', 'credential', (value) =>
    /^basic /i.test(value),
  ),
  described(
    'other schemes',
    'the token under another scheme',
    'the scheme is another one',
    'credential',
    (value, token) => /^(?!bearer)\w+ /i.test(value) && !/^basic/i.test(value) && value.endsWith(` ${token}`),
  ),
  described(
    'at least',
    'any bearer token that is at least as long as the right one',
    'a wrong token is at least as long as the right one',
    'credential',
    ofWord((word, token) => word.length >= token.length),
  ),
  described(
    'token inside',
    'bearer tokens that contain the right one',
    'a wrong token contains the right one',
    'credential',
    ofWord((word, token) => word.includes(token)),
  ),
  described(
    'starts',
    'bearer tokens that begin with the right one',
    'a wrong token begins with the right one',
    'credential',
    ofToken((word, token) => word.startsWith(token)),
  ),
  described(
    'length',
    'any bearer token of the same length',
    'a wrong token has the length of the right one',
    'credential',
    ofToken((word, token) => word.length === token.length),
  ),
  described(
    'half',
    'bearer tokens with the same first half',
    'a wrong token has the first half of the right one',
    'credential',
    ofToken((word, token) => word.startsWith(token.slice(0, Math.ceil(token.length / 2)))),
  ),
  described(
    'prefix',
    'any prefix of the token',
    'the token is only a prefix of the right one',
    'credential',
    ofToken((word, token) => word.length < token.length && token.startsWith(word)),
  ),
  described(
    'case',
    'the token in another case',
    'the token is in another case',
    'credential',
    ofToken((word, token) => word !== token && word.toLowerCase() === token.toLowerCase()),
  ),
  described(
    'rearranged',
    'the characters of the token in another order',
    'the token is rearranged',
    'credential',
    ofToken((word, token) => [...word].sort().join('') === [...token].sort().join('')),
  ),
  described(
    'jwt',
    'any token in three parts, such as an unsigned JSON Web Token',
    'the token has three parts',
    'credential',
    ofToken((word) => word.split('.').length === 3),
  ),
  described(
    'no header',
    'requests without an Authorization header',
    'there is no Authorization header',
    'credential',
    () => false,
  ),
  described(
    'falsy',
    'requests with an empty or no Authorization header',
    'the Authorization header is missing or empty',
    'credential',
    () => false,
  ),
  described(
    'nothing',
    'requests without an Authorization header',
    'there is no Authorization header',
    'credential',
    () => false,
  ),
  described(
    'carrier',
    'the token in another header',
    'the token is in another header',
    'credential',
    () => false,
  ),
];

function described(
  id: string,
  noun: string,
  clause: string,
  topic: string,
  has: CredentialClass['has'],
): CredentialClass {
  return { id, words: { noun, clause }, topic, has };
}
