/**
 * Pads the text of an object with white space before its end. The value stays the same, but some software
 * inspects only the first part of a body. Texts of other values are unchanged.
 */
export const padded =
  (spaces: number) =>
  (text: string): string =>
    text.replace(/}(?=\s*$)/, `${' '.repeat(spaces)}}`);
