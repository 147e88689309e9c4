const decoder = () => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const whole = decoder();

/**
 * Decodes UTF-8 and keeps a byte order mark if there is one; undefined if the bytes are not UTF-8.
 *
 * @param isCut whether the end of the last character may be missing
 */
export function utf8Text(bytes: Uint8Array, isCut = false): string | undefined {
  try {
    return isCut ? decoder().decode(bytes, { stream: true }) : whole.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Returns the text of a body, with U+FFFD in place of what is not UTF-8. */
export const bodyText = (body: Uint8Array | undefined): string => Buffer.from(body ?? []).toString('utf8');
