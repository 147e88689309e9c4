import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** What became of a command. */
export interface Measured {
  /** null where it had to be stopped. */
  readonly code: number | null;
  readonly seconds: number;
  /** The most memory that it and its children held at once, in bytes; undefined where there is no /proc. */
  readonly peak: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Seconds after which it is stopped with all of its children. */
  readonly patience: number;
}

/** Milliseconds between two looks at the memory. */
const BETWEEN_LOOKS = 20;

/** Runs a command to its end and measures it, its children included. */
export function measured(
  file: string,
  args: readonly string[],
  { cwd, env = {}, patience }: CommandOptions,
): Promise<Measured> {
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    // A group of its own, to be stopped as a whole.
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
        // It has ended already.
      }
    };
    const memory = new Memory(child.pid ?? 0);
    const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    const looking = setInterval(() => memory.look(), BETWEEN_LOOKS);
    const waiting = setTimeout(stop, patience * 1000);
    process.once('exit', stop);
    const settle = () => {
      clearInterval(looking);
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
        seconds: (performance.now() - begun) / 1000,
        peak: memory.peak,
        stdout: Buffer.concat(stdout).toString(),
        stderr: Buffer.concat(stderr).toString(),
      });
    });
  });
}

/** The memory of a process and of all that descend from it, looked at from time to time. */
class Memory {
  peak: number | undefined;
  private readonly root: number;

  constructor(root: number) {
    this.root = root;
  }

  look(): void {
    let [together, highest] = [0, 0];
    for (const pid of this.family()) {
      const status = read(`/proc/${pid}/status`);
      together += kibibytes(status, 'VmRSS');
      // What one process held at most is kept by the system, however seldom we look.
      highest = Math.max(highest, kibibytes(status, 'VmHWM'));
    }
    const most = Math.max(together, highest) * 1024;
    if (most > 0) this.peak = Math.max(this.peak ?? 0, most);
  }

  /** Children are listed by the threads that made them. */
  private family(): ReadonlySet<number> {
    const living = new Set<number>();
    const visit = (pid: number) => {
      living.add(pid);
      for (const thread of list(`/proc/${pid}/task`))
        for (const child of read(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean))
          visit(Number(child));
    };
    visit(this.root);
    return living;
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
