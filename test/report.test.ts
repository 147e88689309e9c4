import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { catalogue, type RecordedResult, type RunRecord, run, terminalReport } from '../index.ts';
import { loadContract } from '../lib/contract/load-contract.ts';
import { ownSchema } from '../lib/own-schemas.ts';
import { packageFile } from '../lib/package.ts';
import type { RequestTemplate } from '../lib/payloads/test-case.ts';
import { sentAndReceived } from '../lib/report/record/record-exchange.ts';
import { redactor } from '../lib/report/record/redact.ts';
import { replayOf } from '../lib/report/reproduce/replay.ts';
import { requestCommand } from '../lib/report/reproduce/steps.ts';
import { failureText, shownText, visible } from '../lib/report/wording/format-text.ts';
import { plantsFor } from '../lib/run/plant-factory.ts';
import { fill } from '../lib/run/send/fill-template.ts';
import { endpointOf } from '../lib/wire/endpoint.ts';
import type { Delivery, Exchange, Request } from '../lib/wire/exchange.ts';
import { HttpClient } from '../lib/wire/http-client.ts';
import { listen } from '../reference/store.ts';
import { steady } from './helpers/hostile-record.ts';
import { TOKEN, withStore } from './helpers/stores.ts';

const validate = ownSchema('lib/report/record/record.schema.json');

const recordOf = (baseUrl: string, more = {}): Promise<RunRecord> =>
  run({ baseUrl, token: TOKEN, seed: 9, firstId: 1_000_000n, cases: 2, timeout: 1000, ...more }).record;

let ofReference: Promise<RunRecord> | undefined;

/** The record of a whole run against the reference store, which is carried out only once. */
const conformant = (): Promise<RunRecord> => {
  ofReference ??= withStore('reference', ({ url }) => recordOf(url));
  return ofReference;
};

describe('the record', () => {
  // The checks that tell something of a store are enough, as the others are recorded alike.
  test.each([
    ['always-500', { only: ['ordinary/*', 'state/*', 'invariants/*'] }],
    ['always-garbage', {}],
    ['always-silent', {}],
    [
      'crash-deep-500',
      { only: ['ordinary/answers-200', 'invalid/rejects-deep-nesting', 'invariants/*'], explain: 100 },
    ],
    ['scheme-case', { only: ['auth/*', 'observe/*', 'invariants/*'] }],
    ['slow', { maxSeconds: 1 }],
  ])('of %s is valid against the published schema', async (name, more) => {
    await withStore(name, async ({ url }) => {
      const record = JSON.parse(JSON.stringify(await recordOf(url, more)));
      expect(validate(record), JSON.stringify(validate.errors?.slice(0, 2))).toBe(true);
    });
  });

  test('of a whole run against a conformant store is valid too', async () => {
    const record = JSON.parse(JSON.stringify(await conformant()));
    expect(validate(record), JSON.stringify(validate.errors?.slice(0, 2))).toBe(true);
  });

  test('of a run that could not start is valid too', async () => {
    const record = await recordOf('http://127.0.0.1:1');
    expect(validate(record), JSON.stringify(validate.errors?.slice(0, 2))).toBe(true);
  });

  test('contains the request and response of a failure, and a command that sends it again', async () => {
    await withStore('always-400', async ({ url }) => {
      const { results } = await recordOf(url, { only: ['ordinary/answers-200'] });
      const failed = results.find(({ id }) => id === 'ordinary/answers-200');
      const [exchange] = failed?.exchanges ?? [];
      expect(exchange?.request.url).toBe(`${url}/plants`);
      expect(exchange?.response?.status).toBe(400);
      expect(exchange?.command).toContain('"Authorization: Bearer $PLANT_STORE_TOKEN"');
    });
  });
});

describe('a request with a delivery', () => {
  const BODY = '{"id":7,"name":"Ficus"}';
  const delivery: Delivery = {
    cuts: [3, -2],
    headFirst: true,
    chunks: 'trailer',
    expectContinue: true,
    absoluteTarget: true,
    freshConnection: true,
    headerOrder: ['Authorization', 'Host', 'X-Odd'],
    abortAfter: 900,
  };
  const template: RequestTemplate = {
    body: { bytes: Buffer.from(BODY) },
    headers: [['x-odd', '1']],
    delivery,
  };

  /** Sends a request; returns the exchange and the text that arrived. */
  async function sent(
    one: RequestTemplate,
  ): Promise<{ exchange: Exchange; baseUrl: string; text: () => string }> {
    const pieces: string[] = [];
    const server = createServer((socket) => {
      socket
        .on('error', () => {})
        .on('data', (piece) => {
          pieces.push(piece.toString());
          if (pieces.length === 1) socket.write('HTTP/1.1 100 Continue\r\n\r\n');
          if (/(?:done\r\n\r\n|Ficus"\})$/.test(pieces.join('')))
            socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
        });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const baseUrl = `http://127.0.0.1:${port}`;
    const client = new HttpClient(endpointOf(baseUrl, { timeout: 5000 }), 1);
    const context = { token: TOKEN, host: `127.0.0.1:${port}`, prefix: '', headers: [] };
    const exchange = await client.send(fill(one, 7n, context));
    await client.close();
    server.close();
    return { exchange, baseUrl, text: () => pieces.join('|').replaceAll(String(port), 'PORT') };
  }

  const { abortAfter: _, ...whole } = delivery;

  test('is recorded with it, without the token in any letter case of its header', async () => {
    const { exchange, baseUrl } = await sent(template);
    const { request, fault } = sentAndReceived(exchange, template, baseUrl, redactor([]));
    expect(request.delivery).toEqual(delivery);
    expect(request.headers[0]).toEqual(['Authorization', 'Bearer $PLANT_STORE_TOKEN']);
    expect(fault?.kind).toBe('aborted');
    await withStore('always-400', async ({ url }) => {
      const record = JSON.parse(JSON.stringify(await recordOf(url, { only: ['ordinary/answers-200'] })));
      Object.assign(
        record.results.find(({ exchanges }: RecordedResult) => exchanges.length > 0).exchanges[0],
        {
          request,
          fault,
        },
      );
      expect(validate(record), JSON.stringify(validate.errors?.slice(0, 2))).toBe(true);
      record.results.find(
        ({ exchanges }: RecordedResult) => exchanges.length > 0,
      ).exchanges[0].request.delivery.cuts = ['x'];
      expect(validate(record)).toBe(false);
    });
  });

  test('is replayed byte for byte', async () => {
    const first = await sent({ ...template, framing: 'chunked', delivery: whole });
    expect(first.text().split('|').length).toBeGreaterThan(3);
    await withStore('always-400', async ({ url }) => {
      const record = await recordOf(url, { only: ['ordinary/answers-200'] });
      const result = record.results.find(({ id }) => id === 'ordinary/answers-200');
      const check = catalogue.find(({ id }) => id === 'ordinary/answers-200');
      const [exchange] = result?.exchanges ?? [];
      if (result === undefined || exchange === undefined || check === undefined)
        throw new Error('it did not fail');
      const { request } = sentAndReceived(first.exchange, template, first.baseUrl, redactor([TOKEN]));
      const replay = replayOf({ ...result, exchanges: [{ ...exchange, request }] }, check, {
        ...record,
        target: { ...record.target, baseUrl: first.baseUrl },
      });
      const [again] =
        replay?.test.kind === 'cases'
          ? replay.test.cases(plantsFor(await loadContract(packageFile('openapi.yaml')), 1, 'x'))
          : [];
      if (again === undefined) throw new Error('there is no replay');
      expect((await sent(again.template)).text()).toBe(first.text());
    });
  });

  test('is sent by curl if curl can, otherwise over a socket of the shell', async () => {
    const command = async (one: Delivery, framing: Request['framing'] = 'length') => {
      const { exchange } = await sent({ ...template, framing, delivery: one });
      return requestCommand(sentAndReceived(exchange, template, 'http://h', redactor([])).request);
    };
    expect(await command({ absoluteTarget: true })).toMatch(/^curl .* --request-target http:\/\/h\/plants /);
    expect(await command({ expectContinue: true })).toMatch(/^curl .* -H 'Expect: 100-continue' /);
    expect(await command(delivery, 'chunked')).toContain('/dev/tcp/h/80');
  });
});

describe('the token', () => {
  /** Echoes the credential in every part of the response and in every form. */
  const leakingStore = createHttpServer((message, response) => {
    message.resume().once('end', () => {
      const credential = message.headers.authorization ?? '';
      const token = credential.replace(/^\S+ /, '');
      const forms = [
        credential,
        token,
        token.toUpperCase(),
        encodeURIComponent(credential),
        Buffer.from(token).toString('base64'),
        [...token].reverse().join(''),
      ];
      const header = forms.join(' ').replace(/[^\x20-\x7e]/g, '');
      response.writeHead(message.url === '/plants' ? 400 : 404, header.slice(0, 400), {
        'x-echo': header,
        'x-url': encodeURI(message.url ?? ''),
      });
      response.end(JSON.stringify({ error: 'no', message: forms, url: message.url }));
    });
  });

  test('is nowhere in the record or the report, whatever the store echoes', async () => {
    const { url, stop } = await listen(leakingStore);
    const record = await recordOf(url, { headers: [['x-api-key', 'another-secret-value']] });
    await stop();
    const output = JSON.stringify(record) + terminalReport(record, false) + terminalReport(record, true);
    expect(record.outcome).toBe('nonconformant');
    expect(output).toContain('[redacted]');
    for (const form of [
      TOKEN,
      Buffer.from(TOKEN).toString('base64').slice(0, -4),
      Buffer.from(`user:${TOKEN}`).toString('base64').slice(8, -4),
      [...TOKEN].reverse().join(''),
      encodeURIComponent(TOKEN),
      'another-secret-value',
    ]) {
      expect(output.toLowerCase(), form).not.toContain(form.toLowerCase());
    }
  });

  test('is found in every form, and only a short token itself is removed', () => {
    const redact = redactor(['abcdEFGH1234']);
    expect(redact('x ABCDefgh1234 y')).toBe('x [redacted] y');
    expect(redact(`Basic ${Buffer.from('user:abcdEFGH1234').toString('base64')}`)).not.toContain(
      'YWJjZEVGR0gxMjM0'.slice(0, 10),
    );
    expect(redactor(['ab'])('an able cabin')).toBe('an [redacted]le c[redacted]in');
    expect(redactor([])('nothing to hide')).toBe('nothing to hide');
  });

  test('is found if it was cut in two anywhere, and ordinary text stays unchanged', () => {
    const redact = redactor([TOKEN]);
    for (let cut = 8; cut <= TOKEN.length - 8; cut += 1) {
      const [left, right] = [TOKEN.slice(0, cut), TOKEN.slice(cut)];
      expect(redact(JSON.stringify({ left, right }))).toBe('{"left":"[redacted]","right":"[redacted]"}');
      expect(redact(`"${Buffer.from(left).toString('hex')}"`)).toBe('"[redacted]"');
    }
    for (const text of ['the token is missing', 'Tok3n', '01234', '\\\\ %25 &#1; \u0041', 'İstanbul 🌵 %'])
      expect(redact(text)).toBe(text);
    expect(redact(`{"a":"${TOKEN}\\"b"}`)).toBe('{"a":"[redacted]\\"b"}');
    expect(redactor(['\\\\\\'])('a \\\\\\ b')).toBe('a [redacted] b');
  });

  test('is removed completely if a text ends within it', () => {
    const redact = redactor([TOKEN]);
    const [before, after] = ['said ', ' and more'];
    const text = `${before}${TOKEN}${after}`;
    const [from, to] = [before.length, before.length + TOKEN.length];
    for (let limit = 0; limit <= text.length; limit += 1) {
      const expected =
        limit < to ? before.slice(0, Math.min(limit, from)) : `${before}[redacted]${text.slice(to, limit)}`;
      expect(redact(text, limit), `${limit}`).toBe(expected);
    }
  });

  test('is searched for only once in a long body', () => {
    const redact = redactor([TOKEN]);
    let searched = 0;
    const counting: typeof redact = (text, limit) => {
      searched += text.length;
      return redact(text, limit);
    };
    const body = Buffer.from(TOKEN.repeat(2000));
    const response = { status: 400, statusText: '', headers: [], body, truncated: false };
    const request = {
      method: 'POST',
      path: '/plants',
      headers: [],
      body: undefined,
      framing: 'length',
    } as const;
    const { response: kept } = sentAndReceived(
      { kind: 'answered', request, response, ms: 1, interim: [] },
      {},
      'http://store',
      counting,
    );
    expect(kept?.body).toMatchObject({ bytes: body.length, truncated: true, text: '' });
    expect(searched).toBeLessThan(body.length);
  });
});

describe('a text that is too long for its line', () => {
  test('is truncated after a word, or within a very long one', () => {
    expect(shownText('refused: the name of a plant', 20)).toBe('refused: the name of… (28 characters)');
    expect(shownText('refused: the name of a plant', 19)).toBe('refused: the name… (28 characters)');
    expect(shownText('refused: the name of a plant', 28)).toBe('refused: the name of a plant');
    expect(shownText('x'.repeat(100), 10)).toBe('xxxxxxxxxx… (100 characters)');
    expect(shownText(`a ${'x'.repeat(100)}`, 40)).toBe(`a ${'x'.repeat(38)}… (102 characters)`);
    expect(shownText('🌵'.repeat(10), 5)).toBe('🌵🌵… (20 characters)');
  });
});

describe('the terminal report', () => {
  /** Control sequences from a hostile store. */
  const NASTY = '\u001b]0;owned\u0007\u001b[2J\u001b[31m<b>"\'`$(id)\u202edesrever\u2066\u0000\u0085\ud800';
  let server: Server;
  let url: string;

  beforeAll(async () => {
    // A raw socket: an HTTP library would not send these bytes.
    server = createServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', (chunk) => {
        if (!chunk.toString('latin1').includes('\r\n\r\n')) return;
        const body = JSON.stringify({ error: NASTY, message: [NASTY, 'x'.repeat(1_000_000)] });
        const type = 'application/json; x="\u001b[31m"';
        socket.end(
          `HTTP/1.1 400 Bad \u001b[5m Request\r\nServer: evil\u001b[1m\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
        );
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterAll(() => {
    server.close();
  });

  test('of a hostile store contains no control characters, and stays short', async () => {
    const record = await recordOf(url, { only: ['ordinary/*', 'invariants/*'] });
    const report = terminalReport(record, false);
    expect(report).not.toMatch(/[^\P{Cc}\n]|\p{Cf}|\p{Cs}/u);
    expect(report.length).toBeLessThan(60_000);
  });

  test('of a broken store matches its snapshot', async () => {
    await withStore('always-400', async (store) => {
      // On a busy machine, a few requests are sent again.
      const record = { ...steady(await recordOf(store.url, { cases: 10, timeout: 2000 })), requests: 1660 };
      expect(terminalReport(record, false)).toMatchSnapshot();
      const whole = terminalReport(record, false, { verbose: true });
      for (const result of record.results.filter(({ verdict }) => verdict === 'fail'))
        expect(whole).toContain(failureText(result));
    });
  });

  test('of a conformant store fits one screen', async () => {
    const report = terminalReport(await conformant(), false);
    expect(report.split('\n').length).toBeLessThan(24);
  });

  test('escapes control characters', () => {
    expect(visible('a\u001b[31m\u202e\n\ud800b')).toBe('a\\u001b[31m\\u202e\\n\\ud800b');
    expect(visible('Zoë 🌵 "quoted"')).toBe('Zoë 🌵 "quoted"');
  });
});
