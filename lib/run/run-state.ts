import type { Stop } from './result/result.ts';

/** Thrown if the run has ended, for a reason other than the response to this request. */
export class Stopped extends Error {
  readonly stop: Stop;
  constructor(stop: Stop) {
    super(stop.reason);
    this.name = 'Stopped';
    this.stop = stop;
  }
}

export class RunState {
  /** The first reason to end the run. */
  stop: Stop | undefined;
  /** Why checks may not send anything more, although the run continues. */
  stopOfChecks: Stop | undefined;
  private readonly halting = new AbortController();
  private readonly describeStop: (stop: Stop) => Stop;

  /** @param describeStop adds what the caller knows about the store to the reason for a stop */
  constructor(describeStop: (stop: Stop) => Stop = (stop) => stop) {
    this.describeStop = describeStop;
  }

  /** Aborted when the run must stop sending and abandon the requests in flight. */
  get signal(): AbortSignal {
    return this.halting.signal;
  }

  /** Ends the run: no further check starts. */
  end(stop: Stop): void {
    this.stop ??= stop;
  }

  /** Ends the checks, including those in progress. Requests that belong to no check may follow. */
  endChecks(stop: Stop): void {
    this.end(stop);
    this.stopOfChecks = this.stop;
  }

  /** Ends the run at once, and abandons the requests in flight. */
  halt(stop: Stop): void {
    this.end(this.describeStop(stop));
    this.halting.abort();
  }

  /** Does the work; undefined if the run ends before it completes. */
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
