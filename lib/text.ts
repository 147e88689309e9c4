/** Formats 2764 as 2,764. Without Intl, which would load the data of every language. */
export const withSeparators = (count: number | bigint): string =>
  String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');

/** Returns a count with its noun: `1 check`, `2,764 checks`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${withSeparators(count)} ${count === 1 ? one : many}`;

/** Returns a text for one line, without long runs of white space, which would fill it. */
export const squeezed = (text: string): string =>
  text.replace(/\s{20,}/g, ({ length }) => `… (${withSeparators(length)} characters of white space) …`);

/** Joins nouns to a phrase: `a`, `a and b`, `a, b and c`. Without Intl, for the same reason. */
export const joined = (nouns: readonly string[], conjunction: 'and' | 'or'): string =>
  nouns.length < 2 ? nouns.join('') : `${nouns.slice(0, -1).join(', ')} ${conjunction} ${nouns.at(-1)}`;

/** Returns the beginning of a text, copied so that the memory of the whole text can be freed. */
export const beginningOf = (text: string, limit: number): string =>
  text.length <= limit ? text : Buffer.from(text.slice(0, limit), 'utf16le').toString('utf16le');

const inCapitals = (letters: string) => letters.toUpperCase();

/** Returns a text with a capital first letter. */
export const capitalised = (text: string): string => text.replace(/^./, inCapitals);

/** Returns a text in which every word that begins with a letter from a to z is capitalised. */
export const wordsCapitalised = (text: string): string => text.replace(/\b[a-z]/g, inCapitals);

/** Returns the command-line flag of an option, such as --max-seconds for `maxSeconds`. */
export const flagOf = (name: string): string => `--${name.replace(/[A-Z]/g, '-$&').toLowerCase()}`;
