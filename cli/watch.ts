import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { DocumentError } from '../index.ts';
import { openCauses } from '../lib/report/baseline/deviations.ts';
import { diffOf } from '../lib/report/diff.ts';
import { MAX_ROWS } from '../lib/report/formats/terminal.ts';
import type { RunRecord } from '../lib/report/record/record.ts';
import { visible } from '../lib/report/wording/format-text.ts';
import type { LoadedOptions } from '../lib/run/run.ts';
import { UsageError } from '../lib/usage-error.ts';
import { onChanges } from './file-watcher.ts';
import { interruptible } from './interrupt.ts';
import { fixedText, type Retried, retriedLine, retryOf } from './replay-causes.ts';
import { paint, screenRows } from './streams.ts';
import { listens, POLL_INTERVAL_MS } from './wait.ts';

export type RunOnce = (around: WatchContext) => Promise<RunResult>;

/** The record of a run and, if its store failed, the end of the store's output. */
export interface RunResult {
  readonly record: RunRecord;
  readonly epilogue: string;
  /** The number of rows that the announcement of the run takes on the screen of the report. */
  readonly announced: number;
}

/** Shows the report of a run in at most so many rows, and writes it to files. */
export type Publish = (attempted: RunResult, rows: number) => Promise<void>;

export interface WatchContext {
  readonly signal: AbortSignal;
  /** Collects what to do once the store is no longer needed. */
  readonly closing: (() => Promise<void>)[];
  /** What to do before the checks, as soon as the store listens. */
  readonly before?: (loaded: LoadedOptions, secrets: readonly string[]) => Promise<void>;
}

interface Trigger {
  readonly why: string;
  readonly since: number;
}

const MAX_SHOWN = 3;

/**
 * Runs again when a file changes (if the run starts the store), the store is back, or Enter is pressed; ends
 * with q or an interrupt. The run itself writes to the folder `unwatched`.
 */
export async function watch(
  attempt: RunOnce,
  publish: Publish,
  { start, unwatched }: { readonly start: string | undefined; readonly unwatched: string | undefined },
): Promise<void> {
  const interrupted = interruptible();
  const quit = new AbortController();
  const closing: WatchContext['closing'] = [];
  let again: (why: string, since?: number) => void = () => {};
  const releases = [
    onKeys(
      () => again('Enter'),
      () => quit.abort(),
    ),
    ...(start === undefined
      ? []
      : [onChanges(process.cwd(), unwatched, (file, since) => again(`${file} changed`, since))]),
    interrupted.release,
  ];
  const close = async () => {
    for (const one of closing.splice(0).reverse()) await one();
  };
  try {
    let trigger: Trigger | undefined;
    let last: RunRecord | undefined;
    for (;;) {
      const changed = new AbortController();
      again = (why, since = performance.now()) => changed.abort({ why, since } satisfies Trigger);
      const signal = AbortSignal.any([interrupted.signal, quit.signal, changed.signal]);
      await close();
      const attempted = await round(attempt, { signal, closing }, trigger, last);
      const record = attempted?.record;
      if (!signal.aborted) {
        if (attempted !== undefined) await show(attempted, last, publish);
        process.stdout.write(paint()('dim', `\n${invitation(start)}\n`));
        if (start === undefined && record !== undefined) void untilItReturns(record, signal, again);
        if (!signal.aborted) await once(signal, 'abort');
        // If the store could not be judged, keep the previous record, since it is unknown which causes are
        // left.
        if (record !== undefined && (record.stop === null || record.causes.length > 0)) last = record;
      }
      // Until a run is complete, causes that an incomplete one has found are better than none.
      else if (record !== undefined && record.causes.length > 0) last ??= record;
      if (!changed.signal.aborted) return;
      trigger = changed.signal.reason as Trigger;
    }
  } finally {
    for (const release of releases) release();
    await close();
  }
}

/** Includes the empty row before it. The row after it, with the cursor, counts as one of the epilogue. */
const ROWS_OF_INVITATION = 2;

const invitation = (start: string | undefined): string =>
  `Runs again when ${start === undefined ? 'the store restarts' : 'a file changes'}, or on Enter; q quits.`;

/** Undefined if the run could not begin, for example because its files are being edited. */
async function round(
  attempt: RunOnce,
  around: WatchContext,
  trigger: Trigger | undefined,
  last: RunRecord | undefined,
): Promise<RunResult | undefined> {
  if (trigger === undefined) return attempt(around);
  clear();
  process.stdout.write(`${new Date().toTimeString().slice(0, 8)}  ${visible(trigger.why)}\n`);
  const causes = last === undefined ? [] : openCauses(last);
  const before: WatchContext['before'] = async (loaded, secrets) => {
    if (last === undefined || causes.length === 0) return;
    const verdicts: Retried['verdict'][] = [];
    const report = (one: Retried) => {
      if (around.signal.aborted) return;
      verdicts.push(one.verdict);
      process.stdout.write(`${paint()(COLOURS[one.verdict], retriedLine(one))}\n`);
    };
    await retryOf(causes, last, loaded).run(secrets, report, around.signal);
    around.signal.throwIfAborted();
    const seconds = ((performance.now() - trigger.since) / 1000).toFixed(1);
    process.stdout.write(`${fixedText(verdicts)}, after ${seconds} s; now all checks\n`);
  };
  try {
    return await attempt({ ...around, before });
  } catch (error) {
    if (around.signal.aborted) return undefined;
    if (!(error instanceof UsageError || error instanceof DocumentError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return undefined;
  }
}

const COLOURS = { fixed: 'green', 'still fails': 'red', 'not judged': 'magenta' } as const;

async function show(attempted: RunResult, last: RunRecord | undefined, publish: Publish): Promise<void> {
  const { record, epilogue } = attempted;
  const shown = last === undefined ? [] : sinceLast(record, last);
  const taken = epilogue.split('\n').length + shown.length + ROWS_OF_INVITATION;
  clear();
  await publish(attempted, Math.min(MAX_ROWS, (screenRows() ?? Number.POSITIVE_INFINITY) - taken));
  for (const line of shown) process.stdout.write(`${line}\n`);
}

/** Says which causes of the last run are fixed or, if the store could not be judged, which are still open. */
function sinceLast(record: RunRecord, last: RunRecord): readonly string[] {
  const lines = (label: string, causes: readonly { readonly title: string }[]) =>
    causes.slice(0, MAX_SHOWN).map(({ title }) => `${label} ${visible(title)}`);
  if (record.stop === null) return lines(paint()('green', 'Fixed:'), diffOf(last, record).causes.fixed);
  const open = record.causes.length > 0 ? [] : openCauses(last).map(({ cause }) => cause);
  return lines(paint()('red', 'Before:'), open);
}

function clear(): void {
  process.stdout.write(process.stdout.isTTY ? '\u001b[2J\u001b[H' : '\n');
}

/** Calls `again` when the store has stopped listening and then listens again. */
async function untilItReturns(
  { target }: RunRecord,
  signal: AbortSignal,
  again: (why: string) => void,
): Promise<void> {
  for (let wasDown = false; !signal.aborted; await sleep(POLL_INTERVAL_MS)) {
    const isUp = await listens(target.baseUrl);
    if (isUp && wasDown) again('the store is back');
    wasDown = !isUp;
  }
}

/** In raw mode, Ctrl-C and Ctrl-D arrive as characters. */
const ENDING = ['q', 'Q', '\u0003', '\u0004'];

/** Reads keys: immediately on a terminal, otherwise line by line. Returns a function that stops reading. */
function onKeys(again: () => void, end: () => void): () => void {
  const { stdin } = process;
  const read = (keys: Buffer) => {
    const text = String(keys);
    if (ENDING.some((key) => text.includes(key))) end();
    else if (/[\r\n]/.test(text)) again();
  };
  if (stdin.isTTY) stdin.setRawMode(true);
  stdin.on('data', read);
  return () => {
    stdin.off('data', read);
    if (stdin.isTTY) stdin.setRawMode(false);
    stdin.pause();
  };
}
