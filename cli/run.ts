import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { knownDeviations, loadOptions, secretsOf } from '../index.ts';
import { compact } from '../lib/collections.ts';
import type { Flags as AllFlags, Group } from '../lib/config/options.ts';
import { ciResultOf } from '../lib/report/baseline/ci-result.ts';
import { FORMATS } from '../lib/report/formats/formats.ts';
import { MAX_ROWS, quietReport, terminalReport } from '../lib/report/formats/terminal.ts';
import type { Baseline, RunRecord } from '../lib/report/record/record.ts';
import { sentAndReceived } from '../lib/report/record/record-exchange.ts';
import { Recorder } from '../lib/report/record/recorder.ts';
import { type Redact, redactor } from '../lib/report/record/redact.ts';
import { answerLine, requestLine } from '../lib/report/wording/format-text.ts';
import { estimate, storedEstimates } from '../lib/run/plan/estimate.ts';
import type { Estimate } from '../lib/run/plan/typical-estimates.ts';
import { START_STORE } from '../lib/run/preflight/unreachable-reason.ts';
import type { Stop } from '../lib/run/result/result.ts';
import { cutShort } from '../lib/run/result/verdict.ts';
import { type LoadedOptions, runEvents } from '../lib/run/run.ts';
import { counted, flagOf } from '../lib/text.ts';
import { UsageError } from '../lib/usage-error.ts';
import { startStore } from '../reference/store.ts';
import { announce, warn } from './announce.ts';
import { reportToGitHub } from './github.ts';
import { interruptible } from './interrupt.ts';
import { applyDefaults, baseUrlReader, settingsIn, withOptions } from './options.ts';
import {
  type Destination,
  destinationOf,
  filesOf,
  logBeside,
  requireFolder,
  writeAtomically,
  writeReports,
} from './output.ts';
import { type ProgressEvent, progress, progressOf } from './progress.ts';
import { startedStore } from './started-store.ts';
import { columns, setExitCode, wantsColour } from './streams.ts';
import { type ResolvedTarget, requireToken, resolveTarget, tokenOf } from './target.ts';
import { keptAlive, requireFree, waitForStore } from './wait.ts';
import { type Publish, type RunOnce, type RunResult, type WatchContext, watch } from './watch.ts';

type Flags = AllFlags<Group>;

export function runCommand(): Command {
  const command = new Command('run').argument(
    '[base-url]',
    'base URL of the store, without /plants, such as http://127.0.0.1:8080',
    baseUrlReader,
  );
  return withOptions(command, ['connection', 'sampling', 'reports', 'run', 'target'])
    .addOption(new Option('--no-explain', 'the same as --explain 0').preset(0))
    .addHelpText(
      'after',
      `
Options that are not on the command line are read from the environment
(PLANT_STORE_SEED for --seed, PLANT_STORE_URL for the base URL), then from the
configuration file.

Exit codes:
  0 conformant, or all selected checks passed
  1 not conformant, or the baseline is out of date
  2 usage error, or nothing left to judge
  3 could not be judged
  4 internal error of the suite

Examples:
  plant-store-conformance run
  PLANT_STORE_TOKEN=secret plant-store-conformance run http://127.0.0.1:8080
  plant-store-conformance run http://127.0.0.1:8080 --format json,html
  plant-store-conformance run http://127.0.0.1:8080 --start 'node server.js'
  plant-store-conformance http://127.0.0.1:8080 --start 'node server.js' --watch
  plant-store-conformance run http://127.0.0.1:8080 --only auth --seed 7
  plant-store-conformance run http://127.0.0.1:8080 --baseline baseline.yaml
  plant-store-conformance run --target staging`,
    )
    .action(async (given: string | undefined, _flags: Flags, self: Command) => {
      const choice = await resolveTarget(given, self.opts<Flags>());
      applyDefaults(self, choice.config, choice.target);
      const flags = self.opts<Flags>();
      const token = tokenOf(flags.token, choice.target);
      if (flags.watch && (flags.out === '-' || flags.writeBaseline !== undefined))
        throw new UsageError(
          `--watch cannot be combined with ${flags.out === '-' ? '--out -, since it writes to standard output itself' : '--write-baseline, since it runs many times'}.`,
        );
      requireJobs(flags);
      const destination = destinationOf(flags, FORMATS);
      const log = flags.start === undefined ? undefined : logBeside(destination, 'store', flags);
      const attempt = await prepareRuns(choice, token, log, flags);
      const publish: Publish = (attempted, rows) => report(attempted, destination, flags, rows, log);
      if (flags.watch) await watch(attempt, publish, { start: flags.start, unwatched: destination?.out });
      else setExitCode(await once(attempt, publish));
    });
}

const NOT_IN_JOBS = ['bail', 'shard', 'start', 'verbose', 'watch'] as const;

function requireJobs(flags: Flags): void {
  const other = NOT_IN_JOBS.find((name) => flags[name] !== undefined && flags[name] !== false);
  if (other !== undefined && (flags.jobs ?? 1) > 1)
    throw new UsageError(`--jobs cannot be combined with ${flagOf(other)}; leave out one of them.`);
}

async function once(attempt: RunOnce, publish: Publish): Promise<number> {
  const interrupted = interruptible();
  const closing: WatchContext['closing'] = [];
  try {
    const attempted = await attempt({ signal: interrupted.signal, closing });
    // One more row is for the prompt of the shell.
    await publish(attempted, attempted.announced === 0 ? MAX_ROWS : MAX_ROWS - attempted.announced - 1);
    return interrupted.signal.aborted ? 3 : attempted.record.ciResult.exitCode;
  } finally {
    for (const close of closing.reverse()) await close();
    interrupted.release();
  }
}

/** `log` is the file for the output of a store that the run starts. */
async function prepareRuns(
  { baseUrl, target: named }: ResolvedTarget,
  given: string | undefined,
  log: string | undefined,
  flags: Flags,
): Promise<RunOnce> {
  const { start, wait, quiet, verbose, writeBaseline, jobs = 1 } = flags;
  const baseline = baselineIn(flags);
  const earlier = await earlierOf(flags, baseline);
  let expected: Estimate | undefined;
  let announced = 0;
  return async ({ signal, closing, before }) => {
    const target = await storeOf(baseUrl, given, start, closing);
    const about = { name: named?.name, tokenEnv: named?.tokenEnv };
    const options = { ...settingsIn(flags), baseline, ...about, ...target };
    const planned = await loadOptions(options);
    const known = await knownDeviations(options);
    // Only now, so that a missing token hides no other mistake.
    if (baseUrl !== undefined) requireToken(given, named);
    const secrets = secretsOf(options);
    warn(planned.contract.document.warnings);
    if (!quiet && expected === undefined) {
      expected = await estimate(planned, storedEstimates(planned.contract));
      announced = announce(expected, planned.baseUrl);
    }
    if (start !== undefined) await requireFree(planned.baseUrl);
    const started = start === undefined ? undefined : startedStore(start, target.token, log);
    if (started !== undefined) closing.push(() => started.stop());
    const store = { baseUrl: planned.baseUrl, wait };
    await waitForStore(store, started, signal);
    const loaded = {
      ...planned,
      ...(started === undefined ? { describeStop: withStartOption } : keptAlive(started, store, signal)),
    };
    await before?.(loaded, secrets);
    const show = expected === undefined || verbose ? () => {} : progress(process.stderr, expected.requests);
    const onExchange = verbose ? trace(loaded.baseUrl, redactor(secrets)) : undefined;
    const record =
      jobs === 1
        ? await recordRun({ ...loaded, onExchange }, new Recorder(secrets, known), show, signal)
        : await (await import('./jobs.ts')).runJobs(options, loaded, jobs, show, signal);
    return {
      record: writeBaseline === undefined ? record : await withBaseline(record, writeBaseline, earlier),
      epilogue: started?.epilogue() ?? '',
      announced,
    };
  };
}

const withStartOption = (stop: Stop): Stop =>
  stop.remedy === START_STORE
    ? { ...stop, remedy: `${START_STORE}, or let --start CMD start it and --wait S wait for it` }
    : stop;

async function recordRun(
  loaded: LoadedOptions,
  recorder: Recorder,
  show: (event: ProgressEvent) => void,
  signal: AbortSignal,
): Promise<RunRecord> {
  for await (const event of runEvents(loaded, signal)) {
    recorder.add(event);
    const shown = progressOf(event);
    if (shown !== undefined) show(shown);
  }
  return recorder.record();
}

async function report(
  { record, epilogue }: RunResult,
  destination: Destination<RunRecord> | undefined,
  { quiet, verbose }: Flags,
  rows: number,
  log: string | undefined,
): Promise<void> {
  process.stderr.write(epilogue);
  // Printed first, so that the findings are visible even if files cannot be written.
  if (destination?.out !== '-') {
    const colour = wantsColour();
    const layout = { verbose, columns: columns(), rows, files: compact(...filesOf(destination), log) };
    process.stdout.write(
      quiet ? quietReport(record, colour, columns()) : terminalReport(record, colour, layout),
    );
  }
  await writeReports(record, destination);
  reportToGitHub(record);
}

const MAX_TRACED_CHARACTERS = 160;

const trace =
  (baseUrl: string, redact: Redact): LoadedOptions['onExchange'] =>
  (exchange, template, during) => {
    const messages = sentAndReceived(exchange, template, baseUrl, redact);
    const request = requestLine(messages.request, { maxCharacters: MAX_TRACED_CHARACTERS });
    const answer = answerLine(messages, MAX_TRACED_CHARACTERS);
    process.stderr.write(`${during}  ${request} -> ${answer}\n`);
  };

/** Stands for a missing token until `requireToken` reports it. */
const MISSING = 'missing';

/** The store to test. Without a base URL, starts the reference store. */
async function storeOf(
  baseUrl: string | undefined,
  token: string | undefined,
  start: string | undefined,
  closing: (() => Promise<void>)[],
): Promise<{ baseUrl: string; token: string; name?: string }> {
  if (baseUrl !== undefined) return { baseUrl, token: token ?? MISSING };
  if (start !== undefined)
    throw new UsageError(
      '--start needs the base URL at which the store will listen; give it as the argument of run.',
    );
  const store = await startStore({ token: token ?? randomBytes(18).toString('base64url') });
  closing.push(() => store.stop());
  return { baseUrl: store.url, token: store.token, name: 'the reference store' };
}

/** The baseline to read; undefined for a file that this run will write and that does not exist yet. */
function baselineIn({ baseline, writeBaseline }: Flags): string | undefined {
  if (baseline === undefined || writeBaseline === undefined) return baseline;
  const isToBeWritten = resolve(baseline) === resolve(writeBaseline) && !existsSync(baseline);
  return isToBeWritten ? undefined : baseline;
}

/** The baseline from which the new one keeps entries and reasons. */
async function earlierOf(
  { writeBaseline }: Flags,
  baseline: string | undefined,
): Promise<Baseline | undefined> {
  if (writeBaseline === undefined) return undefined;
  requireFolder(dirname(writeBaseline));
  return knownDeviations({ baseline: existsSync(writeBaseline) ? writeBaseline : baseline });
}

/** Writes the failures to a file as known deviations, which then determine the CI result. */
async function withBaseline(
  record: RunRecord,
  file: string,
  earlier: Baseline | undefined,
): Promise<RunRecord> {
  const problem = whyNotWritten(record, earlier);
  if (problem !== undefined) {
    process.stderr.write(`${file} was not written: ${problem}.\n`);
    return record;
  }
  const { entriesFor } = await import('../lib/config/baseline.ts');
  const { baselineText } = await import('../lib/config/baseline-text.ts');
  const kept = entriesFor(record, earlier);
  const replaced = earlier && { baseline: earlier, text: readFileSync(earlier.file, 'utf8') };
  writeAtomically(file, baselineText(kept, record, file, replaced));
  process.stderr.write(
    `${file} lists ${counted(kept.length, 'entry', 'entries')}; replace each TODO with a reason.\n`,
  );
  return { ...record, ciResult: ciResultOf(record, await knownDeviations({ baseline: file })) };
}

function whyNotWritten(
  { outcome, stop, results, options }: RunRecord,
  earlier: Baseline | undefined,
): string | undefined {
  if (outcome === 'undetermined' || cutShort(stop, results))
    return 'the store could not be judged completely. Fix what stopped the run, then try again';
  const isPartial = results.some(({ blockedBy }) => blockedBy === 'user' || blockedBy === 'shard');
  if (earlier === undefined || !isPartial) return undefined;
  // The file has only one seed, and would keep the entries of checks that did not run.
  const { seed, cases, thorough = false } = earlier;
  if (seed === options.seed && cases === options.cases && thorough === (options.thorough ?? false))
    return undefined;
  const recorded =
    seed === undefined
      ? 'an unknown seed'
      : `--seed ${seed} --cases ${cases}${thorough ? ' --thorough' : ''}`;
  return `this run excluded checks whose entries were recorded with ${recorded}. Use the same options, or run all checks`;
}
