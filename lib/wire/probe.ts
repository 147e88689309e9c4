import { connect as connectPlain } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Endpoint } from './endpoint.ts';

/** Milliseconds that a server is given to say something. */
const MAX_WAIT_MS = 2000;

/** What a server says first, whatever protocol that is. */
export interface Said {
  /** Empty where it closed the connection or kept silent. */
  readonly bytes: Buffer;
  /** The protocol of ALPN that was agreed on. */
  readonly alpn: string | undefined;
}

/** Opens a connection, sends bytes that may be no HTTP, and takes what comes back first. Trusts any certificate. */
export function probe(
  { host, port, secure, tls, timeout }: Endpoint,
  sent: string,
  alpn: readonly string[] = [],
): Promise<Said> {
  return new Promise((resolve) => {
    let agreed: string | undefined;
    const socket = secure
      ? connectTls({ ...tls, host, port, rejectUnauthorized: false, ALPNProtocols: [...alpn] })
      : connectPlain({ host, port });
    const settle = (bytes: Buffer = Buffer.alloc(0)) => {
      resolve({ bytes, alpn: agreed });
      socket.destroy();
    };
    socket.setTimeout(Math.min(MAX_WAIT_MS, timeout), () => settle());
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      if ('alpnProtocol' in socket && typeof socket.alpnProtocol === 'string') agreed = socket.alpnProtocol;
      socket.write(Buffer.from(sent, 'latin1'));
    });
    socket.once('data', settle);
    socket.on('error', () => settle());
    socket.once('close', () => settle());
  });
}
