import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run, terminalReport } from '../index.ts';
import { Numeral } from '../reference/json.ts';
import { Rejection } from '../reference/store.ts';
import { suite } from './helpers/command.ts';
import {
  type CountingStore,
  documentOf,
  overlayOf,
  plantWith,
  relaxations,
  type Schema,
  storeOf,
} from './helpers/documents.ts';
import { startWith, TOKEN, withStore } from './helpers/stores.ts';

/** A schema for every kind of property. */
const KINDS: Readonly<Record<string, Schema>> = {
  string: { type: 'string', minLength: 2, maxLength: 12 },
  integer: { type: 'integer', minimum: 5, maximum: 90, multipleOf: 5 },
  number: { type: 'number', exclusiveMinimum: 0, maximum: 2.5, multipleOf: 0.25 },
  boolean: { type: 'boolean' },
  enum: { enum: ['fern', 7, true, null] },
  pattern: { type: 'string', pattern: '^[a-z]+$', minLength: 15, maxLength: 20 },
  date: { type: 'string', format: 'date' },
  object: {
    type: 'object',
    required: ['size'],
    properties: {
      size: { type: 'integer', minimum: 1 },
      label: { type: 'string', maxLength: 9 },
      inner: { type: 'object', required: ['deep'], properties: { deep: { type: 'boolean' } } },
    },
    additionalProperties: false,
  },
  array: {
    type: 'array',
    minItems: 1,
    maxItems: 3,
    uniqueItems: true,
    items: { type: 'string', maxLength: 8 },
  },
  oneOf: {
    oneOf: [
      { type: 'string', maxLength: 5 },
      { type: 'integer', minimum: 10 },
    ],
  },
  narrow: { type: 'number', minimum: 0.1, exclusiveMaximum: 0.4 },
  exclusive: { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 100 },
  overlapping: {
    oneOf: [
      { type: 'string', maxLength: 8 },
      { type: 'string', minLength: 5 },
    ],
  },
  const: { const: 'plant' },
  code: { type: 'string', pattern: '^[A-Z]{2}-[0-9]{4}$' },
  email: { type: 'string', format: 'email', maxLength: 40 },
  uuid: { type: 'string', format: 'uuid' },
  long: { type: 'string', minLength: 3000 },
  nullable: { type: ['string', 'null'], maxLength: 7 },
  list: {
    type: 'array',
    maxItems: 2,
    items: { type: 'object', required: ['a'], properties: { a: { type: 'integer', maximum: 9 } } },
  },
  map: { type: 'object', additionalProperties: { type: 'integer' }, minProperties: 1 },
};

const names = Object.keys(KINDS);

/** A document with `count` properties, starting at `place` in the list, every other one required. */
function documentFrom(place: number, count: number): Schema {
  const chosen = Array.from({ length: count }, (_, index) => names[(place + index) % names.length] ?? '');
  return plantWith(
    Object.fromEntries(chosen.map((name) => [`${name}Of`, KINDS[name] ?? {}])),
    chosen.filter((_, index) => (index + place) % 2 === 0).map((name) => `${name}Of`),
    place % 3 === 0,
  );
}

const FULL = process.env.PLANT_STORE_ALL_DOCUMENTS !== undefined;

/** Numbers of properties, chosen so that every kind occurs both required and optional. */
const COUNTS = FULL ? Array.from({ length: 12 }, (_, index) => index + 1) : [1, 4, 7, 12];
const DOCUMENTS = COUNTS.flatMap((count, index) =>
  (FULL ? names.map((_, place) => place) : [index * 7, index * 5 + 10]).map(
    (place, second): [label: string, newPlant: Schema, quarter: number] => {
      const newPlant = documentFrom(place, count);
      return [
        Object.keys(newPlant.properties as Schema)
          .slice(3)
          .join(', '),
        newPlant,
        (index + 2 * second) % 4,
      ];
    },
  ),
);

const options = (newPlant: Schema, store: CountingStore) => ({
  baseUrl: store.url,
  token: store.token,
  openapi: documentOf(newPlant),
  seed: 7,
});

describe.each(DOCUMENTS)('a document that adds %s', (_label, newPlant, quarter) => {
  let store: CountingStore;
  beforeAll(async () => {
    store = await storeOf(newPlant);
  });
  afterAll(() => store.stop());

  test('finds a store that implements it conformant, in few requests', { timeout: 120_000 }, async () => {
    // A quarter of the catalogue for each two documents, unless all documents are tried.
    const part = FULL ? { cases: 120 } : { cases: 12, firstId: 1_000_000n, shard: { index: quarter, of: 4 } };
    const record = await run({ ...options(newPlant, store), ...part }).record;
    const faults = record.results.filter(
      ({ level, verdict }) => level === 'MUST' && (verdict === 'fail' || verdict === 'untestable'),
    );
    expect(
      faults.map(({ id, actual, reason, exchanges }) => [
        id,
        actual,
        reason,
        exchanges[0]?.label,
        exchanges[0]?.request.body,
      ]),
    ).toEqual([]);
    expect(record.outcome).toBe('conformant');
    expect(record.requests).toBeLessThan(6000);
    for (const { id, kind, cases } of record.results)
      if (kind !== 'property' && kind !== 'invariant') expect(cases, id).toBeLessThanOrEqual(260);
    expect(store.received()).toBeLessThan(20 * 1024 * 1024);
  });
});

/** Keywords whose omission changes nothing, or makes a store stricter. */
const HARMLESS = [
  'oneOf: /oneOf as anyOf',
  'overlapping: /oneOf/0/maxLength',
  'overlapping: /oneOf/1/minLength',
];

describe('a store that ignores one keyword of the document is nonconformant', () => {
  const limits = names.flatMap((name) => {
    const kind = KINDS[name] ?? {};
    return [...relaxations(kind)].map(([what, relaxed]): [what: string, full: Schema, relaxed: Schema] => [
      `${name}: ${what}`,
      plantWith({ value: kind }, ['value']),
      plantWith({ value: relaxed }, ['value']),
    ]);
  });

  test.each(limits.filter(([what], index) => !HARMLESS.includes(what) && (FULL || index % 3 === 0)))(
    '%s',
    { timeout: 60_000 },
    async (_what, full, relaxed) => {
      const store = await storeOf(relaxed);
      try {
        const record = await run({
          ...options(full, store),
          only: ['invalid/*'],
          skip: ['invalid/rejects-any-*'],
          cases: 1,
          explain: 0,
          // One keyword that the store ignores is enough.
          bail: true,
        }).record;
        expect(record.outcome).toBe('nonconformant');
      } finally {
        await store.stop();
      }
    },
  );
});

const plain = plantWith({});

test('a required header, query parameter and cookie are sent with every request, and the user can override them', async () => {
  const parameters = [
    { name: 'X-Tenant', in: 'header', required: true, example: 'acme', schema: { type: 'string' } },
    { name: 'X-Trace', in: 'header', required: true, schema: { type: 'string', pattern: '^[0-9a-f]{8}$' } },
    { name: 'X-Other', in: 'header', schema: { type: 'string' } },
    { name: 'v', in: 'query', required: true, schema: { type: 'integer', default: 2 } },
    { name: 'kind', in: 'query', required: true, schema: { type: 'array', example: ['a b', 'c'] } },
    { name: 'session', in: 'cookie', required: true, schema: { enum: ['s1'] } },
  ];
  const store = await startWith((right) => ({
    route(request) {
      right.route(request);
      const { headers, message } = request;
      const sent = [headers['x-tenant'], headers['x-other'], headers.cookie, message.url?.split('?')[1]];
      if (!/^[0-9a-f]{8}$/.test(headers['x-trace']?.[0] ?? ''))
        throw new Rejection(400, 1, 'X-Trace is missing');
      if (JSON.stringify(sent) !== '[["other"],null,["session=s1"],"v=2&kind=a%20b&kind=c"]')
        throw new Rejection(400, 1, 'a parameter is missing');
    },
  }));
  try {
    const record = await run({
      baseUrl: store.url,
      token: TOKEN,
      openapi: documentOf(plain, { parameters }),
      headers: [['x-tenant', 'other']],
      only: ['ordinary/*', 'invalid/*'],
      cases: 5,
    }).record;
    const failed = record.results.filter(({ verdict }) => verdict === 'fail' || verdict === 'untestable');
    expect(failed.map(({ id, actual, reason }) => [id, actual, reason])).toEqual([]);
  } finally {
    await store.stop();
  }
});

/** Runs these checks, and those of combinations, with few cases. */
const fewCasesOf = (newPlant: Schema, baseUrl: string, checks: readonly string[]) => {
  const only = [...checks, 'combinations/*', 'invariants/*'];
  return run({ baseUrl, token: TOKEN, openapi: documentOf(newPlant), only, cases: 5, explain: 0 }).record;
};

test('a plant of more than 1 KiB is not ordinary: a store may reject it', async () => {
  const newPlant = plantWith({ story: { type: 'string', minLength: 2000 } }, ['story']);
  const store = await startWith((right) => ({
    negotiate(request) {
      right.negotiate(request);
      if (request.body.length > 1024) throw new Rejection(413, 413, 'the body is too large');
    },
    validate(value, request) {
      const plant = right.validate(value, request);
      if (!/"story":".{2000}/.test(request.body.toString()))
        throw new Rejection(400, 1, 'a story is missing');
      return plant;
    },
  }));
  try {
    const record = await fewCasesOf(newPlant, store.url, ['ordinary/*', 'unconstrained/*']);
    // If nothing is accepted, no Plant is seen either.
    expect([record.outcome, record.summary.MUST.fail]).toEqual(['undetermined', 0]);
  } finally {
    await store.stop();
  }
});

test('an object without properties is valid if the document requires nothing', async () => {
  const newPlant = { ...plain, required: [] };
  const store = await startWith((right) => ({
    validate(value, request) {
      const fields = value instanceof Map ? new Map(value) : value;
      if (fields instanceof Map && !fields.has('name')) fields.set('name', 'a plant');
      if (fields instanceof Map && !fields.has('id')) fields.set('id', new Numeral('0'));
      return right.validate(fields, request);
    },
  }));
  try {
    const record = await fewCasesOf(newPlant, store.url, ['ordinary/*', 'invalid/*']);
    const failed = record.results.filter(({ level, verdict }) => level === 'MUST' && verdict === 'fail');
    expect(failed.map(({ id, actual }) => [id, actual])).toEqual([]);
  } finally {
    await store.stop();
  }
});

test('ids without a format may be negative and beyond 2^53, within their limits', async () => {
  const verdicts = async (id: Schema) => {
    const newPlant = { ...plain, properties: { id, name: { type: 'string' } } };
    const record = await withStore(
      'reference',
      ({ url }) =>
        run({
          baseUrl: url,
          token: TOKEN,
          openapi: documentOf(newPlant),
          only: ['unconstrained/accepts-*ids*'],
        }).record,
    );
    return record.results.flatMap(({ id, verdict }) =>
      /^unconstrained\/accepts-.*ids/.test(id) ? [verdict] : [],
    );
  };
  expect(await verdicts({ type: 'integer' })).toEqual(['pass', 'pass', 'pass']);
  expect(await verdicts({ type: 'integer', multipleOf: 10 })).toEqual(['pass', 'pass', 'pass']);
  expect(await verdicts({ type: 'integer', minimum: 1 })).toEqual(['pass', 'pass', 'skipped']);
  expect(await verdicts({ type: 'integer', exclusiveMaximum: 2 ** 31 })).toEqual([
    'skipped',
    'skipped',
    'pass',
  ]);
});

test('the header of a report names the overlays, and the version of an OpenAPI 3.0 document', async () => {
  const file = documentOf(plantWith({ size: { type: 'string', nullable: true } }), { openapi: '3.0.3' });
  const overlay = overlayOf('$..size', { 'x-unit': 'cm' });
  const record = await withStore(
    'reference',
    ({ url }) =>
      run({
        baseUrl: url,
        token: TOKEN,
        openapi: file,
        overlays: [overlay],
        only: ['ordinary/answers-200'],
      }).record,
  );
  expect(record.document).toMatchObject({ openapi: '3.0.3', overlays: [overlay] });
  const text = terminalReport(record, false).replace(/\s+/g, ' ');
  expect(text).toContain(`${file} (OpenAPI 3.0.3, read as 3.1) with ${overlay}, version 1.0.0`);
});

test('a misspelt keyword causes a warning on standard error', async () => {
  const file = documentOf(plantWith({ size: { type: 'string', maxlength: 9 } }));
  const { code, stdout, stderr } = await suite(['run', '--openapi', file, '--only', 'ordinary/answers-200']);
  expect(stdout.replace(/\n {10}/g, ' ')).toMatch(
    / \S+: maxlength is not a schema keyword and has no effect; did you mean maxLength\?$/m,
  );
  expect([code, stderr.split('\n')[0]]).toEqual([
    0,
    expect.stringMatching(/^warning: .*did you mean maxLength\?$/),
  ]);
});

test('a pattern that no string of the required length matches exits with 2 and names the keywords', async () => {
  const newPlant = plantWith({ code: { type: 'string', pattern: '^[a-z]{3}$', minLength: 15 } }, ['code']);
  const { code, stderr } = await suite(['run', '--openapi', documentOf(newPlant)]);
  expect(code).toBe(2);
  expect(stderr).toContain('code: found no string that satisfies pattern ^[a-z]{3}$ with minLength 15');
});

test('a required parameter without a known value exits with 2', async () => {
  const parameters = [{ name: 'filter', in: 'query', required: true, schema: { type: 'object' } }];
  const { code, stderr } = await suite(['run', '--openapi', documentOf(plain, { parameters })]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('the query parameter filter is required, and')]);
});
