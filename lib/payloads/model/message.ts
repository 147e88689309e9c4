import { wordsCapitalised } from '../../text.ts';
import type { RequestTemplate } from '../test-case.ts';
import {
  anyOf,
  type Dimension,
  delivered,
  dimension,
  inGroup,
  optional,
  type Value,
  withHeaders,
  withTemplate,
} from './dimension.ts';

const chunked = (name: string, delivery: RequestTemplate['delivery'] & object, rest: Partial<Value> = {}) =>
  withTemplate(name, { framing: 'chunked', delivery }, rest);

/** RFC 9112 section 7.1. Accepting chunked bodies is a SHOULD. */
const framing = dimension(
  'framing',
  optional([
    chunked('in one chunk', { chunks: 'one' }),
    ...inGroup('several chunks', [
      chunked('in two chunks', { chunks: 'halves' }),
      // A large body would have thousands of chunks.
      chunked('in many chunks', { chunks: 'many' }, { incompatibleWith: ['size'] }),
    ]),
    anyOf([
      chunked('in chunks with extensions', { chunks: 'extensions' }),
      chunked('in chunks with leading zeros in their sizes', { chunkSizes: 'zeros' }),
      chunked('in chunks with Transfer-Encoding: Chunked', { capitals: true }),
      withTemplate('in chunks with a capital letter in their sizes', {
        framing: 'chunked',
        chunkEnd: () => 0xb,
        delivery: { chunkSizes: 'capitals' },
      }),
    ]),
    chunked('in chunks with a trailer', { chunks: 'trailer' }),
    withTemplate(
      'in chunks split inside a character',
      { framing: 'chunked', chunkEnd: (body) => insideCharacter(body) },
      { groups: ['several chunks'] },
    ),
  ]),
);

const cutting = (name: string, cut: NonNullable<RequestTemplate['cut']>): Value =>
  withTemplate(name, { cut }, { groups: ['cut body'] });

/** The offset of `text` in a body, plus `after`; the middle of the body if the text does not occur. */
const offsetOf = (body: Uint8Array, text: string, after: number): number => {
  const offset = Buffer.from(body).indexOf(text);
  return offset < 0 ? Math.floor(body.length / 2) : offset + after;
};

/** Finds the offset after the first byte of a multi-byte character; without one, the middle of the body. */
export const insideCharacter = (body: Uint8Array): number => {
  const offset = body.findIndex((byte) => byte >= 0xc2);
  return offset < 0 ? Math.floor(body.length / 2) : offset + 1;
};

/** The offset after the first closing brace if anything follows it; otherwise the middle of the body. */
const afterBrace = (body: Uint8Array): number => {
  const offset = offsetOf(body, '}', 1);
  return offset < body.length ? offset : Math.floor(body.length / 2);
};

/** Longer than the wait of a server that then takes the first segment for the whole body. */
const SLOW_MS = 40;
/** Longer than a time limit that is too short: a distant client may take as long. */
const VERY_SLOW_MS = 300;

const segments = dimension('segments', [
  delivered('with the head before the body', { headFirst: true }, { groups: ['head before body'] }),
  delivered('with the head in two segments', { headCut: 'middle' }),
  delivered('with the head split between its last line ends', { headCut: 'end' }),
  cutting('in many segments', (body) =>
    Array.from({ length: 11 }, (_, index) => Math.ceil(((index + 1) * body.length) / 12)),
  ),
  cutting('in segments split inside a property name', (body) => [offsetOf(body, '"name"', 3)]),
  cutting('in segments split inside an escape or a string', (body) => [offsetOf(body, '\\u', 3)]),
  cutting('in segments split inside a character', (body) => [insideCharacter(body)]),
  cutting('in segments split inside the id', (body) => [offsetOf(body, '"id":', 7)]),
  withTemplate(
    'in slow segments split inside the id',
    { cut: (body) => [offsetOf(body, '"id":', 7)], delivery: { pauseMs: SLOW_MS } },
    { groups: ['cut body', 'pause'] },
  ),
  anyOf([
    delivered(
      'with a pause between head and body',
      { headFirst: true, pauseMs: SLOW_MS },
      { groups: ['head before body', 'pause'] },
    ),
    delivered(
      'with a pause of 0.3 s between head and body',
      { headFirst: true, pauseMs: VERY_SLOW_MS },
      { groups: ['head before body', 'pause'], isSlow: true },
    ),
  ]),
  cutting('in segments split after the first closing brace', (body) => [afterBrace(body)]),
  cutting('in three segments, the last of one byte', (body) => [1, body.length - 1]),
]);

/** RFC 9110 section 10.1.1. A store may answer 417. */
const expectation = dimension(
  'expectation',
  optional([
    anyOf([
      delivered('with Expect: 100-continue', { expectContinue: true }, { incompatibleWith: ['history'] }),
      delivered(
        'with Expect: 100-Continue',
        { expectContinue: true, capitals: true },
        { incompatibleWith: ['history'] },
      ),
    ]),
  ]),
);

const type = (contentType: string) => withTemplate(`as ${contentType}`, { contentType });

/** Other spellings of application/json (RFC 9110 section 8.3.1). */
const mediaType = dimension(
  'media type',
  optional([
    // White space around a field value is not part of it (RFC 9110 section 5.5), but Puma keeps the tab.
    withTemplate('with a tab before the media type', { contentType: '\tapplication/json ' }),
    type('application/json; charset=utf-8'),
    anyOf([
      type('application/json; charset="utf-8"'),
      type('application/json; charset=iso-8859-1'),
      type('application/json; charset=us-ascii'),
    ]),
    type('application/json;charset=UTF-8'),
    type('application/json ; charset=utf-8'),
    anyOf([type('application/json;\tcharset=utf-8'), type('application/json;')]),
    anyOf([type('Application/JSON'), type('APPLICATION/JSON; CHARSET=UTF-8')]),
    type('application/json; profile=plant; q=1'),
  ]),
);

const UNUSUAL_TYPES = [
  type('text/json'),
  anyOf([
    type('application/json; charset=nonsense'),
    type('application/x-ndjson'),
    withHeaders('with Content-Encoding: gzip on a body that is not compressed', [
      ['content-encoding', 'gzip'],
    ]),
  ]),
  anyOf([type('application/vnd.api+json'), type('application/merge-patch+json')]),
  type('text/plain'),
  anyOf([
    type('multipart/form-data; boundary=b'),
    withTemplate('as multipart/form-data without a boundary', { contentType: 'multipart/form-data' }),
  ]),
  type('application/x-www-form-urlencoded'),
  withTemplate('without a content type', { contentType: undefined }),
];

/** Forms that many stores do not recognise as a JSON request for this resource. */
const unusualForm: Dimension = {
  ...dimension(
    'unusual form',
    optional([
      ...UNUSUAL_TYPES.map((value): Value => ({ ...value, incompatibleWith: ['media type'] })),
      withTemplate(
        'with a percent-encoded letter in the path',
        { path: '/%70lants' },
        { incompatibleWith: ['target'] },
      ),
      delivered('with the target in absolute form', { absoluteTarget: true }),
    ]),
  ),
  masksOthers: true,
};

const accepting = (who: string, accept: string) =>
  withHeaders(`with the Accept of ${who}`, [['accept', accept]]);

/** Accept headers of real clients. Answering whenever Accept allows JSON is a SHOULD. */
const accept = dimension(
  'Accept',
  optional([
    accepting('curl', '*/*'),
    withHeaders('with Accept on two lines', [
      ['accept', 'text/plain'],
      ['accept', 'application/json'],
    ]),
    accepting('axios', 'application/json, text/plain, */*'),
    accepting(
      'a browser',
      'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
    ),
    accepting('Java', 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2'),
    accepting('a client that prefers XML', 'application/xml, application/json;q=0.5'),
    accepting('a client that prefers problem details', 'application/problem+json, application/json'),
    accepting('a client that accepts any JSON', 'application/*;q=0.9, application/vnd.api+json;q=0.1'),
    accepting('a script', 'text/javascript, application/javascript, */*; q=0.01'),
    accepting('a client that uses capital letters', 'APPLICATION/JSON'),
    accepting('a client that asks for a version', 'application/json;version=1'),
    withTemplate('without Accept', { without: ['accept'] }),
  ]),
);

const encoding = (value: string) =>
  withHeaders(`with Accept-Encoding: ${value}`, [['accept-encoding', value]]);

/** Neither zstd, which Node.js 20 cannot decode, nor an unqualified `*`, which would allow zstd. */
const acceptEncoding = dimension('Accept-Encoding', [
  anyOf([encoding('gzip'), encoding('br'), encoding('deflate')]),
  encoding('gzip, deflate, br'),
  anyOf([encoding('identity'), encoding('gzip;q=0')]),
  anyOf([encoding('x-gzip'), encoding('compress;q=0.5, gzip;q=1.0')]),
  encoding('br;q=1.0, gzip;q=0.8, *;q=0.1'),
  // RFC 9110 section 12.5.3: a store that does not support gzip may answer 406.
  ...optional([encoding('identity;q=0, gzip')]),
]);

const header = (name: string, value: string) => withHeaders(`with ${name}: ${value}`, [[name, value]]);

const ofPage = (page: string, origin: string): Value =>
  withHeaders(`with the headers of ${page}`, [
    ['origin', origin],
    ['access-control-request-method', 'POST'],
    ['referer', 'https://example.org/'],
    ['sec-fetch-mode', 'cors'],
    ['sec-fetch-site', 'cross-site'],
    ['dnt', '1'],
    ['save-data', 'on'],
    ['upgrade-insecure-requests', '1'],
    ['x-csrf-token', '5f1c'],
    ['priority', 'u=1, i'],
    ['user-agent', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'],
  ]);

/** Headers about the client, because of which some stores reject a request. */
const client = dimension('client', [
  withHeaders('with tracing and language headers', [
    ['traceparent', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'],
    ['x-request-id', '4bf92f35-77b3-4da6-a3ce-929d0e0e4736'],
    ['x-requested-with', 'XMLHttpRequest'],
    ['accept-language', 'fr-CH, fr;q=0.9, ja;q=0.1'],
  ]),
  ...optional([
    header('cookie', 'session=5f1c; theme=dark; admin=true'),
    withHeaders('with a cookie of 1.5 KiB', [['cookie', `state=${'5f1c'.repeat(384)}`]]),
    // A sandboxed or local page has the origin null.
    anyOf([ofPage('a cross-origin page', 'https://example.org'), ofPage('a sandboxed page', 'null')]),
    withHeaders('with the identifiers of other tracing systems', [
      ['x-request-id', 'web-7.42/eu'],
      ['x-correlation-id', '42'],
      ['x-amzn-trace-id', 'Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=1'],
      ['x-cloud-trace-context', '105445aa7843bc8bf206b12000100000/1;o=1'],
      ['b3', '0'],
      ['baggage', 'user=al%20ice;ttl=1,empty='],
      ['tracestate', 'vendor=t61rcWkgMzE,other=00f067aa0ba902b7'],
    ]),
    withHeaders('with values of headers that are not well-formed', [
      ['accept-language', 'english;q=much'],
      ['cookie', '{"theme":"dark"}; =; lone; off=50%'],
      ['date', 'today'],
      ['origin', 'null'],
      ['priority', 'urgent'],
      ['referer', '::'],
      ['traceparent', 'none'],
      ['x-request-id', '-'],
    ]),
    withHeaders('with headers about the body', [
      ['content-language', 'en'],
      ['content-location', '/plants/7'],
      ['content-disposition', 'attachment; filename="plant.json"'],
      ['content-md5', 'Q2hlY2sgSW50ZWdyaXR5IQ=='],
    ]),
    anyOf([header('user-agent', 'Go-http-client/1.1'), header('user-agent', 'python-requests/2.32.5')]),
    anyOf([header('user-agent', 'kube-probe/1.31'), header('user-agent', 'curl/8.14.1')]),
    withTemplate('without a User-Agent', { without: ['user-agent'] }),
    // As sent by the fetch of Node.js, and as a POSIX locale.
    anyOf([header('accept-language', '*'), header('accept-language', 'en_US')]),
    header('accept-charset', 'iso-8859-1, utf-16;q=0.5'),
  ]),
]);

const forwardedFor = (address: string): Value =>
  withHeaders(`with forwarding headers for ${address}`, [
    ['x-forwarded-for', address],
    ['x-forwarded-proto', 'https'],
    ['x-real-ip', address],
    ['forwarded', `for=${address};proto=https`],
  ]);

const proxy = dimension(
  'proxy',
  optional([
    anyOf([forwardedFor('127.0.0.1'), forwardedFor('10.0.0.7'), forwardedFor('192.168.1.20')]),
    // RFC 7239 section 4 quotes a node with a colon.
    withHeaders('with the forwarding headers of several proxies', [
      ['x-forwarded-for', '2001:db8::17, 203.0.113.43:4711, unknown'],
      ['x-forwarded-host', 'plants.example, proxy.example'],
      ['x-forwarded-port', '443'],
      ['forwarded', 'for="[2001:db8::17]:4711";by=_hidden;host="plants.example:443", for=unknown'],
    ]),
    withHeaders('with the headers of an internal request', [
      ['x-internal', 'true'],
      ['x-user-id', '1'],
      ['x-authenticated-user', 'admin'],
      ['x-remote-user', 'admin'],
      ['x-admin', 'true'],
      ['x-debug', 'true'],
      ['x-api-version', '1'],
      ['x-tenant-id', '1'],
    ]),
    // Not OPTIONS, to which some frameworks answer 200 or 204 by themselves, also without a token.
    header('x-http-method-override', 'GET'),
    anyOf([
      header('x-http-method-override', 'PUT'),
      header('x-http-method', 'PATCH'),
      header('x-method-override', 'DELETE'),
    ]),
    withHeaders('with a different original URL', [
      ['x-original-url', '/health'],
      ['x-rewrite-url', '/health'],
    ]),
    header('cache-control', 'no-cache, no-transform'),
    // Some proxies and tools pass it on like this, and clients send it on the usual port (RFC 9110 section
    // 7.2).
    {
      ...withHeaders('with a Host without the port', [['host', '{hostname}']]),
      // HAProxy rejects an absolute target whose host differs from Host (RFC 9112 section 3.2.2 requires them
      // to be equal).
      incompatibleWith: ['unusual form'],
    },
    // Varnish rejects more than 64 header lines, including those that it adds itself.
    withHeaders('with many headers', [
      ['via', '1.1 proxy.example'],
      ['x-empty', ''],
      ...Array.from({ length: 24 }, (_, index) => [`x-field-${index}`, `value ${index}`] as const),
    ]),
  ]),
);

/**
 * Not Range, which only a SHOULD is about: Apache httpd applies it to any 200. Nor Upgrade, with which Node.js
 * sometimes fails.
 */
const control = dimension('control', [
  header('connection', 'close'),
  ...optional([
    header('if-none-match', '"33a64df5"'),
    anyOf([
      header('if-modified-since', 'Sat, 29 Oct 1994 19:43:31 GMT'),
      header('if-modified-since', 'yesterday'),
    ]),
    header('if-match', '*'),
    header('content-encoding', 'identity'),
    anyOf([
      header('prefer', 'return=minimal'),
      // As sent by Perl's client.
      withHeaders('with TE', [
        ['te', 'deflate,gzip;q=0.3'],
        ['connection', 'TE, keep-alive'],
      ]),
    ]),
    // The store knows this key from the second request on, whatever else the requests contain.
    header('idempotency-key', '"8e03978e-40d5-43dd-bc93-6894a57f9324"'),
  ]),
]);

const NAMES = 'host authorization content-type accept user-agent accept-encoding content-length';

const ordered = (name: string, names: string, rest: Partial<Value> = {}) =>
  delivered(name, { headerOrder: names.split(' ') }, rest);

/** Header names in the given order, in the usual letter case. */
const inOrder = (name: string, names: string, rest: Partial<Value> = {}) =>
  ordered(name, wordsCapitalised(names), rest);

/** Field names are case-insensitive (RFC 9110 section 5.1). */
const headerLines = dimension('header lines', [
  ...inGroup('letter case', [
    ordered('with header names in capital letters', NAMES.toUpperCase(), {
      incompatibleWith: ['header order'],
    }),
    ordered('with header names in lower case', NAMES, {
      incompatibleWith: ['header order'],
    }),
  ]),
  // RFC 9112 section 5 allows any amount of white space, or none.
  delivered('with no space after the colons of the headers', { headerGap: '' }),
  // Not a tab, which nginx takes for a part of the value of Content-Length.
  delivered('with several spaces after the colons of the headers', { headerGap: '   ' }),
  // RFC 9110 section 8.6 allows any number of digits.
  delivered('with leading zeros in Content-Length', { leadingZeros: true }),
]);

const scheme = (name: string, spelled: string): Value => ({
  name: `with ${name}`,
  apply: (request) => ({ ...request, scheme: spelled }),
});

/** Other spellings of the scheme (RFC 9110 section 11.1, RFC 6750 section 2.1). */
const SPELLINGS = [
  scheme('the scheme in lower case', 'bearer '),
  scheme('two spaces after the scheme', 'Bearer  '),
  scheme('the scheme in capitals', 'BEARER '),
] as const;

export const schemeDimension: Dimension = {
  ...dimension('scheme', optional([anyOf(SPELLINGS)])),
  masksOthers: true,
};

/** Other spellings of the scheme of an invalid bearer token, which must be rejected however it is spelled. */
export const schemeOfInvalid: Dimension = dimension('scheme', SPELLINGS);

const FRAMING_NAMES = 'content-length transfer-encoding';

/** The order of fields with different names is not significant (RFC 9110 section 5.3). */
const headerOrder = dimension('header order', [
  inOrder('with Authorization last', `host content-type accept user-agent ${FRAMING_NAMES} authorization`),
  inOrder(
    'with Content-Type last',
    `host authorization accept user-agent ${FRAMING_NAMES} content-type`,
    // What matters is that Content-Type follows Content-Length, which a chunked request lacks.
    { incompatibleWith: ['framing'] },
  ),
  inOrder(
    'with Content-Length first and Host last',
    `${FRAMING_NAMES} content-type authorization accept user-agent host`,
  ),
]);

/** Other forms of the target (RFC 9110 section 4.2.3, RFC 9112 section 3.2.2), or with a query. */
const target = dimension(
  'target',
  optional(
    Object.entries({
      'with a query': 'verbose=true&name=Query',
      'with an empty query': '',
      'with a query parameter without a value': 'debug',
      'with a query parameter that occurs twice': 'tag=a&tag=b&id%5B%5D=1',
      'with the properties of another plant in the query': 'id=7&name=Query&tag=query',
      'with odd characters in the query': 'q=%2e%2e%2f%E9/a?b',
      // Some frameworks obey it, so it names the method that the request has.
      'with a method in the query': '_method=POST&callback=plants',
      'with a wrong token in the query': 'access_token=f3a91c07d2',
      // A filter may exempt static files by the end of the whole target.
      'with a query that ends like a file name': 'v=style.css',
      'with a query of 1 KiB': `q=${'q'.repeat(1024)}`,
      'with many query parameters': Array.from({ length: 24 }, (_, index) => `p${index}=${index}`).join('&'),
    }).map(([name, query]) => withTemplate(name, { path: `/plants?${query}` })),
  ),
);

export const messageDimensions: readonly Dimension[] = [
  framing,
  segments,
  expectation,
  mediaType,
  unusualForm,
  accept,
  acceptEncoding,
  client,
  proxy,
  control,
  headerLines,
  headerOrder,
  target,
];
