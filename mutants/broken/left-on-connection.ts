import type { Socket } from 'node:net';
import { type Answer, json, type Received, Rejection } from '../../reference/store.ts';
import { type BrokenStore, broken, type Change } from '../fleet.ts';
import { html, withFreshState } from '../helpers.ts';

/** Takes the body of some rejected requests for the beginning of the next one, as Python's http.server does. */
const leavingBody = (when: (answer: Answer, request: Received) => boolean): Change =>
  withFreshState((): Change => {
    const left = new WeakMap<Socket, string>();
    return (right) => ({
      send(answer, response, request) {
        const { socket } = request.message;
        const rest = left.get(socket);
        left.delete(socket);
        if (rest !== undefined) return right.send(unparsed(rest, request), response, request);
        if (when(answer, request) && request.body.length > 0)
          left.set(socket, request.body.toString('latin1'));
        right.send(answer, response, request);
      },
    });
  });

/** What becomes of a request line that begins with a body. */
function unparsed(rest: string, { method, path }: Received): Answer {
  const words = `${rest}${method} ${path} HTTP/1.1`.split(/\s+/);
  const answer = words.length === 3 ? html(501, 'Unsupported method') : html(400, 'Bad request syntax');
  return { ...answer, headers: { ...answer.headers, connection: 'close' } };
}

/** Has one decoder for each connection. */
const keepingHalfCharacters = withFreshState((): Change => {
  const decoders = new WeakMap<Socket, TextDecoder>();
  return (right) => ({
    parse(body, request) {
      const { socket } = request.message;
      const decoder = decoders.get(socket) ?? new TextDecoder('utf-8', { fatal: true });
      decoders.set(socket, decoder);
      try {
        return right.parse(Buffer.from(decoder.decode(body, { stream: true })), request);
      } catch {
        throw new Rejection(400, 1, 'the body is not JSON');
      }
    },
  });
});

/** Has one buffer for the bodies of each connection, and parses all of it. */
const reusingBuffer = withFreshState((): Change => {
  const buffers = new WeakMap<Socket, Buffer>();
  return (right) => ({
    parse(body, request) {
      const { socket } = request.message;
      const filled = Buffer.concat([body, buffers.get(socket)?.subarray(body.length) ?? Buffer.alloc(0)]);
      buffers.set(socket, filled);
      return right.parse(filled, request);
    },
  });
});

/** Looks for the rest of a text that is not JSON in the next body on the connection. */
const keepingMalformedText = withFreshState((): Change => {
  const kept = new WeakMap<Socket, Buffer>();
  return (right) => ({
    parse(body, request) {
      const { socket } = request.message;
      const text = Buffer.concat([kept.get(socket) ?? Buffer.alloc(0), body]);
      kept.delete(socket);
      try {
        return right.parse(text, request);
      } catch (error) {
        kept.set(socket, body);
        throw error;
      }
    },
  });
});

/** Reads a Content-Length with leading zeros as an octal number, and what it does not read as the next request. */
const octalLength = withFreshState((): Change => {
  const left = new WeakMap<Socket, { readonly rest: string; readonly of: Received }>();
  return (right) => ({
    parse(body, request) {
      const [length = ''] = request.headers['content-length'] ?? [];
      if (!length.startsWith('0') || body.length === 0) return right.parse(body, request);
      const read = Number.parseInt(length, 8) || 0;
      left.set(request.message.socket, { rest: body.subarray(read).toString('latin1'), of: request });
      return right.parse(body.subarray(0, read), request);
    },
    send(answer, response, request) {
      const { socket } = request.message;
      const before = left.get(socket);
      if (before === undefined || before.of === request) return right.send(answer, response, request);
      left.delete(socket);
      const error = json(400, { error: 400, message: 'bad request line' });
      const closing = { ...error, headers: { ...error.headers, connection: 'close' } };
      right.send(before.rest === '' ? answer : closing, response, request);
    },
  });
});

/** Takes the trailers of a chunked body for the next request, and answers it at once. */
const leavingTrailers: Change = (right) => ({
  send(answer, response, request) {
    right.send(answer, response, request);
    const { rawTrailers, socket } = request.message;
    if (rawTrailers.length === 0) return;
    response.once('finish', () => {
      const error = JSON.stringify({ error: 400, message: 'bad request line' });
      socket.end(
        `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${error.length}\r\nConnection: close\r\n\r\n${error}`,
      );
    });
  },
});

/** Stores that leave the body of a request that they reject early on the connection. */
export const leftOnConnection: readonly BrokenStore[] = [
  broken(
    'left-half-character',
    'keeps the beginning of a character for the next body on the connection',
    ['combinations/accepts-ordinary-plants'],
    keepingHalfCharacters,
  ),
  broken(
    'left-malformed-text',
    'puts a body that is not JSON before the next one on the connection',
    ['combinations/accepts-ordinary-plants'],
    keepingMalformedText,
  ),
  broken(
    'left-longer-body',
    'parses the whole buffer of a connection, with the end of an earlier body that was longer',
    ['ordinary/accepts-any-plant', 'state/answers-at-the-end'],
    reusingBuffer,
  ),
  broken(
    'left-octal-length',
    'reads a Content-Length with leading zeros as an octal number',
    ['combinations/accepts-ordinary-plants'],
    octalLength,
  ),
  broken(
    'left-unauthenticated-body',
    'answers 401 without reading the body, and takes it for the next request',
    ['state/answers-any-sequence'],
    leavingBody(({ status }) => status === 401),
  ),
  broken(
    'left-unauthenticated-chunks',
    'answers 401 without reading a chunked body, and takes it for the next request',
    ['combinations/accepts-ordinary-plants'],
    leavingBody(({ status }, { headers }) => status === 401 && headers['transfer-encoding'] !== undefined),
  ),
  broken(
    'left-trailers',
    'does not read trailers after a chunked body, and takes them for the next request',
    ['combinations/accepts-ordinary-plants'],
    leavingTrailers,
  ),
  broken(
    'left-body-of-foreign-type',
    'answers 415 without reading the body, and takes it for the next request',
    ['combinations/accepts-ordinary-plants'],
    leavingBody(({ status }) => status === 415),
  ),
];
