import { closeSync, openSync, readSync } from 'node:fs';

const MEGA = 1024 * 1024;

/**
 * Reads a whole text file that somebody else has written: no more of it than it may have, so that a device or
 * a file that never ends is refused as well.
 * @param most megabytes
 * @throws Error with the code of the system, or with `EFBIG`
 */
export function readText(file: string, most: number): string {
  const handle = openSync(file, 'r');
  try {
    const parts: Buffer[] = [];
    for (let size = 0; ; ) {
      const part = Buffer.allocUnsafe(Math.min(MEGA, 64 * 1024 * 2 ** parts.length));
      const length = readSync(handle, part);
      if (length === 0) return Buffer.concat(parts).toString('utf8');
      size += length;
      if (size > most * MEGA)
        throw Object.assign(new Error(`it is larger than ${most} MB`), { code: 'EFBIG' });
      parts.push(part.subarray(0, length));
    }
  } finally {
    closeSync(handle);
  }
}
