import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { coverage, coveringArray, type Dimensions, type Row } from '../lib/payloads/covering.ts';

const STRENGTHS = [2, 3] as const;

const any = (...sizes: readonly number[]): Dimensions => ({ sizes, allowed: () => true });

/** Sizes similar to those of the models of requests. */
const TYPICAL = any(19, 8, 11, 4, 18, 13, 61, 6, 5, 6, 7, 2, 9, 16);

/** Every allowed combination of `strength` values, by brute force. */
function* combinationsOf(
  { sizes, allowed }: Dimensions,
  strength: number,
): Generator<(number | undefined)[]> {
  function* from(dimension: number, row: (number | undefined)[], left: number): Generator<typeof row> {
    if (left === 0) yield row;
    if (left === 0 || dimension === sizes.length) return;
    yield* from(dimension + 1, row, left);
    for (let value = 0; value < (sizes[dimension] ?? 0); value += 1)
      if (row.every((own, other) => own === undefined || allowed(dimension, value, other, own)))
        yield* from(dimension + 1, row.with(dimension, value), left - 1);
  }
  yield* from(
    0,
    sizes.map(() => undefined),
    Math.min(strength, sizes.length),
  );
}

/** Whether a combination occurs in a row that does not mask it. */
const occurs = (
  combination: readonly (number | undefined)[],
  rows: readonly Row[],
  { masking = [] }: Dimensions,
): boolean =>
  rows.some(
    (row) =>
      combination.every((value, dimension) => value === undefined || row[dimension] === value) &&
      masking.every((dimension) => row[dimension] === 0 || combination[dimension] !== undefined),
  );

const isAllowed = ({ sizes, allowed }: Dimensions, row: Row): boolean =>
  row.length === sizes.length &&
  row.every(
    (value, dimension) =>
      value < (sizes[dimension] ?? 0) &&
      row.every((own, other) => other === dimension || allowed(dimension, value, other, own)),
  );

/** Dimensions of which some unusual values exclude one another. */
const dimensions: fc.Arbitrary<Dimensions> = fc
  .record({
    sizes: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 6 }),
    mask: fc.option(fc.nat(5)),
    excluded: fc.uniqueArray(
      fc.tuple(fc.nat(5), fc.integer({ min: 1, max: 4 }), fc.nat(5), fc.integer({ min: 1, max: 4 })),
      {
        maxLength: 12,
        selector: String,
      },
    ),
  })
  .map(({ sizes, mask, excluded }) => {
    const keys = new Set(excluded.flatMap(([a, v, b, w]) => [`${a} ${v} ${b} ${w}`, `${b} ${w} ${a} ${v}`]));
    const masking = mask === null || mask >= sizes.length ? [] : [mask];
    return { sizes, masking, allowed: (...pair) => !keys.has(pair.join(' ')) };
  });

describe.each(STRENGTHS)('a covering array of strength %i', (strength) => {
  test('contains every allowed combination, and nothing else', () => {
    fc.assert(
      fc.property(dimensions, (one) => {
        const rows = coveringArray(one, strength);
        expect(rows.filter((row) => !isAllowed(one, row))).toEqual([]);
        const all = [...combinationsOf(one, strength)];
        expect(all.filter((combination) => !occurs(combination, rows, one))).toEqual([]);
        expect(coverage(one, strength, rows)).toEqual({ covered: all.length, all: all.length });
      }),
      { seed: 1, numRuns: 150 },
    );
  });

  test('reports the coverage of some of its rows', () => {
    fc.assert(
      fc.property(dimensions, fc.nat(40), (one, count) => {
        const rows = coveringArray(one, strength).slice(0, count);
        const all = [...combinationsOf(one, strength)];
        const covered = all.filter((combination) => occurs(combination, rows, one)).length;
        expect(coverage(one, strength, rows)).toEqual({ covered, all: all.length });
      }),
      { seed: 2, numRuns: 100 },
    );
  });

  test('is deterministic', () => {
    const rows = coveringArray(any(5, 4, 3, 3, 2), strength);
    expect(coveringArray(any(5, 4, 3, 3, 2), strength)).toEqual(rows);
  });

  test('repeats no row', () => {
    fc.assert(
      fc.property(dimensions, (one) => {
        const rows = coveringArray(one, strength).map(String);
        expect(new Set(rows).size).toBe(rows.length);
      }),
      { seed: 3, numRuns: 100 },
    );
  });
});

test('an array of all pairs has few more rows than the two largest dimensions require, and the first rows cover the most', () => {
  const rows = coveringArray(TYPICAL, 2);
  expect(rows.length).toBeLessThanOrEqual(61 * 19 * 1.35);
  const { covered, all } = coverage(TYPICAL, 2, rows.slice(0, rows.length / 2));
  expect(covered / all).toBeGreaterThan(0.7);
});

test('an array of all triples has few more rows than the three largest dimensions require, and the first rows cover the most', () => {
  const sizes = any(11, 8, 6, 9, 5, 4, 4, 3);
  const rows = coveringArray(sizes, 3);
  expect(rows.length).toBeLessThanOrEqual(11 * 9 * 8 * 1.35);
  const { covered, all } = coverage(sizes, 3, rows.slice(0, rows.length / 2));
  expect(covered / all).toBeGreaterThan(0.65);
});
