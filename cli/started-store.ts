import { spawn } from 'node:child_process';
import { createWriteStream, type WriteStream } from 'node:fs';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { suite } from '../lib/package.ts';
import { redactor } from '../lib/report/record/redact.ts';
import { shownText } from '../lib/report/wording/format-text.ts';
import type { Stop } from '../lib/run/result/result.ts';
import { counted } from '../lib/text.ts';
import { TOKEN_VARIABLE } from '../lib/token-variable.ts';

/** Milliseconds between SIGTERM and SIGKILL. */
const GRACE_MS = 3000;
/** Maximum number of characters of an unfinished line that are held back. */
const MAX_LINE_CHARACTERS = 8 * 1024;
/** Lines of output that are shown if the store ends: enough for a stack trace and the error above it. */
const TAIL_LINES = 20;

export type StartedStore = ReturnType<typeof startedStore>;

/**
 * Runs a store by a shell command, with the token in its environment. `log` is the file for its output,
 * without the token; by default only the end of the output is kept.
 */
export function startedStore(command: string, token: string, log?: string) {
  const redact = redactor([token]);
  const called = `\`${shownText(redact(command), 100)}\``;
  const file = log === undefined ? undefined : writerOf(log);
  let tail: readonly string[] = [];
  const spawned = (how: string) => {
    file?.write(`${suite.name} ${suite.version} ${how} ${called}\n`);
    tail = [];
    return storeProcess(command, token, (lines) => {
      const text = redact(lines);
      file?.write(text);
      tail = [...tail, ...text.replace(/\n$/, '').split('\n')].slice(-TAIL_LINES);
    });
  };
  let current = spawned('started');
  let deaths = 0;
  /** How the store ended for the first time, and the end of its output. */
  let firstDeath: { readonly how: string; readonly tail: readonly string[] } | undefined;
  /** Whether the run ended because the store could not be reached. */
  let isLost = false;
  return {
    hasEnded: () => current.hasEnded(),
    async startAgain(): Promise<void> {
      deaths += 1;
      await current.stop();
      firstDeath ??= { how: current.state(), tail };
      current = spawned('started again');
    },
    /** Adds the state of the start command to the reason if a run stops because the store is unreachable. */
    describeStop(stop: Stop): Stop {
      if (stop.kind !== 'unreachable' && stop.kind !== 'gone') return stop;
      isLost = true;
      const output = log === undefined ? 'keep its output with --out DIR' : `its output is in ${log}`;
      const before = firstDeath === undefined ? '' : `${firstDeath.how}, was restarted, and `;
      const ending = `${called} ${before}${current.state()}`;
      const reason = `${ending}; ${stop.reason}`;
      if (stop.kind === 'gone') return { ...stop, reason, remedy: `${stop.remedy}; ${output}` };
      // If the process has ended, how it ended explains why nothing listens.
      if (current.hasEnded()) return { ...stop, reason: ending, remedy: `${current.remedy()}; ${output}` };
      return { ...stop, reason, remedy: `check that it listens on this port, or raise --wait; ${output}` };
    },
    /** What the store printed before it died or could not be reached; empty if neither happened. */
    epilogue(): string {
      if (firstDeath !== undefined) {
        const times = deaths === 1 ? '' : `died ${counted(deaths, 'time')}; at first, it `;
        const now = current.hasEnded() ? `restarted, it ${current.state()}\n` : '';
        return `${called} ${times}${withOutput(firstDeath.how, firstDeath.tail)}${now}`;
      }
      return isLost || current.hasFailed() ? `${called} ${withOutput(current.state(), tail)}` : '';
    },
    async stop(): Promise<void> {
      await current.stop();
      file?.end();
    },
  };
}

function withOutput(how: string, tail: readonly string[]): string {
  const lines = tail.map((line) => `  ${shownText(stripVTControlCharacters(line), 200)}\n`);
  return `${how}, ${lines.length === 0 ? 'without any output' : 'and its output ended with'}\n${lines.join('')}`;
}

/** @param onOutput called with complete lines of its output */
function storeProcess(command: string, token: string, onOutput: (lines: string) => void) {
  const began = performance.now();
  const child = spawn(command, {
    shell: true,
    // In its own process group, so that the children of the shell are stopped with it.
    detached: process.platform !== 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, [TOKEN_VARIABLE]: token },
  });
  for (const stream of [child.stdout, child.stderr]) byLine(stream, onOutput);
  let end: { readonly how: string; readonly failed: boolean; readonly signal?: string } | undefined;
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
          : { how: `was terminated by ${by} ${after}`, failed: true, signal: by };
      resolve();
    });
  });
  const send = (signal: NodeJS.Signals | 0): boolean => {
    const { pid } = child;
    if (pid === undefined) return false;
    try {
      return process.kill(process.platform === 'win32' ? pid : -pid, signal);
    } catch {
      // The process has already ended.
      return false;
    }
  };
  const kill = () => void send('SIGKILL');
  process.once('exit', kill);
  /** Whether the whole process group has ended: a store in the background outlives the shell that started it. */
  const hasEnded = () => end !== undefined && !send(0);
  return {
    hasEnded,
    hasFailed: () => hasEnded() && end?.failed === true,
    state: () => end?.how ?? 'is still running',
    /** What to do about a process that ended before the store could be reached. */
    remedy: () => (end?.signal === undefined ? 'correct the command' : `find out what sent ${end.signal}`),
    async stop(): Promise<void> {
      send('SIGTERM');
      await Promise.race([ended, sleep(GRACE_MS, undefined, { ref: false })]);
      kill();
      process.off('exit', kill);
      // A child that left the group may still hold the other end of a stream, which must not keep this
      // process alive.
      for (const stream of [child.stdout, child.stderr]) stream.destroy();
    },
  };
}

function signalOf(code: number | null): string | undefined {
  const signal = Object.entries(constants.signals).find(([, number]) => number === (code ?? 0) - 128);
  return signal?.[0];
}

/** Writes to a file. If that fails, warns once and stops writing. */
function writerOf(path: string): WriteStream {
  const file = createWriteStream(path);
  return file.once('error', ({ message }) => {
    process.stderr.write(`warning: cannot write the output of the store to ${path}: ${message}\n`);
  });
}

/** Passes on only complete lines: a token that is split between two chunks would not be found. */
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
