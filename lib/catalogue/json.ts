import type { Entry } from './entry.ts';

/** Checks as a JSON array; `sends` has the words first, and then the examples. */
export const json = (entries: readonly Entry[]): string => {
  const listed = entries.map(({ sends, hint, ...entry }) => ({
    ...entry,
    sends: [sends.text, ...sends.examples],
    hint,
  }));
  return `${JSON.stringify(listed, null, 2)}\n`;
};
