import type { Socket } from 'node:net';
import type { Value } from '../../reference/json.ts';
import { json, Refusal } from '../../reference/store.ts';
import { type BrokenStore, broken, type Change } from '../fleet.ts';
import {
  anew,
  answering,
  breakingOff,
  continuing,
  crowded,
  cutting,
  deferring,
  depthOf,
  every,
  failing,
  failingAt,
  hanging,
  kindOf,
  parsing,
  reading,
  refusing,
  type Seen,
  saying,
  seen,
  sending,
  textOf,
  together,
} from '../helpers.ts';

const unavailable = new Refusal(503, 503, 'the store is busy');

/** Hears of every body that is refused, once it is. */
const hearing =
  (
    make: () => { refused(socket: Socket): void; blocks(socket: Socket): boolean },
    block: (when: (seen: Seen) => boolean) => Change,
  ): Change =>
  (right) => {
    const state = make();
    const line = { ...right, ...block(({ request }) => state.blocks(request.message.socket))(right) };
    return {
      ...line,
      refuse(refusal, request) {
        if (refusal.status < 401) state.refused(request.message.socket);
        return line.refuse(refusal, request);
      },
    };
  };

const countdown = (after: number, length: number) => () => {
  let [refused, left] = [0, 0];
  return {
    refused() {
      refused += 1;
      if (refused % after === 0) left = length;
    },
    blocks() {
      left -= 1;
      return left >= 0;
    },
  };
};

const latch = (after: number) => countdown(after, Number.POSITIVE_INFINITY);

const onSocket = () => {
  const spoilt = new WeakSet<Socket>();
  return {
    refused: (socket: Socket) => void spoilt.add(socket),
    blocks: (socket: Socket) => spoilt.has(socket),
  };
};

const busy = (when: (seen: Seen) => boolean) =>
  parsing(when, () => {
    throw unavailable;
  });

/** Who sends a body that was accepted before is not asked who it is. */
const cachedByBytes = anew((): Change => {
  const accepted = new Set<string>();
  return (right) => ({
    authenticate(request) {
      if (!accepted.has(request.body.toString('latin1'))) right.authenticate(request);
    },
    create(plant, request) {
      accepted.add(request.body.toString('latin1'));
      return right.create(plant, request);
    },
  });
});

/** Who was turned away with a body is turned away with it from then on. */
const rejectionCached = anew((): Change => {
  const rejected = new Set<string>();
  return (right) => ({
    authenticate(request) {
      const body = request.body.toString('latin1');
      try {
        right.authenticate(request);
      } catch (error) {
        rejected.add(body);
        throw error;
      }
      if (body !== '' && rejected.has(body)) throw new Refusal(401, 401, 'the bearer token is not known');
    },
  });
});

/** What came before, or comes at once, spoils a request. */
export const stateAndLoad: readonly BrokenStore[] = [
  // What resembles an earlier request.
  broken(
    'state-bytes-cached',
    'every request is authenticated: but for one with the bytes of a plant that was created',
    ['serving/any-sequence'],
    cachedByBytes,
  ),
  broken(
    'state-rejection-cached',
    'an ordinary plant is accepted: but for one that was sent without a token before',
    ['serving/any-sequence'],
    rejectionCached,
  ),
  // After a refusal.
  broken(
    'state-next-refused',
    'an ordinary plant is taken: the one after a refusal is refused',
    ['always/creates-ordinary-plants', 'serving/to-the-end'],
    hearing(countdown(1, 1), refusing),
  ),
  broken(
    'state-next-500',
    'no answer is 5xx: 500 only to the one after a refusal',
    ['always/creates-ordinary-plants', 'always/no-server-error'],
    hearing(countdown(1, 1), failing),
  ),
  broken(
    'state-next-three-cut',
    'the store goes on serving: the next three connections are cut after a refusal',
    ['always/answers'],
    hearing(countdown(1, 3), cutting),
  ),
  broken(
    'state-breaker',
    'the store goes on serving: 503 to the next five only after five refusals',
    ['refuse/garbage', 'refuse/several-values', 'refuse/truncated'],
    hearing(countdown(5, 5), busy),
  ),
  broken(
    'state-pool',
    'the store goes on serving: each refusal keeps one of 20 connections to the database',
    ['refuse/form', 'refuse/no-body', 'refuse/white-space-only'],
    hearing(latch(20), failing),
  ),
  broken(
    'state-lock',
    'the store goes on serving: a lock is kept after the tenth refusal',
    ['always/answers', 'refuse/not-an-object'],
    hearing(latch(10), hanging),
  ),
  broken(
    'state-banned',
    'an ordinary plant is taken: 403 for ever after 30 refusals',
    ['always/creates-ordinary-plants', 'serving/to-the-end'],
    hearing(latch(30), (when) => refusing(when, 403)),
  ),
  broken(
    'state-connection',
    'an ordinary plant is taken: refused only on a connection that had a refusal',
    ['always/creates-ordinary-plants', 'serving/to-the-end'],
    hearing(onSocket, refusing),
  ),
  broken(
    'state-connection-and-continue',
    'an ordinary plant is taken: refused only on a connection that had a refusal; 100 Continue before every answer',
    ['always/creates-ordinary-plants', 'serving/alternates'],
    together(hearing(onSocket, refusing), continuing),
  ),
  broken(
    'state-connection-500',
    'no answer is 5xx: 500 only on a connection that had a refusal',
    ['refuse/form', 'refuse/no-body', 'refuse/white-space-only'],
    hearing(onSocket, failing),
  ),
  broken(
    'state-restart',
    'the store goes on serving: down for half a second after deep nesting',
    ['refuse/deeply-nested', 'serving/after-a-barrage', 'whole-shape/answers-large-plants'],
    (right) => {
      let up = 0;
      return cutting(({ text }) => {
        if (Date.now() < up) return true;
        if (depthOf(text) > 100) up = Date.now() + 500;
        return false;
      })(right);
    },
  ),

  // After a plant.
  broken(
    'state-name-leaks',
    'name is required: the name before stands in',
    ['refuse/inherited-property', 'refuse/missing-property', 'refuse/nested-property'],
    anew(() => {
      let before: Value | undefined;
      return reading('name', (name) => {
        if (typeof name === 'string') before = name;
        return name === undefined ? before : name;
      });
    }),
  ),
  broken(
    'state-id-leaks',
    'id is required: the id before stands in',
    ['refuse/inherited-property', 'refuse/missing-property', 'refuse/nested-property'],
    anew(() => {
      let before: Value | undefined;
      return reading('id', (id) => {
        if (kindOf(id) === 'integer') before = id;
        return id === undefined ? before : id;
      });
    }),
  ),
  broken(
    'state-full',
    'an ordinary plant is taken: 507 only after 80',
    ['refuse/fraction', 'refuse/numeral-in-a-string', 'refuse/survives-huge-numbers'],
    anew(() => {
      let taken = 0;
      return parsing(
        ({ value }) => value instanceof Map && ++taken > 80,
        () => {
          throw new Refusal(507, 507, 'the store is full');
        },
      );
    }),
  ),
  broken(
    'state-hash',
    'an ordinary plant is taken: 409 where the last byte of the id was seen before',
    ['always/creates-ordinary-plants'],
    anew(() => {
      const taken = new Set<bigint>();
      return refusing(({ id, name }) => {
        if (id === undefined || name === '') return false;
        const byte = id % 256n;
        const again = taken.has(byte);
        taken.add(byte);
        return again;
      }, 409);
    }),
  ),
  broken(
    'state-initials',
    'an ordinary plant is taken: 409 where the length of the name was seen before',
    ['create/takes-escaped-names', 'create/takes-escaped-values', 'create/takes-ids-of-every-magnitude'],
    anew(() => {
      const taken = new Set<number>();
      return refusing(({ name }) => taken.has(name.length) || !taken.add(name.length), 409);
    }),
  ),

  // Now and then.
  broken(
    'state-25th-500',
    'no answer is 5xx: 500 only to one in 25',
    ['always/no-server-error'],
    anew(() => failing(every<Seen>(25))),
  ),
  broken(
    'state-30th-hang',
    'every request is answered: silence only to one in 30',
    ['always/answers'],
    anew(() => hanging(every<Seen>(30))),
  ),
  broken(
    'state-20th-cut',
    'every request is answered: one answer only in 20 is broken off',
    ['always/answers'],
    anew(() => breakingOff(every<Seen>(20))),
  ),
  broken(
    'state-15th-empty',
    'a 200 carries a Plant: one only in 15 is {}',
    ['create/takes-any-ordinary-plant', 'whole-shape/answers-any-plant', 'whole-shape/answers-hostile-tags'],
    anew(() => {
      const fifteenth = every<unknown>(15);
      return sending((answer) => (answer.status === 200 && fifteenth(answer) ? json(200, {}) : answer));
    }),
  ),
  broken(
    'state-12th-201',
    'status is 200: one only in 12 is 201',
    ['create/takes-any-ordinary-plant', 'create/takes-many-at-once', 'whole-shape/answers-hostile-names'],
    anew(() => {
      const twelfth = every<unknown>(12);
      return sending((answer) =>
        answer.status === 200 && twelfth(answer) ? { ...answer, status: 201 } : answer,
      );
    }),
  ),

  // Two replicas take turns, and one of them is wrong.
  broken(
    'replica-20th-500',
    'no answer is 5xx: 500 only to one in twenty, by one replica of two',
    ['always/no-server-error', 'create/takes-any-ordinary-plant'],
    // The second, fourth and so on are the other one's: of its ten it fails one.
    anew(() => failing(every<Seen>(20))),
  ),
  broken(
    'replica-loses-tag',
    'the tag comes back: never from one replica of two',
    ['create/echoes-tag', 'whole-shape/echoes-any-tag'],
    anew(() => {
      const second = every<unknown>(2);
      return saying(({ name, tag }) => (second(name) || tag === undefined ? { name } : { name, tag }));
    }),
  ),

  // The first request.
  broken(
    'first-500',
    'no answer is 5xx: 500 only to the first request of all',
    ['always/no-server-error', 'always/creates-ordinary-plants'],
    anew(() => {
      let first = true;
      return failingAt(() => {
        const cold = first;
        first = false;
        return cold;
      });
    }),
  ),
  broken(
    'first-201',
    'status is 200: 201 only to the first plant of all',
    ['always/creates-ordinary-plants'],
    anew(() => {
      let first = true;
      return answering((answer) => {
        const status = first ? 201 : answer.status;
        first = false;
        return { ...answer, status };
      });
    }),
  ),

  // One payload.
  broken(
    'busy-null-name',
    'no answer is 5xx: 503 with Retry-After to name null, however often it is tried, and to nothing else',
    ['always/no-server-error', 'refuse/null'],
    deferring(
      503,
      () => '0',
      () => (request) => kindOf(seen(request).fields.get('name')) === 'null',
    ),
  ),

  // At once.
  broken(
    'load-4-500',
    'plants are taken at once: 500 above four',
    ['create/takes-any-ordinary-plant', 'create/takes-many-at-once'],
    crowded(20, (here) => failing(() => here() > 4)),
  ),
  broken(
    'load-2-409',
    'plants are taken at once: 409 to the second',
    ['create/answers-200', 'create/takes-escaped-values', 'create/takes-ids-of-every-magnitude'],
    crowded(10, (here) => refusing(() => here() > 1, 409)),
  ),
  broken(
    'load-4-broken-off',
    'plants are taken at once: broken off above four',
    ['refuse/garbage', 'refuse/several-values', 'refuse/truncated'],
    crowded(20, (here) => breakingOff(() => here() > 4)),
  ),
  broken(
    'load-3-503',
    'plants are taken at once: 503 above three',
    ['always/no-server-error', 'create/takes-any-ordinary-plant'],
    crowded(20, (here) => busy(() => here() > 3)),
  ),
  broken(
    'load-glued',
    'the body is one JSON value: two only where two are under way',
    ['create/answers-a-plant', 'create/takes-escaped-values', 'whole-shape/answers-any-id'],
    crowded(10, (here) =>
      sending((answer) =>
        answer.status === 200 && here() > 1 ? { ...answer, body: textOf(answer).repeat(2) } : answer,
      ),
    ),
  ),
];
