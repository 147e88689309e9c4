import {
  type InvalidCredential,
  invalidCredentials,
  moreWords,
  wrongTokenOf,
} from '../../payloads/credentials.ts';
import type { Condition } from '../explanation/condition.ts';
import type { Candidate, CandidateClass, Sweep } from './candidates.ts';
import { scaleSweep } from './sizes.ts';

export const credentialSweep = (token: string): Sweep => ({
  part: 'Authorization',
  candidates: invalidCredentials.map((one) => candidateOf(one, token)),
  classes: CLASSES,
  closer: (shown) => (areOfExtremeLength(shown, token) ? tokenLengths(token.length) : undefined),
});

/** Whether the bearer tokens that show the symptom are all longer, or all shorter, than those that do not. */
function areOfExtremeLength(shown: readonly Candidate[], token: string): boolean {
  const isShown = ({ name }: InvalidCredential) => shown.some(({ label }) => label === name);
  const lengthsOf = (all: readonly InvalidCredential[]) =>
    all.flatMap(({ credential }) => seen(credential, token).word?.length ?? []);
  const own = lengthsOf(invalidCredentials.filter(isShown));
  const others = lengthsOf(invalidCredentials.filter((one) => !isShown(one)));
  const areApart = Math.min(...own) > Math.max(...others) || Math.max(...own) < Math.min(...others);
  return own.length === shown.length && others.length > 0 && areApart;
}

const LENGTHS = [1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 40, 64, 100, 128, 256, 512, 1024, 2048, 4096];

/** Tries wrong bearer tokens of many lengths. */
const tokenLengths = (right: number): Sweep =>
  scaleSweep('token length', {
    points: LENGTHS.map(BigInt),
    valueAt: (point) => `${point} characters`,
    apply: (request, point) => ({ ...request, credential: wrongTokenOf(Number(point)) }),
    above: (point) => (Number(point) === right - 1 ? AS_LONG : lengthWords(`longer than ${point}`)),
    below: (point) => lengthWords(`shorter than ${point}`),
    between: (first, last) => lengthWords(`of ${first} to ${last}`),
  });

const AS_LONG = {
  clause: 'a wrong token is at least as long as the right one',
  noun: 'any bearer token that is at least as long as the right one',
  topics: ['credential'],
} as const satisfies Condition;

const lengthWords = (length: string): Condition => ({
  clause: `the bearer token is ${length} characters`,
  noun: `bearer tokens ${length} characters`,
  topics: ['credential'],
});

/** Returns the candidates of the sweep, and credentials that only a single check tries. */
export const credentialCandidates = (token: string): readonly Candidate[] =>
  [...invalidCredentials, ...moreWords].map((one) => candidateOf(one, token));

function candidateOf(one: InvalidCredential, token: string): Candidate {
  const { name, credential } = one;
  const seenCredential = seen(credential, token);
  return {
    value: name,
    condition: { ...wordsOf(one, seenCredential), topics: ['credential'] },
    apply: (request) => ({ ...request, credential }),
    label: name,
    classes: SETS.flatMap(({ has }, index) => (has(seenCredential) === true ? [String(index)] : [])),
  };
}

function wordsOf(one: InvalidCredential, seenCredential: Seen): Condition {
  const { value, isInOtherHeader } = seenCredential;
  if (value === undefined && !isInOtherHeader)
    return { clause: 'there is no Authorization header', noun: 'requests without an Authorization header' };
  const clause = value === '' ? 'the Authorization header is empty' : `the credential is ${one.name}`;
  return { clause, noun: nounOf(one, seenCredential) };
}

/** The credential as a noun. `An asterisk` by itself does not sound like one, so bare words get a suffix. */
function nounOf({ name, kind }: InvalidCredential, { bearer }: Seen): string {
  if (kind === 'other scheme' && bearer === undefined) return `the token under ${name}`;
  const isWord = ['word', 'odd characters', 'odd characters at the end'].includes(kind);
  return isWord && !/\btoken/.test(name) ? `${name} as the token` : name;
}

/** The parts of a credential that a store may look at. */
interface Seen {
  readonly token: string;
  readonly value: string | undefined;
  /** What follows the scheme Bearer. */
  readonly bearer: string | undefined;
  /** What follows the scheme Bearer, if it is a single word. */
  readonly word: string | undefined;
  /** Whether the credential is in a header other than Authorization. */
  readonly isInOtherHeader: boolean;
}

function seen({ header, values }: InvalidCredential['credential'], token: string): Seen {
  const value = header === undefined ? values(token)[0] : undefined;
  const bearer = /^bearer\s+(\S.*)$/i.exec(value ?? '')?.[1];
  const word = bearer?.includes(' ') === true ? undefined : bearer;
  return { token, value, bearer, word, isInOtherHeader: header !== undefined };
}

type IsMember = (credential: Seen) => boolean | undefined;

/** A class of credentials; several of the same name if stores may see different parts of a header. */
type CredentialClass = readonly [noun: string, clause: string, ...members: readonly IsMember[]];

/** Characters that several invalid credentials contain, and that a store may take for a separator. */
const MARKS = [
  [',', 'a comma'],
  ['=', 'an equals sign'],
  ['.', 'a full stop'],
  ['/', 'a slash'],
] as const;

const NAMED: readonly CredentialClass[] = [
  ['requests without a valid token', 'the token is missing or wrong', () => true],
  ['any Authorization header', 'the token is wrong', ({ value = '' }) => value !== ''],
  [
    'any bearer token',
    'the bearer token is wrong',
    ({ bearer }) => bearer !== undefined,
    ({ word }) => word !== undefined,
  ],
  [
    'any Authorization header that contains the token',
    'the header contains the token',
    ({ value, token }) => value?.includes(token),
  ],
  [
    'any bearer token of eight characters or more',
    'the bearer token is wrong',
    ({ word = '' }) => word.length >= 8,
  ],
  [
    'any header that contains the token',
    'the scheme is not Bearer',
    ({ value, bearer, token }) => bearer === undefined && value?.includes(token),
  ],
  [
    'the token under any scheme',
    'the scheme is not Bearer',
    ({ value = '', token }) => /^(?!bearer )\S+ /i.test(value) && value.endsWith(` ${token}`),
    ({ value = '', token }) => /^(?!bearer )\S+ \S+$/i.test(value) && value.endsWith(` ${token}`),
  ],
  [
    'an Authorization header of one word',
    'the Authorization header is one word',
    ({ value = '' }) => /^\S+$/.test(value),
  ],
  [
    'Bearer without exactly one token',
    'Bearer is not followed by exactly one token',
    ({ value = '', word }) => /^bearer\b/i.test(value) && word === undefined,
  ],
  ...MARKS.map(
    ([mark, words]): CredentialClass => [
      `any credential that contains ${words}`,
      `the credential contains ${words}`,
      ({ value = '' }) => value.includes(mark),
    ],
  ),
  [
    'any credential that ends with an equals sign',
    'the credential ends with an equals sign',
    ({ value = '' }) => value.endsWith('='),
  ],
  ['Basic credentials', 'the scheme is Basic', ({ value = '' }) => /^basic /i.test(value)],
  [
    'credentials of a scheme other than Bearer, Basic and Digest',
    'the scheme is not Bearer, Basic or Digest',
    ({ value = '' }) => /^(?!bearer|basic|digest)\S+ /i.test(value),
  ],
  [
    'the token after anything that ends with Bearer',
    'Bearer and the token come after something else',
    ({ value = '', token }) => /.bearer (?!.* )/i.test(value) && value.endsWith(` ${token}`),
  ],
  [
    'the token under another scheme',
    'the scheme is not Bearer',
    ({ value = '', token }) => /^(?!bearer|basic)\w+ /i.test(value) && value.endsWith(` ${token}`),
  ],
  [AS_LONG.noun, AS_LONG.clause, ({ word = '', token }) => word.length >= token.length],
  [
    'bearer tokens that contain the right one',
    'a wrong token contains the right one',
    ({ word, token }) => word?.includes(token),
  ],
  [
    'bearer tokens that begin with the right one',
    'a wrong token begins with the right one',
    ({ bearer, token }) => bearer?.startsWith(token),
  ],
  [
    'any bearer token that ends with the right one',
    'a wrong token ends with the right one',
    ({ word, token }) => word !== token && word?.endsWith(token),
  ],
  [
    'any bearer token of the same length as the right one',
    'a wrong token has the length of the right one',
    ({ bearer, token }) => bearer?.length === token.length,
  ],
  [
    'bearer tokens of another length',
    'the bearer token differs in length from the right one',
    // Some stores read headers as Latin-1 and compare UTF-8.
    ({ word, token }) => word !== undefined && Buffer.byteLength(word) !== Buffer.byteLength(token),
    ({ word, token }) => word !== undefined && word.length !== token.length,
    // Some stores read everything after the scheme as the token, others only the first word.
    ({ bearer = '', token }) =>
      bearer !== '' &&
      [bearer, bearer.split(' ')[0] ?? ''].every(
        (one) => Buffer.byteLength(one) !== Buffer.byteLength(token),
      ),
  ],
  [
    'bearer tokens that are not ASCII',
    'the bearer token is not ASCII',
    ({ bearer = '' }) => /[^\0-\x7f]/.test(bearer),
  ],
  [
    'bearer tokens with the first half of the right one',
    'a wrong token has the first half of the right one',
    ({ bearer, token }) => bearer?.startsWith(token.slice(0, Math.ceil(token.length / 2))),
  ],
  [
    'bearer tokens with the same ending as the right one',
    'a wrong token ends like the right one',
    ({ word, token }) => word?.endsWith(token.slice(-6)),
  ],
  [
    'any prefix of the token',
    'the token is only a prefix of the right one',
    ({ bearer, token }) => bearer !== undefined && bearer !== token && token.startsWith(bearer),
  ],
  [
    'the token in a different case',
    'the token is in a different case',
    ({ bearer, token }) => bearer !== token && bearer?.toLowerCase() === token.toLowerCase(),
  ],
  [
    'the characters of the token in another order',
    'the token is rearranged',
    ({ bearer = '', token }) => [...bearer].sort().join('') === [...token].sort().join(''),
  ],
  [
    'any token in three parts, such as an unsigned JSON Web Token',
    'the token has three parts',
    ({ bearer }) => bearer?.split('.').length === 3,
  ],
  [
    'any token in three parts that are not empty',
    'the token has three parts that are not empty',
    ({ bearer = '' }) => /^[^.]+(?:\.[^.]+){2}$/.test(bearer),
  ],
  [
    'names of built-in properties of objects, such as toString, as the token',
    'the token is the name of a built-in property of objects, such as toString',
    ({ bearer = '' }) => bearer in Object.prototype,
  ],
  [
    'requests without an Authorization header',
    'there is no Authorization header',
    ({ value }) => value === undefined,
  ],
  [
    'requests with an empty or no Authorization header',
    'the Authorization header is missing or empty',
    ({ value, isInOtherHeader }) => !isInOtherHeader && !value,
  ],
  [
    'requests without an Authorization header',
    'there is no Authorization header',
    ({ value, isInOtherHeader }) => !isInOtherHeader && value === undefined,
  ],
  ['the token in another header', 'the token is in another header', ({ isInOtherHeader }) => isInOtherHeader],
];

const SETS = NAMED.flatMap(([noun, clause, ...members]) => members.map((has) => ({ noun, clause, has })));

const CLASSES = SETS.map(
  ({ noun, clause }, index): CandidateClass => ({
    id: String(index),
    condition: { noun, clause, topics: index === 0 ? ['any credential', 'credential'] : ['credential'] },
  }),
);
