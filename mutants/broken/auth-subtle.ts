import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { Rejection, startStore } from '../../reference/store.ts';
import { type BrokenStore, broken, brokenBy, type Change } from '../fleet.ts';
import {
  accepting,
  acceptingCredential,
  authorization,
  comparingTokens,
  every,
  lastIs,
  overlapping,
  seen,
  seenBefore,
  tagless,
  type When,
  withFreshState,
} from '../helpers.ts';

const half = (token: string) => Math.ceil(token.length / 2);

/** Skips authentication for some bodies. */
const unguarded = (when: When): Change => acceptingCredential((request) => when(seen(request)));

const doesNotGuard = brokenBy(['combinations/rejects-invalid-credentials'], unguarded);

/**
 * Compares correctly, but accepts some requests nevertheless: `watch` sees the result of every
 * authentication.
 */
const watched =
  (make: () => { observe(right: boolean, socket: Socket): void; accepts(socket: Socket): boolean }): Change =>
  (right) => {
    const watch = make();
    return {
      authenticate(request) {
        const { socket } = request.message;
        try {
          right.authenticate(request);
        } catch (error) {
          const accepted = watch.accepts(socket);
          watch.observe(false, socket);
          if (!accepted) throw error;
          return;
        }
        watch.observe(true, socket);
      },
    };
  };

/** Stores that accept an invalid token or none, but only sometimes. */
export const authSubtle: readonly BrokenStore[] = [
  // What is compared.
  comparingTokens(
    'auth-starts-with',
    'accepts any token that begins with the right one',
    ['auth/rejects-after-an-accepted-request', 'auth/rejects-wrong-tokens'],
    (given, token) => given.startsWith(token),
  ),
  comparingTokens(
    'auth-part',
    'accepts the right token followed by a full stop and more text, as if that were a fourth part of a JSON Web Token',
    ['auth/rejects-wrong-tokens'],
    (given, token) => given.startsWith(`${token}.`),
  ),
  comparingTokens(
    'auth-before-comma',
    'compares only what precedes a comma, as if the header were a list',
    ['auth/rejects-wrong-tokens'],
    (given, token) => given.split(',')[0] === token,
  ),
  comparingTokens(
    'auth-prefix',
    'accepts any prefix of the right token',
    ['auth/rejects-wrong-tokens'],
    (given, token) => token.startsWith(given),
  ),
  comparingTokens(
    'auth-any-case',
    'compares the token case-insensitively',
    ['auth/rejects-wrong-tokens'],
    (given, token) => given.toLowerCase() === token.toLowerCase(),
  ),
  comparingTokens(
    'auth-same-length',
    'compares only the length of the token',
    ['auth/rejects-after-an-accepted-request', 'auth/rejects-wrong-tokens'],
    (given, token) => given.length === token.length,
  ),
  comparingTokens(
    'auth-contains',
    'accepts any token that contains the right one',
    ['auth/rejects-after-an-accepted-request', 'auth/rejects-wrong-tokens'],
    (given, token) => given.includes(token),
  ),
  comparingTokens(
    'auth-first-half',
    'compares only the first half of the token',
    ['auth/rejects-after-an-accepted-request', 'auth/rejects-wrong-tokens'],
    (given, token) => given.startsWith(token.slice(0, half(token))),
  ),
  comparingTokens(
    'auth-given-length',
    'compares only as many characters as were sent (strncmp)',
    ['auth/rejects-wrong-tokens'],
    (given, token) => given.length > 1 && token.startsWith(given),
  ),
  comparingTokens(
    'auth-at-least-as-long',
    'accepts any token that is at least as long as the right one',
    ['auth/rejects-after-an-accepted-request', 'auth/rejects-wrong-tokens'],
    (given, token) => given.length >= token.length,
  ),
  {
    name: 'auth-anywhere',
    breaks: 'accepts any Authorization header that contains the token, whatever the scheme',
    fails: [
      'auth/rejects-after-an-accepted-request',
      'auth/rejects-other-schemes',
      'auth/rejects-wrong-tokens',
    ],
    start: (token) =>
      startStore({
        token,
        steps: acceptingCredential((request) => authorization(request)?.includes(token) ?? false),
      }),
  },

  // Which bodies are authenticated.
  doesNotGuard(
    'auth-guards-small',
    'authenticates only requests shorter than 2 KiB',
    ({ text }) => text.length > 2048,
  ),
  doesNotGuard('auth-guards-tagged', 'authenticates only plants with a tag', tagless),
  doesNotGuard(
    'auth-guards-short',
    'authenticates only plants whose name has at most 20 characters',
    ({ name }) => name.length > 20,
  ),
  broken(
    'auth-guards-odd',
    'authenticates only plants with an odd id',
    ['auth/rejects-missing-token', 'auth/rejects-other-schemes', 'auth/rejects-wrong-tokens'],
    unguarded(({ id }) => id !== undefined && id % 2n === 0n),
  ),
  doesNotGuard(
    'auth-guards-32-bits',
    'authenticates only plants with an id of at most 2^31',
    ({ id }) => id !== undefined && id > 2n ** 31n,
  ),
  doesNotGuard(
    'auth-guards-ascii',
    'authenticates only plants with an ASCII name',
    ({ name }) => name !== '' && !/^[ -~]*$/.test(name),
  ),
  broken(
    'auth-guards-id-last',
    'does not authenticate plants whose last property is id',
    ['auth/rejects-missing-token', 'auth/rejects-other-schemes', 'auth/rejects-wrong-tokens'],
    unguarded(lastIs('id')),
  ),
  doesNotGuard(
    'auth-guards-plain-names',
    'does not authenticate plants whose name contains a digit, hyphen or apostrophe',
    ({ name }) => /['\d-]/.test(name),
  ),
  broken(
    'auth-guards-valid',
    'authenticates only valid plants, and accepts invalid ones without a token',
    ['combinations/rejects-invalid-credentials'],
    (right) => {
      const malformed: When = ({ request }) => {
        try {
          right.validate(right.parse(request.body, request), request);
          return false;
        } catch {
          return true;
        }
      };
      const unauthorised: When = ({ request }) => {
        try {
          right.authenticate(request);
          return false;
        } catch {
          return true;
        }
      };
      return {
        ...unguarded(malformed)(right),
        ...accepting((request) => unauthorised(request) && malformed(request))(right),
      };
    },
  ),

  comparingTokens(
    'auth-padded',
    'accepts the right token followed by equals signs, which it takes for the padding of Base64',
    ['auth/rejects-wrong-tokens'],
    (given, token) => given.replace(/=+$/, '') === token,
  ),
  broken(
    'auth-static-files',
    'does not authenticate requests whose target, query included, ends like the name of a style sheet or image',
    ['combinations/rejects-invalid-credentials'],
    acceptingCredential(({ message: { url = '' } }) => /\.(?:css|js|png|svg|ico)$/.test(url)),
  ),

  // When it is compared.
  broken(
    'auth-header-cache',
    'caches header values per connection and looks them up case-insensitively',
    ['auth/rejects-after-an-accepted-request'],
    withFreshState(() => {
      const caches = new WeakMap<Socket, Map<string, string>>();
      return (right) => ({
        authenticate(request) {
          const value = authorization(request);
          if (value === undefined) return right.authenticate(request);
          const { socket } = request.message;
          const cache = caches.get(socket) ?? new Map<string, string>();
          caches.set(socket, cache);
          const known = cache.get(value.toLowerCase()) ?? value;
          cache.set(value.toLowerCase(), known);
          right.authenticate({ ...request, headers: { ...request.headers, authorization: [known] } });
        },
      });
    }),
  ),
  broken(
    'auth-limiter-403',
    '403 to everything for a second after ten wrong or missing tokens, whatever comes between them',
    ['invariants/accepts-ordinary-plants', 'state/answers-any-sequence'],
    withFreshState(() => {
      let [wrong, until] = [0, 0];
      return (right) => ({
        authenticate(request) {
          if (Date.now() < until) throw new Rejection(403, 403, 'too many failed logins');
          try {
            right.authenticate(request);
          } catch (error) {
            wrong += 1;
            if (wrong % 10 === 0) until = Date.now() + 1000;
            throw error;
          }
        },
      });
    }),
  ),
  broken(
    'auth-lockout-500',
    '500 to the eleventh wrong token in a row: the table of lockouts is missing',
    ['invariants/no-server-error', 'state/answers-any-sequence'],
    withFreshState(() => {
      let wrong = 0;
      return (right) => ({
        authenticate(request) {
          const isGiven = authorization(request) !== undefined;
          try {
            right.authenticate(request);
            wrong = 0;
          } catch (error) {
            if (isGiven) wrong += 1;
            if (isGiven && wrong > 10) throw new Error('no such table: lockouts');
            throw error;
          }
        },
      });
    }),
  ),
  broken(
    'auth-lock-for-all',
    '401 even to the right token for 1.5 s after eight wrong ones in a row: all clients share one lockout',
    ['combinations/accepts-ordinary-plants', 'state/answers-at-the-end'],
    withFreshState(() => {
      let wrong = 0;
      let last = 0;
      let rejection: unknown;
      return (right) => ({
        authenticate(request) {
          if (wrong >= 8 && Date.now() - last < 1500) throw rejection;
          try {
            right.authenticate(request);
            wrong = 0;
          } catch (error) {
            wrong += 1;
            last = Date.now();
            rejection = error;
            throw error;
          }
        },
      });
    }),
  ),
  broken(
    'auth-second-try',
    'accepts a wrong token of the right length when it is sent again: the cache is filled before the comparison',
    ['auth/rejects-after-an-accepted-request', 'combinations/rejects-invalid-credentials'],
    withFreshState(() =>
      acceptingCredential(
        seenBefore((request) => {
          const value = authorization(request);
          return value?.startsWith('Bearer ') === true ? value : undefined;
        }),
      ),
    ),
  ),
  broken(
    'auth-connection',
    'authenticates only until a connection has sent the right token once',
    ['auth/rejects-missing-token', 'auth/rejects-other-schemes', 'auth/rejects-wrong-tokens'],
    watched(() => {
      const known = new WeakSet<Socket>();
      return {
        observe: (right, socket) => right && known.add(socket),
        accepts: (socket) => known.has(socket),
      };
    }),
  ),
  broken(
    'auth-address',
    'accepts every request from an address for 100 ms after it sent the right token',
    ['auth/rejects-missing-token', 'auth/rejects-other-schemes', 'auth/rejects-wrong-tokens'],
    watched(() => {
      let until = 0;
      return {
        observe(right) {
          if (right) until = performance.now() + 100;
        },
        accepts: () => performance.now() < until,
      };
    }),
  ),
  broken(
    'auth-after-one',
    'does not authenticate the request that follows one with the right token',
    ['auth/rejects-missing-token', 'auth/rejects-other-schemes', 'auth/rejects-wrong-tokens'],
    watched(() => {
      let before = false;
      return {
        observe(right) {
          before = right;
        },
        accepts: () => before,
      };
    }),
  ),
  broken(
    'auth-gives-up',
    'stops authenticating after eight rejections in a row',
    ['auth/rejects-other-schemes', 'auth/rejects-wrong-tokens'],
    watched(() => {
      let rejected = 0;
      return {
        observe(right) {
          rejected = right ? 0 : rejected + 1;
        },
        accepts: () => rejected >= 8,
      };
    }),
  ),
  broken(
    'auth-every-20th',
    'accepts one in 20 requests with an invalid token',
    ['auth/rejects-wrong-tokens'],
    withFreshState(() =>
      watched(() => {
        const twentieth = every<Socket>(20);
        return { observe: () => {}, accepts: twentieth };
      }),
    ),
  ),
  comparingTokens(
    'auth-compatible',
    'compares tokens after compatibility normalization',
    ['auth/rejects-wrong-tokens'],
    (given, token) => Buffer.from(given, 'latin1').toString('utf8').normalize('NFKC') === token,
  ),
  broken(
    'auth-grudge',
    'rejects the right token on a connection that carried a wrong one',
    ['combinations/accepts-ordinary-plants'],
    withFreshState(() => {
      const wrong = new WeakSet<Socket>();
      return (right) => ({
        authenticate(request) {
          const { socket } = request.message;
          try {
            right.authenticate(request);
          } catch (error) {
            if (/^bearer ./i.test(authorization(request) ?? '')) wrong.add(socket);
            throw error;
          }
          if (wrong.has(socket))
            throw new Rejection(401, 401, 'a wrong token was given', { 'www-authenticate': 'Bearer' });
        },
      });
    }),
  ),
  broken(
    'auth-regex-keeps-place',
    'rejects the token that follows a well-formed one: a global regular expression continues at its lastIndex',
    ['ordinary/accepts-any-plant'],
    withFreshState(() => {
      const form = /^Bearer [\w.~+/-]+=*$/g;
      return (right) => ({
        authenticate(request) {
          const isOfForm = form.test(authorization(request) ?? '');
          if (isOfForm || !/^Bearer \S/.test(authorization(request) ?? '')) right.authenticate(request);
          else throw new Rejection(401, 401, 'no bearer token', { 'www-authenticate': 'Bearer' });
        },
      });
    }),
  ),
  broken(
    'auth-crowd',
    'does not authenticate while another request is in progress',
    ['auth/rejects-missing-token', 'auth/rejects-other-schemes', 'auth/rejects-wrong-tokens'],
    overlapping(15, (here) => acceptingCredential(() => here() > 1)),
  ),
];
