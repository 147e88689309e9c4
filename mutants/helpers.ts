import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { integerOf, Numeral, readJson, type Value } from '../reference/json.ts';
import {
  type Answer,
  json,
  type NewPlant,
  type Received,
  Refusal,
  type RunningStore,
  type Steps,
  startStore,
} from '../reference/store.ts';
import type { BrokenStore, Change } from './fleet.ts';

/** A request, read: absent or wrong where a part of it is absent or wrong, so that a condition stays one line. */
export interface Seen {
  readonly request: Received;
  readonly text: string;
  /** undefined where the body is not JSON. */
  readonly value: Value | undefined;
  /** Empty where the body is not an object. */
  readonly fields: ReadonlyMap<string, Value>;
  readonly id: bigint | undefined;
  /** '' where it is not a string. */
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
export const lastIs =
  (property: string): When =>
  ({ fields }) =>
    [...fields.keys()].at(-1) === property;

/** How deep the brackets of a text go, near enough. */
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

/** Waits for the answers to the requests before it on its connection (RFC 9112 section 9.3.2). */
export const itsTurn = async (response: ServerResponse): Promise<void> => {
  if (response.socket === null) await once(response, 'socket');
};

/** State that begins anew with each start. */
export const anew =
  (make: () => Change): Change =>
  (right) =>
    make()(right);

/** True of every nth of those that meet the condition. */
export function every<T>(n: number, when: (asked: T) => boolean = always): (asked: T) => boolean {
  let count = 0;
  return (asked) => {
    if (!when(asked)) return false;
    count += 1;
    return count % n === 0;
  };
}

// --- What becomes of a request -------------------------------------------------------------------------

/** Some bodies, of authorised requests, are parsed in another way. */
export const parsing =
  (when: When, instead: (request: Received, right: Steps) => Value): Change =>
  (right) => ({
    parse: (body, request) => (when(seen(request)) ? instead(request, right) : right.parse(body, request)),
  });

/** Some bodies end in 500. */
export const failing = (when: When): Change =>
  parsing(when, () => {
    throw new Error('simulated');
  });

/** Some bodies are refused. */
export const refusing = (when: When, status = 400): Change =>
  parsing(when, () => {
    throw new Refusal(status, 7, 'such a plant is not taken');
  });

/** Some bodies are taken for a plant, whatever they are. */
export const admitting = (when: When): Change => parsing(when, somePlant);

/** Some authorised requests have their connection cut instead of an answer. */
export const cutting = (when: When): Change => mute(when, (socket) => socket.destroy());

const BEGINNING = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 40\r\n\r\n{"name":';

/** Some authorised requests get half an answer: no client takes that for a connection closed while idle. */
export const breakingOff = (when: When): Change => mute(when, (socket) => socket.end(BEGINNING));

/** Some authorised requests are never answered. */
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

/** Some requests end in 500 before anything of them is looked at. */
export const failingAt = (when: Asked): Change => routing(when, 'fail');

/** Some requests go no further than their head: in 500, in a cut connection, in silence. */
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

/** One property is read in another way before it is validated; undefined is absent. */
export const reading =
  (property: string, read: (value: Value | undefined, seen: Seen) => Value | undefined): Change =>
  (right) => ({
    validate(value, request) {
      if (!(value instanceof Map)) return right.validate(value, request);
      const fields = new Map(value);
      const said = read(fields.get(property), seen(request));
      if (said === undefined) fields.delete(property);
      else fields.set(property, said);
      return right.validate(fields, request);
    },
  });

/** A property of a wrong kind is taken for a right one. */
export const taking = (
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

/** Media types beside application/json that a plant may come under. */
export const takingType =
  (when: Asked): Change =>
  (right) => ({
    negotiate(request) {
      if (!when(request)) right.negotiate(request);
    },
  });

/** Requests whose head is refused, once they are authorised. */
export const refusingHead =
  (when: Asked, status: number): Change =>
  (right) => ({
    negotiate(request) {
      if (when(request)) throw new Refusal(status, status, 'such a request is not taken');
      right.negotiate(request);
    },
  });

// --- What is said --------------------------------------------------------------------------------------

export const textOf = ({ body = '' }: Answer) =>
  typeof body === 'string' ? body : Buffer.from(body).toString();

/** Every answer is changed before it is sent. */
export const sending =
  (edit: (answer: Answer, request: Received) => Answer): Change =>
  (right) => ({
    send: (answer, response, request) => right.send(edit(answer, request), response, request),
  });

/** The same answer to everything. */
export const constant = (answer: Answer): Change => sending(() => answer);

/** The right answer to a plant, changed. */
export const answering =
  (edit: (answer: Answer, plant: NewPlant, request: Received) => Answer): Change =>
  (right) => ({
    create: (plant, request) => edit(right.create(plant, request), plant, request),
  });

/** A plant is answered with another value. */
export const saying = (say: (plant: NewPlant) => unknown): Change =>
  answering((_, plant) => json(200, say(plant)));

/** A plant is answered in another text. */
export const writing = (write: (text: string, plant: NewPlant) => string | Uint8Array): Change =>
  answering((answer, plant) => ({ ...answer, body: write(textOf(answer), plant) }));

/** A plant is answered with another status or other headers. */
export const heading = (status: number, headers: Answer['headers'] = {}): Change =>
  answering((answer) => ({ ...answer, status, headers: { ...answer.headers, ...headers } }));

/** A plant is answered under another content type, or none. */
export const typing = (
  type: string | string[] | undefined,
  when: (plant: NewPlant) => boolean = always,
): Change =>
  answering((answer, plant) => {
    if (!when(plant)) return answer;
    const { 'content-type': _, ...headers } = answer.headers ?? {};
    return { ...answer, headers: type === undefined ? headers : { ...headers, 'content-type': type } };
  });

type Which = (refusal: Refusal, request: Received) => boolean;

/** The right answer to what is refused with 400, changed. */
export const refused =
  (edit: (answer: Answer, refusal: Refusal, request: Received) => Answer, which: Which = always): Change =>
  (right) => ({
    refuse(refusal, request) {
      const answer = right.refuse(refusal, request);
      return answer.status === 400 && which(refusal, request) ? edit(answer, refusal, request) : answer;
    },
  });

/** A 400 carries another value. */
export const complaining = (
  say: (refusal: Refusal, request: Received) => unknown,
  which: Which = always,
): Change => refused((answer, refusal, request) => json(answer.status, say(refusal, request)), which);

/** A 400 is another answer altogether. */
export const answering400 = (answer: Answer, which: Which = always): Change => refused(() => answer, which);

/** What the reference's codes stand for. */
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

export const plain = (status: number, body: string): Answer => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body,
});

// --- Who is let in -------------------------------------------------------------------------------------

export const authorization = ({ headers }: Received) => headers.authorization?.[0];

/** Some are let in who carry no valid token. */
export const letting =
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

/** The token is also found where this finds it in the header. */
export const finding =
  (find: (header: string) => string | undefined): Change =>
  (right) => ({
    authenticate(request) {
      const found = find(authorization(request) ?? '');
      const headers = { ...request.headers, authorization: [`Bearer ${found}`] };
      right.authenticate(found === undefined ? request : { ...request, headers });
    },
  });

/** What is said to those who are not let in. */
export const challenging =
  (refusal: (request: Received) => Answer | undefined): Change =>
  (right) => ({
    refuse(said, request) {
      return (said.status === 401 ? refusal(request) : undefined) ?? right.refuse(said, request);
    },
  });

/** Authentication that does not end in a refusal for some. */
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

/** A broken store that compares with the token itself. */
export const knowing = (
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
      steps: letting((request) => {
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

/**
 * Keeps each request for a while, so that it overlaps with others, and knows how many there are.
 * The requests of a store that answers within one turn of the loop would never meet.
 */
export const crowded =
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

/** 100 Continue comes before every answer, though nobody asked: clients that do not take it change how they speak. */
export const continuing: Change = (right) => ({
  send(answer, response, request) {
    response.writeContinue();
    right.send(answer, response, request);
  },
});
/** Some requests are put off before they are looked at; they say when to come again. */
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

/** A server below HTTP: whatever happens to a connection is up to the caller. */
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

/** Refuses what was there before, by a key; what is malformed is left to validation. */
export const unique = (
  key: (plant: NewPlant) => unknown,
  status = 409,
  before: readonly unknown[] = [],
): Change =>
  anew(() => {
    const taken = new Set<unknown>(before);
    return (reference) => ({
      create(plant, request) {
        const said = key(plant);
        if (taken.has(said)) return json(status, { error: status, message: 'there is such a plant already' });
        taken.add(said);
        return reference.create(plant, request);
      },
    });
  });

/** Several steps changed at once. */
export const together =
  (...changes: readonly Change[]): Change =>
  (right) =>
    Object.assign({}, ...changes.map((change) => change(right)));
