import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { answer, json, type Received, Rejection } from '../../reference/store.ts';
import { type Change, type RightStore, right } from '../fleet.ts';
import {
  type Asked,
  contentType,
  html,
  insteadOf,
  mediaType,
  parsing,
  plain,
  rejectingHead,
  routing,
  sending,
} from '../helpers.ts';
import { rejectingEarly, serving } from './serving.ts';

const all = ({ headers }: Received, name: string) => headers[name] ?? [];
const one = (request: Received, name: string) => all(request, name).join(', ');
const has =
  (...names: string[]): Asked =>
  ({ headers }) =>
    names.some((name) => headers[name] !== undefined);

/** A proxy answers some requests by their head, without looking at the credential. */
const diverting = (when: Asked, answer: ReturnType<typeof html>): Change =>
  sending((usual, request) => (when(request) ? answer : usual));

/** Remembers what it answered to each Idempotency-Key. */
const idempotent: Change = (reference) => {
  const known = new Map<string, { readonly body: string; readonly usual: ReturnType<typeof html> }>();
  return sending((usual, request) => {
    const key = one(request, 'idempotency-key');
    if (key === '' || usual.status !== 200) return usual;
    const body = Buffer.from(request.body).toString('latin1');
    const earlier = known.get(key);
    if (earlier === undefined) known.set(key, { body, usual });
    if (earlier === undefined) return usual;
    return earlier.body === body ? earlier.usual : html(422, 'The key was used for another plant');
  })(reference);
};

/** The media ranges of Accept with their weights. */
const ranges = (request: Received) =>
  one(request, 'accept')
    .split(',')
    .map((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
      const q = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
      return { type, weight: Number(q) };
    })
    .filter(({ type }) => type !== '');
/** The weight of the most specific matching range (RFC 9110 section 12.5.1). */
const weightOfJson = (request: Received) => {
  const accepted = ranges(request);
  if (accepted.length === 0) return 1;
  const order = ['application/json', 'application/*', '*/*'];
  return order.map((type) => accepted.find((range) => range.type === type)).find(Boolean)?.weight ?? 0;
};

const MESSAGES = { en: 'not accepted', de: 'nicht angenommen', ja: '受け付けられません' } as const;

const inflating: Change = parsing(
  () => true,
  ({ body, ...request }, steps) => {
    const codings = one({ body, ...request }, 'content-encoding')
      .toLowerCase()
      .split(/\s*,\s*/);
    let read = body;
    try {
      for (const coding of codings.reverse()) {
        if (coding === 'gzip' || coding === 'x-gzip') read = gunzipSync(read, { maxOutputLength: 1e6 });
        if (coding === 'br') read = brotliDecompressSync(read, { maxOutputLength: 1e6 });
      }
    } catch {
      throw new Rejection(400, 1, 'the body does not match its Content-Encoding');
    }
    return steps.parse(read, { body: read, ...request });
  },
);

const limitingHeads = (name: string, odd: string, tooLarge: string): RightStore =>
  serving(name, odd, {
    options: { maxHeaderSize: 8 * 1024 },
    setUp(server) {
      server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
        const status = error.code === 'HPE_HEADER_OVERFLOW' ? tooLarge : '400 Bad Request';
        if (socket.writable)
          socket.end(
            `HTTP/1.1 ${status}\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n<h1>${status}</h1>`,
          );
      });
    },
  });

/** Stores that react to headers a client need not send: "header parameters: None are declared". */
export const headers: readonly RightStore[] = [
  right(
    'no-upgrade',
    'a proxy rejects offers of any protocol but WebSocket',
    diverting(has('upgrade'), plain(400, 'Bad Request')),
  ),
  right(
    'http-1.1-only',
    'a proxy answers HTTP/1.0 with 505',
    diverting(
      ({ message: { httpVersion } }) => httpVersion === '1.0',
      html(505, 'HTTP Version Not Supported'),
    ),
  ),
  right(
    'http-1.1-asked',
    'a proxy answers HTTP/1.0 with 426',
    diverting(({ message: { httpVersion } }) => httpVersion === '1.0', html(426, 'Upgrade Required')),
  ),
  // Headers that frameworks and proxies interpret.
  right(
    'method-override-405',
    'honours X-HTTP-Method-Override, like Rack and Spring: methods other than POST get 405',
    (reference) => ({
      route(request) {
        const method =
          one(request, 'x-http-method-override') ||
          one(request, 'x-method-override') ||
          one(request, 'x-http-method');
        reference.route(
          request.method === 'POST' && method !== '' ? { ...request, method: method.toUpperCase() } : request,
        );
      },
    }),
  ),
  right(
    'method-override-list',
    'honours X-HTTP-Method-Override, like Rails, and lists plants in answer to GET, even without a token',
    diverting(
      (request) => one(request, 'x-http-method-override') === 'GET',
      json(200, [{ name: 'Fern' }, { name: 'Aloe', tag: 'succulent' }]),
    ),
  ),
  right(
    'original-url-page',
    'honours X-Original-URL and X-Rewrite-URL, like Symfony, and answers /health without a token',
    diverting(
      (request) => one(request, 'x-original-url') !== '' || one(request, 'x-rewrite-url') !== '',
      json(200, { status: 'up' }),
    ),
  ),
  right(
    'original-url-404',
    'honours X-Original-URL and X-Rewrite-URL, like IIS and Symfony: other paths get 404',
    (reference) => ({
      route(request) {
        const path = one(request, 'x-original-url') || one(request, 'x-rewrite-url') || request.path;
        reference.route({ ...request, path });
      },
    }),
  ),
  right(
    'https-redirects',
    'redirects to https if X-Forwarded-Proto is http, like Rails and Spring',
    diverting((request) => /^http\b(?!s)/i.test(one(request, 'x-forwarded-proto')), {
      status: 308,
      headers: { location: 'https://plants.example/plants' },
    }),
  ),
  right(
    'forwarded-host-421',
    'answers 421 in HTML if X-Forwarded-Host or Forwarded names a host that is not served',
    diverting(has('x-forwarded-host', 'forwarded'), html(421, 'Misdirected Request')),
  ),
  right(
    'forwarded-for-403',
    'answers 403 in plain text if X-Forwarded-For or the like comes from an unknown proxy',
    diverting(
      has('x-forwarded-for', 'x-real-ip', 'client-ip', 'true-client-ip', 'cf-connecting-ip'),
      plain(403, 'error code: 1000'),
    ),
  ),
  right(
    'foreign-origin-403',
    'answers a foreign Origin with 403 in plain text, like Spring: Invalid CORS request',
    diverting(has('origin'), plain(403, 'Invalid CORS request')),
  ),
  right(
    'cross-site-403',
    'answers Sec-Fetch-Site: cross-site with 403, as a resource isolation policy',
    diverting(
      (request) => /cross-site|same-site/.test(one(request, 'sec-fetch-site')),
      html(403, 'Forbidden'),
    ),
  ),
  right(
    'cookies-need-csrf-token',
    'answers 403 in HTML to a cookie without X-CSRF-Token, like Django',
    diverting(
      (request) => has('cookie')(request) && !has('x-csrf-token')(request),
      html(403, 'CSRF verification failed. Request aborted.'),
    ),
  ),
  right(
    'conditions-412',
    'answers If-Match, If-None-Match and If-Unmodified-Since with 412: no plant exists yet that they could apply to',
    rejectingHead(has('if-none-match', 'if-match', 'if-unmodified-since'), 412),
  ),
  right(
    'idempotency-keys',
    'answers 422 to a known Idempotency-Key with another plant, and repeats the response to the same one',
    idempotent,
  ),
  right(
    'early-data-425',
    'answers Early-Data: 1 with 425 (RFC 8470)',
    diverting(has('early-data'), html(425, 'Too Early')),
  ),

  // Content negotiation.
  right(
    'accept-406',
    'answers 406 in HTML if Accept excludes JSON (RFC 9110 section 15.5.7)',
    diverting((request) => weightOfJson(request) === 0, html(406, 'Not Acceptable')),
  ),
  right(
    'accept-406-before-credential',
    'answers 406 without a body or challenge if Accept excludes JSON',
    diverting((request) => weightOfJson(request) === 0, { status: 406 }),
  ),
  right(
    'accept-literally-406',
    'answers 406 if Accept contains neither application/json nor */*: honouring other ranges is a SHOULD',
    rejectingHead(
      (request) => has('accept')(request) && !/application\/json|\*\/\*/i.test(one(request, 'accept')),
      406,
    ),
  ),
  right(
    'identity-excluded-406',
    'answers 406 if Accept-Encoding excludes identity: it has no coding (RFC 9110 section 12.5.3)',
    rejectingHead((request) => /identity;q=0(?![.\d])/.test(one(request, 'accept-encoding')), 406),
  ),
  right(
    'accept-charset-406',
    'answers 406 if Accept-Charset does not contain UTF-8',
    rejectingHead(
      (request) => has('accept-charset')(request) && !/utf-?8|\*/i.test(one(request, 'accept-charset')),
      406,
    ),
  ),
  right('languages', 'translates the message according to Accept-Language', () => ({
    reject(rejection, request) {
      const asked = /\b(de|ja)\b/i.exec(one(request, 'accept-language'))?.[1]?.toLowerCase() as
        | 'de'
        | undefined;
      const language = asked ?? 'en';
      return json(
        rejection.status,
        { error: rejection.code, message: MESSAGES[language] },
        { ...rejection.headers, 'content-language': language, vary: 'accept-language' },
      );
    },
  })),
  right(
    'identity-coding-415',
    'answers any Content-Encoding with 415 and Accept-Encoding, also identity, which RFC 9110 section 8.4 says not to send',
    (reference) => ({
      negotiate(request) {
        if (has('content-encoding')(request))
          throw new Rejection(415, 415, 'content codings are not supported', { 'accept-encoding': '' });
        reference.negotiate(request);
      },
    }),
  ),
  right(
    'coded-bodies-accepted',
    'decodes a body with Content-Encoding: gzip or br, and answers 400 if it is corrupt',
    inflating,
  ),
  right(
    'other-charsets-415',
    'answers a charset other than UTF-8 with 415, like Spring and ASP.NET',
    rejectingHead(
      (request) =>
        /charset/i.test(contentType(request)) && !/charset="?utf-?8"?\s*(;|$)/i.test(contentType(request)),
      415,
    ),
  ),
  right(
    'media-type-to-the-letter',
    'answers 415 to any spelling but application/json: accepting others is a SHOULD',
    rejectingHead((request) => contentType(request) !== 'application/json', 415),
  ),
  right(
    'boundary-422',
    'answers 422 to parameters that application/json does not define',
    rejectingHead(
      (request) =>
        mediaType(request) === 'application/json' &&
        contentType(request)
          .split(';')
          .slice(1)
          .some((parameter) => !/^\s*charset=/i.test(parameter)),
      422,
    ),
  ),

  // Framing.
  serving(
    'expect-417',
    'answers Expect: 100-continue with 417 in HTML and closes the connection, like lighttpd and Squid',
    {
      meet: async (line, message, response) => {
        const look = () => {
          if (message.headers.expect !== undefined) throw new Rejection(417, 417, 'expectation failed');
        };
        await rejectingEarly(look, true)(line, message, response);
      },
      setUp(server) {
        for (const event of ['checkContinue', 'checkExpectation'] as const)
          server.on(event, (message, response) => server.emit('request', message, response));
      },
      change: insteadOf(417, () => html(417, 'Expectation Failed')),
    },
  ),
  right(
    'chunked-400',
    'answers a chunked body with 400 and an Error: accepting it is a SHOULD',
    rejectingHead(has('transfer-encoding'), 400),
  ),
  right(
    'chunked-411-html',
    'answers a chunked body with 411 in HTML before authentication, and closes the connection',
    sending((answer, request) => {
      const { headers, ...page } = html(411, 'Length Required');
      return has('transfer-encoding')(request)
        ? { ...page, headers: { ...headers, connection: 'close' } }
        : answer;
    }),
  ),
  serving(
    'chunked-411-at-once',
    'answers a chunked body with 411 before it arrives, and closes the connection',
    {
      // As many servers do, it closes without reading the rest.
      meet: async (line, message, response) => {
        if (message.headers['transfer-encoding'] === undefined) return answer(line, message, response);
        response.writeHead(411, { connection: 'close' }).end();
      },
    },
  ),
  right(
    'trailers-400',
    'answers trailers after a chunked body with 400 and an Error',
    rejectingHead(({ message }) => message.rawTrailers.length > 0, 400),
  ),
  right(
    'trailers-close',
    "closes the connection after trailers, like Java's com.sun.net.httpserver, which expects the end of the chunks",
    routing(({ message }) => message.rawTrailers.length > 0, 'cut'),
  ),
  right(
    'trailers-500',
    'fails with a page of the server at trailers after a chunked body, like Werkzeug, which cannot read them',
    sending((usual, { message }) =>
      message.rawTrailers.length === 0 ? usual : html(500, 'Internal Server Error'),
    ),
  ),
  right(
    'trailers-unread',
    "takes trailers after a chunked body for the next request, as Java's com.sun.net.httpserver does",
    (reference) => ({
      send(answer, response, request) {
        reference.send(answer, response, request);
        const { rawTrailers, socket } = request.message;
        if (rawTrailers.length === 0) return;
        const page = '<h1>400 Bad Request</h1>Bad request line';
        response.once('finish', () => {
          socket.end(
            `HTTP/1.1 400 Bad Request\r\nContent-Length: ${page.length}\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n${page}`,
          );
        });
      },
    }),
  ),
  right(
    'trailers-503',
    'answers trailers after a chunked body with 503 and Retry-After, like Varnish, which cannot forward them',
    sending((usual, { message }) =>
      message.rawTrailers.length === 0
        ? usual
        : {
            status: 503,
            headers: { 'content-type': 'text/html', 'retry-after': '5', connection: 'close' },
            body: '<h1>Error 503 Backend fetch failed</h1>',
          },
    ),
  ),
  limitingHeads(
    'header-431',
    'answers headers of more than 8 KiB with 431 in HTML from the proxy, and broken framing with 400',
    '431 Too Large',
  ),
  limitingHeads(
    'header-400',
    'answers headers of more than 8 KiB, and broken framing, with 400 in HTML, as Tomcat does',
    '400 Bad Request',
  ),
  right(
    'long-lines-400',
    'answers a header line of more than 4 KiB with 400 in HTML, like nginx with buffers of that size',
    diverting(
      ({ headers }) =>
        Object.entries(headers).some(([name, values = []]) => `${name}: ${values[0]}`.length > 4096),
      html(400, '400 Request Header Or Cookie Too Large'),
    ),
  ),
  right(
    'many-fields-431',
    'answers more than 40 header fields with 431: Apache has such a limit, at 100',
    diverting(({ message }) => message.rawHeaders.length > 80, html(431, 'Request Header Fields Too Large')),
  ),
  right(
    'repeated-fields-400',
    'answers repeated singleton fields with 400 in HTML: the response to malformed HTTP may have any form',
    diverting(
      ({ headers }) =>
        ['authorization', 'content-type', 'content-length', 'host'].some(
          (name) => (headers[name]?.length ?? 0) > 1,
        ),
      html(400, 'Bad Request'),
    ),
  ),
  right(
    'obs-text-403',
    'answers bytes above 0x7F in the header with 403 in HTML',
    diverting(({ message }) => /[^\0-\x7f]/.test(message.rawHeaders.join('')), html(403, 'Forbidden')),
  ),
];
