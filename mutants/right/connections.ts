import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { answer as answerTo } from '../../reference/store.ts';
import { type RightStore, right } from '../fleet.ts';
import { adding, itsTurn, later, ordinalOnConnection, sending } from '../helpers.ts';
import { serving } from './serving.ts';

/** Shows each connection, and the last 4 KiB received on it, to a function that may answer in place of the store. */
const watching = (see: (socket: Socket, received: string) => void) => ({
  setUp(server: Server) {
    server.on('connection', (socket) => {
      let received = '';
      socket.on('data', (bytes) => {
        received = `${received}${bytes.toString('latin1')}`.slice(-4096);
        see(socket, received);
      });
    });
  },
});

/** Stores that manage connections, or time their bytes, in an unusual way: unspecified. */
export const connections: readonly RightStore[] = [
  right(
    'closes-after-4xx',
    'sends Connection: close with every 4xx and closes the connection',
    sending((answer) =>
      answer.status >= 400 ? { ...answer, headers: { ...answer.headers, connection: 'close' } } : answer,
    ),
  ),
  right(
    'three-a-connection',
    'sends Connection: close with the third response of a connection',
    (reference) => {
      const ordinal = ordinalOnConnection();
      return sending((answer, request) =>
        ordinal(request) === 3 ? { ...answer, headers: { ...answer.headers, connection: 'close' } } : answer,
      )(reference);
    },
  ),
  serving(
    'idle-for-40-ms',
    'closes connections after 40 ms of idleness although Keep-Alive promises a minute',
    {
      setUp(server) {
        server.keepAliveTimeout = 40;
      },
      change: adding({ 'keep-alive': 'timeout=60' }),
    },
  ),
  right('head-then-body', 'sends the head 5 ms before the body', () => ({
    async send(answer, response) {
      const bytes = Buffer.from(answer.body ?? '');
      response.writeHead(answer.status, { 'content-length': String(bytes.length), ...answer.headers });
      response.flushHeaders();
      await later(5);
      response.end(bytes);
    },
  })),
  right(
    'letter-by-letter',
    'sends the response in pieces of 7 bytes, split within names and line ends',
    () => ({
      async send(answer, response, { method, message: { socket } }) {
        await itsTurn(response);
        const bytes = method === 'HEAD' ? Buffer.alloc(0) : Buffer.from(answer.body ?? '');
        const fields = Object.entries({ ...answer.headers, 'content-length': String(bytes.length) })
          .flatMap(([name, value]) => [value].flat().map((line) => `${name}: ${line}\r\n`))
          .join('');
        const whole = Buffer.concat([
          Buffer.from(`HTTP/1.1 ${answer.status} OK\r\n${fields}connection: close\r\n\r\n`),
          bytes,
        ]);
        socket.setNoDelay(true);
        for (let from = 0; from < whole.length; from += 7) {
          socket.write(whole.subarray(from, from + 7));
          await new Promise(setImmediate);
        }
        socket.end();
      },
    }),
  ),
  serving('late-continue', 'sends 100 Continue 200 ms after it was requested', {
    setUp(server) {
      server.on('checkContinue', async (message, response) => {
        await later(200);
        response.writeContinue();
        server.emit('request', message, response);
      });
    },
  }),
  serving('continue-twice', 'sends 100 Continue twice: once from the proxy, once from the server behind it', {
    setUp(server) {
      server.on('checkContinue', (message, response) => {
        response.writeContinue();
        response.writeContinue();
        server.emit('request', message, response);
      });
    },
  }),
  serving(
    'chunk-extensions-not-read',
    'rejects chunks with several extensions with a page; after 100 Continue, the page begins with that status again, as from nghttpx',
    watching((socket, all) => {
      // From the last request line on: an earlier request of the connection may have had Expect.
      const received = all.slice(Math.max(0, all.lastIndexOf(' HTTP/1.1\r\n')));
      if (!/\r\n[\da-f]+(?:;[^;\r]*){2,}\r\n/i.test(received)) return;
      const status = /\r\nexpect:/i.test(received) ? '100 Continue' : '400 Bad Request';
      const page = `<h1>${status}</h1>`;
      socket.end(
        `HTTP/1.1 ${status}\r\nContent-Type: text/html\r\nContent-Length: ${page.length}\r\nConnection: close\r\n\r\n${page}`,
      );
    }),
  ),
  serving(
    'chunk-extensions-close',
    'closes the connection at chunk extensions, like Varnish if it has to buffer the body',
    watching((socket, received) => {
      if (/\r\n[\da-f]+(?:;[^;\r]*)+\r\n/i.test(received)) socket.destroy();
    }),
  ),
  serving('reads-at-leisure', 'reads nothing for 8 ms after the head of a request', {
    meet: async (line, message, response) => {
      await later(8);
      await answerTo(line, message, response);
    },
  }),
];
