import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Flags } from '../lib/config/options.ts';
import { suggestion } from '../lib/nearest.ts';
import { FORMATS } from '../lib/report/formats/formats.ts';
import { readRecord } from '../lib/report/record/read-record.ts';
import { UsageError } from '../lib/usage-error.ts';
import { configOf, DEFAULT_FOLDER } from './target.ts';

/**
 * Reads the record in a file or, if there is no such file, the last report of the target of that name.
 * @throws UsageError if there is neither, or if several targets write their reports to the same place
 */
export async function savedRecordOf(given: string, flags: Flags<'target'> = {}) {
  const found = existsSync(given) ? undefined : await configOf(flags);
  const target = found?.config.targets.find(({ name }) => name === given);
  if (target === undefined) {
    const names = found?.config.targets.map(({ name }) => name) ?? [];
    if (names.length === 0) return { file: given, record: readRecord(given) };
    const otherwise = `give the report.json that a run writes with --out DIR, or a target: ${names.join(', ')}`;
    throw new UsageError(
      `${given} is neither a file nor a target of ${found?.file}; ${suggestion(given, names, otherwise)}`,
    );
  }
  const file = join(target.out ?? found?.config.options.out ?? DEFAULT_FOLDER, FORMATS.json.file);
  const record = readRecord(file);
  if (record.target.name !== given)
    throw new UsageError(
      `${file} is the report of ${record.target.name}, not of ${given}; give the target a folder of its own with the option out.`,
    );
  return { file, record };
}
