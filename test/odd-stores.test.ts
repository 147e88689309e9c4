import { request } from 'node:http';
import { expect, test } from 'vitest';
import type { RunningStore } from '../reference/store.ts';
import { withStore } from './helpers/stores.ts';

interface Asked {
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string;
}

const ROSE = '{"id":1234567,"name":"Rose","tag":"fern"}';
const rose = (more: object) => JSON.stringify({ id: 1234567, name: 'Rose', ...more });

/** The status of the response to one request. */
const statusOf = ({ url, token }: RunningStore, { path, headers, body = ROSE }: Asked) =>
  new Promise<number | undefined>((resolve, reject) => {
    const known = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    // With a Content-Length, Node's client does not wait for 100 Continue.
    const length =
      headers?.['transfer-encoding'] === undefined ? { 'content-length': Buffer.byteLength(body) } : {};
    const target = path?.replace('HOST', new URL(url).host) ?? '/plants';
    const sent = request(url, {
      method: 'POST',
      path: target,
      headers: { ...known, ...length, ...headers },
      agent: false,
    });
    sent.once('response', (response) => {
      response.resume().once('end', () => resolve(response.statusCode));
    });
    sent.once('error', reject);
    sent.end(body);
  });

const absolute = { path: 'http://HOST/plants' };
const encoded = { path: '/%70lants' };
const query = { path: '/plants?colour=%3Cgreen%3E' };
const header = (name: string, value: string): Asked => ({ headers: { [name]: value } });
const body = (text: string): Asked => ({ body: text });
const chunked = header('transfer-encoding', 'chunked');

/** For each store, a request that other stores accept or reject differently. */
const ODD: readonly (readonly [name: string, asked: Asked, status: number])[] = [
  ['absolute-form-accepted', absolute, 200],
  ['absolute-form-400', absolute, 400],
  ['absolute-form-html-403', absolute, 403],
  ['absolute-form-redirects', absolute, 301],
  ['misdirected-421', { path: 'http://plants.example/plants' }, 421],
  ['encoded-path-accepted', encoded, 200],
  ['encoded-path-redirects', encoded, 308],
  ['encoded-path-400', encoded, 400],
  ['encoded-path-403', encoded, 403],
  ['slashes-merged', { path: '//./plants' }, 200],
  ['path-parameters', { path: '/plants;v=1' }, 200],
  ['front-controller', { path: '/' }, 200],
  ['queries-400', query, 400],
  ['queries-404', query, 404],
  ['queries-redirect', query, 301],
  ['iis-request-filtering', query, 404],
  ['long-targets-414', { path: `/plants?${'q'.repeat(1000)}` }, 414],
  ['api-gateway', { path: '/' }, 403],
  ['method-override-405', header('x-http-method-override', 'DELETE'), 405],
  ['original-url-404', header('x-original-url', '/admin'), 404],
  ['https-redirects', header('x-forwarded-proto', 'http'), 308],
  ['forwarded-host-421', header('x-forwarded-host', 'plants.example'), 421],
  ['forwarded-for-403', header('x-forwarded-for', '192.0.2.1'), 403],
  ['foreign-origin-403', header('origin', 'https://plants.example'), 403],
  ['cross-site-403', header('sec-fetch-site', 'cross-site'), 403],
  ['cookies-need-csrf-token', header('cookie', 'a=1'), 403],
  ['conditions-412', header('if-none-match', '*'), 412],
  ['early-data-425', header('early-data', '1'), 425],
  ['accept-406', header('accept', 'text/html, application/*;q=0'), 406],
  ['accept-406-before-credential', { headers: { accept: 'text/html', authorization: 'no' } }, 406],
  ['accept-literally-406', header('accept', 'application/*'), 406],
  ['accept-charset-406', header('accept-charset', 'iso-8859-1'), 406],
  ['identity-coding-415', header('content-encoding', 'identity'), 415],
  ['other-charsets-415', header('content-type', 'application/json; charset=iso-8859-1'), 415],
  ['media-type-to-the-letter', header('content-type', 'Application/JSON'), 415],
  ['boundary-422', header('content-type', 'application/json; boundary=x'), 422],
  ['expect-417', header('expect', '100-continue'), 417],
  ['chunked-400', chunked, 400],
  ['chunked-411-html', chunked, 411],
  ['header-431', header('x-padding', 'x'.repeat(9000)), 431],
  ['many-fields-431', { headers: { 'x-field': Array.from({ length: 41 }, () => '1') } }, 431],
  ['obs-text-403', header('x-name', '\xe9'), 403],
  ['early-413', body(rose({ more: 'x'.repeat(2000) })), 413],
  ['envoy-413', body(rose({ more: 'x'.repeat(5000) })), 413],
  ['white-space-413', body(`${' '.repeat(1100)}${ROSE}`), 413],
  ['names-of-255-bytes', body(rose({ name: 'é'.repeat(128) })), 400],
  ['strings-of-5000', body(rose({ more: 'x'.repeat(6000) })), 413],
  ['numbers-of-30', body(`{"id":1234567,"name":"Rose","more":${'1'.repeat(31)}}`), 400],
  ['few-keys', body(rose(Object.fromEntries([...'abcdefghij'].map((key) => [key, 1])))), 400],
  ['short-keys', body(rose({ ['k'.repeat(60)]: 1 })), 422],
  ['plain-keys', body(rose({ 'a b': 1 })), 400],
  ['prototype-keys-400', body(rose({ more: { constructor: 1 } })), 400],
  ['flat', body(rose({ more: [] })), 400],
  ['undeclared-nulls-422', body(rose({ more: null })), 422],
  ['names-in-another-case-400', body(rose({ NAME: 1 })), 400],
  ['composed-only', body(rose({ name: 'e\u0301' })), 400],
  ['no-format-characters', body(rose({ name: 'a\u200db' })), 422],
  ['latin-only', body(rose({ name: 'роза' })), 400],
  ['trimmed-only', body(rose({ name: ' a' })), 400],
  ['safe-integers', body('{"id":9007199254740993,"name":"Rose"}'), 400],
  ['ids-of-31-bits-404', body('{"id":-1,"name":"Rose"}'), 404],
  ['utf-16-accepted', { body: [...'{"id":1234567,"name":"Rose"}'].join('\0').concat('\0') }, 200],
  ['empty-415', body(''), 415],
  ['waf-403', body(rose({ name: '<script>' })), 403],
  ['modsecurity-406', body(rose({ name: '../../etc' })), 406],
  ['waf-challenge-403', body(rose({ name: '${jndi:x}' })), 403],
  ['rejects-before-the-body', header('authorization', 'no'), 401],
  ['continues-only-for-the-known', { headers: { expect: '100-continue', authorization: 'no' } }, 401],
  ['long-credentials-431', header('authorization', `Bearer ${'x'.repeat(500)}`), 431],
  ['other-schemes-400', header('authorization', 'Basic eDp5'), 400],
  ['token-characters-400', header('authorization', 'Bearer a,b'), 400],
];

test.each(ODD)('%s is odd in the way its name says', async (name, asked, status) => {
  expect(await withStore(name, (store) => statusOf(store, asked))).toBe(status);
});

const lily = body('{"id":1234567,"name":"Lily"}');
const keyed = (more: Asked): Asked => ({ ...more, headers: { 'idempotency-key': 'a' } });

/** For each store, two requests and the status of the second. */
const REPEATS: readonly (readonly [name: string, first: Asked, second: Asked, status: number])[] = [
  ['unique-names-normalised', body('{"id":1,"name":"RO\uff33E  x"}'), body('{"id":2,"name":" rose x"}'), 409],
  ['unique-slugs-400', body('{"id":1,"name":"Rosé-1"}'), body('{"id":2,"name":"Rosé 1\'"}'), 400],
  ['unique-names-and-tags-422', {}, {}, 422],
  [
    'unique-double-ids',
    body('{"id":9007199254740993,"name":"a"}'),
    body('{"id":9007199254740992,"name":"b"}'),
    409,
  ],
  ['unique-ids-html', {}, lily, 409],
  ['idempotent-ids', {}, {}, 200],
  ['idempotent-ids', {}, lily, 409],
  ['idempotent-ids-400', {}, lily, 400],
  ['first-plant-stays', {}, lily, 200],
  ['existing-303', {}, lily, 303],
  ['idempotency-key', keyed({}), keyed(lily), 200],
  ['idempotency-key-422', keyed({}), keyed(lily), 422],
  ['same-bytes-429', {}, {}, 429],
  ['ids-used-once', body('{"id":1234567,"name":1}'), {}, 409],
  ['names-used-once-400', body('{"id":"a","name":"Rose"}'), {}, 400],
];

test.each(REPEATS)('%s treats a second plant as its name says', async (name, first, second, status) => {
  const answered = await withStore(name, async (store) => {
    await statusOf(store, first);
    return statusOf(store, second);
  });
  expect(answered).toBe(status);
});
