/** A run with the default options has about a hundred ranges. */
const MAX_RANGES = 10_000;

type Range = readonly [first: bigint, last: bigint];

/** A set of ids in bounded memory. Adjacent ids are joined into ranges. */
export class IdRanges {
  /** Number of ids that were not stored because there were too many ranges. */
  dropped = 0;
  private readonly ranges: Range[] = [];

  add(id: bigint): void {
    this.put(id, id);
  }

  has(id: bigint): boolean {
    const range = this.ranges[this.indexOf(id)];
    return range !== undefined && range[0] <= id;
  }

  /** The ids in ascending order, as text: `17` or `20..29`. */
  get text(): string[] {
    return this.ranges.map(([first, last]) => (first === last ? String(first) : `${first}..${last}`));
  }

  /** @throws SyntaxError if a text is not a range */
  static from(texts: readonly string[]): IdRanges {
    const ids = new IdRanges();
    for (const text of texts) {
      const [first = '', last = first] = text.split('..');
      ids.put(BigInt(first), BigInt(last));
    }
    return ids;
  }

  join(other: IdRanges): void {
    for (const [first, last] of other.ranges) this.put(first, last);
    this.dropped += other.dropped;
  }

  private put(first: bigint, last: bigint): void {
    const from = this.indexOf(first - 1n);
    let to = from;
    for (let next = this.ranges[to]; next !== undefined && next[0] <= last + 1n; next = this.ranges[to])
      to += 1;
    const touched = this.ranges.slice(from, to);
    if (touched.length === 0 && this.ranges.length >= MAX_RANGES) {
      this.dropped += 1;
      return;
    }
    const low = touched[0]?.[0] ?? first;
    const high = touched.at(-1)?.[1] ?? last;
    this.ranges.splice(from, touched.length, [low < first ? low : first, high > last ? high : last]);
  }

  /** The index of the first range that ends with an id or after it. */
  private indexOf(id: bigint): number {
    let [low, high] = [0, this.ranges.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.ranges[middle]?.[1] ?? id) < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
