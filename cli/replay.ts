import { Command } from 'commander';
import { loadOptions, type RunOptions, secretsOf } from '../index.ts';
import { compact } from '../lib/collections.ts';
import type { Target } from '../lib/config/config.ts';
import type { Flags } from '../lib/config/options.ts';
import { suggestion } from '../lib/nearest.ts';
import { renamingOf } from '../lib/renamed-ids.ts';
import { type ExplainedChecks, explainedChecks } from '../lib/report/baseline/deviations.ts';
import type { Answered, RecordedResult, RunRecord } from '../lib/report/record/record.ts';
import { sentAndReceived } from '../lib/report/record/record-exchange.ts';
import { Recorder } from '../lib/report/record/recorder.ts';
import { redactor } from '../lib/report/record/redact.ts';
import { replayOf } from '../lib/report/reproduce/replay.ts';
import { answerLine, requestLine, shownText } from '../lib/report/wording/format-text.ts';
import { estimate } from '../lib/run/plan/estimate.ts';
import type { Stop, Verdict } from '../lib/run/result/result.ts';
import { type LoadedOptions, runEvents } from '../lib/run/run.ts';
import { UsageError } from '../lib/usage-error.ts';
import { announce } from './announce.ts';
import { interruptible } from './interrupt.ts';
import { applyDefaults, baseUrlReader, settingsIn, withOptions } from './options.ts';
import { fixedText, type Retried, type Retry, retriedLine, retryOf } from './replay-causes.ts';
import { savedRecordOf } from './saved-record.ts';
import { type StartedStore, startedStore } from './started-store.ts';
import { print, setExitCode } from './streams.ts';
import { requireToken, resolveTargetOfRecord, tokenOf } from './target.ts';
import { listens, waitForStore } from './wait.ts';

type ReplayFlags = Flags<'connection' | 'target'>;

export function replayCommand(): Command {
  const command = new Command('replay')
    .argument('<report>', 'report.json of a run, or the name of a target for its last report')
    .argument('[cause-or-check]', 'number of a cause, or id of a failed check (default: all causes)')
    .argument(
      '[base-url]',
      'base URL of the store (default: that of --target, else the one in the report)',
      baseUrlReader,
    );
  return withOptions(command, ['connection', 'target'])
    .addHelpText(
      'after',
      `
If the requests that show a fault are not enough to judge it, its checks run
again. A fault that no experiment reproduced cannot be judged.
A store that is not running is started if its target says how.

Exit codes:
  0 fixed; 1 still failing; 2 usage error; 3 could not be judged

Examples:
  PLANT_STORE_TOKEN=secret plant-store-conformance replay reports/report.json
  plant-store-conformance replay reports/report.json 1
  plant-store-conformance replay reports/report.json invalid/rejects-null
  plant-store-conformance replay report.json 1 http://127.0.0.1:8080
  plant-store-conformance replay staging invalid/rejects-null`,
    )
    .action(
      async (
        report: string,
        named: string | undefined,
        url: string | undefined,
        _: ReplayFlags,
        self: Command,
      ) => {
        const isUrl = url === undefined && named !== undefined && /^https?:/i.test(named);
        const [what, given] = isUrl ? [undefined, named] : [named, url];
        const { file, record } = await savedRecordOf(report, self.opts<ReplayFlags>());
        const { config, target, baseUrl } = await resolveTargetOfRecord(record, given, self.opts());
        applyDefaults(self, config, target);
        const flags = self.opts<ReplayFlags>();
        const token = requireToken(tokenOf(flags.token, target), target);
        const { signal, release } = interruptible();
        const started = await startedStoreOf(target, baseUrl, token, signal);
        try {
          const store = { ...settingsIn(flags), baseUrl, token };
          setExitCode(await replay(record, file, what, store, signal));
        } finally {
          await started?.stop();
          release();
        }
      },
    );
}

/** The store of a target that says how to start it, unless it is already running. */
async function startedStoreOf(
  target: Target | undefined,
  baseUrl: string,
  token: string,
  signal: AbortSignal,
): Promise<StartedStore | undefined> {
  if (target?.start === undefined || target.baseUrl !== baseUrl || (await listens(baseUrl))) return undefined;
  const started = startedStore(target.start, token);
  await waitForStore(target, started, signal);
  return started;
}

async function replay(
  record: RunRecord,
  file: string,
  what: string | undefined,
  store: RunOptions,
  signal: AbortSignal,
): Promise<number> {
  const all = explainedChecks(record);
  const failed = what === undefined || /^\d+$/.test(what) ? undefined : failedIn(record, file, what);
  const causes =
    failed === undefined
      ? causesNamed(what, all, file)
      : all.filter(({ cause }) => cause.checks.includes(failed.id));
  const { seed, cases, thorough, concurrency } = record.options;
  const options = { ...store, seed, cases, thorough, concurrency };
  const loaded = await loadOptions({ ...options, explain: 0 });
  if (loaded.contract.document.sha256 !== record.document.sha256)
    throw new UsageError(
      `${file} was recorded with another document; give that document with --openapi, and its overlays with --overlay.`,
    );
  const retry = retryOf(causes, record, loaded);
  const secrets = secretsOf(options);
  return failed === undefined
    ? replayCauses(retry, record, secrets, signal)
    : replayCheck(failed, retry, loaded, record, secrets, signal);
}

function causesNamed(rank: string | undefined, causes: readonly ExplainedChecks[], file: string) {
  const named = causes.filter((one) => rank === undefined || one.rank === Number(rank));
  if (named.length > 0) return named;
  throw new UsageError(
    causes.length === 0
      ? `${file} has nothing to replay: no check failed.`
      : `${file} has no cause ${rank}; its ${causes.length === 1 ? 'only cause is 1' : `causes are numbered 1 to ${causes.length}`}.`,
  );
}

async function replayCauses(
  retry: Retry,
  record: RunRecord,
  secrets: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  announce(await estimate(retry.loaded), retry.loaded.baseUrl);
  print(`${line('target', shownText(retry.loaded.baseUrl, 200))}\n`);
  const verdicts: Retried['verdict'][] = [];
  const report = (one: Retried) => {
    verdicts.push(one.verdict);
    print(`\n${[retriedLine(one), ...answersOf(one, record)].join('\n')}\n`);
  };
  const stop = await retry.run(secrets, report, signal);
  return end(verdictOf(verdicts), compact(fixedText(verdicts), stop && because(stop)));
}

function verdictOf(verdicts: readonly Retried['verdict'][]): Verdict | undefined {
  if (verdicts.includes('still fails')) return 'fail';
  return verdicts.includes('not judged') ? undefined : 'pass';
}

function answersOf({ cause: { cause }, answer }: Retried, { startedAt }: RunRecord): readonly string[] {
  const { counterexample } = cause;
  if (answer === undefined || counterexample === undefined) return [];
  return [
    line('request', requestLine(counterexample.request)),
    line('before', `${answerLine(counterexample)}  ${startedAt}`),
    line('now', answerLine(answer)),
  ].map((text) => `   ${text}`);
}

async function replayCheck(
  result: RecordedResult,
  retry: Retry,
  loaded: LoadedOptions,
  record: RunRecord,
  secrets: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  const { id } = result;
  const [check] = loaded.catalogue.filter((one) => one.id === id);
  if (check === undefined)
    throw new UsageError(`Cannot replay ${id}: this version of the suite has no such check.`);
  const single = replayOf(result, check, record);
  if (single === undefined && check.test.kind === 'invariant')
    throw new UsageError(
      `Cannot replay ${id}: the record does not contain the whole request; run again with --seed ${record.options.seed}.`,
    );
  const redact = redactor(secrets);
  let last: Answered | undefined;
  const recorder = new Recorder(secrets);
  const onExchange: typeof loaded.onExchange = (exchange, template, during) => {
    if (during === id) last = sentAndReceived(exchange, template, loaded.baseUrl, redact);
  };
  const once = { ...loaded, onExchange, catalogue: [single ?? check] };
  const all = { ...loaded, catalogue: [...once.catalogue, ...retry.loaded.catalogue] };
  announce(await estimate(all), loaded.baseUrl);
  for await (const event of runEvents(once, signal)) recorder.add(event);
  const now = recorder.record();
  print(formatAnswers(result, now, single === undefined ? undefined : last, record));
  const verdicts: Retried['verdict'][] = [];
  const report = (one: Retried) => {
    verdicts.push(one.verdict);
    print(`${line('cause', retriedLine(one))}\n`);
  };
  if (now.stop === null) await retry.run(secrets, report);
  const verdict = now.results[0]?.verdict;
  return end(verdict === 'pass' ? verdictOf(verdicts) : verdict, compact(now.stop && because(now.stop)));
}

/** Prints the verdict, followed by `more`. Returns the exit code. */
function end(verdict: Verdict | undefined, more: readonly string[]): number {
  const words = verdict === 'pass' ? 'FIXED' : verdict === 'fail' ? 'STILL FAILING' : 'COULD NOT BE JUDGED';
  print(`\n${[words, more.join('; ')].filter(Boolean).join('  ')}\n`);
  return verdict === 'pass' ? 0 : verdict === 'fail' ? 1 : 3;
}

const because = ({ reason, remedy }: Stop): string => `${shownText(reason)}; ${remedy}`;

const line = (name: string, text: string): string => `${name.padEnd(9)} ${text}`;

function failedIn({ results }: RunRecord, file: string, id: string): RecordedResult {
  const result = results.find((one) => one.id === id);
  const failed = results.filter(({ verdict }) => verdict === 'fail').map((one) => one.id);
  if (result?.verdict === 'fail') return result;
  const others =
    failed.length === 0
      ? 'no check failed'
      : suggestion(id, failed, `the failed checks are ${failed.join(', ')}`);
  throw new UsageError(
    result === undefined
      ? (renamingOf(id) ?? `${file} has no check ${id}; ${others}`)
      : `${id} did not fail in ${file} (${result.verdict}); ${others}`,
  );
}

function formatAnswers(
  { id, level, statement, exchanges }: RecordedResult,
  { results: [now], target }: RunRecord,
  answer: Answered | undefined,
  earlier: RunRecord,
): string {
  const [before] = exchanges;
  const [after] = now?.exchanges ?? [];
  const shown = after ?? answer;
  const whole = `whole check: ${now?.failed ?? 0} of ${now?.cases ?? 0} cases failed`;
  const request = (answer === undefined ? after : undefined)?.request ?? before?.request;
  return `${compact(
    `${id}  ${level}  ${statement}`,
    line('target', shownText(target.baseUrl, 200)),
    request && before && line('request', requestLine(request)),
    before && line('expected', shownText(after?.expected ?? before.expected)),
    before && line('before', `${answerLine(before)}  ${earlier.startedAt}`),
    line('now', shown === undefined ? whole : answerLine(shown)),
    answer === undefined && shown !== undefined && line('', `(${whole})`),
  ).join('\n')}\n`;
}
