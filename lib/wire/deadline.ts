import { performance } from 'node:perf_hooks';

/** Milliseconds by which a timer may be late before our own process counts as too busy to read. */
const LATE_MS = 50;

/**
 * The time limit for a response. A store is not blamed for our own process being busy: a timer that fires
 * late waits again for as long as it was late, so that whatever has arrived meanwhile is read before the
 * deadline passes.
 */
export class Deadline {
  private readonly ms: number;
  private readonly onPassed: () => void;
  private timer: NodeJS.Timeout | undefined;
  private due = 0;

  /** @param onPassed called once, unless `stop` is called first */
  constructor(ms: number, onPassed: () => void) {
    this.ms = ms;
    this.onPassed = onPassed;
    this.wait(ms);
  }

  /** Starts again from zero. */
  refresh(): void {
    if (this.timer === undefined) return;
    clearTimeout(this.timer);
    this.wait(this.ms);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private wait(ms: number): void {
    this.due = performance.now() + ms;
    this.timer = setTimeout(() => {
      const late = performance.now() - this.due;
      if (late > LATE_MS) this.wait(Math.min(late, this.ms));
      else {
        this.stop();
        this.onPassed();
      }
    }, ms);
  }
}
