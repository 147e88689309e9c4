/**
 * Covering arrays: rows in which every pair, or every triple, of values of different dimensions occurs at least once
 * (NIST SP 800-142, section 2.2). Nearly all field failures take one to three interacting values.
 */

/** Rows of indices of values, one for each dimension; the first of every dimension is its usual value. */
export type Row = readonly number[];

export interface Dimensions {
  /** How many values each dimension has. */
  readonly sizes: readonly number[];
  /** Whether two values of different dimensions may occur together. Any may occur with usual ones. */
  readonly allowed: (dimension: number, value: number, other: number, otherValue: number) => boolean;
}

/** Dimensions whose values are looked at together, and which combinations of their values are still to occur. */
interface Group {
  readonly members: readonly number[];
  readonly left: Uint8Array;
  count: number;
}

/** The combinations of `strength` values that may occur together. */
class Combinations {
  readonly groups: readonly Group[];
  /** The groups of each dimension. */
  readonly of: readonly (readonly Group[])[];
  private readonly sizes: readonly number[];

  constructor({ sizes, allowed }: Dimensions, strength: number) {
    this.sizes = sizes;
    this.groups = choices(sizes.length, strength).map((members) => {
      const total = members.reduce((product, member) => product * (sizes[member] ?? 1), 1);
      const left = new Uint8Array(total);
      let count = 0;
      for (let code = 0; code < total; code += 1) {
        const values = this.decoded(members, code);
        const isAllowed = members.every((member, at) =>
          members.slice(at + 1).every((other, after) => {
            const [value = 0, otherValue = 0] = [values[at], values[at + 1 + after]];
            return allowed(member, value, other, otherValue);
          }),
        );
        if (!isAllowed) continue;
        left[code] = 1;
        count += 1;
      }
      return { members, left, count };
    });
    this.of = sizes.map((_, dimension) => this.groups.filter(({ members }) => members.includes(dimension)));
  }

  get count(): number {
    return this.groups.reduce((sum, { count }) => sum + count, 0);
  }

  /** The values that a number stands for. */
  decoded(members: readonly number[], code: number): number[] {
    let rest = code;
    return members.map((member) => {
      const size = this.sizes[member] ?? 1;
      const value = rest % size;
      rest = Math.floor(rest / size);
      return value;
    });
  }

  /** The number of the combination of a row in a group; undefined where the row does not say all of it. */
  codeIn({ members }: Group, row: readonly (number | undefined)[]): number | undefined {
    let [code, factor] = [0, 1];
    for (const member of members) {
      const value = row[member];
      if (value === undefined) return undefined;
      code += value * factor;
      factor *= this.sizes[member] ?? 1;
    }
    return code;
  }

  /** Takes note of what occurs in a row. */
  cover(row: Row): void {
    for (const group of this.groups) {
      const code = this.codeIn(group, row);
      if (code === undefined || group.left[code] === 0) continue;
      group.left[code] = 0;
      group.count -= 1;
    }
  }
}

function choices(of: number, count: number, from = 0): number[][] {
  if (count === 0) return [[]];
  return Array.from({ length: Math.max(0, of - from) }, (_, index) => from + index).flatMap((first) =>
    choices(of, count - 1, first + 1).map((rest) => [first, ...rest]),
  );
}

/**
 * Rows in which every combination of `strength` values occurs that may: greedily, so a little more than the least there
 * could be, and the same on every machine. The first rows cover the most.
 */
export function coveringArray(dimensions: Dimensions, strength: 2 | 3): readonly Row[] {
  const { sizes, allowed } = dimensions;
  const combinations = new Combinations(dimensions, Math.min(strength, sizes.length));
  const used = sizes.map((size) => new Uint32Array(size));
  const rows: Row[] = [];
  const fits = (row: readonly (number | undefined)[], dimension: number, value: number) =>
    row.every((own, other) => own === undefined || allowed(dimension, value, other, own));

  /** The value with which the most that is missing occurs; of several, the one that was used the least. Nothing is missing: the usual one. */
  const best = (row: readonly (number | undefined)[], dimension: number): number => {
    let [chosen, most, least] = [0, -1, 0];
    const trial = [...row];
    for (let value = 0; value < (sizes[dimension] ?? 1); value += 1) {
      if (!fits(row, dimension, value)) continue;
      trial[dimension] = value;
      let gain = 0;
      for (const group of combinations.of[dimension] ?? []) {
        const code = combinations.codeIn(group, trial);
        if (code !== undefined) gain += group.left[code] ?? 0;
      }
      const uses = used[dimension]?.[value] ?? 0;
      if (gain < most || (gain === most && uses >= least)) continue;
      [chosen, most, least] = [value, gain, uses];
    }
    return most > 0 || !fits(row, dimension, 0) ? chosen : 0;
  };

  // The group with the most values decides how many rows there are: its combinations are taken in turn.
  const largestFirst = [...combinations.groups].sort((a, b) => b.left.length - a.left.length);
  for (const group of largestFirst) {
    for (let code = 0; group.count > 0 && code < group.left.length; code += 1) {
      if (group.left[code] === 0) continue;
      const row: (number | undefined)[] = sizes.map(() => undefined);
      for (const [at, value] of combinations.decoded(group.members, code).entries())
        row[group.members[at] ?? 0] = value;
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

/** How many of the combinations of `strength` values that may occur together do so in some rows. */
export function coverage(
  dimensions: Dimensions,
  strength: 2 | 3,
  rows: readonly Row[],
): { readonly covered: number; readonly all: number } {
  const combinations = new Combinations(dimensions, Math.min(strength, dimensions.sizes.length));
  const all = combinations.count;
  for (const row of rows) combinations.cover(row);
  return { covered: all - combinations.count, all };
}
