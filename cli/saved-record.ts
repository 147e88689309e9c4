import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Flags } from '../lib/config/options.ts';
import { suggestion } from '../lib/nearest.ts';
import { FORMATS } from '../lib/report/formats/formats.ts';
import { readRecord } from '../lib/report/record/read-record.ts';
import { UsageError } from '../lib/usage-error.ts';
import { type Configured, configOf, DEFAULT_FOLDER } from './target.ts';

function neitherFileNorTarget(given: string, { file, config }: Configured): UsageError {
  const names = config.targets.map(({ name }) => name);
  const otherwise = `give the report.json that a run writes with --out DIR, or a target: ${names.join(', ')}`;
  return new UsageError(
    `${given} is neither a file nor a target of ${file}; ${suggestion(given, names, otherwise)}`,
  );
}

/**
 * Reads the record in a file or, if there is no such file, the last report of the target of that name.
 * @throws UsageError if there is neither, or if several targets write their reports to the same place
 */
export async function recordOf(given: string, flags: Flags<'target'> = {}) {
  const found = existsSync(given) ? undefined : await configOf(flags);
  const target = found?.config.targets.find(({ name }) => name === given);
  if (found !== undefined && found.config.targets.length > 0 && target === undefined)
    throw neitherFileNorTarget(given, found);
  if (target === undefined) return { file: given, record: readRecord(given) };
  const file = join(target.out ?? found?.config.options.out ?? DEFAULT_FOLDER, FORMATS.json.file);
  const record = readRecord(file);
  if (record.target.name !== given)
    throw new UsageError(
      `${file} is the report of ${record.target.name}, not of ${given}; give the target a folder of its own with the option out.`,
    );
  return { file, record };
}
