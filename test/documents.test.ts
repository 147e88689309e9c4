import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../index.ts';
import { type CountingStore, documentOf, plantWith, relaxations, type Schema, storeOf } from './documents.ts';

/** Everything that a property may be. */
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

/** So many properties from a place in the list on, every other one required. */
function documentFrom(place: number, count: number): Schema {
  const chosen = Array.from({ length: count }, (_, index) => names[(place + index) % names.length] ?? '');
  return plantWith(
    Object.fromEntries(chosen.map((name) => [`${name}Of`, KINDS[name] ?? {}])),
    chosen.filter((_, index) => (index + place) % 2 === 0).map((name) => `${name}Of`),
    place % 3 === 0,
  );
}

const FULL = process.env.PLANT_STORE_ALL_DOCUMENTS !== undefined;

/** Counts of properties from 1 to 12, and among their documents every kind, required and optional. */
const COUNTS = FULL ? Array.from({ length: 12 }, (_, index) => index + 1) : [1, 4, 7, 12];
const DOCUMENTS = COUNTS.flatMap((count, index) =>
  (FULL ? names.map((_, place) => place) : [index * 7, index * 5 + 10]).map(
    (place): [label: string, newPlant: Schema] => {
      const newPlant = documentFrom(place, count);
      return [
        Object.keys(newPlant.properties as Schema)
          .slice(3)
          .join(', '),
        newPlant,
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

describe.each(DOCUMENTS)('a document that adds %s', (_label, newPlant) => {
  let store: CountingStore;
  beforeAll(async () => {
    store = await storeOf(newPlant);
  });
  afterAll(() => store.stop());

  test('finds a store that does what it says conformant, in few requests', { timeout: 120_000 }, async () => {
    const record = await run({ ...options(newPlant, store), cases: FULL ? 120 : 12 }).record;
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
      if (kind !== 'property' && kind !== 'standing') expect(cases, id).toBeLessThanOrEqual(260);
    expect(store.received()).toBeLessThan(20 * 1024 * 1024);
  });
});

/** What may be left out and changes nothing, or makes a store that takes less. */
const HARMLESS = [
  'oneOf: /oneOf as anyOf',
  'overlapping: /oneOf/0/maxLength',
  'overlapping: /oneOf/1/minLength',
];

describe('a store that leaves out one thing that the document says', () => {
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
          only: ['refuse/*'],
          skip: ['refuse/any-*'],
          cases: 1,
        }).record;
        expect(record.outcome).toBe('nonconformant');
      } finally {
        await store.stop();
      }
    },
  );
});
