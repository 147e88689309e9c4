import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { redactor } from '../lib/report/redact.ts';

/** Milliseconds between SIGTERM and SIGKILL. */
const GRACE_MS = 3000;
/** Characters of an unfinished line that are kept back. */
const MAX_LINE_CHARACTERS = 8 * 1024;

/**
 * Starts a store with a shell command and the token in its environment. Its output goes to standard error, without the
 * token.
 * @returns a function that stops the store and all of its children
 */
export function startCommand(command: string, token: string): () => Promise<void> {
  const child = spawn(command, {
    shell: true,
    // A process group of its own, so that the children of the shell are stopped with it.
    detached: process.platform !== 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PLANT_STORE_TOKEN: token },
  });
  const redact = redactor([token]);
  const outputs = [child.stdout, child.stderr];
  for (const stream of outputs) byLine(stream, (line) => process.stderr.write(redact(line)));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.once('error', () => {});
  const signal = (name: NodeJS.Signals) => {
    if (child.pid === undefined) return;
    try {
      process.kill(process.platform === 'win32' ? child.pid : -child.pid, name);
    } catch {
      // It has already ended.
    }
  };
  const kill = () => signal('SIGKILL');
  process.once('exit', kill);
  return async () => {
    signal('SIGTERM');
    await Promise.race([ended, sleep(GRACE_MS, undefined, { ref: false })]);
    kill();
    process.off('exit', kill);
    // A child that left the group may still hold the other end, which must not keep this process alive.
    for (const stream of outputs) stream.destroy();
  };
}

/** Passes on whole lines of a stream, as a token split between two chunks would not be found. */
function byLine(stream: Readable, write: (lines: string) => void): void {
  let unfinished = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    const all = unfinished + text;
    const end = all.length > MAX_LINE_CHARACTERS ? all.length : all.lastIndexOf('\n') + 1;
    unfinished = all.slice(end);
    if (end > 0) write(all.slice(0, end));
  });
  stream.on('end', () => write(unfinished));
  stream.on('error', () => {});
}
