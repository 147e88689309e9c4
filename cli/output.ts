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
import { joined } from '../lib/text.ts';
import { UsageError } from '../lib/usage-error.ts';
import { DEFAULT_FOLDER } from './target.ts';

interface Renderer<T> {
  readonly file: string;
  readonly render: (subject: T) => string;
}

type Renderers<T> = Readonly<Partial<Record<Format, Renderer<T>>>>;

/** Where reports go: to a folder, with one file for each format, or to standard output. */
export interface Destination<T> {
  readonly out: string;
  readonly renderers: readonly Renderer<T>[];
}

export type ReportFlags = Flags<'reports'>;

/**
 * Returns where to write which reports; undefined without --out and --format. One of them alone is enough:
 * the folder is `reports` by default, and the format JSON.
 * @throws UsageError before the run starts, if the formats do not fit the destination, or it cannot be
 * written to
 */
export function destinationOf<T>(given: ReportFlags, known: Renderers<T>): Destination<T> | undefined {
  if (given.out === undefined && given.format === undefined) return undefined;
  const { out = DEFAULT_FOLDER, format = ['json'], force = false } = given;
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

function requireOurs(file: string, force: boolean): void {
  if (!force && existsSync(file) && !isOurs(file))
    throw new UsageError(
      `${file} already exists and was not written by this suite; use --force to overwrite it.`,
    );
}

/** Returns the file for the output of a started store, next to the reports; undefined without a folder. */
export function logBeside(
  destination: { readonly out: string } | undefined,
  name: string,
  { force = false }: ReportFlags,
): string | undefined {
  if (destination === undefined || destination.out === '-') return undefined;
  const file = join(destination.out, `${name}.log`);
  requireOurs(file, force);
  return file;
}

/** Creates a folder if it does not exist. @throws UsageError if it cannot be created or written to */
export function requireFolder(folder: string): void {
  try {
    makeFolder(folder);
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw new UsageError(`Cannot write to ${folder}: ${(error as Error).message}`);
  }
}

/** Node's `recursive` option never returns where the system allows no folders, as in /proc. */
function makeFolder(folder: string): void {
  if (isFolder(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another shard may have created it in the meantime.
    if (!isFolder(folder)) throw error;
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** How the files of this suite begin: reports in each format, and the output of a store. */
const OURS = new RegExp(
  `^(?:(?:## )?${suite.name}\\b|\\{\\s*"schemaVersion"|<\\?xml[^>]*>\\s*<testsuites name="${suite.name}"|<!doctype html>|<svg )`,
);

function isOurs(file: string): boolean {
  try {
    const text = readFileSync(file, 'utf8');
    return text === '' || (OURS.test(text) && text.includes(suite.name));
  } catch {
    return false;
  }
}

export const filesOf = <T>(destination: Destination<T> | undefined): readonly string[] =>
  destination === undefined || destination.out === '-'
    ? []
    : destination.renderers.map(({ file }) => join(destination.out, file));

/** Writes the reports to their destination, if any. @throws UsageError if the folder cannot be written to */
export async function writeReports<T>(subject: T, destination: Destination<T> | undefined): Promise<void> {
  if (destination === undefined) return;
  const { out, renderers } = destination;
  for (const { file, render } of renderers) {
    const text = render(subject);
    if (out !== '-') writeAtomically(join(out, file), text);
    else await new Promise<void>((resolve) => process.stdout.write(text, () => resolve()));
  }
}

/** Writes reports like `writeReports`, and says on standard error which files it has written. */
export async function writeAndNameReports<T>(
  subject: T,
  destination: Destination<T> | undefined,
): Promise<void> {
  await writeReports(subject, destination);
  const files = filesOf(destination);
  if (files.length > 0) process.stderr.write(`Wrote ${joined(files, 'and')}.\n`);
}

/** Writes a file completely or not at all. @throws UsageError if it cannot be written */
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
