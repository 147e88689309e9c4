import { performance } from 'node:perf_hooks';

/** Parts of a time limit, each of which has to pass with our own process running. */
const DEADLINE_SLICES = 10;
/** Milliseconds by which a timer may be late before our own process counts as too busy to read. */
const LATE_MS = 50;
/** Parts that may be repeated: a machine that is never free must not keep a run from ending. */
const MAX_REPEATED = 3 * DEADLINE_SLICES;

/**
 * The time limit for a response. A store is not blamed for a machine that is busy: a part of the time in which a timer
 * fired late does not count, so that what has arrived meanwhile is read, and a store on the same machine gets its turn.
 */
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

  /** Starts again from zero. */
  refresh(): void {
    if (this.timer === undefined) return;
    clearTimeout(this.timer);
    this.wait(DEADLINE_SLICES, MAX_REPEATED);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** @param parts to be waited for */
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
