import { realpathSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readText } from '../read-text.ts';
import { type Document, DocumentError, isObject, MAX_MEGABYTES, type Pointer } from './document.ts';

const FIX = 'bundle the document into one file, or put that file in its folder';

/**
 * Reads the files that a document refers to, but only in its folder or below, with links resolved: an
 * untrusted document must not read other files or access the network.
 * @throws DocumentError, with the location of the reference
 */
export function reader(document: Document, described: unknown): (location: string) => string {
  const folder = dirname(resolve(document.file));
  return (location) => {
    const fail = (problem: string): never => {
      const pointer = pointerTo(location, described, folder);
      throw new DocumentError(document.file, pointer && document.location(pointer), problem);
    };
    const path = filePath(location, folder);
    if (path === undefined) return fail(`refers to ${location}; URLs are not supported: ${FIX}`);
    try {
      const inside = relative(realpathSync(folder), realpathSync(path));
      if (inside.startsWith('..') || isAbsolute(inside))
        return fail(`refers to ${path}, which is not in its folder: ${FIX}`);
      return readText(path, MAX_MEGABYTES);
    } catch (error) {
      if (error instanceof DocumentError) throw error;
      const { code, message } = error as NodeJS.ErrnoException;
      return fail(
        `refers to ${path}, which ${code === 'ENOENT' ? 'does not exist' : `cannot be read: ${message}`}`,
      );
    }
  };
}

/** The file that a reference leads to; undefined if it does not lead to a file. */
function filePath(location: string, folder: string): string | undefined {
  if (/^file:/i.test(location)) {
    try {
      return fileURLToPath(location);
    } catch {
      return undefined;
    }
  }
  return /^(?:[a-z][a-z\d+.-]+:|\/\/)/i.test(location) ? undefined : resolve(folder, decoded(location));
}

function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/** The first reference in the document itself to a location; undefined if only other files refer to it. */
function pointerTo(location: string, value: unknown, folder: string, at: Pointer = []): Pointer | undefined {
  if (isObject(value) && typeof value.$ref === 'string') {
    const [target = ''] = value.$ref.split('#');
    const path = filePath(target, folder);
    if (
      target !== '' &&
      (path === undefined ? location.endsWith(target) : path === filePath(location, folder))
    )
      return [...at, '$ref'];
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const found = pointerTo(location, member, folder, [...at, Array.isArray(value) ? Number(key) : key]);
    if (found !== undefined) return found;
  }
  return undefined;
}
