import { randomInt } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import type { RunOptions } from '../index.ts';
import { sum } from '../lib/collections.ts';
import { packageFile } from '../lib/package.ts';
import { mergeOf } from '../lib/report/record/merge.ts';
import type { RunRecord } from '../lib/report/record/record.ts';
import { DEFAULTS } from '../lib/run/defaults.ts';
import { firstIdFor } from '../lib/run/plan/ids.ts';
import type { LoadedOptions } from '../lib/run/run.ts';
import { flagOf } from '../lib/text.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { ProgressEvent } from './progress.ts';

/* A job is a thread that runs one shard. */

export type JobMessage = { readonly event: ProgressEvent } | { readonly record: RunRecord };

export const INTERRUPT = 'interrupt';

const SHARED = ['concurrency', 'rate', 'maxRequests'] as const;

interface Job {
  readonly worker: Worker;
  requests: number;
  ended: number;
}

/** Runs each shard in its own thread. @throws UsageError if a limit is too low to be shared */
export async function runJobs(
  options: RunOptions,
  { contract }: Pick<LoadedOptions, 'contract'>,
  count: number,
  show: (event: ProgressEvent) => void,
  signal: AbortSignal,
): Promise<RunRecord> {
  const limits = {
    ...options,
    concurrency: options.concurrency ?? DEFAULTS.concurrency,
    // All shards need the same seed and first id, since the content of the run follows from these.
    seed: options.seed ?? randomInt(2 ** 31),
    firstId: options.firstId ?? firstIdFor(contract),
  };
  const tooLow = SHARED.find((name) => (limits[name] ?? count) < count);
  if (tooLow !== undefined)
    throw new UsageError(
      `${flagOf(tooLow)} ${limits[tooLow]} is too low to be shared by --jobs ${count}; use fewer jobs.`,
    );
  const jobs = Array.from({ length: count }, (_, index): Job => {
    const shares = SHARED.map((name) => [name, shareOf(limits[name], index, count)]);
    const workerData = { ...limits, ...Object.fromEntries(shares), shard: { index, of: count } };
    return { worker: new Worker(packageFile('dist/cli/job.js'), { workerData }), requests: 0, ended: 0 };
  });
  const interrupt = () => {
    for (const { worker } of jobs) worker.postMessage(INTERRUPT);
  };
  signal.addEventListener('abort', interrupt, { once: true });
  if (signal.aborted) interrupt();
  const showAll = together(jobs, show);
  try {
    const records = await Promise.all(jobs.map((job) => recordOf(job, (event) => showAll(job, event))));
    show({ type: 'end' });
    const merged = mergeOf(records.map((record, index) => ({ file: `job ${index + 1}`, record })));
    const { concurrency, rate = null, maxRequests = null } = limits;
    return { ...merged, options: { ...merged.options, concurrency, rate, maxRequests } };
  } finally {
    signal.removeEventListener('abort', interrupt);
    await Promise.all(jobs.map(({ worker }) => worker.terminate()));
  }
}

function shareOf(limit: number | undefined, index: number, count: number): number | undefined {
  if (limit === undefined) return undefined;
  return Number.isInteger(limit)
    ? Math.floor(limit / count) + (index < limit % count ? 1 : 0)
    : limit / count;
}

const recordOf = ({ worker }: Job, listen: (event: ProgressEvent) => void): Promise<RunRecord> =>
  new Promise((resolve, reject) => {
    worker.on('message', (message: JobMessage) =>
      'record' in message ? resolve(message.record) : listen(message.event),
    );
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`a job ended with code ${code}, without a record`)));
  });

function together(
  jobs: readonly Job[],
  show: (event: ProgressEvent) => void,
): (job: Job, event: ProgressEvent) => void {
  const ended = () => Math.min(...jobs.map((job) => job.ended));
  return (job, event) => {
    if (event.type === 'progress') {
      job.requests = event.requests;
      show({ ...event, requests: sum(jobs, ({ requests }) => requests) });
    } else if (event.type === 'result') {
      // A check has ended when all of its shards have.
      const before = ended();
      job.ended += 1;
      if (ended() > before) show(event);
    } else if (event.type === 'failure' || (event.type === 'start' && job === jobs[0])) show(event);
  };
}
