import { randomBytes } from 'node:crypto';
import { Command } from 'commander';
import { planOf, type RunOptions, secretsOf } from '../index.ts';
import type { RunRecord } from '../lib/report/record.ts';
import { Recorder } from '../lib/report/recorder.ts';
import { terminalReport } from '../lib/report/terminal.ts';
import { events } from '../lib/run/run.ts';
import { UsageError } from '../lib/usage-error.ts';
import { startStore } from '../reference/store.ts';
import { FORMATS, type Format, formats, writeReports } from './output.ts';
import { progress } from './progress.ts';
import { startCommand } from './start.ts';
import { count, each, header, id, positive, rate, seed } from './values.ts';
import { waitUntilItListens } from './wait.ts';

interface Flags extends Omit<RunOptions, 'baseUrl' | 'token' | 'overlays' | 'headers'> {
  readonly token?: string;
  readonly overlay?: string[];
  readonly header?: [string, string][];
  readonly start?: string;
  readonly wait?: number;
  readonly out?: string;
  readonly format?: Format[];
}

/** `run`: everything against one store. */
export function runCommand(exitWith: (code: number) => void): Command {
  return new Command('run')
    .description('Runs the checks against a store; without a base URL, against the reference store.')
    .argument('[base-url]', 'what stands before /plants, such as http://127.0.0.1:8080')
    .option('--token <token>', 'the bearer token that the store takes; better: $PLANT_STORE_TOKEN')
    .option('--strict', 'a failed SHOULD makes the run nonconformant')
    .option('--only <glob>', 'carry out these checks alone, such as "auth/*"; may be repeated', each)
    .option('--skip <glob>', 'leave these checks out; may be repeated', each)
    .option('--cases <n>', 'random cases of a generated check (default: 120)', count)
    .option('--seed <n>', 'what random payloads follow from (default: another in each run)', seed)
    .option('--first-id <n>', 'the first id to send (default: anywhere below 2^31)', id)
    .option('--concurrency <n>', 'requests at a time (default: 24)', count)
    .option('--rate <n/s>', 'requests a second at most (default: as many as go)', rate)
    .option('--timeout <ms>', 'for a connection, and for a whole answer (default: 15000)', count)
    .option('--max-seconds <n>', 'cut the run off after this long', positive)
    .option('--openapi <file>', "an OpenAPI 3.1 document in the place of the suite's own")
    .option('--overlay <file>', 'an OpenAPI Overlay 1.0 file to apply to it; may be repeated', each)
    .option('--start <command>', 'start the store with this command, and stop it at the end')
    .option(
      '--wait <s>',
      'wait this long for the store to listen (default: 30 with --start, else 0)',
      positive,
    )
    .option('--header <header>', "a header for every request, 'Name: value'; may be repeated", header)
    .option('--ca <file>', "PEM certificates to trust beside the system's")
    .option('--insecure', 'trust any certificate')
    .option('--out <dir>', 'write reports into this folder; - writes one to standard output')
    .option('--format <list>', `what to write: ${FORMATS.join(', ')} (default: json)`, formats)
    .addHelpText(
      'after',
      `
Exit codes:
  0 conformant, 1 not conformant, 2 the call is wrong, 3 could not be judged, 4 fault of the suite

Examples:
  plant-store-conformance run
  PLANT_STORE_TOKEN=secret plant-store-conformance run http://127.0.0.1:8080
  plant-store-conformance run http://127.0.0.1:8080 --start 'node server.js' --out reports
  plant-store-conformance run http://127.0.0.1:8080 --only 'auth/*' --seed 7 --first-id 1000`,
    )
    .action(async (baseUrl: string | undefined, flags: Flags) => {
      exitWith(await runAgainst(baseUrl, flags));
    });
}

async function runAgainst(baseUrl: string | undefined, flags: Flags): Promise<number> {
  const { overlay, header: headers, start, wait, out, format, ...options } = flags;
  const closing: (() => Promise<void>)[] = [];
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort();
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  try {
    const target = { ...options, overlays: overlay, headers, ...(await targetOf(baseUrl, flags, closing)) };
    const plan = await planOf(target);
    if (start !== undefined) {
      closing.push(startCommand(start, target.token));
    }
    const patience = wait ?? (start === undefined ? 0 : 30);
    if (patience > 0) await waitUntilItListens(plan.baseUrl, patience, interrupted.signal);
    const recorder = new Recorder(secretsOf(target));
    const show = progress(process.stderr);
    for await (const event of events(plan, interrupted.signal)) {
      recorder.take(event);
      show(event);
    }
    const record = recorder.record();
    await writeReports(record, format, out);
    if (out !== '-')
      process.stdout.write(terminalReport(record, process.stdout.isTTY === true && !process.env.NO_COLOR));
    return interrupted.signal.aborted ? 3 : exitCode(record);
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
    for (const close of closing.reverse()) await close();
  }
}

/** The store to run against, which may have to be started first. */
async function targetOf(
  baseUrl: string | undefined,
  { token, start }: Flags,
  closing: (() => Promise<void>)[],
): Promise<{ baseUrl: string; token: string; name?: string }> {
  const given = token ?? process.env.PLANT_STORE_TOKEN;
  if (baseUrl !== undefined) {
    if (given === undefined) {
      throw new UsageError(
        'There is no token: set PLANT_STORE_TOKEN to one that the store takes, or give --token.',
      );
    }
    return { baseUrl, token: given };
  }
  if (start !== undefined) throw new UsageError('--start needs the base URL at which the store will listen.');
  const store = await startStore({ token: given ?? randomBytes(18).toString('base64url') });
  closing.push(() => store.stop());
  return { baseUrl: store.url, token: store.token, name: 'the reference store' };
}

const exitCode = ({ outcome }: RunRecord): number =>
  ({ conformant: 0, nonconformant: 1, undetermined: 3 })[outcome];
