import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { ABANDONED, type Connection, IDLE_MS, type ResponseLimits, timeoutFault } from './connection.ts';
import { Deadline } from './deadline.ts';
import type { Endpoint } from './endpoint.ts';
import { type Exchange, type Fault, faultOf, type Request, type Response } from './exchange.ts';
import { ResponseReader } from './response-reader.ts';
import { awaitsContinue, endsConnection, SEGMENT_PAUSE_MS, SegmentWriter, segmentsOf } from './segments.ts';

interface Listener {
  onData(chunk: Buffer): void;
  /** Called with the error that ended the socket, if any. */
  onEnd(error?: Error): void;
}

/**
 * A raw socket, for what an HTTP library does not send (broken framing, a delivery) or accept (an unsolicited
 * 100).
 */
export class SocketConnection implements Connection {
  private readonly endpoint: Endpoint;
  private socket: Socket | undefined;
  /** On an idle connection, no response is due, so any event ends it, unless a further response begins. */
  private readonly idle: Listener = {
    onData: (bytes) => this.keepUnsolicited(bytes),
    onEnd: () => {
      if (this.unsolicited.length === 0) this.drop();
    },
  };
  private listener = this.idle;
  /** What has arrived of a further response, which no request asked for. */
  private unsolicited = Buffer.alloc(0);
  private abandon: () => void = () => {};

  constructor(endpoint: Endpoint) {
    this.endpoint = endpoint;
  }

  async send(request: Request, limits: ResponseLimits): Promise<Exchange> {
    const pending = pendingOf(request, limits);
    await this.exchange([pending], limits);
    return exchangeOf(pending);
  }

  /**
   * Pipelines requests (RFC 9112 section 9.3.2). Those not answered before the end have no response.
   *
   * @param isNext whether they follow a complete exchange on this connection. A further response that has
   * already arrived then counts as the response to the first of them, as it does for careless clients
   */
  async sendAll(requests: readonly Request[], limits: ResponseLimits, isNext: boolean): Promise<Exchange[]> {
    const pending = requests.map((request) => pendingOf(request, limits));
    const [first] = pending;
    const unsolicited =
      isNext && first !== undefined ? this.takeUnsolicited(first.request, limits) : undefined;
    if (first === undefined || unsolicited === undefined) await this.exchange(pending, limits);
    else first.outcome = unsolicited;
    return pending.map(exchangeOf);
  }

  /** Returns the unsolicited response, read as that to a request, if all of it has arrived. */
  private takeUnsolicited({ method }: Request, { maxBodyBytes }: ResponseLimits): Response | undefined {
    const bytes = this.unsolicited;
    if (bytes.length === 0) return undefined;
    this.drop();
    const reader = new ResponseReader(method, maxBodyBytes);
    try {
      return reader.take(bytes) ?? reader.closed();
    } catch {
      return undefined;
    }
  }

  async close(): Promise<void> {
    this.abandon();
    this.drop();
  }

  private drop(): void {
    this.socket?.destroy();
    this.socket = undefined;
    this.listener = this.idle;
    this.unsolicited = Buffer.alloc(0);
  }

  /** Keeps bytes that begin like a response; others end the connection. */
  private keepUnsolicited(bytes: Buffer): void {
    this.unsolicited = Buffer.concat([this.unsolicited, bytes]);
    const isResponse = FINAL_RESPONSE.test(this.unsolicited.toString('latin1', 0, 10));
    if (!isResponse || this.unsolicited.length > MAX_UNSOLICITED_BYTES) this.drop();
  }

  private opened(): Promise<Socket> {
    if (this.socket !== undefined) return Promise.resolve(this.socket.setTimeout(0));
    const { secure, timeout } = this.endpoint;
    const socket = open(this.endpoint);
    this.socket = socket;
    const notify = (call: (listener: Listener) => void) => {
      if (this.socket === socket) call(this.listener);
    };
    return new Promise<Socket>((resolve, reject) => {
      const ended = (error: Error) => {
        clearTimeout(timer);
        reject(error);
        this.drop();
      };
      const timer = setTimeout(() => {
        const error = new Error(`no connection within ${timeout} ms`);
        ended(Object.assign(error, { code: 'ETIMEDOUT' }));
      }, timeout);
      this.abandon = () => ended(new Error(ABANDONED.detail));
      this.listener = {
        onData: () => {},
        onEnd: (error = new Error('the connection was closed while it was being opened')) => ended(error),
      };
      socket.on('error', (error) => notify(({ onEnd }) => onEnd(error)));
      socket.on('data', (chunk: Buffer) => notify(({ onData }) => onData(chunk)));
      for (const end of ['end', 'close', 'timeout']) socket.on(end, () => notify(({ onEnd }) => onEnd()));
      socket.once(secure ? 'secureConnect' : 'connect', () => {
        clearTimeout(timer);
        resolve(socket);
      });
    });
  }

  private async exchange(pending: readonly PendingExchange[], limits: ResponseLimits): Promise<void> {
    const started = performance.now();
    if (this.unsolicited.length > 0) this.drop();
    const socket = await this.opened().catch(faultOf);
    if ('kind' in socket) {
      for (const one of pending) Object.assign(one, { outcome: socket, ms: performance.now() - started });
      return;
    }
    const due = new DueResponses(pending);
    const requests = pending.map(({ request }) => request);
    const segments = joined(requests.map((request) => segmentsOf(request, this.endpoint)));
    // A request with these settings is never pipelined, so the first request decides.
    const { headCut, pauseMs = SEGMENT_PAUSE_MS } = requests[0]?.delivery ?? {};
    const continueWait = requests.some(awaitsContinue) ? limits.continueWait : undefined;
    const writer = new SegmentWriter(segments, headCut === undefined ? 0 : 1, pauseMs, continueWait);
    const isKept = await this.awaitResponses(socket, due, writer, limits);
    const isWritten = writer.hasReachedLast && socket.writableLength === 0;
    const isAlive = !socket.destroyed && !socket.readableEnded;
    const mayContinue = !due.areAborted && !requests.some(endsConnection);
    if (!isKept || !isWritten || !isAlive || !mayContinue) return this.drop();
    socket.setTimeout(IDLE_MS);
    const { rest } = pending.at(-1)?.reader ?? {};
    if (rest !== undefined && rest.length > 0) this.keepUnsolicited(rest);
  }

  /** @returns whether all responses arrived, and the connection could carry another request */
  private async awaitResponses(
    socket: Socket,
    due: DueResponses,
    writer: SegmentWriter,
    { timeout, largeBodies }: ResponseLimits,
  ): Promise<boolean> {
    let deadline: Deadline | undefined;
    const end = (outcome: Response | Fault) => due.end(outcome, writer.waitedInVainMs);
    const isKept = await new Promise<boolean>((resolve) => {
      const endWith = (outcome: Response | Fault) => {
        end(outcome);
        resolve(false);
      };
      // The connection was closed while it was being opened.
      if (this.socket !== socket) return endWith(ABANDONED);
      // Exclude our own pauses from the time limit.
      deadline = new Deadline(timeout + writer.pausesMs, () =>
        endWith(timeoutFault(timeout, due.reader?.partial() !== undefined)),
      );
      this.abandon = () => endWith(ABANDONED);
      this.listener = {
        onData(chunk) {
          let bytes = chunk;
          try {
            for (let { reader } = due; reader !== undefined; { reader } = due) {
              const response = reader.take(bytes);
              if (reader.interim.includes(100)) writer.goOn();
              if (response === undefined) return largeBodies.add(socket, reader.bodyBytes, deadline);
              largeBodies.end(socket);
              bytes = reader.rest;
              end(response);
              deadline?.refresh();
              if (!reader.keepsConnection) return resolve(false);
            }
            // A server that answers before it has read the whole body may not find the beginning of the next
            // request.
            resolve(writer.hasReachedLast);
          } catch (error) {
            endWith(faultOf(error));
          }
        },
        onEnd: (error) => endWith(error === undefined ? (due.reader?.closed() ?? CUT_SHORT) : faultOf(error)),
      };
      void writer.write(socket).then(() => {
        if (due.areAborted) endWith(ABORTED);
      });
    });
    deadline?.stop();
    largeBodies.end(socket);
    writer.stop();
    this.abandon = () => {};
    this.listener = this.idle;
    return isKept;
  }
}

/** The responses that are still due on a connection, in the order of their requests. */
class DueResponses {
  /** Whether we break off a request, so that no response counts. */
  readonly areAborted: boolean;
  private readonly due: PendingExchange[];
  private readonly started = performance.now();

  constructor(pending: readonly PendingExchange[]) {
    this.due = [...pending];
    this.areAborted = pending.some(({ request }) => request.delivery?.abortAfter !== undefined);
  }

  get reader(): ResponseReader | undefined {
    return this.due[0]?.reader;
  }

  /** @param continueWaitMs set if the body was sent although no 100 Continue had arrived */
  end(outcome: Response | Fault, continueWaitMs: number | undefined): void {
    const first = this.due.shift();
    if (first === undefined) return;
    Object.assign(first, {
      outcome: this.areAborted && outcome !== ABANDONED ? ABORTED : outcome,
      ms: performance.now() - this.started,
      // If a 100 arrived late, the machine was busy; do not report it as missing.
      ...(continueWaitMs !== undefined && !first.reader.interim.includes(100) ? { continueWaitMs } : {}),
    });
  }
}

/** The beginning of a final response. */
const FINAL_RESPONSE = /^HTTP\/1\.[01] [2-5]/;
const MAX_UNSOLICITED_BYTES = 64 * 1024;

/** A request, and the response as far as it has arrived. */
interface PendingExchange {
  readonly request: Request;
  readonly reader: ResponseReader;
  outcome: Response | Fault;
  ms: number;
  continueWaitMs?: number;
}

function exchangeOf({ request, reader, outcome, ms, continueWaitMs }: PendingExchange): Exchange {
  const waited = continueWaitMs === undefined ? {} : { continueWaitMs };
  const common = { request, ms, interim: reader.interim, ...waited };
  return 'status' in outcome
    ? { ...common, kind: 'answered', response: outcome }
    : { ...common, kind: 'broken', fault: outcome, response: reader.partial() };
}

/** Each request begins in the segment in which the previous one ends. */
function joined([first = [], ...others]: readonly (readonly Uint8Array[])[]): readonly Uint8Array[] {
  return others.reduce<readonly Uint8Array[]>((before, [head = new Uint8Array(), ...rest]) => {
    const last = before.at(-1) ?? new Uint8Array();
    return [...before.slice(0, -1), Buffer.concat([last, head]), ...rest];
  }, first);
}

const ABORTED: Fault = { kind: 'aborted', detail: 'we closed the connection before a response' };

const CUT_SHORT: Fault = {
  kind: 'closed',
  detail: 'the connection was closed before the response was complete',
};

/** Returns whether nothing listens at an endpoint. */
export const refusesConnections = ({ host, port, timeout }: Endpoint): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connectPlain({ host, port });
    const settle = (isRefused: boolean) => {
      resolve(isRefused);
      socket.destroy();
    };
    socket.setTimeout(timeout, () => settle(false));
    socket.once('connect', () => settle(false));
    socket.on('error', (error) => settle(faultOf(error).kind === 'refused'));
  });

function open({ host, port, secure, tls }: Endpoint): Socket {
  return secure
    ? connectTls({ host, port, ...tls, ...(isIP(host) === 0 ? { servername: host } : {}) })
    : connectPlain({ host, port });
}

const pendingOf = (request: Request, { maxBodyBytes }: ResponseLimits): PendingExchange => ({
  request,
  reader: new ResponseReader(request.method, maxBodyBytes),
  outcome: CUT_SHORT,
  ms: 0,
});
