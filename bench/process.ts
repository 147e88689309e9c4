import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { packageFile } from '../lib/package.ts';

/** The outcome of a command. */
export interface Measured {
  /** Null if the process had to be stopped. */
  readonly code: number | null;
  readonly seconds: number;
  /** Peak memory of the process and all of its children together, in bytes; undefined without /proc. */
  readonly peak: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Seconds after which the command and all its children are stopped. */
  readonly maxSeconds: number;
}

/** Milliseconds between two samples of memory use. */
const SAMPLE_INTERVAL_MS = 20;

/** Runs a command, and measures it together with its child processes. */
export function measured(
  file: string,
  args: readonly string[],
  { cwd, env = {}, maxSeconds }: CommandOptions,
): Promise<Measured> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    // In its own process group, so that all processes can be stopped together.
    const child = spawn(file, args, {
      cwd,
      env: { ...process.env, ...env },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const stop = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // The process has already ended.
      }
    };
    const memory = new Memory(child.pid ?? 0);
    const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    const sampling = setInterval(() => memory.sample(), SAMPLE_INTERVAL_MS);
    const waiting = setTimeout(stop, maxSeconds * 1000);
    process.once('exit', stop);
    const settle = () => {
      clearInterval(sampling);
      clearTimeout(waiting);
      process.off('exit', stop);
    };
    child.once('error', (error) => {
      settle();
      reject(error);
    });
    child.once('close', (code) => {
      settle();
      resolve({
        code,
        seconds: (performance.now() - startedAt) / 1000,
        peak: memory.peak,
        stdout: Buffer.concat(stdout).toString(),
        stderr: Buffer.concat(stderr).toString(),
      });
    });
  });
}

/** Measures a run of the suite from the command line. */
export const measuredRun = (token: string, args: readonly string[], maxSeconds: number): Promise<Measured> =>
  measured(process.execPath, [packageFile('dist/cli/main.js'), 'run', ...args], {
    cwd: packageFile('.'),
    env: { PLANT_STORE_TOKEN: token },
    maxSeconds,
  });

/** Samples the memory of a process and all its descendants. */
class Memory {
  peak: number | undefined;
  private readonly root: number;

  constructor(root: number) {
    this.root = root;
  }

  sample(): void {
    let [together, highest] = [0, 0];
    for (const pid of this.descendants()) {
      const status = read(`/proc/${pid}/status`);
      together += kibibytes(status, 'VmRSS');
      // The system records the peak of a single process, however rarely we sample.
      highest = Math.max(highest, kibibytes(status, 'VmHWM'));
    }
    const most = Math.max(together, highest) * 1024;
    if (most > 0) this.peak = Math.max(this.peak ?? 0, most);
  }

  /** Child processes are listed for each thread that created them. */
  private descendants(): ReadonlySet<number> {
    const found = new Set<number>();
    const visit = (pid: number) => {
      found.add(pid);
      for (const thread of list(`/proc/${pid}/task`))
        for (const child of read(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean))
          visit(Number(child));
    };
    visit(this.root);
    return found;
  }
}

const kibibytes = (status: string, field: string): number =>
  Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0);

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
