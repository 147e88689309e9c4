import { expect, test } from 'vitest';
import { bundledContract } from '../lib/contract/bundled-contract.ts';
import { rightAndWrong, wrongToken } from '../lib/payloads/credentials.ts';
import { expectedOutcomeOf } from '../lib/payloads/expected-outcome.ts';
import type { ExpectedOutcome, RequestTemplate } from '../lib/payloads/test-case.ts';
import { fill } from '../lib/run/send/fill-template.ts';
import { TOKEN } from './helpers/stores.ts';

const text = (body: string): RequestTemplate => ({ body: { bytes: Buffer.from(body) } });
const PLANT = text('{"name":"Aloe","id":7}');
const LONG = ' '.repeat(64 * 1024);
const wrong = { credential: wrongToken('a random token of the same length') };

test.each<[what: string, expected: ExpectedOutcome, template: RequestTemplate]>([
  ['a plant', 'accept', PLANT],
  ['a plant with a query', 'accept', { ...PLANT, path: '/plants?page=1' }],
  ['a plant with a charset', 'accept', { ...PLANT, contentType: 'application/json;charset=utf-8' }],
  ['a media type in capitals', 'accept', { ...PLANT, contentType: 'Application/JSON' }],
  ['a coding that changes nothing', 'accept', { ...PLANT, headers: [['Content-Encoding', 'identity']] }],
  ['a plant with a byte order mark', 'accept', text('\ufeff{"name":"Aloe","id":7}')],
  [
    'a media type that begins alike',
    'accept-or-reject',
    { ...PLANT, contentType: 'application/json-patch+json' },
  ],
  ['no media type', 'accept-or-reject', { ...PLANT, contentType: undefined }],
  ['an undeclared coding', 'accept-or-reject', { ...PLANT, headers: [['Content-Encoding', 'x-none']] }],
  ['another method', 'accept-or-reject', { ...PLANT, method: 'GET' }],
  ['an encoded letter in the path', 'accept-or-reject', { ...PLANT, path: '/%70lants' }],
  ['an encoded letter in the path and a wrong token', 'reject-credential', { path: '/%70lants', ...wrong }],
  ['an encoded letter in the path and a missing id', 'reject-body', { ...text('{}'), path: '/%70lants' }],
  ['another path', 'accept-or-reject', { ...PLANT, path: '/plants/7' }],
  ['a path that begins alike', 'accept-or-reject', { ...PLANT, path: '/plantsof' }],
  ['more than 64 KiB', 'accept-or-reject', text(`{"name":"Aloe","id":7}${LONG}`)],
  ['more than 64 KiB of something else', 'accept-or-reject', text(`[]${LONG}`)],
  ['a plant that is cut off', 'accept-or-reject', { ...PLANT, abort: () => 5 }],
  ['what is declared to be open', 'accept-or-reject', { ...PLANT, outsideContract: true }],
  ['bytes that are not HTTP', 'accept-or-reject', { ...PLANT, rawBytes: () => 'POST' }],
  ['no body', 'reject-body', {}],
  ['a missing id', 'reject-body', text('{"name":"Aloe"}')],
  ['what is not JSON', 'reject-body', text('name=Aloe')],
  ['what is not UTF-8', 'reject-body', { body: { bytes: Buffer.from('{"name":"\xe9","id":7}', 'latin1') } }],
  ['no plant in another media type', 'reject-body', { ...text('[]'), contentType: 'text/plain' }],
  ['a wrong token', 'reject-credential', { ...PLANT, ...wrong }],
  ['a wrong token and no plant', 'reject-credential', { ...text('[]'), ...wrong }],
  ['a wrong token and more than 64 KiB', 'reject-credential', { ...text(`[]${LONG}`), ...wrong }],
  ['a second token', 'reject-credential', { ...PLANT, credential: rightAndWrong('f3a91c07d2', 'last') }],
])('%s: %s', async (_, expected, template) => {
  const request = fill(template, 7n, { token: TOKEN, host: 'localhost', prefix: '', headers: [] });
  expect(expectedOutcomeOf(request, template, await bundledContract(), TOKEN)).toBe(expected);
});

test('the base URL of a request that was sent may have a path', async () => {
  const request = fill(PLANT, 7n, { token: TOKEN, host: 'localhost', prefix: '', headers: [] });
  const sent = { ...request, path: `/v1${request.path}` };
  expect(expectedOutcomeOf(sent, PLANT, await bundledContract(), TOKEN)).toBe('accept');
});
