import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { redactor } from '../lib/report/redact.ts';

/** Milliseconds that a store has for ending by itself. */
const GRACE = 3000;
/** Characters of a line that are waited for. */
const LINE = 8 * 1024;

/**
 * Starts a store with a shell command, the token in its environment, and gives back what stops it again
 * with all of its children. What it prints goes to standard error, without the token.
 */
export function startCommand(command: string, token: string): () => Promise<void> {
  const child = spawn(command, {
    shell: true,
    // A group of its own: the shell's children are stopped with it.
    detached: process.platform !== 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PLANT_STORE_TOKEN: token },
  });
  const redact = redactor([token]);
  const said = [child.stdout, child.stderr];
  for (const stream of said) byLine(stream, (line) => process.stderr.write(redact(line)));
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
    // Whoever left the group and still holds the other end does not hold this process.
    for (const stream of said) stream.destroy();
  };
}

/** Hands on what a stream says, whole lines at a time: a token is not looked for in halves of a line. */
function byLine(stream: Readable, write: (lines: string) => void): void {
  let begun = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    const all = begun + text;
    const end = all.length > LINE ? all.length : all.lastIndexOf('\n') + 1;
    begun = all.slice(end);
    if (end > 0) write(all.slice(0, end));
  });
  stream.on('end', () => write(begun));
  stream.on('error', () => {});
}
