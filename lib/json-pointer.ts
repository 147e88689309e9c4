/** The name that a segment of a JSON Pointer writes (RFC 6901 section 4). */
export const nameIn = (segment: string): string => segment.replaceAll('~1', '/').replaceAll('~0', '~');

/** The names that lead to what a JSON Pointer points to. */
export const namesIn = (pointer: string): string[] => pointer.split('/').slice(1).map(nameIn);
