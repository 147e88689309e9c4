/** Adds white space before the end of an object: some software inspects only the first part of a body. */
export const padded =
  (spaces: number) =>
  (text: string): string =>
    text.replace(/}(?=\s*$)/, `${' '.repeat(spaces)}}`);
