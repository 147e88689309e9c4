import { createHash } from 'node:crypto';
import { bearer, type Credential, nothing } from './case.ts';

/** A credential that is not the one that the store takes, or not where it belongs. */
export interface Impostor {
  readonly name: string;
  /** What a store would have to do wrong to accept it. */
  readonly family: string;
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

/** The claims of an administrator, under the algorithm `none` (RFC 7519 section 6). */
const UNSIGNED = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIiwicm9sZSI6ImFkbWluIn0.';

const middle = (token: string) => Math.floor(token.length / 2);
const other = (character: string) => (character === 'x' ? 'y' : 'x');
const swapped = (token: string) =>
  [...token].map((c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase())).join('');

interface Near {
  readonly name: string;
  readonly family: string;
  readonly make: (token: string) => string;
  readonly shell: string;
}

/** Tokens that resemble the right one. None can decode to the same signature: no end alone is changed. */
const NEAR: readonly Near[] = [
  { name: 'a random token', family: 'any token', make: () => 'f3a91c07d2', shell: 'f3a91c07d2' },
  {
    name: 'the token with something after it',
    family: 'more than the token',
    make: (token) => `${token}0000`,
    shell: '${PLANT_STORE_TOKEN}0000',
  },
  {
    name: 'the token with something before it',
    family: 'more than the token',
    make: (token) => `0000${token}`,
    shell: `0000${T}`,
  },
  {
    name: 'the first half of the token',
    family: 'beginning of the token',
    make: (token) => token.slice(0, middle(token)),
    shell: '${PLANT_STORE_TOKEN:0:$((${#PLANT_STORE_TOKEN}/2))}',
  },
  {
    name: 'the second half of the token',
    family: 'end of the token',
    make: (token) => token.slice(middle(token)),
    shell: '${PLANT_STORE_TOKEN:$((${#PLANT_STORE_TOKEN}/2))}',
  },
  {
    name: 'the token without its first character',
    family: 'end of the token',
    make: (token) => token.slice(1),
    shell: '${PLANT_STORE_TOKEN:1}',
  },
  {
    name: 'the token with another first character',
    family: 'changed token',
    make: (token) => other(token.charAt(0)) + token.slice(1),
    shell: 'x${PLANT_STORE_TOKEN:1}',
  },
  {
    name: 'the token with another character in its middle',
    family: 'changed token',
    make: (token) =>
      token.slice(0, middle(token)) + other(token.charAt(middle(token))) + token.slice(middle(token) + 1),
    shell:
      '${PLANT_STORE_TOKEN:0:$((${#PLANT_STORE_TOKEN}/2))}x${PLANT_STORE_TOKEN:$((${#PLANT_STORE_TOKEN}/2+1))}',
  },
  {
    name: 'the token twice',
    family: 'more than the token',
    make: (token) => token + token,
    shell: `${T}${T}`,
  },
  {
    name: 'the token in the other case',
    family: 'other case',
    make: swapped,
    shell: `$(printf %s "${T}" | tr a-zA-Z A-Za-z)`,
  },
  {
    name: 'the token backwards',
    family: 'rearranged token',
    make: (token) => [...token].reverse().join(''),
    shell: `$(printf %s "${T}" | rev)`,
  },
  {
    name: 'the token without its last quarter',
    family: 'beginning of the token',
    make: (token) => token.slice(0, Math.ceil((3 * token.length) / 4)),
    shell: '${PLANT_STORE_TOKEN:0:$(((3*${#PLANT_STORE_TOKEN}+3)/4))}',
  },
  {
    name: 'the token with its halves swapped',
    family: 'rearranged token',
    make: (token) => token.slice(middle(token)) + token.slice(0, middle(token)),
    shell:
      '${PLANT_STORE_TOKEN:$((${#PLANT_STORE_TOKEN}/2))}${PLANT_STORE_TOKEN:0:$((${#PLANT_STORE_TOKEN}/2))}',
  },
  {
    name: 'the token with a letter added in its middle',
    family: 'more than the token',
    make: (token) => `${token.slice(0, middle(token))}x${token.slice(middle(token))}`,
    shell:
      '${PLANT_STORE_TOKEN:0:$((${#PLANT_STORE_TOKEN}/2))}x${PLANT_STORE_TOKEN:$((${#PLANT_STORE_TOKEN}/2))}',
  },
  {
    name: 'the token with its first letter in the other case',
    family: 'other case',
    make: (token) => swapped(token.charAt(0)) + token.slice(1),
    shell: '$(printf %.1s "$PLANT_STORE_TOKEN" | tr a-zA-Z A-Za-z)${PLANT_STORE_TOKEN:1}',
  },
  { name: 'a token of one letter', family: 'short token', make: () => 'x', shell: 'x' },
  { name: 'a token of digits', family: 'short token', make: () => '123456789012', shell: '123456789012' },
  {
    name: 'a token of three parts',
    family: 'JSON Web Token',
    make: () => 'e30.e30.c2ln',
    shell: 'e30.e30.c2ln',
  },
  {
    name: 'a token of three parts that are no JSON',
    family: 'JSON Web Token',
    make: () => 'e.x.y',
    shell: 'e.x.y',
  },
  { name: 'a token of three empty parts', family: 'JSON Web Token', make: () => '..', shell: '..' },
  { name: 'an unsigned JSON Web Token', family: 'JSON Web Token', make: () => UNSIGNED, shell: UNSIGNED },
  {
    name: 'a token of 4 KiB',
    family: 'long token',
    make: () => 'x'.repeat(4096),
    shell: "$(printf 'x%.0s' {1..4096})",
  },
  { name: 'a token beyond ASCII', family: 'odd characters', make: () => 'tok\u00e9n', shell: 'tok\u00e9n' },
  { name: 'a quote', family: 'odd characters at the end', make: () => '"', shell: '"' },
  {
    name: 'two wrong tokens with a comma between',
    family: 'odd characters',
    make: () => 'f3a91c07d2,91c07d2f3a',
    shell: 'f3a91c07d2,91c07d2f3a',
  },
  {
    name: 'what means something to a database',
    family: 'odd characters',
    make: () => "'OR'1'='1",
    shell: "'OR'1'='1",
  },
  {
    name: 'what is padded',
    family: 'odd characters at the end',
    make: () => 'f3a91c07d2==',
    shell: 'f3a91c07d2==',
  },
  { name: 'the word null', family: 'word', make: () => 'null', shell: 'null' },
  { name: 'the word undefined', family: 'word', make: () => 'undefined', shell: 'undefined' },
  { name: 'an asterisk', family: 'word', make: () => '*', shell: '*' },
];

/**
 * Every near miss. Where one would be the token itself (no letters to change the case of) or empty, a
 * stranger is sent in its place: nothing here is ever the right token.
 */
export const wrongTokens: readonly Impostor[] = [
  {
    name: 'a random token of the same length',
    family: 'any token',
    credential: {
      values: (token) => [`Bearer ${strangerTo(token)}`],
      shell: ['Bearer <as many other characters>'],
    },
  },
  ...NEAR.map(({ name, family, make, shell }) => ({
    name,
    family,
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
  family: name,
  credential: { values: () => [value], shell: [value] },
});

export const noToken: readonly Impostor[] = [
  { name: 'no Authorization header', family: 'no header', credential: nothing },
  fixed('an empty Authorization header', ''),
  fixed('Bearer alone', 'Bearer'),
];

const scheme = (
  name: string,
  value: (token: string) => string,
  shell: string,
  family = 'other scheme',
): Impostor => ({
  name,
  family,
  credential: { values: (token) => [value(token)], shell: [shell] },
});

export const otherSchemes: readonly Impostor[] = [
  scheme(
    'Basic with the token as user',
    (token) => `Basic ${base64(`${token}:`)}`,
    `Basic ${shellBase64(`${T}:`)}`,
    'Basic',
  ),
  scheme(
    'Basic with the token as password',
    (token) => `Basic ${base64(`user:${token}`)}`,
    `Basic ${shellBase64(`user:${T}`)}`,
    'Basic',
  ),
  scheme('Basic with the bare token', (token) => `Basic ${token}`, `Basic ${T}`, 'Basic'),
  scheme('the scheme Token', (token) => `Token ${token}`, `Token ${T}`),
  scheme('the scheme Digest', (token) => `Digest ${token}`, `Digest ${T}`),
  scheme('the scheme ApiKey', (token) => `ApiKey ${token}`, `ApiKey ${T}`),
  scheme(
    'a scheme that begins like Bearer',
    (token) => `BearerToken ${token}`,
    `BearerToken ${T}`,
    'nearly Bearer',
  ),
  scheme('the bare token', (token) => token, T, 'bare token'),
  scheme('the scheme Negotiate', (token) => `Negotiate ${token}`, `Negotiate ${T}`),
  scheme(
    'the scheme and the token without a space',
    (token) => `Bearer${token}`,
    `Bearer${T}`,
    'nearly Bearer',
  ),
  scheme(
    'the scheme in lower case and a random token',
    () => 'bearer 91c07d2f3a',
    'bearer 91c07d2f3a',
    'any token',
  ),
  scheme('two spaces and a random token', () => 'Bearer  91c07d2f3a', 'Bearer  91c07d2f3a', 'any token'),
  scheme('the scheme twice', (token) => `Bearer Bearer ${token}`, `Bearer Bearer ${T}`, 'nearly Bearer'),
  scheme('the scheme after the token', (token) => `${token} Bearer`, `${T} Bearer`, 'nearly Bearer'),
];

/** More than one word where the token stands: some take the first of them (RFC 6750 section 2.1 has but one). */
export const moreWords: readonly Impostor[] = [
  scheme('the token and a word after it', (token) => `Bearer ${token} 0000`, `Bearer ${T} 0000`),
];

const carrier = (header: string, value: (token: string) => string, shell: string): Impostor => ({
  name: `the token in ${header} alone`,
  family: header.startsWith('x-') ? 'header of an API key' : 'other carrier',
  credential: { header, values: (token) => [value(token)], shell: [shell] },
});

/** The right token where it does not belong, and no Authorization header (interface, section 5, rule 2). */
export const otherCarriers: readonly Impostor[] = [
  carrier(
    'cookie',
    (token) => `token=${token}; access_token=${token}; session=${token}`,
    `token=${T}; access_token=${T}; session=${T}`,
  ),
  ...['proxy-authorization', 'x-forwarded-authorization'].map((header) =>
    carrier(header, (token) => `Bearer ${token}`, `Bearer ${T}`),
  ),
  ...['x-api-key', 'x-auth-token', 'x-access-token'].map((header) => carrier(header, (token) => token, T)),
];

/** Everything that is not the right token where it belongs. */
export const everyImpostor: readonly Impostor[] = [
  ...noToken,
  ...otherSchemes,
  ...wrongTokens,
  ...otherCarriers,
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
