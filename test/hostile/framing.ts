import type { Socket } from 'node:net';
import { answer, chunkedHead, drip, type Hostile, inChunks, type Meeting, meeting, pour } from './store.ts';

const always = (write: (meeting: Meeting) => string | Buffer): Hostile['start'] =>
  meeting((met) => met.socket.write(write(met)));
const ending = (write: (meeting: Meeting) => string | Buffer): Hostile['start'] =>
  meeting((met) => met.socket.end(write(met)));

/** A right head, followed by the given bytes instead of its chunks. */
const chunks = (body: (meeting: Meeting) => string): Hostile['start'] =>
  always((met) => Buffer.concat([chunkedHead(met.right), Buffer.from(body(met), 'latin1')]));

const length = (value: string): Hostile['start'] => always(({ right }) => answer(right, { length: value }));

const fails = { outcome: 'nonconformant', fails: ['invariants/answers'] } as const;
const passes = { outcome: ['conformant', 'partial'] } as const;
/** Whether delayed bytes meet a request is chance: no check has to fail, but there must be a verdict. */
const byChance = { outcome: ['conformant', 'nonconformant'] } as const;

const behind: Hostile['start'] = (token) => {
  const last = new WeakMap<Socket, Buffer>();
  return meeting(({ socket, right }) => {
    const own = answer(right);
    socket.write(Buffer.concat([last.get(socket) ?? Buffer.alloc(0), own]));
    last.set(socket, own);
  })(token);
};

const GARBAGE = 'this is not a response\r\n\r\n';

/** What a store can do with the end of a response. */
export const framing: readonly Hostile[] = [
  {
    name: 'length-too-long',
    does: 'Content-Length 100 too long, then closes',
    start: ending(({ right }) => answer(right, { length: right.body.length + 100 })),
    expected: fails,
  },
  {
    name: 'length-too-long-open',
    does: 'Content-Length 100 too long, and waits',
    start: always(({ right }) => answer(right, { length: right.body.length + 100 })),
    expected: fails,
  },
  {
    name: 'length-too-short',
    does: 'Content-Length 5 too short',
    start: always(({ right }) => answer(right, { length: right.body.length - 5 })),
    expected: { outcome: 'nonconformant', fails: ['ordinary/answers-a-plant'] },
  },
  { name: 'length-negative', does: 'Content-Length: -1', start: length('-1'), expected: fails },
  {
    name: 'length-huge',
    does: 'Content-Length of 40 digits',
    start: length('9'.repeat(40)),
    expected: fails,
  },
  {
    name: 'length-2^53',
    does: 'Content-Length: 9007199254740993',
    start: length('9007199254740993'),
    expected: fails,
  },
  { name: 'length-hex', does: 'Content-Length: 0x20', start: length('0x20'), expected: fails },
  {
    name: 'length-empty',
    does: 'Content-Length without a value',
    start: length(''),
    expected: { outcome: 'nonconformant' },
  },
  {
    name: 'length-twice',
    does: 'the same Content-Length twice',
    start: always(({ right }) => answer(right, { add: [`Content-Length: ${right.body.length}`] })),
    expected: { outcome: 'nonconformant' },
  },
  {
    name: 'lengths-in-conflict',
    does: 'two Content-Lengths',
    start: always(({ right }) => answer(right, { add: [`Content-Length: ${right.body.length + 1}`] })),
    expected: fails,
  },
  {
    name: 'length-and-chunks',
    does: 'Content-Length with Transfer-Encoding',
    start: always(({ right }) =>
      Buffer.concat([
        answer(right, { add: ['Transfer-Encoding: chunked'], body: '', length: right.body.length }),
        Buffer.from(`${inChunks(right.body)}0\r\n\r\n`),
      ]),
    ),
    expected: { outcome: 'nonconformant' },
  },
  {
    name: 'unknown-transfer-coding',
    does: 'Transfer-Encoding: zap, ended by closing the connection',
    start: ending(({ right }) => answer(right, { length: null, add: ['Transfer-Encoding: zap'] })),
    expected: passes,
  },
  {
    name: 'chunk-size-bad',
    does: 'a chunk size that is not a number',
    start: chunks(() => 'zz\r\n{}\r\n0\r\n\r\n'),
    expected: fails,
  },
  {
    name: 'chunk-size-negative',
    does: 'a chunk size of -5',
    start: chunks(() => '-5\r\n{"a":\r\n0\r\n\r\n'),
    expected: fails,
  },
  {
    name: 'chunk-size-huge',
    does: 'a chunk size of 20 hex digits',
    start: chunks(() => `${'f'.repeat(20)}\r\n{}`),
    expected: fails,
  },
  {
    name: 'chunk-size-2^60',
    does: 'a chunk size of 15 hex digits',
    start: chunks(() => `${'f'.repeat(15)}\r\n{}`),
    expected: fails,
  },
  {
    name: 'chunk-too-long',
    does: 'a chunk that is longer than its size',
    start: chunks(({ right }) => `3\r\n${right.body.toString('latin1')}\r\n0\r\n\r\n`),
    expected: fails,
  },
  {
    name: 'chunks-without-an-end',
    does: 'no last chunk, and waits',
    start: chunks(({ right }) => inChunks(right.body)),
    expected: fails,
  },
  {
    name: 'chunks-cut-off',
    does: 'no last chunk, and closes',
    start: ending((met) =>
      Buffer.concat([chunkedHead(met.right), Buffer.from(inChunks(met.right.body), 'latin1')]),
    ),
    expected: fails,
  },
  {
    name: 'chunk-extensions',
    does: 'chunk extensions, also quoted',
    start: chunks(({ right }) => `${inChunks(right.body, 7, ';a=b;c="d e"')}0;last\r\n\r\n`),
    expected: passes,
  },
  {
    name: 'endless-chunk-extension',
    does: 'a chunk extension that never ends',
    start: meeting(({ socket, right }) => {
      socket.write(Buffer.concat([chunkedHead(right), Buffer.from('5;a=')]));
      pour(socket, () => 'x'.repeat(8000));
    }),
    expected: fails,
  },
  {
    name: 'trailers',
    // A recipient ignores those that may not be there (RFC 9110 section 6.5.1).
    does: 'a right response with trailers, including a status and a length',
    start: chunks(
      ({ right }) => `${inChunks(right.body)}0\r\nX-Sum: 1\r\nContent-Length: 3\r\nStatus: 500\r\n\r\n`,
    ),
    expected: passes,
  },
  {
    name: 'plain-trailers',
    does: 'a right response with two trailers',
    start: chunks(({ right }) => `${inChunks(right.body)}0\r\nX-Sum: 1\r\nServer-Timing: a\r\n\r\n`),
    expected: passes,
  },
  {
    name: 'endless-trailers',
    does: 'trailers that never end',
    start: meeting(({ socket, right }) => {
      socket.write(
        Buffer.concat([chunkedHead(right), Buffer.from(`${inChunks(right.body)}0\r\n`, 'latin1')]),
      );
      pour(socket, () => `X-Trailer: ${'x'.repeat(4000)}\r\n`);
    }),
    expected: fails,
  },
  {
    name: 'dripping-trailers',
    does: 'a trailer every 50 ms, endlessly',
    start: meeting(({ socket, right }) => {
      socket.write(
        Buffer.concat([chunkedHead(right), Buffer.from(`${inChunks(right.body)}0\r\n`, 'latin1')]),
      );
      drip(socket, 'X-Trailer: y\r\n');
    }),
    expected: fails,
  },
  {
    name: 'empty-chunks',
    does: 'ten thousand one-byte chunks of white space before the body',
    start: chunks(({ right }) => `${'1\r\n \r\n'.repeat(10_000)}${inChunks(right.body)}0\r\n\r\n`),
    expected: passes,
  },
  {
    name: 'garbage-after-the-answer',
    does: 'bytes after the end of the response',
    start: always(({ right }) => Buffer.concat([answer(right), Buffer.from(GARBAGE)])),
    expected: passes,
  },
  {
    name: 'garbage-later',
    does: 'bytes 5 ms after the end of the response',
    start: meeting(({ socket, right }) => {
      socket.write(answer(right));
      setTimeout(() => socket.write(GARBAGE), 5);
    }),
    expected: byChance,
  },
  {
    name: 'garbage-before-the-answer',
    does: 'bytes before each response except the first of a connection',
    start: meeting(({ socket, right, onConnection }) => {
      socket.write(onConnection === 1 ? answer(right) : Buffer.concat([Buffer.from(GARBAGE), answer(right)]));
    }),
    expected: fails,
  },
  {
    name: 'two-answers-at-once',
    does: 'a rejection, and a success right after it',
    start: always(({ right }) =>
      Buffer.concat([answer(right), answer({ ...right, status: 200, body: Buffer.from('{"name":"two"}') })]),
    ),
    expected: passes,
  },
  {
    name: 'repeated-answers',
    does: 'each response again, 5 ms later',
    start: meeting(({ socket, right }) => {
      socket.write(answer(right));
      setTimeout(() => socket.write(answer(right)), 5);
    }),
    expected: byChance,
  },
  {
    name: 'one-answer-behind',
    does: 'the previous response again, before each response except the first of a connection',
    start: behind,
    expected: { outcome: 'nonconformant' },
  },
  {
    name: '204-with-a-body',
    does: '204 with the body of the right response',
    start: always(({ right }) => answer(right, { line: 'HTTP/1.1 204 No Content' })),
    expected: fails,
  },
  {
    name: '304-with-a-body',
    does: '304 with the body of the right response',
    start: always(({ right }) => answer(right, { line: 'HTTP/1.1 304 Not Modified' })),
    expected: { outcome: 'nonconformant', fails: ['ordinary/answers-200'] },
  },
  {
    name: '304-with-a-length',
    does: '304 with the length of the right response, as RFC 9110 allows, and no body',
    start: always(({ right }) =>
      answer(right, { line: 'HTTP/1.1 304 Not Modified', body: '', length: right.body.length }),
    ),
    expected: { outcome: 'nonconformant', fails: ['ordinary/answers-200'], clears: ['invariants/answers'] },
  },
  {
    name: 'body-for-head',
    does: 'a body in the response to HEAD, everything else right',
    start: always(({ right }) => answer(right)),
    options: {
      only: ['ordinary/answers-200', 'observe/methods', 'state/answers-at-the-end', 'invariants/*'],
    },
    expected: passes,
  },
];
