import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';

/**
 * Distributes names over processes, two for each processor, since much time is spent waiting for stores that
 * hang.
 */
export async function inProcesses<T>(
  file: string,
  names: readonly string[],
  args: readonly string[],
): Promise<T[]> {
  const waiting = [...names];
  const done: T[] = [];
  const one = (child: ChildProcess) =>
    new Promise<void>((resolve, reject) => {
      child.on('message', (result: T | null) => {
        if (result !== null) done.push(result);
        child.send(waiting.shift() ?? '');
      });
      child.once('exit', (code) =>
        code === 0 ? resolve() : reject(new Error(`a process ended with exit code ${code}`)),
      );
    });
  await Promise.all(Array.from({ length: availableParallelism() * 2 }, () => one(fork(file, args))));
  return done;
}

/**
 * Runs in a child process: does the work for each name that the parent process sends, one after the other.
 */
export async function workFor<T>(work: (name: string) => Promise<T> | undefined): Promise<never> {
  await new Promise<void>((resolve) => {
    process.on('message', (name: string) => {
      const result = work(name);
      if (result === undefined) {
        resolve();
        return;
      }
      result.then(
        (done) => process.send?.(done),
        (error: unknown) => {
          throw error;
        },
      );
    });
    // The parent process is gone.
    process.once('disconnect', () => process.exit());
    process.send?.(null);
  });
  process.exit();
}
