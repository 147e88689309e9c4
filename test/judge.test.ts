import { fileURLToPath } from 'node:url';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Contract } from '../lib/contract/contract.ts';
import { loadContract } from '../lib/contract/load-contract.ts';
import { contentOf, describeExchange, fields, mediaTypes, statusOf } from '../lib/judge/reading.ts';
import {
  acceptedOrRejected,
  answers200,
  challengesBearer,
  echoes,
  errorBody,
  errorMediaType,
  hasAllowHeader,
  isFinding,
  leaksNoInternals,
  leaksNoToken,
  messageIsNotEmpty,
  noByteOrderMark,
  noServerError,
  notSuccess,
  plantBody,
  plantMediaType,
  type Rule,
  rejectsWith,
  respondsCompletely,
  type SentFacts,
  validResponseRules,
} from '../lib/judge/rules.ts';
import type { Exchange, Fault, HeaderPair, Response } from '../lib/wire/exchange.ts';

let contract: Contract;
beforeAll(async () => {
  contract = await loadContract(fileURLToPath(new URL('../openapi.yaml', import.meta.url)));
});

const TOKEN = 'secret-token';
const JSON_TYPE: HeaderPair = ['content-type', 'application/json'];

interface Said {
  readonly status?: number;
  readonly reason?: string;
  readonly headers?: readonly HeaderPair[];
  /** Text, bytes, or a value to serialise as JSON. */
  readonly body?: unknown;
  readonly truncated?: boolean;
  readonly method?: string;
}

const bytesOf = (body: unknown): Uint8Array =>
  body instanceof Uint8Array
    ? body
    : Buffer.from(body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body));

function responseOf({
  status = 200,
  reason = '',
  headers = [JSON_TYPE],
  body,
  truncated = false,
}: Said): Response {
  return { status, statusText: reason, headers, body: bytesOf(body), truncated };
}

const base = (method = 'POST') => ({
  request: { method, path: '/plants', headers: [], body: undefined, framing: 'length' as const },
  ms: 1,
  interim: [],
});

/** An answered exchange. */
const said = (what: Said): Exchange => ({
  ...base(what.method),
  kind: 'answered',
  response: responseOf(what),
});

/** An exchange that broke, perhaps after part of a response. */
const broke = (kind: Fault['kind'], part?: Said): Exchange => ({
  ...base(part?.method),
  kind: 'broken',
  fault: { kind, detail: `it was ${kind}` },
  response: part === undefined ? undefined : responseOf({ truncated: true, ...part }),
});

const judge = (rule: Rule, exchange: Exchange, sent: Partial<SentFacts> = {}) =>
  rule(exchange, contract, { token: TOKEN, ...sent });

/** The finding of a rule, if any. */
const findingOf = (...asked: Parameters<typeof judge>) => {
  const ruling = judge(...asked);
  return isFinding(ruling) ? ruling : undefined;
};

const accepts = (rule: Rule, exchange: Exchange, sent?: Partial<SentFacts>) =>
  expect(findingOf(rule, exchange, sent)).toBeUndefined();

/** What an exchange lacks, according to a rule that does not apply to it. */
const sees = (rule: Rule, exchange: Exchange, sent?: Partial<SentFacts>) => {
  const ruling = judge(rule, exchange, sent);
  return expect(ruling !== undefined && 'notApplied' in ruling ? ruling.notApplied : 'judged');
};

/** Expects a finding with all its parts. */
function finds(rule: Rule, exchange: Exchange, sent?: Partial<SentFacts>) {
  const finding = findingOf(rule, exchange, sent);
  expect(finding).toBeDefined();
  for (const part of [finding?.expected, finding?.actual, finding?.problem]) expect(part).not.toBe('');
  return expect(`${finding?.expected} | ${finding?.actual}`);
}

const typed = (...values: string[]): HeaderPair[] => values.map((value) => ['Content-Type', value]);

describe('the content type', () => {
  const both = [
    ['a 200', plantMediaType, 200],
    ['a 400', errorMediaType, 400],
  ] as const;

  describe.each(both)('of %s', (_what, rule, status) => {
    test.each([
      [typed('application/json')],
      [typed('Application/JSON')],
      [typed('application/json; charset=utf-8')],
      [typed('application/json;charset=UTF-8')],
      [typed('application/json ;charset="utf-8"')],
      [typed('application/json;')],
      [typed('application/json; x="a, b"')],
      [typed('application/json; x="a\\", text/html"')],
      [typed('application/json; x="without an end')],
      [typed('application/json', 'application/json; charset=utf-8')],
      [typed('application/json, application/json')],
      [[['CONTENT-TYPE', 'application/json']] satisfies HeaderPair[]],
    ])('may be %j', (headers) => {
      accepts(rule, said({ status, headers }));
    });

    test.each([
      [typed()],
      [typed('')],
      [typed('text/json')],
      [typed('text/plain')],
      [typed('text/html; charset=utf-8')],
      [typed('application/problem+json')],
      [typed('application/vnd.plants+json')],
      [typed('application/jsonp')],
      [typed('application/json-seq')],
      [typed('application')],
      [typed('json')],
      [typed('*/*')],
      [typed('application/json charset=utf-8')],
      [typed('application/json', 'text/html')],
      [typed('text/html', 'application/json')],
      [typed('application/json, text/html')],
      [typed('application/json', '')],
    ])('may not be %j', (headers) => {
      finds(rule, said({ status, headers })).toMatch(/^content type application\/json \| /);
    });
  });

  test('is judged only for its own status', () => {
    for (const status of [201, 204, 400, 401, 500])
      accepts(plantMediaType, said({ status, headers: typed('text/html') }));
    for (const status of [200, 401, 404, 422, 500])
      accepts(errorMediaType, said({ status, headers: typed('text/html') }));
    accepts(plantMediaType, broke('closed'));
    accepts(errorMediaType, broke('closed'));
  });

  test('may be missing from a 400 to a HEAD', () => {
    accepts(errorMediaType, said({ status: 400, headers: [], method: 'HEAD' }));
  });

  test('is judged even if the response to a created plant is incomplete', () => {
    finds(plantMediaType, broke('timeout', { headers: [] })).toContain('no content type');
  });

  test('all media types are read, in lower case and without parameters', () => {
    const headers = [...typed('Text/HTML; a=b, x/Y'), JSON_TYPE];
    expect(mediaTypes(responseOf({ headers }))).toEqual(['text/html', 'x/y', 'application/json']);
    expect(fields(responseOf({ headers }), 'content-type')).toEqual([
      'Text/HTML; a=b, x/Y',
      'application/json',
    ]);
    expect(mediaTypes(responseOf({ headers: typed('') }))).toEqual(['']);
  });

  test('is reported as it was sent', () => {
    finds(plantMediaType, said({ headers: typed('Text/HTML; a=b', 'x/y') })).toBe(
      'content type application/json | 200 Text/HTML; a=b, x/y',
    );
  });
});

describe('the body of a 200', () => {
  test.each<[what: string, body: unknown]>([
    ['a name', '{"name":"Aloe"}'],
    ['a name and a tag', '{"name":"Aloe","tag":"succulent"}'],
    ['further properties', '{"id":"any","name":"","more":{"x":[null]}}'],
    ['white space around it', ' \r\n\t{ "name" : "Aloe" }\n'],
    ['a byte order mark', '\ufeff{"name":"Aloe"}'],
    ['escapes', '{"\\u006eame":"\\ud83c\\udf35"}'],
    ['a lone surrogate in an escape', '{"name":"\\ud83c"}'],
    ['a name that occurs twice', '{"name":1,"name":"Aloe"}'],
    ['other planes', { name: '🌵' }],
  ])('may have %s', (_what, body) => {
    accepts(plantBody, said({ body }));
  });

  test.each<[what: string, body: unknown, problem: RegExp]>([
    ['nothing', '', /no body/],
    ['white space only', ' \n', /not valid JSON/],
    ['a byte order mark only', '\ufeff', /not valid JSON/],
    ['two byte order marks', '\ufeff\ufeff{"name":"Aloe"}', /not valid JSON/],
    ['invalid UTF-8', Buffer.from('{"name":"\xe9"}', 'latin1'), /not valid UTF-8/],
    ['an encoded surrogate', Buffer.from('{"name":"\xed\xa0\x80"}', 'latin1'), /not valid UTF-8/],
    ['UTF-16', Buffer.from('{"name":"Aloe"}', 'utf16le'), /not valid JSON|UTF-8/],
    ['two values', '{"name":"Aloe"}{"name":"Aloe"}', /not valid JSON/],
    ['text after it', '{"name":"Aloe"} ok', /not valid JSON/],
    ['a NUL after it', '{"name":"Aloe"}\0', /not valid JSON/],
    ['single quotes', "{'name':'Aloe'}", /not valid JSON/],
    ['a trailing comma', '{"name":"Aloe",}', /not valid JSON/],
    ['markup', '<p>Aloe</p>', /not valid JSON/],
    ['an array', '[{"name":"Aloe"}]', /a Plant: the body .*\[/],
    ['null', 'null', /a Plant: the body/],
    ['a string', '"{\\"name\\":\\"Aloe\\"}"', /a Plant: the body/],
    ['an empty object', '{}', /a Plant: the body .*name/],
    ['a name that is a number', '{"name":7}', /a Plant: \/name must be string \| \{"name":7\}/],
    ['a name that is null', '{"name":null}', /\/name/],
    ['a name under another case', '{"Name":"Aloe"}', /a Plant/],
    ['a name one level down', '{"data":{"name":"Aloe"}}', /a Plant/],
    ['a name that is inherited', '{"__proto__":{"name":"Aloe"}}', /a Plant/],
    ['a tag that is null', '{"name":"Aloe","tag":null}', /\/tag must be string/],
    ['a tag that is an array', '{"name":"Aloe","tag":["x"]}', /\/tag/],
  ])('may not be or have %s', (_what, body, problem) => {
    finds(plantBody, said({ body })).toMatch(problem);
  });

  test('that was cut off is incomplete', () => {
    finds(plantBody, said({ body: '{"name":"Aloe"}', truncated: true })).toMatch(
      /an incomplete body \(15 bytes\)/,
    );
    finds(plantBody, broke('timeout', { body: '{"na' })).toMatch(/an incomplete body \(4 bytes\)/);
  });

  test('is not judged for another status', () => {
    for (const status of [201, 204, 302, 400, 500]) accepts(plantBody, said({ status, body: 'nonsense' }));
    accepts(plantBody, broke('closed'));
  });

  test('only the beginning of a long one is shown', () => {
    const finding = findingOf(plantBody, said({ body: JSON.stringify({ text: 'x'.repeat(5000) }) }));
    expect(finding?.actual.length).toBeLessThan(210);
    expect(finding?.actual).toMatch(/^\{"text":"xxx.*…$/);
  });

  test('one of 200 characters is shown in full', () => {
    const body = JSON.stringify({ text: 'x'.repeat(189) });
    expect(body).toHaveLength(200);
    expect(findingOf(plantBody, said({ body }))?.actual).toBe(body);
  });

  test('what a parser quotes of it is not part of the problem', () => {
    const finding = findingOf(plantBody, said({ body: '{"name":"Aloe"} and more' }));
    expect(finding?.problem).toBe(`200 body: ${finding?.actual.slice(0, 40)}`);
    expect(finding?.actual.length).toBeGreaterThan(40);
  });
});

describe('the body of a 400', () => {
  test.each([
    '{"error":400,"message":"no"}',
    '{"error":-1,"message":""}',
    '{"error":1.0,"message":"no"}',
    '{"error":1e2,"message":"no"}',
    '{"error":2147483647,"message":"no"}',
    '{"error":-2147483648,"message":"no"}',
    '\ufeff{"error":0,"message":"no","details":[1]}',
  ])('may be %s', (body) => {
    accepts(errorBody, said({ status: 400, body }));
  });

  test.each([
    ['{"error":"400","message":"no"}', /\/error must be integer/],
    ['{"error":"Bad Request","message":"no"}', /\/error must be integer/],
    ['{"error":1.5,"message":"no"}', /\/error/],
    ['{"error":1.00000000000000000001,"message":"no"}', /\/error/],
    ['{"error":2147483648,"message":"no"}', /\/error .*int32/],
    ['{"error":-2147483649,"message":"no"}', /\/error .*int32/],
    ['{"error":1e400,"message":"no"}', /\/error/],
    ['{"error":true,"message":"no"}', /\/error/],
    ['{"error":null,"message":"no"}', /\/error/],
    ['{"error":{"code":1},"message":"no"}', /\/error/],
    ['{"error":400}', /message/],
    ['{"message":"no"}', /error/],
    ['{"error":400,"message":null}', /\/message must be string/],
    ['{"error":400,"message":["no"]}', /\/message/],
    ['{"error":400,"Message":"no"}', /message/],
    ['[{"error":400,"message":"no"}]', /an Error: the body/],
    ['{}', /an Error: the body/],
    ['"no"', /an Error: the body/],
    ['Bad Request', /not valid JSON/],
    ['', /no body/],
  ])('may not be %s', (body, problem) => {
    finds(errorBody, said({ status: 400, body })).toMatch(problem);
  });

  test('is not judged for another status, nor for a HEAD', () => {
    for (const status of [200, 401, 404, 422, 500]) accepts(errorBody, said({ status, body: 'nonsense' }));
    accepts(errorBody, said({ status: 400, body: '', method: 'HEAD' }));
    accepts(errorBody, broke('timeout'));
  });
});

describe('a body with a content coding', () => {
  const text = '{"name":"Aloe"}';
  const coded = (coding: string | readonly string[], body: unknown) =>
    said({
      headers: [JSON_TYPE, ...[coding].flat().map((one): HeaderPair => ['Content-Encoding', one])],
      body,
    });

  test.each<[coding: string | string[], body: Uint8Array]>([
    ['identity', Buffer.from(text)],
    ['', Buffer.from(text)],
    ['gzip', gzipSync(text)],
    ['GZIP', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['br', brotliCompressSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['br, gzip', gzipSync(brotliCompressSync(text))],
    [['br', ' gzip '], gzipSync(brotliCompressSync(text))],
  ])('of %j is decoded', (coding, body) => {
    accepts(plantBody, coded(coding, body));
  });

  test.each<[coding: string, body: unknown, problem: RegExp]>([
    ['zstd', text, /does not decode as zstd \(unknown coding\)/],
    ['aes128gcm', text, /unknown coding/],
    ['gzip', text, /does not decode as gzip/],
    ['gzip', gzipSync(text).subarray(0, 20), /does not decode as gzip/],
    ['br', text, /does not decode as br/],
    ['deflate', 'nonsense', /does not decode as deflate/],
    ['gzip, br', gzipSync(brotliCompressSync(text)), /does not decode as br/],
    ['gzip', '', /does not decode as gzip|no body/],
    ['gzip', gzipSync(''), /no body/],
    ['gzip', gzipSync('{"name":7}'), /\/name must be string \| \{"name":7\}/],
  ])('of %s may be rejected', (coding, body, problem) => {
    finds(plantBody, coded(coding, body)).toMatch(problem);
  });

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
  ] as const)('of %s that exceeds the size limit is abandoned', (coding, compress) => {
    const bomb = compress(Buffer.alloc(48 * 1024 * 1024, ' '));
    expect(bomb.length).toBeLessThan(200_000);
    const before = process.memoryUsage().arrayBuffers;
    finds(plantBody, coded(coding, bomb)).toMatch(new RegExp(`does not decode as ${coding}`));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(40 * 1024 * 1024);
  });
});

describe('reading', () => {
  test('the content of a response is read once', () => {
    const response = responseOf({ body: '{"a":1}' });
    expect(contentOf(response)).toBe(contentOf(response));
    expect(contentOf(response)).toEqual({ kind: 'json', text: '{"a":1}', value: { a: 1 }, bom: false });
  });

  test('the text is judged without its byte order mark', () => {
    expect(contentOf(responseOf({ body: '\ufeff[1.0]' }))).toMatchObject({ text: '[1.0]', bom: true });
  });

  test.each([
    [said({ status: 500, headers: typed('text/html') }), '500 text/html', 500],
    [said({ status: 204, headers: [] }), '204', 204],
    [said({ headers: typed('a/b', 'c/d') }), '200 a/b, c/d', 200],
    [broke('timeout'), 'no response: it was timeout', undefined],
    [broke('closed', { status: 200, headers: [] }), '200, but incomplete: it was closed', 200],
  ])('an exchange in a few words (%#)', (exchange, words, status) => {
    expect(describeExchange(exchange)).toBe(words);
    expect(statusOf(exchange)).toBe(status);
  });
});

describe('statuses', () => {
  const rules = { answers200, notSuccess, noServerError, acceptedOrRejected, respondsCompletely };
  type Name = keyof typeof rules;

  test.each<[status: number, breaks: Name[]]>([
    [199, ['answers200', 'acceptedOrRejected']],
    [200, ['notSuccess']],
    [201, ['answers200', 'notSuccess', 'acceptedOrRejected']],
    [202, ['answers200', 'notSuccess', 'acceptedOrRejected']],
    [204, ['answers200', 'notSuccess', 'acceptedOrRejected']],
    [299, ['answers200', 'notSuccess', 'acceptedOrRejected']],
    [300, ['answers200']],
    [302, ['answers200']],
    [304, ['answers200', 'acceptedOrRejected']],
    [307, ['answers200']],
    [400, ['answers200']],
    [401, ['answers200']],
    [422, ['answers200']],
    [499, ['answers200']],
    [500, ['answers200', 'acceptedOrRejected', 'noServerError']],
    [501, ['answers200', 'acceptedOrRejected', 'noServerError']],
    [503, ['answers200', 'acceptedOrRejected', 'noServerError']],
    [599, ['answers200', 'acceptedOrRejected', 'noServerError']],
  ])('%d breaks %j and nothing else', (status, breaks) => {
    for (const [name, rule] of Object.entries(rules)) {
      const finding = findingOf(rule, said({ status }));
      expect(finding !== undefined, name).toBe(breaks.some((one) => one === name));
      if (finding !== undefined) expect(finding.actual, name).toContain(String(status));
    }
  });

  test.each<[what: string, exchange: () => Exchange, breaks: Name[]]>([
    ['no response', () => broke('closed'), ['answers200', 'acceptedOrRejected', 'respondsCompletely']],
    ['a timeout', () => broke('timeout'), ['answers200', 'acceptedOrRejected', 'respondsCompletely']],
    [
      'a 200 that broke off',
      () => broke('timeout', { status: 200 }),
      ['answers200', 'notSuccess', 'respondsCompletely'],
    ],
    ['a 400 that broke off', () => broke('closed', { status: 400 }), ['answers200', 'respondsCompletely']],
    [
      'a 500 that broke off',
      () => broke('closed', { status: 500 }),
      ['answers200', 'noServerError', 'acceptedOrRejected', 'respondsCompletely'],
    ],
    ['a 200 with an incomplete body', () => said({ truncated: true }), ['notSuccess', 'respondsCompletely']],
  ])('%s breaks %j and nothing else', (_what, exchange, breaks) => {
    for (const [name, rule] of Object.entries(rules))
      expect(findingOf(rule, exchange()) !== undefined, name).toBe(breaks.some((one) => one === name));
  });

  test('501 is allowed only for a method that is not declared', () => {
    accepts(noServerError, said({ status: 501, method: 'OPTIONS' }));
    finds(noServerError, said({ status: 501, method: 'POST' })).toContain('501');
    finds(noServerError, said({ status: 500, method: 'OPTIONS' })).toContain('500');
  });

  describe('to a chunked request with extensions', () => {
    const sent = (exchange: Exchange): Exchange => ({
      ...exchange,
      request: { ...exchange.request, delivery: { chunks: 'extensions' } },
    });
    const page: HeaderPair = ['content-type', 'text/html'];

    test('a gateway may say in its own way that it cannot forward it', () => {
      for (const rule of [noServerError, acceptedOrRejected])
        accepts(rule, sent(said({ status: 503, headers: [page], body: 'Backend fetch failed' })));
    });

    test('an Error is not from a gateway', () => {
      finds(noServerError, sent(said({ status: 502, body: { error: 1, message: 'x' } }))).toContain('502');
    });

    test('an answer may be lost if the connection was closed', () => {
      for (const rule of [respondsCompletely, acceptedOrRejected]) accepts(rule, sent(broke('closed')));
      finds(respondsCompletely, sent(broke('timeout'))).toContain('timeout');
      finds(respondsCompletely, broke('closed')).toContain('closed');
    });
  });

  test('are named as expected and actual', () => {
    finds(answers200, said({ status: 201 })).toBe('status 200 | 201 application/json');
    finds(respondsCompletely, broke('closed')).toBe('a complete response | no response: it was closed');
    finds(acceptedOrRejected, said({ status: 202 })).toBe(
      '200, or a rejection (3xx or 4xx) | 202 application/json',
    );
  });

  test('the problem of an accepted request includes the request', () => {
    expect(findingOf(notSuccess, said({}))).toMatchObject({ problem: 'accepted', ofRequest: true });
    expect(findingOf(answers200, said({ status: 201 }))).toMatchObject({ problem: 'answered 201' });
    expect(findingOf(respondsCompletely, broke('timeout'))).toMatchObject({
      problem: 'no response: timeout',
    });
    expect(findingOf(respondsCompletely, said({ truncated: true }))?.problem).toBe(
      'answered 200 with an incomplete body',
    );
    expect(findingOf(answers200, said({ status: 201 }))).not.toHaveProperty('ofRequest');
  });

  test('of a rejection may be one of several', () => {
    accepts(rejectsWith(400), said({ status: 200 }));
    accepts(rejectsWith(400, 415), said({ status: 415 }));
    finds(rejectsWith(400, 415), said({ status: 422 })).toBe('status 400 or 415 | 422 application/json');
    accepts(rejectsWith(400), broke('closed'));
  });
});

describe('the rules for every request', () => {
  const broken = (exchange: Exchange) =>
    validResponseRules.filter((rule) => findingOf(rule, exchange) !== undefined).length;

  test.each<[what: string, exchange: () => Exchange, count: number]>([
    ['a Plant', () => said({ body: { name: 'x' } }), 0],
    ['an Error', () => said({ status: 400, body: { error: 1, message: 'x' } }), 0],
    ['another rejection, with any body', () => said({ status: 401, headers: [], body: 'no' }), 0],
    ['a 200 to a GET, with any body', () => said({ headers: [], body: '[]', method: 'GET' }), 0],
    ['a 200 that is not a Plant', () => said({ body: [] }), 1],
    ['a 200 that is neither JSON nor a Plant', () => said({ headers: [], body: 'x' }), 2],
    ['a 400 that is neither JSON nor an Error', () => said({ status: 400, headers: [], body: 'x' }), 2],
    ['a 400 to a GET that is not an Error', () => said({ status: 400, body: 'x', method: 'GET' }), 1],
    ['a 500', () => said({ status: 500 }), 1],
    ['no response', () => broke('closed'), 1],
  ])('%s', (_what, exchange, count) => {
    expect(broken(exchange())).toBe(count);
  });
});

describe('echoes', () => {
  const plant = { name: 'Aloe', tag: 'x' };

  test('are equal, character for character', () => {
    accepts(echoes('name'), said({ body: plant }), { plant });
    accepts(echoes('tag'), said({ body: plant }), { plant });
    accepts(echoes('name'), said({ body: '{"name":"\\u0041loe"}' }), { plant });
  });

  test.each([
    ['aloe', '"aloe"'],
    ['Aloe ', '"Aloe "'],
    ['', '""'],
  ])('%j is another name', (name, actual) => {
    finds(echoes('name'), said({ body: { name } }), { plant }).toBe(`name "Aloe" | ${actual}`);
  });

  test('another normal form is another name', () => {
    finds(echoes('name'), said({ body: { name: 'e\u0301' } }), { plant: { name: '\u00e9' } }).toContain(
      'name',
    );
  });

  test('a missing one is a finding', () => {
    finds(echoes('tag'), said({ body: { name: 'Aloe' } }), { plant }).toBe('tag "x" | no tag');
    finds(echoes('tag'), said({ body: '{"name":"Aloe","__proto__":{"tag":"x"}}' }), { plant }).toContain(
      'no tag',
    );
  });

  test('are not judged if nothing was sent, or nothing was created', () => {
    accepts(echoes('tag'), said({ body: { name: 'Aloe', tag: 'filled in' } }), { plant: { name: 'Aloe' } });
    accepts(echoes('name'), said({ body: { name: 'other' } }));
    accepts(echoes('name'), said({ status: 400, body: {} }), { plant });
    accepts(echoes('name'), said({ status: 201, body: { name: 'other' } }), { plant });
    accepts(echoes('name'), broke('closed'), { plant });
  });

  test.each(['[]', 'null', 'nonsense', ''])('are not judged if the response, %j, is not a Plant', (body) => {
    accepts(echoes('name'), said({ body }), { plant });
  });
});

describe('messages', () => {
  test.each(['', ' ', '\n\t'])('%j counts as empty', (message) => {
    finds(messageIsNotEmpty, said({ status: 400, body: { error: 1, message } })).toContain('message');
  });

  test('anything else is not empty, and a body that is not an Error is not judged', () => {
    accepts(messageIsNotEmpty, said({ status: 400, body: { error: 1, message: '!' } }));
    for (const body of [{ error: 'x', message: '' }, { message: '' }, [], '', 'x'])
      accepts(messageIsNotEmpty, said({ status: 400, body }));
    accepts(messageIsNotEmpty, said({ status: 200, body: { error: 1, message: '' } }));
    accepts(messageIsNotEmpty, broke('closed'));
  });

  test('are not judged if the document allows a message that is not a string', () => {
    const lenient = { ...contract, error: { validate: () => [] } };
    const exchange = said({ status: 400, body: { error: 1, message: 7 } });
    expect(isFinding(messageIsNotEmpty(exchange, lenient, { token: TOKEN }))).toBe(false);
  });
});

describe('internals', () => {
  const TRACES: readonly (readonly [language: string, text: string])[] = [
    ['node', 'TypeError: x is not a function\n    at Object.<anonymous> (/app/server.js:10:5)'],
    ['node, async', 'Error\n    at async handler (/app/src/server.ts:10:5)'],
    ['node, without a function', 'Error\n    at /app/server.mjs:10:5'],
    ['node, internal', 'at process.processTicksAndRejections (node:internal/process/task_queues:95:5)'],
    ['node, file URL', 'at file:///srv/app/main.js:3:9'],
    ['express', '<pre>Error: x<br> &nbsp; at Layer.handle [as f] (/app/node_modules/a/layer.js:95:5)</pre>'],
    ['Python', 'Traceback (most recent call last):\n  ...'],
    ['Python, frame', '  File "main.py", line 3, in create'],
    ['Java', 'java.lang.NullPointerException\n\tat com.example.Plants.create(Plants.java:42)'],
    ['Java, module', '\tat java.base/java.lang.Thread.run(Thread.java:833)'],
    ['Kotlin', '    at com.example.PlantsKt.create(Plants.kt:42)'],
    ['Go', 'goroutine 17 [running]:\nmain.create()'],
    ['Go, frame', '  /srv/app/main.go:12 +0x1d'],
    ['C#', '   at Plants.Create(NewPlant plant) in /src/Plants.cs:line 12'],
    ['C# on Windows', '   at Plants.Create() in C:\\src\\plants\\Plants.cs:line 12'],
    ['PHP', '#0 /var/www/html/index.php(12): create()'],
    ['Ruby', "/usr/src/app/app.rb:12:in `create'"],
    ['Rust', "thread 'main' panicked at /app/src/main.rs:12:5"],
    ['Elixir', 'in /app/lib/plants/store.ex:12'],
  ];

  test.each(TRACES)('a trace of %s is found, as text and within JSON', (_language, text) => {
    for (const body of [text, { error: 1, message: text }, { error: 1, message: 'failed', stack: [text] }]) {
      for (const status of [400, 401, 500])
        finds(leaksNoInternals, said({ status, body })).toMatch(/^no stack trace or file path \| ./);
    }
  });

  // Each matches only one pattern, and is reported to its last character.
  test.each([
    ['Error: x at Object.<anonymous> (server.js:10:55) and more', 'at Object.<anonymous> (server.js:10:55)'],
    ['Error: x at create(server.js:10)', 'at create(server.js:10)'],
    ['in File "main.py", line 31, in create', 'File "main.py", line 31'],
    ['(plants 0.1.0) lib/plants/store.ex:12: create/2', 'lib/plants/store.ex:12'],
    ['/srv/app/main.py is broken', '/srv/app/main.py'],
    ['while loading /app/lib/store.ex', '/app/lib/store.ex'],
    ['in C:\\src\\plants\\Plants.fsx:line 12', 'C:\\src\\plants\\Plants.fsx'],
    ['failed\n\tat Plants.Store.Create(NewPlant plant)', 'at Plants.Store.Create('],
  ])('of %j only the frame is reported', (text, leak) => {
    finds(leaksNoInternals, said({ status: 500, body: text })).toBe(`no stack trace or file path | ${leak}`);
  });

  test('a frame that is indented with a tab is found within JSON', () => {
    const message = 'failed\n\tat Plants.Store.Create(NewPlant plant)';
    finds(leaksNoInternals, said({ status: 500, body: { error: 1, message } })).toContain('Plants.Store');
  });

  test.each([
    'see /plants',
    'POST /plants is the only operation',
    'invalid value at line 3',
    'invalid value at line 3, column 7',
    'Unexpected token } in JSON at position 12',
    'Unexpected token } in JSON at position 12 (line 1 column 13)',
    'Unexpected character (\'}\' (code 125))\n at [Source: (String)"{..."; line: 1, column: 2]',
    'JSON parse error: Cannot deserialize value of type `long` from String "x"\n' +
      ' at [Source: (PushbackInputStream); line: 1, column: 7]' +
      ' (through reference chain: com.example.NewPlant["id"])',
    'json: cannot unmarshal string into Go struct field NewPlant.id of type int64',
    'Expecting value: line 1 column 1 (char 0)',
    'body.id: Input should be a valid integer, unable to parse string as an integer',
    '#/properties/id/type: must be integer',
    "must have required property 'name' at /components/schemas/NewPlant",
    'see https://example.com/docs/errors.html#400',
    'see https://example.com/docs/errors.php',
    'Content-Type must be application/json, not text/html',
    'name must not be ../../../../etc/passwd',
    'try again at 12:30 (UTC)',
    'a plant looks like {"id": 1, "name": "Aloe"}',
    'the ratio is 3:4 (at most)',
  ])('%j is an ordinary sentence', (message) => {
    for (const body of [message, { error: 1, message }])
      accepts(leaksNoInternals, said({ status: 400, body }));
  });

  test('are not judged in a success, or without a response', () => {
    accepts(leaksNoInternals, said({ status: 200, body: { name: 'at f (/app/server.js:1:2)' } }));
    accepts(leaksNoInternals, broke('closed'));
    finds(leaksNoInternals, broke('closed', { status: 500, body: 'at f (/app/server.js:1:2)' })).toContain(
      'trace',
    );
  });

  test('a path in JSON whose slashes are escaped is found', () => {
    const body = '{"error":1,"message":"#0 \\/var\\/www\\/html\\/index.php(12): create()"}';
    finds(leaksNoInternals, said({ status: 500, body })).toContain('index.php');
  });

  test.each([
    ['Kotlin', '\tat com.example.PlantsKt.create(Plants.kt:42)'],
    ['Go', 'main.create()\n\t/srv/app/main.go:12 +0x1d'],
  ])('a trace of %s that is indented with tabs is found within JSON', (_language, text) => {
    finds(leaksNoInternals, said({ status: 500, body: { error: 1, message: text } })).toContain('trace');
  });

  test.each([
    [
      'C# without symbols',
      '   at Plants.Store.Create(NewPlant plant, String token)\n   at Plants.Program.Main()',
    ],
    ['Rust', "thread 'main' panicked at src/main.rs:12:5:"],
    ['Elixir', '    (plants 0.1.0) lib/plants/store.ex:12: Plants.Store.create/2'],
    ['Ruby', "app.rb:12:in `create'"],
  ])('a trace of %s is found even without a path', (_language, text) => {
    finds(leaksNoInternals, said({ status: 500, body: { error: 1, message: text } })).toContain('trace');
  });

  test('a rejection that quotes a hostile name leaks no internals', () => {
    const message = 'name "C:\\Windows\\System32\\" is not allowed';
    accepts(leaksNoInternals, said({ status: 400, body: { error: 1, message } }), {
      plant: { name: 'C:\\Windows\\System32\\' },
    });
  });
});

describe('the token', () => {
  test.each<[place: string, what: Said]>([
    ['the reason phrase', { status: 401, reason: `Unknown ${TOKEN}` }],
    ['the headers', { headers: [['X-Debug', `Bearer ${TOKEN}`]] }],
    ['the headers', { headers: [[TOKEN, 'x']] }],
    ['the body', { status: 400, body: { error: 1, message: `bad: Bearer ${TOKEN}` } }],
    ['the body', { status: 500, headers: [], body: `dump: {"authorization":"Bearer ${TOKEN}"}` }],
    ['the body', { status: 200, body: { name: TOKEN } }],
  ])('in %s is found', (place, what) => {
    finds(leaksNoToken, said(what)).toBe(`a response without the token | the token in ${place}`);
  });

  test('is found in an incomplete response', () => {
    finds(leaksNoToken, broke('closed', { body: TOKEN })).toContain('the body');
  });

  test('is not found if it is absent, or too short to be more than a coincidence', () => {
    accepts(leaksNoToken, said({ body: { message: 'secret-toke' }, reason: 'OK' }));
    accepts(leaksNoToken, broke('closed'));
    accepts(leaksNoToken, said({ body: { name: 'abc' } }), { token: 'abc' });
    finds(leaksNoToken, said({ body: { name: 'abcd' } }), { token: 'abcd' }).toContain('the body');
  });

  test('is not found if the body of the request contains it, too', () => {
    const exchange = said({ body: { name: `a ${TOKEN}` } });
    const body = Buffer.from(`{"name":"a ${TOKEN}"}`);
    accepts(leaksNoToken, { ...exchange, request: { ...exchange.request, body } });
  });

  test('is never part of the finding', () => {
    const finding = findingOf(leaksNoToken, said({ body: TOKEN }));
    expect(JSON.stringify(finding)).not.toContain(TOKEN);
  });
});

describe('the byte order mark', () => {
  test('is found in JSON', () => {
    finds(noByteOrderMark, said({ body: '\ufeff{"name":"x"}' })).toContain('byte order mark');
    finds(noByteOrderMark, said({ status: 400, body: '\ufeff{}' })).toContain('byte order mark');
  });

  test('is found nowhere else', () => {
    for (const body of ['{"name":"x"}', '{"name":"\ufeff"}', 'nonsense', '', '\ufeff<p>'])
      accepts(noByteOrderMark, said({ body }));
    accepts(noByteOrderMark, broke('closed', { body: '\ufeff{}' }));
    accepts(noByteOrderMark, broke('closed'));
  });
});

describe('a 401', () => {
  const challenged = (...values: string[]) =>
    said({ status: 401, headers: values.map((value) => ['WWW-Authenticate', value]) });

  test.each([
    ['Bearer'],
    ['bearer'],
    ['BEARER realm="plants"'],
    ['Bearer realm="plants", error="invalid_token"'],
    ['Bearer error="invalid_token", error_description="Basic, or not"'],
    ['Bearer realm="\\"quoted\\", yes"'],
    ['Basic realm="a", Bearer'],
    ['Basic realm="a", Bearer realm="b"'],
    ['Negotiate, Bearer'],
    ['Basic realm="a"', 'Bearer realm="b"'],
    ['  Bearer  '],
  ])('may carry %j', (...values) => {
    accepts(challengesBearer, challenged(...values));
  });

  test.each([
    [],
    [''],
    ['Basic realm="plants"'],
    ['Basic realm="Bearer"'],
    ['Basic realm="a, Bearer "'],
    ['Basic realm="\\", Bearer "'],
    ['BearerToken'],
    ['Token, Digest'],
    ['Digest bearer=1'],
    ['error="invalid_token"'],
    ['Basic a="b", "c"Bearer'],
    ['Basic', 'Digest'],
  ])('may not carry only %j', (...values) => {
    finds(challengesBearer, challenged(...values)).toContain('401 with WWW-Authenticate: Bearer');
  });

  test('is reported with its challenges', () => {
    const expected = '401 with WWW-Authenticate: Bearer';
    finds(challengesBearer, challenged('Basic', 'Digest')).toBe(`${expected} | Basic | Digest`);
    finds(challengesBearer, challenged()).toBe(`${expected} | no WWW-Authenticate`);
  });

  test('is the only status that needs a challenge', () => {
    for (const status of [200, 400, 403, 500]) accepts(challengesBearer, said({ status, headers: [] }));
    accepts(challengesBearer, broke('closed'));
  });
});

describe('a 405', () => {
  test('carries Allow', () => {
    finds(hasAllowHeader, said({ status: 405, headers: [] })).toBe('405 with Allow | no Allow');
    accepts(hasAllowHeader, said({ status: 405, headers: [['allow', 'POST']] }));
    accepts(hasAllowHeader, said({ status: 405, headers: [['Allow', '']] }));
    accepts(hasAllowHeader, said({ status: 404, headers: [] }));
    accepts(hasAllowHeader, broke('closed'));
  });
});

test('a rule gives the same finding for a copy of an exchange', () => {
  const exchange = said({ status: 400, body: '{"error":1.5,"message":"no"}' });
  const again = structuredClone(exchange);
  for (const rule of [errorBody, errorMediaType, answers200, leaksNoInternals])
    expect(judge(rule, again)).toEqual(judge(rule, exchange));
});

describe('an exchange that a rule does not apply to', () => {
  const noResponse = () => broke('closed');
  const ok = () => said({ body: { name: 'Aloe' } });
  const rejection = () => said({ status: 400, body: { error: 1, message: 'no' } });
  test.each<[what: string, notSeen: string, rule: Rule, exchange: () => Exchange, sent?: Partial<SentFacts>]>(
    [
      ['the type of a plant', 'no response with status 200', plantMediaType, () => said({ status: 201 })],
      ['the type of a plant', 'no response with status 200', plantMediaType, noResponse],
      ['a plant', 'no response with status 200', plantBody, () => said({ status: 201 })],
      ['the type of an error', 'no response with status 400', errorMediaType, ok],
      ['an error', 'no response with status 400', errorBody, ok],
      ['no success', 'no readable response', notSuccess, noResponse],
      ['no server error', 'no readable response', noServerError, noResponse],
      ['the status of a rejection', 'the store rejected none of its requests', rejectsWith(400), ok],
      ['the status of a rejection', 'the store rejected none of its requests', rejectsWith(400), noResponse],
      ['an echo', 'no plant with a tag', echoes('tag'), ok, { plant: { name: 'Aloe' } }],
      ['an echo', 'no response with status 200', echoes('name'), rejection, { plant: { name: 'Aloe' } }],
      [
        'an echo',
        'no response with status 200 and a Plant',
        echoes('name'),
        () => said({ body: {} }),
        { plant: { name: 'Aloe' } },
      ],
      [
        'a message',
        'no response with status 400 and an Error',
        messageIsNotEmpty,
        () => said({ status: 400, body: {} }),
      ],
      ['what an error leaks', 'no error response', leaksNoInternals, ok],
      ['the token', 'no readable response', leaksNoToken, noResponse],
      [
        'the token',
        'no token long enough to be recognised in a response',
        leaksNoToken,
        ok,
        { token: 'abc' },
      ],
      ['the byte order mark', 'no response with JSON', noByteOrderMark, () => said({ body: 'Created' })],
      ['the challenge', 'no response with status 401', challengesBearer, ok],
      ['the allowed methods', 'no response with status 405', hasAllowHeader, ok],
    ],
  )('says nothing about %s: %s', (_what, notSeen, rule, exchange, sent) => {
    sees(rule, exchange(), sent).toBe(notSeen);
  });

  test.each<[name: string, rule: Rule, exchange: () => Exchange]>([
    ['status 200', answers200, noResponse],
    ['a response', respondsCompletely, noResponse],
    ['an acceptance or a rejection', acceptedOrRejected, noResponse],
    ['a plant', plantBody, ok],
    ['no success', notSuccess, rejection],
  ])('is judged by the rule about %s', (_name, rule, exchange) => {
    sees(rule, exchange()).toBe('judged');
  });
});

describe('a large body', () => {
  const contentOfText = (text: string) => contentOf(responseOf({ body: text }));
  const objects = (count: number) => `[${'{},'.repeat(count)}{}]`;

  test('with more values than any echo is read without its largest parts', () => {
    const text = `{"name":"Aloe","all":${objects(400_000)},"more":{"a":${objects(400_000)}},"tag":["oak"]}`;
    expect(contentOfText(text)).toEqual({
      kind: 'json',
      text,
      value: { name: 'Aloe', all: [], more: {}, tag: ['oak'] },
      bom: false,
    });
    expect(contentOfText(objects(400_000))).toMatchObject({ value: [] });
  });

  test('with few values is read whole, however deep', () => {
    const depth = 2000;
    const deep = `${'[\n'.repeat(depth)}${' '.repeat(1_000_000)}${']'.repeat(depth)}`;
    const list = `[${'1,'.repeat(30_000)}1]`;
    const text = `{"name":"Aloe","deep":${deep},"list":${list}}`;
    expect(contentOfText(text)).toMatchObject({ value: JSON.parse(text) });
  });

  test.each([
    ['a missing comma', (text: string) => text.replace('{},{}', '{}{}')],
    ['a comma too many', (text: string) => text.replace('{}]', '{},]')],
    ['a missing end', (text: string) => text.slice(0, -1)],
    ['something after its end', (text: string) => `${text}}`],
    ['a control character in a string', (text: string) => text.replace('Aloe', 'Al\toe')],
    ['a wrong escape', (text: string) => text.replace('Aloe', '\\x')],
    ['a wrong number', (text: string) => text.replace('{}', '01')],
    ['a name without a colon', (text: string) => text.replace('"name":', '"name"')],
  ])('with %s is not JSON', (_, damaged) => {
    const text = damaged(`{"name":"Aloe","all":${objects(400_000)}}`);
    expect(() => JSON.parse(text)).toThrow();
    expect(contentOfText(text)).toMatchObject({
      kind: 'unreadable',
      problem: expect.stringMatching(/^a body that is not valid JSON \(Unexpected/),
    });
  });
});
