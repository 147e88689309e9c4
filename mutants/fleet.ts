import { Rejection, type RunningStore, type Steps, startStore } from '../reference/store.ts';

interface StoreEntry {
  readonly name: string;
  /** Overlays of the document to which the store conforms. */
  readonly overlays?: readonly string[];
  /** How the store differs from the reference store, if it only changes steps. */
  readonly change?: Change;
  start(token: string): Promise<RunningStore>;
}

/** A store that breaks a statement of the interface. */
export interface BrokenStore extends StoreEntry {
  /** What the store does wrong. */
  readonly breaks: string;
  /** The ids of the checks that must fail on the store; `stop/KIND` if the run must end without a verdict. */
  readonly fails: readonly string[];
}

/** A store that is unusual but conforms, so that no MUST may fail on it. */
export interface RightStore extends StoreEntry {
  /** What is unusual about the store, and why it is right. */
  readonly odd: string;
}

/** The steps in which a store differs from the reference store. Called once for each start of the store. */
export type Change = (right: Steps) => Partial<Steps>;

const started = (change: Change) => (token: string) => startStore({ token, steps: change });

export const broken = (
  name: string,
  breaks: string,
  fails: readonly string[],
  change: Change,
): BrokenStore => ({ name, breaks, fails, change, start: started(change) });

/** Returns a function that makes stores which break the same statements by the same kind of change. */
export const brokenBy =
  <A extends readonly unknown[]>(fails: readonly string[], changeFor: (...of: A) => Change) =>
  (name: string, breaks: string, ...of: A): BrokenStore =>
    broken(name, breaks, fails, changeFor(...of));

export const right = (name: string, odd: string, change: Change): RightStore => ({
  name,
  odd,
  change,
  start: started(change),
});

/** Returns a function that makes stores which are unusual by the same kind of change. */
export const rightBy =
  <A extends readonly unknown[]>(changeFor: (...of: A) => Change) =>
  (name: string, odd: string, ...of: A): RightStore =>
    right(name, odd, changeFor(...of));

/** Combines the changes of several stores, the first of which is applied to the reference store. */
export const combined =
  (stores: readonly (RightStore | BrokenStore)[]): Change =>
  (reference) => {
    const line: Steps = { ...reference };
    for (const { name: one, change } of stores) {
      if (change === undefined) throw new Error(`${one} cannot be stacked: it changes more than steps`);
      Object.assign(line, change({ ...line }));
    }
    return line;
  };

/** A store that combines what is unusual about several. */
export const stacked = (name: string, odd: string, stores: readonly RightStore[]): RightStore =>
  right(name, odd, combined(stores));

/** The limits of mutants/overlays/limits.yaml. */
interface Limits {
  readonly shortest?: number;
  readonly longest?: number;
  readonly tags?: readonly string[] | undefined;
  readonly anyCase?: boolean;
  readonly least?: bigint;
}

/** Enforces limits; by default those of the overlay. */
export const enforcing =
  (limits: Limits): Change =>
  (right) => ({
    validate(value, request) {
      const { shortest = 1, longest = 64, anyCase = false, least = 1n } = limits;
      const tags = 'tags' in limits ? limits.tags : ['fern', 'cactus', 'herb', 'tree'];
      const plant = right.validate(value, request);
      const length = [...plant.name].length;
      const tag = anyCase ? plant.tag?.toLowerCase() : plant.tag;
      if (length < shortest || length > longest)
        throw new Rejection(400, 10, 'a name has 1 to 64 characters');
      if (tag !== undefined && tags !== undefined && !tags.includes(tag))
        throw new Rejection(400, 11, 'unknown tag');
      if (plant.id < least) throw new Rejection(400, 12, 'ids begin at 1');
      return plant;
    },
  });
