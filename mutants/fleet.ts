import { type RunningStore, type Steps, startStore } from '../reference/store.ts';

interface Entry {
  readonly name: string;
  start(token: string): Promise<RunningStore>;
}

/** A store that breaks one statement of the interface. */
export interface BrokenStore extends Entry {
  /** The statement, and how it is broken. */
  readonly breaks: string;
  /** The checks that must fail on it. */
  readonly fails: readonly string[];
}

/** A store that is unusual, and right: no MUST may fail on it. */
export interface RightStore extends Entry {
  /** What is unusual, and why it is right. */
  readonly odd: string;
}

/** How a store differs from the reference: the steps that it does in its own way. Called once for each start. */
export type Change = (right: Steps) => Partial<Steps>;

const started = (change: Change) => (token: string) => startStore({ token, steps: change });

export const broken = (
  name: string,
  breaks: string,
  fails: readonly string[],
  change: Change,
): BrokenStore => ({ name, breaks, fails, start: started(change) });

export const right = (name: string, odd: string, change: Change): RightStore => ({
  name,
  odd,
  start: started(change),
});
