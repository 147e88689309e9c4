import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { startStore } from '../../reference/store.ts';
import { type BrokenStore, broken, type Change } from '../fleet.ts';
import {
  admitting,
  anew,
  authorization,
  crowded,
  every,
  knowing,
  lastIs,
  letting,
  seen,
  tagless,
  type When,
} from '../helpers.ts';

const half = (token: string) => Math.ceil(token.length / 2);

/** Some bodies are not guarded. */
const unguarded = (when: When): Change => letting((request) => when(seen(request)));

/** Right in what it compares, wrong in when: the result of each authentication is told. */
const told =
  (make: () => { told(right: boolean, socket: Socket): void; lets(socket: Socket): boolean }): Change =>
  (right) => {
    const watch = make();
    return {
      authenticate(request) {
        const { socket } = request.message;
        try {
          right.authenticate(request);
        } catch (error) {
          const lets = watch.lets(socket);
          watch.told(false, socket);
          if (!lets) throw error;
          return;
        }
        watch.told(true, socket);
      },
    };
  };

/** A token is let in that is not valid, or a request that carries none, and only sometimes. */
export const authSubtle: readonly BrokenStore[] = [
  // What is compared.
  knowing(
    'auth-starts-with',
    'the token is compared: what begins with it will do',
    ['auth/decides-each-request-alone', 'auth/rejects-wrong-tokens'],
    (given, token) => given.startsWith(token),
  ),
  knowing(
    'auth-prefix',
    'the token is compared: what it begins with will do',
    ['auth/rejects-wrong-tokens'],
    (given, token) => token.startsWith(given),
  ),
  knowing(
    'auth-any-case',
    'the token is compared: without regard to case',
    ['auth/rejects-wrong-tokens'],
    (given, token) => given.toLowerCase() === token.toLowerCase(),
  ),
  knowing(
    'auth-same-length',
    'the token is compared: only its length',
    ['auth/decides-each-request-alone', 'auth/rejects-wrong-tokens'],
    (given, token) => given.length === token.length,
  ),
  knowing(
    'auth-contains',
    'the token is compared: what contains it will do',
    ['auth/decides-each-request-alone', 'auth/rejects-wrong-tokens'],
    (given, token) => given.includes(token),
  ),
  knowing(
    'auth-first-half',
    'the token is compared: only its first half',
    ['auth/decides-each-request-alone', 'auth/rejects-wrong-tokens'],
    (given, token) => given.startsWith(token.slice(0, half(token))),
  ),
  knowing(
    'auth-given-length',
    'the token is compared: only as far as what is given (strncmp)',
    ['auth/rejects-wrong-tokens'],
    (given, token) => given.length > 1 && token.startsWith(given),
  ),
  knowing(
    'auth-at-least-as-long',
    'the token is compared: anything as long or longer',
    ['auth/decides-each-request-alone', 'auth/rejects-wrong-tokens'],
    (given, token) => given.length >= token.length,
  ),
  {
    name: 'auth-anywhere',
    breaks: 'the scheme is Bearer: a header that contains the token anywhere will do',
    fails: ['auth/decides-each-request-alone', 'auth/rejects-other-schemes', 'auth/rejects-wrong-tokens'],
    start: (token) =>
      startStore({ token, steps: letting((request) => authorization(request)?.includes(token) ?? false) }),
  },

  // Which bodies are guarded.
  broken(
    'auth-guards-small',
    'every request is authenticated: only what is shorter than 2 KiB',
    ['auth/rejects-missing-token', 'auth/rejects-other-schemes', 'auth/rejects-wrong-tokens'],
    unguarded(({ text }) => text.length > 2048),
  ),
  broken(
    'auth-guards-tagged',
    'every request is authenticated: only what has a tag',
    ['auth/rejects-missing-token', 'auth/rejects-other-schemes', 'auth/rejects-wrong-tokens'],
    unguarded(tagless),
  ),
  broken(
    'auth-guards-short',
    'every request is authenticated: only what has a name of at most 20',
    ['auth/rejects-missing-token', 'auth/rejects-other-schemes', 'auth/rejects-wrong-tokens'],
    unguarded(({ name }) => name.length > 20),
  ),
  broken(
    'auth-guards-odd',
    'every request is authenticated: only what has an odd id',
    ['auth/rejects-missing-token', 'auth/rejects-other-schemes', 'auth/rejects-wrong-tokens'],
    unguarded(({ id }) => id !== undefined && id % 2n === 0n),
  ),
  broken(
    'auth-guards-32-bits',
    'every request is authenticated: only what has an id below 2^31',
    ['auth/rejects-missing-token'],
    unguarded(({ id }) => id !== undefined && id > 2n ** 31n),
  ),
  broken(
    'auth-guards-ascii',
    'every request is authenticated: only what has an ASCII name',
    ['auth/rejects-missing-token', 'auth/rejects-other-schemes', 'auth/rejects-wrong-tokens'],
    unguarded(({ name }) => name !== '' && !/^[ -~]*$/.test(name)),
  ),
  broken(
    'auth-guards-id-last',
    'every request is authenticated: only what does not end with id',
    ['auth/rejects-missing-token', 'auth/rejects-other-schemes', 'auth/rejects-wrong-tokens'],
    unguarded(lastIs('id')),
  ),
  broken(
    'auth-guards-plain-names',
    'every request is authenticated: only names of letters and spaces',
    ['auth/rejects-other-schemes', 'auth/rejects-wrong-tokens'],
    unguarded(({ name }) => /['\d-]/.test(name)),
  ),
  broken(
    'auth-guards-valid',
    'every request is authenticated: only what is a NewPlant; the rest is taken',
    ['auth/rejects-missing-token', 'auth/rejects-other-schemes', 'auth/rejects-wrong-tokens'],
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
        ...admitting((request) => unauthorised(request) && malformed(request))(right),
      };
    },
  ),

  // When it is compared.
  broken(
    'auth-header-cache',
    'the token is compared: a connection remembers its headers, and finds them again whatever their case',
    ['auth/decides-each-request-alone'],
    anew(() => {
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
    'auth-connection',
    'every request is authenticated: only the first of a connection that was right',
    ['auth/rejects-missing-token', 'auth/rejects-other-schemes', 'auth/rejects-wrong-tokens'],
    told(() => {
      const known = new WeakSet<Socket>();
      return {
        told: (right, socket) => right && known.add(socket),
        lets: (socket) => known.has(socket),
      };
    }),
  ),
  broken(
    'auth-address',
    'every request is authenticated: whoever was right is known for 100 ms, by address',
    ['auth/rejects-missing-token', 'auth/rejects-other-schemes', 'auth/rejects-wrong-tokens'],
    told(() => {
      let until = 0;
      return {
        told(right) {
          if (right) until = performance.now() + 100;
        },
        lets: () => performance.now() < until,
      };
    }),
  ),
  broken(
    'auth-after-one',
    'every request is authenticated: the next one only after a right one is not',
    ['auth/rejects-missing-token', 'auth/rejects-other-schemes', 'auth/rejects-wrong-tokens'],
    told(() => {
      let before = false;
      return {
        told(right) {
          before = right;
        },
        lets: () => before,
      };
    }),
  ),
  broken(
    'auth-gives-up',
    'every request is authenticated: given up after eight refusals in a row',
    ['auth/rejects-missing-token', 'auth/rejects-other-schemes', 'auth/rejects-wrong-tokens'],
    told(() => {
      let refused = 0;
      return {
        told(right) {
          refused = right ? 0 : refused + 1;
        },
        lets: () => refused >= 8,
      };
    }),
  ),
  broken(
    'auth-every-20th',
    'every request is authenticated: one only in 20 is let in',
    ['auth/rejects-wrong-tokens'],
    anew(() =>
      told(() => {
        const twentieth = every<Socket>(20);
        return { told: () => {}, lets: twentieth };
      }),
    ),
  ),
  broken(
    'auth-crowd',
    'every request is authenticated: only where no other is under way',
    ['auth/rejects-missing-token', 'auth/rejects-other-schemes', 'auth/rejects-wrong-tokens'],
    crowded(15, (here) => letting(() => here() > 1)),
  ),
];
