import { areaOf } from './groups.ts';
import { nearest } from './nearest.ts';
import { renamingOf } from './renamed-ids.ts';
import { UsageError } from './usage-error.ts';

/** The error for an id, an area or a glob that matches none of the checks. */
export function unknownCheck(wanted: string, checks: readonly { readonly id: string }[]): UsageError {
  const areas = [...new Set(checks.map(areaOf))];
  const close = nearest(wanted, [...checks.map(({ id }) => id), ...areas]);
  return new UsageError(
    renamingOf(wanted) ??
      `No check is called ${wanted}; ${close === undefined ? `the areas are ${areas.join(', ')} (plant-store-conformance list shows all checks)` : `did you mean ${close}?`}`,
  );
}
