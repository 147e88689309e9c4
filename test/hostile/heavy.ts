import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { answer, flood, type Hostile, type Meeting, meeting } from './store.ts';

const always = (write: (meeting: Meeting) => string | Buffer): Hostile['start'] =>
  meeting((met) => met.socket.write(write(met)));

/** The compressed form of 64 MB of zeros, made when the store starts. */
const bomb =
  (coding: string, code: (zeros: Buffer) => Buffer): Hostile['start'] =>
  (token) => {
    const body = code(Buffer.alloc(64 * 1024 * 1024));
    return always(({ right }) =>
      answer(right, right.status === 200 ? { body, add: [`Content-Encoding: ${coding}`] } : {}),
    )(token);
  };

/** Stores whose runs must use little memory and little time. */
export const heavy: readonly Hostile[] = [
  {
    name: 'endless-body',
    does: 'a body that never ends, as fast as possible',
    start: meeting(({ socket, right }) => {
      socket.write(answer(right, { length: null, body: '{"name":"' }));
      const block = Buffer.alloc(65_536, 'x');
      flood(socket, block);
    }),
    expected: { outcome: 'nonconformant', stop: 'too-large' },
  },
  {
    name: 'endless-one-byte-chunks',
    does: 'endless one-byte chunks, as fast as possible',
    start: meeting(({ socket, right }) => {
      socket.write(answer(right, { length: null, add: ['Transfer-Encoding: chunked'], body: '' }));
      const block = Buffer.from('1\r\nx\r\n'.repeat(10_000));
      flood(socket, block);
    }),
    expected: { outcome: 'nonconformant', stop: 'too-large' },
  },
  {
    name: 'endless-one-byte-chunks-after-a-continue',
    does: 'an unsolicited 100 Continue, then endless one-byte chunks',
    start: meeting(({ socket, right }) => {
      socket.write('HTTP/1.1 100 Continue\r\n\r\n');
      socket.write(answer(right, { length: null, add: ['Transfer-Encoding: chunked'], body: '' }));
      const block = Buffer.from('1\r\nx\r\n'.repeat(10_000));
      flood(socket, block);
    }),
    expected: { outcome: 'nonconformant', stop: 'too-large' },
  },
  {
    name: 'fifty-megabytes',
    does: 'a name of 50 MB',
    start: meeting(({ socket, right }) => {
      socket.write(answer(right, { length: 50_000_011, body: '{"name":"' }));
      flood(socket, Buffer.alloc(1_000_000, 'x'), 50);
    }),
    expected: { outcome: 'nonconformant', stop: 'too-large' },
  },
  {
    name: 'megabytes-each',
    does: 'a plant with 1.5 million empty objects',
    start: always(({ right }) =>
      answer(
        right,
        right.status === 200 ? { body: `{"name":"Aloe","all":[${'{},'.repeat(1_500_000)}{}]}` } : {},
      ),
    ),
    options: {
      timeout: 30_000,
      concurrency: 4,
      maxSeconds: 50,
      only: ['ordinary/answers-200', 'ordinary/answers-a-plant', 'invariants/*'],
    },
    expected: { outcome: ['conformant', 'partial'] },
  },
  {
    name: 'megabytes-wrong',
    does: 'a wrong body of 5 MB to everything',
    start: always(({ right }) => answer(right, { body: `{"name":[${'{},'.repeat(1_500_000)}{}]}` })),
    expected: { outcome: 'nonconformant', stop: 'too-large' },
  },
  {
    name: 'megabytes-from-some-point-on',
    does: 'a plant with 1.5 million empty objects, after a hundred right responses',
    start: always(({ right, nth }) =>
      answer(
        right,
        right.status === 200 && nth > 100
          ? { body: `{"name":"Aloe","all":[${'{},'.repeat(1_500_000)}{}]}` }
          : {},
      ),
    ),
    options: { only: ['ordinary/*', 'unconstrained/*', 'invariants/*'] },
    expected: { outcome: 'undetermined', stop: 'too-large' },
  },
  {
    name: 'eight-megabytes-from-some-point-on',
    does: 'a name of almost 8 MB, after a hundred right responses',
    start: always(({ right, nth }) =>
      answer(right, right.status === 200 && nth > 100 ? { body: `{"name":"${'é'.repeat(4_000_000)}"}` } : {}),
    ),
    options: { only: ['ordinary/*', 'unconstrained/*', 'invariants/*'] },
    expected: { outcome: 'undetermined', stop: 'too-large' },
  },
  {
    name: 'gzip-bomb',
    does: '64 MB of zeros in gzip',
    start: bomb('gzip', gzipSync),
    expected: { outcome: 'nonconformant', stop: 'too-large' },
  },
  {
    name: 'deflate-bomb',
    does: '64 MB of zeros in deflate',
    start: bomb('deflate', deflateSync),
    expected: { outcome: 'nonconformant', stop: 'too-large' },
  },
  {
    name: 'brotli-bomb',
    does: '64 MB of zeros in brotli',
    start: bomb('br', (zeros) =>
      brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
    ),
    expected: { outcome: 'nonconformant', stop: 'too-large' },
  },
  {
    name: 'gzip-bomb-in-gzip',
    does: '64 MB of zeros in gzip twice',
    start: bomb('gzip, gzip', (zeros) => gzipSync(gzipSync(zeros))),
    expected: { outcome: 'nonconformant', stop: 'too-large' },
  },
  {
    name: 'hints-and-hints',
    does: '103 endlessly, as fast as possible',
    start: meeting(({ socket }) => {
      const block = Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(3000));
      flood(socket, block);
    }),
    expected: { outcome: 'nonconformant' },
  },
  {
    name: 'ten-thousand-headers',
    does: 'right responses with 10,000 headers each',
    start: always(({ right }) =>
      answer(right, { add: Array.from({ length: 10_000 }, (_, index) => `X-${index}: y`) }),
    ),
    options: { only: ['ordinary/*', 'state/*', 'invariants/*'] },
    expected: { outcome: ['conformant', 'partial'] },
  },
  {
    name: 'bloated-answers',
    does: 'each response wrong for another reason, with 130 KB of headers',
    start: always(({ right, nth }) =>
      answer(right, {
        line: `HTTP/1.1 ${400 + (nth % 200)} ${`${nth} `.repeat(1000)}`,
        drop: /^content-type/i,
        add: [
          `Content-Type: text/${nth}${'x'.repeat(60_000)}`,
          `Server: ${'s'.repeat(50_000)}`,
          `WWW-Authenticate: ${'Basic realm="x", '.repeat(2000)}`,
          ...Array.from({ length: 200 }, (_, index) => `X-${nth}-${index}: ${'é'.repeat(10)}`),
        ],
        body: '\u0000\u001f'.repeat(40_000),
      }),
    ),
    options: { only: ['ordinary/*', 'invalid/*', 'unconstrained/*', 'auth/*', 'invariants/*'] },
    expected: { outcome: 'nonconformant', stop: 'too-large' },
  },
];
