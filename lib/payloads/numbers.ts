import fc, { type Arbitrary } from 'fast-check';
import { compact } from '../collections.ts';
import type { NumberLimits } from '../contract/shape.ts';
import { type Json, Raw } from './json.ts';

/** An exact decimal number: digits / 10^scale. */
interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

/** Multiples of a step, from place `first` to place `last` if they are bounded. */
export interface Grid {
  readonly step: Decimal;
  readonly first: bigint | undefined;
  readonly last: bigint | undefined;
}

/** Maximum number of decimal places; so many are needed only for very narrow ranges. */
const MAX_DECIMAL_PLACES = 15;

/** Returns the coarsest grid with a number within the limits. */
export function gridOf(limits: Partial<NumberLimits>, integral: boolean): Grid {
  if (limits.multipleOf !== undefined && limits.multipleOf > 0)
    return within(limits, stepOf(decimalOf(limits.multipleOf), integral));
  for (let scale = 0; scale < MAX_DECIMAL_PLACES && !integral; scale += 1) {
    const grid = within(limits, { digits: 1n, scale });
    if (!isEmpty(grid)) return grid;
  }
  return within(limits, { digits: 1n, scale: 0 });
}

export const halved = ({ step: { scale } }: Grid, limits: NumberLimits): Grid =>
  within(limits, { digits: 5n, scale: scale + 1 });

export const isEmpty = ({ first, last }: Grid): boolean =>
  first !== undefined && last !== undefined && first > last;

export const at = ({ step }: Grid, place: bigint): Json =>
  written({ digits: place * step.digits, scale: step.scale });

/** Returns a number just after a place of the grid; undefined if the grid contains every integer. */
export function offGrid(
  { step: { digits, scale } }: Grid,
  place: bigint,
  integral: boolean,
): Json | undefined {
  if (integral) return digits > 1n ? place * digits + 1n : undefined;
  return written({ digits: (place * digits * 2n + digits) * 5n, scale: scale + 1 });
}

/** Samples numbers of a grid within a window; if there are none, those that `placesIn` returns. */
export function onGrid(grid: Grid, min: bigint, max: bigint): Arbitrary<Json> {
  const [first, last] = placesIn(grid, min, max);
  return fc.bigInt({ min: first, max: last }).map((place) => at(grid, place));
}

/**
 * Returns the first and last place of a grid within a window. If there is none, returns the ends of the grid,
 * its only end twice or, without ends, the last place before the end of the window twice.
 */
export function placesIn({ step, first, last }: Grid, min: bigint, max: bigint): [bigint, bigint] {
  const lowest = ceilDiv(scaled({ digits: min, scale: 0 }, step.scale), step.digits);
  const highest = floorDiv(scaled({ digits: max, scale: 0 }, step.scale), step.digits);
  const [from, to] = [larger(first, lowest), smaller(last, highest)];
  if (from <= to) return [from, to];
  // If no number fits, any value will do: `requireOrdinary` reports that the document allows none.
  const end = last ?? first ?? to;
  const start = first ?? end;
  return start <= end ? [start, end] : [end, end];
}

const larger = (a: bigint | undefined, b: bigint) => (a !== undefined && a > b ? a : b);
const smaller = (a: bigint | undefined, b: bigint) => (a !== undefined && a < b ? a : b);

function within({ min, max, above, below }: Partial<NumberLimits>, step: Decimal): Grid {
  const places = (bound: bigint | number, divide: (a: bigint, b: bigint) => bigint) => {
    const decimal = decimalOf(bound);
    const scale = Math.max(decimal.scale, step.scale);
    return divide(scaled(decimal, scale), scaled(step, scale));
  };
  const lower = compact(
    min !== undefined && places(min, ceilDiv),
    above !== undefined && places(above, floorDiv) + 1n,
  );
  const upper = compact(
    max !== undefined && places(max, floorDiv),
    below !== undefined && places(below, ceilDiv) - 1n,
  );
  return {
    step,
    first: lower.length === 0 ? undefined : lower.reduce(larger),
    last: upper.length === 0 ? undefined : upper.reduce(smaller),
  };
}

/** The distance between multiples of a decimal, or between those multiples that are integers. */
function stepOf({ digits, scale }: Decimal, integral: boolean): Decimal {
  if (!integral) return { digits, scale };
  const one = 10n ** BigInt(scale);
  return { digits: digits / divisorOf(digits, one), scale: 0 };
}

const divisorOf = (a: bigint, b: bigint): bigint => (b === 0n ? a : divisorOf(b, a % b));

function decimalOf(value: bigint | number): Decimal {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value));
  const [, sign = '', whole = '0', fraction = '', exponent = '0'] = parts ?? [];
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(`${sign}${whole}${fraction}`);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

const scaled = ({ digits, scale }: Decimal, to: number): bigint => digits * 10n ** BigInt(to - scale);

const floorDiv = (a: bigint, b: bigint): bigint => a / b - (a % b !== 0n && a < 0n !== b < 0n ? 1n : 0n);
const ceilDiv = (a: bigint, b: bigint): bigint => -floorDiv(-a, b);

function written({ digits, scale }: Decimal): Json {
  if (scale === 0) return digits;
  const places = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, '0');
  const fraction = places.slice(-scale).replace(/0+$/, '');
  const whole = `${digits < 0n ? '-' : ''}${places.slice(0, -scale)}`;
  return fraction === '' ? BigInt(whole) : new Raw(`${whole}.${fraction}`);
}
