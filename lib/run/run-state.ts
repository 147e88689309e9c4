import type { Stop } from './result/result.ts';
import { Stopped } from './send/stopped.ts';

/** Whether a run goes on, and what ended it. */
export class RunState {
  /** The first reason to end the run. */
  stop: Stop | undefined;

  end(stop: Stop): void {
    this.stop ??= stop;
  }

  /**
   * Does some work that the end of the run may interrupt.
   * @returns undefined if it was interrupted
   */
  async unlessStopped<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      this.end(error.stop);
      return undefined;
    }
  }
}
