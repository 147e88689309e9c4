import { describe, expect, test } from 'vitest';
import { shapeOf } from '../lib/contract/schema.ts';
import { FRESH, fromValue, write } from '../lib/payloads/json.ts';
import { type Breadth, ordinaryIds, plantOf } from '../lib/payloads/plants.ts';
import { draw } from '../lib/payloads/random.ts';

const plants = (properties: Readonly<Record<string, unknown>>, breadth: Breadth, count: number) => {
  const shape = shapeOf({ type: 'object', required: Object.keys(properties), properties });
  const arbitrary = plantOf(shape, breadth, 'all');
  return Array.from({ length: count }, (_, index) => draw(arbitrary, 3, 'shapes', index).value);
};

/** Values that are drawn for a schema, as they are written. */
const valuesOf = (schema: unknown, breadth: Breadth = 'ordinary', count = 150): string[] =>
  plants({ value: schema }, breadth, count).map((plant) => write(plant.get('value') ?? null, 0n));

const distinct = (schema: unknown, breadth?: Breadth) => [...new Set(valuesOf(schema, breadth))].sort();

describe('the values that are drawn for a schema', () => {
  test.each<[schema: Readonly<Record<string, unknown>>, values: string[]]>([
    [{ type: 'null' }, ['null']],
    [{ type: 'boolean' }, ['false', 'true']],
    [{ enum: ['a', 1.5, null, [true]] }, ['"a"', '1.5', '[true]', 'null']],
    [{ oneOf: [{ const: 1 }, { const: 'x' }] }, ['"x"', '1']],
    [{ type: 'integer', minimum: 5, maximum: 7 }, ['5', '6', '7']],
    [{ type: 'integer', minimum: 3, exclusiveMinimum: 4, maximum: 5 }, ['5']],
    [{ type: 'integer', minimum: 1.5, maximum: 3.5 }, ['2', '3']],
    [{ type: 'integer', exclusiveMinimum: 1.5, exclusiveMaximum: 3.5 }, ['2', '3']],
    [{ type: 'integer', exclusiveMinimum: 3_000_000_000 }, ['3000000001']],
    [{ type: 'integer', exclusiveMaximum: 0 }, ['-1']],
    [{ type: 'integer', minimum: -3, maximum: -2 }, ['-2', '-3']],
    [{ type: 'integer', minimum: 5, maximum: 25, multipleOf: 10 }, ['10', '20']],
    [{ type: 'integer', minimum: -25, maximum: -5, multipleOf: 10 }, ['-10', '-20']],
    [{ type: 'integer', minimum: -30, maximum: -10, multipleOf: 10 }, ['-10', '-20', '-30']],
    [{ type: 'integer', minimum: 10, maximum: 30, multipleOf: 10 }, ['10', '20', '30']],
    // None fits: whatever is drawn, somebody else finds out that the document admits no plant.
    [{ type: 'integer', minimum: 11, maximum: 19, multipleOf: 10 }, ['10']],
    [{ type: 'number', minimum: 1, maximum: 3 }, ['1', '1.5', '2', '2.5', '3']],
    [{ type: 'number', minimum: 1, maximum: 3, multipleOf: 1 }, ['1', '2', '3']],
    [{ type: 'number', minimum: 1, maximum: 2, multipleOf: 0.5 }, ['1', '2']],
    [{ type: 'integer', minimum: 0, maximum: 15, multipleOf: 10 }, ['10']],
    [{ type: 'array', maxItems: 0 }, ['[]']],
    [
      { type: 'array', minItems: 2, maxItems: 2, items: { enum: [1, 2] } },
      ['[1,1]', '[1,2]', '[2,1]', '[2,2]'],
    ],
    [
      { type: 'array', minItems: 2, maxItems: 2, uniqueItems: true, items: { enum: [1, 2] } },
      ['[1,2]', '[2,1]'],
    ],
    [
      { type: 'array', minItems: 1, maxItems: 2, uniqueItems: true, items: { enum: [[1], [2]] } },
      ['[[1],[2]]', '[[1]]', '[[2],[1]]', '[[2]]'],
    ],
    [
      { type: ['string', 'object'], required: ['a'], properties: { a: { const: 1 }, b: { const: 2 } } },
      ['{"a":1,"b":2}', '{"a":1}'],
    ],
  ])('%j are %j', (schema, values) => {
    expect(distinct(schema)).toEqual(values);
  });

  test('of the widest range reach below zero, where a number has no fraction', () => {
    const schema = { type: 'number', minimum: -2, maximum: 1 };
    expect(distinct(schema, 'any')).toEqual(['-1', '-2', '0', '0.5', '1']);
    expect(distinct({ ...schema, minimum: 0 }, 'ordinary')).toEqual(['1']);
  });

  test('integers are ordinary, or of any size', () => {
    const ordinary = valuesOf({ type: 'integer' }).map(BigInt);
    for (const value of ordinary) expect(value >= 1n && value < 2n ** 31n, `${value}`).toBe(true);
    const any = valuesOf({ type: 'integer' }, 'any').map(BigInt);
    expect(any.some((value) => value > 2n ** 62n) && any.some((value) => value < -(2n ** 62n))).toBe(true);
  });

  test('a string is a word where it is not the point, and a name or a tag otherwise', () => {
    for (const word of valuesOf({ type: 'string' }, 'plain')) expect(word).toMatch(/^"[A-Z][a-z]{9,13}"$/);
    expect(valuesOf({ type: 'string' }, 'ordinary').filter((name) => / /.test(name))).not.toEqual([]);
    // An object without properties says nothing: a string is the better guess.
    expect(valuesOf({ type: ['object', 'string'] }, 'plain')[0]).toMatch(/^"/);
    expect(valuesOf({ type: 'object', properties: {} })[0]).toBe('{}');
    // Two lists of values that have none in common.
    const disjoint = { type: 'string', allOf: [{ enum: ['a'] }, { enum: ['b'] }] };
    expect(valuesOf(disjoint, 'plain')[0]).toMatch(/^"[A-Z]/);
  });

  test('a list of anything holds integers, and up to three more than it must', () => {
    const lists = valuesOf({ type: 'array', minItems: 1 }).map((text) => JSON.parse(text) as number[]);
    expect(new Set(lists.map(({ length }) => length))).toEqual(new Set([1, 2, 3, 4]));
    for (const item of lists.flat()) expect(item >= 1 && item <= 2 ** 31, `${item}`).toBe(true);
    const unique = valuesOf({ type: 'array', minItems: 1, uniqueItems: true });
    expect(new Set(unique.map((text) => (JSON.parse(text) as number[]).length))).toEqual(
      new Set([1, 2, 3, 4]),
    );
  });
});

describe('the id', () => {
  const idOf = (schema: unknown) => plants({ id: schema }, 'ordinary', 1)[0]?.get('id');

  test.each([{ type: 'integer' }, { type: 'number' }, { type: ['string', 'integer'] }, {}])(
    'of %j is a fresh one',
    (schema) => {
      expect(idOf(schema)).toBe(FRESH);
    },
  );

  test('that can be no fresh one is one of the document', () => {
    expect(idOf({ type: 'integer', enum: [7] })).toEqual(fromValue(7));
    expect(idOf({ type: 'string', const: 'x' })).toBe('x');
    expect(idOf({ type: 'string' })).toMatch(/^[A-Za-z]/);
  });

  test('of a document without one is ordinary all the same', () => {
    expect(ordinaryIds(shapeOf({ type: 'object' }))).toEqual({ first: 1n, last: 2n ** 31n - 1n, step: 1n });
  });
});
