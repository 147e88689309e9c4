import { brokenStores } from './broken/index.ts';
import { conditionalStores } from './conditional/index.ts';
import { type BrokenStore, broken, combined } from './fleet.ts';

/** Joins the names of stores whose faults are combined in one store. */
export const AND = '+';

/** The broken store of that name, or one that combines the faults of several; undefined if there is none. */
export function brokenStoreOf(names: string): BrokenStore | undefined {
  const parts = names.split(AND);
  const all: readonly BrokenStore[] = [...brokenStores, ...conditionalStores];
  const stores = parts.flatMap((name) => all.find((store) => store.name === name) ?? []);
  const [only, ...others] = stores;
  if (only === undefined || stores.length < parts.length) return undefined;
  if (others.length === 0) return only;
  const breaks = stores.map((store) => store.breaks).join('; ');
  return broken(names, breaks, [], combined(stores));
}
