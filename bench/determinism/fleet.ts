import { fork } from 'node:child_process';
import { packageFile } from '../../lib/package.ts';
import { brokenStores } from '../../mutants/broken/index.ts';
import { rightStores } from '../../mutants/right/index.ts';
import { type RunningStore, startStore } from '../../reference/store.ts';
import { TOKEN } from '../store.ts';
import { tableText } from '../table.ts';

/** The store with the given name: the reference store, or one of the fleet. */
export const named = (name: string): { readonly does: string; start(): Promise<RunningStore> } => {
  if (name === 'reference') return { does: 'no deviation', start: () => startStore({ token: TOKEN }) };
  const store = [...rightStores, ...brokenStores].find((one) => one.name === name);
  if (store === undefined) throw new Error(`the fleet has no ${name}`);
  return { does: 'odd' in store ? store.odd : store.breaks, start: () => store.start(TOKEN) };
};

export const table = (columns: readonly string[], rows: readonly (readonly string[])[]): string =>
  `${tableText({ columns, rows })}\n`;

/** Runs a script of this folder in a process of its own. Returns the messages that it sends. */
export async function messagesFrom<T>(script: string, name: string, times: number): Promise<readonly T[]> {
  const child = fork(packageFile(`dist/bench/determinism/${script}.js`), [name, String(times)]);
  const messages: T[] = [];
  child.on('message', (message: T) => messages.push(message));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`${name}: the process ended with exit code ${code}`);
  return messages;
}
