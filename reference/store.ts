import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { integerOf, JsonFault, Numeral, readJson, type Value } from './json.ts';

/** A request as the steps of the store see it. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: NodeJS.Dict<string[]>;
  readonly body: Buffer;
  readonly message: IncomingMessage;
}

/** The response of the store. */
export interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string | string[]>;
  readonly body?: string | Uint8Array;
}

export interface NewPlant {
  readonly id: bigint;
  readonly name: string;
  readonly tag?: string;
}

/** Thrown by a step to reject a request. */
export class Rejection extends Error {
  readonly status: number;
  readonly code: number;
  readonly headers: Record<string, string>;

  constructor(status: number, code: number, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/**
 * The store as a sequence of steps. Each works on the result of the previous one, and may throw a
 * `Rejection`. Replace a step to make a store that is wrong in one respect.
 */
export interface Steps {
  route(request: Received): void;
  authenticate(request: Received): void;
  negotiate(request: Received): void;
  parse(body: Buffer, request: Received): Value;
  validate(value: Value, request: Received): NewPlant;
  create(plant: NewPlant, request: Received): Answer;
  reject(rejection: Rejection, request: Received): Answer;
  /** Handles an error that is not a `Rejection`. */
  fail(error: unknown, request: Received): Answer;
  send(answer: Answer, response: ServerResponse, request: Received): void;
}

export interface RunningStore {
  readonly url: string;
  readonly token: string;
  stop(): Promise<void>;
}

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
const MAX_BODY_BYTES = 1024 * 1024;

export const json = (status: number, value: unknown, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(value),
});

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Returns the bearer token of the Authorization header; undefined unless there is exactly one header. */
export function bearerToken(request: Received): string | undefined {
  const fields = request.headers.authorization ?? [];
  return fields.length === 1 ? /^bearer +([^\s]+) *$/i.exec(fields[0] ?? '')?.[1] : undefined;
}

/** Returns the steps of a correct store that accepts one token. */
export function rightSteps(token: string): Steps {
  const expected = digest(token);
  return {
    route({ method, path }) {
      if (path !== '/plants')
        throw new Rejection(404, 404, 'there is no such resource; plants are created at /plants');
      if (method !== 'POST') {
        throw new Rejection(405, 405, `${method} is not supported here`, { allow: 'POST' });
      }
    },

    authenticate(request) {
      const given = bearerToken(request);
      if (given === undefined) {
        throw new Rejection(401, 401, 'a bearer token is required', {
          'www-authenticate': 'Bearer realm="plants"',
        });
      }
      if (!timingSafeEqual(digest(given), expected)) {
        throw new Rejection(401, 401, 'the bearer token is not valid', {
          'www-authenticate': 'Bearer realm="plants", error="invalid_token"',
        });
      }
    },

    negotiate(request) {
      const mediaType = request.headers['content-type']?.[0]?.split(';')[0]?.trim().toLowerCase();
      if (mediaType !== 'application/json')
        throw new Rejection(415, 415, 'a plant must be sent as application/json');
    },

    parse(body) {
      try {
        return readJson(body);
      } catch (error) {
        throw error instanceof JsonFault ? new Rejection(400, 1, error.message) : error;
      }
    },

    validate(value) {
      if (!(value instanceof Map)) throw new Rejection(400, 2, 'a plant must be a JSON object');
      const [id, name, tag] = [value.get('id'), value.get('name'), value.get('tag')];
      const number = id instanceof Numeral ? integerOf(id) : undefined;
      if (number === undefined) throw new Rejection(400, 3, 'id must be an integer');
      if (number < INT64_MIN || number > INT64_MAX) throw new Rejection(400, 4, 'id must fit in 64 bits');
      if (typeof name !== 'string') throw new Rejection(400, 5, 'name must be a string');
      if (tag === undefined) return { id: number, name };
      if (typeof tag !== 'string') throw new Rejection(400, 6, 'tag must be a string');
      return { id: number, name, tag };
    },

    create: ({ name, tag }) => json(200, { name, tag }),

    reject: ({ status, code, message, headers }) => json(status, { error: code, message }, headers),

    fail: () => json(500, { error: 500, message: 'the store failed' }),

    send({ status, headers = {}, body = '' }, response) {
      const bytes = typeof body === 'string' ? Buffer.from(body) : body;
      response.writeHead(status, { 'content-length': String(bytes.length), ...headers });
      response.end(bytes);
    },
  };
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of message) {
    length += (chunk as Buffer).length;
    if (length <= MAX_BODY_BYTES) chunks.push(chunk as Buffer);
  }
  if (length > MAX_BODY_BYTES) throw new Rejection(413, 413, 'the body is larger than 1 MiB');
  return Buffer.concat(chunks);
}

/** Returns a request without its body. */
export const headOf = (message: IncomingMessage): Received => ({
  method: message.method ?? '',
  path: (message.url ?? '').split('?')[0] ?? '',
  headers: message.headersDistinct,
  body: Buffer.alloc(0),
  message,
});

/** Answers one request by running the steps in order. */
export async function answer(
  steps: Steps,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let request = headOf(message);
  let reply: Answer;
  try {
    request = { ...request, body: await bodyOf(message) };
    steps.route(request);
    steps.authenticate(request);
    steps.negotiate(request);
    reply = steps.create(steps.validate(steps.parse(request.body, request), request), request);
  } catch (error) {
    reply = error instanceof Rejection ? steps.reject(error, request) : steps.fail(error, request);
  }
  steps.send(reply, response, request);
}

/** Listens on a port of 127.0.0.1 and returns the URL. */
export async function listen(server: Server, port = 0): Promise<{ url: string; stop(): Promise<void> }> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export interface StoreOptions {
  readonly token: string;
  /** 0, the default, selects a free port. */
  readonly port?: number;
  /** Steps that replace the right ones. */
  readonly steps?: (right: Steps) => Partial<Steps>;
}

/**
 * Starts a plant store on 127.0.0.1.
 * @throws the error of `server.listen`, for example EADDRINUSE if the port is in use
 */
export async function startStore({ token, port = 0, steps }: StoreOptions): Promise<RunningStore> {
  const right = rightSteps(token);
  const all: Steps = { ...right, ...steps?.(right) };
  const server = createServer((message, response) => {
    answer(all, message, response).catch(() => response.destroy());
  });
  // Malformed HTTP never reaches the steps; it is rejected with an Error like anything else.
  server.on('clientError', (_error, socket) => {
    if (!socket.writable) return;
    const body = JSON.stringify({ error: 400, message: 'the request is malformed HTTP' });
    socket.end(
      `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
    );
  });
  return { token, ...(await listen(server, port)) };
}
