import { describe, expect, test } from 'vitest';
import { shapeOf } from '../lib/contract/shape.ts';
import { type Defect, defectsOf } from '../lib/payloads/defects.ts';
import { FRESH, FreshText, fromValue, object, write } from '../lib/payloads/json.ts';
import { ordinaryIds, plantOf, type Variety } from '../lib/payloads/plants.ts';
import { sample } from '../lib/payloads/random.ts';

const plants = (properties: Readonly<Record<string, unknown>>, variety: Variety, count: number) => {
  const shape = shapeOf({ type: 'object', required: Object.keys(properties), properties });
  const arbitrary = plantOf(shape, variety, 'all');
  return Array.from({ length: count }, (_, index) => sample(arbitrary, 3, 'shapes', index).value);
};

/** Sampled values of a schema, as JSON. */
const valuesOf = (schema: unknown, variety: Variety = 'ordinary', count = 150): string[] =>
  plants({ value: schema }, variety, count).map((plant) => write(plant.get('value') ?? null, 0n));

const distinct = (schema: unknown, variety?: Variety) => [...new Set(valuesOf(schema, variety))].sort();

describe('the values sampled for a schema', () => {
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
    // None fits. Any value will do: `requireOrdinary` reports that the document allows no plant.
    [{ type: 'integer', minimum: 11, maximum: 19, multipleOf: 10 }, ['10']],
    [{ type: 'number', minimum: 1, maximum: 3 }, ['1', '1.5', '2', '2.5', '3']],
    [{ type: 'number', minimum: 1, maximum: 3, multipleOf: 1 }, ['1', '2', '3']],
    [{ type: 'number', minimum: 1, maximum: 2, multipleOf: 0.5 }, ['1', '1.5', '2']],
    [{ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 0.2 }, ['0.05', '0.1', '0.15']],
    [{ type: 'number', minimum: 0.1, maximum: 0.3, multipleOf: 0.1 }, ['0.1', '0.2', '0.3']],
    [{ type: 'integer', minimum: 1, maximum: 6, multipleOf: 1.5 }, ['3', '6']],
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

  test('of the variety any may be negative', () => {
    const schema = { type: 'number', minimum: -2, maximum: 1 };
    expect(distinct(schema, 'any')).toEqual(['-0.5', '-1', '-1.5', '-2', '0', '0.5', '1']);
    expect(distinct({ ...schema, minimum: 0 }, 'ordinary')).toEqual(['1']);
  });

  test('integers are ordinary, or of any size', () => {
    const ordinary = valuesOf({ type: 'integer' }).map(BigInt);
    for (const value of ordinary) expect(value >= 1n && value < 2n ** 31n, `${value}`).toBe(true);
    const any = valuesOf({ type: 'integer' }, 'any').map(BigInt);
    expect(any.some((value) => value > 2n ** 62n) && any.some((value) => value < -(2n ** 62n))).toBe(true);
  });

  test('a plain string is a word, an ordinary one a name', () => {
    for (const word of valuesOf({ type: 'string' }, 'plain')) expect(word).toMatch(/^"[A-Z][a-z]{9,13}"$/);
    expect(valuesOf({ type: 'string' }, 'ordinary').filter((name) => / /.test(name))).not.toEqual([]);
    // An object schema without properties has no information: a string is the better guess.
    expect(valuesOf({ type: ['object', 'string'] }, 'plain')[0]).toMatch(/^"/);
    expect(valuesOf({ type: 'object', properties: {} })[0]).toBe('{}');
    // Two disjoint lists of values.
    const disjoint = { type: 'string', allOf: [{ enum: ['a'] }, { enum: ['b'] }] };
    expect(valuesOf(disjoint, 'plain')[0]).toMatch(/^"[A-Z]/);
  });

  test('a list of anything contains integers, up to three more than required', () => {
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
    'with the schema %j is a fresh one',
    (schema) => {
      expect(idOf(schema)).toBe(FRESH);
    },
  );

  test('that cannot be fresh is one that the document allows', () => {
    expect(idOf({ type: 'integer', enum: [7] })).toEqual(fromValue(7));
    expect(idOf({ type: 'string', const: 'x' })).toBe('x');
    expect(idOf({ type: 'string' })).toBeInstanceOf(FreshText);
  });

  test('is ordinary even if the document does not declare it', () => {
    expect(ordinaryIds(shapeOf({ type: 'object' }))).toEqual({
      first: 2n ** 20n,
      last: 2n ** 31n - 1n,
      step: 1n,
    });
  });
});

describe('the defects of a shape', () => {
  const defects = (schema: unknown): readonly Defect[] => defectsOf(shapeOf(schema));
  const names = (schema: unknown) => defects(schema).map(({ name }) => name);
  /** The defects of one optional property. */
  const ofValue = (schema: unknown) => defects({ type: 'object', properties: { value: schema } });
  const named = (schema: unknown, name: string) => ofValue(schema).find((one) => one.name === name);
  const limits = (schema: unknown) =>
    ofValue(schema)
      .filter(({ kind }) => kind === 'constraint' || kind === 'beyond-format')
      .map(({ name }) => name);

  test.each([
    ['null', ['null']],
    ['boolean', ['a boolean']],
    ['number', ['a number']],
    ['string', ['a string', 'a string containing a NewPlant']],
    [
      'array',
      ['an array', 'an array of one NewPlant', 'an array of the property values', 'an array of pairs'],
    ],
  ])('a shape that also allows %s has no defect of that type', (type, missing) => {
    const all = names({ type: 'object' });
    const fewer = names({ type: ['object', type] });
    expect(all.filter((name) => !fewer.includes(name))).toEqual(missing);
  });

  test('without required properties none can be missing', () => {
    const kinds = new Set(ofValue({ type: 'string' }).map(({ kind }) => kind));
    expect(kinds).toEqual(new Set(['not-an-object', 'null', 'wrong-type']));
  });

  test('a property that may be a string has no defect for numeric strings', () => {
    expect(named({ type: 'integer' }, 'value is a numeric string')).toBeDefined();
    expect(named({ type: ['integer', 'string'] }, 'value is a numeric string')).toBeUndefined();
  });

  test.each<[schema: Readonly<Record<string, unknown>>, names: string[]]>([
    [{ type: 'string', minimum: 5, multipleOf: 2, minItems: 2, maxItems: 3, uniqueItems: true }, []],
    [{ type: 'integer', minLength: 2, maxLength: 5, pattern: 'x', minItems: 1 }, []],
    [{ type: 'array' }, []],
    [{ type: 'array', minLength: 1, maximum: 5 }, []],
    [{ type: 'number', multipleOf: 0.5 }, ['value is not a multiple of 0.5']],
    [{ type: 'number', multipleOf: 2.5 }, ['value is not a multiple of 2.5']],
    [{ type: 'integer', multipleOf: 0.5 }, []],
    [{ type: 'integer', multipleOf: 1 }, []],
    [{ type: 'integer', multipleOf: 2 }, ['value is not a multiple of 2']],
    [{ type: 'integer', minimum: -(2 ** 63) }, ['value is below its limit']],
    [{ type: 'integer', format: 'other', minimum: -(2 ** 63) }, ['value is below its limit']],
    [{ type: 'integer', format: 'int32' }, ['value is below int32', 'value is above int32']],
    [{ type: 'integer', format: 'int32', maximum: 9 }, ['value is below int32', 'value is above its limit']],
  ])('%j is violated by %j', (schema, expected) => {
    expect(limits(schema)).toEqual(expected);
  });

  test('an enum is violated by another case and by appended characters', () => {
    const typical = named({ enum: ['fern'] }, 'value is not an allowed value')?.typical(object({}));
    expect(typical?.map((json) => write(json, 0n))).toEqual([
      '{"value":"FERN"}',
      '{"value":"fern "}',
      '{"value":"fernx"}',
      '{"value":"none of these"}',
      '{"value":-12345}',
    ]);
  });

  test('an absent property gets a value', () => {
    const typical = named({ type: 'string' }, 'value is an array')?.typical(object({}));
    expect(typical?.map((json) => write(json, 0n))).toContain('{"value":["fern"]}');
  });

  test('only a property that may be an object has inner defects', () => {
    const within = (schema: unknown) => ofValue(schema).filter(({ name }) => name.startsWith('value: '));
    const properties = { size: { type: 'string' } };
    expect(within({ type: 'string', required: ['size'], properties })).toEqual([]);
    expect(within({ type: 'object' })).toEqual([]);
    const [inner] = within({ type: 'object', properties });
    expect(inner?.name).toBe('value: size is null');
    const json = inner && sample(inner.sampled(object({ id: 1n })), 1, 'shapes', 0).value;
    expect(write(json ?? null, 0n)).toBe('{"id":1,"value":{"size":null}}');
  });

  describe('sampled at random', () => {
    /** Values of the property, half of them typical ones. */
    const sampled = (schema: unknown, name: string) => {
      const defect = named(schema, name);
      const control = object({ value: 'own' });
      return Array.from({ length: 400 }, (_, index) =>
        defect === undefined ? '' : write(sample(defect.sampled(control), 5, 'shapes', index).value, 0n),
      ).map((text) => text.slice('{"value":'.length, -1));
    };

    test('numbers are small or large, with and without a fraction', () => {
      const numbers = sampled({ type: 'string' }, 'value is a number').filter((text) => text !== '1e3');
      for (const text of numbers) expect(text).toMatch(/^-?\d{1,3}(?:\.\d{1,2})?$|^-?\d{4,16}$/);
      for (const form of [/^-?\d{1,2}$/, /^-\d+\./, /^\d{2,}\.\d/, /^-\d{10,}$/, /^\d{10,}$/])
        expect(
          numbers.some((text) => form.test(text)),
          String(form),
        ).toBe(true);
    });

    test('fractions have four places and a whole number of at most 2^36', () => {
      const fractions = sampled({ type: 'integer' }, 'value is a number with a fraction').filter((text) =>
        /\.\d{4}$/.test(text),
      );
      expect(fractions.length).toBeGreaterThan(100);
      for (const text of fractions) expect(text).toMatch(/^-?\d{1,11}\.(?!0000)\d{4}$/);
      const whole = fractions.map((text) => Math.trunc(Number(text)));
      expect(Math.max(...whole)).toBeLessThanOrEqual(2 ** 36);
      expect(Math.min(...whole)).toBeGreaterThanOrEqual(-99_999);
      expect(whole.some((value) => value < 0) && whole.some((value) => value > 2 ** 31)).toBe(true);
    });

    test('numerals are those of ordinary, huge and small ids', () => {
      const numerals = sampled({ type: 'integer' }, 'value is a numeric string')
        .filter((text) => /^"-?\d+"$/.test(text))
        .map((text) => Number(text.slice(1, -1)));
      expect(Math.min(...numerals)).toBeGreaterThanOrEqual(-9);
      expect(Math.max(...numerals)).toBeLessThanOrEqual(2 ** 63);
      expect(numerals.filter((value) => value > 2 ** 53).length).toBeGreaterThan(60);
      expect(numerals.filter((value) => Math.abs(value) < 100).length).toBeGreaterThan(60);
      expect(numerals.filter((value) => value > 10 ** 6).length).toBeGreaterThan(60);
    });

    test('strings are words and hostile strings', () => {
      const strings = sampled({ type: 'integer' }, 'value is a string');
      expect(strings.filter((text) => /^"[a-z]{5,12}"$/.test(text)).length).toBeGreaterThan(30);
      expect(strings).toContain('"<script>alert(1)</script>"');
    });

    test('arrays and objects have up to three members, with names special to libraries or of the plant', () => {
      const read = (name: string) =>
        sampled({ type: 'string' }, name).map((text) => JSON.parse(text) as object);
      const arrays = read('value is an array') as unknown[][];
      expect(new Set(arrays.map(({ length }) => length))).toEqual(new Set([0, 1, 2, 3]));
      expect(new Set(arrays.flat())).toEqual(new Set(['own', 'x', 1, null]));
      const objects = read('value is an object').map((one) => Object.keys(one));
      expect(new Set(objects.map(({ length }) => length))).toEqual(new Set([0, 1, 2, 3]));
      expect(new Set(objects.flat())).toEqual(
        new Set(['value', 'name', 'id', '$ne', '$gt', 'length', 'toString', '0', 'a']),
      );
    });
  });
});
