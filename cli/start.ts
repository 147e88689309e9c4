import { spawn } from 'node:child_process';
import { createWriteStream, type WriteStream } from 'node:fs';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { suite } from '../lib/package.ts';
import { redactor } from '../lib/report/record/redact.ts';
import { truncate } from '../lib/report/wording/format-text.ts';
import type { Stop } from '../lib/run/result/result.ts';
import { TOKEN_VARIABLE } from '../lib/token-variable.ts';

/** Milliseconds between SIGTERM and SIGKILL. */
const GRACE_MS = 3000;
/** Characters of an unfinished line that are kept back. */
const MAX_LINE_CHARACTERS = 8 * 1024;
/** Lines of the output that are shown if the store does not start or ends: a stack trace and the error above it. */
const TAIL_LINES = 20;

export interface StartedStore {
  /** Whether no process of the command is left. */
  hasEnded(): boolean;
  /** If a run stops because the store is unreachable, adds the state of the start command to the reason. */
  explainStop(stop: Stop): Stop;
  /** The end of the output of a store that could not be reached or that failed; empty for any other. */
  epilogue(): string;
  /** Stops the store and all of its children. */
  stop(): Promise<void>;
}

/**
 * Starts a store with a shell command and the token in its environment.
 * @param log the file for its output, in which the token is redacted; without one, only the end of the output is kept
 */
export function startCommand(command: string, token: string, log?: string): StartedStore {
  const child = spawn(command, {
    shell: true,
    // A process group of its own, so that the children of the shell are stopped with it.
    detached: process.platform !== 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, [TOKEN_VARIABLE]: token },
  });
  const began = performance.now();
  const redact = redactor([token]);
  const called = `\`${truncate(redact(command), 100)}\``;
  const file = log === undefined ? undefined : writerOf(log);
  file?.write(`${suite.name} ${suite.version} started ${called}\n`);
  let tail: readonly string[] = [];
  const outputs = [child.stdout, child.stderr];
  for (const stream of outputs)
    byLine(stream, (lines) => {
      const text = redact(lines);
      file?.write(text);
      tail = [...tail, ...text.replace(/\n$/, '').split('\n')].slice(-TAIL_LINES);
    });

  let isLost = false;
  let end: { readonly how: string; readonly failed: boolean } | undefined;
  const ended = new Promise<void>((resolve) => {
    child.once('error', ({ message }) => {
      end ??= { how: `could not be started: ${message}`, failed: true };
      resolve();
    });
    child.once('exit', (code, signal) => {
      const after = `after ${((performance.now() - began) / 1000).toFixed(1)} s`;
      const by = signal ?? signalOf(code);
      end =
        by === undefined
          ? { how: `ended with exit code ${code} ${after}`, failed: code !== 0 }
          : { how: `was ended by ${by} ${after}`, failed: true };
      resolve();
    });
  });
  const signal = (name: NodeJS.Signals | 0): boolean => {
    if (child.pid === undefined) return false;
    try {
      return process.kill(process.platform === 'win32' ? child.pid : -child.pid, name);
    } catch {
      // It has already ended.
      return false;
    }
  };
  const kill = () => void signal('SIGKILL');
  process.once('exit', kill);
  // A store in the background outlives the shell that started it, in the same group.
  const hasEnded = () => end !== undefined && !signal(0);
  const output = log === undefined ? 'keep its output with --out DIR' : `its output is in ${log}`;
  return {
    hasEnded,
    explainStop(stop) {
      if (stop.kind !== 'unreachable' && stop.kind !== 'gone') return stop;
      isLost = true;
      const reason = `${called} ${end?.how ?? 'is still running'}; ${stop.reason}`;
      if (stop.kind === 'gone') return { ...stop, reason, remedy: `${stop.remedy}; ${output}` };
      const what = hasEnded() ? 'correct the command' : 'check that it listens on this port, or raise --wait';
      return { ...stop, reason, remedy: `${what}; ${output}` };
    },
    epilogue() {
      if (!isLost && !(hasEnded() && end?.failed === true)) return '';
      const lines = tail.map((line) => `  ${truncate(stripVTControlCharacters(line), 200)}\n`);
      return `${called} ${end?.how ?? 'is still running'}, ${lines.length === 0 ? 'without any output' : 'and its output ends with'}\n${lines.join('')}`;
    },
    async stop() {
      signal('SIGTERM');
      await Promise.race([ended, sleep(GRACE_MS, undefined, { ref: false })]);
      kill();
      process.off('exit', kill);
      // A child that left the group may still hold the other end, which must not keep this process alive.
      for (const stream of outputs) stream.destroy();
      file?.end();
    },
  };
}

/** The signal that a shell reports in the exit code of a command. */
function signalOf(code: number | null): string | undefined {
  const found = Object.entries(constants.signals).find(([, number]) => number === (code ?? 0) - 128);
  return found?.[0];
}

/** Writes to a file until that fails, of which it warns once. */
function writerOf(path: string): WriteStream {
  const file = createWriteStream(path);
  return file.once('error', ({ message }) => {
    process.stderr.write(`warning: cannot write the output of the store to ${path}: ${message}\n`);
  });
}

/** Passes on whole lines of a stream, as a token split between two chunks would not be found. */
function byLine(stream: Readable, write: (lines: string) => void): void {
  let unfinished = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    const all = unfinished + text;
    const lineEnd = all.lastIndexOf('\n') + 1;
    const end = all.length - lineEnd > MAX_LINE_CHARACTERS ? all.length : lineEnd;
    unfinished = all.slice(end);
    if (end > 0) write(all.slice(0, end));
  });
  stream.on('end', () => {
    if (unfinished !== '') write(unfinished);
  });
  stream.on('error', () => {});
}
