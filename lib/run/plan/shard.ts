/** One of several parts of a run, which may run on different machines. `index` counts from 0. */
export interface Shard {
  readonly index: number;
  readonly of: number;
}

export const WHOLE: Shard = { index: 0, of: 1 };
