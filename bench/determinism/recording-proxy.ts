import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Forwards bytes between the suite and a store, and records what the suite sends. */
export interface Tap {
  /** The same for every store, so that all runs send the same Host header. */
  readonly url: string;
  /** Forwards new connections to this store from now on. */
  leadTo(storeUrl: string): void;
  /** The bytes of each request since the last call. Sorted, because their order depends on timing. */
  requests(): Buffer[];
  stop(): Promise<void>;
}

export async function startTap(): Promise<Tap> {
  let port = 0;
  let connections: Buffer[][] = [];
  const sockets = new Set<Socket>();
  const tie = (socket: Socket, other: Socket) => {
    sockets.add(socket);
    socket.on('error', () => other.destroy());
    socket.once('close', () => {
      sockets.delete(socket);
      other.destroySoon();
    });
  };
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const sent: Buffer[] = [];
    connections.push(sent);
    client.on('data', (chunk) => sent.push(chunk));
    const store = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    tie(client, store);
    tie(store, client);
    client.pipe(store).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leadTo(storeUrl) {
      port = Number(new URL(storeUrl).port);
    },
    requests() {
      const bytes = connections.map((sent) => Buffer.concat(sent));
      connections = [];
      return bytes.flatMap(cut).sort(Buffer.compare);
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/**
 * Splits the bytes of a connection into requests. A malformed request has its own connection, so wherever it
 * is split, no byte is lost.
 */
function cut(bytes: Buffer): Buffer[] {
  const found: Buffer[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const end = endOf(rest);
    found.push(rest.subarray(0, end));
    rest = rest.subarray(end);
  }
  return found;
}

/** The offset at which the first request ends (RFC 9112 section 6.3). */
function endOf(bytes: Buffer): number {
  const blank = bytes.indexOf('\r\n\r\n');
  if (blank < 0) return bytes.length;
  const head = bytes.toString('latin1', 0, blank);
  const start = blank + 4;
  if (/^transfer-encoding:[ \t]*chunked/im.test(head)) return afterChunks(bytes, start);
  return Math.min(bytes.length, start + Number(/^content-length:[ \t]*(\d+)/im.exec(head)?.[1] ?? 0));
}

function afterChunks(bytes: Buffer, start: number): number {
  for (let at = start; ; ) {
    const line = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16);
    if (line < 0 || Number.isNaN(size)) return bytes.length;
    // A trailer section, even an empty one, ends with an empty line.
    const end = bytes.indexOf('\r\n\r\n', line);
    if (size === 0) return end < 0 ? bytes.length : end + 4;
    at = line + 2 + size + 2;
  }
}
