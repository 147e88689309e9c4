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

/** Where reports go: into a folder, each under a name that says its format, or one to standard output. */
export interface Destination {
  /** `-` is standard output. */
  readonly out: string;
  readonly formats: readonly Format[];
}

/**
 * Where reports go and in which formats.
 * @throws UsageError when standard output is to take several, where there is no such format, and when the
 *   folder cannot be written or holds a file of that name that others have written
 */
export function destinationOf(
  out: string,
  wanted: readonly Format[],
  renderers: Renderers<never>,
  force = false,
): Destination {
  if (out === '-' && new Set(wanted).size > 1)
    throw new UsageError('Standard output takes one format; give one with --format, or a folder with --out.');
  const lost = wanted.find((format) => !Object.hasOwn(renderers, format));
  if (lost !== undefined)
    throw new UsageError(`There is no ${lost} here; the formats are ${Object.keys(renderers).join(', ')}.`);
  if (out !== '-') requireRoom(out, wanted, renderers, force);
  return { out, formats: [...new Set(wanted)] };
}

/** Finds out before a run, and not after it, that its reports cannot be written. */
function requireRoom(
  folder: string,
  wanted: readonly Format[],
  renderers: Renderers<never>,
  force: boolean,
): void {
  requireFolder(folder);
  for (const format of wanted) {
    const file = join(folder, renderers[format]?.file ?? '');
    if (!force && existsSync(file) && !isOurs(file))
      throw new UsageError(`${file} is there already, and no report of this suite; --force overwrites it.`);
  }
}

/**
 * Makes sure that there is a folder to write into.
 * @throws UsageError where there can be none
 */
export function requireFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw new UsageError(`Reports cannot be written into ${folder}: ${(error as Error).message}`);
  }
}

/** What the options say of reports. */
export type Wanted = Flags<'reports'>;

/**
 * What a run is to write: by default the record, into reports; nothing, where nothing is asked for.
 * @throws UsageError as above
 */
export const wantedOf = (
  { out, format, force }: Wanted,
  renderers: Renderers<never>,
): Destination | undefined =>
  out === undefined && format === undefined
    ? undefined
    : destinationOf(out ?? 'reports', format ?? ['json'], renderers, force);

/** How the reports of this suite begin, each in its format. */
const OURS = new RegExp(
  `^(?:(?:## )?${suite.name}\\b|\\{\\s*"schemaVersion"|<\\?xml[^>]*>\\s*<testsuites name="${suite.name}"|<!doctype html>)`,
);

/** Whether a file is one that the suite has written: it begins like one, and has the suite's name in it. */
function isOurs(file: string): boolean {
  try {
    const text = readFileSync(file, 'utf8');
    return text === '' || (OURS.test(text) && text.includes(suite.name));
  } catch {
    return false;
  }
}

/** How something can be written down, by the names of formats. */
type Renderers<T> = Readonly<
  Partial<Record<Format, { readonly file: string; readonly render: (subject: T) => string }>>
>;

/**
 * Writes reports of a run, or of something else that has formats of its own.
 * @throws UsageError when the folder cannot be written
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
        `There is no ${format} here; the formats are ${Object.keys(renderers).join(', ')}.`,
      );
    const { file, render } = renderer;
    const text = render(subject);
    if (out !== '-') writeWhole(join(out, file), text);
    else await new Promise<void>((resolve) => process.stdout.write(text, () => resolve()));
  }
}

/**
 * Writes a file that is there whole or not at all.
 * @throws UsageError when it cannot be written; nothing is left of it then
 */
export function writeWhole(file: string, text: string): void {
  const part = `${file}.${process.pid}.part`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(part, text, { flag: 'wx' });
    renameSync(part, file);
  } catch (error) {
    rmSync(part, { force: true });
    throw new UsageError(`${file} cannot be written: ${(error as Error).message}`);
  }
}
