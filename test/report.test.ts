import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { catalogue, type RecordedResult, type RunRecord, run, terminalReport } from '../index.ts';
import { loadContract } from '../lib/contract/contract.ts';
import { packageFile } from '../lib/package.ts';
import type { Draft } from '../lib/payloads/case.ts';
import { curlOf } from '../lib/report/curl.ts';
import { short, visible } from '../lib/report/explain.ts';
import { sidesOf } from '../lib/report/recorded.ts';
import { redactor } from '../lib/report/redact.ts';
import { replayOf } from '../lib/report/replay.ts';
import { fill } from '../lib/run/fill.ts';
import { plantsFor } from '../lib/run/plants.ts';
import { ownSchema } from '../lib/schema.ts';
import { endpointOf } from '../lib/wire/endpoint.ts';
import type { Delivery, Exchange, Request } from '../lib/wire/exchange.ts';
import { Wire } from '../lib/wire/wire.ts';
import { listen } from '../reference/store.ts';
import { TOKEN, withStore } from './stores.ts';

const validate = ownSchema('lib/report/record.schema.json');

const recordOf = (baseUrl: string, more = {}): Promise<RunRecord> =>
  run({ baseUrl, token: TOKEN, seed: 9, firstId: 1_000_000n, cases: 10, timeout: 2000, ...more }).record;

describe('the record', () => {
  test.each([
    'reference',
    'always-500',
    'always-garbage',
    'always-silent',
    'crash-deep-500',
    'scheme-case',
    'slow',
  ])('of %s is valid against the published schema', async (name) => {
    await withStore(name, async ({ url }) => {
      const record = JSON.parse(
        JSON.stringify(await recordOf(url, name === 'slow' ? { maxSeconds: 1 } : {})),
      );
      expect(validate(record), JSON.stringify(validate.errors?.slice(0, 2))).toBe(true);
    });
  });

  test('of a run that could not begin is valid as well', async () => {
    const record = await recordOf('http://127.0.0.1:1');
    expect(validate(record), JSON.stringify(validate.errors?.slice(0, 2))).toBe(true);
  });

  test('carries for a failure the request, the answer, and a command that sends it again', async () => {
    await withStore('always-400', async ({ url }) => {
      const failed = (await recordOf(url)).results.find(({ id }) => id === 'create/answers-200');
      const [exchange] = failed?.exchanges ?? [];
      expect(exchange?.request.url).toBe(`${url}/plants`);
      expect(exchange?.response?.status).toBe(400);
      expect(exchange?.curl).toContain('"authorization: Bearer $PLANT_STORE_TOKEN"');
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
  const draft: Draft = { body: { bytes: Buffer.from(BODY) }, headers: [['x-odd', '1']], delivery };

  /** Sends a request, and gives what became of it and what arrived. */
  async function sent(one: Draft): Promise<{ exchange: Exchange; baseUrl: string; text: () => string }> {
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
    const wire = new Wire(endpointOf(baseUrl, { timeout: 5000 }), 1);
    const surroundings = { token: TOKEN, host: `127.0.0.1:${port}`, prefix: '', headers: [] };
    const exchange = await wire.send(fill(one, 7n, surroundings));
    await wire.close();
    server.close();
    return { exchange, baseUrl, text: () => pieces.join('|').replaceAll(String(port), 'PORT') };
  }

  const { abortAfter: _, ...whole } = delivery;

  test('is recorded with it, and the token stays out in whatever letter case its header has', async () => {
    const { exchange, baseUrl } = await sent(draft);
    const { request, fault } = sidesOf(exchange, draft, baseUrl, redactor([]));
    expect(request.delivery).toEqual(delivery);
    expect(request.headers[0]).toEqual(['Authorization', 'Bearer $PLANT_STORE_TOKEN']);
    expect(fault?.kind).toBe('aborted');
    await withStore('always-400', async ({ url }) => {
      const record = JSON.parse(JSON.stringify(await recordOf(url)));
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
    const first = await sent({ ...draft, framing: 'chunked', delivery: whole });
    expect(first.text().split('|').length).toBeGreaterThan(3);
    await withStore('always-400', async ({ url }) => {
      const record = await recordOf(url);
      const result = record.results.find(({ id }) => id === 'create/answers-200');
      const check = catalogue.find(({ id }) => id === 'create/answers-200');
      const [exchange] = result?.exchanges ?? [];
      if (result === undefined || exchange === undefined || check === undefined)
        throw new Error('it did not fail');
      const { request } = sidesOf(first.exchange, draft, first.baseUrl, redactor([TOKEN]));
      const replay = replayOf({ ...result, exchanges: [{ ...exchange, request }] }, check, {
        ...record,
        target: { ...record.target, baseUrl: first.baseUrl },
      });
      const [again] =
        replay?.test.kind === 'cases'
          ? replay.test.cases(plantsFor(await loadContract(packageFile('openapi.yaml')), 1, 'x'))
          : [];
      if (again === undefined) throw new Error('it is not replayed');
      expect((await sent(again.draft)).text()).toBe(first.text());
    });
  });

  test('is repeated by curl as far as curl can, and the command says what is left out', async () => {
    const curl = async (one: Delivery, framing: Request['framing'] = 'length') => {
      const { exchange } = await sent({ ...draft, framing, delivery: one });
      return curlOf(sidesOf(exchange, draft, 'http://h', redactor([])).request);
    };
    expect(await curl({ absoluteTarget: true })).toMatch(
      /--http1\.1 --request-target 'http:\/\/h\/plants' 'http:\/\/h\/plants'$/,
    );
    expect(await curl({ expectContinue: true })).toMatch(/-H 'expect: 100-continue' .*'http:\/\/h\/plants'$/);
    expect(await curl(delivery, 'chunked')).toMatch(
      /'http:\/\/h\/plants' # without the segments, the chunks \(trailer\), the order of headers, the end after 900 bytes of the body: that takes plant-store-conformance replay$/,
    );
  });
});

describe('the token', () => {
  /** Echoes the credential wherever an answer has room for it, in every form that it may take. */
  const gossip = createHttpServer((message, response) => {
    message.resume().once('end', () => {
      const said = message.headers.authorization ?? '';
      const token = said.replace(/^\S+ /, '');
      const forms = [
        said,
        token,
        token.toUpperCase(),
        encodeURIComponent(said),
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

  test('is in no byte of the record or of the report, whatever the store echoes', async () => {
    const { url, stop } = await listen(gossip);
    const record = await recordOf(url, { headers: [['x-api-key', 'another-secret-value']] });
    await stop();
    const written = JSON.stringify(record) + terminalReport(record, false) + terminalReport(record, true);
    expect(record.outcome).toBe('nonconformant');
    expect(written).toContain('[redacted]');
    for (const form of [
      TOKEN,
      Buffer.from(TOKEN).toString('base64').slice(0, -4),
      Buffer.from(`user:${TOKEN}`).toString('base64').slice(8, -4),
      [...TOKEN].reverse().join(''),
      encodeURIComponent(TOKEN),
      'another-secret-value',
    ]) {
      expect(written.toLowerCase(), form).not.toContain(form.toLowerCase());
    }
  });

  test('is found in every form, and a short one does not take the text around it along', () => {
    const redact = redactor(['abcdEFGH1234']);
    expect(redact('x ABCDefgh1234 y')).toBe('x [redacted] y');
    expect(redact(`Basic ${Buffer.from('user:abcdEFGH1234').toString('base64')}`)).not.toContain(
      'YWJjZEVGR0gxMjM0'.slice(0, 10),
    );
    expect(redactor(['ab'])('an able cabin')).toBe('an [redacted]le c[redacted]in');
    expect(redactor([])('nothing to hide')).toBe('nothing to hide');
  });

  test('is found where it was cut in two, wherever that was, and ordinary text is left alone', () => {
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

  test('is left out whole where a text ends within it', () => {
    const redact = redactor([TOKEN]);
    const [before, after] = ['said ', ' and more'];
    const text = `${before}${TOKEN}${after}`;
    const [from, to] = [before.length, before.length + TOKEN.length];
    for (let most = 0; most <= text.length; most += 1) {
      const expected =
        most < to ? before.slice(0, Math.min(most, from)) : `${before}[redacted]${text.slice(to, most)}`;
      expect(redact(text, most), `${most}`).toBe(expected);
    }
  });

  test('is looked for once in a long body, whatever stands at the end of what is kept', () => {
    const redact = redactor([TOKEN]);
    let looked = 0;
    const counting: typeof redact = (text, most) => {
      looked += text.length;
      return redact(text, most);
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
    const { response: kept } = sidesOf(
      { kind: 'answered', request, response, ms: 1, interim: [] },
      {},
      'http://store',
      counting,
    );
    expect(kept?.body).toMatchObject({ bytes: body.length, truncated: true, text: '' });
    expect(looked).toBeLessThan(body.length);
  });
});

describe('a text that is too long for its line', () => {
  test('is cut after a word, or within one that is longer than any', () => {
    expect(short('refused: the name of a plant', 20)).toBe('refused: the name of… (28 characters)');
    expect(short('refused: the name of a plant', 19)).toBe('refused: the name… (28 characters)');
    expect(short('refused: the name of a plant', 28)).toBe('refused: the name of a plant');
    expect(short('x'.repeat(100), 10)).toBe('xxxxxxxxxx… (100 characters)');
    expect(short(`a ${'x'.repeat(100)}`, 40)).toBe(`a ${'x'.repeat(38)}… (102 characters)`);
    expect(short('🌵'.repeat(10), 5)).toBe('🌵🌵… (20 characters)');
  });
});

describe('the terminal report', () => {
  /** What a hostile store would like a terminal to do. */
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

  test('of a hostile store holds no character that a terminal obeys, and stays short', async () => {
    const record = await recordOf(url, { only: ['create/*', 'always/*'] });
    const report = terminalReport(record, false);
    expect(report).not.toMatch(/[^\P{Cc}\n]|\p{Cf}|\p{Cs}/u);
    expect(report.length).toBeLessThan(60_000);
  });

  test('of a broken store reads as it did', async () => {
    await withStore('always-400', async (store) => {
      const report = terminalReport(await recordOf(store.url), false);
      const steady = report
        .replaceAll(store.url, 'http://store')
        .replace(/in \d+\.\d s/, 'in 0.0 s')
        .replace(/\(\d+ ms\)/g, '(0 ms)')
        .replace(/median ms: [\d.]+/, 'median ms: 0')
        .replace(/document {2}\S+openapi\.yaml/, 'document  openapi.yaml');
      expect(steady).toMatchSnapshot();
    });
  });

  test('of a healthy store fits one screen', async () => {
    await withStore('reference', async (store) => {
      const report = terminalReport(await recordOf(store.url), false);
      expect(report.split('\n').length).toBeLessThan(24);
    });
  });

  test('spells out what cannot be shown', () => {
    expect(visible('a\u001b[31m\u202e\n\ud800b')).toBe('a\\u001b[31m\\u202e\\n\\ud800b');
    expect(visible('Zoë 🌵 "quoted"')).toBe('Zoë 🌵 "quoted"');
  });
});
