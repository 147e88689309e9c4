import type { HeaderPair } from './exchange.ts';

/** Whether a header has a name, which is given in lower case. To compare the lengths first is faster. */
const isNamed =
  (name: string) =>
  ([own]: HeaderPair): boolean =>
    own.length === name.length && own.toLowerCase() === name;

/** The values of the headers of a name in lower case, in their order. */
export const headerValues = (headers: readonly HeaderPair[], name: string): string[] =>
  headers.filter(isNamed(name)).map(([, value]) => value);

/** The value of the first header of a name in lower case. */
export const headerValue = (headers: readonly HeaderPair[], name: string): string | undefined =>
  headers.find(isNamed(name))?.[1];

/** Whether there is a header of a name in lower case. */
export const hasHeader = (headers: readonly HeaderPair[], name: string): boolean =>
  headers.some(isNamed(name));

/** Whether a message says that the connection ends after it (RFC 9112 section 9.6). */
export const closesConnection = (headers: readonly HeaderPair[]): boolean =>
  headerValues(headers, 'connection').some((value) => /\bclose\b/i.test(value));
