import { Numeral, type Value } from '../../reference/json.ts';
import { type Received, Rejection } from '../../reference/store.ts';
import { type BrokenStore, broken, brokenBy, type Change } from '../fleet.ts';
import {
  authorization,
  challenging,
  contentType,
  cutting,
  failing,
  failingAt,
  hanging,
  html,
  insteadOf,
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

const FORM = 'application/x-www-form-urlencoded';

const isXml = (request: Received) => mediaType(request).endsWith('/xml');

const bindingXml: Change = (right) => ({
  negotiate(request) {
    if (!isXml(request)) right.negotiate(request);
  },
  parse(body, request) {
    const [, id = '', name = ''] = /<id>(\d+)<\/id><name>(.*?)<\/name>/.exec(body.toString()) ?? [];
    if (!isXml(request) || name === '') return right.parse(body, request);
    return new Map<string, Value>([
      ['id', new Numeral(id)],
      ['name', name],
    ]);
  },
});

/** Answers some authorised requests with 500. */
const failingHead =
  (when: (request: Received) => boolean): Change =>
  (right) => ({
    negotiate(request) {
      if (when(request)) throw new Error('simulated');
      right.negotiate(request);
    },
  });

const failsAt = brokenBy(['invariants/no-server-error'], failingAt);
const failsOnHead = brokenBy(['invariants/no-server-error'], failingHead);
const silentOn = brokenBy(['invariants/answers'], routing);

/** Whether neither Content-Length nor Transfer-Encoding says how long the body is: there is none. */
const hasNoLength = ({ request: { headers } }: { readonly request: Received }): boolean =>
  headers['content-length'] === undefined && headers['transfer-encoding'] === undefined;

/** Stores that answer some HTTP messages with 5xx, not at all, or by closing the connection. */
export const httpMessage: readonly BrokenStore[] = [
  failsAt('http-get-500', '500 to GET', method('GET')),
  failsAt('http-head-500', '500 to HEAD', method('HEAD')),
  silentOn('http-head-cut', 'closes the connection on HEAD', method('HEAD'), 'cut'),
  failsAt('http-options-500', '500 to OPTIONS', method('OPTIONS')),
  failsAt(
    'http-options-origin-500',
    '500 to OPTIONS with an origin but without Access-Control-Request-Method',
    ({ message: { method: asked, headers } }) =>
      asked === 'OPTIONS' &&
      headers.origin !== undefined &&
      headers['access-control-request-method'] === undefined,
  ),
  silentOn('http-options-hang', 'does not answer OPTIONS', method('OPTIONS'), 'hang'),
  silentOn(
    'http-upgrade-cut',
    'closes the connection when another protocol is offered',
    ({ headers }) => headers.upgrade !== undefined,
    'cut',
  ),
  silentOn(
    'http-1.0-hang',
    'does not answer requests in HTTP/1.0',
    ({ message: { httpVersion } }) => httpVersion === '1.0',
    'hang',
  ),
  broken(
    'http-coding-case',
    'answers 501 if the transfer coding chunked is not in lower case',
    ['invariants/no-server-error'],
    (right) => ({
      route(request) {
        const [coding = 'chunked'] = request.headers['transfer-encoding'] ?? [];
        if (coding !== 'chunked') throw new Rejection(501, 501, 'unknown transfer coding');
        right.route(request);
      },
    }),
  ),
  failsAt('http-te-500', '500 if there is a TE header', ({ headers }) => headers.te !== undefined),
  failsAt(
    'http-brotli-500',
    '500 if Accept-Encoding names Brotli alone',
    ({ headers }) => headers['accept-encoding']?.[0] === 'br',
  ),
  failsAt('http-slash-500', '500 to /plants/', ({ path }) => path === '/plants/'),
  failsAt('http-capitals-500', '500 to /PLANTS', ({ path }) => path === '/PLANTS'),
  failsAt('http-query-500', '500 if there is a query', (request) => url(request).includes('?')),
  broken(
    'http-no-type-500',
    '500 if there is no Content-Type',
    ['invariants/no-server-error', 'invalid/rejects-missing-body'],
    failingHead((request) => contentType(request) === ''),
  ),
  broken(
    'http-foreign-500',
    '500 to any media type except application/json',
    ['invariants/no-server-error', 'invalid/rejects-forms'],
    failingHead((request) => !['', 'application/json'].includes(mediaType(request))),
  ),
  failsOnHead('http-request-id-500', '500 to an X-Request-ID that is not a UUID', ({ headers }) =>
    (headers['x-request-id'] ?? []).some((id) => !/^[\da-f-]{36}$/.test(id)),
  ),
  failsOnHead(
    'http-cookie-percent-500',
    '500 if a cookie is not percent-encoded: its decoder throws',
    ({ headers }) => /%(?![\da-f]{2})/i.test(headers.cookie?.join() ?? ''),
  ),
  broken(
    'http-cors-preflight-by-headers',
    'answers an unauthorised request with the headers of a CORS preflight as if it were one, with 204',
    ['combinations/rejects-invalid-credentials'],
    challenging(({ headers }) =>
      headers.origin !== undefined && headers['access-control-request-method'] !== undefined
        ? { status: 204 }
        : undefined,
    ),
  ),
  failsOnHead(
    'http-host-without-port-500',
    '500 if Host has no port: it is split at the colon',
    ({ headers }) => !/:\d+$/.test(headers.host?.[0] ?? ''),
  ),
  broken(
    'http-form-500',
    '500 to a form',
    ['invariants/no-server-error', 'invalid/rejects-forms'],
    failingHead((request) => /form/.test(mediaType(request))),
  ),
  broken(
    'http-form-fields-html',
    '400 with an HTML page for a form with more than 1000 fields, like Django',
    ['invalid/rejects-forms'],
    insteadOf(415, (request) =>
      mediaType(request) === FORM && request.body.toString('latin1').split('&').length > 1000
        ? html(400, 'Too many fields')
        : undefined,
    ),
  ),
  broken(
    'http-form-large-500',
    '500 to a form of more than 56 KiB, for which the library throws an error of its own',
    ['invariants/no-server-error', 'invalid/rejects-forms'],
    failingHead((request) => mediaType(request) === FORM && request.body.length > 56 * 1024),
  ),
  broken(
    'http-xml-bound',
    'binds XML to a plant, since the framework picks a decoder by the media type',
    ['invalid/rejects-forms'],
    bindingXml,
  ),
  silentOn(
    'http-plain-cut',
    'closes the connection on text/plain',
    (request) => mediaType(request) === 'text/plain',
    'cut',
  ),
  failsOnHead('http-charset-500', '500 if Content-Type has a charset parameter', (request) =>
    /;\s*charset/i.test(contentType(request)),
  ),
  failsOnHead(
    'http-chunked-500',
    '500 to a chunked body, because it has no Content-Length',
    ({ headers }) => headers['content-length'] === undefined,
  ),
  broken(
    'http-chunked-hang',
    'does not answer a chunked body',
    ['invariants/answers'],
    hanging(({ request }) => request.headers['transfer-encoding'] !== undefined),
  ),
  broken(
    'http-no-length-hang',
    'reads a body to the end of the connection if neither Content-Length nor Transfer-Encoding says how long it is',
    ['invalid/rejects-missing-body', 'invariants/answers'],
    hanging(hasNoLength),
  ),
  broken(
    'http-no-length-500',
    'answers 500 to a POST without Content-Length and Transfer-Encoding',
    ['invariants/no-server-error'],
    failing(hasNoLength),
  ),
  silentOn(
    'http-empty-chunked-hang',
    'waits for data that a chunked body without content does not have',
    ({ method: used, headers, body }) =>
      used === 'POST' && headers['transfer-encoding'] !== undefined && body.length === 0,
    'hang',
  ),
  failsOnHead('http-accept-500', '500 if Accept contains a quality value', (request) =>
    /;\s*q=/i.test(accepts(request)),
  ),
  broken(
    'http-16k-cut',
    'closes the connection if the body is longer than 16 KiB',
    ['invalid/rejects-deep-nesting', 'invalid/answers-huge-numbers', 'unconstrained/answers-large-plants'],
    cutting(({ text }) => text.length > 16_384),
  ),
  broken(
    'http-32k-500',
    '500 if the body is longer than 32 KiB',
    ['invariants/no-server-error', 'invalid/rejects-deep-nesting', 'unconstrained/answers-large-plants'],
    failing(({ text }) => text.length > 32_768),
  ),
  broken(
    'http-40k-503',
    '503 if the body is longer than 40 KiB',
    ['invariants/no-server-error', 'invalid/rejects-deep-nesting', 'unconstrained/answers-large-plants'],
    parsing(
      ({ text }) => text.length > 40_960,
      () => {
        throw new Rejection(503, 503, 'too busy for a body of this size');
      },
    ),
  ),
  silentOn(
    'http-no-credential-cut',
    'closes the connection if there is no Authorization header',
    (request) => request.method === 'POST' && authorization(request) === undefined,
    'cut',
  ),
  failsOnHead(
    'http-coded-500',
    '500 if there is a Content-Encoding',
    ({ headers }) => headers['content-encoding'] !== undefined,
  ),
  failsAt('http-cookie-500', '500 if a cookie has no name', ({ headers }) =>
    /(?:^|;)\s*=/.test(headers.cookie?.[0] ?? ''),
  ),
];
