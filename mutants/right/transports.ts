import type { ServerResponse } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Answer, Received } from '../../reference/store.ts';
import { type Change, type RightStore, right } from '../fleet.ts';
import {
  adding,
  continuing,
  cutting,
  delaying,
  every,
  failingAt,
  html,
  itsTurn,
  later,
  ordinalOnConnection,
  type Seen,
  sending,
  textOf,
} from '../helpers.ts';
import { serving } from './serving.ts';

const bytesOf = ({ body = '' }: Answer) => (typeof body === 'string' ? Buffer.from(body) : body);
const fieldsOf = ({ headers = {} }: Answer) =>
  Object.entries(headers)
    .flatMap(([name, value]) => [value].flat().map((line) => `${name}: ${line}\r\n`))
    .join('');

/** The beginning of a message, to which further header fields may be added. */
const statusAndFields = (answer: Answer, version = '1.1') =>
  `HTTP/${version} ${answer.status} OK\r\n${fieldsOf(answer)}`;
const inBytes = (...parts: readonly (string | Uint8Array)[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)));

/** Bypasses the serialisation of Node: the caller writes the whole message. */
const written =
  (write: (answer: Answer, bytes: Uint8Array, request: Received) => string | Buffer, close = true): Change =>
  () => ({
    async send(answer, response, request) {
      await itsTurn(response);
      const { socket } = request.message;
      const bytes = request.method === 'HEAD' ? Buffer.alloc(0) : bytesOf(answer);
      const message = write(answer, bytes, request);
      if (close) socket.end(message);
      else {
        socket.write(message);
        // Node still considers this response unsent, and would hold back the next one for ever.
        response.emit('finish');
      }
    },
  });

/** Sends the body in one chunk, whatever the version of the request. */
const inChunks = written((answer, bytes) =>
  inBytes(
    `${statusAndFields(answer)}Transfer-Encoding: chunked\r\n\r\n`,
    ...(bytes.length === 0 ? [] : [`${bytes.length.toString(16)}\r\n`, bytes, '\r\n']),
    '0\r\n\r\n',
  ),
);

const encoded = (coding: string, encode: (bytes: Uint8Array) => Uint8Array) =>
  sending((answer) => ({
    ...answer,
    headers: { ...answer.headers, 'content-encoding': coding, vary: 'accept-encoding' },
    body: encode(bytesOf(answer)),
  }));

/** Closes connections after some responses, without announcing it. */
const closing =
  (after: number): Change =>
  (reference) => {
    const ordinal = ordinalOnConnection();
    return {
      send(answer, response, request) {
        if (ordinal(request) >= after) response.once('finish', () => request.message.socket.end());
        reference.send(answer, response, request);
      },
    };
  };

/** True for the nth request of each connection. */
const nthOfConnection = (n: number) => {
  const ordinal = ordinalOnConnection();
  return ({ request }: Seen) => ordinal(request) === n;
};

async function chunkByChunk(
  answer: Answer,
  response: ServerResponse,
  { method, message: { socket } }: Received,
) {
  await itsTurn(response);
  socket.setNoDelay(true);
  socket.write(
    `HTTP/1.1 ${answer.status} \r\n${fieldsOf(answer)}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n`,
  );
  const chunks = [...(method === 'HEAD' ? [] : bytesOf(answer))].map((byte) =>
    inBytes('1;n=v\r\n', Buffer.of(byte), '\r\n'),
  );
  // Written one by one only while that takes negligible time: a right store must not depend on a clock.
  const singly = chunks.slice(0, 1000);
  for (const chunk of singly) {
    socket.write(chunk);
    await new Promise(setImmediate);
  }
  socket.write(Buffer.concat(chunks.slice(singly.length)));
  socket.end(method === 'HEAD' ? '' : '0\r\n\r\n');
}

/** Behind a proxy that answers broken framing itself. */
const behind = (name: string, odd: string, change: Change, page: string): RightStore =>
  serving(name, odd, {
    change,
    setUp(server) {
      server.on('clientError', (_error, socket) => {
        if (socket.writable)
          socket.end(
            `HTTP/1.1 400 Bad Request\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n${page}`,
          );
      });
    },
  });

/** Stores that send the same responses in an unusual way. */
export const transports: readonly RightStore[] = [
  right(
    'http-1.0',
    'answers with HTTP/1.0',
    written((answer, bytes) =>
      inBytes(`${statusAndFields(answer, '1.0')}Content-Length: ${bytes.length}\r\n\r\n`, bytes),
    ),
  ),
  right(
    'http-1.0-without-length',
    'answers HTTP/1.0 with keep-alive without a Content-Length, and leaves the connection open',
    (reference) => ({
      send(answer, response, request) {
        const { httpVersion, socket } = request.message;
        const keepsAlive = request.headers.connection?.[0]?.toLowerCase() === 'keep-alive';
        if (httpVersion !== '1.0' || !keepsAlive) return reference.send(answer, response, request);
        socket.write(
          `HTTP/1.0 ${answer.status} OK\r\ncontent-type: application/json\r\n\r\n${textOf(answer)}`,
        );
      },
    }),
  ),
  right('to-http-2', 'switches to HTTP/2 if the client offers it', (reference) => ({
    send(answer, response, request) {
      if (request.headers.upgrade === undefined) return reference.send(answer, response, request);
      const { socket } = request.message;
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n');
      // An empty SETTINGS frame (RFC 9113 section 6.5).
      socket.write(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]));
    },
  })),
  right(
    'close-delimited',
    'ends the body by closing the connection',
    written((answer, bytes) => inBytes(`${statusAndFields(answer)}Connection: close\r\n\r\n`, bytes)),
  ),
  right('connection-close', 'sends Connection: close with every response', adding({ connection: 'close' })),
  right('closes-after-7', 'closes connections after 7 responses without announcing it', closing(7)),
  right('closes-after-1', 'closes connections after every response without announcing it', closing(1)),
  right(
    'closes-in-the-place-of-the-8th',
    'closes the connection instead of its 8th response: a client sends that request again',
    cutting(nthOfConnection(8)),
  ),
  right(
    'short-keep-alive',
    'announces that it keeps idle connections for a second only',
    adding({ connection: 'keep-alive', 'keep-alive': 'timeout=1, max=5' }),
  ),
  right('byte-by-byte', 'sends chunks of a single byte, with extensions; no reason phrase', () => ({
    send: (answer, response, request) => void chunkByChunk(answer, response, request),
  })),
  right(
    'chunk-white-space',
    'sends chunks with white space before their extensions and zeros before their sizes, Chunked in another case',
    written((answer, bytes, { method }) =>
      inBytes(
        `${statusAndFields(answer)}Transfer-Encoding: Chunked\r\n\r\n`,
        ...(bytes.length === 0 ? [] : [`00${bytes.length.toString(16)} ; note="x;y"\r\n`, bytes, '\r\n']),
        method === 'HEAD' ? '' : '000;last=1\r\nX-Checksum: 0\r\n\r\n',
      ),
    ),
  ),
  right(
    'content-length-tabs',
    'sends tabs before and after Content-Length, which many parsers reject (RFC 9110 section 5.6.3)',
    written(
      (answer, bytes) =>
        inBytes(`${statusAndFields(answer)}Content-Length:\t${bytes.length}\t \r\n\r\n`, bytes),
      false,
    ),
  ),
  right(
    'content-length-tab-at-times',
    'sends a tab after the Content-Length of every fourth body or so, as a server that pads its headers may',
    written((answer, bytes) => {
      const length = bytes.length % 4 === 0 ? `${bytes.length}\t` : bytes.length;
      return inBytes(`${statusAndFields(answer)}Content-Length: ${length}\r\n\r\n`, bytes);
    }, false),
  ),
  right('chunked', 'sends the body in two chunks', () => ({
    send(answer, response) {
      const bytes = bytesOf(answer);
      response.writeHead(answer.status, { ...answer.headers });
      response.write(bytes.subarray(0, 5));
      response.end(bytes.subarray(5));
    },
  })),
  right(
    'head-with-body',
    'sends the body of a response to HEAD a moment later, as some frameworks behind a WSGI server do',
    (reference) => ({
      send(answer, response, request) {
        const { socket, method } = request.message;
        reference.send(answer, response, request);
        if (method === 'HEAD') setTimeout(() => socket.write(answer.body ?? ''), 2);
      },
    }),
  ),
  right(
    'http-1.0-chunked',
    'answers requests in HTTP/1.0 with chunks, like some frameworks, although RFC 9112 section 6.1 forbids it',
    (reference) => {
      const { send = reference.send } = inChunks(reference);
      return {
        send: (answer, response, request) =>
          (request.message.httpVersion === '1.0' ? send : reference.send)(answer, response, request),
      };
    },
  ),
  right('trailers', 'sends a trailer after the body', (reference) => ({
    send(answer, response, request) {
      // HTTP/1.0 has no trailers.
      if (request.method === 'HEAD' || request.message.httpVersion === '1.0')
        return reference.send(answer, response, request);
      response.writeHead(answer.status, { ...answer.headers, trailer: 'x-checksum' });
      response.write(bytesOf(answer));
      response.addTrailers({ 'x-checksum': '7' });
      response.end();
    },
  })),
  right(
    'gzip',
    'always compresses with gzip: a client without Accept-Encoding accepts any coding',
    encoded('gzip', gzipSync),
  ),
  right(
    'brotli',
    'always compresses with br: a client without Accept-Encoding accepts any coding',
    encoded('br', brotliCompressSync),
  ),
  right('continue', 'sends 100 Continue although it was not requested', continuing),
  right('early-hints', 'sends 103 Early Hints first', (reference) => ({
    send(answer, response, request) {
      response.writeEarlyHints({ link: '</style.css>; rel=preload; as=style' });
      reference.send(answer, response, request);
    },
  })),
  right('processing', 'sends 102 Processing twice before the response', (reference) => ({
    send(answer, response, request) {
      response.writeProcessing();
      response.writeProcessing();
      reference.send(answer, response, request);
    },
  })),
  right('odd-reason', 'sends a sentence as the reason phrase: clients ignore it', (reference) => ({
    send(answer, response, request) {
      response.statusMessage = '404 Not Found, or so they say';
      reference.send(answer, response, request);
    },
  })),
  right(
    'odd-spelling',
    'sends header names in unusual case, values between tabs and spaces',
    written(
      (answer, bytes) =>
        inBytes(
          `HTTP/1.1 ${answer.status} \xe9t\xe9\r\n${fieldsOf(answer).toUpperCase().replaceAll(': ', ':\t ').replaceAll('\r\n', ' \t\r\n')}CONTENT-length:${bytes.length}\r\n\r\n`,
          bytes,
        ),
      false,
    ),
  ),
  right('slow', 'takes 60 ms for every response', delaying(60)),
  right('slow-start', 'takes a second for the first response and 250 ms for one in 50', (reference) => {
    const fiftieth = every<unknown>(50);
    let first = true;
    return {
      async send(answer, response, request) {
        const wait = first ? 1000 : fiftieth(answer) ? 250 : 0;
        first = false;
        if (wait > 0) await later(wait);
        reference.send(answer, response, request);
      },
    };
  }),

  // Behind a proxy.
  behind(
    'proxy-framing',
    'answers broken framing with 400 in HTML from a proxy, before the store sees it',
    () => ({}),
    '<h1>400 Bad Request</h1>',
  ),
  behind(
    'proxy-elsewhere',
    'answers everything but POST /plants in HTML from a proxy, which adds Via',
    (reference) => ({
      reject(rejection, request) {
        const answer = [404, 405, 413, 415].includes(rejection.status)
          ? html(rejection.status, 'nginx')
          : reference.reject(rejection, request);
        return {
          ...answer,
          headers: { ...answer.headers, ...rejection.headers, via: '1.1 nginx', server: 'nginx' },
        };
      },
    }),
    '<h1>400 Bad Request</h1><hr>nginx',
  ),
  right(
    'two-credentials-500',
    'answers two Authorization headers with 500: the response to malformed HTTP may have any form',
    failingAt(({ headers }) => (headers.authorization?.length ?? 0) > 1),
  ),
  behind(
    'nginx-malformed',
    'answers malformed HTTP (two Authorization headers, too large a header) with 400 in HTML, like nginx',
    sending((answer, { headers, message: { rawHeaders } }) =>
      (headers.authorization?.length ?? 0) > 1
        ? html(400, '400 Bad Request')
        : rawHeaders.join('').length > 8 * 1024
          ? html(400, '400 Request Header Or Cookie Too Large')
          : answer,
    ),
    '<html>\r\n<head><title>400 Bad Request</title></head>\r\n<body>\r\n<center><h1>400 Bad Request</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n',
  ),
];
