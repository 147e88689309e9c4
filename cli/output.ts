import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Flags } from '../lib/config/options.ts';
import { suite } from '../lib/package.ts';
import type { Format } from '../lib/report/formats.ts';
import { UsageError } from '../lib/usage-error.ts';
import { DEFAULT_FOLDER } from './target.ts';

/** Where reports go: into a folder, one file per format, or a single report to standard output. */
export interface Destination {
  /** A folder, or `-` for standard output. */
  readonly out: string;
  readonly formats: readonly Format[];
}

/**
 * Decides where reports go and in which formats.
 * @throws UsageError for several formats on standard output, for an unknown format, and if the folder cannot be
 *   written or contains a file of that name that is not a report
 */
export function destinationOf(
  out: string,
  wanted: readonly Format[],
  renderers: Renderers<never>,
  force = false,
): Destination {
  if (out === '-' && new Set(wanted).size > 1)
    throw new UsageError(
      'Cannot write several formats to standard output; give one with --format, or a folder with --out.',
    );
  const unknown = wanted.find((format) => !Object.hasOwn(renderers, format));
  if (unknown !== undefined)
    throw new UsageError(
      `Cannot write ${unknown} here; the formats are ${Object.keys(renderers).join(', ')}.`,
    );
  if (out !== '-') requireWritable(out, wanted, renderers, force);
  return { out, formats: [...new Set(wanted)] };
}

/** Finds out before the run, not after it, that the reports cannot be written. */
function requireWritable(
  folder: string,
  wanted: readonly Format[],
  renderers: Renderers<never>,
  force: boolean,
): void {
  requireFolder(folder);
  for (const format of wanted) requireOurs(join(folder, renderers[format]?.file ?? ''), force);
}

function requireOurs(file: string, force: boolean): void {
  if (!force && existsSync(file) && !isOurs(file))
    throw new UsageError(`${file} already exists and is not of this suite; use --force to overwrite it.`);
}

/**
 * The file for the output of a started store, beside the reports; undefined if no folder for reports is given.
 * @throws UsageError if there is a file of that name that this suite did not write
 */
export function logBeside(
  destination: Destination | undefined,
  name: string,
  { force = false }: Wanted,
): string | undefined {
  if (destination === undefined || destination.out === '-') return undefined;
  const file = join(destination.out, `${name}.log`);
  requireOurs(file, force);
  return file;
}

/**
 * Creates a folder if it does not exist yet.
 * @throws UsageError if it cannot be created or written
 */
export function requireFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw new UsageError(`Cannot write to ${folder}: ${(error as Error).message}`);
  }
}

/** The options for reports. */
export type Wanted = Flags<'reports'>;

/**
 * The reports that the options ask for: none without --out and --format, else by default the record, in `reports`.
 * @throws UsageError as `destinationOf` does
 */
export const wantedOf = (
  { out, format, force }: Wanted,
  renderers: Renderers<never>,
): Destination | undefined =>
  out === undefined && format === undefined
    ? undefined
    : destinationOf(out ?? DEFAULT_FOLDER, format ?? ['json'], renderers, force);

/** How files of this suite begin: reports in each format, and the output of a store. */
const OURS = new RegExp(
  `^(?:(?:## )?${suite.name}\\b|\\{\\s*"schemaVersion"|<\\?xml[^>]*>\\s*<testsuites name="${suite.name}"|<!doctype html>|<svg )`,
);

/** Whether a file was written by this suite: it begins like one and contains the suite's name. */
function isOurs(file: string): boolean {
  try {
    const text = readFileSync(file, 'utf8');
    return text === '' || (OURS.test(text) && text.includes(suite.name));
  } catch {
    return false;
  }
}

/** Formats by name: the file that each is written to, and its renderer. */
type Renderers<T> = Readonly<
  Partial<Record<Format, { readonly file: string; readonly render: (subject: T) => string }>>
>;

/**
 * Writes reports of a run or of a comparison.
 * @throws UsageError if the folder cannot be written
 */
export async function writeReports<T>(
  subject: T,
  { out, formats: list }: Destination,
  renderers: Renderers<T>,
): Promise<void> {
  for (const format of list) {
    const renderer = renderers[format];
    if (renderer === undefined)
      throw new UsageError(
        `Cannot write ${format} here; the formats are ${Object.keys(renderers).join(', ')}.`,
      );
    const { file, render } = renderer;
    const text = render(subject);
    if (out !== '-') writeAtomically(join(out, file), text);
    else await new Promise<void>((resolve) => process.stdout.write(text, () => resolve()));
  }
}

/**
 * Writes a file atomically.
 * @throws UsageError if it cannot be written; then no part of it is left behind
 */
export function writeAtomically(file: string, text: string): void {
  const part = `${file}.${process.pid}.part`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(part, text, { flag: 'wx' });
    renameSync(part, file);
  } catch (error) {
    rmSync(part, { force: true });
    throw new UsageError(`Cannot write ${file}: ${(error as Error).message}`);
  }
}
