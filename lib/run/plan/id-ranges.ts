/** A run with the default options has about a hundred ranges. */
const MAX_RANGES = 10_000;

type Range = readonly [first: bigint, last: bigint];

/** A set of ids in bounded memory. Adjacent ids are joined into ranges. */
export class IdRanges {
  /** Number of ids that were not stored because there were too many ranges. */
  dropped = 0;
  private ranges: Range[];

  constructor(ranges: readonly Range[] = []) {
    this.ranges = [];
    for (const [first, last] of ranges) this.put(first, last);
  }

  add(id: bigint): void {
    this.put(id, id);
  }

  has(id: bigint): boolean {
    const range = this.ranges[this.indexFor(id) - 1];
    return range !== undefined && id <= range[1];
  }

  /** The ids in ascending order, as text: `17` or `20..29`. */
  get text(): string[] {
    return this.ranges.map(([first, last]) => (first === last ? String(first) : `${first}..${last}`));
  }

  /** @throws SyntaxError if a text is not a range */
  static from(texts: readonly string[]): IdRanges {
    return new IdRanges(
      texts.map((text): Range => {
        const [first = '', last = first] = text.split('..');
        return [BigInt(first), BigInt(last)];
      }),
    );
  }

  join(other: IdRanges): void {
    for (const [first, last] of other.ranges) this.put(first, last);
    this.dropped += other.dropped;
  }

  private put(first: bigint, last: bigint): void {
    const at = this.indexFor(first);
    const before = this.ranges[at - 1];
    const touchesBefore = before !== undefined && before[1] >= first - 1n;
    const from = touchesBefore ? at - 1 : at;
    const low = touchesBefore ? before[0] : first;
    let high = touchesBefore && before[1] > last ? before[1] : last;
    let to = at;
    for (let next = this.ranges[to]; next !== undefined && next[0] <= high + 1n; next = this.ranges[to]) {
      if (next[1] > high) high = next[1];
      to += 1;
    }
    if (from === to && this.ranges.length >= MAX_RANGES) {
      this.dropped += 1;
      return;
    }
    this.ranges.splice(from, to - from, [low, high]);
  }

  /** The index of the first range that begins after an id. */
  private indexFor(id: bigint): number {
    let [low, high] = [0, this.ranges.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.ranges[middle]?.[0] ?? id) <= id) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
