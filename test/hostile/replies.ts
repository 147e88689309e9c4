import { createServer } from 'node:net';
import { answer, type Hostile, listening, type Meeting, meeting, type Right, serve } from './store.ts';

const always = (write: (meeting: Meeting) => string | Buffer): Hostile['start'] =>
  meeting((met) => met.socket.write(write(met)));

const passes = { outcome: ['conformant', 'partial'] } as const;

const waiting = (status: number, after?: string): Right => ({
  status,
  headers: after === undefined ? [] : [`Retry-After: ${after}`],
  body: Buffer.alloc(0),
});

/** Answers every nth request differently. The same request sent again gets the right response. */
const everyNth = (n: number, otherwise: (nth: number) => Right): Hostile['start'] =>
  always(({ right, nth }) => answer(nth % n === 0 ? otherwise(nth) : right));

const everyTime = (right: Right): Hostile['start'] => always(() => answer(right));

/** A store that redirects its clients to another server, which records everything that it receives. */
const redirecting =
  (status: number): Hostile['start'] =>
  async (token) => {
    const received: string[] = [];
    const other = await listening(
      createServer((socket) => {
        received.push('a connection');
        socket.on('data', (chunk) => received.push(chunk.toString('latin1')));
      }),
    );
    const store = await meeting(({ socket, right }) =>
      socket.write(
        answer(
          { ...right, status },
          { add: [`Location: ${other.url}/plants`, `Refresh: 0; url=${other.url}`] },
        ),
      ),
    )(token);
    return {
      url: store.url,
      objections: () => received.map((what) => `the other host received ${what.slice(0, 200)}`),
      stop: async () => {
        await store.stop();
        await other.stop();
      },
    };
  };

const HUGE = '99999999999999999999999';

/** What a store can do in valid HTTP. */
export const replies: readonly Hostile[] = [
  ...[301, 302, 303, 307, 308].map(
    (status): Hostile => ({
      name: `redirect-${status}`,
      does: `${status} to another host`,
      start: redirecting(status),
      expected: { outcome: 'nonconformant', fails: ['ordinary/answers-200'] },
    }),
  ),
  {
    name: 'redirect-loop',
    does: '307 back to itself',
    start: always(({ right }) => answer({ ...right, status: 307 }, { add: ['Location: /plants'] })),
    expected: { outcome: 'nonconformant', fails: ['ordinary/answers-200'] },
  },
  {
    name: 'refreshing-success',
    does: 'right responses with Location and Refresh',
    start: always(({ right }) =>
      answer(right, { add: ['Location: http://127.0.0.1:1/', 'Refresh: 0; url=http://127.0.0.1:1/'] }),
    ),
    expected: passes,
  },
  {
    name: 'cookies',
    does: 'right responses with Set-Cookie, also for other names and paths',
    start: async (token) => {
      const received: string[] = [];
      const running = await listening(
        createServer(
          serve(token, ({ socket, asked, right, nth }) => {
            const cookie = asked.header('cookie');
            if (cookie !== undefined) received.push(`a cookie came back: ${cookie}`);
            socket.write(
              answer(right, {
                add: [
                  `Set-Cookie: session=${nth}; Path=/; HttpOnly`,
                  'Set-Cookie: __Host-a=b; Secure',
                  'Set-Cookie: =; Domain=.',
                  `Set-Cookie: big=${'x'.repeat(5000)}`,
                ],
              }),
            );
          }),
        ),
      );
      return { ...running, objections: () => received };
    },
    expected: passes,
  },
  {
    name: '401-with-many-schemes',
    does: '401 to everything with fifty challenges, including Negotiate',
    start: always(({ right }) =>
      answer(
        { ...right, status: 401 },
        {
          add: Array.from(
            { length: 50 },
            (_, index) =>
              `WWW-Authenticate: ${['Negotiate', 'NTLM', 'Digest realm="a", nonce="b"', 'Bearer'][index % 4]}`,
          ),
        },
      ),
    ),
    expected: { outcome: 'undetermined', stop: 'token-rejected' },
  },
  {
    name: '403-to-everything',
    does: '403 to everything',
    start: always(({ right }) => answer({ ...right, status: 403 })),
    expected: { outcome: 'undetermined', stop: 'token-rejected' },
  },
  {
    name: '407-to-everything',
    does: '407 to everything',
    start: always(({ right }) => answer({ ...right, status: 407 }, { add: ['Proxy-Authenticate: Basic'] })),
    expected: { outcome: 'nonconformant' },
  },
  {
    name: '401-now-and-then',
    does: '401 to every fourth request',
    start: everyNth(4, () => waiting(401)),
    expected: { outcome: 'nonconformant' },
  },
  {
    name: '429-now-and-then',
    does: '429 to every fourth request, with every kind of short Retry-After',
    start: everyNth(4, (nth) =>
      waiting(429, ['0', '-5', 'Sat, 01 Jan 2000 00:00:00 GMT', '00'][(nth / 4) % 4]),
    ),
    expected: passes,
  },
  {
    name: '429-without-sense',
    does: '429 to a few requests, with an invalid Retry-After',
    start: everyNth(25, (nth) => waiting(429, ['soon', '', '1e2', undefined][(nth / 25) % 4])),
    expected: passes,
  },
  {
    name: '429-with-an-endless-body',
    does: '429 to the fifth request, with a body that does not end',
    start: meeting(({ socket, right, nth }) =>
      socket.write(nth === 5 ? answer(waiting(429, '0'), { length: 10 }) : answer(right)),
    ),
    options: { timeout: 30_000 },
    expected: passes,
  },
  ...(
    [
      ['429-for-ever', 429, '0'],
      ['429-for-a-year', 429, '31536000'],
      ['429-for-longer-than-numbers-go', 429, HUGE],
      ['429-until-9999', 429, 'Fri, 31 Dec 9999 23:59:59 GMT'],
      ['503-for-ever', 503, '0'],
      ['503-for-a-year', 503, '31536000'],
    ] as const
  ).map(
    ([name, status, after]): Hostile => ({
      name,
      does: `${status} to everything, Retry-After: ${after}`,
      start: everyTime(waiting(status, after)),
      options: { maxSeconds: 2 },
      expected: { outcome: 'undetermined', stop: 'limit' },
    }),
  ),
  {
    name: '429-twice-a-second',
    does: '429 to everything, to a run that sends one request in ten seconds',
    start: everyTime(waiting(429, '0')),
    options: { maxSeconds: 2, rate: 0.1 },
    expected: { outcome: 'undetermined', stop: 'limit' },
  },
  {
    name: '503-now-and-then',
    does: '503 to every tenth request, Retry-After: 0',
    start: everyNth(10, () => waiting(503, '0')),
    expected: passes,
  },
  {
    name: '503-without-a-time',
    does: '503 to every tenth request, without Retry-After',
    start: everyNth(10, () => waiting(503)),
    expected: { outcome: 'nonconformant', fails: ['invariants/no-server-error'] },
  },
  {
    name: 'dates-of-all-times',
    does: 'right responses with past, future and invalid dates',
    start: always(({ right, nth }) =>
      answer(right, {
        add: [
          `Date: ${['Thu, 01 Jan 1970 00:00:00 GMT', 'Fri, 31 Dec 9999 23:59:59 GMT', 'now', ''][nth % 4]}`,
        ],
      }),
    ),
    expected: passes,
  },
  {
    name: 'another-answer-each-time',
    does: 'ever different statuses with right bodies',
    start: always(({ right, nth }) => answer({ ...right, status: 200 + ((nth * 7919) % 400) })),
    expected: { outcome: 'nonconformant' },
  },
];
