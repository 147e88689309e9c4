export interface Axis {
  readonly low: number;
  readonly high: number;
}

/** Returns the position of a time on the axis, from 0 to 100. */
export const placeOf = (ms: number, { low, high }: Axis): number =>
  (100 * Math.log(Math.min(Math.max(ms, low), high) / low)) / Math.max(Math.log(high / low), 0.01);

export const percent = (value: number): string => `${value.toFixed(2)}%`;

/** Returns powers of ten, or a finer series if fewer than three of them fit. */
export function ticksOf({ low, high }: Axis): readonly number[] {
  const decades = Array.from({ length: 12 }, (_, index) => 10 ** (index - 3));
  const within = (list: readonly number[]) => list.filter((ms) => ms >= low && ms <= high);
  const few = within(decades);
  return few.length >= 3 ? few : within(decades.flatMap((ms) => [ms, 2 * ms, 5 * ms]));
}
