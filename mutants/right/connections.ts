import { answer } from '../../reference/store.ts';
import { type RightStore, right } from '../fleet.ts';
import { itsTurn, later, sending } from '../helpers.ts';
import { serving } from './serving.ts';

/** What becomes of connections, and when bytes come: nothing of it is shown. */
export const connections: readonly RightStore[] = [
  right(
    'closes-after-4xx',
    'a 4xx says Connection: close, and the connection ends',
    sending((said) =>
      said.status >= 400 ? { ...said, headers: { ...said.headers, connection: 'close' } } : said,
    ),
  ),
  right('three-a-connection', 'the third answer of a connection says Connection: close', (reference) => {
    const answered = new WeakMap<object, number>();
    return {
      send(said, response, request) {
        const count = (answered.get(request.message.socket) ?? 0) + 1;
        answered.set(request.message.socket, count);
        const headers = count === 3 ? { ...said.headers, connection: 'close' } : { ...said.headers };
        reference.send({ ...said, headers }, response, request);
      },
    };
  }),
  serving('idle-for-40-ms', 'a connection that is idle for 40 ms ends, and Keep-Alive says a minute', {
    setUp(server) {
      server.keepAliveTimeout = 40;
    },
    change: sending((said) => ({ ...said, headers: { ...said.headers, 'keep-alive': 'timeout=60' } })),
  }),
  right('head-then-body', 'the head comes 5 ms before the body', () => ({
    async send(said, response) {
      const bytes = Buffer.from(said.body ?? '');
      response.writeHead(said.status, { 'content-length': String(bytes.length), ...said.headers });
      response.flushHeaders();
      await later(5);
      response.end(bytes);
    },
  })),
  right('letter-by-letter', 'the head comes in pieces of 7 bytes, cut in names and in line ends', () => ({
    async send(said, response, { method, message: { socket } }) {
      await itsTurn(response);
      const bytes = method === 'HEAD' ? Buffer.alloc(0) : Buffer.from(said.body ?? '');
      const fields = Object.entries({ ...said.headers, 'content-length': String(bytes.length) })
        .flatMap(([name, value]) => [value].flat().map((line) => `${name}: ${line}\r\n`))
        .join('');
      const whole = Buffer.concat([
        Buffer.from(`HTTP/1.1 ${said.status} OK\r\n${fields}connection: close\r\n\r\n`),
        bytes,
      ]);
      socket.setNoDelay(true);
      for (let from = 0; from < whole.length; from += 7) {
        socket.write(whole.subarray(from, from + 7));
        await new Promise(setImmediate);
      }
      socket.end();
    },
  })),
  serving('late-continue', '100 Continue comes 200 ms after it was asked for', {
    setUp(server) {
      server.on('checkContinue', async (message, response) => {
        await later(200);
        response.writeContinue();
        server.emit('request', message, response);
      });
    },
  }),
  serving('continue-twice', '100 Continue comes twice: the proxy says it, and the server behind it', {
    setUp(server) {
      server.on('checkContinue', (message, response) => {
        response.writeContinue();
        response.writeContinue();
        server.emit('request', message, response);
      });
    },
  }),
  serving('reads-at-leisure', 'nothing is read for 8 ms after the head of a request', {
    meet: async (line, message, response) => {
      await later(8);
      await answer(line, message, response);
    },
  }),
];
