import type { HeaderPair } from './exchange.ts';

/** Whether a header has the given lower-case name. Comparing the lengths first is faster. */
const isNamed =
  (name: string) =>
  ([own]: HeaderPair): boolean =>
    own.length === name.length && own.toLowerCase() === name;

export const headerValues = (headers: readonly HeaderPair[], name: string): string[] =>
  headers.filter(isNamed(name)).map(([, value]) => value);

export const headerValue = (headers: readonly HeaderPair[], name: string): string | undefined =>
  headers.find(isNamed(name))?.[1];

export const hasHeader = (headers: readonly HeaderPair[], name: string): boolean =>
  headers.some(isNamed(name));

/** Returns whether a message announces that the connection closes after it (RFC 9112 section 9.6). */
export const closesConnection = (headers: readonly HeaderPair[]): boolean =>
  headerValues(headers, 'connection').some((value) => /\bclose\b/i.test(value));

/** Returns the number of characters in headers. */
export const headersSize = (headers: readonly HeaderPair[]): number =>
  headers.reduce((size, [name, value]) => size + name.length + value.length, 0);
