import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadContract } from '../lib/contract/contract.ts';
import { packageFile } from '../lib/package.ts';
import { wrongTokens } from '../lib/payloads/credentials.ts';
import { templateOf } from '../lib/payloads/model/dimension.ts';
import { countsOf, type Expectation, modelsOf, requestOf, valuesOf } from '../lib/payloads/model/model.ts';
import type { RequestTemplate } from '../lib/payloads/test-case.ts';
import { sentAndReceived } from '../lib/report/recorded.ts';
import { redactor } from '../lib/report/redact.ts';
import { type Reproduction, stepsOf } from '../lib/report/steps.ts';
import { fill, withUsual } from '../lib/run/fill.ts';
import { endpointOf } from '../lib/wire/endpoint.ts';
import type { Exchange } from '../lib/wire/exchange.ts';
import { HttpClient } from '../lib/wire/http-client.ts';
import { type Arrived, absent, printed, Recorder } from './bash.ts';
import { TOKEN } from './stores.ts';

const ID = 1_234_567_890n;
/** Another token than the right one may be any of its length. */
const [unknown] = wrongTokens[0]?.credential.values(TOKEN) ?? [];
const NEXT = TOKEN.replace(/[a-z0-9]/gi, (letter) =>
  'zZ9'.includes(letter)
    ? ({ z: 'a', Z: 'A' }[letter] ?? '0')
    : String.fromCharCode(letter.charCodeAt(0) + 1),
);
const ONCE = { times: 1, inFlight: 1 } as const;

/** Sends a request as the suite does, with the one that its template names before it. */
async function reproductionOf(template: RequestTemplate, baseUrl: string, id = ID): Promise<Reproduction> {
  const endpoint = endpointOf(baseUrl, { timeout: 5000 });
  const client = new HttpClient(endpoint, 2);
  const defaults = { token: TOKEN, host: endpoint.authority, prefix: '', headers: withUsual([]) };
  const made = (one: RequestTemplate) => () => fill(one, id, defaults);
  const send = (one: RequestTemplate) => client.send(made(one)());
  const { after } = template;
  let exchanges: readonly Exchange[];
  if (after === undefined) exchanges = [await send(template)];
  else if (after.connection === 'beside')
    exchanges = await Promise.all([send(after.template), send(template)]);
  else if (after.connection === 'other') exchanges = [await send(after.template), await send(template)];
  else
    exchanges = await client.sendSequence([made(after.template), made(template)], {
      pipelined: after.connection === 'pipelined',
    });
  await client.close();
  const recorded = exchanges.map((exchange, index) => {
    const own = after !== undefined && index === 0 ? after.template : template;
    return { request: sentAndReceived(exchange, own, baseUrl, redactor([TOKEN])).request, freshId: id };
  });
  const main = recorded.at(-1);
  if (main === undefined) throw new Error('nothing was sent');
  const before =
    after === undefined ? [] : recorded.slice(0, -1).map((one) => ({ ...one, connection: after.connection }));
  return { ...main, before, repeat: ONCE };
}

/** What a request means, with the places of its id blanked. `like` has the id that was sent first. */
function meaningOf(
  { method, target, headers, body, complete }: Arrived,
  like: Arrived | undefined,
  id: bigint,
): object {
  const blanked = (text: string, original = '') => {
    let blank = text;
    for (const { index } of original.matchAll(new RegExp(`(?<!\\d)${id}(?!\\d)`, 'g')))
      blank = `${blank.slice(0, index)}${'#'.repeat(String(id).length)}${blank.slice(index + String(id).length)}`;
    return blank;
  };
  const usual = (name: string, value: string) =>
    ['connection', 'host'].includes(name) ||
    (name === 'accept' && ['application/json', '*/*'].includes(value)) ||
    (name === 'user-agent' && /^(?:curl|plant-store-conformance)/.test(value));
  return {
    method,
    target: blanked(target, like?.target),
    headers: headers
      .map(([name, value]) => [name.toLowerCase(), value === unknown ? `Bearer ${NEXT}` : value] as const)
      .filter(([name, value]) => !usual(name, value))
      .map((pair) => pair.join(': '))
      .sort(),
    body: blanked(body, like?.body),
    complete,
  };
}

const meanings = (arrived: readonly Arrived[], like: readonly Arrived[], id: bigint) =>
  arrived.map((one, index) => meaningOf(one, like[index], id));

/** Requests sent at the same time arrive in any order. */
const inOrder = (arrived: readonly Arrived[], template: RequestTemplate) =>
  template.after?.connection === 'beside'
    ? [...arrived].sort((a, b) =>
        JSON.stringify([a.headers.length, a.body.length]) < JSON.stringify([b.headers.length, b.body.length])
          ? -1
          : 1,
      )
    : arrived;

describe.skipIf(absent)('the steps', () => {
  const recorders: Recorder[] = [];
  beforeAll(async () => {
    for (let count = 0; count < 4; count += 1) recorders.push(await Recorder.start());
  });
  afterAll(() => {
    for (const recorder of recorders) recorder.close();
  });

  /** Checks that the steps of a request send what the suite sent, twice. */
  async function check(template: RequestTemplate, recorder: Recorder, id = ID): Promise<readonly string[]> {
    const reproduction = await reproductionOf(template, recorder.baseUrl, id);
    const original = inOrder(await recorder.taken(), template);
    const steps = stepsOf(reproduction);
    for (const step of steps) expect(step).not.toMatch(/[\n\t]/);
    const bodies: string[][] = [];
    for (let turn = 0; turn < 2; turn += 1) {
      await printed(steps);
      const again = inOrder(await recorder.taken(), template);
      expect(meanings(again, original, id), steps.join('\n')).toEqual(meanings(original, original, id));
      bodies.push(again.map(({ target, body }) => target + body));
    }
    const [first, second] = bodies;
    for (const [index, { target, body }] of original.entries())
      if (new RegExp(`(?<!\\d)${id}(?!\\d)`).test(`${target} ${body}`))
        expect(first?.[index]).not.toBe(second?.[index]);
    return steps;
  }

  test.each<Expectation>(['answered', 'rejected', 'unauthorised'])(
    'send what the suite sent, for each value of the requests that are %s',
    async (expectation) => {
      const model = modelsOf(await loadContract(packageFile('openapi.yaml')))[expectation];
      const none = model.dimensions.map(() => 0);
      const own = {
        answered: /./,
        accepted: /./,
        rejected: /defect|history/,
        unauthorised: /credential|history/,
      };
      const cases = model.dimensions.flatMap(({ name, values }, dimension) =>
        own[expectation].test(name)
          ? values.flatMap((_, value) =>
              Array.from({ length: countsOf(model)[dimension]?.[value] ?? 1 }, (_, member) => ({
                row: none.with(dimension, value),
                members: none.with(dimension, member),
                salt: 1,
              })),
            )
          : [],
      );
      expect(cases.length).toBeGreaterThan(30);
      const failures: string[] = [];
      await Promise.all(
        recorders.map(async (recorder) => {
          for (let chosen = cases.pop(); chosen !== undefined; chosen = cases.pop()) {
            const named = valuesOf(model, chosen).filter(({ index }) => index > 0);
            try {
              await check(templateOf(requestOf(model, chosen)), recorder);
            } catch (error) {
              failures.push(`${named.map(({ value }) => value.name).join()}: ${String(error)}`);
              await recorder.taken();
            }
          }
        }),
      );
      expect(failures).toEqual([]);
    },
  );
});
