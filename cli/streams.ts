import { folded } from '../lib/report/formats/rows.ts';
import { coloured, type Paint, uncoloured } from '../lib/report/wording/format-text.ts';

/** Whether writing to standard output failed for a reason other than a closed reader. */
let writeFailed = false;

/**
 * Keeps the process alive when the readers of its output go away: `| head` is not an error, and the exit code
 * still reports the verdict. Other errors, such as a full disk, are reported once.
 */
export function ignoreClosedPipes(): void {
  // Nothing essential goes only to standard error.
  process.stderr.on('error', () => {});
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || error.code === 'EIO' || writeFailed) return;
    writeFailed = true;
    process.exitCode = 2;
    process.stderr.write(`Cannot write to standard output: ${error.message}\n`);
  });
}

export const wantsColour = (): boolean => process.stdout.isTTY === true && !process.env.NO_COLOR;

export const paint = (): Paint => (wantsColour() ? coloured : uncoloured);

/** Returns the width of the terminal or, without one, COLUMNS; undefined if neither is known. */
export function columns(): number | undefined {
  const { COLUMNS = '' } = process.env;
  return process.stdout.columns ?? (/^[1-9]\d{1,3}$/.test(COLUMNS) ? Number(COLUMNS) : undefined);
}

/** Writes a text whose lines are broken at the width of the terminal. */
export function print(text: string): void {
  process.stdout.write(folded(text, columns() ?? Number.POSITIVE_INFINITY));
}

export const screenRows = (): number | undefined => (process.stdout.isTTY ? process.stdout.rows : undefined);

/** Sets the exit code of the process: 2 if its output was lost. */
export function setExitCode(code: number): void {
  process.exitCode = writeFailed ? 2 : code;
}
