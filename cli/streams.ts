/** Whether a report could not be written to standard output, for another reason than that nobody reads it. */
let lost = false;

/**
 * Lets the process outlive its readers: one that has seen enough (`| head`), or a terminal that was closed, is
 * no fault, and the exit code still tells the verdict. A full disk behind standard output is said, once.
 */
export function outliveReaders(): void {
  // Nothing that decides stands on standard error alone.
  process.stderr.on('error', () => {});
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || error.code === 'EIO' || lost) return;
    lost = true;
    process.exitCode = 2;
    process.stderr.write(`Standard output cannot be written: ${error.message}\n`);
  });
}

/** The exit code of the process: that of its work, unless what it said was lost. */
export function endWith(code: number): void {
  process.exitCode = lost ? 2 : code;
}
