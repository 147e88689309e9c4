import { performance } from 'node:perf_hooks';

/** Number of slices of a time limit. Our own process must get to run in each of them. */
const DEADLINE_SLICES = 10;
/** If a timer fires this many milliseconds late, our own process was too busy to read. */
const LATE_MS = 50;
/** A machine that is always busy must not keep a run from ending. */
const MAX_REPEATED = 3 * DEADLINE_SLICES;

/** A time limit that does not blame the store for our busy machine: a slice that ends late is repeated. */
export class Deadline {
  private readonly partMs: number;
  private readonly onPassed: () => void;
  private timer: NodeJS.Timeout | undefined;

  /** @param onPassed called once, unless `stop` is called first */
  constructor(ms: number, onPassed: () => void) {
    this.partMs = ms / DEADLINE_SLICES;
    this.onPassed = onPassed;
    this.wait(DEADLINE_SLICES, MAX_REPEATED);
  }

  refresh(): void {
    if (this.timer !== undefined) this.restart();
  }

  /** Starts the time limit again, even after `stop`. */
  restart(): void {
    clearTimeout(this.timer);
    this.wait(DEADLINE_SLICES, MAX_REPEATED);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** @param parts number of slices to wait for */
  private wait(parts: number, repeats: number): void {
    const due = performance.now() + this.partMs;
    this.timer = setTimeout(() => {
      const isLate = performance.now() - due > LATE_MS;
      if (isLate && repeats > 0) this.wait(parts, repeats - 1);
      else if (parts > 1) this.wait(parts - 1, repeats);
      else {
        this.stop();
        this.onPassed();
      }
    }, this.partMs);
  }
}
