import { areaOf } from './check-ids.ts';
import { firstNames } from './collections.ts';
import { suggestion } from './nearest.ts';
import { renamingOf } from './renamed-ids.ts';
import { UsageError } from './usage-error.ts';

/** Maximum number of ids to suggest. */
const MAX_NAMED = 3;

/** Returns the error for an id, an area or a glob that matches none of the checks. */
export function unknownCheck(wanted: string, checks: readonly { readonly id: string }[]): UsageError {
  const areas = [...new Set(checks.map(areaOf))];
  const ids = checks.map(({ id }) => id);
  const containing = ids.filter((id) => id.includes(wanted));
  const otherwise =
    containing.length > 0
      ? `these contain it: ${firstNames(MAX_NAMED, containing)}`
      : `the areas are ${areas.join(', ')} (plant-store-conformance list shows all checks)`;
  return new UsageError(
    renamingOf(wanted) ??
      `No check is called ${wanted}; ${suggestion(wanted, [...ids, ...areas], otherwise)}`,
  );
}
