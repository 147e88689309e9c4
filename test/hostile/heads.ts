import { answer, drip, type Hostile, type Meeting, meeting, pour } from './store.ts';

const always = (write: (meeting: Meeting) => string | Buffer): Hostile['start'] =>
  meeting((met) => met.socket.write(write(met)));

const line = (text: string): Hostile['start'] => always(({ right }) => answer(right, { line: text }));
const add = (...headers: string[]): Hostile['start'] =>
  always(({ right }) => answer(right, { add: headers }));

const fails = { outcome: 'nonconformant', fails: ['invariants/answers'] } as const;
const passes = { outcome: ['conformant', 'partial'] } as const;

/** What a store can do with the status line, with headers, and with interim responses. */
export const heads: readonly Hostile[] = [
  {
    name: 'endless-header',
    does: 'a header that never ends, as fast as possible',
    start: meeting(({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      pour(socket, () => `X-Flood: ${'x'.repeat(4000)}\r\n`);
    }),
    expected: fails,
  },
  {
    name: 'endless-header-line',
    does: 'one header line that never ends',
    start: meeting(({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\nX-Flood: ');
      pour(socket, () => 'x'.repeat(8000));
    }),
    expected: fails,
  },
  {
    name: 'dripping-header',
    does: 'a header line every 50 ms, endlessly (slowloris)',
    start: meeting(({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      drip(socket, 'X-Drip: y\r\n');
    }),
    expected: fails,
  },
  {
    name: 'slow-head',
    does: 'a right response in pieces of 20 bytes',
    start: meeting(({ socket, right }) => {
      const bytes = answer(right);
      const go = (at: number) => {
        socket.write(bytes.subarray(at, at + 20));
        if (at + 20 < bytes.length) setTimeout(go, 2, at + 20);
      };
      go(0);
    }),
    expected: passes,
  },
  {
    name: 'ten-thousand-headers',
    does: 'a right response with 10,000 headers',
    start: add(...Array.from({ length: 10_000 }, (_, index) => `X-${index}: y`)),
    expected: passes,
  },
  {
    name: 'one-long-header',
    does: 'a right response with a header of 100 KB',
    start: add(`X-Long: ${'x'.repeat(100_000)}`),
    expected: passes,
  },
  {
    name: 'echoed-line-ends',
    does: 'the name in a header, including its CR LF',
    start: always(({ right, asked }) => {
      const name = /"name" *: *("(?:[^"\\]|\\.)*")/.exec(asked.body.toString('utf8'))?.[1] ?? '""';
      let echoed = '';
      try {
        echoed = String(JSON.parse(name));
      } catch {
        echoed = name;
      }
      return answer(right, { add: [`X-Name: ${echoed}\r\n\r\nSet-Cookie: injected=1`] });
    }),
    expected: { outcome: 'nonconformant' },
  },
  {
    name: 'control-characters-in-a-header',
    does: 'NUL and another control character in a value',
    start: add('X-Bad: a\u0000b\u0001'),
    expected: fails,
  },
  { name: 'space-in-a-header-name', does: 'X Bad: y', start: add('X Bad: y'), expected: fails },
  { name: 'header-without-a-name', does: ': y', start: add(': y'), expected: fails },
  { name: 'header-without-a-colon', does: 'X-Bad', start: add('X-Bad'), expected: fails },
  {
    name: 'latin-1-in-a-header',
    does: 'bytes above 127 in a value, as RFC 9110 allows',
    start: add('X-Latin: \xe9\xff'),
    expected: passes,
  },
  {
    name: 'folded-header',
    does: 'a value that continues in the next line (obs-fold)',
    start: add('X-Folded: a\r\n b'),
    expected: { outcome: 'nonconformant' },
  },
  {
    name: 'bare-line-feeds',
    does: 'line ends without CR',
    start: always(({ right }) =>
      Buffer.from(answer(right).toString('latin1').replaceAll('\r\n', '\n'), 'latin1'),
    ),
    expected: fails,
  },
  { name: 'status-99', does: 'HTTP/1.1 99', start: line('HTTP/1.1 99 Low'), expected: fails },
  {
    name: 'status-099',
    does: 'HTTP/1.1 099',
    start: line('HTTP/1.1 099 Low'),
    expected: { outcome: 'nonconformant' },
  },
  { name: 'status-1000', does: 'HTTP/1.1 1000', start: line('HTTP/1.1 1000 High'), expected: fails },
  {
    name: 'status-999',
    does: 'HTTP/1.1 999',
    start: line('HTTP/1.1 999 High'),
    expected: { outcome: 'nonconformant' },
  },
  { name: 'status-minus-1', does: 'HTTP/1.1 -1', start: line('HTTP/1.1 -1 Low'), expected: fails },
  { name: 'status-abc', does: 'HTTP/1.1 abc', start: line('HTTP/1.1 abc Letters'), expected: fails },
  { name: 'status-absent', does: 'HTTP/1.1 without a status', start: line('HTTP/1.1'), expected: fails },
  {
    name: 'http-3.7',
    does: 'a version that does not exist',
    start: line('HTTP/3.7 200 OK'),
    expected: fails,
  },
  {
    name: 'empty-reason',
    does: 'no reason phrase',
    start: always(({ right }) => answer(right, { line: `HTTP/1.1 ${right.status} ` })),
    expected: passes,
  },
  {
    name: 'no-space-after-the-status',
    does: 'a status line that ends with the status',
    start: always(({ right }) => answer(right, { line: `HTTP/1.1 ${right.status}` })),
    expected: passes,
  },
  {
    name: 'long-reason',
    does: 'a reason phrase of 50 KB',
    start: always(({ right }) =>
      answer(right, { line: `HTTP/1.1 ${right.status} ${'why '.repeat(12_500)}` }),
    ),
    expected: passes,
  },
  {
    name: 'endless-reason',
    does: 'a reason phrase that never ends',
    start: meeting(({ socket }) => {
      socket.write('HTTP/1.1 200 ');
      pour(socket, () => 'why '.repeat(2000));
    }),
    expected: fails,
  },
  {
    name: 'some-early-hints',
    does: 'a hundred 103 before each right response',
    start: always(({ right }) =>
      Buffer.concat([
        Buffer.from('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(100)),
        answer(right),
      ]),
    ),
    expected: passes,
  },
  {
    name: 'endless-early-hints',
    does: '103 endlessly',
    start: meeting(({ socket }) => pour(socket, () => 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(500))),
    expected: fails,
  },
  {
    name: 'unsolicited-continue',
    does: '100 Continue before each right response',
    start: always(({ right }) =>
      Buffer.concat([Buffer.from('HTTP/1.1 100 Continue\r\n\r\n'), answer(right)]),
    ),
    expected: passes,
  },
  {
    name: 'endless-continue',
    does: '100 Continue endlessly',
    start: meeting(({ socket }) => pour(socket, () => 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(500))),
    expected: fails,
  },
  {
    name: 'switching-protocols',
    does: '101 to everything',
    start: always(
      () => 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    ),
    expected: fails,
  },
  {
    name: 'http-1.0-close',
    does: 'HTTP/1.0, with a response that ends with the connection',
    start: meeting(({ socket, right }) =>
      socket.end(answer(right, { version: 'HTTP/1.0', length: null, line: `HTTP/1.0 ${right.status} Said` })),
    ),
    expected: passes,
  },
  {
    name: 'http-1.0-keep-alive',
    does: 'HTTP/1.0 with keep-alive',
    start: always(({ right }) => answer(right, { version: 'HTTP/1.0', add: ['Connection: keep-alive'] })),
    expected: passes,
  },
  {
    name: 'keep-alive-timeout-0',
    does: 'Keep-Alive: timeout=0',
    start: add('Connection: keep-alive', 'Keep-Alive: timeout=0, max=0'),
    expected: passes,
  },
  {
    name: 'keep-alive-nonsense',
    does: 'Keep-Alive with a negative, a huge and an invalid number',
    start: always(({ right, nth }) =>
      answer(right, {
        add: [`Keep-Alive: timeout=${['-5', '99999999999999999999', 'soon', '1e9'][nth % 4]}`],
      }),
    ),
    expected: passes,
  },
];
