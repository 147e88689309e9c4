import type { RunRecord } from '../report/record/record.ts';
import { readSaved, recordIn, validated } from '../report/record/saved.ts';
import type { Comparison } from './comparison.ts';

export type Saved =
  | { readonly kind: 'run'; readonly record: RunRecord }
  | { readonly kind: 'comparison'; readonly comparison: Comparison };

/**
 * Reads the record of a run, or a comparison.
 * @throws UsageError if it is neither
 */
export function readEither(file: string): Saved {
  const value = readSaved(file);
  if ((value as { kind?: unknown } | null)?.kind !== 'comparison')
    return { kind: 'run', record: recordIn(value, file) };
  const schema = 'lib/compare/comparison.schema.json';
  const comparison = validated<Comparison>(withCauses(value), file, schema, 'a comparison');
  return { kind: 'comparison', comparison };
}

/** Earlier versions recorded no causes. */
function withCauses(value: unknown): unknown {
  const { columns } = value as { readonly columns?: unknown };
  const withNone = (column: { readonly state?: unknown } | null) =>
    column?.state === 'run' && !('causes' in column) ? { ...column, causes: [] } : column;
  return Array.isArray(columns) ? { ...Object(value), columns: columns.map(withNone) } : value;
}
