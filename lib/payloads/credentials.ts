import { createHash, randomBytes } from 'node:crypto';
import { TOKEN_IN_SHELL } from '../token-variable.ts';
import { type Credential, noCredential, validCredential } from './test-case.ts';

/** Placeholders with which a record stands for generated tokens. Shell commands generate their own. */
export const ANOTHER_TOKEN = '<another token of the same length>';
export const RANDOM_CHARACTERS = '<as many random characters>';

/** A credential that the store must reject: a wrong one, or the right one in the wrong place. */
export interface InvalidCredential {
  readonly name: string;
  /** The kind of mistake that a store makes if it accepts the credential. */
  readonly kind: string;
  readonly credential: Credential;
}

const T = TOKEN_IN_SHELL;
const base64 = (text: string) => Buffer.from(text).toString('base64');
const shellBase64 = (text: string) => `$(printf %s "${text}" | base64 | tr -d '[:space:]')`;

const unknownToken = (length: number, words = 'a token that no store knows') =>
  createHash('sha512')
    .update(words)
    .digest('hex')
    .repeat(1 + length / 128)
    .slice(0, length);

const tokenUnlike = (token: string) => {
  const sampled = unknownToken(token.length);
  return sampled === token ? other(sampled.charAt(0)) + sampled.slice(1) : sampled;
};

/** An unsigned JSON Web Token (algorithm `none`, RFC 7519 section 6) with the claims of an administrator. */
const UNSIGNED = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIiwicm9sZSI6ImFkbWluIn0.';

const middle = (token: string) => Math.floor(token.length / 2);
const other = (character: string) => (character === 'x' ? 'y' : 'x');
const swapped = (token: string) =>
  [...token].map((c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase())).join('');

/** A part of a wrong token: plain text, or derived from the right token, both here and in a shell. */
type TokenPart = string | { readonly of: (token: string) => string; readonly shell: string };

const TOKEN: TokenPart = { of: (token) => token, shell: T };
const FIRST_HALF: TokenPart = {
  of: (token) => token.slice(0, middle(token)),
  shell: '${PLANT_STORE_TOKEN:0:$((${#PLANT_STORE_TOKEN}/2))}',
};
const SECOND_HALF: TokenPart = {
  of: (token) => token.slice(middle(token)),
  shell: '${PLANT_STORE_TOKEN:$((${#PLANT_STORE_TOKEN}/2))}',
};
const AFTER_FIRST: TokenPart = { of: (token) => token.slice(1), shell: '${PLANT_STORE_TOKEN:1}' };
const AFTER_MIDDLE: TokenPart = {
  of: (token) => token.slice(middle(token) + 1),
  shell: '${PLANT_STORE_TOKEN:$((${#PLANT_STORE_TOKEN}/2+1))}',
};
const OTHER_FIRST: TokenPart = { of: (token) => other(token.charAt(0)), shell: 'x' };
const OTHER_MIDDLE: TokenPart = { of: (token) => other(token.charAt(middle(token))), shell: 'x' };

/**
 * A wrong token made of parts. An unknown token takes its place if it turns out empty, or equal to the right
 * one, which may have no case to swap.
 */
function near(name: string, kind: string, ...parts: readonly TokenPart[]): InvalidCredential {
  const all = parts.map((part) => (typeof part === 'string' ? { of: () => part, shell: part } : part));
  const shell = all.map((part) => part.shell).join('');
  return {
    name,
    kind,
    credential: {
      values(token) {
        const made = all.map((part) => part.of(token)).join('');
        return [`Bearer ${made === token || made === '' ? unknownToken(token.length + 1) : made}`];
      },
      // Without braces, a shell would read what follows as part of the variable's name.
      shell: [`Bearer ${shell.replace(/\$PLANT_STORE_TOKEN(?=\w)/g, '${PLANT_STORE_TOKEN}')}`],
    },
  };
}

const longToken = (length: number): TokenPart => ({
  of: () => 'x'.repeat(length),
  shell: length < 60 ? 'x'.repeat(length) : `$(printf 'x%.0s' {1..${length}})`,
});

/**
 * None of them changes only the last characters: in a JSON Web Token, these may not affect the decoded
 * signature.
 */
export const wrongTokens: readonly InvalidCredential[] = [
  {
    name: 'a random token of the same length',
    kind: 'any token',
    credential: {
      values: (token) => [`Bearer ${tokenUnlike(token)}`],
      shell: [`Bearer ${ANOTHER_TOKEN}`],
    },
  },
  near('a random token', 'any token', 'f3a91c07d2'),
  near('the token with characters appended', 'more than the token', TOKEN, '0000'),
  near('the token with characters prepended', 'more than the token', '0000', TOKEN),
  near('the token with Base64 padding', 'more than the token', TOKEN, '=='),
  // A store that splits the token at a separator may compare only one part.
  ...['.', ':', '/', ',', ';'].flatMap((mark) => [
    near(`the token with "${mark}x" appended`, 'more than the token', TOKEN, `${mark}x`),
    near(`the token with "x${mark}" prepended`, 'more than the token', `x${mark}`, TOKEN),
  ]),
  near('the first half of the token', 'beginning of the token', FIRST_HALF),
  near('the second half of the token', 'end of the token', SECOND_HALF),
  near('the token without its first character', 'end of the token', AFTER_FIRST),
  near('the token with a different first character', 'changed token', OTHER_FIRST, AFTER_FIRST),
  near(
    'the token with a different character in the middle',
    'changed token',
    FIRST_HALF,
    OTHER_MIDDLE,
    AFTER_MIDDLE,
  ),
  near('the token twice', 'more than the token', TOKEN, TOKEN),
  near('the token with upper and lower case swapped', 'other case', {
    of: swapped,
    shell: `$(printf %s "${T}" | tr a-zA-Z A-Za-z)`,
  }),
  near('the token reversed', 'changed token', {
    of: (token) => [...token].reverse().join(''),
    shell: `$(printf %s "${T}" | rev)`,
  }),
  near('the token without its last quarter', 'beginning of the token', {
    of: (token) => token.slice(0, Math.ceil((3 * token.length) / 4)),
    shell: '${PLANT_STORE_TOKEN:0:$(((3*${#PLANT_STORE_TOKEN}+3)/4))}',
  }),
  near('the token with its halves swapped', 'changed token', SECOND_HALF, FIRST_HALF),
  near('the token with a letter inserted in the middle', 'more than the token', FIRST_HALF, 'x', SECOND_HALF),
  near(
    'the token with the case of its first letter swapped',
    'other case',
    {
      of: (token) => swapped(token.charAt(0)),
      shell: '$(printf %.1s "$PLANT_STORE_TOKEN" | tr a-zA-Z A-Za-z)',
    },
    AFTER_FIRST,
  ),
  near('a token of one letter', 'short token', 'x'),
  near('a token of digits', 'short token', '123456789012'),
  near('a token in three parts', 'JSON Web Token', 'e30.e30.c2ln'),
  near('a token in three parts that are not JSON', 'JSON Web Token', 'e.x.y'),
  near('a token in three empty parts', 'JSON Web Token', '..'),
  near('an unsigned JSON Web Token', 'JSON Web Token', UNSIGNED),
  near('a token of 4 KiB', 'long token', longToken(4096)),
  near('a token that is not ASCII', 'odd characters', 'tok\u00e9n'),
  // As long as the token in characters, but longer in UTF-8 bytes.
  near(
    'the token with an accented letter in the middle',
    'odd characters',
    FIRST_HALF,
    { of: () => '\u00e9', shell: "$(printf '\\351')" },
    AFTER_MIDDLE,
  ),
  // Compatibility normalization turns this into the right token (Unicode TR 15).
  near(
    'the token with a full-width first letter',
    'odd characters',
    {
      of: (token) => Buffer.from(String.fromCharCode(0xfee0 + token.charCodeAt(0))).toString('latin1'),
      shell:
        "$(printf %.1s \"$PLANT_STORE_TOKEN\" | LC_ALL=C sed 's/[!-_]/\\xef\\xbc&/; s/[`-~]/\\xef\\xbd&/' | LC_ALL=C tr '!-~' '\\201-\\277\\200-\\236')",
    },
    AFTER_FIRST,
  ),
  near('a quotation mark', 'odd characters at the end', '"'),
  near('two wrong tokens separated by a comma', 'odd characters', 'f3a91c07d2,91c07d2f3a'),
  near('an SQL injection', 'odd characters', "'OR'1'='1"),
  near('a wrong token with Base64 padding', 'odd characters at the end', 'f3a91c07d2=='),
  near('the word null', 'word', 'null'),
  near('the word undefined', 'word', 'undefined'),
  near('an asterisk', 'word', '*'),
  // If a store looks up tokens in an object, inherited properties exist in it, too.
  near('the word constructor', 'word', 'constructor'),
  near('the word __proto__', 'word', '__proto__'),
];

export function wrongToken(name: string): Credential {
  const found = wrongTokens.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no wrong token called ${name}`);
  return found.credential;
}

/** Returns a wrong bearer token of this many characters. */
export const wrongTokenOf = (length: number): Credential =>
  near(`a token of ${length} characters`, 'any token', longToken(length)).credential;

/** An Authorization value that contains the token as it is, unless `shell` says how it is encoded. */
const scheme = (
  name: string,
  value: (token: string) => string,
  kind = 'other scheme',
  shell = value(T),
): InvalidCredential => ({
  name,
  kind,
  credential: { values: (token) => [value(token)], shell: [shell] },
});

export const noToken: readonly InvalidCredential[] = [
  { name: 'no Authorization header', kind: 'no header', credential: noCredential },
  scheme('an empty Authorization header', () => '', 'an empty Authorization header'),
  scheme('Bearer without a token', () => 'Bearer', 'Bearer without a token'),
];

/** Another scheme, without the token. */
const FOREIGN = 'foreign credentials';

export const otherSchemes: readonly InvalidCredential[] = [
  scheme(
    'Basic with the token as user',
    (token) => `Basic ${base64(`${token}:`)}`,
    'Basic',
    `Basic ${shellBase64(`${T}:`)}`,
  ),
  scheme(
    'Basic with the token as password',
    (token) => `Basic ${base64(`user:${token}`)}`,
    'Basic',
    `Basic ${shellBase64(`user:${T}`)}`,
  ),
  scheme('Basic with the bare token', (token) => `Basic ${token}`, 'Basic'),
  scheme('Basic with colons in the password', () => `Basic ${base64('user:pass:word:')}`, FOREIGN),
  scheme('Basic without a colon', () => `Basic ${base64('user')}`, FOREIGN),
  scheme('Basic that is not Base64', () => 'Basic %?%', FOREIGN),
  // RFC 7616 section 3.4.
  scheme(
    'a Digest response',
    () => 'Digest username="user", realm="plants", nonce="f3a9", uri="/plants", response="91c07d2f"',
    FOREIGN,
  ),
  scheme(
    'an AWS signature',
    () =>
      'AWS4-HMAC-SHA256 Credential=AKID/20260101/eu/plants/aws4_request, SignedHeaders=host, Signature=91c07d2f',
    FOREIGN,
  ),
  scheme('the scheme Token', (token) => `Token ${token}`),
  scheme('the scheme Digest', (token) => `Digest ${token}`),
  scheme('the scheme ApiKey', (token) => `ApiKey ${token}`),
  scheme('a scheme that starts with Bearer', (token) => `BearerToken ${token}`, 'nearly Bearer'),
  scheme('the token without a scheme', (token) => token, 'bare token'),
  scheme('the scheme Negotiate', (token) => `Negotiate ${token}`),
  scheme('the scheme and the token without a space', (token) => `Bearer${token}`, 'nearly Bearer'),
  scheme('the scheme in lower case with a random token', () => 'bearer 91c07d2f3a', 'any token'),
  scheme('two spaces before a random token', () => 'Bearer  91c07d2f3a', 'any token'),
  // A pattern that is not anchored finds Bearer in these.
  scheme('a scheme that ends with Bearer', (token) => `XBearer ${token}`, 'nearly Bearer'),
  scheme('Bearer after another scheme', (token) => `Basic Bearer ${token}`, 'nearly Bearer'),
  scheme('the scheme twice', (token) => `Bearer Bearer ${token}`, 'nearly Bearer'),
  scheme('the scheme after the token', (token) => `${token} Bearer`, 'nearly Bearer'),
];

/** Returns a wrong token, as long as the right one, that no store has seen before. */
export const unseenToken = (): Credential => {
  const words = randomBytes(16).toString('hex');
  return {
    values: (token) => [`Bearer ${unknownToken(token.length, words)}`],
    shell: [`Bearer ${RANDOM_CHARACTERS}`],
  };
};

/** Some stores read only the first word (RFC 6750 section 2.1 allows only one). */
export const moreWords: readonly InvalidCredential[] = [
  scheme('the token followed by another word', (token) => `Bearer ${token} 0000`),
];

const carrier = (header: string, value: (token: string) => string): InvalidCredential => ({
  name: `the token in ${header} instead of Authorization`,
  kind: header.startsWith('x-') ? 'header of an API key' : 'other carrier',
  credential: { header, values: (token) => [value(token)], shell: [value(T)] },
});

export const KEPT_COOKIES = '<cookies of an earlier response>';

/** The cookies of a session that the store keeps. If it sets none, the request has no credential at all. */
export const keptCookies: InvalidCredential = {
  name: 'the cookies of an earlier response',
  kind: 'other carrier',
  credential: {
    header: 'cookie',
    values: (_token, cookies = '') => (cookies === '' ? [] : [cookies]),
    shell: [KEPT_COOKIES],
  },
};

/** The right token in the wrong place, without an Authorization header (interface, section 5, rule 2). */
export const otherCarriers: readonly InvalidCredential[] = [
  carrier('cookie', (token) => `token=${token}; access_token=${token}; session=${token}`),
  ...['proxy-authorization', 'x-forwarded-authorization'].map((header) =>
    carrier(header, (token) => `Bearer ${token}`),
  ),
  keptCookies,
  ...['x-api-key', 'x-auth-token', 'x-access-token'].map((header) => carrier(header, (token) => token)),
];

export const invalidCredentials: readonly InvalidCredential[] = [
  ...noToken,
  ...otherSchemes,
  ...wrongTokens,
  ...otherCarriers,
];

/** Returns the right token and another one, in two headers. The interface does not say which counts. */
export const rightAndWrong = (other: string, right: 'first' | 'last'): Credential => {
  const pair = (token: string) => [`Bearer ${token}`, `Bearer ${other}`];
  const inOrder = (values: string[]) => (right === 'first' ? values : values.reverse());
  return { values: (token) => inOrder(pair(token)), shell: inOrder(pair(T)) };
};

/** Returns whether a credential is right, however spelled (RFC 9110 section 11.1, RFC 6750 section 2.1). */
export function isAuthorised(credential: Credential = validCredential, token: string): boolean {
  if (credential === validCredential) return true;
  const [value, ...others] = credential.values(token);
  if (credential.header !== undefined || value === undefined || others.length > 0) return false;
  const [scheme = '', word, ...more] = value.trim().split(/ +/);
  return scheme.toLowerCase() === 'bearer' && word === token && more.length === 0;
}

export function credentialOf(shell: readonly string[]): Credential {
  const invalid = [...noToken, ...otherSchemes, ...wrongTokens, ...moreWords];
  // Compared as JSON, because no header and an empty header are different.
  const written = JSON.stringify(shell);
  const known = [validCredential, noCredential, ...invalid.map(({ credential }) => credential)];
  return (
    known.find((one) => JSON.stringify(one.shell) === written) ?? {
      values: (token) => shell.map((value) => value.replaceAll(T, token)),
      shell,
    }
  );
}
