import type { Socket } from 'node:net';
import { json } from '../../reference/store.ts';
import { type BrokenStore, broken } from '../fleet.ts';
import { constant, html, plain, startRaw } from '../helpers.ts';

const raw = (
  name: string,
  breaks: string,
  meet: (socket: Socket) => void,
  fails = ['always/answers'],
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

/** One answer to everything: these break more than one statement each. */
export const constants: readonly BrokenStore[] = [
  broken(
    'always-200-empty-object',
    'a 200 carries a Plant: {} to everything',
    ['auth/rejects-missing-token', 'auth/rejects-other-schemes', 'auth/rejects-wrong-tokens'],
    constant(json(200, {})),
  ),
  broken(
    'always-200-plant',
    'what is no NewPlant is refused: a Plant to everything',
    ['auth/rejects-missing-token', 'auth/rejects-other-schemes', 'auth/rejects-wrong-tokens'],
    constant(json(200, { name: 'Aloe', tag: 'succulent' })),
  ),
  broken(
    'always-200-plain',
    'a 200 carries a Plant: OK to everything',
    ['auth/rejects-missing-token', 'auth/rejects-other-schemes', 'create/answers-json'],
    constant(plain(200, 'OK')),
  ),
  broken(
    'always-200-html',
    'a 200 carries a Plant: an application of one page to everything',
    ['auth/rejects-missing-token', 'auth/rejects-other-schemes', 'create/answers-json'],
    constant(html(200, 'Plants')),
  ),
  broken(
    'always-204',
    'status is 200: 204 to everything',
    ['auth/rejects-missing-token', 'auth/rejects-other-schemes', 'create/answers-200'],
    constant({ status: 204 }),
  ),
  broken(
    'always-308',
    'status is 200: 308 to itself',
    ['create/answers-200', 'create/takes-escaped-values', 'whole-shape/answers-any-id'],
    constant({ status: 308, headers: { location: '/plants' } }),
  ),
  broken(
    'always-400',
    'an ordinary plant is taken: an Error to everything',
    ['create/answers-200', 'create/takes-escaped-values', 'create/takes-ids-of-every-magnitude'],
    constant(json(400, { error: 400, message: 'no' })),
  ),
  broken(
    'always-401',
    'an ordinary plant is taken: 401 to everything',
    ['stop/token-refused'],
    constant(json(401, { error: 401, message: 'no' }, { 'www-authenticate': 'Bearer' })),
  ),
  broken(
    'always-404',
    'an ordinary plant is taken: 404 to everything',
    ['create/answers-200', 'create/takes-escaped-values', 'create/takes-ids-of-every-magnitude'],
    constant(html(404, 'Not Found')),
  ),
  broken(
    'always-500',
    'no answer is 5xx: HTML 500 to everything',
    ['create/answers-200', 'refuse/form', 'refuse/white-space-only'],
    constant(html(500, 'Internal Server Error')),
  ),
  broken(
    'always-503',
    'no answer is 5xx: 503 to everything',
    ['create/answers-200', 'refuse/form', 'refuse/white-space-only'],
    constant(plain(503, 'Service Unavailable')),
  ),
  broken(
    'always-silent',
    'every request is answered: none is',
    ['always/answers', 'always/creates-ordinary-plants'],
    () => ({ send: () => {} }),
  ),
  raw('always-reset', 'every request is answered: the connection is reset', (socket) =>
    socket.once('data', () => socket.resetAndDestroy()),
  ),
  raw('always-closed', 'every request is answered: connections are closed at once', (socket) => socket.end()),
  raw(
    'always-garbage',
    'the store speaks HTTP: it does not',
    (socket) => socket.once('data', () => socket.end('SSH-2.0-OpenSSH_9.6\r\n')),
    ['stop/not-http'],
  ),
  raw(
    'always-dripping',
    'every request is answered: a byte of a header every 200 ms, for ever',
    dripping('HTTP/1.1 200 OK\r\nx-drip: '),
  ),
  raw(
    'always-dripping-body',
    'every request is answered: a byte of a body every 200 ms, for ever',
    dripping('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{"name":"'),
  ),
];
