import { sum } from '../collections.ts';

/** Covering arrays (NIST SP 800-142, section 2.2): rows in which every pair, or triple, of values occurs. */

/** The index of a value for each dimension; index 0 is the usual value. */
export type Row = readonly number[];

export interface Dimensions {
  readonly sizes: readonly number[];
  /** Whether two values of different dimensions may occur together. Usual values go with any value. */
  readonly allowed: (dimension: number, value: number, other: number, otherValue: number) => boolean;
  /** Dimensions whose unusual values mask the rest of the row. At most one of them is unusual in a row. */
  readonly masking?: readonly number[];
}

interface Group {
  readonly members: readonly number[];
  /** The place value of each member in the code of a combination. */
  readonly weights: readonly number[];
  /** For each combination, by its code: 1 while no row covers it. */
  readonly uncovered: Uint8Array;
  /** Number of combinations that no row covers. */
  count: number;
}

type PartialRow = (number | undefined)[];

/** The code of the combination in a row, without the value of one member; NaN if another has none yet. */
function codeOf({ members, weights }: Group, row: Readonly<PartialRow>, omitted?: number): number {
  let code = 0;
  for (let at = 0; at < members.length; at += 1) {
    const member = members[at] ?? 0;
    if (member !== omitted) code += (row[member] ?? Number.NaN) * (weights[at] ?? 1);
  }
  return code;
}

/** Precomputes `allowed` for all pairs of values, since there are millions of triples. */
function fitting({ sizes, allowed, masking = [] }: Dimensions): Dimensions['allowed'] {
  const sizeOfFirst = (dimensions: number) => sum(sizes.slice(0, dimensions), (size) => size);
  const starts = sizes.map((_, dimension) => sizeOfFirst(dimension));
  const count = sizeOfFirst(sizes.length);
  const fits = new Uint8Array(count * count);
  for (const [dimension, size] of sizes.entries())
    for (const [other, otherSize] of sizes.entries())
      for (let value = 0; value < size; value += 1)
        for (let otherValue = 0; otherValue < otherSize; otherValue += 1)
          if (
            other !== dimension &&
            allowed(dimension, value, other, otherValue) &&
            !(value > 0 && otherValue > 0 && masking.includes(dimension) && masking.includes(other))
          )
            fits[((starts[dimension] ?? 0) + value) * count + (starts[other] ?? 0) + otherValue] = 1;
  return (dimension, value, other, otherValue) =>
    fits[((starts[dimension] ?? 0) + value) * count + (starts[other] ?? 0) + otherValue] === 1;
}

class Combinations {
  readonly groups: readonly Group[];
  readonly allowed: Dimensions['allowed'];
  private readonly groupsOf: readonly (readonly Group[])[];
  private readonly masking: readonly number[];

  constructor(dimensions: Dimensions, strength: number) {
    const { sizes, masking = [] } = dimensions;
    const allowed = fitting(dimensions);
    this.allowed = allowed;
    this.masking = masking;
    this.groups = subsetsOf(sizes.length, Math.min(strength, sizes.length)).map((members) => {
      const weights: number[] = [];
      let total = 1;
      for (const member of members) {
        weights.push(total);
        total *= sizes[member] ?? 1;
      }
      const uncovered = new Uint8Array(total);
      const values = members.map(() => 0);
      const isAllowed = () => {
        for (let at = 1; at < members.length; at += 1)
          for (let before = 0; before < at; before += 1)
            if (!allowed(members[at] ?? 0, values[at] ?? 0, members[before] ?? 0, values[before] ?? 0))
              return false;
        return true;
      };
      let count = 0;
      for (let code = 0; code < total; code += 1) {
        for (const [at, member] of members.entries())
          values[at] = valueIn(code, weights[at] ?? 1, sizes[member] ?? 1);
        if (!isAllowed()) continue;
        uncovered[code] = 1;
        count += 1;
      }
      return { members, weights, uncovered, count };
    });
    const groupsWith = (dimension: number) =>
      this.groups.filter(({ members }) => members.includes(dimension));
    this.groupsOf = [...sizes.keys()].map(groupsWith);
  }

  get count(): number {
    return sum(this.groups, ({ count }) => count);
  }

  /** For each value of a dimension, the number of missing combinations that it would add to the row. */
  gains(row: Readonly<PartialRow>, dimension: number, size: number): Uint32Array {
    const gains = new Uint32Array(size);
    const mask = this.maskOf(row);
    for (const group of this.groupsOf[dimension] ?? []) {
      const { members, weights, uncovered, count } = group;
      if (count === 0 || (mask !== undefined && mask !== dimension && !members.includes(mask))) continue;
      const code = codeOf(group, row, dimension);
      if (Number.isNaN(code)) continue;
      const weight = weights[members.indexOf(dimension)] ?? 1;
      for (let value = 0; value < size; value += 1)
        gains[value] = (gains[value] ?? 0) + (uncovered[code + value * weight] ?? 0);
    }
    return gains;
  }

  private maskOf(row: Readonly<PartialRow>): number | undefined {
    return this.masking.find((dimension) => (row[dimension] ?? 0) > 0);
  }

  cover(row: Row): void {
    const mask = this.maskOf(row);
    for (const group of this.groups) {
      if (group.count === 0 || (mask !== undefined && !group.members.includes(mask))) continue;
      const code = codeOf(group, row);
      if (group.uncovered[code] !== 1) continue;
      group.uncovered[code] = 0;
      group.count -= 1;
    }
  }
}

const valueIn = (code: number, weight: number, size: number): number => Math.floor(code / weight) % size;

function subsetsOf(of: number, count: number, from = 0): number[][] {
  if (count === 0) return [[]];
  return Array.from({ length: Math.max(0, of - from) }, (_, index) => from + index).flatMap((first) =>
    subsetsOf(of, count - 1, first + 1).map((rest) => [first, ...rest]),
  );
}

/**
 * Computes a covering array: greedily and deterministically, with slightly more rows than the minimum. The
 * first rows cover the most.
 */
export function coveringArray(dimensions: Dimensions, strength: 2 | 3): readonly Row[] {
  const { sizes, masking = [] } = dimensions;
  const combinations = new Combinations(dimensions, strength);
  const used = sizes.map((size) => new Uint32Array(size));
  const rows: Row[] = [];

  /**
   * The value that covers the most missing combinations; of several, the least used. If none covers any, the
   * first that fits, which is mostly the usual one.
   */
  const best = (row: Readonly<PartialRow>, dimension: number): number => {
    const gains = combinations.gains(row, dimension, sizes[dimension] ?? 1);
    const fits = (value: number) =>
      row.every((own, other) => own === undefined || combinations.allowed(dimension, value, other, own));
    let [chosen, most, least]: [number | undefined, number, number] = [undefined, 0, 0];
    for (const [value, gain] of gains.entries()) {
      const uses = used[dimension]?.[value] ?? 0;
      if (gain < most || gain === 0 || (gain === most && uses >= least) || !fits(value)) continue;
      [chosen, most, least] = [value, gain, uses];
    }
    chosen ??= [...gains.keys()].find(fits);
    if (chosen === undefined)
      throw new Error(`no value of dimension ${dimension} fits the others of its row`);
    return chosen;
  };

  // The group with the most combinations determines the number of rows, so it comes first.
  const largestFirst = [...combinations.groups].sort((a, b) => b.uncovered.length - a.uncovered.length);
  for (const { members, weights, uncovered } of largestFirst) {
    for (let code = 0; code < uncovered.length; code += 1) {
      if (uncovered[code] === 0) continue;
      const row: PartialRow = sizes.map(() => undefined);
      for (const [at, member] of members.entries())
        row[member] = valueIn(code, weights[at] ?? 1, sizes[member] ?? 1);
      for (const dimension of masking) row[dimension] ??= 0;
      for (const dimension of sizes.keys()) row[dimension] ??= best(row, dimension);
      const whole = row.map((value) => value ?? 0);
      for (const [dimension, value] of whole.entries()) {
        const uses = used[dimension];
        if (uses !== undefined) uses[value] = (uses[value] ?? 0) + 1;
      }
      combinations.cover(whole);
      rows.push(whole);
    }
  }
  return rows;
}

/**
 * For values that represent several members, chooses a member in each row so that as many pairs as possible
 * occur.
 * @param counts the number of members of each value of each dimension
 * @param first index of the member that is preferred if several are equally good
 */
export function chooseMembers(
  rows: readonly Row[],
  counts: readonly (readonly number[])[],
  first: number,
): readonly Row[] {
  let count = 0;
  const starts = counts.map((values) =>
    values.map((members) => {
      count += members;
      return count - members;
    }),
  );
  const seen = new Uint8Array(count * count);
  return rows.map((row) => {
    const members = row.map(() => 0);
    const place = (dimension: number) =>
      (starts[dimension]?.[row[dimension] ?? 0] ?? 0) + (members[dimension] ?? 0);
    const size = (dimension: number) => counts[dimension]?.[row[dimension] ?? 0] ?? 1;
    const known = [...row.keys()].filter((dimension) => size(dimension) === 1).map(place);
    const single = known.length;
    for (const dimension of row.keys()) {
      if (size(dimension) === 1) continue;
      let most = -1;
      for (let step = 0; step < size(dimension); step += 1) {
        const before = members[dimension] ?? 0;
        members[dimension] = (first + step) % size(dimension);
        const ownPlace = place(dimension);
        const gain = known.filter((other) => seen[ownPlace * count + other] === 0).length;
        if (gain > most) most = gain;
        else members[dimension] = before;
      }
      known.push(place(dimension));
    }
    // Pairs of values with a single member are never looked up.
    for (const one of known.slice(single)) for (const other of known) seen[one * count + other] = 1;
    return members;
  });
}

export function coverage(
  dimensions: Dimensions,
  strength: 2 | 3,
  rows: readonly Row[],
): { readonly covered: number; readonly all: number } {
  const combinations = new Combinations(dimensions, strength);
  const all = combinations.count;
  for (const row of rows) combinations.cover(row);
  return { covered: all - combinations.count, all };
}
