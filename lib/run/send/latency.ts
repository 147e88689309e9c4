const MAX_SAMPLED = 4096;
/** Fine enough to show two peaks, coarse enough to print. */
const BUCKETS_PER_DOUBLING = 4;

export interface Latency {
  readonly answers: number;
  /** In milliseconds. The quantiles of a long run are those of its latest responses. */
  readonly median: number;
  readonly p95: number;
  readonly p99: number;
  readonly longest: number;
  /** Counts of responses that took from `from` to less than `to` milliseconds, without empty buckets. */
  readonly buckets: readonly { readonly from: number; readonly to: number; readonly answers: number }[];
}

/** Records response times in constant memory. */
export class LatencyLog {
  /** The times of the latest responses in milliseconds, unordered. */
  private readonly sample: number[] = [];
  private readonly counts = new Map<number, number>();
  private answers = 0;
  private longest = 0;

  add(ms: number): void {
    this.sample[this.answers % MAX_SAMPLED] = ms;
    this.answers += 1;
    this.longest = Math.max(this.longest, ms);
    const bucket = Math.floor(Math.log2(Math.max(ms, 0.01)) * BUCKETS_PER_DOUBLING);
    this.counts.set(bucket, (this.counts.get(bucket) ?? 0) + 1);
  }

  get summary(): Latency | undefined {
    if (this.answers === 0) return undefined;
    const sorted = this.sample.toSorted((a, b) => a - b);
    const at = (quantile: number) => rounded(sorted[Math.floor((sorted.length - 1) * quantile)] ?? 0);
    const edge = (bucket: number) => rounded(2 ** (bucket / BUCKETS_PER_DOUBLING));
    return {
      answers: this.answers,
      median: at(0.5),
      p95: at(0.95),
      p99: at(0.99),
      longest: rounded(this.longest),
      buckets: [...this.counts]
        .sort(([a], [b]) => a - b)
        .map(([bucket, answers]) => ({ from: edge(bucket), to: edge(bucket + 1), answers })),
    };
  }
}

const rounded = (ms: number) => Math.round(ms * 1000) / 1000;
