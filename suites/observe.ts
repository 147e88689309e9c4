import { sourceAt } from '../lib/contract/numeral.ts';
import { contentOf, isSuccess, statusOf } from '../lib/judge/reading.ts';
import { type DefectKind, defectsOf } from '../lib/payloads/defects.ts';
import { fixedFor, withWords } from '../lib/payloads/fresh.ts';
import { FRESH, type Json, JsonObject, Raw } from '../lib/payloads/json.ts';
import { type Edit, extensions, gzipped } from '../lib/payloads/malformed.ts';
import { ID } from '../lib/payloads/plants.ts';
import { noCredential, type RequestTemplate } from '../lib/payloads/test-case.ts';
import { isValid } from '../lib/payloads/validity.ts';
import type { Check, CheckContext } from '../lib/run/check.ts';
import type { Exchange } from '../lib/wire/exchange.ts';
import type { Basis } from './clauses.ts';
import { headerText, observe, requestWith, requestWithText } from './define.ts';

const observes = (
  id: string,
  statement: string,
  basis: Basis,
  sends: string,
  run: (context: CheckContext) => Promise<void>,
  options: { readonly exclusive?: 'always'; readonly concurrent?: boolean } = {},
): Check =>
  observe(id, {
    statement,
    basis: [basis],
    test: { kind: 'scenario', sends, run, ...options },
  });

const statusOrError = (exchange: Exchange): number | string =>
  statusOf(exchange) ?? (exchange.kind === 'broken' ? `no response (${exchange.fault.kind})` : 'no response');

const returnedPlant = (exchange: Exchange) => (statusOf(exchange) === 200 ? objectIn(exchange) : undefined);

function objectIn(exchange: Exchange): { text: string; plant: Record<string, unknown> } | undefined {
  if (exchange.kind !== 'answered') return undefined;
  const content = contentOf(exchange.response);
  if (content.kind !== 'json' || typeof content.value !== 'object' || content.value === null)
    return undefined;
  return { text: content.text, plant: content.value as Record<string, unknown> };
}

const wordFor = (
  value: unknown,
  words: readonly (readonly [value: unknown, word: string])[],
  otherwise = 'changed',
): string => words.find(([known]) => known === value)?.[1] ?? otherwise;

const plain = ({ plants }: CheckContext, more?: RequestTemplate): RequestTemplate =>
  requestWith(plants.plain(), more);

const having = (
  { plants }: CheckContext,
  property: string,
  value: Json,
  more?: RequestTemplate,
): RequestTemplate => requestWith(plants.plain().with(property, value), more);

const edited = (
  { plants }: CheckContext,
  edit: Edit['apply'],
  more: RequestTemplate = {},
): RequestTemplate => ({
  ...more,
  body: { json: plants.plain(), edit },
});

type Requests = Readonly<Record<string, RequestTemplate>>;

/** Makes a request for each value, under the key `prefix/key`. */
const each = <T>(
  prefix: string,
  values: Readonly<Record<string, T>>,
  request: (value: T) => RequestTemplate,
): Requests =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [`${prefix}/${key}`, request(value)]));

/** Sends requests concurrently and records their statuses. Returns the exchanges by key. */
async function askAll(
  context: CheckContext,
  requests: Requests,
): Promise<readonly (readonly [key: string, Exchange])[]> {
  const keys = Object.keys(requests);
  const exchanges = await context.sendAll(
    Object.entries(requests).map(([key, template]) => ({ ...template, sentAs: inWords(key) })),
  );
  for (const [index, exchange] of exchanges.entries())
    context.recordObservation(`${keys[index]}/status`, statusOrError(exchange));
  return exchanges.map((exchange, index) => [keys[index] ?? '', exchange]);
}

async function ask(context: CheckContext, key: string, template: RequestTemplate): Promise<Exchange> {
  const exchange = await context.send({ ...template, sentAs: inWords(key) });
  context.recordObservation(`${key}/status`, statusOrError(exchange));
  return exchange;
}

/** A check that only records the statuses of requests, which are sent concurrently. */
const observesStatuses = (
  id: string,
  statement: string,
  basis: Basis,
  sends: string,
  requests: (context: CheckContext) => Requests,
): Check =>
  observes(id, statement, basis, sends, async (context) => void (await askAll(context, requests(context))));

/** Like `observesStatuses`, but sends one request after the other. */
const observesStatusesInOrder: typeof observesStatuses = (id, statement, basis, sends, requests) =>
  observes(id, statement, basis, sends, async (context) => {
    for (const [key, template] of Object.entries(requests(context))) await ask(context, key, template);
  });

/** A key as a label: `json-extension/a comment` becomes `json extension: a comment`. */
const inWords = (key: string): string => key.replaceAll('-', ' ').replaceAll('/', ': ');

/** Accepts any 2xx: other checks judge whether the status is 200. */
const isAccepted = (exchange: Exchange): boolean => isSuccess(statusOf(exchange));

/** Lengths of names to try, in letters. */
const LENGTHS = [40, 64, 100, 128, 200, 255, 256, 500, 512, 1000, 1024, 4096, 10_000, 60_000];

const DEFECT_KINDS: readonly DefectKind[] = [
  'not-an-object',
  'missing',
  'null',
  'wrong-type',
  'numeral',
  'fraction',
  'beyond-format',
];

export const observationChecks: readonly Check[] = [
  observes(
    'observe/id',
    'Whether and how the response contains the id.',
    'section 2, unspecified',
    'A plant with an id between 2^30 and 2^31, and one with an odd id between 2^60 and 2^61.',
    async (context) => {
      const sent = context.freshId(2n ** 30n, 2n ** 31n);
      const answer = returnedPlant(await context.send(having(context, ID, sent)));
      if (answer !== undefined) {
        const words = [
          [undefined, 'absent'],
          [`${sent}`, 'as sent'],
          [`"${sent}"`, 'as a string'],
        ] as const;
        context.recordObservation('id/echo', wordFor(sourceAt(answer.text, [ID]), words));
      }
      const large = context.freshId(2n ** 60n, 2n ** 61n) | 1n;
      const exact = returnedPlant(await ask(context, 'id/beyond-2^53', having(context, ID, large)));
      if (exact === undefined) return;
      const words = [
        [undefined, 'absent'],
        [`${large}`, 'exact'],
      ] as const;
      const kept = sourceAt(exact.text, [ID])?.replaceAll('"', '');
      context.recordObservation('id/beyond-2^53/echo', wordFor(kept, words));
    },
  ),
  observes(
    'observe/fields',
    'What a response contains besides name and tag, and how an absent tag is returned.',
    'section 2, unspecified',
    'A plant with every property, one without a tag, and one with an empty tag.',
    async (context) => {
      const full = returnedPlant(await context.send(requestWith(context.plants.plain('all'))));
      const bare = returnedPlant(await context.send(requestWith(context.plants.plain('required'))));
      const declared = context.plants.contract.plant.shape.properties;
      const further = Object.keys(full?.plant ?? {}).filter((name) => !declared.has(name));
      if (full !== undefined)
        context.recordObservation('answer/further-fields', further.sort().slice(0, 20).join(', ') || 'none');
      const words = [
        [undefined, 'absent'],
        ['', 'empty'],
      ] as const;
      if (bare !== undefined)
        context.recordObservation('tag/absent', wordFor(bare.plant.tag, words, 'filled in'));
      const empty = returnedPlant(await ask(context, 'tag/empty', having(context, 'tag', '')));
      const echo = empty === undefined ? 'rejected' : wordFor(empty.plant.tag, words);
      context.recordObservation('tag/empty/echo', echo);
    },
  ),
  observesStatusesInOrder(
    'observe/same-id-again',
    'How the store answers a second plant with the same id.',
    'section 2, unspecified',
    'Two plants with the same id, one after the other.',
    (context) => {
      const id = context.freshId(2n ** 30n, 2n ** 31n);
      return { 'same-id/first': having(context, ID, id), 'same-id/second': having(context, ID, id) };
    },
  ),
  observes(
    'observe/same-id-at-once',
    'How the store answers two plants with the same id that are sent at the same time.',
    'section 2, unspecified',
    'Two plants with the same id, at the same time.',
    async (context) => {
      const id = context.freshId(2n ** 30n, 2n ** 31n);
      const both = await context.sendAll([having(context, ID, id), having(context, ID, id)]);
      context.recordObservation('same-id/at-once', both.map(statusOrError).sort().join(' and '));
    },
    { concurrent: true },
  ),
  observes(
    'observe/undeclared-properties',
    'How the store answers a property that the document does not declare.',
    'section 2, unspecified',
    'A plant with an additional property, `colour`.',
    async (context) => {
      const answer = returnedPlant(
        await ask(context, 'undeclared-property', having(context, 'colour', 'green')),
      );
      if (answer !== undefined)
        context.recordObservation('undeclared-property/echo', answer.plant.colour === 'green');
    },
  ),
  observesStatuses(
    'observe/id-notations',
    'How the store answers integer ids in other notations.',
    'JSON Schema 2020-12 section 6.1.1',
    'Three plants whose ids are written with a zero fraction, with a zero exponent, and as -0.',
    (context) => {
      const id = context.freshId(2n ** 28n, 2n ** 29n);
      const numerals = { '1.0': `${id}.0`, '1e0': `${id + 1n}e0`, '-0': '-0' };
      return each('id-written', numerals, (numeral) => having(context, ID, new Raw(numeral)));
    },
  ),
  observesStatusesInOrder(
    'observe/id-extremes',
    'How the store answers ids at the limits of int64.',
    'section 2, NewPlant',
    'A plant with the id 2^63-1, and one with the id -2^63.',
    (context) => ({
      'id/2^63-1': having(context, ID, 2n ** 63n - 1n),
      'id/-2^63': having(context, ID, -(2n ** 63n)),
    }),
  ),
  observes(
    'observe/longest-name',
    'The longest accepted name, and the statuses for a longer one and for a single letter.',
    'section 2, unspecified',
    `${LENGTHS.length + 1} plants with names of 1 to 60,000 letters.`,
    async (context) => {
      const exchanges = await context.sendAll(
        LENGTHS.map((length) => having(context, 'name', 'n'.repeat(length))),
      );
      const rejected = exchanges.findIndex((exchange) => !isAccepted(exchange));
      const accepted = rejected < 0 ? LENGTHS : LENGTHS.slice(0, rejected);
      context.recordObservation('name/longest-accepted', accepted.at(-1) ?? 0);
      const beyond = exchanges[rejected];
      if (beyond !== undefined)
        context.recordObservation('name/beyond-longest/status', statusOrError(beyond));
      const oneLetter = withWords((word) => word(1));
      await ask(context, 'name/one-letter', having(context, 'name', oneLetter));
    },
  ),
  observes(
    'observe/largest-body',
    'The largest accepted body, and the status for a larger one.',
    'section 8',
    'Plants with names of 128 KiB, 256 KiB, 1 MiB and 4 MiB, one after the other, up to the first that is not accepted, or takes much longer than the one before.',
    async (context) => {
      let largest = 'less than 128 KiB';
      let previousMs = Number.POSITIVE_INFINITY;
      for (const kib of [128, 256, 1024, 4096]) {
        const exchange = await context.send(
          having(context, 'name', 'n'.repeat(kib * 1024), { outsideContract: true }),
        );
        if (!isAccepted(exchange)) {
          context.recordObservation('body/beyond-largest/status', statusOrError(exchange));
          break;
        }
        largest = `${kib} KiB`;
        // The time may grow with the square of the size. Meanwhile, a store that answers one request at a time
        // serves no other.
        if (exchange.ms > 300 && exchange.ms > 3 * previousMs) break;
        previousMs = exchange.ms;
      }
      context.recordObservation('body/largest-accepted', largest);
    },
    { exclusive: 'always' },
  ),
  observes(
    'observe/duplicate-names',
    'Which of two properties with the same name the store uses.',
    'RFC 8259 section 4',
    'A plant with two `name` properties, the second with the value Second.',
    async (context) => {
      const plain = context.plants.plain();
      const plant = fixedFor(plain, context.freshId(2n ** 30n, 2n ** 31n)).with(ID, plain.get(ID) ?? FRESH);
      const twice = new JsonObject([...plant.members, ['name', 'Second']]);
      const answer = returnedPlant(await ask(context, 'duplicate-name', requestWith(twice)));
      const words = [
        ['Second', 'the last'],
        [plant.get('name'), 'the first'],
      ] as const;
      const counts = answer === undefined ? 'none' : wordFor(answer.plant.name, words, 'neither');
      context.recordObservation('duplicate-name/counts', counts);
    },
  ),
  observesStatuses(
    'observe/byte-order-mark',
    'How the store answers a byte order mark before the plant.',
    'RFC 8259 section 8.1',
    'A plant preceded by a byte order mark.',
    (context) => ({ 'byte-order-mark': edited(context, (body) => `\ufeff${body}`) }),
  ),
  observesStatusesInOrder(
    'observe/lone-surrogates',
    'How the store answers a lone surrogate in a string.',
    'RFC 8259 section 8.2',
    'Plants with one half of a surrogate pair: \\ud83c in the name and in the tag, and \\udf35 in the name.',
    (context) => {
      const halfIn = (property: string, half = '\\ud83c') => {
        const edit = (body: string) => body.replace('half', () => `half ${half} of a cactus`);
        return { body: { json: context.plants.plain().with(property, 'half'), edit } };
      };
      return {
        'lone-surrogate': halfIn('name'),
        'lone-surrogate-in-tag': halfIn('tag'),
        'lone-low-surrogate': halfIn('name', '\\udf35'),
      };
    },
  ),
  observesStatuses(
    'observe/json-extensions',
    'Which extensions of JSON the store accepts.',
    'RFC 8259 section 9',
    'Plants written with each of these: a trailing comma, a comment, single quotes, names without quotes, NaN, a number with a leading zero, a line feed inside a string.',
    (context) =>
      Object.fromEntries(
        extensions.map(({ name, apply }) => [`json-extension/${name}`, edited(context, apply)]),
      ),
  ),
  observesStatuses(
    'observe/utf-16',
    'How the store answers a body in UTF-16.',
    'RFC 8259 section 8.1',
    'A plant in UTF-16, little-endian, with a byte order mark.',
    (context) => ({ 'utf-16': edited(context, (body) => Buffer.from(`\ufeff${body}`, 'utf16le')) }),
  ),
  observesStatuses(
    'observe/compressed-body',
    'How the store answers a compressed body.',
    'RFC 9110 section 8.4',
    'A plant compressed with gzip, one that is labelled gzip but is not, and one with an unknown content coding.',
    (context) => {
      const coded = (coding: string, edit: Edit['apply'] = (text) => text) =>
        edited(context, edit, { headers: [['content-encoding', coding]] });
      return {
        'compressed-body/gzip': coded('gzip', gzipped.apply),
        'compressed-body/not-gzip': coded('gzip'),
        'compressed-body/unknown-coding': coded('rot13'),
      };
    },
  ),
  observesStatuses(
    'observe/unusual-content-types',
    'How the store answers unusual content types.',
    'RFC 9110 section 8.3.1',
    'Ordinary plants with eight content types, such as plants, application/*, application/vnd.plants+json, and application/json with an unknown charset.',
    (context) =>
      each(
        'unusual-content-type',
        {
          'not-a-media-type': 'plants',
          'json-without-type': 'json',
          'media-range': 'application/*',
          'vendor-json': 'application/vnd.plants+json',
          'merge-patch': 'application/merge-patch+json',
          'unknown-charset': 'application/json; charset=nonsense',
          'charset-utf-16': 'application/json; charset=utf-16',
          'incomplete-parameter': 'application/json; charset',
        },
        (contentType) => plain(context, { contentType }),
      ),
  ),
  observesStatuses(
    'observe/unusual-headers',
    'How the store answers unusual headers.',
    'section 4, parameters',
    'Ordinary plants, each with one of these headers: Cookie, Range, If-None-Match, If-Modified-Since, X-Forwarded-For, Origin, Accept (one that allows nothing, one that is invalid), Accept-Language, Content-Language.',
    (context) =>
      each<[string, string]>(
        'unusual-header',
        {
          cookie: ['cookie', 'a=b; =; ;; session="x'],
          range: ['range', 'bytes=0-1'],
          'if-none-match': ['if-none-match', '*'],
          'if-modified-since': ['if-modified-since', 'yesterday'],
          forwarded: ['x-forwarded-for', 'unknown, 127.0.0.1, [::1]:80'],
          origin: ['origin', 'null'],
          'accept-nothing': ['accept', '*/*;q=0'],
          'invalid-accept': ['accept', 'plants'],
          'accept-language': ['accept-language', 'xx-YY-zz;q=7'],
          'content-language': ['content-language', 'plants'],
        },
        (pair) => plain(context, { headers: [pair] }),
      ),
  ),
  observesStatuses(
    'observe/protocols',
    'How the store answers HTTP/1.0 and an offer of HTTP/2.',
    'RFC 9110 section 2.5',
    "Ordinary plants in HTTP/1.0, with and without keep-alive, and one with Upgrade: h2c, as Java's HTTP client sends it.",
    (context) => {
      const in10 = { delivery: { version: '1.0' } } as const;
      return {
        'protocol/http-1.0': plain(context, in10),
        // Few clients send it (RFC 9112 appendix C.2.2), and aiohttp then neither closes the connection nor
        // sends a length.
        'protocol/http-1.0-keep-alive': plain(context, {
          ...in10,
          headers: [['connection', 'keep-alive']],
          outsideContract: true,
        }),
        'protocol/upgrade': plain(context, {
          delivery: { freshConnection: true },
          headers: [
            ['connection', 'Upgrade, HTTP2-Settings'],
            ['upgrade', 'h2c'],
            ['http2-settings', 'AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA'],
          ],
        }),
      };
    },
  ),
  observesStatuses(
    'observe/query',
    'How the store answers a query.',
    'section 4, parameters',
    'Ordinary plants to /plants with a query: one parameter, repeated and nested ones, an empty query, and one of 2,000 characters.',
    (context) => {
      const queries = {
        'one-parameter': 'colour=green',
        'twice-and-nested': 'a=1&a=2&b%5B__proto__%5D%5Bc%5D=3&d%5B%5D=4',
        empty: '',
        long: `q=${'x'.repeat(2000)}`,
      };
      return each('query', queries, (query) => plain(context, { path: `/plants?${query}` }));
    },
  ),
  observesStatuses(
    'observe/missing-content-type',
    'How the store answers a plant without a content type.',
    'RFC 9110 section 8.3',
    'An ordinary plant without a Content-Type.',
    (context) => ({ 'missing-content-type': plain(context, { contentType: undefined }) }),
  ),
  observesStatuses(
    'observe/accept-without-json',
    'How the store answers a request that does not accept JSON.',
    'RFC 9110 section 12.5.1',
    'An ordinary plant with Accept: text/html.',
    (context) => ({ 'accept-without-json': plain(context, { headers: [['accept', 'text/html']] }) }),
  ),
  observes(
    'observe/rejections',
    'The status and error value for each kind of invalid request.',
    'section 7, unspecified',
    'One invalid plant of each kind (not an object, a missing property, null, a wrong type, a numeric string, a fraction, an id beyond int64), no body, a text that is not JSON, and a plant as text/plain.',
    async (context) => {
      const { contract } = context.plants;
      const invalid = DEFECT_KINDS.flatMap((kind): [string, RequestTemplate][] => {
        const [body] = defectsOf(contract.newPlant.shape)
          .filter((defect) => defect.kind === kind)
          .flatMap((defect) => defect.typical(context.plants.plain()))
          .filter((json) => !isValid(contract, json));
        return body === undefined ? [] : [[`rejection/${kind}`, requestWith(body)]];
      });
      const exchanges = await askAll(context, {
        ...Object.fromEntries(invalid),
        'rejection/no-body': { contentType: 'application/json' },
        'rejection/not-json': requestWithText('{"id":'),
        'rejection/other-media-type': plain(context, { contentType: 'text/plain' }),
      });
      for (const [key, exchange] of exchanges) {
        const error = objectIn(exchange)?.plant.error;
        if (typeof error === 'number') context.recordObservation(`${key}/error`, error);
      }
    },
  ),
  observes(
    'observe/methods',
    'How the store answers safe methods: GET, HEAD and OPTIONS.',
    'section 4, operation',
    'GET without a token, then GET, HEAD and OPTIONS with the token, all to /plants.',
    async (context) => {
      await ask(context, 'method/GET/without-token', { method: 'GET', credential: noCredential });
      const exchanges = await askAll(context, {
        'method/GET': { method: 'GET' },
        'method/HEAD': { method: 'HEAD' },
        'method/OPTIONS': { method: 'OPTIONS' },
      });
      for (const [key, exchange] of exchanges) {
        const allow = headerText(exchange, 'allow');
        if (allow !== '') context.recordObservation(`${key}/allow`, allow);
      }
    },
  ),
  observesStatuses(
    'observe/paths',
    'How the store answers POST to paths that resemble /plants.',
    'section 4, operation',
    'An ordinary plant to /plants/, and one to /PLANTS.',
    (context) => ({
      'path/with-a-slash-at-its-end': plain(context, { path: '/plants/' }),
      'path/in-capitals': plain(context, { path: '/PLANTS' }),
    }),
  ),
  observes(
    'observe/cors-preflight',
    'How the store answers a CORS preflight.',
    'section 4, operation',
    'OPTIONS /plants without a token, as a browser sends it before a cross-origin POST, then with an origin only.',
    async (context) => {
      const origin = ['origin', 'https://plants.example'] as const;
      const options = { method: 'OPTIONS', credential: noCredential, headers: [origin] };
      const exchange = await ask(context, 'cors-preflight', {
        ...options,
        headers: [
          origin,
          ['access-control-request-method', 'POST'],
          ['access-control-request-headers', 'authorization, content-type'],
        ],
      });
      const allowed = headerText(exchange, 'access-control-allow-origin');
      context.recordObservation('cors-preflight/allow-origin', allowed);
      await ask(context, 'options-with-an-origin', options);
    },
  ),
  observesStatuses(
    'observe/oversized-header',
    'How the store answers a header of 64 KiB.',
    'RFC 9110 section 5.4',
    'An ordinary plant with a header of 64 KiB.',
    (context) => {
      const headers = [['x-padding', 'x'.repeat(65_536)]] as const;
      return { 'header-of-64-kib': plain(context, { headers, outsideContract: true }) };
    },
  ),
  observesStatuses(
    'observe/broken-framing',
    'How the store answers malformed HTTP requests.',
    'RFC 9112 section 6.3',
    'Six malformed HTTP requests: a Content-Length that is not a number, two different Content-Lengths, a Content-Length with a chunked body, a space before a colon, no Host, and a request that is not HTTP.',
    () => {
      const head = (host: string, path: string, authorization: string, ...lines: string[]) =>
        [
          `POST ${path} HTTP/1.1`,
          `Host: ${host}`,
          `Authorization: ${authorization}`,
          'Content-Type: application/json',
          'Connection: close',
          ...lines,
          '',
          '',
        ].join('\r\n');
      const broken: Record<string, RequestTemplate['rawBytes'] & object> = {
        'content-length-no-number': (...to) => head(...to, 'Content-Length: twelve'),
        'two-lengths': (...to) => `${head(...to, 'Content-Length: 2', 'Content-Length: 3')}{} `,
        'length-and-chunks': (...to) =>
          `${head(...to, 'Content-Length: 2', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
        'space-before-colon': (...to) => `${head(...to, 'X-Space : 1', 'Content-Length: 2')}{}`,
        'no-host': (_host, path, authorization) =>
          `POST ${path} HTTP/1.1\r\nAuthorization: ${authorization}\r\nContent-Length: 2\r\n\r\n{}`,
        'no-http': () => 'HELLO\r\n\r\n',
      };
      return each('framing', broken, (rawBytes) => ({ rawBytes, outsideContract: true }));
    },
  ),
  observes(
    'observe/response-time',
    'Response times at the concurrency of the run.',
    'section 8',
    'One ordinary plant; the times are those of all responses to POST in the run.',
    async (context) => {
      await context.send(plain(context));
      const { latency } = context;
      if (latency === undefined) return;
      context.recordObservation('response-time-ms/median', latency.median);
      context.recordObservation('response-time-ms/95th-percentile', latency.p95);
      context.recordObservation('response-time-ms/99th-percentile', latency.p99);
    },
    { exclusive: 'always' },
  ),
];
