import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { loadOptions, run, startStore } from '../index.ts';
import { explainRun } from '../lib/explain/explain-run.ts';
import { confirmedText } from '../lib/report/wording/confirmed.ts';
import type { Cause } from '../lib/run/result/cause.ts';
import { runEvents } from '../lib/run/run.ts';
import { contentType, seen, somePlant } from '../mutants/helpers.ts';
import { AND, brokenStoreOf } from '../mutants/pairs.ts';
import { CASES, recordOf } from './helpers/causes.ts';
import { startWith, TOKEN, withStore } from './helpers/stores.ts';

test('the advice has a hint for the software of the store, right after what to fix', async () => {
  const adviceFrom = async (server: string) => {
    const store = await startWith(({ create, send }) => ({
      create: (plant, request) => ({ ...create(plant, request), status: 201 }),
      send: (answer, response, request) =>
        send({ ...answer, headers: { ...answer.headers, server } }, response, request),
    }));
    try {
      const { causes } = await recordOf(store.url, { only: ['ordinary/answers-200', 'invariants/*'] });
      return causes.map(({ advice }) => /(\w+): /.exec(advice.slice(advice.indexOf('.')))?.[1]);
    } finally {
      await store.stop();
    }
  };
  // The server of Node that runs the store writes Keep-Alive as no other does.
  expect(await Promise.all(['uvicorn', 'Apache-Coyote/1.1', 'unknown'].map(adviceFrom))).toEqual([
    ['FastAPI'],
    ['Spring'],
    ['NestJS'],
  ]);
});

test('the expected text shows a symbol as a complete surrogate pair of escapes', async () => {
  const store = await startWith(({ create }) => ({
    create: (plant, request) =>
      create({ ...plant, name: plant.name.replace(/(?=\p{So})[\u{10000}-\u{10ffff}]/gu, '?') }, request),
  }));
  try {
    const { causes } = await recordOf(store.url, {
      only: ['unconstrained/echoes-any-name', 'ordinary/accepts-names-of-many-kinds', 'ordinary/echoes-name'],
      cases: 60,
    });
    const symbols = causes.flatMap(
      ({ expected = '' }) => expected.match(/\\ud[89ab][\da-f]{2}.{0,6}/g) ?? [],
    );
    expect(symbols.length).toBeGreaterThan(0);
    for (const symbol of symbols) expect(symbol).toMatch(/^\\ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}$/);
  } finally {
    await store.stop();
  }
});

test('a store below a path is explained like any other', async () => {
  await withStore('crash-apostrophe', async ({ url }) => {
    const { port, hostname } = new URL(url);
    const gateway = createServer((message, response) => {
      const { method, headers, url: path = '' } = message;
      const options = { hostname, port, method, headers, path: path.replace(/^\/api\/v3/, '') };
      const onward = request(options, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      }).on('error', () => response.destroy());
      message.pipe(onward);
    });
    await once(gateway.listen(0, '127.0.0.1'), 'listening');
    try {
      const { port: own } = gateway.address() as AddressInfo;
      const only = ['ordinary/accepts-names-of-many-kinds', 'invariants/*'];
      const baseUrl = `http://127.0.0.1:${own}/api/v3`;
      const { causes } = await run({ baseUrl, token: TOKEN, seed: 1, only }).record;
      expect(causes.map(({ title }) => title)).toEqual([
        'Answers 500 when name or tag contains an apostrophe',
      ]);
    } finally {
      gateway.closeAllConnections();
      gateway.close();
    }
  });
});

test('a right store gets no additional requests', async () => {
  const requests = async (explain: number) => {
    const store = await startStore({ token: TOKEN });
    try {
      const only = ['ordinary/*', 'auth/*', 'observe/*', 'invariants/*'];
      return (await recordOf(store.url, { explain, only })).requests;
    } finally {
      await store.stop();
    }
  };
  expect(await requests(1000)).toBe(await requests(0));
});

test('without experiments, each failed check still has a cause', async () => {
  await withStore('crash-null', async ({ url }) => {
    const { causes, results } = await recordOf(url, { explain: 0, only: ['invalid/*', 'invariants/*'] });
    const failed = results.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);
    expect(new Set(causes.flatMap(({ checks }) => checks))).toEqual(new Set(failed));
    expect(causes.every(({ confirmed }) => confirmed.outside[1] === 0)).toBe(true);
    for (const cause of causes)
      expect(confirmedText(cause)).toMatch(
        /^\d+ of \d+ cases failed; not examined: no experiments were made$/,
      );
  });
});

test('a cause for which the budget was too small says so, not that no experiment reproduced it', async () => {
  await withStore('crash-null', async ({ url }) => {
    const options = { only: ['invalid/*', 'invariants/*'], explain: 14 };
    const { causes } = await recordOf(url, options);
    expect(causes.map(({ kind, notExamined }) => [kind, notExamined])).toEqual(
      causes.map(() => ['once', 'the budget of 14 requests was used up']),
    );
    for (const cause of causes)
      expect(confirmedText(cause)).toMatch(/ failed; not examined: the budget of 14 requests was used up$/);
    expect(causes).not.toEqual([]);
  });
});

test('a cause that experiments examined does not say that the budget was used up', async () => {
  await withStore('crash-null', async ({ url }) => {
    const { causes } = await recordOf(url, { only: ['invalid/*', 'invariants/*'] });
    expect(causes.map(({ kind, notExamined }) => [kind, notExamined])).toEqual([['always', undefined]]);
  });
});

test('with --bail, the first failure is explained', async () => {
  await withStore('crash-null', async ({ url }) => {
    const options = { baseUrl: url, token: TOKEN, seed: 1, cases: CASES, timeout: 3000, bail: true };
    const { causes } = await run(options).record;
    expect(causes.map(({ title }) => title)).toEqual(['Answers 500 when the body is null']);
  });
});

test('experiments stay within the limits of the run', async () => {
  await withStore('crash-null', async ({ url }) => {
    const only = ['invalid/*', 'invariants/*'];
    const whole = await recordOf(url, { explain: 0, only });
    const maxRequests = whole.requests + 20;
    const options = { baseUrl: url, token: TOKEN, seed: 1, cases: CASES, timeout: 3000, only, maxRequests };
    const { requests, stop, outcome } = await run(options).record;
    expect(requests).toBeLessThanOrEqual(maxRequests);
    expect([stop, outcome]).toEqual([null, 'nonconformant']);
  });
});

test('an error in the search for causes loses the experiments, but not the verdict', async () => {
  const warned = once(process, 'warning');
  const causes = await withStore('create-201', async ({ url }) => {
    const loaded = await loadOptions({ baseUrl: url, token: TOKEN, seed: 1, only: ['ordinary/answers-200'] });
    const sendOutsideChecks = () => {
      throw new RangeError('Maximum call stack size exceeded');
    };
    const found: Cause[] = [];
    const events = runEvents({
      ...loaded,
      findCauses: (results, handle) => explainRun(results, { ...handle, sendOutsideChecks }, loaded, 100),
    });
    for await (const event of events) if (event.type === 'causes') found.push(...event.causes);
    return found;
  });
  expect(causes.map(({ checks }) => checks)).toEqual([['ordinary/answers-200']]);
  expect(String((await warned)[0])).toContain('Maximum call stack size exceeded');
});

/** The causes that a run finds in a store with the faults of several stores of the fleet. */
async function causesOfAll(names: readonly string[], options: Parameters<typeof recordOf>[1]) {
  const store = await brokenStoreOf(names.join(AND))?.start(TOKEN);
  if (store === undefined) throw new Error(`a store is missing: ${names.join()}`);
  return recordOf(store.url, options)
    .then(({ causes }) => causes)
    .finally(() => store.stop());
}

test.each([
  [
    ['create-201', 'error-problem-type', 'crash-null', 'auth-missing', 'tag-falsy'],
    [
      'Answers 201 instead of 200',
      'Answers 400 with Content-Type application/problem+json',
      'Answers 500 when the body is null',
      'Accepts requests without an Authorization header',
      'Accepts a falsy value as tag',
    ],
  ],
  // Half of all requests with a tag are rejected, whatever else is wrong with them.
  [
    ['state-every-other-tag-400', 'auth-static-files', 'id-numeral-string'],
    [
      'Answers 400 to every other request with a tag',
      'Does not check the token of requests with a query that ends like a file name',
      'Accepts a numeric string such as "7" as id',
    ],
  ],
])('each fault of a first draft with several has its cause: %s', async (names, titles) => {
  const causes = await causesOfAll(names, { cases: 12 });
  expect(
    causes
      .filter(({ level }) => level === 'MUST')
      .map(({ title }) => title)
      .sort(),
  ).toEqual(titles.toSorted());
});

test('a check is listed only under the causes of its own failures', async () => {
  const causes = await causesOfAll(['id-numeral-string', 'takes-id-64'], {
    only: ['invalid/rejects-numeric-string-id', 'invalid/rejects-id-beyond-int64'],
  });
  expect(causes.map(({ title, checks }) => `${title}: ${checks.join(' ')}`)).toEqual([
    'Accepts a numeric string such as "7" as id: invalid/rejects-numeric-string-id',
    'Accepts an id outside int64: invalid/rejects-id-beyond-int64',
  ]);
});

describe('two faults with the same symptom have two causes', () => {
  const BOTH: readonly (readonly [
    faults: readonly string[],
    options: Parameters<typeof recordOf>[1],
    titles: readonly string[],
  ])[] = [
    [
      ['crash-control', 'http-get-500'],
      { only: ['unconstrained/answers-hostile-names', 'observe/*', 'invariants/*'] },
      [
        'Answers 500 when name or tag contains a control character',
        'Answers 500 to requests with the method GET',
      ],
    ],
    [
      ['crash-apostrophe', 'crash-tag-boolean'],
      { only: ['unconstrained/answers-hostile-*', 'invalid/rejects-wrong-type'] },
      ['Answers 500 when name or tag contains an apostrophe', 'Answers 500 when tag is a boolean'],
    ],
    // Most ordinary plants have the first one.
    [
      ['rejects-long-tag', 'rejects-space-at-the-end-untagged'],
      { only: ['ordinary/accepts-names-of-many-kinds', 'ordinary/accepts-tags-of-every-length'] },
      [
        'Answers 400 to valid requests when tag is longer than 12 characters',
        'Answers 400 to valid requests when name ends with a space',
      ],
    ],
    [
      ['missing-id-tagged', 'name-boolean-tagged'],
      { only: ['invalid/rejects-missing-property', 'invalid/rejects-wrong-type'] },
      ['Accepts a plant without id when there is a tag', 'Accepts a boolean as name when there is a tag'],
    ],
    [
      ['tag-array-long-name', 'tag-before-name-unchecked'],
      { only: ['invalid/rejects-any-wrong-type', 'combinations/rejects-invalid-bodies'], cases: 60 },
      [
        'Does not check the type of tag when tag comes before name',
        'Accepts an array as tag when name is longer than 20 characters',
      ],
    ],
  ];

  test.each(BOTH)('%j', async (faults, options, titles) => {
    const causes = await causesOfAll(faults, options);
    expect(causes.map(({ title }) => title)).toEqual(titles);
  });
});

test('accepting what should be rejected is not the cause of accepting what must be rejected', async () => {
  const types = ['application/json', 'application/json; charset=utf-8'];
  const store = await startWith((right) => ({
    validate(value, received) {
      try {
        return right.validate(value, received);
      } catch (error) {
        const { id } = seen(received);
        const isBeyondInt64 = id !== undefined && BigInt.asIntN(64, id) !== id;
        if (!isBeyondInt64 && types.includes(contentType(received))) throw error;
        return right.validate(somePlant(), received);
      }
    },
  }));
  const only = ['invalid/rejects-id-beyond-int64', 'combinations/rejects-invalid-bodies'];
  const { causes } = await recordOf(store.url, { only });
  await store.stop();
  expect(causes.map(({ level, checks }) => [level, checks])).toEqual([
    ['MUST', ['combinations/rejects-invalid-bodies']],
    ['SHOULD', ['invalid/rejects-id-beyond-int64']],
  ]);
});

test('a request that is authenticated by another one whose body is still arriving has a cause with that condition', async () => {
  let inProgress = 0;
  const server = createServer(async (message, response) => {
    const { authorization } = message.headers;
    const isRight = authorization === `Bearer ${TOKEN}`;
    if (isRight) inProgress += 1;
    const body = await text(message).catch(() => '');
    if (isRight) inProgress -= 1;
    const isGuarded = isRight || (authorization === undefined && inProgress > 0);
    response.setHeader('content-type', 'application/json');
    if (!isGuarded) response.writeHead(401, { 'www-authenticate': 'Bearer' });
    const [, name = ''] = /"name"\s*:\s*"(\w*)/.exec(body) ?? [];
    response.end(isGuarded ? JSON.stringify({ name }) : '{"error":1,"message":"no"}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const only = ['combinations/rejects-invalid-credentials'];
  const { causes } = await recordOf(`http://127.0.0.1:${port}`, { cases: 60, only });
  server.close();
  // The first case that failed names the credential; a token elsewhere comes without the header, too.
  expect(causes.map(({ title }) => title)).toEqual([
    expect.stringMatching(
      /^Accepts (?:requests without an Authorization header|the token in another header) when requests whose bodies arrive late are in flight$/,
    ),
  ]);
});

/** With extensions and a trailer section, if there are any. */
const LAST_CHUNK = /(?:^|\r\n)0+(?:;[^\r\n]*)?\r\n(?:[^\r\n]+\r\n)*\r\n/;

/** Forwards requests, each with as much of its body as arrives first. What follows begins the next request. */
async function readingOneSegment(target: number) {
  const proxy = createTcpServer((client) => {
    const store = connect(target, '127.0.0.1');
    store.pipe(client);
    let waiting = Buffer.alloc(0);
    client.on('data', (segment) => {
      waiting = Buffer.concat([waiting, segment]);
      for (let headEnd = waiting.indexOf('\r\n\r\n'); headEnd >= 0; headEnd = waiting.indexOf('\r\n\r\n')) {
        const head = waiting.subarray(0, headEnd + 4).toString('latin1');
        const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
        const rest = waiting.subarray(headEnd + 4);
        const isChunked = /^transfer-encoding:/im.test(head);
        const last = isChunked ? LAST_CHUNK.exec(rest.toString('latin1')) : undefined;
        if (last === null || (!isChunked && length > 0 && rest.length === 0)) return;
        const end = last === undefined ? Math.min(length, rest.length) : last.index + last[0].length;
        store.write(head.replace(/^(content-length: *)\d+/im, `$1${end}`), 'latin1');
        store.write(rest.subarray(0, end));
        waiting = rest.subarray(end);
      }
    });
    for (const [socket, other] of [[client, store] as const, [store, client] as const])
      socket.on('error', () => {}).on('close', () => other.destroy());
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return proxy;
}

test('what a segmented body leaves on its connection does not hide that the store reads one segment', async () => {
  const store = await startStore({ token: TOKEN });
  const proxy = await readingOneSegment(Number(new URL(store.url).port));
  const { port } = proxy.address() as AddressInfo;
  const { causes } = await recordOf(`http://127.0.0.1:${port}`, {
    cases: 60,
    only: ['ordinary/*', 'combinations/accepts-ordinary-plants', 'invariants/*'],
  });
  proxy.close();
  await store.stop();
  expect(causes.map(({ title }) => title)).toEqual([
    expect.stringMatching(/^Answers 400 to valid requests whose body is split into several segments/),
  ]);
});

test('a fault that shows only at some moments is reported as intermittent', async () => {
  const store = await startWith((right) => ({
    create(plant, request) {
      const answer = right.create(plant, request);
      return Date.now() % 200 < 24 ? { ...answer, status: 500 } : answer;
    },
    // A run that is over too soon meets no such moment.
    async send(answered, response, request) {
      await sleep(5);
      right.send(answered, response, request);
    },
  }));
  const { causes } = await recordOf(store.url, {
    only: ['ordinary/*', 'state/answers-any-sequence', 'invariants/no-server-error'],
  });
  await store.stop();
  const kinds = causes.filter(({ level }) => level === 'MUST').map(({ kind }) => kind);
  expect(kinds).toEqual(['intermittent']);
});

test('white space around a body that is no object counts towards its size', async () => {
  const store = await startWith((right) => ({
    route(request) {
      right.route(request);
      const isLabelled = request.headers['content-encoding']?.[0] === 'gzip';
      if (isLabelled && request.body.length > 256) throw new Error('not in gzip format');
    },
  }));
  const { causes } = await recordOf(store.url, {
    cases: 120,
    only: ['combinations/rejects-invalid-bodies', 'invariants/no-server-error'],
  });
  await store.stop();
  expect(causes.map(({ title }) => title)).toEqual([
    'Answers 500 to requests with Content-Encoding: gzip when the body is longer than 256 bytes',
  ]);
});
