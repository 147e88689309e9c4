import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { AnswerReader } from './answer-reader.ts';
import { ABANDONED, type Connection, IDLE_MS, timedOut } from './connection.ts';
import type { Endpoint } from './endpoint.ts';
import { type Exchange, type Fault, faultOf, type Request, type Response } from './exchange.ts';
import { Patience } from './patience.ts';
import {
  awaitsContinue,
  CONTINUE_WAIT_MS,
  endsConnection,
  PAUSE_MS,
  SegmentWriter,
  segmentsOf,
} from './segments.ts';

/** Who is told what happens to a socket. */
interface Listener {
  onData(chunk: Buffer): void;
  /** It has ended, for this reason if there is one. */
  onEnd(error?: Error): void;
}

/**
 * A connection with a writer and a reader of our own, for what an HTTP library does not send (broken framing, a delivery)
 * or does not take (a 100 Continue that nobody asked for).
 */
export class SocketConnection implements Connection {
  private readonly endpoint: Endpoint;
  private socket: Socket | undefined;
  /** Whatever happens to an idle connection ends it: nobody was asked anything. */
  private readonly idle: Listener = { onData: () => this.drop(), onEnd: () => this.drop() };
  private listener = this.idle;
  private abandon: () => void = () => {};

  constructor(endpoint: Endpoint) {
    this.endpoint = endpoint;
  }

  async send(request: Request, timeout: number): Promise<Exchange> {
    const sent = this.sent(request);
    await this.exchange([sent], timeout);
    return ended(sent);
  }

  /**
   * Sends requests without waiting for an answer in between (pipelining, RFC 9112 section 9.3.2), and waits for the end
   * of all. Those that the connection ended before have no answer.
   */
  async sendAll(requests: readonly Request[], timeout: number): Promise<Exchange[]> {
    const sent = requests.map((request) => this.sent(request));
    await this.exchange(sent, timeout);
    return sent.map(ended);
  }

  /** Whether the next request goes over a connection that was there before. */
  get isOpen(): boolean {
    return this.socket !== undefined;
  }

  private sent(request: Request): Sent {
    return {
      request,
      reader: new AnswerReader(request.method, this.endpoint.cap),
      outcome: CUT_SHORT,
      ms: 0,
    };
  }

  async close(): Promise<void> {
    this.abandon();
    this.drop();
  }

  private drop(): void {
    this.socket?.destroy();
    this.socket = undefined;
    this.listener = this.idle;
  }

  /** The one that was kept, or else a new one, once it is open. */
  private opened(): Promise<Socket> {
    if (this.socket !== undefined) return Promise.resolve(this.socket.setTimeout(0));
    const { secure, timeout } = this.endpoint;
    const socket = open(this.endpoint);
    this.socket = socket;
    const told = (tell: (listener: Listener) => void) => {
      if (this.socket === socket) tell(this.listener);
    };
    return new Promise<Socket>((resolve, reject) => {
      const ended = (error: Error) => {
        clearTimeout(late);
        reject(error);
        this.drop();
      };
      const late = setTimeout(() => {
        const error = new Error(`no connection within ${timeout} ms`);
        ended(Object.assign(error, { code: 'ETIMEDOUT' }));
      }, timeout);
      this.abandon = () => ended(new Error(ABANDONED.detail));
      this.listener = {
        onData: () => {},
        onEnd: (error = new Error('the connection was closed before it was open')) => ended(error),
      };
      socket.on('error', (error) => told(({ onEnd }) => onEnd(error)));
      socket.on('data', (chunk: Buffer) => told(({ onData }) => onData(chunk)));
      for (const end of ['end', 'close', 'timeout']) socket.on(end, () => told(({ onEnd }) => onEnd()));
      socket.once(secure ? 'secureConnect' : 'connect', () => {
        clearTimeout(late);
        resolve(socket);
      });
    });
  }

  private async exchange(sent: readonly Sent[], timeout: number): Promise<void> {
    const started = performance.now();
    const opened = await this.opened().catch(faultOf);
    if (!('kind' in opened)) return this.exchangeOn(opened, sent, timeout);
    for (const one of sent) Object.assign(one, { outcome: opened, ms: performance.now() - started });
  }

  private async exchangeOn(socket: Socket, sent: readonly Sent[], timeout: number): Promise<void> {
    const started = performance.now();
    const waiting = [...sent];
    const end = (outcome: Response | Fault) => {
      const one = waiting.shift();
      if (one !== undefined) Object.assign(one, { outcome, ms: performance.now() - started });
    };
    const requests = sent.map(({ request }) => request);
    const segments = joined(requests.map((request) => segmentsOf(request, this.endpoint)));
    const waits = requests.some(awaitsContinue);
    const aborts = requests.some(({ delivery }) => delivery?.abortAfter !== undefined);
    // A request that waits for 100 Continue goes by itself.
    const { headCut, pauseMs = PAUSE_MS } = requests[0]?.delivery ?? {};
    const writer = new SegmentWriter(waits, headCut === true ? 1 : 0, pauseMs);
    let patience: Patience | undefined;
    const isKept = await new Promise<boolean>((resolve) => {
      const endWith = (outcome: Response | Fault) => {
        end(aborts && outcome !== ABANDONED ? ABORTED : outcome);
        resolve(false);
      };
      // Closed just as the connection was opened.
      if (this.socket !== socket) return endWith(ABANDONED);
      // The pauses are ours.
      const paused = segments.length * pauseMs + (waits ? CONTINUE_WAIT_MS : 0);
      patience = new Patience(segments.length > 1 ? timeout + paused : timeout, () =>
        endWith(timedOut(timeout, waiting[0]?.reader.partial() !== undefined)),
      );
      this.abandon = () => endWith(ABANDONED);
      this.listener = {
        onData(chunk) {
          let bytes = chunk;
          try {
            for (let reader = waiting[0]?.reader; reader !== undefined; reader = waiting[0]?.reader) {
              const response = reader.take(bytes);
              if (reader.interim.includes(100)) writer.goOn();
              if (response === undefined) return;
              bytes = reader.rest;
              end(aborts ? ABORTED : response);
              patience?.refresh();
              if (!reader.keepsConnection) return resolve(false);
            }
            // A server that answers before it has read the body may not find the next request on its connection.
            resolve(bytes.length === 0 && writer.done);
          } catch (error) {
            endWith(faultOf(error));
          }
        },
        onEnd: (error) =>
          endWith(error === undefined ? (waiting[0]?.reader.closed() ?? CUT_SHORT) : faultOf(error)),
      };
      void writer.write(socket, segments).then(() => {
        if (aborts) endWith(ABORTED);
      });
    });
    patience?.stop();
    writer.stop();
    this.abandon = () => {};
    this.listener = this.idle;
    const lives = writer.done && !socket.destroyed && !socket.readableEnded && socket.writableLength === 0;
    const mayGoOn = !aborts && !requests.some(endsConnection);
    if (isKept && lives && mayGoOn) socket.setTimeout(IDLE_MS);
    else this.drop();
  }
}

/** A request on its way, and what has become of it by now. */
interface Sent {
  readonly request: Request;
  readonly reader: AnswerReader;
  outcome: Response | Fault;
  ms: number;
}

function ended({ request, reader, outcome, ms }: Sent): Exchange {
  const all = { request, ms, interim: reader.interim };
  return 'status' in outcome
    ? { ...all, kind: 'answered', response: outcome }
    : { ...all, kind: 'broken', fault: outcome, response: reader.partial() };
}

/** The segments of several requests: one begins in the segment in which the one before it ends. */
function joined([first = [], ...others]: readonly (readonly Uint8Array[])[]): readonly Uint8Array[] {
  return others.reduce<readonly Uint8Array[]>((before, [head = new Uint8Array(), ...rest]) => {
    const last = before.at(-1) ?? new Uint8Array();
    return [...before.slice(0, -1), Buffer.concat([last, head]), ...rest];
  }, first);
}

const ABORTED: Fault = { kind: 'aborted', detail: 'we closed the connection before an answer' };

const CUT_SHORT: Fault = {
  kind: 'closed',
  detail: 'the connection was closed before the answer was whole',
};

/** Whether a server goes through with a handshake of TLS, whatever its certificate. */
export function takesHandshake({ host, port, timeout }: Endpoint): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connectTls({ host, port, rejectUnauthorized: false });
    const settle = (takes: boolean) => {
      resolve(takes);
      socket.destroy();
    };
    socket.setTimeout(timeout, () => settle(false));
    socket.once('secureConnect', () => settle(true));
    socket.on('error', () => settle(false));
    socket.once('close', () => settle(false));
  });
}

function open({ host, port, secure, tls }: Endpoint): Socket {
  return secure
    ? connectTls({ host, port, ...tls, ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }) })
    : connectPlain({ host, port });
}
