import type { CatalogueEntry } from './entry.ts';

/** Checks as a JSON array. `sends` contains the description followed by the examples. */
export const json = (entries: readonly CatalogueEntry[]): string => {
  const listed = entries.map(({ sends, hint, ...entry }) => ({
    ...entry,
    sends: [sends.text, ...sends.examples],
    hint,
  }));
  return `${JSON.stringify(listed, null, 2)}\n`;
};
