import { createHash } from 'node:crypto';
import { bearer, type Credential, nothing } from './case.ts';

/** A credential that is not the one that the store takes, or not where it belongs. */
export interface Impostor {
  readonly name: string;
  readonly credential: Credential;
}

const T = '$PLANT_STORE_TOKEN';
const base64 = (text: string) => Buffer.from(text).toString('base64');
const shellBase64 = (text: string) => `$(printf %s "${text}" | base64 | tr -d '[:space:]')`;

/** A token that no store knows. */
const stranger = (length: number) =>
  createHash('sha512')
    .update('a token that no store knows')
    .digest('hex')
    .repeat(1 + length / 128)
    .slice(0, length);

/** As long as the token, and not the token. */
const strangerTo = (token: string) => {
  const drawn = stranger(token.length);
  return drawn === token ? other(drawn.charAt(0)) + drawn.slice(1) : drawn;
};

const middle = (token: string) => Math.floor(token.length / 2);
const other = (character: string) => (character === 'x' ? 'y' : 'x');
const swapped = (token: string) =>
  [...token].map((c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase())).join('');

interface Near {
  readonly name: string;
  readonly make: (token: string) => string;
  readonly shell: string;
}

/** Tokens that resemble the right one. None can decode to the same signature: no end alone is changed. */
const NEAR: readonly Near[] = [
  { name: 'a random token', make: () => 'f3a91c07d2', shell: 'f3a91c07d2' },
  {
    name: 'the token with something after it',
    make: (token) => `${token}0000`,
    shell: '${PLANT_STORE_TOKEN}0000',
  },
  { name: 'the token with something before it', make: (token) => `0000${token}`, shell: `0000${T}` },
  {
    name: 'the first half of the token',
    make: (token) => token.slice(0, middle(token)),
    shell: '${PLANT_STORE_TOKEN:0:$((${#PLANT_STORE_TOKEN}/2))}',
  },
  {
    name: 'the second half of the token',
    make: (token) => token.slice(middle(token)),
    shell: '${PLANT_STORE_TOKEN:$((${#PLANT_STORE_TOKEN}/2))}',
  },
  {
    name: 'the token without its first character',
    make: (token) => token.slice(1),
    shell: '${PLANT_STORE_TOKEN:1}',
  },
  {
    name: 'the token with another first character',
    make: (token) => other(token.charAt(0)) + token.slice(1),
    shell: 'x${PLANT_STORE_TOKEN:1}',
  },
  {
    name: 'the token with another character in its middle',
    make: (token) =>
      token.slice(0, middle(token)) + other(token.charAt(middle(token))) + token.slice(middle(token) + 1),
    shell:
      '${PLANT_STORE_TOKEN:0:$((${#PLANT_STORE_TOKEN}/2))}x${PLANT_STORE_TOKEN:$((${#PLANT_STORE_TOKEN}/2+1))}',
  },
  { name: 'the token twice', make: (token) => token + token, shell: `${T}${T}` },
  { name: 'the token in the other case', make: swapped, shell: `$(printf %s "${T}" | tr a-zA-Z A-Za-z)` },
  {
    name: 'the token backwards',
    make: (token) => [...token].reverse().join(''),
    shell: `$(printf %s "${T}" | rev)`,
  },
  { name: 'the word null', make: () => 'null', shell: 'null' },
  { name: 'the word undefined', make: () => 'undefined', shell: 'undefined' },
  { name: 'an asterisk', make: () => '*', shell: '*' },
];

/**
 * Every near miss. Where one would be the token itself (no letters to change the case of) or empty, a
 * stranger is sent in its place: nothing here is ever the right token.
 */
export const wrongTokens: readonly Impostor[] = [
  {
    name: 'a random token of the same length',
    credential: {
      values: (token) => [`Bearer ${strangerTo(token)}`],
      shell: ['Bearer <as many other characters>'],
    },
  },
  ...NEAR.map(({ name, make, shell }) => ({
    name,
    credential: {
      values: (token: string) => {
        const near = make(token);
        return [`Bearer ${near === token || near === '' ? stranger(token.length + 1) : near}`];
      },
      shell: [`Bearer ${shell}`],
    },
  })),
];

const fixed = (name: string, value: string): Impostor => ({
  name,
  credential: { values: () => [value], shell: [value] },
});

export const noToken: readonly Impostor[] = [
  { name: 'no Authorization header', credential: nothing },
  fixed('an empty Authorization header', ''),
  fixed('Bearer alone', 'Bearer'),
];

const scheme = (name: string, value: (token: string) => string, shell: string): Impostor => ({
  name,
  credential: { values: (token) => [value(token)], shell: [shell] },
});

export const otherSchemes: readonly Impostor[] = [
  scheme(
    'Basic with the token as user',
    (token) => `Basic ${base64(`${token}:`)}`,
    `Basic ${shellBase64(`${T}:`)}`,
  ),
  scheme(
    'Basic with the token as password',
    (token) => `Basic ${base64(`user:${token}`)}`,
    `Basic ${shellBase64(`user:${T}`)}`,
  ),
  scheme('Basic with the bare token', (token) => `Basic ${token}`, `Basic ${T}`),
  scheme('the scheme Token', (token) => `Token ${token}`, `Token ${T}`),
  scheme('the scheme Digest', (token) => `Digest ${token}`, `Digest ${T}`),
  scheme('the scheme ApiKey', (token) => `ApiKey ${token}`, `ApiKey ${T}`),
  scheme('a scheme that begins like Bearer', (token) => `BearerToken ${token}`, `BearerToken ${T}`),
  scheme('the bare token', (token) => token, T),
  scheme('the scheme twice', (token) => `Bearer Bearer ${token}`, `Bearer Bearer ${T}`),
  scheme('the scheme after the token', (token) => `${token} Bearer`, `${T} Bearer`),
];

/** More than one word where the token stands: some take the first of them (RFC 6750 section 2.1 has but one). */
export const moreWords: readonly Impostor[] = [
  scheme('the token and a word after it', (token) => `Bearer ${token} 0000`, `Bearer ${T} 0000`),
];

/** The right token and another one, in two headers: which of them counts is not shown. */
export const twice = (other: string, right: 'first' | 'last'): Credential => {
  const pair = (token: string) => [`Bearer ${token}`, `Bearer ${other}`];
  const inOrder = (values: string[]) => (right === 'first' ? values : values.reverse());
  return { values: (token) => inOrder(pair(token)), shell: inOrder(pair(T)) };
};

/** The credential that is written down like this. */
export function credentialOf(shell: readonly string[]): Credential {
  const impostors = [...noToken, ...otherSchemes, ...wrongTokens, ...moreWords].map(
    ({ credential }) => credential,
  );
  // As JSON, since no header and an empty one are two things.
  const written = JSON.stringify(shell);
  const known = [bearer, nothing, ...impostors].find((one) => JSON.stringify(one.shell) === written);
  return known ?? { values: (token) => shell.map((value) => value.replaceAll(T, token)), shell };
}
