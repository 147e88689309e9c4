import { createServer, type Socket } from 'node:net';
import { answer, connected, type Hostile, listening, type Meeting, meeting, serve } from './store.ts';

const fails = { outcome: 'nonconformant', fails: ['invariants/answers'] } as const;
const passes = { outcome: ['conformant', 'partial'] } as const;
const notHttp = { outcome: 'undetermined', stop: 'not-http' } as const;

/** Answers correctly, except every nth request. */
const everyNth = (n: number, meet: (met: Meeting) => void): Hostile['start'] =>
  meeting((met) => {
    if (met.nth % n === 0) meet(met);
    else met.socket.write(answer(met.right));
  });

/** Answers every connection with something that is not HTTP. */
const says = (what: string | Buffer | (() => Buffer)): Hostile['start'] =>
  connected((socket) => socket.once('data', () => socket.end(typeof what === 'function' ? what() : what)));

/** What some servers send before they close an idle connection. */
const TOO_LATE = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';

/** A store whose port is closed for some time after the nth request. */
const away =
  (nth: number, ms: number): Hostile['start'] =>
  async (token) => {
    const sockets = new Set<Socket>();
    let [seen, gone] = [0, false];
    const meet = serve(token, ({ socket, right }) => {
      seen += 1;
      if (seen !== nth) {
        if (!gone) socket.write(answer(right));
        return;
      }
      gone = true;
      const port = Number(new URL(running.url).port);
      server.close();
      for (const one of sockets) one.destroy();
      if (ms < Number.POSITIVE_INFINITY)
        setTimeout(() => {
          gone = false;
          server.listen(port, '127.0.0.1');
        }, ms);
    });
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      meet(socket);
    });
    const running = await listening(server);
    return running;
  };

/** What a store can do with connections. */
export const connections: readonly Hostile[] = [
  {
    name: 'closed-at-once',
    does: 'accepts and closes',
    start: connected((socket) => socket.end()),
    expected: fails,
  },
  {
    name: 'reset-at-once',
    does: 'accepts and resets',
    start: connected((socket) => socket.resetAndDestroy()),
    expected: fails,
  },
  {
    name: 'reset-after-the-request',
    does: 'resets once the request has arrived',
    start: meeting(({ socket }) => socket.resetAndDestroy()),
    expected: fails,
  },
  {
    name: 'reset-in-the-request',
    does: 'resets once the first bytes of a large request have arrived',
    start: connected((socket) => socket.once('data', () => socket.resetAndDestroy())),
    options: { only: ['ordinary/answers-200', 'unconstrained/answers-large-plants', 'invariants/*'] },
    expected: fails,
  },
  {
    name: 'reset-after-the-first-line',
    does: 'resets between the status line and the headers',
    start: meeting(({ socket, right }) => {
      socket.write(`HTTP/1.1 ${right.status} Said\r\n`);
      setTimeout(() => socket.resetAndDestroy(), 5);
    }),
    expected: fails,
  },
  {
    name: 'reset-after-the-head',
    does: 'resets between the head and the body',
    start: meeting(({ socket, right }) => {
      socket.write(answer(right).subarray(0, -right.body.length));
      setTimeout(() => socket.resetAndDestroy(), 5);
    }),
    expected: fails,
  },
  {
    name: 'reset-after-a-hint',
    does: 'resets between a 103 and the final response',
    start: meeting(({ socket }) => {
      socket.write('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n');
      setTimeout(() => socket.resetAndDestroy(), 5);
    }),
    expected: fails,
  },
  {
    name: 'reset-in-the-head',
    does: 'resets in the middle of the head',
    start: meeting(({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Ty');
      setTimeout(() => socket.resetAndDestroy(), 5);
    }),
    expected: fails,
  },
  {
    name: 'reset-in-the-body',
    does: 'resets in the middle of the body',
    start: meeting(({ socket, right }) => {
      socket.write(answer(right).subarray(0, -5));
      setTimeout(() => socket.resetAndDestroy(), 5);
    }),
    expected: fails,
  },
  {
    name: 'reset-after-the-answer',
    does: 'resets each connection soon after its response',
    start: meeting(({ socket, right }) => {
      socket.write(answer(right));
      setTimeout(() => socket.resetAndDestroy(), 10);
    }),
    expected: { outcome: ['conformant', 'partial'] },
  },
  {
    name: 'reset-now-and-then',
    does: 'resets each connection instead of its ninth response',
    start: meeting(({ socket, right, onConnection }) => {
      if (onConnection === 9) socket.resetAndDestroy();
      else socket.write(answer(right));
    }),
    expected: passes,
  },
  {
    name: 'fin-without-an-answer',
    does: 'closes its side without a response, and keeps the other open',
    start: meeting(({ socket }) => socket.end()),
    expected: fails,
  },
  {
    name: 'half-open',
    does: 'answers, closes its side, and keeps the other open',
    start: meeting(({ socket, right }) => socket.end(answer(right, { add: ['Connection: close'] }))),
    expected: passes,
  },
  {
    name: 'never-closes',
    does: 'a response that ends with the connection, which it keeps open',
    start: meeting(({ socket, right }) => socket.write(answer(right, { length: null }))),
    expected: fails,
  },
  {
    name: 'silent',
    does: 'reads requests and sends nothing',
    start: meeting(() => {}),
    expected: fails,
  },
  {
    name: 'silent-now-and-then',
    does: 'sends nothing to every fifteenth request',
    start: everyNth(15, () => {}),
    expected: fails,
  },
  {
    name: 'never-reads',
    does: 'accepts and never reads',
    start: connected((socket) => socket.pause()),
    expected: fails,
    options: { only: ['ordinary/answers-200', 'unconstrained/answers-large-plants', 'invariants/*'] },
  },
  {
    name: 'stops-reading-large-requests',
    does: 'stops reading, and sends nothing, once a request is large',
    start: meeting(({ socket, asked, right }) => {
      if (asked.body.length > 10_000) socket.pause();
      else socket.write(answer(right));
    }),
    expected: { outcome: 'nonconformant' },
    options: {
      timeout: 1500,
      only: [
        'ordinary/answers-200',
        'observe/largest-body',
        'unconstrained/answers-large-plants',
        'invariants/*',
      ],
    },
  },
  {
    name: 'closes-after-three',
    does: 'closes each connection after three responses, without announcing it',
    start: meeting(({ socket, right, onConnection }) => {
      if (onConnection < 3) socket.write(answer(right));
      else socket.end(answer(right));
    }),
    expected: passes,
  },
  {
    name: '408-when-idle',
    does: '408 and the close of each connection that was idle for 10 ms, even if a request is under way',
    start: (token) => {
      const idle = new WeakMap<Socket, NodeJS.Timeout>();
      return meeting(({ socket, right }) => {
        clearTimeout(idle.get(socket));
        socket.write(answer(right));
        idle.set(
          socket,
          setTimeout(() => socket.end(TOO_LATE), 10),
        );
      })(token);
    },
    expected: passes,
  },
  {
    name: '408-instead-of-an-answer',
    does: '408 and the close for the second request of each connection, as if it were idle',
    start: meeting(({ socket, right, onConnection }) => {
      if (onConnection === 1) socket.write(answer(right));
      else socket.end(TOO_LATE);
    }),
    expected: passes,
  },
  {
    name: '408-to-everything',
    does: '408 and the close for every request',
    start: meeting(({ socket }) => socket.end(TOO_LATE)),
    expected: { outcome: 'nonconformant', fails: ['ordinary/answers-200'] },
  },
  {
    name: 'connection-close',
    does: 'Connection: close on every response',
    start: meeting(({ socket, right }) => socket.end(answer(right, { add: ['Connection: close'] }))),
    expected: passes,
  },
  {
    name: 'says-close-and-stays',
    does: 'Connection: close, and the connection stays open',
    start: meeting(({ socket, right }) => socket.write(answer(right, { add: ['Connection: close'] }))),
    expected: passes,
  },
  {
    name: 'one-at-a-time-closed',
    does: 'one connection at a time, others are closed at once',
    start: async (token) => {
      let busy: Socket | undefined;
      const meet = serve(token, ({ socket, right }) => socket.write(answer(right)));
      return listening(
        createServer((socket) => {
          socket.on('error', () => {});
          if (busy !== undefined) {
            socket.destroy();
            return;
          }
          busy = socket;
          socket.once('close', () => {
            busy = undefined;
          });
          meet(socket);
        }),
      );
    },
    options: { only: ['ordinary/answers-200', 'ordinary/accepts-any-plant', 'invariants/*'] },
    expected: fails,
  },
  {
    name: 'one-at-a-time-hanging',
    does: 'one connection at a time, others wait endlessly',
    start: async (token) => {
      let busy: Socket | undefined;
      const meet = serve(token, ({ socket, right }) => socket.write(answer(right)));
      return listening(
        createServer((socket) => {
          socket.on('error', () => {});
          if (busy !== undefined) return;
          busy = socket;
          socket.once('close', () => {
            busy = undefined;
          });
          meet(socket);
        }),
      );
    },
    options: { only: ['ordinary/answers-200', 'ordinary/accepts-any-plant', 'invariants/*'] },
    expected: fails,
  },
  {
    name: 'out-of-descriptors',
    does: 'drops every connection beyond two',
    start: async (token) => {
      const server = createServer(serve(token, ({ socket, right }) => socket.write(answer(right))));
      server.maxConnections = 2;
      return listening(server);
    },
    options: { only: ['ordinary/answers-200', 'ordinary/accepts-any-plant', 'invariants/*'] },
    expected: fails,
  },
  {
    name: 'away-and-back',
    does: 'goes away after the twelfth request, and is back after a second',
    start: away(12, 1000),
    // As one that reloads does.
    expected: passes,
  },
  {
    name: 'dies',
    does: 'goes away after the twelfth request',
    start: away(12, Number.POSITIVE_INFINITY),
    expected: { ...fails, stop: 'gone' },
  },
  {
    name: 'answers-before-the-body',
    does: 'answers once the head of a request has arrived',
    start: (token) =>
      listening(
        createServer((socket) => {
          const meet = serve(token, () => {});
          meet(socket);
          socket.once('data', () =>
            socket.end(
              'HTTP/1.1 400 Bad\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: 28\r\n\r\n{"error":400,"message":"no"}',
            ),
          );
        }),
      ),
    expected: {
      outcome: 'nonconformant',
      fails: ['ordinary/answers-200'],
      clears: ['invariants/400-is-an-error'],
    },
    options: { only: ['ordinary/*', 'unconstrained/answers-large-plants', 'invariants/*'] },
  },
  {
    name: 'answers-before-the-request',
    does: 'a right response on each new connection, before any request',
    start: (token) =>
      listening(
        createServer((socket) => {
          socket.write(
            'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n{"name":"Aloe"}',
          );
          serve(token, ({ right }) => socket.write(answer(right)))(socket);
        }),
      ),
    expected: { outcome: 'nonconformant' },
  },
  {
    name: 'late-answers',
    does: 'a success to every seventh request, but only after it has timed out',
    start: everyNth(7, ({ socket }) => {
      setTimeout(
        () =>
          socket.write(
            'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n{"name":"LATE"}',
          ),
        // Longer than a run on a busy machine extends its limit.
        5000,
      );
    }),
    options: { timeout: 500 },
    expected: { ...fails, absent: 'LATE' },
  },
  {
    name: 'silent-under-a-clock',
    does: 'sends nothing after ten requests, to a run of two seconds with a timeout of thirty',
    start: meeting(({ socket, right, nth }) => {
      if (nth < 10) socket.write(answer(right));
    }),
    options: { timeout: 30_000, maxSeconds: 2 },
    expected: { outcome: 'undetermined', stop: 'limit' },
  },
  {
    name: 'silent-after-a-continue-under-a-clock',
    does: 'an unsolicited 100 Continue each, and silence after ten requests, to a run of two seconds',
    start: meeting(({ socket, right, nth }) => {
      socket.write('HTTP/1.1 100 Continue\r\n\r\n');
      if (nth < 10) socket.write(answer(right));
    }),
    options: { timeout: 30_000, maxSeconds: 2 },
    expected: { outcome: 'undetermined', stop: 'limit' },
  },
  {
    name: 'garbage',
    does: 'random bytes, different on each connection',
    start: says(() => Buffer.from(Array.from({ length: 64 }, () => 128 + Math.floor(Math.random() * 127)))),
    expected: notHttp,
  },
  { name: 'ssh', does: 'an SSH banner', start: says('SSH-2.0-OpenSSH_9.6\r\n'), expected: notHttp },
  {
    name: 'ssh-first',
    does: 'an SSH banner before any request',
    start: connected((socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n')),
    expected: { outcome: 'undetermined', stop: 'not-http' },
  },
  {
    name: 'smtp-first',
    does: 'the greeting of a mail server, before any request',
    start: connected((socket) => socket.write('220 mail.example ESMTP\r\n')),
    expected: { outcome: 'undetermined', stop: 'not-http' },
  },
  { name: 'http-0.9', does: 'a body without a head', start: says('{"name":"Aloe"}\n'), expected: notHttp },
  {
    name: 'html-without-a-head',
    does: 'a page without a head',
    start: says('<html><h1>It works!</h1></html>'),
    expected: notHttp,
  },
  {
    name: 'tls-alert',
    does: 'a TLS alert',
    start: says(Buffer.from([21, 3, 3, 0, 2, 2, 80])),
    expected: notHttp,
  },
  {
    name: 'http-2',
    does: 'an HTTP/2 SETTINGS frame',
    start: says(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])),
    expected: notHttp,
  },
  {
    name: 'rtsp',
    does: 'RTSP/1.0 200 OK',
    start: says('RTSP/1.0 200 OK\r\nCSeq: 1\r\n\r\n'),
    expected: { outcome: 'nonconformant' },
  },
  {
    name: 'http-then-garbage',
    does: 'right responses, and garbage instead of every ninth',
    start: everyNth(9, ({ socket }) => socket.end(Buffer.alloc(50, 0xee))),
    expected: fails,
  },
];
