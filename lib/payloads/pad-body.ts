/**
 * The text of an object with white space before its end: the same value in a longer text, as some software inspects
 * only the first part of a body. Other texts stay as they are.
 */
export const padded =
  (spaces: number) =>
  (text: string): string =>
    text.replace(/}(?=\s*$)/, `${' '.repeat(spaces)}}`);
