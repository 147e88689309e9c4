import { connect as connectPlain, isIP } from 'node:net';
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

interface Probe {
  /** What is sent before TLS begins, and without TLS first of all. */
  readonly before?: string;
  readonly alpn?: string;
}

/** Opens a connection, sends bytes that may be no HTTP, and takes what comes back first. Trusts any certificate. */
export function probe(
  { host, port, secure, tls, timeout }: Endpoint,
  sent: string,
  { before = '', alpn }: Probe = {},
): Promise<Said> {
  return new Promise((resolve) => {
    let agreed: string | undefined;
    const socket = connectPlain({ host, port });
    const settle = (bytes: Buffer = Buffer.alloc(0)) => {
      resolve({ bytes, alpn: agreed });
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
