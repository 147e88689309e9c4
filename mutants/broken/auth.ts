import { json, type Received, startStore } from '../../reference/store.ts';
import { type BrokenStore, broken } from '../fleet.ts';
import { authorization, challenging, finding, html, letting, plain, unable } from '../helpers.ts';

const header = (pattern: RegExp) => (request: Received) => pattern.test(authorization(request) ?? '\0');
const absent = (request: Received) => authorization(request) === undefined;
const basic = (header: string) => {
  const [, pair] = /^basic +(\S+)$/i.exec(header) ?? [];
  const [user = '', ...password] =
    pair === undefined ? [] : Buffer.from(pair, 'base64').toString().split(':');
  return pair === undefined ? undefined : { user, password: password.join(':') };
};

/** The right token is also taken from another header. */
const carrying = (name: string, header: string): BrokenStore => ({
  name,
  breaks: `the token is sent in Authorization: ${header} will do`,
  fails: ['auth/rejects-other-carriers'],
  start: (token) =>
    startStore({
      token,
      steps: letting(({ headers }) => headers[header]?.some((value) => value.includes(token)) === true),
    }),
});

/** Whoever carries no valid bearer token is let in, or the store fails on them. */
export const auth: readonly BrokenStore[] = [
  carrying('auth-cookie', 'cookie'),
  carrying('auth-api-key', 'x-api-key'),
  broken(
    'auth-none',
    'a bearer token is needed: nothing is',
    ['auth/rejects-missing-token', 'auth/rejects-other-schemes', 'auth/rejects-wrong-tokens'],
    letting(() => true),
  ),
  broken(
    'auth-missing',
    'a bearer token is needed: checked only where there is a header',
    ['auth/decides-each-request-alone', 'auth/rejects-missing-token', 'serving/to-the-end'],
    letting(absent),
  ),
  broken(
    'auth-empty',
    'a bearer token is needed: an empty header will do',
    ['auth/rejects-missing-token'],
    letting(header(/^$/)),
  ),
  broken(
    'auth-falsy',
    'a bearer token is needed: no header or an empty one will do',
    ['auth/decides-each-request-alone', 'auth/rejects-missing-token', 'serving/to-the-end'],
    letting((request) => !authorization(request)),
  ),
  broken(
    'auth-bearer-alone',
    'a bearer token is needed: Bearer alone will do',
    ['auth/rejects-missing-token'],
    letting(header(/^bearer *$/i)),
  ),
  broken(
    'auth-any-header',
    'the token is checked: any header that is not empty will do',
    ['auth/rejects-missing-token', 'auth/rejects-other-schemes', 'auth/rejects-wrong-tokens'],
    letting(header(/^[^\0]+$/)),
  ),
  broken(
    'auth-any-token',
    'the token is checked: any will do',
    ['auth/decides-each-request-alone', 'auth/rejects-wrong-tokens', 'serving/after-a-barrage'],
    letting(header(/^bearer +\S+/i)),
  ),
  broken(
    'auth-any-long-token',
    'the token is checked: any of eight characters or more will do',
    ['auth/decides-each-request-alone', 'auth/rejects-wrong-tokens'],
    letting(header(/^bearer +\S{8,}/i)),
  ),
  broken(
    'auth-any-basic',
    'the scheme is Bearer: any Basic will do',
    ['auth/rejects-other-schemes'],
    letting(header(/^basic /i)),
  ),
  broken(
    'auth-basic-password',
    'the scheme is Bearer: the token as password of Basic',
    ['auth/rejects-other-schemes'],
    finding((said) => basic(said)?.password),
  ),
  broken(
    'auth-basic-user',
    'the scheme is Bearer: the token as user of Basic',
    ['auth/rejects-other-schemes'],
    finding((said) => basic(said)?.user),
  ),
  broken(
    'auth-bare',
    'the scheme is Bearer: the bare token will do',
    ['auth/rejects-other-schemes'],
    finding((said) => /^\S+$/.exec(said)?.[0]),
  ),
  broken(
    'auth-token-scheme',
    'the scheme is Bearer: Token will do',
    ['auth/rejects-other-schemes'],
    finding((said) => /^token +(\S+)$/i.exec(said)?.[1]),
  ),
  broken(
    'auth-any-scheme',
    'the scheme is Bearer: any will do',
    ['auth/rejects-other-schemes'],
    finding((said) => /^\S+ +(\S+)$/.exec(said)?.[1]),
  ),
  broken(
    'auth-last-word',
    'the scheme is Bearer: the last word of the header is the token',
    ['auth/rejects-other-schemes'],
    finding((said) => said.split(' ').at(-1)),
  ),
  broken(
    'auth-pass-through',
    'what is refused is no success: 200 with an Error',
    ['auth/rejects-missing-token', 'auth/rejects-other-schemes', 'auth/rejects-wrong-tokens'],
    challenging(() => json(200, { error: 401, message: 'a bearer token is needed' })),
  ),
  broken(
    'auth-204',
    'what is refused is no success: 204 without a header',
    ['auth/decides-each-request-alone', 'auth/rejects-missing-token', 'serving/to-the-end'],
    challenging((request) => (absent(request) ? { status: 204 } : undefined)),
  ),
  broken(
    'auth-login-page',
    'what is refused is no success: a page to log in, under 200',
    ['auth/rejects-missing-token', 'auth/rejects-other-schemes', 'auth/rejects-wrong-tokens'],
    challenging(() => html(200, 'Log in')),
  ),
  broken(
    'auth-202',
    'what is refused is no success: 202 to a wrong token',
    ['auth/rejects-missing-token', 'auth/rejects-other-schemes', 'auth/rejects-wrong-tokens'],
    challenging((request) => (absent(request) ? undefined : plain(202, 'checking'))),
  ),

  broken(
    'auth-missing-500',
    'no answer is 5xx: undefined.split() without a header',
    ['always/no-server-error'],
    unable(absent, 'fail'),
  ),
  broken(
    'auth-empty-500',
    'no answer is 5xx: 500 to an empty header',
    ['always/no-server-error'],
    unable(header(/^$/), 'fail'),
  ),
  broken(
    'auth-basic-500',
    'no answer is 5xx: 500 to Basic',
    ['always/no-server-error'],
    unable(header(/^basic /i), 'fail'),
  ),
  broken(
    'auth-bare-500',
    'no answer is 5xx: 500 to a header of one word',
    ['always/no-server-error'],
    unable(header(/^[^\s\0]+$/), 'fail'),
  ),
  broken(
    'auth-missing-cut',
    'every request is answered: the connection is cut without a header',
    ['always/answers'],
    unable(absent, 'cut'),
  ),
  broken(
    'auth-basic-hang',
    'every request is answered: silence to Basic',
    ['always/answers'],
    unable(header(/^basic /i), 'hang'),
  ),
  broken(
    'auth-provider-502',
    'no answer is 5xx: 502 where the token is not known to the provider',
    ['always/no-server-error'],
    challenging((request) =>
      absent(request) ? undefined : json(502, { error: 502, message: 'bad gateway' }),
    ),
  ),
];
