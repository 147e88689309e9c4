import { type Received, Refusal } from '../../reference/store.ts';
import { type BrokenStore, broken, type Change } from '../fleet.ts';
import {
  authorization,
  contentType,
  cutting,
  failing,
  failingAt,
  hanging,
  mediaType,
  parsing,
  routing,
} from '../helpers.ts';

const method =
  (...methods: string[]) =>
  (request: Received) =>
    methods.includes(request.method);
const url = ({ message }: Received) => message.url ?? '';
const accepts = ({ headers }: Received) => headers.accept?.join(',') ?? '*/*';

/** 500 to some requests that are authorised. */
const failingHead =
  (when: (request: Received) => boolean): Change =>
  (right) => ({
    negotiate(request) {
      if (when(request)) throw new Error('simulated');
      right.negotiate(request);
    },
  });

/** Something in the HTTP around the body ends in 5xx, in silence or in a closed connection. */
export const httpMessage: readonly BrokenStore[] = [
  broken(
    'http-get-500',
    'no answer is 5xx: 500 to GET',
    ['always/no-server-error'],
    failingAt(method('GET')),
  ),
  broken(
    'http-head-500',
    'no answer is 5xx: 500 to HEAD',
    ['always/no-server-error'],
    failingAt(method('HEAD')),
  ),
  broken(
    'http-head-cut',
    'every request is answered: the connection is cut on HEAD',
    ['always/answers'],
    routing(method('HEAD'), 'cut'),
  ),
  broken(
    'http-options-500',
    'no answer is 5xx: 500 to OPTIONS',
    ['always/no-server-error'],
    failingAt(method('OPTIONS')),
  ),
  broken(
    'http-options-hang',
    'every request is answered: silence to OPTIONS',
    ['always/answers'],
    routing(method('OPTIONS'), 'hang'),
  ),
  broken(
    'http-slash-500',
    'no answer is 5xx: 500 to /plants/',
    ['always/no-server-error'],
    failingAt(({ path }) => path === '/plants/'),
  ),
  broken(
    'http-capitals-500',
    'no answer is 5xx: 500 to /PLANTS',
    ['always/no-server-error'],
    failingAt(({ path }) => path === '/PLANTS'),
  ),
  broken(
    'http-query-500',
    'no answer is 5xx: 500 to any query',
    ['always/no-server-error'],
    failingAt((request) => url(request).includes('?')),
  ),
  broken(
    'http-no-type-500',
    'no answer is 5xx: 500 without a content type',
    ['always/no-server-error', 'refuse/no-body'],
    failingHead((request) => contentType(request) === ''),
  ),
  broken(
    'http-foreign-500',
    'no answer is 5xx: 500 to a foreign media type',
    ['always/no-server-error', 'refuse/form'],
    failingHead((request) => !['', 'application/json'].includes(mediaType(request))),
  ),
  broken(
    'http-form-500',
    'no answer is 5xx: 500 to a form',
    ['always/no-server-error', 'refuse/form'],
    failingHead((request) => /form/.test(mediaType(request))),
  ),
  broken(
    'http-plain-cut',
    'every request is answered: the connection is cut on text/plain',
    ['always/answers'],
    (right) => ({
      send(answer, response, request) {
        if (mediaType(request) === 'text/plain') request.message.socket.destroy();
        else right.send(answer, response, request);
      },
    }),
  ),
  broken(
    'http-charset-500',
    'no answer is 5xx: 500 to a charset parameter',
    ['always/no-server-error'],
    failingHead((request) => /;\s*charset/i.test(contentType(request))),
  ),
  broken(
    'http-chunked-500',
    'no answer is 5xx: 500 to a chunked body, for want of a length',
    ['always/no-server-error'],
    failingHead(({ headers }) => headers['content-length'] === undefined),
  ),
  broken(
    'http-chunked-hang',
    'every request is answered: silence to a chunked body',
    ['always/answers'],
    hanging(({ request }) => request.headers['transfer-encoding'] !== undefined),
  ),
  broken(
    'http-accept-500',
    'no answer is 5xx: 500 to an Accept with a quality',
    ['always/no-server-error'],
    failingHead((request) => /;\s*q=/i.test(accepts(request))),
  ),
  broken(
    'http-16k-cut',
    'every request is answered: the connection is cut above 16 KiB',
    ['refuse/deeply-nested', 'refuse/survives-huge-numbers', 'whole-shape/answers-large-plants'],
    cutting(({ text }) => text.length > 16_384),
  ),
  broken(
    'http-32k-500',
    'no answer is 5xx: 500 above 32 KiB',
    ['always/no-server-error', 'refuse/deeply-nested', 'whole-shape/answers-large-plants'],
    failing(({ text }) => text.length > 32_768),
  ),
  broken(
    'http-40k-503',
    'no answer is 5xx: 503 above 40 KiB',
    ['always/no-server-error', 'refuse/deeply-nested', 'whole-shape/answers-large-plants'],
    parsing(
      ({ text }) => text.length > 40_960,
      () => {
        throw new Refusal(503, 503, 'too busy for so much');
      },
    ),
  ),
  broken(
    'http-no-credential-cut',
    'every request is answered: the connection is cut without an Authorization header',
    ['always/answers'],
    routing((request) => request.method === 'POST' && authorization(request) === undefined, 'cut'),
  ),
  broken(
    'http-coded-500',
    'no answer is 5xx: where a coding of the body is named',
    ['always/no-server-error'],
    (right) => ({
      negotiate(request) {
        if (request.headers['content-encoding'] !== undefined) throw new Error('unknown coding');
        right.negotiate(request);
      },
    }),
  ),
  broken(
    'http-cookie-500',
    'no answer is 5xx: where a cookie has no name',
    ['always/no-server-error'],
    (right) => ({
      route(request) {
        if (/(?:^|;)\s*=/.test(request.headers.cookie?.[0] ?? '')) throw new Error('a cookie without a name');
        right.route(request);
      },
    }),
  ),
];
