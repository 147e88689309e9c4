/** The part of a run that one of several machines carries out, counted from 0. */
export interface Shard {
  readonly index: number;
  readonly of: number;
}

export const WHOLE: Shard = { index: 0, of: 1 };
