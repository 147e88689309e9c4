const inCapitals = (letters: string) => letters.toUpperCase();

/** A text with a capital first letter. */
export const capitalised = (text: string): string => text.replace(/^./, inCapitals);

/** A text with a capital first letter in every word that begins with one of a to z. */
export const wordsCapitalised = (text: string): string => text.replace(/\b[a-z]/g, inCapitals);
