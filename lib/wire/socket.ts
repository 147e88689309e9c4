import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { AnswerReader } from './answer-reader.ts';
import { ABANDONED, type Connection, IDLE_MS, timedOut } from './connection.ts';
import type { Endpoint } from './endpoint.ts';
import { type Exchange, type Fault, faultOf, type Request, type Response } from './exchange.ts';

/** Who is told what happens to a socket. */
interface Listener {
  onData(chunk: Buffer): void;
  /** It has ended, for this reason if there is one. */
  onEnd(error?: Error): void;
}

/**
 * A connection with a writer and a reader of our own, for what an HTTP library does not send (broken framing)
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
    const reader = new AnswerReader(request.method, this.endpoint.cap);
    let started = performance.now();
    const outcome = await this.opened().then(
      (socket) => {
        started = performance.now();
        return this.exchanged(socket, request, reader, timeout);
      },
      (error: unknown) => faultOf(error),
    );
    const ended = { request, ms: performance.now() - started, interim: reader.interim };
    return 'status' in outcome
      ? { ...ended, kind: 'answered', response: outcome }
      : { ...ended, kind: 'broken', fault: outcome, response: reader.partial() };
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

  private async exchanged(
    socket: Socket,
    request: Request,
    reader: AnswerReader,
    timeout: number,
  ): Promise<Response | Fault> {
    let timer: NodeJS.Timeout | undefined;
    const outcome = await new Promise<Response | Fault>((resolve) => {
      // Closed just as the connection was opened.
      if (this.socket !== socket) return resolve(ABANDONED);
      timer = setTimeout(() => resolve(timedOut(timeout, reader.partial() !== undefined)), timeout);
      this.abandon = () => resolve(ABANDONED);
      this.listener = {
        onData(chunk) {
          try {
            const response = reader.take(chunk);
            if (response !== undefined) resolve(response);
          } catch (error) {
            resolve(faultOf(error));
          }
        },
        onEnd: (error) => resolve(error === undefined ? (reader.closed() ?? CUT_SHORT) : faultOf(error)),
      };
      socket.write(request.verbatim ?? serialized(request));
    });
    clearTimeout(timer);
    this.abandon = () => {};
    this.listener = this.idle;
    const lives = !socket.destroyed && !socket.readableEnded && socket.writableLength === 0;
    if ('status' in outcome && reader.keepsConnection && lives) socket.setTimeout(IDLE_MS);
    else this.drop();
    return outcome;
  }
}

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

/** The bytes of a well-framed request, the same as undici's. */
function serialized({ method, path, headers: [host, ...headers], body, framing }: Request): Uint8Array {
  const lines = [host, ['connection', 'keep-alive'] as const, ...headers].map((pair) => pair?.join(': '));
  const head = Buffer.from([`${method} ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n'), 'latin1');
  const content = body ?? new Uint8Array();
  return Buffer.concat([head, ...(framing === 'chunked' ? chunked(content) : [content])]);
}

/** A body in two chunks. */
function chunked(body: Uint8Array): Uint8Array[] {
  const chunks = halves(body).flatMap((part) => [
    Buffer.from(`${part.length.toString(16)}\r\n`),
    part,
    Buffer.from('\r\n'),
  ]);
  return [...chunks, Buffer.from('0\r\n\r\n')];
}

/** The two parts of a body that are sent as chunks. */
export function halves(body: Uint8Array): Uint8Array[] {
  const middle = Math.floor(body.length / 2);
  return [body.subarray(0, middle), body.subarray(middle)].filter((part) => part.length > 0);
}
