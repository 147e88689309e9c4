import { parentPort, workerData } from 'node:worker_threads';
import { type RunOptions, run } from '../index.ts';
import { INTERRUPT, type JobMessage } from './jobs.ts';
import { progressOf } from './progress.ts';

/* The entry point of a job's thread. */

const interrupted = new AbortController();
parentPort?.on('message', (message: unknown) => {
  if (message === INTERRUPT) interrupted.abort();
});
const post = (message: JobMessage) => parentPort?.postMessage(message);

const running = run(workerData as RunOptions, interrupted.signal);
for await (const event of running) {
  const progress = progressOf(event);
  if (progress !== undefined) post({ event: progress });
}
post({ record: await running.record });
parentPort?.close();
