import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { integerOf, Numeral, readJson, type Value } from '../reference/json.ts';
import {
  type Answer,
  json,
  type NewPlant,
  type Received,
  Rejection,
  type RunningStore,
  type Steps,
  startStore,
} from '../reference/store.ts';
import type { BrokenStore, Change } from './fleet.ts';

/** A parsed request. Missing or invalid parts have neutral values, so that conditions stay short. */
export interface Seen {
  readonly request: Received;
  readonly text: string;
  /** undefined if the body is not JSON. */
  readonly value: Value | undefined;
  /** Empty if the body is not an object. */
  readonly fields: ReadonlyMap<string, Value>;
  readonly id: bigint | undefined;
  /** '' if it is not a string. */
  readonly name: string;
  readonly tag: string;
}

export type When = (seen: Seen) => boolean;
export type Asked = (request: Received) => boolean;

const always = () => true;

export function seen(request: Received): Seen {
  let value: Value | undefined;
  try {
    value = readJson(request.body);
  } catch {
    value = undefined;
  }
  const fields = value instanceof Map ? value : new Map<string, Value>();
  const [id, name, tag] = [fields.get('id'), fields.get('name'), fields.get('tag')];
  return {
    request,
    text: request.body.toString(),
    value,
    fields,
    id: id instanceof Numeral ? integerOf(id) : undefined,
    name: typeof name === 'string' ? name : '',
    tag: typeof tag === 'string' ? tag : '',
  };
}

export const tagless: When = ({ fields }) => !fields.has('tag');
export const tagged: When = ({ fields }) => fields.has('tag');
/** Whether the name or the tag matches. */
export const nameOrTag =
  (pattern: RegExp): When =>
  ({ name, tag }) =>
    pattern.test(name) || pattern.test(tag);
export const lastIs =
  (property: string): When =>
  ({ fields }) =>
    [...fields.keys()].at(-1) === property;

/** The depth to which brackets are nested, including brackets within strings. */
export function depthOf(text: string): number {
  let [depth, deepest] = [0, 0];
  for (const mark of text) {
    if (mark === '[' || mark === '{') depth += 1;
    if (mark === ']' || mark === '}') depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

export const kindOf = (value: Value | undefined) => {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  if (value instanceof Numeral) return integerOf(value) === undefined ? 'fraction' : 'integer';
  if (Array.isArray(value)) return 'array';
  return value instanceof Map ? 'object' : (typeof value as 'string' | 'boolean');
};
export type Kind = ReturnType<typeof kindOf>;

export const ONE = new Numeral('1');
const STAND_IN: Record<string, Value> = { id: ONE, name: 'unnamed' };
export const somePlant = () => new Map<string, Value>([...Object.entries(STAND_IN)]);

/** Waits until the earlier requests on the connection have been answered (RFC 9112 section 9.3.2). */
export const itsTurn = async (response: ServerResponse): Promise<void> => {
  if (response.socket === null) await once(response, 'socket');
};

/** Creates new state each time the store is started. */
export const withFreshState =
  (make: () => Change): Change =>
  (right) =>
    make()(right);

/** Returns a function that is true for every nth request that meets the condition. */
export function every<T>(n: number, when: (asked: T) => boolean = always): (asked: T) => boolean {
  let count = 0;
  return (asked) => {
    if (!when(asked)) return false;
    count += 1;
    return count % n === 0;
  };
}

/**
 * Returns a function that is true for a request whose key has occurred before. Requests without a key never
 * count.
 */
export function seenBefore<T>(keyOf: (asked: T) => unknown): (asked: T) => boolean {
  const keys = new Set<unknown>();
  return (asked) => {
    const key = keyOf(asked);
    if (key === undefined) return false;
    const isKnown = keys.has(key);
    keys.add(key);
    return isKnown;
  };
}

// --- What happens to a request ---------------------------------------------------------------------------

/** Parses certain bodies of authorised requests differently. */
export const parsing =
  (when: When, instead: (request: Received, right: Steps) => Value): Change =>
  (right) => ({
    parse: (body, request) => (when(seen(request)) ? instead(request, right) : right.parse(body, request)),
  });

/** Answers certain bodies with 500. */
export const failing = (when: When): Change =>
  parsing(when, () => {
    throw new Error('simulated');
  });

/** Rejects certain bodies. */
export const rejecting = (when: When, status = 400): Change =>
  parsing(when, () => {
    throw new Rejection(status, 7, 'such a plant is not accepted');
  });

/** Accepts certain bodies as plants, whatever they contain. */
export const accepting = (when: When): Change => parsing(when, somePlant);

/** Closes the connection instead of answering certain authorised requests. */
export const cutting = (when: When): Change => mute(when, (socket) => socket.destroy());

const BEGINNING = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 40\r\n\r\n{"name":';

/**
 * Sends half a response to certain authorised requests, which no client can mistake for an idle connection
 * that closes.
 */
export const breakingOff = (when: When): Change => mute(when, (socket) => socket.end(BEGINNING));

/** Never answers certain authorised requests. */
export const hanging = (when: When): Change => mute(when, () => {});

function mute(when: When, then: (socket: Socket) => void): Change {
  return (right) => {
    const muted = new WeakSet<IncomingMessage>();
    return {
      parse(body, request) {
        if (when(seen(request))) muted.add(request.message);
        return right.parse(body, request);
      },
      send(answer, response, request) {
        if (muted.has(request.message)) then(request.message.socket);
        else right.send(answer, response, request);
      },
    };
  };
}

/** Answers certain requests with 500, before anything else. */
export const failingAt = (when: Asked): Change => routing(when, 'fail');

/** Handles certain requests by their heads alone: with 500, by closing the connection, or not at all. */
export const routing =
  (when: Asked, then: 'fail' | 'cut' | 'hang'): Change =>
  (right) => ({
    route(request) {
      if (then === 'fail' && when(request)) throw new Error('simulated');
      right.route(request);
    },
    send(answer, response, request) {
      if (then === 'fail' || !when(request)) right.send(answer, response, request);
      else if (then === 'cut') request.message.socket.destroy();
    },
  });

/** Changes a property before it is validated; undefined means that it is missing. */
export const reading =
  (property: string, read: (value: Value | undefined, seen: Seen) => Value | undefined): Change =>
  (right) => ({
    validate(value, request) {
      if (!(value instanceof Map)) return right.validate(value, request);
      const fields = new Map(value);
      const changed = read(fields.get(property), seen(request));
      if (changed === undefined) fields.delete(property);
      else fields.set(property, changed);
      return right.validate(fields, request);
    },
  });

/** Accepts a property of a certain wrong type. */
export const acceptingKind = (
  property: 'id' | 'name' | 'tag',
  wrong: Kind | readonly Kind[],
  when: When = always,
): Change =>
  reading(property, (value, request) =>
    [wrong].flat().includes(kindOf(value)) && when(request) ? STAND_IN[property] : value,
  );

export const contentType = ({ headers }: Received) => headers['content-type']?.[0] ?? '';
export const mediaType = (request: Received) =>
  contentType(request).split(';')[0]?.trim().toLowerCase() ?? '';

/** Accepts plants under other media types than application/json, too. */
export const acceptingType =
  (when: Asked): Change =>
  (right) => ({
    negotiate(request) {
      if (!when(request)) right.negotiate(request);
    },
  });

/** Rejects certain authorised requests by their heads. */
export const rejectingHead =
  (when: Asked, status: number): Change =>
  (right) => ({
    negotiate(request) {
      if (when(request)) throw new Rejection(status, status, 'such a request is not accepted');
      right.negotiate(request);
    },
  });

// --- Responses ------------------------------------------------------------------------------------------

export const textOf = ({ body = '' }: Answer) =>
  typeof body === 'string' ? body : Buffer.from(body).toString();

/** Changes every response before it is sent. */
export const sending =
  (edit: (answer: Answer, request: Received) => Answer): Change =>
  (right) => ({
    send: (answer, response, request) => right.send(edit(answer, request), response, request),
  });

/** Adds headers to every response. */
export const adding = (headers: NonNullable<Answer['headers']>): Change =>
  sending((answer) => ({ ...answer, headers: { ...answer.headers, ...headers } }));

/** Gives the same answer to everything. */
export const constant = (answer: Answer): Change => sending(() => answer);

/** Changes the response to accepted plants. */
export const answering =
  (edit: (answer: Answer, plant: NewPlant, request: Received) => Answer): Change =>
  (right) => ({
    create: (plant, request) => edit(right.create(plant, request), plant, request),
  });

/** Answers accepted plants with another value. */
export const answeringValue = (say: (plant: NewPlant) => unknown): Change =>
  answering((_, plant) => json(200, say(plant)));

/** Answers accepted plants with another text. */
export const answeringText = (write: (text: string, plant: NewPlant) => string | Uint8Array): Change =>
  answering((answer, plant) => ({ ...answer, body: write(textOf(answer), plant) }));

/** Answers accepted plants with another status or other headers. */
export const answeringHead = (status: number, headers: Answer['headers'] = {}): Change =>
  answering((answer) => ({ ...answer, status, headers: { ...answer.headers, ...headers } }));

/** Answers accepted plants with another content type, or with none. */
export const answeringType = (
  type: string | string[] | undefined,
  when: (plant: NewPlant) => boolean = always,
): Change =>
  answering((answer, plant) => {
    if (!when(plant)) return answer;
    const { 'content-type': _, ...headers } = answer.headers ?? {};
    return { ...answer, headers: type === undefined ? headers : { ...headers, 'content-type': type } };
  });

type Which = (rejection: Rejection, request: Received) => boolean;

/** Changes the 400 response to rejected requests. */
export const rejected =
  (
    edit: (answer: Answer, rejection: Rejection, request: Received) => Answer,
    which: Which = always,
  ): Change =>
  (right) => ({
    reject(rejection, request) {
      const answer = right.reject(rejection, request);
      return answer.status === 400 && which(rejection, request) ? edit(answer, rejection, request) : answer;
    },
  });

/** Answers 400 with another value. */
export const answering400With = (
  say: (rejection: Rejection, request: Received) => unknown,
  which: Which = always,
): Change => rejected((answer, rejection, request) => json(answer.status, say(rejection, request)), which);

/** Replaces 400 responses with another response. */
export const answering400 = (answer: Answer, which: Which = always): Change => rejected(() => answer, which);

/** Changes the response to requests that are rejected with one status. */
export const insteadOf =
  (status: number, answer: (request: Received) => Answer | undefined): Change =>
  (right) => ({
    reject: (rejection, request) =>
      (rejection.status === status ? answer(request) : undefined) ?? right.reject(rejection, request),
  });

/** Rejects with another status, and the body of the original one; by default whatever gets a 400. */
export const under =
  (status: number, which: Which = ({ status }) => status === 400): Change =>
  (right) => ({
    reject: (rejection, request) => ({
      ...right.reject(rejection, request),
      status: which(rejection, request) ? status : rejection.status,
    }),
  });

/** The error codes of the reference store. */
export const NOT_JSON = 1;
export const NOT_AN_OBJECT = 2;
export const BAD_ID = 3;
export const BAD_NAME = 5;
export const BAD_TAG = 6;
export const coded =
  (...codes: number[]): Which =>
  ({ code }) =>
    codes.includes(code);

export const html = (status: number, title: string): Answer => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: `<!doctype html><title>${title}</title><h1>${title}</h1>`,
});

/** What a framework sends in debug mode: 90 kB of HTML. */
export const debugPage = (status: number): Answer => html(status, 'TypeError in create_plant '.repeat(1800));

export const plain = (status: number, body: string): Answer => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body,
});

// --- Authentication -------------------------------------------------------------------------------------

export const authorization = ({ headers }: Received) => headers.authorization?.[0];

/** Accepts certain requests without a valid token. */
export const acceptingCredential =
  (when: Asked): Change =>
  (right) => ({
    authenticate(request) {
      try {
        right.authenticate(request);
      } catch (error) {
        if (!when(request)) throw error;
      }
    },
  });

/** Also accepts the token wherever `find` finds it in the header. */
export const finding =
  (find: (header: string) => string | undefined): Change =>
  (right) => ({
    authenticate(request) {
      const found = find(authorization(request) ?? '');
      const headers = { ...request.headers, authorization: [`Bearer ${found}`] };
      right.authenticate(found === undefined ? request : { ...request, headers });
    },
  });

/** Changes the response to requests without a valid token. */
export const challenging = (answer: (request: Received) => Answer | undefined): Change =>
  insteadOf(401, answer);

/** Fails to authenticate certain requests instead of rejecting them. */
export const unable =
  (when: Asked, then: 'fail' | 'cut' | 'hang'): Change =>
  (right) => {
    const muted = new WeakSet<IncomingMessage>();
    return {
      authenticate(request) {
        if (when(request) && then === 'fail') throw new Error('simulated');
        if (when(request)) muted.add(request.message);
        right.authenticate(request);
      },
      send(answer, response, request) {
        if (!muted.has(request.message)) right.send(answer, response, request);
        else if (then === 'cut') request.message.socket.destroy();
      },
    };
  };

/** A broken store that needs the right token itself in order to compare. */
export const comparingTokens = (
  name: string,
  breaks: string,
  fails: readonly string[],
  when: (given: string, token: string) => boolean,
): BrokenStore => ({
  name,
  breaks,
  fails,
  start: (token) =>
    startStore({
      token,
      steps: acceptingCredential((request) => {
        const given = /^bearer +(\S+)$/i.exec(authorization(request) ?? '')?.[1];
        return given !== undefined && when(given, token);
      }),
    }),
});

// --- Time and sockets ----------------------------------------------------------------------------------

export const later = (milliseconds: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, milliseconds).unref();
  });

/** Delays each response by so many milliseconds. */
export const delaying =
  (milliseconds: number): Change =>
  (right) => ({
    async send(answer, response, request) {
      await later(milliseconds);
      right.send(answer, response, request);
    },
  });

/** Returns a function that is true beyond so many calls per second. */
export function beyondPerSecond(limit: number): () => boolean {
  let [since, count] = [0, 0];
  return () => {
    if (Date.now() - since >= 1000) [since, count] = [Date.now(), 0];
    count += 1;
    return count > limit;
  };
}

/** Returns a function that is called once for each request, and counts those of a connection from 1. */
export function ordinalOnConnection(): (request: Received) => number {
  const counts = new WeakMap<Socket, number>();
  return ({ message: { socket } }) => {
    const count = (counts.get(socket) ?? 0) + 1;
    counts.set(socket, count);
    return count;
  };
}

/**
 * Delays each response so that requests overlap, which they would never do otherwise, and counts the requests
 * in progress.
 */
export const overlapping =
  (milliseconds: number, make: (here: () => number) => Change): Change =>
  (right) => {
    const here = new Set<IncomingMessage>();
    const line = { ...right, ...make(() => here.size)(right) };
    return {
      ...line,
      route(request) {
        here.add(request.message);
        line.route(request);
      },
      send(answer, response, request) {
        const send = () => {
          line.send(answer, response, request);
          here.delete(request.message);
        };
        setTimeout(send, milliseconds).unref();
      },
    };
  };

/** Sends an unsolicited 100 Continue before every response, which only the raw socket client can read. */
export const continuing: Change = (right) => ({
  send(answer, response, request) {
    response.writeContinue();
    right.send(answer, response, request);
  },
});

/** Defers certain requests with Retry-After before it looks at them. */
export const deferring =
  (status: number, retryAfter: () => string, make: () => (request: Received) => boolean): Change =>
  (reference) => {
    const over = make();
    return {
      send(answer, response, request) {
        const deferred = {
          ...html(status, 'Later'),
          headers: { 'content-type': 'text/html', 'retry-after': retryAfter() },
        };
        reference.send(over(request) ? deferred : answer, response, request);
      },
    };
  };

/** A server below HTTP: the caller handles the raw connection. */
export async function startRaw(token: string, meet: (socket: Socket) => void): Promise<RunningStore> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    meet(socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    token,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

export const conflict = (status: number): Answer =>
  json(status, { error: status, message: 'the plant already exists' });

/** Rejects a plant if its key is known. Invalid bodies never get this far. */
export const unique = (
  key: (plant: NewPlant) => unknown,
  status = 409,
  before: readonly unknown[] = [],
): Change =>
  withFreshState(() => {
    const known = new Set<unknown>(before);
    return (reference) => ({
      create(plant, request) {
        const value = key(plant);
        if (known.has(value)) return conflict(status);
        known.add(value);
        return reference.create(plant, request);
      },
    });
  });

/** Makes several changes at once. */
export const together =
  (...changes: readonly Change[]): Change =>
  (right) =>
    Object.assign({}, ...changes.map((change) => change(right)));

/** The property names at the top level of an object, as often as they occur. */
export function ownNamesIn(text: string): readonly string[] {
  const names: string[] = [];
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"(?:\s*:)?|[[{\]}]/g)) {
    if (/^[[{]/.test(token)) depth += 1;
    else if (/^[\]}]/.test(token)) depth -= 1;
    else if (depth === 1 && token.endsWith(':')) names.push(JSON.parse(token.replace(/\s*:$/, '')) as string);
  }
  return names;
}
