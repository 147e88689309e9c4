import { brokenStores } from './broken/index.ts';
import { conditionalStores } from './conditional/index.ts';
import { type BrokenStore, broken, combined, right } from './fleet.ts';
import { unique } from './helpers.ts';

/** Joins the names of stores whose changes are combined in one store. */
export const AND = '+';

/** Allows each id and each name once, as many databases do: a fault must be explained there as anywhere else. */
export const UNIQUE = right(
  'unique',
  'answers 409 to an id, and 400 to a name, that another plant has',
  combined([
    right(
      'unique-id',
      'answers 409 to an id in use',
      unique(({ id }) => String(id)),
    ),
    right(
      'unique-name',
      'answers 400 to a name in use',
      unique(({ name }) => name, 400),
    ),
  ]),
);

/** The store of that name, or one that combines the changes of several; undefined if there is none. */
export function brokenStoreOf(names: string): BrokenStore | undefined {
  const parts = names.split(AND);
  const all = [UNIQUE, ...brokenStores, ...conditionalStores];
  const stores = parts.flatMap((name) => all.find((store) => store.name === name) ?? []);
  const [only, ...others] = stores;
  if (only === undefined || stores.length < parts.length) return undefined;
  if (others.length === 0) return 'breaks' in only ? only : undefined;
  const breaks = stores.flatMap((store) => ('breaks' in store ? store.breaks : [])).join('; ');
  return broken(names, breaks, [], combined(stores));
}
