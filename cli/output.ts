import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidArgumentError } from 'commander';
import type { RunRecord } from '../lib/report/record.ts';
import { UsageError } from '../lib/usage-error.ts';

/** Every format is a pure function of the record. */
const RENDERERS = {
  json: (record: RunRecord) => `${JSON.stringify(record, null, 2)}\n`,
} as const;

export type Format = keyof typeof RENDERERS;

export const FORMATS = Object.keys(RENDERERS) as Format[];

const isFormat = (name: string): name is Format => name in RENDERERS;

export const formats = (text: string): Format[] =>
  text.split(',').map((name) => {
    if (!isFormat(name)) throw new InvalidArgumentError(`The formats are ${FORMATS.join(', ')}.`);
    return name;
  });

/**
 * Writes the reports of a run: into a folder, each under a name that says its format, or one of them to
 * standard output. A file is there whole or not at all.
 * @throws UsageError when the folder cannot be written
 */
export async function writeReports(
  record: RunRecord,
  wanted: readonly Format[] | undefined,
  out: string | undefined,
): Promise<void> {
  if (out === undefined && wanted === undefined) return;
  const list = wanted ?? ['json'];
  const folder = out ?? 'reports';
  if (folder === '-') {
    const [only, ...others] = list;
    if (only === undefined || others.length > 0)
      throw new UsageError('Standard output takes one format; give one with --format.');
    await new Promise<void>((resolve) => process.stdout.write(RENDERERS[only](record), () => resolve()));
    return;
  }
  try {
    mkdirSync(folder, { recursive: true });
    for (const format of list) {
      const file = join(folder, `report.${format}`);
      writeFileSync(`${file}.part`, RENDERERS[format](record));
      renameSync(`${file}.part`, file);
    }
  } catch (error) {
    throw new UsageError(`The reports cannot be written to ${folder}: ${(error as Error).message}`);
  }
}
