import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { AnswerReader } from './answer-reader.ts';
import type { Endpoint } from './endpoint.ts';
import { type Exchange, type Fault, faultOf, type Request, type Response } from './exchange.ts';

/**
 * Sends one request over a connection of its own, for what an HTTP library does not send (broken framing)
 * or does not take (a 100 Continue that nobody asked for).
 */
export function sendBySocket(endpoint: Endpoint, request: Request, signal?: AbortSignal): Promise<Exchange> {
  return new Promise((resolve) => {
    const reader = new AnswerReader(request.method, endpoint.cap);
    const started = performance.now();
    const socket = open(endpoint);
    const settle = (outcome: Response | Fault) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abandon);
      socket.removeAllListeners('close').destroy();
      const ended = { request, ms: performance.now() - started, interim: reader.interim };
      resolve(
        'status' in outcome
          ? { ...ended, kind: 'answered', response: outcome }
          : { ...ended, kind: 'broken', fault: outcome, response: reader.partial() },
      );
    };
    const abandon = () => settle(ABANDONED);
    const timer = setTimeout(
      () => settle({ kind: 'timeout', detail: `no whole answer within ${endpoint.timeout} ms` }),
      endpoint.timeout,
    );
    signal?.addEventListener('abort', abandon, { once: true });
    socket.once(endpoint.secure ? 'secureConnect' : 'connect', () => {
      socket.write(request.verbatim ?? serialized(request));
    });
    socket.on('error', (error) => settle(faultOf(error)));
    socket.on('data', (chunk: Buffer) => {
      try {
        const response = reader.take(chunk);
        if (response !== undefined) settle(response);
      } catch (error) {
        settle(faultOf(error));
      }
    });
    socket.on('close', () => {
      settle(
        reader.closed() ?? {
          kind: 'closed',
          detail: 'the connection was closed before the answer was whole',
        },
      );
    });
  });
}

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

/** The wire was closed; nothing is said of the store. */
export const ABANDONED: Fault = { kind: 'closed', detail: 'the run has ended' };

function open({ host, port, secure, tls }: Endpoint): Socket {
  return secure
    ? connectTls({ host, port, ...tls, ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }) })
    : connectPlain({ host, port });
}

/** The bytes of a well-framed request; the connection is not used again. */
function serialized({ method, path, headers, body }: Request): Uint8Array {
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  const head = [`${method} ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n');
  return Buffer.concat([Buffer.from(head, 'latin1'), body ?? new Uint8Array()]);
}
