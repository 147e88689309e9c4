import { randomUUID } from 'node:crypto';
import { json, type Received, startStore } from '../../reference/store.ts';
import { type BrokenStore, broken, brokenBy, type Change } from '../fleet.ts';
import {
  type Asked,
  acceptingCredential,
  answering,
  authorization,
  challenging,
  finding,
  html,
  plain,
  unable,
} from '../helpers.ts';

const header = (pattern: RegExp) => (request: Received) => pattern.test(authorization(request) ?? '\0');
const absent = (request: Received) => authorization(request) === undefined;
const basic = (header: string) => {
  const [, pair] = /^basic +(\S+)$/i.exec(header) ?? [];
  const [user = '', ...password] =
    pair === undefined ? [] : Buffer.from(pair, 'base64').toString().split(':');
  return pair === undefined ? undefined : { user, password: password.join(':') };
};

/** Also accepts the right token in another header. */
const carrying = (name: string, header: string): BrokenStore => ({
  name,
  breaks: `accepts the token in the header ${header}`,
  fails: ['auth/rejects-other-carriers'],
  start: (token) =>
    startStore({
      token,
      steps: acceptingCredential(
        ({ headers }) => headers[header]?.some((value) => value.includes(token)) === true,
      ),
    }),
});

/** Begins a session with each plant. */
const withSessions: Change = (right) => {
  const sessions = new Set<string>();
  const guarded = acceptingCredential(({ headers }) =>
    [...sessions].some((id) => headers.cookie?.some((value) => value.includes(id)) === true),
  )(right);
  const started = answering((answer) => {
    const id = randomUUID();
    sessions.add(id);
    return { ...answer, headers: { ...answer.headers, 'set-cookie': `SESSION=${id}; Path=/; HttpOnly` } };
  })(right);
  return { ...guarded, ...started };
};

const findsToken = brokenBy(['auth/rejects-other-schemes'], finding);
const failsOn = brokenBy(['invariants/no-server-error'], (when: Asked) => unable(when, 'fail'));

/** Stores that accept requests without a valid bearer token, or fail on them. */
export const auth: readonly BrokenStore[] = [
  carrying('auth-cookie', 'cookie'),
  carrying('auth-api-key', 'x-api-key'),
  broken(
    'auth-session',
    'begins a session with each plant, and accepts its cookie instead of a token',
    ['auth/rejects-other-carriers'],
    withSessions,
  ),
  broken(
    'auth-none',
    'requires no token',
    ['auth/rejects-missing-token', 'auth/rejects-other-schemes', 'auth/rejects-wrong-tokens'],
    acceptingCredential(() => true),
  ),
  broken(
    'auth-missing',
    'checks the token only if there is an Authorization header',
    ['auth/rejects-after-an-accepted-request', 'auth/rejects-missing-token', 'state/answers-at-the-end'],
    acceptingCredential(absent),
  ),
  broken(
    'auth-empty',
    'accepts an empty Authorization header',
    ['auth/rejects-missing-token'],
    acceptingCredential(header(/^$/)),
  ),
  broken(
    'auth-falsy',
    'accepts a missing or empty Authorization header',
    ['auth/rejects-after-an-accepted-request', 'auth/rejects-missing-token', 'state/answers-at-the-end'],
    acceptingCredential((request) => !authorization(request)),
  ),
  broken(
    'auth-bearer-alone',
    'accepts Bearer without a token',
    ['auth/rejects-missing-token'],
    acceptingCredential(header(/^bearer *$/i)),
  ),
  broken(
    'auth-any-header',
    'accepts any Authorization header that is not empty',
    ['auth/rejects-missing-token', 'auth/rejects-other-schemes', 'auth/rejects-wrong-tokens'],
    acceptingCredential(header(/^[^\0]+$/)),
  ),
  broken(
    'auth-any-token',
    'accepts any bearer token',
    [
      'auth/rejects-after-an-accepted-request',
      'auth/rejects-wrong-tokens',
      'state/accepts-among-many-rejections',
    ],
    acceptingCredential(header(/^bearer +\S+/i)),
  ),
  broken(
    'auth-any-word',
    'accepts any bearer token without a space',
    [
      'auth/rejects-after-an-accepted-request',
      'auth/rejects-wrong-tokens',
      'state/accepts-among-many-rejections',
    ],
    acceptingCredential(header(/^bearer +\S+$/i)),
  ),
  {
    name: 'auth-unanchored',
    breaks: 'looks for Bearer and the token anywhere in the header',
    fails: ['auth/rejects-other-schemes'],
    start: (token) =>
      startStore({
        token,
        steps: acceptingCredential((request) => authorization(request)?.endsWith(`Bearer ${token}`) === true),
      }),
  },
  {
    name: 'auth-case-of-lower-scheme',
    breaks: 'compares the token without regard to case if the scheme is in lower case',
    fails: ['combinations/rejects-invalid-credentials'],
    start: (token) =>
      startStore({
        token,
        steps: acceptingCredential((request) => {
          const [, own = ''] = /^bearer (\S+)$/.exec(authorization(request) ?? '') ?? [];
          return own.toLowerCase() === token.toLowerCase();
        }),
      }),
  },
  broken(
    'auth-any-long-token',
    'accepts any bearer token of eight characters or more',
    ['auth/rejects-after-an-accepted-request', 'auth/rejects-wrong-tokens'],
    acceptingCredential(header(/^bearer +\S{8,}/i)),
  ),
  broken(
    'auth-any-three-parts',
    'accepts any token in three parts: the check of a JSON Web Token is not awaited',
    ['auth/rejects-wrong-tokens', 'combinations/rejects-invalid-credentials'],
    acceptingCredential(header(/^bearer +[\w-]+(?:\.[\w-]+){2}$/i)),
  ),
  broken(
    'auth-any-basic',
    'accepts any Basic credentials',
    ['auth/rejects-other-schemes'],
    acceptingCredential(header(/^basic /i)),
  ),
  findsToken(
    'auth-basic-password',
    'accepts the token as the password of Basic credentials',
    (header) => basic(header)?.password,
  ),
  findsToken(
    'auth-basic-user',
    'accepts the token as the user of Basic credentials',
    (header) => basic(header)?.user,
  ),
  findsToken('auth-bare', 'accepts the token without a scheme', (header) => /^\S+$/.exec(header)?.[0]),
  findsToken(
    'auth-token-scheme',
    'accepts the token under the scheme Token',
    (header) => /^token +(\S+)$/i.exec(header)?.[1],
  ),
  findsToken(
    'auth-any-scheme',
    'accepts the token under any scheme',
    (header) => /^\S+ +(\S+)$/.exec(header)?.[1],
  ),
  findsToken('auth-last-word', 'takes the last word of the header as the token', (header) =>
    header.split(' ').at(-1),
  ),
  broken(
    'auth-pass-through',
    'answers an unauthorised request with 200 and an Error',
    ['auth/rejects-missing-token', 'auth/rejects-other-schemes', 'auth/rejects-wrong-tokens'],
    challenging(() => json(200, { error: 401, message: 'a bearer token is required' })),
  ),
  broken(
    'auth-204',
    'answers a request without an Authorization header with 204',
    ['auth/rejects-after-an-accepted-request', 'auth/rejects-missing-token', 'state/answers-at-the-end'],
    challenging((request) => (absent(request) ? { status: 204 } : undefined)),
  ),
  broken(
    'auth-login-page',
    'answers an unauthorised request with 200 and a login page',
    ['auth/rejects-missing-token', 'auth/rejects-other-schemes', 'auth/rejects-wrong-tokens'],
    challenging(() => html(200, 'Log in')),
  ),
  broken(
    'auth-202',
    'answers a wrong token with 202',
    ['auth/rejects-missing-token', 'auth/rejects-other-schemes', 'auth/rejects-wrong-tokens'],
    challenging((request) => (absent(request) ? undefined : plain(202, 'checking'))),
  ),

  failsOn('auth-missing-500', '500 if there is no Authorization header: undefined.split()', absent),
  failsOn('auth-empty-500', '500 if the Authorization header is empty', header(/^$/)),
  failsOn('auth-basic-500', '500 if the scheme is Basic', header(/^basic /i)),
  failsOn('auth-basic-colons-500', 'fails on Basic credentials with more than one colon', (request) =>
    (basic(authorization(request) ?? '')?.password ?? '').includes(':'),
  ),
  failsOn('auth-bare-500', '500 if the Authorization header is a single word', header(/^[^\s\0]+$/)),
  {
    name: 'auth-length-500',
    breaks: '500 if the token differs in length from the right one: timingSafeEqual throws',
    fails: ['invariants/no-server-error', 'auth/answers-401'],
    start: (token) =>
      startStore({
        token,
        steps: unable((request) => {
          const [, given] = /^bearer +(.*)$/i.exec(authorization(request) ?? '') ?? [];
          return given !== undefined && Buffer.byteLength(given) !== Buffer.byteLength(token);
        }, 'fail'),
      }),
  },
  broken(
    'auth-missing-cut',
    'closes the connection if there is no Authorization header',
    ['invariants/answers'],
    unable(absent, 'cut'),
  ),
  broken(
    'auth-basic-hang',
    'does not answer if the scheme is Basic',
    ['invariants/answers'],
    unable(header(/^basic /i), 'hang'),
  ),
  broken(
    'auth-provider-502',
    '502 if the identity provider does not know the token',
    ['invariants/no-server-error'],
    challenging((request) =>
      absent(request) ? undefined : json(502, { error: 502, message: 'bad gateway' }),
    ),
  ),
];
