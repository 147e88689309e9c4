import { performance } from 'node:perf_hooks';

/** Milliseconds by which a timer may be late before our own process is held to have been too busy to read. */
const LATE_MS = 50;

/**
 * Waits for an answer so long. What our own process was too busy for is not held against a store: a timer that is late
 * waits once more as long as it was late, and what has arrived meanwhile is read before it is over.
 */
export class Patience {
  private readonly ms: number;
  private readonly over: () => void;
  private timer: NodeJS.Timeout | undefined;
  private due = 0;

  /** @param over is called once, unless `stop` comes first */
  constructor(ms: number, over: () => void) {
    this.ms = ms;
    this.over = over;
    this.wait(ms);
  }

  /** Begins anew. */
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
        this.over();
      }
    }, ms);
  }
}
