/** Milliseconds of answers of which the exact time is kept. */
const SAMPLE = 4096;
/** Buckets to a doubling: fine enough to see two humps, coarse enough to be told. */
const TO_A_DOUBLING = 4;

export interface Latency {
  readonly answers: number;
  /** Milliseconds; of a sample of the latest answers where there were very many. */
  readonly median: number;
  readonly p95: number;
  readonly p99: number;
  readonly longest: number;
  /** Answers that took from `from` to less than `to` milliseconds; empty buckets are left out. */
  readonly buckets: readonly { readonly from: number; readonly to: number; readonly answers: number }[];
}

/** How long answers took, in constant memory. */
export class LatencyLog {
  /** Milliseconds of the latest answers, in no order. */
  readonly sample: number[] = [];
  private readonly counts = new Map<number, number>();
  private answers = 0;
  private longest = 0;

  add(ms: number): void {
    this.sample[this.answers % SAMPLE] = ms;
    this.answers += 1;
    this.longest = Math.max(this.longest, ms);
    const bucket = Math.floor(Math.log2(Math.max(ms, 0.01)) * TO_A_DOUBLING);
    this.counts.set(bucket, (this.counts.get(bucket) ?? 0) + 1);
  }

  /** `undefined` where there was no answer. */
  get summary(): Latency | undefined {
    if (this.answers === 0) return undefined;
    const sorted = this.sample.toSorted((a, b) => a - b);
    const at = (share: number) => rounded(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
    const edge = (bucket: number) => rounded(2 ** (bucket / TO_A_DOUBLING));
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
