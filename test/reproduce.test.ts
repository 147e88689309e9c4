import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadContract } from '../lib/contract/load-contract.ts';
import { packageFile } from '../lib/package.ts';
import { unseenToken, wrongTokens } from '../lib/payloads/credentials.ts';
import { countsOf, modelsOf, requestOf, valuesOf } from '../lib/payloads/model/model.ts';
import { templateOf } from '../lib/payloads/model/model-request.ts';
import type { ExpectedOutcome, RequestTemplate } from '../lib/payloads/test-case.ts';
import { sentAndReceived } from '../lib/report/record/record-exchange.ts';
import { redactor } from '../lib/report/record/redact.ts';
import { type Reproduction, stepsOf } from '../lib/report/reproduce/steps.ts';
import { fill, withDefaultHeaders } from '../lib/run/send/fill-template.ts';
import { endpointOf } from '../lib/wire/endpoint.ts';
import type { Exchange } from '../lib/wire/exchange.ts';
import { HttpClient } from '../lib/wire/http-client.ts';
import { type Arrived, absent, CERTIFICATE, printed, Recorder, typed } from './helpers/bash.ts';
import { TOKEN } from './helpers/stores.ts';

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
  const endpoint = endpointOf(baseUrl, { timeout: 5000, ca: readFileSync(CERTIFICATE, 'utf8') });
  const client = new HttpClient(endpoint, 2);
  const defaults = { token: TOKEN, host: endpoint.authority, prefix: '', headers: withDefaultHeaders([]) };
  const made = (one: RequestTemplate) => fill(one, id, defaults);
  const repeatable = (one: RequestTemplate) => ({ request: made(one), again: () => made(one) });
  const send = (one: RequestTemplate) => client.send(made(one));
  const { preceding } = template;
  let exchanges: readonly Exchange[];
  if (preceding === undefined) exchanges = [await send(template)];
  else if (preceding.connection === 'concurrent')
    exchanges = await Promise.all([send(preceding.template), send(template)]);
  else if (preceding.connection === 'other' || preceding.connection === 'other-open')
    exchanges = [await send(preceding.template), await send(template)];
  else
    exchanges = await client.sendSequence([repeatable(preceding.template), repeatable(template)], {
      pipelined: preceding.connection === 'pipelined',
    });
  await client.close();
  const recorded = exchanges.map((exchange, index) => {
    const own = preceding !== undefined && index === 0 ? preceding.template : template;
    return { request: sentAndReceived(exchange, own, baseUrl, redactor([TOKEN])).request, freshId: id };
  });
  const main = recorded.at(-1);
  if (main === undefined) throw new Error('nothing was sent');
  const before =
    preceding === undefined
      ? []
      : recorded.slice(0, -1).map((one) => ({ ...one, connection: preceding.connection }));
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
const inOrder = (arrived: readonly Arrived[], template: RequestTemplate) => {
  const keyOf = ({ headers, body }: Arrived) => {
    const [, credential = ''] = headers.find(([name]) => /^authorization$/i.test(name)) ?? [];
    return `${credential} ${body.length} ${body}`;
  };
  return template.preceding?.connection === 'concurrent'
    ? [...arrived].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    : arrived;
};

describe.skipIf(absent)('the steps', () => {
  const recorders: Recorder[] = [];
  beforeAll(async () => {
    for (let count = 0; count < 4; count += 1) recorders.push(await Recorder.start());
  });
  afterAll(() => {
    for (const recorder of recorders) recorder.close();
  });

  /** Checks that the steps of a request send what the suite sent, as often as they are taken. */
  async function check(
    template: RequestTemplate,
    recorder: Recorder,
    id = ID,
    turns = 2,
  ): Promise<readonly string[]> {
    const reproduction = await reproductionOf(template, recorder.baseUrl, id);
    const original = inOrder(await recorder.taken(), template);
    const steps = stepsOf(reproduction);
    for (const step of steps) expect(step).not.toMatch(/[\n\t]/);
    const bodies: string[][] = [];
    for (let turn = 0; turn < turns; turn += 1) {
      await printed(steps);
      const again = inOrder(await recorder.taken(), template);
      expect(meanings(again, original, id), steps.join('\n')).toEqual(meanings(original, original, id));
      bodies.push(again.map(({ target, body }) => target + body));
    }
    const [first, second] = bodies;
    for (const [index, { target, body }] of second === undefined ? [] : original.entries())
      if (new RegExp(`(?<!\\d)${id}(?!\\d)`).test(`${target} ${body}`))
        expect(first?.[index]).not.toBe(second?.[index]);
    return steps;
  }

  test.each<ExpectedOutcome>(['accept-or-reject', 'reject-body', 'reject-credential'])(
    'send what the suite sent, for each value of the requests that are %s',
    async (expected) => {
      const model = modelsOf(await loadContract(packageFile('openapi.yaml')))[expected];
      const none = model.dimensions.map(() => 0);
      const own = {
        'accept-or-reject': /./,
        accept: /./,
        'reject-body': /defect|history/,
        'reject-credential': /credential|history/,
      };
      const cases = model.dimensions.flatMap(({ name, values }, dimension) =>
        own[expected].test(name)
          ? values.map((_, value) => ({
              // Only these decide how the id is written, and thus whether another one is sent the second time.
              turns: /^(?:id|escapes|history|defect)$/.test(name) ? 2 : 1,
              row: none.with(dimension, value),
              // Values that share a row are alike.
              members: none.with(dimension, value % (countsOf(model)[dimension]?.[value] ?? 1)),
              seed: 1,
            }))
          : [],
      );
      expect(cases.length).toBeGreaterThan(30);
      const failures: string[] = [];
      await Promise.all(
        recorders.map(async (recorder) => {
          for (let chosen = cases.pop(); chosen !== undefined; chosen = cases.pop()) {
            const named = valuesOf(model, chosen).filter(({ index }) => index > 0);
            try {
              await check(templateOf(requestOf(model, chosen)), recorder, ID, chosen.turns);
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

  const plant = (text: string): RequestTemplate => ({ body: { bytes: Buffer.from(text) } });
  const withId = (rest = ''): RequestTemplate => plant(`{"id":${ID},"name":"Ficus"${rest}}`);
  const recorder = () => {
    const [first] = recorders;
    if (first === undefined) throw new Error('no store was started');
    return first;
  };

  test('of an ordinary request are as short as if written by hand', async () => {
    expect(await check(withId(), recorder())).toEqual([
      'ID=$((1000000000 + (RANDOM * 32768 + RANDOM) % 1000000000))',
      `curl -sS -i ${recorder().baseUrl}/plants -H "Authorization: Bearer $PLANT_STORE_TOKEN" -H 'Content-Type: application/json' -d '{"id":'"$ID"',"name":"Ficus"}'`,
    ]);
  });

  const long = 'Lorem ipsum dolor sit amet, "consectetur" adipiscing elit '.repeat(3);
  test.each<[name: string, body: string | Uint8Array]>([
    [
      'quotation marks, a dollar sign and a backquote',
      `{"id":${ID},"name":"it's \\"$HOME\\" \`id\` \\\\ 100%"}`,
    ],
    ['an exclamation mark', `{"id":${ID},"name":"'!!' !ls"}`],
    ['line feeds and tabs', `{\r\n\t"id": ${ID},\n\t"name": "a"\n}\n`],
    ['characters beyond ASCII', `{"id":${ID},"name":"Ωé🌵 \u0301\u202e\u00a0\ufeff"}`],
    ['a byte order mark', `\ufeff{"id":${ID}}`],
    ['a NUL', `{"id":${ID},"name":"a\0b"}`],
    ['bytes that are not UTF-8', Buffer.from(`{"id":${ID},"name":"\xff\xc3!'%"}`, 'latin1')],
    ['an @ at the start', '@/etc/passwd'],
    ['a hyphen at the start and a NUL', '-n %s\0'],
    ['a long run', `{"id":${ID},"name":"${'a'.repeat(60_000)}"}`],
    ['a long run of percent signs', `{"id":${ID},"name":"${"%'".repeat(3000)}"}`],
    ['a long run of characters beyond ASCII', `{"id":${ID},"name":"${'🌵'.repeat(3000)}"}`],
    ['a long run of line feeds', `{"id":${ID}${'\n'.repeat(3000)}}${'\n'.repeat(300)}`],
    ['a long run of hyphens', `{"id":${ID},"name":"${'-'.repeat(300)}"}`],
    ['a long text', `{"id":${ID},"name":${JSON.stringify(long)}}`],
    ['many properties', `{"id":${ID},${Array.from({ length: 900 }, (_, at) => `"property${at}":${at}`)}}`],
    ['over 64 KiB in white space at the end', `{"id":${ID},"name":"a"}${' '.repeat(150_000)}`],
    ['over 64 KiB in the last property', `{"list":["x",{"id":${ID},"name":"${'ab'.repeat(50_000)}"}]}`],
    [
      'the id twice, and within other numerals',
      `{"id":${ID},"a":"x${ID}y","b":${ID}0,"c":1${ID},"d":-${ID}.5}`,
    ],
    ['no id', '{"name":"Ficus"}'],
  ])('send a body with %s', async (_, body) => {
    const template: RequestTemplate = { body: { bytes: Buffer.from(body) } };
    const steps = await check(template, recorder());
    expect(Math.max(...steps.map(({ length }) => length))).toBeLessThan(6000);
    await check({ ...template, framing: 'chunked' }, recorder());
    await check({ ...template, delivery: { headFirst: true } }, recorder());
  });

  test.each(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH', 'POST', 'PURGE'])(
    'send %s, with and without a body',
    async (method) => {
      const path = '/plants/{id}?x=[1]';
      await check({ method, path }, recorder());
      await check({ method, path, contentType: undefined, ...withId() }, recorder());
      await check({ method, ...withId(), delivery: { headCut: 'middle' } }, recorder());
      await check({ method, path: '/a/../plants/./%2e%2e/x', body: { bytes: Buffer.alloc(0) } }, recorder());
    },
  );

  test.each([
    12n,
    1_048_577n,
    2n ** 31n - 1n,
    2n ** 31n,
    2n ** 32n + 5n,
    2n ** 53n - 1n,
    2n ** 63n - 1n,
    -7_654_321n,
  ])('replace the id %d with one of the same size', async (id) => {
    const fresh: number[] = [];
    const { request, ...rest } = await reproductionOf(plant(`{"id":${id}}`), recorder().baseUrl, id);
    await recorder().taken();
    for (let turn = 0; turn < 8; turn += 1) {
      await printed(stepsOf({ request, ...rest }));
      const [{ body = '' } = {}] = await recorder().taken();
      const own = BigInt(/-?\d+/.exec(body)?.[0] ?? 0);
      expect(body).toBe(`{"id":${own}}`);
      expect(String(own)).toHaveLength(String(id).length);
      for (const bound of [2n ** 31n, 2n ** 53n, 2n ** 63n]) expect(own < bound).toBe(id < bound);
      fresh.push(Number(own));
    }
    expect(new Set(fresh).size).toBeGreaterThan(1);
  });

  test('send a token in the query and in the body', async () => {
    const [query] = (await check({ tokenIn: 'access_token', ...plant('{}') }, recorder())).slice(-1);
    expect(query).toContain('"');
    expect(query).toContain('plants?access_token=$PLANT_STORE_TOKEN"');
    const secret = (token: string, id: bigint) => `{"id":${id},"token":"${token}","other":"'$"}`;
    await check({ body: { secret } }, recorder());
  });

  /** Sends the steps and returns what arrives. */
  async function arriving(reproduction: Reproduction, delayMs = 0) {
    await recorder().taken();
    recorder().delayMs = delayMs;
    const steps = stepsOf(reproduction);
    const output = await printed(steps);
    recorder().delayMs = 0;
    return { steps, output, arrived: await recorder().taken() };
  }

  describe('with other requests', () => {
    const preceded = (
      connection: 'same' | 'pipelined' | 'other' | 'other-open' | 'concurrent',
      more: RequestTemplate = {},
    ) =>
      reproductionOf(
        { ...withId(), preceding: { template: { ...withId(',"first":1'), ...more }, connection } },
        recorder().baseUrl,
      );

    test('use one connection for both', async () => {
      const { steps, output, arrived } = await arriving(await preceded('same'), 100);
      expect(steps[1]).toMatch(/^curl -sS -i \S+ .* --next -sS -i /);
      expect(output.match(/HTTP\/1.1 200/g)).toHaveLength(2);
      expect(arrived.map(({ underWay }) => underWay)).toEqual([0, 0]);
      expect(new Set(arrived.map(({ connection }) => connection)).size).toBe(1);
      expect(new Set(arrived.map(({ body }) => /\d{10}/.exec(body)?.[0])).size).toBe(1);
    });

    test('use one connection for both, whatever their deliveries', async () => {
      const { arrived } = await arriving(await preceded('same', { delivery: { cuts: [5] } }), 100);
      expect(arrived.map(({ underWay }) => underWay)).toEqual([0, 0]);
      expect(new Set(arrived.map(({ connection }) => connection)).size).toBe(1);
    });

    test('pipeline them', async () => {
      const { output, arrived } = await arriving(await preceded('pipelined'), 300);
      expect(arrived.map(({ underWay }) => underWay)).toEqual([0, 1]);
      expect(new Set(arrived.map(({ connection }) => connection)).size).toBe(1);
      expect(output.match(/HTTP\/1.1 200/g)).toHaveLength(2);
    });

    test('use two connections', async () => {
      const { steps, arrived } = await arriving(await preceded('other'));
      expect(steps).toHaveLength(3);
      expect(arrived.map(({ body }) => body.includes('first'))).toEqual([true, false]);
      expect(new Set(arrived.map(({ connection }) => connection)).size).toBe(2);
    });

    test('keep a connection open meanwhile', async () => {
      const { steps, output, arrived } = await arriving(await preceded('other-open'));
      expect(steps[1]).toMatch(/^exec 3<>\/dev\/tcp\/127\.0\.0\.1\/\d+; /);
      expect(steps.at(-1)).toBe('exec 3>&-');
      expect(arrived.map(({ body }) => body.includes('first'))).toEqual([true, false]);
      expect(new Set(arrived.map(({ connection }) => connection)).size).toBe(2);
      expect(output.match(/HTTP\/1.1 200/g)).toHaveLength(1);
    });

    test('send both at the same time', async () => {
      const { output, arrived } = await arriving(await preceded('concurrent'), 500);
      expect(arrived.map(({ underWay }) => underWay)).toEqual([0, 1]);
      expect(output).toBe('200\n200\n');
    });

    test('send many of one kind in a loop, with a fresh id each time', async () => {
      const words = ['Oak', 'Elm', 'Fir', 'Yew'];
      const others = await Promise.all(
        words.map((word, index) => {
          const id = 1_048_577n * BigInt(index * 9 + 1);
          return reproductionOf(plant(`{"id":${id},"tag":"${word}"}`), recorder().baseUrl, id);
        }),
      );
      const main = await reproductionOf(withId(), recorder().baseUrl);
      await recorder().taken();
      const before = others.map((one) => ({ ...one, connection: 'other' as const }));
      const { steps, output, arrived } = await arriving({ ...main, before });
      expect(steps).toHaveLength(3);
      expect(steps[1]).toMatch(/^for i in \$\(seq 4\); do ID2=.*; done \| sort \| uniq -c$/);
      expect(output).toMatch(/^ *4 200\nHTTP\/1\.1 200/);
      expect(arrived.map(({ body }) => /Oak|Ficus/.exec(body)?.[0])).toEqual([
        ...words.map(() => 'Oak'),
        'Ficus',
      ]);
      expect(new Set(arrived.map(({ body }) => /\d+/.exec(body)?.[0])).size).toBe(5);
    });

    test('use several ids', async () => {
      const { request, ...rest } = await preceded('same');
      const other = await reproductionOf(plant('{"id":1048577}'), recorder().baseUrl, 1_048_577n);
      const { arrived } = await arriving({
        request,
        ...rest,
        before: [{ ...other, connection: 'other' }, ...rest.before],
      });
      const [first, second, third] = arrived.map(({ body }) => /\d+/.exec(body)?.[0]);
      expect(first).toHaveLength(7);
      expect(second).toHaveLength(10);
      expect(second).toBe(third);
    });
  });

  describe('that repeat a request', () => {
    const repeated = async (template: RequestTemplate, repeat: Reproduction['repeat'], delayMs = 0) =>
      arriving({ ...(await reproductionOf(template, recorder().baseUrl)), repeat }, delayMs);
    const idsOf = (arrived: readonly Arrived[]) =>
      new Set(arrived.map(({ body }) => /\d{10}/.exec(body)?.[0]));

    test('count the statuses, with a fresh id each time', async () => {
      const { steps, output, arrived } = await repeated(withId(), { times: 7, inFlight: 1 });
      expect(steps).toHaveLength(1);
      expect(steps[0]).toMatch(/^for i in \$\(seq 7\); do ID=.*; done \| sort \| uniq -c$/);
      expect(output).toMatch(/^ *7 200\n$/);
      expect(idsOf(arrived).size).toBe(7);
    });

    test('send several at a time', async () => {
      const { output, arrived } = await repeated(withId(), { times: 24, inFlight: 6 }, 300);
      expect(output).toMatch(/^ *24 200\n$/);
      expect(idsOf(arrived).size).toBe(24);
      expect(Math.max(...arrived.map(({ underWay }) => underWay))).toBeGreaterThan(1);
    });

    test('send many at a time even if each is answered at once, with one curl', async () => {
      const { steps, arrived } = await repeated(withId(), { times: 48, inFlight: 24 }, 20);
      expect(steps.at(-1)).toMatch(
        /^curl -Z .*--parallel-max 24 "\$\{requests\[@\]:1\}" \| sort \| uniq -c$/,
      );
      expect(idsOf(arrived).size).toBe(48);
      expect(Math.max(...arrived.map(({ underWay }) => underWay))).toBeGreaterThan(12);
    });

    test('send one id several times if it must be the same', async () => {
      const { output, arrived } = await repeated(withId(), { times: 8, inFlight: 4, sameId: true });
      expect(output).toMatch(/^ *8 200\n$/);
      expect(idsOf(arrived).size).toBe(1);
    });

    test('count the statuses of requests that curl cannot send', async () => {
      const template: RequestTemplate = { ...withId(), delivery: { cuts: [9] } };
      const { output, arrived } = await repeated(template, { times: 3, inFlight: 3 });
      expect(output).toMatch(/^ *3 HTTP\/1.1 200\n$/);
      expect(idsOf(arrived).size).toBe(3);
    });

    test.each([
      [{ times: 3, inFlight: 1 }, {}],
      [{ times: 3, inFlight: 3 }, {}],
      [{ times: 3, inFlight: 3 }, { cuts: [9] }],
    ])('send a random token of the right length: %j, %j', async (repeat, delivery) => {
      const { arrived } = await repeated({ ...withId(), credential: unseenToken(), delivery }, repeat);
      const tokens = arrived.map(
        ({ headers }) => headers.find(([name]) => /^authorization$/i.test(name))?.[1],
      );
      expect(tokens).toEqual(Array(3).fill(expect.stringMatching(/^Bearer [a-z0-9]+$/)));
      expect(new Set(tokens.map((token) => token?.length))).toEqual(
        new Set(['Bearer '.length + TOKEN.length]),
      );
    });

    test('repeat the preceding requests first, since they may have to be consecutive', async () => {
      const template: RequestTemplate = {
        ...withId(),
        preceding: { template: withId(), connection: 'other' },
      };
      const { output, arrived } = await repeated(template, { times: 3, inFlight: 1 });
      expect(output).toMatch(/^ *3 200\n$/);
      expect(arrived).toHaveLength(6);
      expect(idsOf(arrived).size).toBe(6);
    });
  });

  describe('that curl cannot send', () => {
    const headEnd = (text: string) => text.indexOf('\r\n\r\n') + 4;

    // A busy machine may join two segments.
    test.each<[name: string, template: RequestTemplate, expected: (pieces: readonly string[]) => void]>([
      [
        'cut the id',
        { ...withId(), delivery: { cuts: [9] } },
        ([first = '', second = '']) => {
          expect(first).toMatch(/\{"id":\d{3}$/);
          expect(second).toMatch(/^\d{7},"name":"Ficus"\}$/);
        },
      ],
      [
        'cut a long run',
        { ...plant(`{"id":${ID},"name":"${'a'.repeat(1000)}"}`), delivery: { cuts: [500, -1] } },
        (pieces) => expect(pieces.slice(1).map(({ length }) => length)).toEqual([526, 1]),
      ],
      [
        'send the head first',
        { ...withId(), delivery: { headFirst: true, pauseMs: 40 } },
        ([first = '', second = '']) => {
          expect(headEnd(first)).toBe(first.length);
          expect(second).toMatch(/^\{.*\}$/);
        },
      ],
      [
        'cut the head',
        { ...withId(), delivery: { headCut: 'middle' } },
        ([first = '', second = '']) => {
          expect(first).not.toContain('\r\n\r\n');
          expect(second).toContain('\r\n\r\n{');
        },
      ],
      [
        'cut the end of the head',
        { ...withId(), delivery: { headCut: 'end' } },
        ([first = '', second = '']) => {
          expect(first).toMatch(/\S\r\n$/);
          expect(second).toMatch(/^\r\n\{/);
        },
      ],
      [
        'send chunks',
        { ...withId(), framing: 'chunked', delivery: { chunks: 'many', chunkSizes: 'zeros' } },
        ([first = '']) =>
          expect(first.slice(headEnd(first))).toMatch(
            /^007\r\n\{"id":\d\r\n007\r\n\d{7}\r\n007\r\n\d\d,"nam\r\n.*\r\n\r\n$/s,
          ),
      ],
      [
        'send names in other letters and in another order',
        { ...withId(), delivery: { headerOrder: ['CONTENT-LENGTH', 'Accept', 'host'], headerGap: '   ' } },
        ([first = '']) =>
          expect(first).toMatch(
            /^POST \/plants HTTP\/1.1\r\nCONTENT-LENGTH: {3}32\r\nAccept: {3}\S+\r\nhost: {3}\S+\r\nAuth/,
          ),
      ],
    ])('%s', { retry: 2 }, async (_, template, expected) => {
      await check(template, recorder());
      const { arrived } = await arriving(await reproductionOf(template, recorder().baseUrl));
      expected(arrived.at(-1)?.pieces ?? []);
    });

    test('close the connection within the body', async () => {
      const { arrived } = await arriving(
        await reproductionOf({ ...withId(), delivery: { abortAfter: 12 } }, recorder().baseUrl),
      );
      expect(arrived.map(({ body, complete }) => [body.length, complete])).toEqual([[12, false]]);
    });

    test('are a comment if nothing can send them', async () => {
      const { request, ...rest } = await reproductionOf(withId(), recorder().baseUrl);
      expect(stepsOf({ request: { ...request, rawBytes: true }, ...rest })[0]).toMatch(/^# malformed/);
    });
  });

  test('speak TLS, with curl and without it', async () => {
    const store = await Recorder.start({ secure: true });
    await check(withId(), store);
    expect((await check({ ...withId(), delivery: { cuts: [9] } }, store))[1]).toContain('openssl s_client');
    const reproduction = await reproductionOf({ ...withId(), delivery: { abortAfter: 12 } }, store.baseUrl);
    await store.taken();
    await printed(stepsOf(reproduction));
    expect((await store.taken()).map(({ complete }) => complete)).toEqual([false]);
    store.close();
  });

  test('give up if the store does not answer', async () => {
    const reproduction = await reproductionOf(withId(), recorder().baseUrl);
    expect(stepsOf({ ...reproduction, unanswered: true }).at(-1)).toContain(' -m 10 ');
  });

  test('work line by line in an interactive bash', async () => {
    const name = `"name":"'!!' !ls \\t $HOME"`;
    const reproductions = [
      await reproductionOf(plant(`{"id":${ID},${name}}`), recorder().baseUrl),
      await reproductionOf({ ...plant(`{"id":${ID},${name}}`), delivery: { cuts: [9] } }, recorder().baseUrl),
      await reproductionOf(plant(`{"id":${ID},${name},"x":"\0"}`), recorder().baseUrl),
    ];
    await recorder().taken();
    for (const [index, reproduction] of reproductions.entries()) {
      await typed(['history -c', 'true', ...stepsOf(reproduction)]);
      const [one] = await recorder().taken();
      expect(one?.body.replace(/\d{10}/, '#')).toBe(`{"id":#,${name}${index === 2 ? ',"x":"\0"' : ''}}`);
    }
  });
});
