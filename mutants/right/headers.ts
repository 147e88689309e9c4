import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { json, type Received, Refusal } from '../../reference/store.ts';
import { type Change, type RightStore, right } from '../fleet.ts';
import {
  type Asked,
  contentType,
  html,
  mediaType,
  parsing,
  plain,
  refusingHead,
  sending,
} from '../helpers.ts';
import { rejectingEarly, serving } from './serving.ts';

const all = ({ headers }: Received, name: string) => headers[name] ?? [];
const one = (request: Received, name: string) => all(request, name).join(', ');
const has =
  (...names: string[]): Asked =>
  ({ headers }) =>
    names.some((name) => headers[name] !== undefined);

/** Some heads are answered by whatever stands in front, whoever sends them. */
const diverting = (when: Asked, answer: ReturnType<typeof html>): Change =>
  sending((said, request) => (when(request) ? answer : said));

/** The media ranges of Accept, with what weight. */
const ranges = (request: Received) =>
  one(request, 'accept')
    .split(',')
    .map((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
      const q = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
      return { type, weight: Number(q) };
    })
    .filter(({ type }) => type !== '');
/** The weight of the most specific range that matches, as RFC 9110 section 12.5.1 has it. */
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
      throw new Refusal(400, 1, 'the body is not what its Content-Encoding says');
    }
    return steps.parse(read, { body: read, ...request });
  },
);

/** Header fields beside those that a client needs: "header parameters: None are declared". */
export const headers: readonly RightStore[] = [
  // Fields that frameworks and proxies act on.
  right(
    'method-override-405',
    'X-HTTP-Method-Override is honoured, as Rack and Spring do: another method than POST gets 405',
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
    'original-url-404',
    'X-Original-URL and X-Rewrite-URL are honoured, as IIS and Symfony do: there is nothing at another path',
    (reference) => ({
      route(request) {
        const path = one(request, 'x-original-url') || one(request, 'x-rewrite-url') || request.path;
        reference.route({ ...request, path });
      },
    }),
  ),
  right(
    'https-redirects',
    'X-Forwarded-Proto: http redirects to https, as Rails and Spring do',
    diverting((request) => /^http\b(?!s)/i.test(one(request, 'x-forwarded-proto')), {
      status: 308,
      headers: { location: 'https://plants.example/plants' },
    }),
  ),
  right(
    'forwarded-host-421',
    'X-Forwarded-Host and Forwarded name a host that is not served: 421 in HTML',
    diverting(has('x-forwarded-host', 'forwarded'), html(421, 'Misdirected Request')),
  ),
  right(
    'forwarded-for-403',
    'X-Forwarded-For and its like from someone who is no known proxy get 403 in plain text',
    diverting(
      has('x-forwarded-for', 'x-real-ip', 'client-ip', 'true-client-ip', 'cf-connecting-ip'),
      plain(403, 'error code: 1000'),
    ),
  ),
  right(
    'foreign-origin-403',
    'a foreign Origin gets 403 in plain text, as Spring has it: Invalid CORS request',
    diverting(has('origin'), plain(403, 'Invalid CORS request')),
  ),
  right(
    'cross-site-403',
    'Sec-Fetch-Site: cross-site gets 403: a resource isolation policy',
    diverting(
      (request) => /cross-site|same-site/.test(one(request, 'sec-fetch-site')),
      html(403, 'Forbidden'),
    ),
  ),
  right(
    'cookies-need-csrf-token',
    'a request with a cookie needs an X-CSRF-Token as well, or gets 403 in HTML, as Django has it',
    diverting(
      (request) => has('cookie')(request) && !has('x-csrf-token')(request),
      html(403, 'CSRF verification failed. Request aborted.'),
    ),
  ),
  right(
    'conditions-412',
    'If-Match, If-None-Match and If-Unmodified-Since get 412: there is nothing yet that they could be about',
    refusingHead(has('if-none-match', 'if-match', 'if-unmodified-since'), 412),
  ),
  right(
    'early-data-425',
    'Early-Data: 1 gets 425, as RFC 8470 has it',
    diverting(has('early-data'), html(425, 'Too Early')),
  ),

  // Content negotiation.
  right(
    'accept-406',
    'an Accept that excludes JSON gets 406 in HTML, as RFC 9110 section 15.5.7 has it',
    diverting((request) => weightOfJson(request) === 0, html(406, 'Not Acceptable')),
  ),
  right(
    'accept-406-before-credential',
    'an Accept that excludes JSON gets 406 without a body, and no challenge',
    diverting((request) => weightOfJson(request) === 0, { status: 406 }),
  ),
  right(
    'accept-literally-406',
    'an Accept without application/json or */* gets 406: that whatever allows JSON does is a SHOULD',
    refusingHead(
      (request) => has('accept')(request) && !/application\/json|\*\/\*/i.test(one(request, 'accept')),
      406,
    ),
  ),
  right(
    'accept-charset-406',
    'an Accept-Charset without UTF-8 gets 406',
    refusingHead(
      (request) => has('accept-charset')(request) && !/utf-?8|\*/i.test(one(request, 'accept-charset')),
      406,
    ),
  ),
  right('languages', 'the message is in the language that Accept-Language asks for', () => ({
    refuse(refusal, request) {
      const asked = /\b(de|ja)\b/i.exec(one(request, 'accept-language'))?.[1]?.toLowerCase() as
        | 'de'
        | undefined;
      const language = asked ?? 'en';
      return json(
        refusal.status,
        { error: refusal.code, message: MESSAGES[language] },
        { ...refusal.headers, 'content-language': language, vary: 'accept-language' },
      );
    },
  })),
  right(
    'identity-coding-415',
    'any Content-Encoding gets 415 with Accept-Encoding, identity too: RFC 9110 section 8.4 says not to send it',
    (reference) => ({
      negotiate(request) {
        if (has('content-encoding')(request))
          throw new Refusal(415, 415, 'no content codings here', { 'accept-encoding': '' });
        reference.negotiate(request);
      },
    }),
  ),
  right(
    'coded-bodies-accepted',
    'a body under Content-Encoding: gzip or br is decoded first, and a corrupt one gets 400',
    inflating,
  ),
  right(
    'other-charsets-415',
    'a charset other than UTF-8 gets 415, as Spring and ASP.NET have it',
    refusingHead(
      (request) =>
        /charset/i.test(contentType(request)) && !/charset="?utf-?8"?\s*(;|$)/i.test(contentType(request)),
      415,
    ),
  ),
  right(
    'media-type-to-the-letter',
    'anything but application/json, letter by letter, gets 415: that other spellings are accepted is a SHOULD',
    refusingHead((request) => contentType(request) !== 'application/json', 415),
  ),
  right(
    'boundary-422',
    'parameters that application/json does not have get 422',
    refusingHead(
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
    'Expect: 100-continue gets 417 in HTML and the end of the connection, as lighttpd and Squid had it',
    {
      meet: async (line, message, response) => {
        const look = () => {
          if (message.headers.expect !== undefined) throw new Refusal(417, 417, 'expectation failed');
        };
        await rejectingEarly(look, true)(line, message, response);
      },
      setUp(server) {
        for (const event of ['checkContinue', 'checkExpectation'] as const)
          server.on(event, (message, response) => server.emit('request', message, response));
      },
      change: (reference) => ({
        refuse: (refusal, request) =>
          refusal.status === 417 ? html(417, 'Expectation Failed') : reference.refuse(refusal, request),
      }),
    },
  ),
  right(
    'chunked-400',
    'a chunked body gets 400 with an Error: that it is accepted is a SHOULD',
    refusingHead(has('transfer-encoding'), 400),
  ),
  right(
    'chunked-411-html',
    'a chunked body gets 411 in HTML and the end of the connection, before the credential is looked at',
    sending((answer, request) => {
      const { headers, ...page } = html(411, 'Length Required');
      return has('transfer-encoding')(request)
        ? { ...page, headers: { ...headers, connection: 'close' } }
        : answer;
    }),
  ),
  right(
    'trailers-400',
    'trailers after a chunked body get 400 with an Error',
    refusingHead(({ message }) => message.rawTrailers.length > 0, 400),
  ),
  serving('header-431', 'more than 8 KiB of header gets 431 in HTML from the proxy, and broken framing 400', {
    options: { maxHeaderSize: 8 * 1024 },
    setUp(server) {
      server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
        const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Too Large' : '400 Bad Request';
        if (socket.writable)
          socket.end(
            `HTTP/1.1 ${status}\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n<h1>${status}</h1>`,
          );
      });
    },
  }),
  right(
    'many-fields-431',
    'more than 40 header fields get 431: Apache has such a limit, at 100',
    diverting(({ message }) => message.rawHeaders.length > 80, html(431, 'Request Header Fields Too Large')),
  ),
  right(
    'repeated-fields-400',
    'repeated fields that may be there once get 400 in HTML: malformed HTTP may be answered in any form',
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
    'bytes above 0x7F in the header get 403 in HTML',
    diverting(({ message }) => /[^\0-\x7f]/.test(message.rawHeaders.join('')), html(403, 'Forbidden')),
  ),
];
