import type { Socket } from 'node:net';
import { json } from '../../reference/store.ts';
import { type BrokenStore, broken } from '../fleet.ts';
import { constant, html, plain, startRaw } from '../helpers.ts';

const raw = (
  name: string,
  breaks: string,
  meet: (socket: Socket) => void,
  fails = ['invariants/answers'],
): BrokenStore => ({
  name,
  breaks,
  fails,
  start: (token) => startRaw(token, meet),
});

const dripping = (head: string) => (socket: Socket) => {
  socket.once('data', () => {
    socket.write(head);
    const drip = setInterval(() => socket.write('a'), 200);
    socket.once('close', () => clearInterval(drip));
  });
};

/** Stores that answer every request in the same way: each breaks several statements. */
export const constants: readonly BrokenStore[] = [
  broken(
    'always-200-empty-object',
    'answers everything with 200 and {}',
    ['auth/rejects-missing-token', 'auth/rejects-other-schemes', 'auth/rejects-wrong-tokens'],
    constant(json(200, {})),
  ),
  broken(
    'always-200-plant',
    'answers everything with 200 and a Plant',
    ['auth/rejects-missing-token', 'auth/rejects-other-schemes', 'auth/rejects-wrong-tokens'],
    constant(json(200, { name: 'Aloe', tag: 'succulent' })),
  ),
  broken(
    'always-200-plain',
    'answers everything with 200 and the text OK',
    ['auth/rejects-missing-token', 'auth/rejects-other-schemes', 'ordinary/answers-json'],
    constant(plain(200, 'OK')),
  ),
  broken(
    'always-200-html',
    'answers everything with 200 and a single-page application',
    ['auth/rejects-missing-token', 'auth/rejects-other-schemes', 'ordinary/answers-json'],
    constant(html(200, 'Plants')),
  ),
  broken(
    'always-204',
    'answers everything with 204',
    ['auth/rejects-missing-token', 'auth/rejects-other-schemes', 'ordinary/answers-200'],
    constant({ status: 204 }),
  ),
  broken(
    'always-308',
    'answers everything with a 308 that redirects to itself',
    ['ordinary/answers-200', 'ordinary/accepts-escaped-strings'],
    constant({ status: 308, headers: { location: '/plants' } }),
  ),
  broken(
    'always-400',
    'answers everything with 400 and an Error',
    ['ordinary/answers-200', 'ordinary/accepts-escaped-strings', 'ordinary/accepts-ids-of-every-magnitude'],
    constant(json(400, { error: 400, message: 'no' })),
  ),
  broken(
    'always-401',
    'answers everything with 401',
    ['stop/token-rejected'],
    constant(json(401, { error: 401, message: 'no' }, { 'www-authenticate': 'Bearer' })),
  ),
  broken('always-404', 'answers everything with 404', ['stop/not-found'], constant(html(404, 'Not Found'))),
  broken(
    'always-500',
    'answers everything with 500 and HTML',
    ['ordinary/answers-200', 'invalid/rejects-forms', 'invalid/rejects-white-space-only'],
    constant(html(500, 'Internal Server Error')),
  ),
  broken(
    'always-503',
    'answers everything with 503',
    ['ordinary/answers-200', 'invalid/rejects-forms', 'invalid/rejects-white-space-only'],
    constant(plain(503, 'Service Unavailable')),
  ),
  broken(
    'always-silent',
    'answers nothing',
    ['invariants/answers', 'invariants/accepts-ordinary-plants'],
    () => ({ send: () => {} }),
  ),
  raw('always-reset', 'resets the connection on every request', (socket) =>
    socket.once('data', () => socket.resetAndDestroy()),
  ),
  raw('always-closed', 'closes every connection at once', (socket) => socket.end()),
  raw(
    'always-garbage',
    'speaks SSH instead of HTTP',
    (socket) => socket.once('data', () => socket.end('SSH-2.0-OpenSSH_9.6\r\n')),
    ['stop/not-http'],
  ),
  raw(
    'always-dripping',
    'sends one byte of a header every 200 ms, for ever',
    dripping('HTTP/1.1 200 OK\r\nx-drip: '),
  ),
  raw(
    'always-dripping-body',
    'sends one byte of the body every 200 ms, for ever',
    dripping('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{"name":"'),
  ),
];
