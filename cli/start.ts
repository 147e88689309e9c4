import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds that a store has for ending by itself. */
const GRACE = 3000;

/**
 * Starts a store with a shell command, the token in its environment, and gives back what stops it again
 * with all of its children. What it prints goes to standard error.
 */
export function startCommand(command: string, token: string): () => Promise<void> {
  const child = spawn(command, {
    shell: true,
    // A group of its own: the shell's children are stopped with it.
    detached: process.platform !== 'win32',
    stdio: ['ignore', process.stderr, process.stderr],
    env: { ...process.env, PLANT_STORE_TOKEN: token },
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.once('error', () => {});
  const signal = (name: NodeJS.Signals) => {
    if (child.pid === undefined) return;
    try {
      process.kill(process.platform === 'win32' ? child.pid : -child.pid, name);
    } catch {
      // It has ended already.
    }
  };
  const last = () => signal('SIGKILL');
  process.once('exit', last);
  return async () => {
    signal('SIGTERM');
    await Promise.race([ended, sleep(GRACE, undefined, { ref: false })]);
    last();
    process.off('exit', last);
  };
}
