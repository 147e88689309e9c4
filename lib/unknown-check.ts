import { areaOf } from './check-ids.ts';
import { suggestion } from './nearest.ts';
import { renamingOf } from './renamed-ids.ts';
import { UsageError } from './usage-error.ts';

/** Returns the error for an id, an area or a glob that matches none of the checks. */
export function unknownCheck(wanted: string, checks: readonly { readonly id: string }[]): UsageError {
  const areas = [...new Set(checks.map(areaOf))];
  const otherwise = `the areas are ${areas.join(', ')} (plant-store-conformance list shows all checks)`;
  return new UsageError(
    renamingOf(wanted) ??
      `No check is called ${wanted}; ${suggestion(wanted, [...checks.map(({ id }) => id), ...areas], otherwise)}`,
  );
}
