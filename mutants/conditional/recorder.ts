import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import {
  answer,
  listen,
  type Received,
  type RunningStore,
  rightSteps,
  type Steps,
} from '../../reference/store.ts';
import { type Seen, seen } from '../helpers.ts';

export type Outcome = 'accepted' | 'rejected' | 'unauthenticated' | 'aborted';

/** What is remembered of an answered request. */
interface Past {
  readonly outcome: Outcome;
  readonly digest: string;
  readonly length: number;
}

/** The earlier requests, of one connection or of the whole store. */
export class History {
  readonly counts: Record<Outcome, number> = { accepted: 0, rejected: 0, unauthenticated: 0, aborted: 0 };
  /** The values of accepted requests. */
  readonly ids = new Set<bigint>();
  readonly names = new Set<string>();
  readonly namesInLowerCase = new Set<string>();
  readonly composedNames = new Set<string>();
  readonly digests = new Set<string>();
  readonly idempotencyKeys = new Set<string>();
  /** The ids of requests that were aborted within their body. */
  readonly abortedIds = new Set<bigint>();
  /** Digests of all requests that were not accepted, and the ids of those that were rejected. */
  readonly rejectedDigests = new Set<string>();
  readonly rejectedIds = new Set<bigint>();
  last: Past | undefined;

  record(outcome: Outcome, met: Met | undefined): void {
    this.counts[outcome] += 1;
    this.last = { outcome, digest: met?.digest ?? '', length: met?.request.body.length ?? 0 };
    if (met === undefined) return;
    if (outcome !== 'accepted') {
      this.rejectedDigests.add(met.digest);
      if (met.id !== undefined && outcome === 'rejected') this.rejectedIds.add(met.id);
      return;
    }
    if (met.id !== undefined) this.ids.add(met.id);
    this.names.add(met.name);
    this.namesInLowerCase.add(met.name.toLowerCase());
    this.composedNames.add(met.name.normalize());
    this.digests.add(met.digest);
    for (const key of met.request.headers['idempotency-key'] ?? []) this.idempotencyKeys.add(key);
  }
}

/** A part of a body as the parser delivers it: a chunk, or the content of a TCP segment. */
interface Piece {
  readonly bytes: Buffer;
  /** Milliseconds since the head or the preceding part. */
  readonly pause: number;
}

/** A request, and how it arrived. */
export interface Met extends Seen {
  /** As sent, possibly in absolute form or percent-encoded. */
  readonly target: string;
  /** The header fields in order, with their names as written. */
  readonly lines: readonly (readonly [name: string, value: string])[];
  /** Of the whole body. */
  readonly digest: string;
  readonly pieces: readonly Piece[];
  /** TCP segments of the head, and from the end of the head to the end of the body. */
  readonly headSegments: number;
  readonly bodySegments: number;
  /** The beginning of the TCP segment with the end of the head, as Latin-1; empty if it is the first one. */
  readonly headEnd: string;
  /** Everything received on the connection for this request, as Latin-1. */
  readonly wire: string;
  /** 1 for the first request on the connection. */
  readonly nth: number;
  /** 1 for the first request to the store. */
  readonly ordinal: number;
  /** Whether it arrived before the preceding request was answered. */
  readonly pipelined: boolean;
  readonly onConnection: History;
  readonly inStore: History;
  /** The requests in progress when it arrived. */
  readonly beside: readonly Met[];
}

class Connection {
  readonly history = new History();
  segments: Buffer[] = [];
  requests = 0;
  unanswered = 0;
}

type Arrival = Pick<Met, 'target' | 'pieces' | 'headSegments' | 'nth' | 'pipelined'>;

/** The target in origin form, without percent-encoded letters and digits. */
const plainTarget = (target: string) =>
  target
    .replace(/^https?:\/\/[^/?]*/i, '')
    .replace(/%[2-7][\da-f]/gi, (code) =>
      /%(?:4[1-9a-f]|5[\da]|6[1-9a-f]|7[\da])/i.test(code) ? decodeURIComponent(code) : code,
    );

/** Records the parts of a body before anything reads it. */
function piecesOf(message: IncomingMessage): readonly Piece[] {
  const pieces: Piece[] = [];
  let before = performance.now();
  const push = message.push.bind(message);
  message.push = (chunk, encoding) => {
    const now = performance.now();
    if (Buffer.isBuffer(chunk)) pieces.push({ bytes: chunk, pause: now - before });
    before = now;
    return push(chunk, encoding);
  };
  return pieces;
}

const outcomeOf = (status: number): Outcome => {
  if (status < 300) return 'accepted';
  return status === 401 ? 'unauthenticated' : 'rejected';
};

const pairs = (raw: readonly string[]) =>
  raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ''] as const] : []));

interface Recorded {
  /** Called once for each request, before the first step. */
  readonly when: (met: Met) => boolean;
  /** The steps for these requests. */
  readonly instead: (right: Steps, token: string) => Partial<Steps>;
  /** Delay of each response in milliseconds, so that requests overlap. */
  readonly delay: number;
}

/**
 * Starts the reference store with other steps for some requests, which may be selected by how they arrived.
 */
export async function startRecorded(
  token: string,
  { when, instead, delay }: Recorded,
): Promise<RunningStore> {
  const right = rightSteps(token);
  const other: Steps = { ...right, ...instead(right, token) };
  const inStore = new History();
  const connections = new WeakMap<Socket, Connection>();
  const arrivals = new WeakMap<IncomingMessage, Arrival>();
  const meetings = new WeakMap<IncomingMessage, Met>();
  const chosen = new WeakSet<IncomingMessage>();
  const inFlight = new Set<Met>();
  let ordinal = 0;

  const connectionOf = (socket: Socket) => {
    const connection = connections.get(socket) ?? new Connection();
    connections.set(socket, connection);
    return connection;
  };

  function meet(request: Received): Met | undefined {
    const { message, body } = request;
    const connection = connectionOf(message.socket);
    const arrival = arrivals.get(message);
    if (arrival === undefined) return undefined;
    const { segments } = connection;
    connection.segments = [];
    ordinal += 1;
    return {
      ...seen(request),
      ...arrival,
      ordinal,
      lines: pairs(message.rawHeaders),
      digest: createHash('sha1').update(body).digest('base64'),
      bodySegments: segments.length - arrival.headSegments + 1,
      headEnd: arrival.headSegments > 1 ? (segments[arrival.headSegments - 1]?.toString('latin1') ?? '') : '',
      wire: Buffer.concat(segments).toString('latin1'),
      onConnection: connection.history,
      inStore,
      beside: [...inFlight],
    };
  }

  const of = ({ message }: Received) => (chosen.has(message) ? other : right);
  const steps: Steps = {
    route(request) {
      const met = meet(request);
      if (met !== undefined) {
        if (when(met)) chosen.add(request.message);
        meetings.set(request.message, met);
        inFlight.add(met);
      }
      of(request).route(request);
    },
    authenticate: (request) => of(request).authenticate(request),
    negotiate: (request) => of(request).negotiate(request),
    parse: (body, request) => of(request).parse(body, request),
    validate: (value, request) => of(request).validate(value, request),
    create: (plant, request) => of(request).create(plant, request),
    reject: (rejection, request) => of(request).reject(rejection, request),
    fail: (error, request) => of(request).fail(error, request),
    send(result, response, request) {
      const { message } = request;
      const send = () => {
        const met = meetings.get(message);
        const connection = connectionOf(message.socket);
        const outcome = message.complete ? outcomeOf(result.status) : 'aborted';
        connection.history.record(outcome, met);
        connection.unanswered -= 1;
        inStore.record(outcome, met);
        if (met === undefined) connection.segments = [];
        else inFlight.delete(met);
        of(request).send(result, response, request);
      };
      if (delay === 0) send();
      else setTimeout(send, delay).unref();
    },
  };

  const server = createServer((message, response) => {
    const connection = connectionOf(message.socket);
    connection.requests += 1;
    const pieces = piecesOf(message);
    message.once('close', () => {
      const [, id] = /"id":(\d+)/.exec(Buffer.concat(pieces.map(({ bytes }) => bytes)).toString()) ?? [];
      if (!message.complete && id !== undefined) inStore.abortedIds.add(BigInt(id));
    });
    arrivals.set(message, {
      target: message.url ?? '',
      pieces,
      // The segment with the end of the head is recorded later.
      headSegments: connection.segments.length + 1,
      nth: connection.requests,
      pipelined: connection.unanswered > 0,
    });
    connection.unanswered += 1;
    message.url = plainTarget(message.url ?? '');
    answer(steps, message, response).catch(() => response.destroy());
  });
  server.on('connection', (socket) => {
    const connection = connectionOf(socket);
    socket.on('data', (bytes: Buffer) => connection.segments.push(bytes));
  });
  return { token, ...(await listen(server)) };
}
