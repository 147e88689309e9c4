import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import type { HeaderPair } from './exchange.ts';
import { headerValues } from './headers.ts';

/** The content codings that servers use. */
export const CODINGS = ['gzip', 'deflate', 'br'] as const;

/** Returns the content codings of a message, in the order of their application (RFC 9110 section 8.4). */
export const codingsOf = (headers: readonly HeaderPair[]): string[] =>
  headerValues(headers, 'content-encoding')
    .flatMap((value) => value.toLowerCase().split(','))
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');

/** Returns whether bytes could not be decoded because the result would be too large. */
export const isTooLarge = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';

/**
 * Undoes one content coding.
 * @param cut whether the end of the input may be missing
 * @throws Error if the bytes cannot be decoded, or decode to more than `maxBytes`
 */
export function decoded(coding: string, bytes: Uint8Array, maxBytes: number, cut = false): Uint8Array {
  const { Z_SYNC_FLUSH, Z_FINISH, BROTLI_OPERATION_FLUSH, BROTLI_OPERATION_FINISH } = constants;
  const zlib = { maxOutputLength: maxBytes, finishFlush: cut ? Z_SYNC_FLUSH : Z_FINISH };
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return gunzipSync(bytes, zlib);
    case 'deflate':
      try {
        return inflateSync(bytes, zlib);
      } catch (error) {
        if (isTooLarge(error)) throw error;
        return inflateRawSync(bytes, zlib);
      }
    case 'br': {
      const finishFlush = cut ? BROTLI_OPERATION_FLUSH : BROTLI_OPERATION_FINISH;
      return brotliDecompressSync(bytes, { maxOutputLength: maxBytes, finishFlush });
    }
    default:
      throw new Error('unknown coding');
  }
}
