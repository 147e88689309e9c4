import { connect as connectPlain, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Endpoint } from './endpoint.ts';

/** Maximum wait for the first bytes from a server. */
const MAX_WAIT_MS = 2000;

export interface FirstBytes {
  /** Empty if the server closed the connection or sent nothing. */
  readonly bytes: Buffer;
  readonly alpn: string | undefined;
  /** Whether a TLS handshake was completed. */
  readonly isSecured: boolean;
}

interface Probe {
  /** Text to send first, even before a TLS handshake. */
  readonly before?: string;
  readonly alpn?: string;
}

/** Sends bytes, and returns the first ones that come back. Trusts any certificate. */
export function probe(
  { host, port, secure, tls, timeout }: Endpoint,
  sent: string,
  { before = '', alpn }: Probe = {},
): Promise<FirstBytes> {
  return new Promise((resolve) => {
    let agreed: string | undefined;
    let isSecured = false;
    const socket = connectPlain({ host, port });
    const settle = (bytes: Buffer = Buffer.alloc(0)) => {
      resolve({ bytes, alpn: agreed, isSecured });
      socket.destroy();
    };
    const fail = () => settle();
    const ask = (connection: typeof socket) => {
      connection.once('data', settle).write(Buffer.from(sent, 'latin1'));
    };
    const askSecurely = () => {
      const connection = connectTls({
        ...tls,
        socket,
        rejectUnauthorized: false,
        ...(isIP(host) === 0 ? { servername: host } : {}),
        ...(alpn === undefined ? {} : { ALPNProtocols: [alpn] }),
      });
      connection.on('error', fail).once('secureConnect', () => {
        isSecured = true;
        if (typeof connection.alpnProtocol === 'string') agreed = connection.alpnProtocol;
        if (sent === '') settle();
        else ask(connection);
      });
    };
    socket.setTimeout(Math.min(MAX_WAIT_MS, timeout), fail);
    socket.on('error', fail).once('close', fail);
    socket.once('connect', () => {
      socket.write(before, () => (secure ? askSecurely() : ask(socket)));
    });
  });
}
