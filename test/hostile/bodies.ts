import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { formsOf } from '../helpers/hostile-record.ts';
import { answer, drip, type Hostile, type Meeting, meeting } from './store.ts';

const always = (write: (meeting: Meeting) => string | Buffer): Hostile['start'] =>
  meeting((met) => met.socket.write(write(met)));

/** Replaces the body of every 200, or of every 400. */
const accepted = (body: string | Buffer, ...add: string[]): Hostile['start'] =>
  always(({ right }) => answer(right, right.status === 200 ? { body, add } : {}));
const rejected = (body: string | Buffer, ...add: string[]): Hostile['start'] =>
  always(({ right }) => answer(right, right.status === 400 ? { body, add } : {}));

const coded = (coding: string, code: (body: Buffer) => Buffer): Hostile['start'] =>
  always(({ right }) => answer(right, { body: code(right.body), add: [`Content-Encoding: ${coding}`] }));

const fails = { outcome: 'nonconformant', fails: ['invariants/answers'] } as const;
const noPlant = { outcome: 'nonconformant', fails: ['invariants/200-is-a-plant'] } as const;
const noError = { outcome: 'nonconformant', fails: ['invariants/400-is-an-error'] } as const;
const passes = { outcome: ['conformant', 'partial'] } as const;

const plantWith = (more: string) => `{"name":"Aloe",${more}}`;
const errorWith = (error: string) => `{"error":${error},"message":"no"}`;

/** What a store can do with the content of a response. */
export const bodies: readonly Hostile[] = [
  {
    name: 'dripping-body',
    does: 'a byte of the body every 50 ms, endlessly',
    start: meeting(({ socket, right }) => {
      socket.write(answer(right, { length: null, body: '{"name":"' }));
      drip(socket, 'a');
    }),
    expected: fails,
  },
  {
    name: 'dripping-body-by-the-second',
    does: 'a byte of the body every second, endlessly',
    start: meeting(({ socket, right }) => {
      socket.write(answer(right, { length: null, body: '{"name":"' }));
      drip(socket, 'a', 1000);
    }),
    options: { timeout: 3000 },
    expected: fails,
  },
  { name: 'gzip', does: 'right responses in gzip', start: coded('gzip', gzipSync), expected: passes },
  {
    name: 'gzip-in-gzip',
    does: 'right responses in gzip twice, as declared',
    start: coded('gzip, gzip', (body) => gzipSync(gzipSync(body))),
    expected: passes,
  },
  {
    name: 'false-gzip',
    does: 'plain responses with Content-Encoding: gzip',
    start: coded('gzip', (body) => body),
    expected: noPlant,
  },
  {
    name: 'gzip-cut-off',
    does: 'gzip without its last ten bytes',
    start: coded('gzip', (body) => gzipSync(body).subarray(0, -10)),
    expected: noPlant,
  },
  {
    name: 'unknown-coding',
    does: 'Content-Encoding: zap',
    start: coded('zap', (body) => body),
    expected: noPlant,
  },
  {
    name: 'a-thousand-codings',
    does: 'Content-Encoding with a thousand members, all but one of them identity',
    start: coded(`${'identity, '.repeat(1000)}gzip`, gzipSync),
    expected: passes,
  },
  {
    name: 'deflate-and-brotli',
    does: 'deflate and brotli alternately',
    start: always(({ right, nth }) =>
      nth % 2 === 0
        ? answer(right, { body: deflateSync(right.body), add: ['Content-Encoding: deflate'] })
        : answer(right, { body: brotliCompressSync(right.body), add: ['Content-Encoding: br'] }),
    ),
    expected: passes,
  },
  {
    name: 'deep-json',
    does: 'a plant with arrays nested 100,000 deep beside its name',
    start: accepted(plantWith(`"deep":${'['.repeat(100_000)}${']'.repeat(100_000)}`)),
    expected: passes,
  },
  {
    name: 'deep-objects-as-a-name',
    does: 'a name of objects nested 100,000 deep',
    start: accepted(`{"name":${'{"name":'.repeat(100_000)}1${'}'.repeat(100_000)}}`),
    expected: noPlant,
  },
  {
    name: 'deep-error',
    does: 'an error of arrays nested 100,000 deep',
    start: rejected(errorWith(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)),
    expected: noError,
  },
  {
    name: 'million-digits-in-a-plant',
    does: 'a number of a million digits beside the name',
    start: accepted(plantWith(`"height":${'9'.repeat(1_000_000)}`)),
    expected: passes,
  },
  {
    name: 'long-number-in-an-error',
    does: 'an error of a hundred thousand digits',
    start: rejected(`${' '.repeat(65_536)}${errorWith('9'.repeat(100_000))}`),
    expected: noError,
  },
  {
    name: 'huge-exponent-in-an-error',
    does: 'an error of 1e999999999',
    start: rejected(errorWith('1e999999999')),
    expected: noError,
  },
  {
    name: 'tiny-exponent-in-an-error',
    does: 'an error of 1e-999999999',
    start: rejected(errorWith('1e-999999999')),
    expected: noError,
  },
  {
    name: 'prototype-names',
    does: '__proto__, constructor and toString beside the name',
    start: accepted(
      plantWith('"__proto__":{"name":1,"tag":2},"constructor":{"prototype":{"name":3}},"toString":4'),
    ),
    expected: passes,
  },
  {
    name: 'name-by-prototype',
    does: 'a name only under __proto__',
    start: accepted('{"__proto__":{"name":"Aloe"}}'),
    expected: noPlant,
  },
  {
    name: 'name-twice',
    does: 'two names, the last one a number',
    start: accepted('{"name":"Aloe","name":1}'),
    expected: noPlant,
  },
  {
    name: 'error-twice',
    does: 'two errors, the last one right',
    start: rejected('{"error":"no","error":1,"message":"no"}'),
    expected: passes,
  },
  {
    name: 'lone-surrogates',
    does: 'halves of surrogate pairs, escaped, beside the name',
    start: accepted(plantWith('"half":"\\ud800","\\udfff":"\\udc00\\ud800"')),
    expected: passes,
  },
  {
    name: 'surrogates-in-utf-8',
    does: 'half of a surrogate pair as three bytes',
    start: accepted(Buffer.from('{"name":"\xed\xa0\x80"}', 'latin1')),
    expected: noPlant,
  },
  {
    name: 'utf-16',
    does: 'bodies in UTF-16 with charset=utf-16',
    start: always(({ right }) =>
      answer(right, {
        drop: /^content-type/i,
        add: ['Content-Type: application/json; charset=utf-16le'],
        body: Buffer.from(right.body.toString('utf8'), 'utf16le'),
      }),
    ),
    expected: noPlant,
  },
  {
    name: 'byte-order-mark',
    does: 'a byte order mark before each body',
    start: always(({ right }) => answer(right, { body: `\ufeff${right.body.toString('utf8')}` })),
    expected: { ...passes, fails: ['invariants/no-byte-order-mark'] },
  },
  {
    name: 'charset-lies',
    does: 'UTF-8 with charset=utf-7 and other wrong values',
    start: always(({ right, nth }) =>
      answer(right, {
        drop: /^content-type/i,
        add: [`Content-Type: application/json; charset=${['utf-7', 'utf-16', '"', 'no such'][nth % 4]}`],
      }),
    ),
    expected: passes,
  },
  {
    name: 'latin-1-body',
    does: 'a name in Latin-1 with charset=iso-8859-1',
    start: always(({ right }) =>
      answer(right, {
        drop: /^content-type/i,
        add: ['Content-Type: application/json; charset=iso-8859-1'],
        body: right.status === 200 ? Buffer.from('{"name":"Alo\xeb"}', 'latin1') : right.body,
      }),
    ),
    expected: noPlant,
  },
  {
    name: 'echoed-token',
    does: 'the token in every form, in the reason phrase, in headers and throughout a long body',
    start: always(({ right, asked }) => {
      const forms = formsOf(asked.header('authorization') ?? '');
      const body = JSON.stringify({ error: 'no', message: forms.join(' ').repeat(400) });
      return answer(right, {
        line: `HTTP/1.1 ${right.status} ${forms.join(' ').slice(0, 2000)}`,
        add: forms.map((form, index) => `X-Echo-${index}-${form.replace(/[^\w]/g, '')}: ${form}`),
        body,
      });
    }),
    expected: { outcome: 'nonconformant', fails: ['invariants/leaks-no-token'] },
  },
  {
    name: 'token-over-and-over',
    does: 'only the token, ten thousand times',
    start: always(({ right, token, nth }) =>
      answer(right, { body: `${'x'.repeat(nth % 40)}${token.repeat(10_000)}` }),
    ),
    expected: noPlant,
  },
  {
    name: 'token-at-the-cut',
    does: 'the token near every place where a record truncates a body',
    start: always(({ right, token, nth }) =>
      answer(right, {
        body: `${'é'.repeat(2020 + (nth % 20))}${'x'.repeat(nth % 7)}${token}${'x'.repeat(4040)}${token.repeat(3)}`,
      }),
    ),
    expected: noPlant,
  },
  {
    name: 'token-in-disguise',
    does: 'the token in UTF-16, in hex, in \\u escapes, in HTML entities, with escaped slashes',
    start: always(({ right, token, nth }) => {
      const units = [...token].map((char) => char.charCodeAt(0));
      const hex = units.map((unit) => unit.toString(16).padStart(2, '0'));
      const disguises = [
        Buffer.from(`{"name":"${token}`, 'utf16le'),
        Buffer.from(`{"name":"${token}`, 'utf16le').swap16(),
        Buffer.from(Buffer.from(token).toString('hex')),
        Buffer.from(hex.map((two) => `\\u00${two}`).join('')),
        Buffer.from(units.map((unit) => `&#${unit};`).join('')),
        Buffer.from(hex.map((two) => `&#x${two};`).join('')),
        Buffer.from(hex.map((two) => `%${two}`).join('')),
        Buffer.from(token.replaceAll('/', '\\/')),
        Buffer.from(JSON.stringify(JSON.stringify(token.replaceAll('/', '\\/')))),
        gzipSync(token),
      ];
      const add = nth % disguises.length === 9 ? ['Content-Encoding: gzip'] : [];
      return answer(right, { body: disguises[nth % disguises.length] ?? '', add });
    }),
    expected: noPlant,
  },
];
