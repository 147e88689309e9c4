import { Command } from 'commander';
import { planOf, type RunOptions, secretsOf } from '../index.ts';
import type { Flags } from '../lib/config/options.ts';
import { nearest } from '../lib/nearest.ts';
import { renamingOf } from '../lib/renamed-ids.ts';
import type { RecordedExchange, RecordedResult, RunRecord } from '../lib/report/record.ts';
import { sentAndReceived } from '../lib/report/recorded.ts';
import { Recorder } from '../lib/report/recorder.ts';
import { redactor } from '../lib/report/redact.ts';
import { replayOf } from '../lib/report/replay.ts';
import { answerLine, requestLine, summarise } from '../lib/report/text.ts';
import { estimate } from '../lib/run/estimate.ts';
import { events } from '../lib/run/run.ts';
import { UsageError } from '../lib/usage-error.ts';
import { announce } from './announce.ts';
import { settingsIn, withOptions } from './options.ts';
import { settle } from './settle.ts';
import { chooseAgain, recordOf, required, tokenOf } from './target.ts';

type ReplayFlags = Flags<'connection' | 'target'>;

/** `replay`: reproduces a failure of a run. */
export function replayCommand(exitWith: (code: number) => void): Command {
  const command = new Command('replay')
    .description('Sends the request of a failure again and shows both responses.')
    .argument('<report>', 'report.json of a run, or the name of a target, for its last one')
    .argument('<id>', 'the failed check, such as auth/rejects-missing-token')
    .argument('[base-url]', 'base URL of the store (default: that of --target, else the one in the report)');
  return withOptions(command, ['connection', 'target'])
    .addHelpText(
      'after',
      `
If a single request does not show the failure, the whole check runs again.

Exit codes:
  0 fixed; 1 still failing; 2 usage error; 3 could not be judged

Examples:
  PLANT_STORE_TOKEN=secret plant-store-conformance replay reports/report.json invalid/rejects-null
  PLANT_STORE_TOKEN=secret plant-store-conformance replay report.json ordinary/answers-200 http://127.0.0.1:8080
  STAGING_TOKEN=secret plant-store-conformance replay staging invalid/rejects-null`,
    )
    .action(async (report: string, id: string, given: string | undefined, _: ReplayFlags, self: Command) => {
      const { file, record } = recordOf(report, self.opts<ReplayFlags>());
      const { config, target, baseUrl } = chooseAgain(record, given, self.opts<ReplayFlags>());
      settle(self, process.env, config, target);
      const flags = self.opts<ReplayFlags>();
      const token = required(tokenOf(flags.token, target, process.env));
      exitWith(await replay(record, file, id, { ...settingsIn(flags), baseUrl, token }));
    });
}

async function replay(record: RunRecord, file: string, id: string, store: RunOptions): Promise<number> {
  const result = failedIn(record, file, id);
  const { seed, cases, thorough, concurrency } = record.options;
  const options = { ...store, seed, cases, thorough, concurrency };
  const plan = await planOf({ ...options, only: [id], explain: 0 });
  if (plan.contract.document.sha256 !== record.document.sha256)
    throw new UsageError(
      `${file} was recorded with another document; give that document with --openapi, and its overlays with --overlay.`,
    );
  const [check] = plan.catalogue.filter((one) => one.id === id);
  if (check === undefined)
    throw new UsageError(`Cannot replay ${id}: this version of the suite has no such check.`);
  const single = replayOf(result, check, record);
  if (single === undefined && check.test.kind === 'invariant')
    throw new UsageError(
      `Cannot replay ${id}: the record does not contain the whole request; run again with --seed ${seed}.`,
    );
  const redact = redactor(secretsOf(options));
  let last: Pick<RecordedExchange, 'response' | 'fault' | 'ms'> | undefined;
  const recorder = new Recorder(secretsOf(options));
  const onExchange: typeof plan.onExchange = (exchange, template, during) => {
    if (during === id) last = sentAndReceived(exchange, template, plan.baseUrl, redact);
  };
  const once = { ...plan, onExchange, catalogue: [single ?? check] };
  announce(await estimate(once), plan.baseUrl);
  for await (const event of events(once)) recorder.take(event);
  const now = recorder.record();
  process.stdout.write(formatAnswers(result, now, single === undefined ? undefined : last, record));
  const verdict = now.results[0]?.verdict;
  return verdict === 'pass' ? 0 : verdict === 'fail' ? 1 : 3;
}

function failedIn({ results }: RunRecord, file: string, id: string): RecordedResult {
  const result = results.find((one) => one.id === id);
  const failed = results.filter(({ verdict }) => verdict === 'fail').map((one) => one.id);
  if (result?.verdict === 'fail') return result;
  const close = nearest(id, failed);
  const others =
    failed.length === 0
      ? 'no check failed'
      : close === undefined
        ? `the failed checks are ${failed.join(', ')}`
        : `did you mean ${close}?`;
  throw new UsageError(
    result === undefined
      ? (renamingOf(id) ?? `${file} has no check ${id}; ${others}`)
      : `${id} did not fail in ${file} (${result.verdict}); ${others}`,
  );
}

/** Both responses, one below the other. */
function formatAnswers(
  { id, level, statement, exchanges }: RecordedResult,
  { results: [now], stop, target }: RunRecord,
  answer: Pick<RecordedExchange, 'response' | 'fault' | 'ms'> | undefined,
  earlier: RunRecord,
): string {
  const [before] = exchanges;
  const [after] = now?.exchanges ?? [];
  const shown = after ?? answer;
  const verdict =
    now?.verdict === 'pass' ? 'FIXED' : now?.verdict === 'fail' ? 'STILL FAILING' : 'COULD NOT BE JUDGED';
  const line = (name: string, text: string) => `${name.padEnd(9)} ${text}`;
  return `${[
    `${id}  ${level}  ${statement}`,
    line('target', summarise(target.baseUrl, 200)),
    ...(before === undefined
      ? []
      : [
          line('request', requestLine((answer === undefined ? after : undefined)?.request ?? before.request)),
          line('expected', summarise(after?.expected ?? before.expected)),
          line('before', `${answerLine(before)}  ${earlier.startedAt}`),
        ]),
    line(
      'now',
      shown === undefined
        ? `whole check: ${now?.failed ?? 0} of ${now?.cases ?? 0} cases failed`
        : answerLine(shown),
    ),
    ...(answer === undefined && shown !== undefined
      ? [line('', `(whole check: ${now?.failed ?? 0} of ${now?.cases ?? 0} cases failed)`)]
      : []),
    '',
    stop === null ? verdict : `${verdict}  ${summarise(stop.reason)}; ${stop.remedy}`,
  ].join('\n')}\n`;
}
