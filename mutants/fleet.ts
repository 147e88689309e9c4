import { Refusal, type RunningStore, type Steps, startStore } from '../reference/store.ts';

interface Entry {
  readonly name: string;
  /** Overlays of the document that the store is written to. */
  readonly overlays?: readonly string[];
  start(token: string): Promise<RunningStore>;
}

/** A store that breaks one statement of the interface. */
export interface BrokenStore extends Entry {
  /** The statement, and how it is broken. */
  readonly breaks: string;
  /** The checks that must fail on it; `stop/KIND` where the run has to end without a verdict instead. */
  readonly fails: readonly string[];
}

/** A store that is unusual, and right: no MUST may fail on it. */
export interface RightStore extends Entry {
  /** What is unusual, and why it is right. */
  readonly odd: string;
  /** How it differs from the reference, where that is all there is to it. */
  readonly change?: Change;
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
  change,
  start: started(change),
});

/** A store that is odd in all the ways of some others: the first of them is next to the reference. */
export const stacked = (name: string, odd: string, stores: readonly RightStore[]): RightStore =>
  right(name, odd, (reference) => {
    const line: Steps = { ...reference };
    for (const { name: one, change } of stores) {
      if (change === undefined)
        throw new Error(`${one} cannot be stacked: it is more than a change of steps`);
      Object.assign(line, change({ ...line }));
    }
    return line;
  });

/** The limits of mutants/overlays/limits.yaml. */
interface Limits {
  readonly shortest?: number;
  readonly longest?: number;
  readonly tags?: readonly string[] | undefined;
  readonly anyCase?: boolean;
  readonly least?: bigint;
}

/** A store that enforces limits, by default those of the overlay. */
export const enforcing =
  (limits: Limits): Change =>
  (right) => ({
    validate(value, request) {
      const { shortest = 1, longest = 64, anyCase = false, least = 1n } = limits;
      const tags = 'tags' in limits ? limits.tags : ['fern', 'cactus', 'herb', 'tree'];
      const plant = right.validate(value, request);
      const length = [...plant.name].length;
      const tag = anyCase ? plant.tag?.toLowerCase() : plant.tag;
      if (length < shortest || length > longest) throw new Refusal(400, 10, 'a name has 1 to 64 characters');
      if (tag !== undefined && tags !== undefined && !tags.includes(tag))
        throw new Refusal(400, 11, 'the tag is not known');
      if (plant.id < least) throw new Refusal(400, 12, 'ids begin at 1');
      return plant;
    },
  });
