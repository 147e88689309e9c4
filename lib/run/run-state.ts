import type { Stop } from './result/result.ts';
import { Stopped } from './send/stopped.ts';

/** Whether a run goes on, and what ended it. */
export class RunState {
  /** The first reason to end the run. */
  stop: Stop | undefined;
  /** Why the checks are to send nothing more, though the run goes on. */
  stopOfChecks: Stop | undefined;
  private readonly halting = new AbortController();
  private readonly explainStop: (stop: Stop) => Stop;

  /** @param explainStop adds what the caller knows of the store to the reason why the run stops */
  constructor(explainStop: (stop: Stop) => Stop = (stop) => stop) {
    this.explainStop = explainStop;
  }

  /** Aborted when the run must stop sending and abandon requests in flight. */
  get signal(): AbortSignal {
    return this.halting.signal;
  }

  /** Ends the run: starts no further check. */
  end(stop: Stop): void {
    this.stop ??= stop;
  }

  /** Ends the checks, those under way included. Requests that belong to no check may follow. */
  endChecks(stop: Stop): void {
    this.end(stop);
    this.stopOfChecks = this.stop;
  }

  /** Ends the run at once. */
  halt(stop: Stop): void {
    this.end(this.explainStop(stop));
    this.halting.abort();
  }

  /**
   * Runs `work` until it completes or the run ends.
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
