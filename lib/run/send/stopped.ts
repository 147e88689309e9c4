import type { Stop } from '../result/result.ts';

/** Thrown if the run has ended, for a reason other than the response to this request. */
export class Stopped extends Error {
  readonly stop: Stop;
  constructor(stop: Stop) {
    super(stop.reason);
    this.name = 'Stopped';
    this.stop = stop;
  }
}
