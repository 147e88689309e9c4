import { closeSync, openSync, readSync } from 'node:fs';

const MEGABYTE = 1024 * 1024;

/**
 * Reads a whole text file up to a limit, which also guards against devices and endless files.
 *
 * @param limit maximum size in MB
 * @throws Error with the system's error code, or with `EFBIG`
 */
export function readText(file: string, limit: number): string {
  const handle = openSync(file, 'r');
  try {
    const parts: Buffer[] = [];
    for (let size = 0; ; ) {
      const part = Buffer.allocUnsafe(Math.min(MEGABYTE, 64 * 1024 * 2 ** parts.length));
      const length = readSync(handle, part);
      if (length === 0) return Buffer.concat(parts).toString('utf8');
      size += length;
      if (size > limit * MEGABYTE)
        throw Object.assign(new Error(`it is larger than ${limit} MB`), { code: 'EFBIG' });
      parts.push(part.subarray(0, length));
    }
  } finally {
    closeSync(handle);
  }
}
