import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Numeral, type Value } from '../../reference/json.ts';
import { type Answer, json, type NewPlant, type Received, Rejection } from '../../reference/store.ts';
import { startRecorded } from '../conditional/recorder.ts';
import { type BrokenStore, broken, type Change } from '../fleet.ts';
import {
  answering,
  answeringValue,
  breakingOff,
  continuing,
  cutting,
  deferring,
  depthOf,
  every,
  failing,
  failingAt,
  hanging,
  html,
  kindOf,
  ordinalOnConnection,
  overlapping,
  parsing,
  reading,
  rejecting,
  type Seen,
  seen,
  sending,
  textOf,
  together,
  withFreshState,
} from '../helpers.ts';
import { serving } from '../right/serving.ts';

/** Serves a connection only when the one before it has been closed, as some single-threaded servers do. */
function oneConnection(): BrokenStore {
  const setUp = (server: Server) => {
    const serve = server.listeners('connection');
    const waiting: Socket[] = [];
    let isBusy = false;
    const next = () => {
      const socket = waiting.shift();
      isBusy = socket !== undefined;
      socket?.once('close', next);
      if (socket !== undefined) for (const listener of serve) listener.call(server, socket);
    };
    server.removeAllListeners('connection');
    server.on('connection', (socket) => {
      waiting.push(socket);
      if (!isBusy) next();
    });
    server.keepAliveTimeout = 60_000;
  };
  const breaks = 'serves one connection at a time: while it is open, others get no answer';
  const name = 'load-one-connection';
  const { start } = serving(name, breaks, { setUp });
  return { name, breaks, fails: ['invariants/answers'], start };
}

const unavailable = new Rejection(503, 503, 'the store is busy');

/** Blocks some requests, depending on which bodies it has rejected so far. */
const afterRejections =
  (
    make: () => { rejected(socket: Socket): void; blocks(socket: Socket): boolean },
    block: (when: (seen: Seen) => boolean) => Change,
  ): Change =>
  (right) => {
    const state = make();
    const line = { ...right, ...block(({ request }) => state.blocks(request.message.socket))(right) };
    return {
      ...line,
      reject(rejection, request) {
        if (rejection.status < 401) state.rejected(request.message.socket);
        return line.reject(rejection, request);
      },
    };
  };

const countdown = (after: number, length: number) => () => {
  let [rejected, left] = [0, 0];
  return {
    rejected() {
      rejected += 1;
      if (rejected % after === 0) left = length;
    },
    blocks() {
      left -= 1;
      return left >= 0;
    },
  };
};

/** Blocks everything for 1.5 s after many rejections within 3 s, as gateways do. */
const lockout = (after: number) => () => {
  let until = 0;
  let rejectedAt: readonly number[] = [];
  return {
    rejected() {
      const now = performance.now();
      rejectedAt = [...rejectedAt.filter((time) => time > now - 3000), now];
      if (rejectedAt.length > after) until = now + 1500;
    },
    blocks: () => performance.now() < until,
  };
};

const latch = (after: number) => countdown(after, Number.POSITIVE_INFINITY);

const onSocket = () => {
  const affected = new WeakSet<Socket>();
  return {
    rejected: (socket: Socket) => void affected.add(socket),
    blocks: (socket: Socket) => affected.has(socket),
  };
};

const busy = (when: (seen: Seen) => boolean) =>
  parsing(when, () => {
    throw unavailable;
  });

/** Stores the distance of each id from the one before as an unsigned number. */
const risingIds = withFreshState((): Change => {
  let before = 0n;
  return (right) => ({
    create(plant, request) {
      const isLower = plant.id < before;
      before = plant.id;
      if (isLower) throw new Error('the distance is negative');
      return right.create(plant, request);
    },
  });
});

/** Writes each name over the one before, in place. */
const reusedName = withFreshState((): Change => {
  let before = '';
  return (right) => ({
    create(plant, request) {
      const name = plant.name + before.slice(plant.name.length);
      before = plant.name;
      return right.create({ ...plant, name }, request);
    },
  });
});

/** Keeps the tag in a __proto__ for plants that have none. */
const pollutedTag = withFreshState((): Change => {
  let inherited: unknown;
  return (right) => ({
    create(plant, request) {
      const prototype = seen(request).fields.get('__proto__');
      const tag = prototype instanceof Map ? prototype.get('tag') : undefined;
      if (tag instanceof Numeral) inherited = Number(tag.text);
      return plant.tag === undefined && inherited !== undefined
        ? json(200, { ...plant, id: Number(plant.id), tag: inherited })
        : right.create(plant, request);
    },
  });
});

/** Skips authentication for a body that was accepted before. */
const cachedByBytes = withFreshState((): Change => {
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

/** Thrown to answer with a cached response. */
class Cached extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super('cached');
    this.answer = answer;
  }
}

/**
 * A cache in front of the store, or behind its authentication. Like nginx, it has no text of a body that was
 * written to a file.
 */
const cachedResponses = (at: 'route' | 'negotiate') =>
  withFreshState((): Change => {
    const cached = new Map<string, Answer>();
    const keyOf = ({ body }: Received) => (body.length > 16 * 1024 ? '' : body.toString('latin1'));
    return (right) => ({
      [at](request: Received) {
        right[at](request);
        const answer = cached.get(keyOf(request));
        if (answer !== undefined) throw new Cached(answer);
      },
      create(plant, request) {
        const answer = right.create(plant, request);
        cached.set(keyOf(request), answer);
        return answer;
      },
      fail: (error, request) => (error instanceof Cached ? error.answer : right.fail(error, request)),
    });
  });

/** Loses its connection to a database after a second without plants. Now and then, it has its clients wait. */
const idle = withFreshState((): Change => {
  let [created, latest] = [0, 0];
  return (right) => ({
    create(plant, request) {
      created += 1;
      const idleMs = latest === 0 ? 0 : performance.now() - latest;
      latest = performance.now();
      if (created % 300 === 30) throw new Rejection(429, 429, 'wait a moment', { 'retry-after': '2' });
      if (idleMs > 1000) throw new Error('the connection to the database is closed');
      return right.create(plant, request);
    },
  });
});

/** Rejects a body for ever once it was sent without a valid token. */
const rejectionCached = withFreshState((): Change => {
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
      if (body !== '' && rejected.has(body))
        throw new Rejection(401, 401, 'the bearer token is not valid', { 'www-authenticate': 'Bearer' });
    },
  });
});

/** Stores in which an earlier or concurrent request affects another. */
export const stateAndLoad: readonly BrokenStore[] = [
  // Something resembles an earlier request.
  broken(
    'state-bytes-cached',
    'does not authenticate a request with the same bytes as an accepted one',
    ['state/answers-any-sequence'],
    cachedByBytes,
  ),
  broken(
    'state-responses-cached',
    'answers any request with a cached response if its body is that of an accepted one, or if both are too large for memory',
    ['state/answers-any-sequence', 'combinations/rejects-invalid-credentials'],
    cachedResponses('route'),
  ),
  broken(
    'state-large-cached',
    'answers a request whose body is too large for memory with the response to an earlier such request',
    ['combinations/rejects-invalid-bodies'],
    cachedResponses('negotiate'),
  ),
  broken(
    'state-idle-500',
    'answers 500 to the first plant after a second without any',
    ['invariants/no-server-error', 'invariants/accepts-ordinary-plants'],
    idle,
  ),
  broken(
    'state-rising-ids',
    'answers 500 to a plant whose id is lower than the previous one',
    ['state/answers-any-sequence'],
    risingIds,
  ),
  broken(
    'state-name-reused',
    'echoes a name followed by the end of a longer previous one',
    ['ordinary/echoes-name', 'unconstrained/echoes-any-name'],
    reusedName,
  ),
  broken(
    'state-polluted-tag',
    'merges __proto__ into all later plants, so that one without a tag is answered with a tag of another type',
    ['invariants/200-is-a-plant'],
    pollutedTag,
  ),
  broken(
    'state-rejection-cached',
    'rejects an ordinary plant that was sent without a valid token before',
    ['state/answers-any-sequence'],
    rejectionCached,
  ),
  // After a rejection.
  broken(
    'state-next-rejected',
    'rejects the plant that follows a rejection',
    ['invariants/accepts-ordinary-plants', 'state/answers-at-the-end'],
    afterRejections(countdown(1, 1), rejecting),
  ),
  broken(
    'state-next-500',
    '500 to the request that follows a rejection',
    ['invariants/accepts-ordinary-plants', 'invariants/no-server-error'],
    afterRejections(countdown(1, 1), failing),
  ),
  broken(
    'state-next-three-cut',
    'closes the connection on the next three requests after a rejection',
    ['invariants/answers'],
    afterRejections(countdown(1, 3), cutting),
  ),
  broken(
    'state-breaker',
    '503 to five requests after every five rejections',
    ['invalid/rejects-non-json', 'invalid/rejects-several-values', 'invalid/rejects-truncated-json'],
    afterRejections(countdown(5, 5), busy),
  ),
  broken(
    'state-every-40-rejections',
    '500 to the request after every 40 rejections, whatever comes between them: a pool leaks, and is recreated',
    ['invariants/no-server-error', 'state/accepts-among-many-rejections'],
    afterRejections(countdown(40, 1), failing),
  ),
  broken(
    'state-pool',
    '500 after 20 rejections: each one leaks a database connection',
    ['invalid/rejects-forms', 'invalid/rejects-missing-body', 'invalid/rejects-white-space-only'],
    afterRejections(latch(20), failing),
  ),
  broken(
    'state-lock',
    'does not answer after the tenth rejection: a lock is never released',
    ['invariants/answers', 'invalid/rejects-non-objects'],
    afterRejections(latch(10), hanging),
  ),
  broken(
    'state-pool-of-arrays',
    'does not answer after 20 JSON values that are not objects: each one keeps a worker',
    ['invariants/answers', 'stop/gone'],
    withFreshState(() => {
      let left = 20;
      return hanging(({ value }) => {
        if (value !== undefined && !(value instanceof Map)) left -= 1;
        return left < 0;
      });
    }),
  ),
  {
    name: 'state-aborted-id-500',
    breaks:
      'reserves the id of a request before its body has arrived, and fails on it if the request was aborted',
    fails: ['combinations/answers-unconstrained-plants'],
    start: (token) =>
      startRecorded(token, {
        when: ({ id, inStore }) => id !== undefined && inStore.abortedIds.has(id),
        instead: failing(() => true),
        delay: 0,
      }),
  },
  broken(
    'state-banned',
    '403 for ever after 30 rejections',
    ['invariants/accepts-ordinary-plants', 'state/answers-at-the-end'],
    afterRejections(latch(30), (when) => rejecting(when, 403)),
  ),
  broken(
    'state-lockout',
    '403 to everything for 1.5 s after 60 rejections within 3 s: a gateway locks out the address',
    ['invariants/accepts-ordinary-plants', 'state/accepts-among-many-rejections'],
    afterRejections(lockout(60), (when) => rejecting(when, 403)),
  ),
  broken(
    'state-connection',
    'rejects every plant on a connection that had a rejection',
    ['invariants/accepts-ordinary-plants', 'state/answers-at-the-end'],
    afterRejections(onSocket, rejecting),
  ),
  broken(
    'state-connection-and-continue',
    'rejects every plant on a connection that had a rejection; sends 100 Continue before every response',
    // The control of a scenario fails as well, so that it may be untestable.
    ['invariants/accepts-ordinary-plants'],
    together(afterRejections(onSocket, rejecting), continuing),
  ),
  broken(
    'state-connection-500',
    '500 on a connection that had a rejection',
    ['invariants/no-server-error'],
    afterRejections(onSocket, failing),
  ),
  broken(
    'state-restart',
    'is down for half a second after deep nesting',
    [
      'invalid/rejects-deep-nesting',
      'state/accepts-among-many-rejections',
      'unconstrained/answers-large-plants',
    ],
    (right) => {
      let up = 0;
      return cutting(({ text }) => {
        if (Date.now() < up) return true;
        if (depthOf(text) > 100) up = Date.now() + 500;
        return false;
      })(right);
    },
  ),

  broken(
    'state-rejected-on-connection',
    'answers a plant with the name of a rejected one with the same id on the connection: null if it had none',
    ['combinations/answers-unconstrained-plants', 'invariants/200-is-a-plant'],
    withFreshState(() => {
      const rejected = new WeakMap<Socket, Set<string>>();
      const idIn = ({ body }: Received) => /"id"\s*:\s*(-?\d+)/.exec(body.toString())?.[1] ?? randomUUID();
      return (right) => ({
        validate(value, request) {
          const { socket } = request.message;
          try {
            return right.validate(value, request);
          } catch (error) {
            rejected.set(socket, (rejected.get(socket) ?? new Set()).add(idIn(request)));
            throw error;
          }
        },
        create(plant, request) {
          const answer = right.create(plant, request);
          const isKnown = rejected.get(request.message.socket)?.has(idIn(request)) === true;
          return isKnown ? json(answer.status, { name: null }) : answer;
        },
      });
    }),
  ),

  // After a plant.
  broken(
    'state-name-leaks',
    'uses the name of the previous plant if name is missing',
    [
      'invalid/rejects-inherited-property',
      'invalid/rejects-missing-property',
      'invalid/rejects-nested-property',
    ],
    withFreshState(() => {
      let before: Value | undefined;
      return reading('name', (name) => {
        if (typeof name === 'string') before = name;
        return name === undefined ? before : name;
      });
    }),
  ),
  broken(
    'state-tag-draft',
    'keeps a tag of a wrong type, and returns it with the next plant without a tag',
    ['invariants/200-is-a-plant', 'state/answers-alternating-requests'],
    withFreshState(() => {
      let draft: Value | undefined;
      return (right) => ({
        validate(value, request) {
          if (value instanceof Map && value.has('tag')) {
            const tag = value.get('tag');
            draft = typeof tag === 'string' ? undefined : tag;
          }
          return right.validate(value, request);
        },
        create(plant, request) {
          const answer = right.create(plant, request);
          if (draft === undefined || plant.tag !== undefined) return answer;
          const body = JSON.stringify({ ...JSON.parse(String(answer.body)), tag: false });
          draft = undefined;
          return { ...answer, body };
        },
      });
    }),
  ),
  broken(
    'state-409-then-500',
    '409 if the id exists, without a rollback, so that the next plant gets 500',
    ['combinations/answers-unconstrained-plants', 'invariants/no-server-error'],
    withFreshState(() => {
      const ids = new Set<string>();
      let needsRollback = false;
      return (right) => ({
        create(plant, request) {
          if (needsRollback) {
            needsRollback = false;
            return json(500, { error: 500, message: 'the transaction has been aborted' });
          }
          needsRollback = ids.has(String(plant.id));
          if (needsRollback) return json(409, { error: 409, message: 'the id exists' });
          ids.add(String(plant.id));
          return right.create(plant, request);
        },
      });
    }),
  ),
  broken(
    'state-id-leaks',
    'uses the id of the previous plant if id is missing',
    [
      'invalid/rejects-inherited-property',
      'invalid/rejects-missing-property',
      'invalid/rejects-nested-property',
    ],
    withFreshState(() => {
      let before: Value | undefined;
      return reading('id', (id) => {
        if (kindOf(id) === 'integer') before = id;
        return id === undefined ? before : id;
      });
    }),
  ),
  broken(
    'state-full',
    '507 after 80 plants',
    ['invalid/rejects-fractional-id', 'invalid/rejects-numeric-string-id', 'invalid/answers-huge-numbers'],
    withFreshState(() => {
      let plants = 0;
      return parsing(
        ({ value }) => value instanceof Map && ++plants > 80,
        () => {
          throw new Rejection(507, 507, 'the store is full');
        },
      );
    }),
  ),
  broken(
    'state-hash',
    '409 if an earlier id has the same last six bits, as in a hash table with 64 slots',
    ['invariants/accepts-ordinary-plants'],
    withFreshState(() => {
      const earlier = new Set<bigint>();
      return rejecting(({ id, name }) => {
        if (id === undefined || name === '') return false;
        const bucket = id % 64n;
        const again = earlier.has(bucket);
        earlier.add(bucket);
        return again;
      }, 409);
    }),
  ),
  broken(
    'state-initials',
    '409 if an earlier name has the same length',
    [
      'ordinary/accepts-escaped-property-names',
      'ordinary/accepts-escaped-strings',
      'ordinary/accepts-ids-of-every-magnitude',
    ],
    withFreshState(() => {
      const earlier = new Set<number>();
      return rejecting(({ name }) => earlier.has(name.length) || !earlier.add(name.length), 409);
    }),
  ),

  // Now and then.
  broken(
    'state-25th-500',
    '500 to one request in 25',
    ['invariants/no-server-error'],
    withFreshState(() => failing(every<Seen>(25))),
  ),
  broken(
    'state-30th-hang',
    'does not answer one request in 30',
    ['invariants/answers'],
    withFreshState(() => hanging(every<Seen>(30))),
  ),
  broken(
    'state-20th-cut',
    'closes the connection in the middle of one response in 20',
    ['invariants/answers'],
    withFreshState(() => breakingOff(every<Seen>(20))),
  ),
  broken(
    'state-90th-502',
    '502 in HTML to one request in 90: a worker is replaced',
    ['invariants/no-server-error'],
    withFreshState(() => {
      const isItsTurn = every<Received>(90);
      return sending((answer, request) => (isItsTurn(request) ? html(502, 'Bad Gateway') : answer));
    }),
  ),
  broken(
    'state-10th-tagged-202',
    '202 to every tenth plant with a tag, while the index is written',
    ['ordinary/accepts-any-plant'],
    withFreshState(() => {
      const isItsTurn = every<NewPlant>(10, ({ tag }) => tag !== undefined);
      return answering((answer, plant) => (isItsTurn(plant) ? { ...answer, status: 202 } : answer));
    }),
  ),
  broken(
    'state-every-other-tag-400',
    '400 to every other plant with a tag: a global regular expression continues at its lastIndex',
    [
      'ordinary/accepts-any-plant',
      'ordinary/accepts-concurrent-requests',
      'combinations/accepts-ordinary-plants',
    ],
    withFreshState(() => {
      const isItsTurn = every<NewPlant>(2, ({ tag }) => tag !== undefined);
      return (right) => ({
        create(plant, request) {
          if (isItsTurn(plant)) throw new Rejection(400, 400, 'tag has an unexpected form');
          return right.create(plant, request);
        },
      });
    }),
  ),
  broken(
    'state-15th-empty',
    'answers one plant in 15 with {}',
    ['ordinary/accepts-any-plant', 'unconstrained/answers-any-plant', 'unconstrained/answers-hostile-tags'],
    withFreshState(() => {
      const fifteenth = every<unknown>(15);
      return sending((answer) => (answer.status === 200 && fifteenth(answer) ? json(200, {}) : answer));
    }),
  ),
  broken(
    'state-12th-201',
    'answers one plant in 12 with 201',
    [
      'ordinary/accepts-any-plant',
      'ordinary/accepts-concurrent-requests',
      'unconstrained/answers-hostile-names',
    ],
    withFreshState(() => {
      const twelfth = every<unknown>(12);
      return sending((answer) =>
        answer.status === 200 && twelfth(answer) ? { ...answer, status: 201 } : answer,
      );
    }),
  ),

  // Two replicas serve alternate requests, and one of them is wrong.
  broken(
    'replica-20th-500',
    '500 to one request in twenty, always from the same of two replicas',
    ['invariants/no-server-error', 'ordinary/accepts-any-plant'],
    // Every even request goes to the second replica, which fails one in ten of its own.
    withFreshState(() => failing(every<Seen>(20))),
  ),
  broken(
    'replica-loses-tag',
    'leaves out the tag on one of two replicas',
    ['ordinary/echoes-tag', 'unconstrained/echoes-any-tag'],
    withFreshState(() => {
      const second = every<unknown>(2);
      return answeringValue(({ name, tag }) =>
        second(name) || tag === undefined ? { name } : { name, tag },
      );
    }),
  ),

  // The first request.
  broken(
    'first-500',
    '500 to the very first request',
    ['invariants/no-server-error', 'invariants/accepts-ordinary-plants'],
    withFreshState(() => {
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
    'answers 201 to the very first plant',
    ['invariants/accepts-ordinary-plants'],
    withFreshState(() => {
      let first = true;
      return answering((answer) => {
        const status = first ? 201 : answer.status;
        first = false;
        return { ...answer, status };
      });
    }),
  ),

  broken(
    'state-100-tags-500',
    '500 to each new tag after a hundred different ones: a metric with too many labels',
    ['ordinary/accepts-any-plant', 'state/answers-at-the-end'],
    withFreshState((): Change => {
      const tags = new Set<string>();
      return failing(({ tag }) => {
        if (tag === '' || tags.has(tag)) return false;
        if (tags.size >= 100) return true;
        tags.add(tag);
        return false;
      });
    }),
  ),

  broken(
    'state-256-tags-null',
    'returns each new tag as null after 256 different ones: the table of interned texts is full',
    ['ordinary/accepts-any-plant', 'state/answers-at-the-end'],
    withFreshState((): Change => {
      const tags = new Set<string>();
      return answeringValue(({ name, tag }) => {
        if (tag === undefined) return { name };
        if (tags.size < 256) tags.add(tag);
        return { name, tag: tags.has(tag) ? tag : null };
      });
    }),
  ),

  // One payload.
  broken(
    'busy-null-name',
    '503 with Retry-After whenever name is null, and to nothing else',
    ['invariants/no-server-error', 'invalid/rejects-null'],
    deferring(
      503,
      () => '0',
      () => (request) => kindOf(seen(request).fields.get('name')) === 'null',
    ),
  ),

  // Concurrent requests.
  oneConnection(),
  broken(
    'load-4-500',
    '500 while more than four requests are in progress',
    ['ordinary/accepts-any-plant', 'ordinary/accepts-concurrent-requests'],
    overlapping(20, (here) => failing(() => here() > 4)),
  ),
  broken(
    'load-2-409',
    '409 while another request is in progress',
    ['ordinary/answers-200', 'ordinary/accepts-escaped-strings', 'ordinary/accepts-ids-of-every-magnitude'],
    overlapping(10, (here) => rejecting(() => here() > 1, 409)),
  ),
  broken(
    'load-shared-identity',
    'keeps the identity of the client in a module variable while the plant is stored: overlapping requests get that of the last one',
    ['state/accepts-among-many-rejections'],
    (right) => {
      let rejection: unknown;
      return {
        authenticate(request) {
          rejection = undefined;
          try {
            right.authenticate(request);
          } catch (error) {
            rejection = error;
          }
        },
        send(answer, response, request) {
          const send = () =>
            right.send(
              rejection instanceof Rejection ? right.reject(rejection, request) : answer,
              response,
              request,
            );
          setTimeout(send, 8).unref();
        },
      };
    },
  ),
  broken(
    'load-scratch-buffer',
    'writes all plants into one buffer: the body of a 200 is overwritten by the next one in progress',
    ['ordinary/accepts-concurrent-requests'],
    withFreshState((): Change => {
      const scratch = Buffer.alloc(2 ** 20);
      return (right) => ({
        send(answer, response, request) {
          if (answer.status !== 200) return right.send(answer, response, request);
          const length = scratch.write(textOf(answer));
          const send = () => right.send({ ...answer, body: scratch.subarray(0, length) }, response, request);
          setTimeout(send, 5).unref();
        },
      });
    }),
  ),
  broken(
    'load-same-id-500',
    '500 while another request with the same id is in progress',
    ['combinations/answers-unconstrained-plants'],
    overlapping(10, () => {
      const inProgress: bigint[] = [];
      return failing(({ id }) => {
        if (id === undefined) return false;
        const isShared = inProgress.includes(id);
        inProgress.push(id);
        setTimeout(() => inProgress.shift(), 10).unref();
        return isShared;
      });
    }),
  ),
  broken(
    'load-new-tag-500',
    'answers 500 to a tag that another request is about to insert',
    ['combinations/answers-unconstrained-plants'],
    overlapping(10, () => {
      const known = new Set<Value>();
      const inProgress = new Set<Value>();
      return failing(({ fields }) => {
        const tag = fields.get('tag');
        if (tag === undefined || known.has(tag)) return false;
        if (inProgress.has(tag)) return true;
        inProgress.add(tag);
        setTimeout(() => known.add(tag), 8).unref();
        return false;
      });
    }),
  ),
  broken(
    'state-one-tag-60',
    'has room for 60 plants with the same tag, and answers 500 to the next one',
    ['invariants/no-server-error'],
    withFreshState(() => {
      const counts = new Map<Value, number>();
      return failing(({ fields }) => {
        const tag = fields.get('tag');
        if (tag === undefined) return false;
        const count = (counts.get(tag) ?? 0) + 1;
        counts.set(tag, count);
        return count > 60;
      });
    }),
  ),
  broken(
    'load-new-id-500',
    'keeps ids unique, and answers 500 instead of 409 to an id that another request is about to create',
    ['combinations/answers-unconstrained-plants'],
    overlapping(10, () => (right) => {
      const created = new Set<bigint>();
      const inProgress = new Set<bigint>();
      return {
        create(plant, request) {
          const { id } = plant;
          if (created.has(id)) return json(409, { error: 409, message: 'the id exists' });
          if (inProgress.has(id)) throw new Error('duplicate key');
          inProgress.add(id);
          setTimeout(() => created.add(id), 8).unref();
          return right.create(plant, request);
        },
      };
    }),
  ),
  broken(
    'connection-16th-503',
    'answers 503 to the sixteenth plant on a connection, and closes it',
    ['invariants/no-server-error'],
    (right) => {
      const ordinal = ordinalOnConnection();
      return {
        create(plant, request) {
          if (ordinal(request) < 16) return right.create(plant, request);
          const draining = json(503, { error: 503, message: 'draining' });
          return { ...draining, headers: { ...draining.headers, connection: 'close' } };
        },
      };
    },
  ),
  broken(
    'connection-24-rejections-500',
    'loses a buffer of the connection with each rejected body, and answers 500 once 24 are gone',
    ['invariants/no-server-error'],
    (right) => {
      const lost = new WeakMap<object, number>();
      const lostBy = ({ message }: Received) => lost.get(message.socket) ?? 0;
      const counting = <T>(request: Received, step: () => T): T => {
        try {
          return step();
        } catch (error) {
          lost.set(request.message.socket, lostBy(request) + 1);
          throw error;
        }
      };
      return {
        parse(body, request) {
          if (lostBy(request) >= 24) throw new Error('no buffer');
          return counting(request, () => right.parse(body, request));
        },
        validate: (value, request) => counting(request, () => right.validate(value, request)),
      };
    },
  ),
  broken(
    'load-4-broken-off',
    'closes the connection in the middle of the response while more than four requests are in progress',
    ['invalid/rejects-non-json', 'invalid/rejects-several-values', 'invalid/rejects-truncated-json'],
    overlapping(20, (here) => breakingOff(() => here() > 4)),
  ),
  broken(
    'load-3-503',
    '503 while more than three requests are in progress',
    ['invariants/no-server-error', 'ordinary/accepts-any-plant'],
    overlapping(20, (here) => busy(() => here() > 3)),
  ),
  broken(
    'load-glued',
    'sends the body twice while another request is in progress',
    ['ordinary/answers-a-plant', 'ordinary/accepts-escaped-strings', 'unconstrained/answers-any-id'],
    overlapping(10, (here) =>
      sending((answer) =>
        answer.status === 200 && here() > 1 ? { ...answer, body: textOf(answer).repeat(2) } : answer,
      ),
    ),
  ),
];
