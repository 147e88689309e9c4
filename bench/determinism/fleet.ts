import { brokenStores } from '../../mutants/broken/index.ts';
import { rightStores } from '../../mutants/right/index.ts';
import { type RunningStore, startStore } from '../../reference/store.ts';

export const TOKEN = 'Tok3n-AbCdEfGh-0123456789';

/** The store with the given name: the reference store, or one of the fleet. */
export const named = (name: string): { readonly does: string; start(): Promise<RunningStore> } => {
  if (name === 'reference') return { does: 'no deviation', start: () => startStore({ token: TOKEN }) };
  const store = [...rightStores, ...brokenStores].find((one) => one.name === name);
  if (store === undefined) throw new Error(`the fleet has no ${name}`);
  return { does: 'odd' in store ? store.odd : store.breaks, start: () => store.start(TOKEN) };
};

/** A Markdown table that can also be read in a terminal. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |\n`;
  return [head, widths.map((width) => '-'.repeat(width)), ...rows].map(line).join('');
}
