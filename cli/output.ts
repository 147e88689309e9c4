import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Flags } from '../lib/config/options.ts';
import { suite } from '../lib/package.ts';
import type { Format } from '../lib/report/formats/formats.ts';
import { UsageError } from '../lib/usage-error.ts';
import { DEFAULT_FOLDER } from './target.ts';

/** A format of a report: the file that it is written to, and how it is rendered. */
interface Renderer<T> {
  readonly file: string;
  readonly render: (subject: T) => string;
}

type Renderers<T> = Readonly<Partial<Record<Format, Renderer<T>>>>;

/** Where reports of a run or of a comparison go: into a folder, one file per format, or to standard output. */
export interface Destination<T> {
  /** A folder, or `-` for standard output. */
  readonly out: string;
  readonly renderers: readonly Renderer<T>[];
}

export type Wanted = Flags<'reports'>;

/**
 * Decides where reports go and in which formats: by default the record, in `reports`.
 * @throws UsageError before the run starts: for several formats on standard output, an unknown format, an unwritable
 * folder, or an existing file that is not a report
 */
export function destinationOf<T>(
  { out = DEFAULT_FOLDER, format = ['json'], force = false }: Wanted,
  known: Renderers<T>,
): Destination<T> {
  const wanted = [...new Set(format)];
  if (out === '-' && wanted.length > 1)
    throw new UsageError(
      'Cannot write several formats to standard output; give one with --format, or a folder with --out.',
    );
  const renderers = wanted.map((name) => {
    const renderer = known[name];
    if (renderer === undefined)
      throw new UsageError(
        `Cannot write the format ${name} here; the formats are ${Object.keys(known).join(', ')}.`,
      );
    return renderer;
  });
  if (out !== '-') {
    requireFolder(out);
    for (const { file } of renderers) requireOurs(join(out, file), force);
  }
  return { out, renderers };
}

/** The same if the options ask for reports at all. */
export const wantedOf = <T>(wanted: Wanted, known: Renderers<T>): Destination<T> | undefined =>
  wanted.out === undefined && wanted.format === undefined ? undefined : destinationOf(wanted, known);

function requireOurs(file: string, force: boolean): void {
  if (!force && existsSync(file) && !isOurs(file))
    throw new UsageError(
      `${file} already exists and was not written by this suite; use --force to overwrite it.`,
    );
}

/**
 * The file for the output of a started store, beside the reports; undefined if no folder for reports is given.
 * @throws UsageError if there is a file of that name that this suite did not write
 */
export function logBeside(
  destination: { readonly out: string } | undefined,
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
    makeFolder(folder);
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw new UsageError(`Cannot write to ${folder}: ${(error as Error).message}`);
  }
}

/** Creates a folder and those above it. Node's `recursive` never returns where the system allows none, as in /proc. */
function makeFolder(folder: string): void {
  if (isFolder(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another shard may have been faster.
    if (!isFolder(folder)) throw error;
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

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

/** @throws UsageError if the folder cannot be written */
export async function writeReports<T>(subject: T, { out, renderers }: Destination<T>): Promise<void> {
  for (const { file, render } of renderers) {
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
    makeFolder(dirname(file));
    writeFileSync(part, text, { flag: 'wx' });
    renameSync(part, file);
  } catch (error) {
    rmSync(part, { force: true });
    throw new UsageError(`Cannot write ${file}: ${(error as Error).message}`);
  }
}
