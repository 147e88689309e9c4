import { sourceAt } from '../lib/contract/numeral.ts';
import { contentOf, fields, statusOf } from '../lib/judge/reading.ts';
import { admits } from '../lib/payloads/admits.ts';
import { type Draft, nothing } from '../lib/payloads/case.ts';
import { defectsOf, type Family } from '../lib/payloads/defects.ts';
import { fixedFor } from '../lib/payloads/fresh.ts';
import { type Json, JsonObject, Raw } from '../lib/payloads/json.ts';
import { ID } from '../lib/payloads/plants.ts';
import { type Edit, extensions, gzipped } from '../lib/payloads/texts.ts';
import type { Bench, Check } from '../lib/run/check.ts';
import type { Exchange } from '../lib/wire/exchange.ts';
import type { Basis } from './clauses.ts';
import { observe, posting } from './vocabulary.ts';

const open = (
  id: string,
  statement: string,
  basis: Basis,
  sends: string,
  run: (bench: Bench) => Promise<void>,
  how: { readonly alone?: boolean; readonly atOnce?: boolean } = {},
): Check =>
  observe(
    id,
    { statement, basis: [basis], hint: 'Nothing to mend: the interface leaves this open.' },
    { kind: 'procedure', sends, run, ...how },
  );

const status = (exchange: Exchange): number | string =>
  statusOf(exchange) ?? (exchange.kind === 'broken' ? `no answer (${exchange.fault.kind})` : 'no answer');

/** The text of a JSON answer that says that a plant was created, and the object in it. */
const plantIn = (exchange: Exchange) => (statusOf(exchange) === 200 ? objectIn(exchange) : undefined);

/** The text of a JSON answer and the object in it. */
function objectIn(exchange: Exchange): { text: string; plant: Record<string, unknown> } | undefined {
  if (exchange.kind !== 'answered') return undefined;
  const content = contentOf(exchange.response);
  if (content.kind !== 'json' || typeof content.value !== 'object' || content.value === null)
    return undefined;
  return { text: content.text, plant: content.value as Record<string, unknown> };
}

const text = (body: string): Draft => ({ body: { bytes: new TextEncoder().encode(body) } });

/** Sends requests side by side and notes their statuses; the exchanges are in the order of the keys. */
async function askAll(bench: Bench, drafts: Readonly<Record<string, Draft>>): Promise<readonly Exchange[]> {
  const exchanges = await bench.sendAll(Object.values(drafts));
  for (const [index, key] of Object.keys(drafts).entries()) {
    const exchange = exchanges[index];
    if (exchange !== undefined) bench.note(`${key}/status`, status(exchange));
  }
  return exchanges;
}

/** Sends one request and notes its status. */
async function ask(bench: Bench, key: string, draft: Draft): Promise<Exchange> {
  const exchange = await bench.send(draft);
  bench.note(`${key}/status`, status(exchange));
  return exchange;
}

/** Whatever status of success a store has: that it is 200 is for other checks to say. */
const isAccepted = (exchange: Exchange): boolean => Math.floor((statusOf(exchange) ?? 0) / 100) === 2;

/** Letters of the names that are tried. */
const LENGTHS = [40, 64, 100, 128, 200, 255, 256, 500, 512, 1000, 1024, 4096, 10_000, 60_000];

const FAMILIES: readonly Family[] = [
  'not-an-object',
  'missing',
  'null',
  'wrong-type',
  'numeral',
  'fraction',
  'beyond-format',
];

const edit = (bench: Bench, { apply }: Edit): Draft => ({
  body: { json: bench.plants.plain(), edit: apply },
});

export const observations: readonly Check[] = [
  open(
    'observe/id',
    'Whether the id comes back, and as what.',
    'section 2, not shown',
    'A plant with an id between 2^30 and 2^31, and one with an odd id between 2^60 and 2^61.',
    async (bench) => {
      const sent = bench.freshId(2n ** 30n, 2n ** 31n);
      const answer = plantIn(await bench.send(posting(bench.plants.plain().with(ID, sent))));
      if (answer !== undefined) {
        const echoed = sourceAt(answer.text, [ID]);
        bench.note(
          'id/echo',
          echoed === undefined
            ? 'absent'
            : echoed === String(sent)
              ? 'as sent'
              : echoed === `"${sent}"`
                ? 'as a string'
                : 'changed',
        );
      }
      const large = bench.freshId(2n ** 60n, 2n ** 61n) | 1n;
      const exact = plantIn(
        await ask(bench, 'id/beyond-2^53', posting(bench.plants.plain().with(ID, large))),
      );
      if (exact === undefined) return;
      const kept = sourceAt(exact.text, [ID]);
      bench.note(
        'id/beyond-2^53/echo',
        kept === undefined ? 'absent' : kept.replaceAll('"', '') === String(large) ? 'exact' : 'changed',
      );
    },
  ),
  open(
    'observe/fields',
    'What an answer holds beyond name and tag, and what becomes of an absent tag.',
    'section 2, not shown',
    'A plant with every property, one without a tag, and one whose tag is the empty string.',
    async (bench) => {
      const full = plantIn(await bench.send(posting(bench.plants.plain('all'))));
      const bare = plantIn(await bench.send(posting(bench.plants.plain('required'))));
      const declared = bench.plants.contract.plant.shape.properties;
      const further = Object.keys(full?.plant ?? {}).filter((name) => !declared.has(name));
      if (full !== undefined)
        bench.note('answer/further-fields', further.sort().slice(0, 20).join(', ') || 'none');
      const tag = bare?.plant.tag;
      if (bare !== undefined)
        bench.note('tag/absent', tag === undefined ? 'absent' : tag === '' ? 'empty' : 'filled in');
      const empty = plantIn(await ask(bench, 'tag/empty', posting(bench.plants.plain().with('tag', ''))));
      bench.note(
        'tag/empty/echo',
        empty === undefined
          ? 'refused'
          : empty.plant.tag === ''
            ? 'empty'
            : empty.plant.tag === undefined
              ? 'absent'
              : 'changed',
      );
    },
  ),
  open(
    'observe/same-id-again',
    'What becomes of a second plant with the same id.',
    'section 2, not shown',
    'Two plants with the same id, one after the other.',
    async (bench) => {
      const id = bench.freshId(2n ** 30n, 2n ** 31n);
      await ask(bench, 'same-id/first', posting(bench.plants.plain().with(ID, id)));
      await ask(bench, 'same-id/second', posting(bench.plants.plain().with(ID, id)));
    },
  ),
  open(
    'observe/same-id-at-once',
    'What becomes of two plants with the same id at the same time.',
    'section 2, not shown',
    'Two plants with the same id, side by side.',
    async (bench) => {
      const id = bench.freshId(2n ** 30n, 2n ** 31n);
      const both = await bench.sendAll([1, 2].map(() => posting(bench.plants.plain().with(ID, id))));
      bench.note('same-id/at-once', both.map(status).sort().join(' and '));
    },
    { atOnce: true },
  ),
  open(
    'observe/undeclared-properties',
    'What becomes of a property that the document does not declare.',
    'section 2, not shown',
    'A plant with a further property, colour.',
    async (bench) => {
      const answer = plantIn(
        await ask(bench, 'undeclared-property', posting(bench.plants.plain().with('colour', 'green'))),
      );
      if (answer !== undefined) bench.note('undeclared-property/echo', answer.plant.colour === 'green');
    },
  ),
  open(
    'observe/id-notations',
    'How ids are taken that are integers in another notation.',
    'JSON Schema 2020-12 section 6.1.1',
    'Three plants whose ids are written with a fraction of zero, with an exponent of zero, and as -0.',
    async (bench) => {
      const id = bench.freshId(2n ** 28n, 2n ** 29n);
      const written = Object.entries({ '1.0': `${id}.0`, '1e0': `${id + 1n}e0`, '-0': '-0' });
      const drafts = written.map(([key, numeral]) => [
        `id-written/${key}`,
        posting(bench.plants.plain().with(ID, new Raw(numeral))),
      ]);
      await askAll(bench, Object.fromEntries(drafts));
    },
  ),
  open(
    'observe/id-extremes',
    'How the exact ends of int64 are answered.',
    'section 2, NewPlant',
    'A plant with the id 2^63-1, and one with the id -2^63.',
    async (bench) => {
      await ask(bench, 'id/2^63-1', posting(bench.plants.plain().with(ID, 2n ** 63n - 1n)));
      await ask(bench, 'id/-2^63', posting(bench.plants.plain().with(ID, -(2n ** 63n))));
    },
  ),
  open(
    'observe/longest-name',
    'The longest name that is taken, and the status beyond it.',
    'section 2, not shown',
    `${LENGTHS.length} plants with names of 40 to 60,000 letters.`,
    async (bench) => {
      const exchanges = await bench.sendAll(
        LENGTHS.map((length) => posting(bench.plants.plain().with('name', 'n'.repeat(length)))),
      );
      const refused = exchanges.findIndex((exchange) => !isAccepted(exchange));
      const [last, beyond] = [LENGTHS[refused < 0 ? LENGTHS.length - 1 : refused - 1], exchanges[refused]];
      bench.note('name/longest-taken', last ?? 0);
      if (beyond !== undefined) bench.note('name/beyond-longest/status', status(beyond));
    },
  ),
  open(
    'observe/largest-body',
    'The largest body that is taken, and the status beyond it.',
    'section 8',
    'Plants with names of 128 KiB, 256 KiB, 1 MiB and 4 MiB, one after the other, up to the first that is not taken.',
    async (bench) => {
      let largest = 'less than 128 KiB';
      for (const kib of [128, 256, 1024, 4096]) {
        const exchange = await bench.send(
          posting(bench.plants.plain().with('name', 'n'.repeat(kib * 1024)), { beyond: true }),
        );
        if (!isAccepted(exchange)) {
          bench.note('body/beyond-largest/status', status(exchange));
          break;
        }
        largest = `${kib} KiB`;
      }
      bench.note('body/largest-taken', largest);
    },
    { alone: true },
  ),
  open(
    'observe/duplicate-names',
    'Which of two properties with the same name counts.',
    'RFC 8259 section 4',
    'A plant with the property name twice, the second with the value Second.',
    async (bench) => {
      const plant = fixedFor(bench.plants.plain(), bench.freshId(2n ** 30n, 2n ** 31n));
      const twice = new JsonObject([...plant.members, ['name', 'Second']]);
      const answer = plantIn(await ask(bench, 'duplicate-name', posting(twice)));
      const name = answer?.plant.name;
      bench.note(
        'duplicate-name/counts',
        name === 'Second'
          ? 'the last'
          : name === plant.get('name')
            ? 'the first'
            : answer === undefined
              ? 'none'
              : 'neither',
      );
    },
  ),
  open(
    'observe/byte-order-mark',
    'How a byte order mark before the plant is answered.',
    'RFC 8259 section 8.1',
    'A plant with a byte order mark before it.',
    async (bench) => {
      await ask(bench, 'byte-order-mark', {
        body: { json: bench.plants.plain(), edit: (body) => `\ufeff${body}` },
      });
    },
  ),
  open(
    'observe/lone-surrogates',
    'How half of a surrogate pair in a name is answered.',
    'RFC 8259 section 8.2',
    'A plant with the escape \\ud83c in its name, and no second half after it.',
    async (bench) => {
      await ask(bench, 'lone-surrogate', {
        body: {
          json: bench.plants.plain().with('name', 'half'),
          edit: (body) => body.replace('half', 'half \\ud83c of a cactus'),
        },
      });
    },
  ),
  open(
    'observe/json-extensions',
    'Which extensions of JSON are taken.',
    'RFC 8259 section 9',
    'Plants written with each of these: a trailing comma, a comment, single quotes, names without quotes, NaN, a number with a leading zero, a line feed within a string.',
    async (bench) => {
      await askAll(
        bench,
        Object.fromEntries(extensions.map((one) => [`json-extension/${one.name}`, edit(bench, one)])),
      );
    },
  ),
  open(
    'observe/utf-16',
    'How a body in UTF-16 is answered.',
    'RFC 8259 section 8.1',
    'A plant in UTF-16, little end first, with a byte order mark.',
    async (bench) => {
      await ask(bench, 'utf-16', {
        body: { json: bench.plants.plain(), edit: (body) => Buffer.from(`\ufeff${body}`, 'utf16le') },
      });
    },
  ),
  open(
    'observe/coded-body',
    'How a compressed body is answered.',
    'RFC 9110 section 8.4',
    'A plant compressed with gzip, one that is called gzip and is not, and one in an unknown content coding.',
    async (bench) => {
      const coded = (coding: string, edit: (text: string) => string | Uint8Array): Draft => ({
        body: { json: bench.plants.plain(), edit },
        headers: [['content-encoding', coding]],
      });
      await askAll(bench, {
        'coded-body/gzip': coded('gzip', gzipped.apply),
        'coded-body/not-what-it-says': coded('gzip', (text) => text),
        'coded-body/unknown-coding': coded('rot13', (text) => text),
      });
    },
  ),
  open(
    'observe/odd-content-types',
    'How content types are answered that say little or nothing.',
    'RFC 9110 section 8.3.1',
    'Ordinary plants under content types such as plants, application/*, application/vnd.plants+json, and application/json with an unknown charset: eight in all.',
    async (bench) => {
      const types = {
        'no-type': 'plants',
        'json-alone': 'json',
        'a-range': 'application/*',
        'vendor-json': 'application/vnd.plants+json',
        'merge-patch': 'application/merge-patch+json',
        'unknown-charset': 'application/json; charset=nonsense',
        'charset-utf-16': 'application/json; charset=utf-16',
        'half-a-parameter': 'application/json; charset',
      };
      const drafts = Object.entries(types).map(([key, contentType]): [string, Draft] => [
        `odd-content-type/${key}`,
        posting(bench.plants.plain(), { contentType }),
      ]);
      await askAll(bench, Object.fromEntries(drafts));
    },
  ),
  open(
    'observe/odd-headers',
    'How headers are answered that do not concern a store.',
    'section 4, parameters',
    'Ordinary plants, each with one header of these: Cookie, Range, If-None-Match, If-Modified-Since, X-Forwarded-For, Origin, Accept (twice, allowing nothing and nonsense), Accept-Language, Content-Language.',
    async (bench) => {
      const headers: Record<string, [string, string]> = {
        cookie: ['cookie', 'a=b; =; ;; session="x'],
        range: ['range', 'bytes=0-1'],
        'if-none-match': ['if-none-match', '*'],
        'if-modified-since': ['if-modified-since', 'yesterday'],
        forwarded: ['x-forwarded-for', 'unknown, 127.0.0.1, [::1]:80'],
        origin: ['origin', 'null'],
        'accept-nothing': ['accept', '*/*;q=0'],
        'accept-nonsense': ['accept', 'plants'],
        'accept-language': ['accept-language', 'xx-YY-zz;q=7'],
        'content-language': ['content-language', 'plants'],
      };
      const drafts = Object.entries(headers).map(([key, pair]): [string, Draft] => [
        `odd-header/${key}`,
        posting(bench.plants.plain(), { headers: [pair] }),
      ]);
      await askAll(bench, Object.fromEntries(drafts));
    },
  ),
  open(
    'observe/query',
    'How a query is answered.',
    'section 4, parameters',
    'Ordinary plants to /plants with a query: one parameter, one that is there twice with nested ones, an empty query, and one of 2,000 characters.',
    async (bench) => {
      const at = (query: string) => posting(bench.plants.plain(), { path: `/plants?${query}` });
      await askAll(bench, {
        'query/one-parameter': at('colour=green'),
        'query/twice-and-nested': at('a=1&a=2&b%5B__proto__%5D%5Bc%5D=3&d%5B%5D=4'),
        'query/empty': at(''),
        'query/long': at(`q=${'x'.repeat(2000)}`),
      });
    },
  ),
  open(
    'observe/missing-content-type',
    'How a plant without a content type is answered.',
    'RFC 9110 section 8.3',
    'An ordinary plant without a Content-Type.',
    async (bench) => {
      await ask(bench, 'missing-content-type', posting(bench.plants.plain(), { contentType: undefined }));
    },
  ),
  open(
    'observe/accept-without-json',
    'How a request is answered that does not accept JSON.',
    'RFC 9110 section 12.5.1',
    'An ordinary plant with Accept: text/html.',
    async (bench) => {
      await ask(
        bench,
        'accept-without-json',
        posting(bench.plants.plain(), { headers: [['accept', 'text/html']] }),
      );
    },
  ),
  open(
    'observe/refusals',
    'The status and the error values used for each kind of malformed request.',
    'section 7, not shown',
    'One malformed plant of each kind (no object, a missing property, null, a wrong type, a numeral in a string, a fraction, an id beyond int64), no body, a text that is not JSON, and a plant as text/plain.',
    async (bench) => {
      const { contract } = bench.plants;
      const malformed = FAMILIES.flatMap((family) => {
        const bodies = defectsOf(contract.newPlant.shape)
          .filter((defect) => defect.family === family)
          .flatMap((defect): readonly Json[] => defect.typical(bench.plants.plain()))
          .filter((json) => !admits(contract, json));
        return bodies[0] === undefined ? [] : [[`refusal/${family}`, posting(bodies[0])] as const];
      });
      const drafts: Record<string, Draft> = {
        ...Object.fromEntries(malformed),
        'refusal/no-body': { contentType: 'application/json' },
        'refusal/not-json': text('{"id":'),
        'refusal/foreign-media-type': posting(bench.plants.plain(), { contentType: 'text/plain' }),
      };
      const exchanges = await askAll(bench, drafts);
      for (const [index, key] of Object.keys(drafts).entries()) {
        const exchange = exchanges[index];
        const error = exchange === undefined ? undefined : objectIn(exchange)?.plant.error;
        if (typeof error === 'number') bench.note(`${key}/error`, error);
      }
    },
  ),
  open(
    'observe/methods',
    'How the safe methods are answered beside POST.',
    'section 4, operation',
    'GET without a token, then GET, HEAD and OPTIONS with the token, all to /plants.',
    async (bench) => {
      const methods = ['GET', 'HEAD', 'OPTIONS'];
      const asked = methods.map((method) => [`method/${method}`, { method }] as const);
      await askAll(bench, { 'method/GET/without-token': { method: 'GET', credential: nothing } });
      for (const [index, { response }] of (await askAll(bench, Object.fromEntries(asked))).entries()) {
        const allow = response === undefined ? '' : fields(response, 'allow').join(', ');
        if (allow !== '') bench.note(`method/${methods[index]}/allow`, allow);
      }
    },
  ),
  open(
    'observe/paths',
    'How POST is answered at paths that resemble /plants.',
    'section 4, operation',
    'An ordinary plant to /plants/, and one to /PLANTS.',
    async (bench) => {
      const at = (path: string) => posting(bench.plants.plain(), { path });
      await askAll(bench, {
        'path/with-a-slash-at-its-end': at('/plants/'),
        'path/in-capitals': at('/PLANTS'),
      });
    },
  ),
  open(
    'observe/cors-preflight',
    'How a CORS preflight is answered.',
    'section 4, operation',
    'OPTIONS /plants without a token, as a browser asks before it sends a plant from another origin.',
    async (bench) => {
      const exchange = await ask(bench, 'cors-preflight', {
        method: 'OPTIONS',
        credential: { values: () => [], shell: [] },
        headers: [
          ['origin', 'https://plants.example'],
          ['access-control-request-method', 'POST'],
          ['access-control-request-headers', 'authorization, content-type'],
        ],
      });
      bench.note(
        'cors-preflight/allow-origin',
        exchange.response === undefined
          ? ''
          : fields(exchange.response, 'access-control-allow-origin').join(', '),
      );
    },
  ),
  open(
    'observe/oversized-header',
    'How a header field of 64 KiB is answered.',
    'RFC 9110 section 5.4',
    'An ordinary plant with a header field of 64 KiB.',
    async (bench) => {
      await ask(
        bench,
        'header-of-64-kib',
        posting(bench.plants.plain(), { headers: [['x-padding', 'x'.repeat(65_536)]], beyond: true }),
      );
    },
  ),
  open(
    'observe/broken-framing',
    'How requests are answered that are not well-formed HTTP.',
    'RFC 9112 section 6.3',
    'Six requests that are no well-formed HTTP: a Content-Length that is no number, two lengths that differ, a length beside chunks, a space before a colon, no Host, and no HTTP at all.',
    async (bench) => {
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
      const broken: Record<string, Draft['verbatim'] & object> = {
        'content-length-no-number': (...to) => head(...to, 'Content-Length: twelve'),
        'two-lengths': (...to) => `${head(...to, 'Content-Length: 2', 'Content-Length: 3')}{} `,
        'length-and-chunks': (...to) =>
          `${head(...to, 'Content-Length: 2', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
        'space-before-colon': (...to) => `${head(...to, 'X-Space : 1', 'Content-Length: 2')}{}`,
        'no-host': (_host, path, authorization) =>
          `POST ${path} HTTP/1.1\r\nAuthorization: ${authorization}\r\nContent-Length: 2\r\n\r\n{}`,
        'no-http': () => 'HELLO\r\n\r\n',
      };
      const drafts = Object.entries(broken).map(([key, verbatim]): [string, Draft] => [
        `framing/${key}`,
        { verbatim, beyond: true },
      ]);
      await askAll(bench, Object.fromEntries(drafts));
    },
  ),
  open(
    'observe/response-time',
    'How long answers take at the concurrency of the run.',
    'section 8',
    'One ordinary plant; the times are those of every answer to POST in the run.',
    async (bench) => {
      await bench.send(posting(bench.plants.plain()));
      const sorted = bench.latencies.toSorted((a, b) => a - b);
      if (sorted.length === 0) return;
      const at = (share: number) =>
        Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0) * 100) / 100;
      for (const [key, share] of [
        ['median', 0.5],
        ['95th-percentile', 0.95],
        ['99th-percentile', 0.99],
      ] as const)
        bench.note(`response-time-ms/${key}`, at(share));
    },
    { alone: true },
  ),
];
