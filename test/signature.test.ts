import { beforeAll, describe, expect, test } from 'vitest';
import type { Contract } from '../lib/contract/contract.ts';
import { loadContract } from '../lib/contract/load-contract.ts';
import { signatureOf } from '../lib/judge/signature.ts';
import { packageFile } from '../lib/package.ts';
import type { Exchange } from '../lib/wire/exchange.ts';

let contract: Contract;
beforeAll(async () => {
  contract = await loadContract(packageFile('openapi.yaml'));
});

const SENT = '{"id":7,"name":"Aloe","tag":"x"}';

/** An exchange with these bodies. */
const exchange = (status: number, answer: string, sent: string | undefined = SENT): Exchange => ({
  request: {
    method: 'POST',
    path: '/plants',
    headers: [],
    body: sent === '' ? undefined : Buffer.from(sent),
    framing: 'length',
  },
  ms: 1,
  interim: [],
  kind: 'answered',
  response: {
    status,
    statusText: '',
    headers: [['content-type', 'application/json']],
    body: Buffer.from(answer),
    truncated: false,
  },
});

describe('the signature of an answer', () => {
  test.each<[status: number, answer: string, signature: string]>([
    [400, '{"error":1,"message":"no"}', 'rejected: an Error'],
    [422, '{"error":2,"message":"never"}', 'rejected: an Error'],
    [400, '{"message":"no"}', 'rejected: not an Error'],
    [401, '', 'rejected: not an Error'],
    [500, '{"error":1,"message":"no"}', 'a server error'],
    [503, '', 'a server error'],
    [302, '', 'answered 302'],
    [600, '', 'answered 600'],
    [200, 'nonsense', 'accepted: not a Plant'],
    [200, 'null', 'accepted: not a Plant'],
    [200, '7', 'accepted: not a Plant'],
    [200, '{}', 'accepted: not a Plant, name missing, tag missing, id missing'],
    [201, '{"id":7,"name":"Aloe","tag":"x"}', 'accepted: a Plant'],
    [200, '{"tag":"x","name":"Aloe","id":7,"more":1}', 'accepted: a Plant'],
    [200, '{"name":"Aloe","tag":"x"}', 'accepted: a Plant, id missing'],
    [200, '{"name":"aloe","tag":"x","id":"7"}', 'accepted: a Plant, name changed, id changed'],
    [200, '{"name":["Aloe"],"tag":"x","id":7}', 'accepted: not a Plant, name changed'],
  ])('%d %s is %j', (status, answer, signature) => {
    expect(signatureOf(exchange(status, answer), contract)).toBe(signature);
  });

  test.each<[what: string, sent: string, answer: string, signature: string]>([
    ['a tag that was not sent', '{"name":"a"}', '{"name":"a","tag":"y"}', 'a Plant, tag added'],
    ['null for what was not sent', '{"name":"a"}', '{"name":"a","id":null}', 'a Plant, id null'],
    ['properties neither sent nor returned', '{"name":"a"}', '{"name":"a"}', 'a Plant'],
    ['an inherited name', '{"__proto__":{"name":"a"}}', '{"name":"a"}', 'a Plant, name added'],
    ['no body', '', '{"name":"a"}', 'a Plant, name added'],
    ['a body that is not JSON', '{"name":', '{"name":"a"}', 'a Plant, name added'],
    ['null', 'null', '{"name":"a"}', 'a Plant, name added'],
    ['a string', '"name"', '{"name":"a"}', 'a Plant, name added'],
    ['an equal list', '{"name":["a"]}', '{"name":["a"]}', 'not a Plant'],
  ])('of %s', (_what, sent, answer, signature) => {
    expect(signatureOf(exchange(200, answer, sent), contract)).toBe(`accepted: ${signature}`);
  });

  test('is the fault if there was no response', () => {
    const { response: _response, ...rest } = exchange(200, '{}');
    const broken: Exchange = {
      ...rest,
      kind: 'broken',
      fault: { kind: 'closed', detail: 'it was closed' },
      response: undefined,
    };
    expect(signatureOf(broken, contract)).toBe('no response (closed)');
  });
});
