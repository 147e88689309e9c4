import { isFields, readSaved, recordIn, validated, withKey } from '../report/record/saved.ts';
import type { Comparison } from './comparison.ts';

/**
 * Reads the record of a run, or a comparison.
 * @throws UsageError if it is neither
 */
export function readEither(file: string) {
  const value = readSaved(file);
  if ((value as { kind?: unknown } | null)?.kind !== 'comparison')
    return { kind: 'run' as const, record: recordIn(value, file) };
  const schema = 'lib/compare/comparison.schema.json';
  const comparison = validated<Comparison>(renamed(value), file, schema, 'a comparison');
  return { kind: 'comparison' as const, comparison };
}

/** A comparison with the keys of this version. Early versions recorded no causes. */
function renamed(value: unknown): unknown {
  if (!isFields(value) || !Array.isArray(value.columns)) return value;
  return {
    ...value,
    columns: value.columns.map((column) => (isFields(column) ? presentColumn(column) : column)),
  };
}

function presentColumn(column: Readonly<Record<string, unknown>>): unknown {
  if (column.state !== 'run') return column;
  const cells = isFields(column.cells)
    ? mapValues(column.cells, (cell) => (isFields(cell) ? withKey(cell, 'cause', 'problem') : cell))
    : column.cells;
  return { ...column, causes: column.causes ?? [], cells };
}

const mapValues = (fields: Readonly<Record<string, unknown>>, change: (value: unknown) => unknown) =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, change(value)]));
