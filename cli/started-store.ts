import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createWriteStream, type WriteStream } from 'node:fs';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { suite } from '../lib/package.ts';
import { type Redact, redactor } from '../lib/report/record/redact.ts';
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

/** A store that is run by a shell command, with the token in its environment. */
export class StartedStore {
  /** Whether the run ended because the store could not be reached. */
  private isLost = false;
  private tail: readonly string[] = [];
  private deaths = 0;
  /** How the store ended for the first time, and the end of its output. */
  private firstDeath: { readonly how: string; readonly tail: readonly string[] } | undefined;
  private readonly called: string;
  private readonly file: WriteStream | undefined;
  private readonly redact: Redact;
  private process: StoreProcess;
  private readonly command: string;
  private readonly token: string;
  private readonly log: string | undefined;

  /** `log` is the file for its output, without the token; by default only the end of the output is kept. */
  constructor(command: string, token: string, log?: string) {
    this.command = command;
    this.token = token;
    this.log = log;
    this.redact = redactor([token]);
    this.called = `\`${shownText(this.redact(command), 100)}\``;
    this.file = log === undefined ? undefined : writerOf(log);
    this.process = this.spawned('started');
  }

  hasEnded(): boolean {
    return this.process.hasEnded();
  }

  async startAgain(): Promise<void> {
    this.deaths += 1;
    await this.process.stop();
    this.firstDeath ??= { how: this.process.state, tail: this.tail };
    this.process = this.spawned('started again');
  }

  /** Adds the state of the start command to the reason if a run stops because the store is unreachable. */
  describeStop(stop: Stop): Stop {
    if (stop.kind !== 'unreachable' && stop.kind !== 'gone') return stop;
    this.isLost = true;
    const output = this.log === undefined ? 'keep its output with --out DIR' : `its output is in ${this.log}`;
    const before = this.firstDeath === undefined ? '' : `${this.firstDeath.how}, was restarted, and `;
    const ending = `${this.called} ${before}${this.process.state}`;
    const reason = `${ending}; ${stop.reason}`;
    if (stop.kind === 'gone') return { ...stop, reason, remedy: `${stop.remedy}; ${output}` };
    // If the process has ended, obviously nothing listens.
    if (this.hasEnded()) return { ...stop, reason: ending, remedy: `${this.process.remedy}; ${output}` };
    return { ...stop, reason, remedy: `check that it listens on this port, or raise --wait; ${output}` };
  }

  /** What the store printed before it died or could not be reached; otherwise empty. */
  epilogue(): string {
    const { state } = this.process;
    if (this.firstDeath !== undefined) {
      const { how, tail } = this.firstDeath;
      const times = this.deaths === 1 ? '' : `died ${counted(this.deaths, 'time')}; at first, it `;
      return `${this.called} ${times}${withOutput(how, tail)}${this.hasEnded() ? `restarted, it ${state}\n` : ''}`;
    }
    return this.isLost || this.process.hasFailed() ? `${this.called} ${withOutput(state, this.tail)}` : '';
  }

  async stop(): Promise<void> {
    await this.process.stop();
    this.file?.end();
  }

  private spawned(how: string): StoreProcess {
    this.file?.write(`${suite.name} ${suite.version} ${how} ${this.called}\n`);
    this.tail = [];
    return new StoreProcess(this.command, this.token, (lines) => {
      const text = this.redact(lines);
      this.file?.write(text);
      this.tail = [...this.tail, ...text.replace(/\n$/, '').split('\n')].slice(-TAIL_LINES);
    });
  }
}

function withOutput(how: string, tail: readonly string[]): string {
  const lines = tail.map((line) => `  ${shownText(stripVTControlCharacters(line), 200)}\n`);
  return `${how}, ${lines.length === 0 ? 'without any output' : 'and its output ended with'}\n${lines.join('')}`;
}

class StoreProcess {
  private readonly child: ChildProcessByStdio<null, Readable, Readable>;
  private readonly ended: Promise<void>;
  private end: { readonly how: string; readonly failed: boolean; readonly signal?: string } | undefined;
  private readonly kill = () => void this.signal('SIGKILL');

  /** @param onOutput called with complete lines of its output */
  constructor(command: string, token: string, onOutput: (lines: string) => void) {
    const began = performance.now();
    const child = spawn(command, {
      shell: true,
      // In its own process group, so that the children of the shell are stopped with it.
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, [TOKEN_VARIABLE]: token },
    });
    this.child = child;
    for (const stream of [child.stdout, child.stderr]) byLine(stream, onOutput);
    this.ended = new Promise<void>((resolve) => {
      child.once('error', ({ message }) => {
        this.end ??= { how: `could not be started: ${message}`, failed: true };
        resolve();
      });
      child.once('exit', (code, signal) => {
        const after = `after ${((performance.now() - began) / 1000).toFixed(1)} s`;
        const by = signal ?? signalOf(code);
        this.end =
          by === undefined
            ? { how: `ended with exit code ${code} ${after}`, failed: code !== 0 }
            : { how: `was terminated by ${by} ${after}`, failed: true, signal: by };
        resolve();
      });
    });
    process.once('exit', this.kill);
  }

  /** Whether the whole process group has ended: a store in the background outlives the shell that started it. */
  hasEnded(): boolean {
    return this.end !== undefined && !this.signal(0);
  }

  hasFailed(): boolean {
    return this.hasEnded() && this.end?.failed === true;
  }

  get state(): string {
    return this.end?.how ?? 'is still running';
  }

  /** What to do about a process that ended before the store could be reached. */
  get remedy(): string {
    const { signal } = this.end ?? {};
    return signal === undefined ? 'correct the command' : `find out what sent ${signal}`;
  }

  async stop(): Promise<void> {
    this.signal('SIGTERM');
    await Promise.race([this.ended, sleep(GRACE_MS, undefined, { ref: false })]);
    this.kill();
    process.off('exit', this.kill);
    // A child that left the group may still hold the other end of a stream, which must not keep this process
    // alive.
    for (const stream of [this.child.stdout, this.child.stderr]) stream.destroy();
  }

  private signal(name: NodeJS.Signals | 0): boolean {
    const { pid } = this.child;
    if (pid === undefined) return false;
    try {
      return process.kill(process.platform === 'win32' ? pid : -pid, name);
    } catch {
      // The process has already ended.
      return false;
    }
  }
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
