/** Decodes a segment of a JSON Pointer (RFC 6901 section 4). */
export const nameIn = (segment: string): string => segment.replaceAll('~1', '/').replaceAll('~0', '~');

/** Returns the decoded segments of a JSON Pointer. */
export const namesIn = (pointer: string): string[] => pointer.split('/').slice(1).map(nameIn);
