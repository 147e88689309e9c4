import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { planOf, type RecordedCause, type RunOptions, run, startStore } from '../index.ts';
import { explainRun } from '../lib/explain/explain-run.ts';
import { confirmedText } from '../lib/report/wording/confirmed.ts';
import type { Cause } from '../lib/run/result/cause.ts';
import { runEvents } from '../lib/run/run.ts';
import { brokenStores } from '../mutants/broken/index.ts';
import { broken, combined } from '../mutants/fleet.ts';
import { contentType, seen, somePlant } from '../mutants/helpers.ts';
import { absent, printed } from './helpers/bash.ts';
import { startWith, TOKEN, withStore } from './helpers/stores.ts';

/** Random cases: few are enough for most of the faults below. */
const CASES = 1;
const MORE_CASES = new Map([
  ['auth-guards-short', 12],
  ['body-tag-reference', 120],
  ['crash-undeclared-operator', 120],
  ['left-octal-length', 120],
  ['auth-guards-valid', 120],
  ['error-empty-again', 12],
  ['rejects-even-id', 12],
  ['state-full', 12],
  ['two-defects-cancel', 120],
]);

const found = new Map<string, Promise<readonly RecordedCause[]>>();

/** The causes that a run against a store of the fleet finds. */
function causesOf(name: string): Promise<readonly RecordedCause[]> {
  const causes =
    found.get(name) ??
    withStore(
      name,
      async ({ url }) =>
        (await recordOf(url, { cases: MORE_CASES.get(name) ?? CASES, only: checksFor(name) })).causes,
    );
  found.set(name, causes);
  return causes;
}

/** The checks that find a fault, as the others find no more of it: all, if it takes a whole run to see it. */
function checksFor(name: string): readonly string[] {
  const fails = brokenStores.find((store) => store.name === name)?.fails ?? [];
  const isSeenInPart =
    !/^(?:state|again|left)-|-again$/.test(name) && fails.some((id) => !id.startsWith('invariants/'));
  return isSeenInPart ? [...fails, 'invariants/*'] : [];
}

/** Given explicitly, the concurrency does not grow on a busy machine, which looks distant. */
const recordOf = (baseUrl: string, options: Pick<RunOptions, 'explain' | 'cases' | 'only'> = {}) =>
  run({ baseUrl, token: TOKEN, seed: 1, cases: CASES, timeout: 3000, concurrency: 24, ...options }).record;

/** Stores with one fault, and the one title that names it with its condition. */
const TITLES: Readonly<Record<string, RegExp>> = {
  'create-201': /^Answers 201 instead of 200$/,
  'create-202-long-name': /^Answers 202 instead of 200 when name is longer than 24 characters$/,
  'create-octets-large-id': /^Answers 200 with Content-Type application\/octet-stream when id is above 2\^30/,
  'rejects-nine-digits':
    /^Rejects a valid plant with 400 when id is between about 100000000 and about 1000000000$/,
  'rejects-apostrophe': /^Rejects a valid plant with 400 when name contains an apostrophe$/,
  'crash-superscript-digit': /^Answers 500 when name ends with a superscript digit$/,
  'crash-surrogate': /^Answers 500 when name or tag contains a lone surrogate$/,
  'crash-undeclared-operator':
    /^Answers 500 when the name of an undeclared property (?:contains a full stop|begins with \$) or (?:contains a full stop|begins with \$)$/,
  'crash-shard-of-256': /^Answers 500 when id is divisible by 256$/,
  'rejects-even-id': /^Rejects a valid plant with 400 when id is even$/,
  'rejects-int16': /^Rejects a valid plant with 400 when id is above 2\^15/,
  'rejects-id-last': /^Rejects a valid plant with 400 when id is the last property$/,
  'rejects-70-bytes': /^Rejects a valid plant with 413 when the body is longer than 70 bytes$/,
  'plant-name-null-long': /^Returns name as null when name is longer than 32 characters$/,
  'plant-in-data': /^Answers 200 with a Plant nested in "data"$/,
  'plant-tag-null': /^Returns tag as null when there is no tag$/,
  'body-debug-tail': /^Answers 200 with text after the JSON value$/,
  'missing-name-large-id': /^Accepts a plant without name when id is above 2\^30/,
  'any-case': /^Accepts property names in another case$/,
  'any-coerced': /^Accepts values of a wrong type by converting them, such as null as any property$/,
  'id-numeral-string': /^Accepts a numeric string such as "7" as id$/,
  'name-unchecked': /^Accepts any type as name$/,
  'tag-null': /^Accepts null as tag$/,
  'text-first-value': /^Accepts .*follow/,
  'error-html': /^Answers 400 with Content-Type text\/html$/,
  'error-code-string': /^Answers 400 with a string as error$/,
  'crash-apostrophe': /^Answers 500 when name or tag contains an apostrophe$/,
  'crash-null': /^Answers 500 when the body is null$/,
  'auth-none': /^Accepts requests without a valid token$/,
  'auth-any-token': /^Accepts any bearer token$/,
  'auth-guards-short': /^Accepts requests without a valid token when name is longer than 20 characters$/,
  'http-chunked-500': /^Answers 500 to requests with a chunked body$/,
  'http-query-500': /^Answers 500 to requests with a query$/,
  'http-get-500': /^Answers 500 to requests with the method GET$/,
  'state-25th-500': /^Answers 500 to every 25th request, whatever it contains$/,
  'load-4-500': /^Answers 500 when 5 or more requests are in flight$/,
  'always-200-plain': /^Answers every request with 200 as text\/plain/,
  'id-not-object': /^Accepts any type as id except an array or an object$/,
  'malformed-extra':
    /^Accepts bodies? .* when there is an undeclared property$|^Accepts .* with undeclared properties$/,
  'crash-undeclared': /^Answers 500 to requests with undeclared properties$/,
  'crash-id-missing': /^Answers 500 when id is missing \(but not when the body is an empty object\)$/,
  'crash-not-ascii': /^Answers 500 when name or tag is not ASCII or contains a control character$/,
  'auth-guards-odd': /^Accepts requests without a valid token when id is even$/,
  'auth-guards-valid': /^Accepts requests without a valid token when the body is not a NewPlant$/,
  'load-2-409': /^Rejects a valid plant with 409 when 2 or more requests are in flight$/,
  'scheme-case': /^Rejects a valid plant with 401 in requests with the scheme bearer$/,
  'body-tag-reference': /^Returns tag as an object when tag equals name$/,
  'left-octal-length': /^Rejects a valid plant with 400 in requests with leading zeros in Content-Length$/,
  'state-rising-ids': /^Answers 500 to requests after a plant with a higher id$/,
  'state-full': /^Answers 507 to every request with a valid token from some point in the run onwards$/,
  'state-pool': /^Answers 500 to every request with a valid token from some point in the run onwards$/,
  'state-next-500': /^Answers 500 to requests after a rejected request$/,
  'state-breaker': /^Answers 503 to requests after 5 rejected requests( in a row)?$/,
  'connection-16th-503': /^Answers 503 to requests after 15 others on the same connection$/,
  'left-malformed-text':
    /^Parses the body of a request with malformed JSON as the next request on the connection$/,
  'load-scratch-buffer': /^Answers 200 with .+ when (longer|shorter) plants are in flight/,
  'auth-provider-502': /^Answers 502 when the token is wrong or the Authorization header is empty$/,
  'state-name-leaks': /^Accepts a plant without name and answers with values of the plant before$/,
  'auth-gives-up': /^Accepts requests without a valid token after 8 requests without a token in a row$/,
  'auth-address': /^Accepts requests without a valid token soon after an accepted plant$/,
  'again-never': /^Answers 500 once, not reproduced$/,
  'again-17th-id': /^Answers 500 when id is divisible by 17$/,
  'text-tag-not-last': /^Answers 500 when tag is not the last property$/,
  'one-down': /^Accepts any body that is not a NewPlant in requests with a property one level down$/,
  'malformed-over-70': /^Accepts any body that is not a NewPlant when the body is \d+ bytes or longer$/,
  'rejects-long-pair':
    /^Rejects a valid plant with 400 when name is longer than 25 characters and tag is longer than 12 characters$/,
  'error-substatus':
    /^Answers 400 with a fraction as error when .* and more than one property is missing or wrong$/,
  'error-empty-again':
    /^Answers 400 without a body to requests after a rejected request on the same connection/,
  'crash-utf8-in-tag': /^Answers 500 when tag is not valid UTF-8$/,
  'crash-id-by-pattern':
    /^Answers 500 to requests with white space before a colon or with \\u escapes in property names$/,
  'two-defects-cancel': /^Accepts any JSON object when more than one property is missing or wrong$/,
  'tag-empty-is-absent': /^Accepts a number, a falsy value, true, \[\] or \{\} as tag$/,
  'crash-deep-500': /^Answers 500 when the body is nested more than \d+ levels deep$/,
  'auth-second-try': /^Accepts .* when the same token is sent again$/,
  'state-10th-tagged-202': /^Answers 202 instead of 200 to every 10th request with a tag$/,
  'token-then-word': /^Accepts the token followed by another word$/,
};

describe('a store with one fault', () => {
  test.each(Object.entries(TITLES))(
    '%s has one cause, whose title names fault and condition',
    async (name, title) => {
      const causes = await causesOf(name);
      expect(causes.map((cause) => cause.title)).toEqual([expect.stringMatching(title)]);
      const [cause] = causes;
      const [failed = 0, tried = 0] = cause?.confirmed.inside ?? [];
      expect(failed).toBeGreaterThan(0);
      expect(failed).toBeLessThanOrEqual(tried);
      expect(cause?.advice).toMatch(/\w/);
    },
  );
});

describe('the steps of a cause', () => {
  test
    .skipIf(absent)
    .each([
      'create-201',
      'crash-apostrophe',
      'auth-any-token',
      'error-html',
      'http-chunked-500',
      'state-full',
      'state-breaker',
      'connection-16th-503',
      'state-name-leaks',
      'again-17th-id',
      'auth-second-try',
      'auth-same-length',
    ])('show the fault of a freshly started %s, and again on the same one', async (name) => {
    const [cause] = await causesOf(name);
    expect(cause).toBeDefined();
    await withStore(name, async ({ url }) => {
      const { port } = new URL(cause?.counterexample?.request.url ?? url);
      const recorded = new RegExp(`(?<=127\\.0\\.0\\.1[:/])${port}`, 'g');
      const steps = (cause?.steps ?? []).map((channel) => channel.replaceAll(recorded, new URL(url).port));
      for (let turn = 0; turn < 2; turn += 1) expect(await printed(steps)).toContain(String(cause?.answer));
    });
  });
});

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
  expect(await adviceFrom('uvicorn')).toEqual(['FastAPI']);
  expect(await adviceFrom('Apache-Coyote/1.1')).toEqual(['Spring']);
  // The server of Node that runs the store writes Keep-Alive as no other does.
  expect(await adviceFrom('unknown')).toEqual(['NestJS']);
});

test('what should have come back is said with symbols as whole escapes', async () => {
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
      return (await recordOf(store.url, { explain })).requests;
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

test.each([
  ['id-any-string', ['id']],
  ['crash-null', ['body']],
])('what matters of an invalid body at %s is %j', async (name, matters) => {
  const [cause] = await causesOf(name);
  expect(cause?.matters).toEqual(matters);
  // Another id shows the fault as well.
  if (name === 'id-any-string') expect(cause?.steps.join('\n')).toContain('$ID');
});

test('a cause that the budget does not suffice for says so, not that no experiment reproduced it', async () => {
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
    const plan = await planOf({ baseUrl: url, token: TOKEN, seed: 1, only: ['ordinary/answers-200'] });
    const sendOutsideChecks = () => {
      throw new RangeError('Maximum call stack size exceeded');
    };
    const found: Cause[] = [];
    const events = runEvents({
      ...plan,
      findCauses: (results, handle) => explainRun(results, { ...handle, sendOutsideChecks }, plan, 100),
    });
    for await (const event of events) if (event.type === 'causes') found.push(...event.causes);
    return found;
  });
  expect(causes.map(({ checks }) => checks)).toEqual([['ordinary/answers-200']]);
  expect(String((await warned)[0])).toContain('Maximum call stack size exceeded');
});

/** The causes that a run finds in a store with the faults of several stores of the fleet. */
async function causesOfBoth(names: readonly string[], options: Parameters<typeof recordOf>[1]) {
  const stores = names.flatMap((name) => brokenStores.find((store) => store.name === name) ?? []);
  const store = await broken('both', names.join(), [], combined(stores)).start(TOKEN);
  return recordOf(store.url, options)
    .then(({ causes }) => causes)
    .finally(() => store.stop());
}

test('a check is listed only under the causes of its own failures', async () => {
  const causes = await causesOfBoth(['id-numeral-string', 'takes-id-64'], {
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
      ['missing-id-tagged', 'name-boolean-tagged'],
      { only: ['invalid/rejects-missing-property', 'invalid/rejects-wrong-type'] },
      ['Accepts a plant without id when there is a tag', 'Accepts a boolean as name when there is a tag'],
    ],
    [
      ['tag-array-long-name', 'tag-before-name-unchecked'],
      { only: ['invalid/rejects-any-wrong-type', 'combinations/rejects-invalid-bodies'], cases: 120 },
      [
        'Accepts any type as tag when tag comes before name',
        'Accepts an array as tag when name is longer than 20 characters',
      ],
    ],
  ];

  test.each(BOTH)('%j', async (faults, options, titles) => {
    const causes = await causesOfBoth(faults, options);
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
  const { causes } = await recordOf(`http://127.0.0.1:${port}`, { cases: 120, only });
  server.close();
  expect(causes.map(({ title }) => title)).toEqual([
    'Accepts requests without a valid token when plants whose bodies arrive late are in flight',
  ]);
});

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
        if (isChunked ? !rest.includes('0\r\n\r\n') : length > 0 && rest.length === 0) return;
        const end = isChunked ? rest.indexOf('0\r\n\r\n') + 5 : Math.min(length, rest.length);
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
    cases: 120,
    only: ['ordinary/*', 'combinations/accepts-ordinary-plants', 'invariants/*'],
  });
  proxy.close();
  await store.stop();
  expect(causes.map(({ title }) => title)).toEqual([
    expect.stringMatching(
      /^Rejects a valid plant with 400 in requests whose body is split into several segments/,
    ),
  ]);
});

test('a fault of some moments is said to be one of some requests, whatever they contain', async () => {
  const store = await startWith((right) => ({
    create(plant, request) {
      const answer = right.create(plant, request);
      return Date.now() % 500 < 60 ? { ...answer, status: 500 } : answer;
    },
  }));
  const { causes } = await recordOf(store.url, {
    only: ['ordinary/*', 'state/answers-any-sequence', 'invariants/no-server-error'],
  });
  await store.stop();
  const kinds = causes.filter(({ level }) => level === 'MUST').map(({ kind }) => kind);
  expect(kinds).toEqual(['intermittent']);
});
