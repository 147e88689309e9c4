import { readSaved, recordIn, validated } from '../report/record/read-record.ts';
import type { Comparison } from './comparison.ts';

/** @throws UsageError if the file is neither a record nor a comparison */
export function readEither(file: string) {
  const value = readSaved(file);
  if ((value as { kind?: unknown } | null)?.kind !== 'comparison')
    return { kind: 'run' as const, record: recordIn(value, file) };
  const schema = 'lib/compare/comparison.schema.json';
  const comparison = validated<Comparison>(value, file, schema, 'a comparison');
  return { kind: 'comparison' as const, comparison };
}
