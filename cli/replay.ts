import { Command } from 'commander';
import { planOf, secretsOf } from '../index.ts';
import type { Flags } from '../lib/config/options.ts';
import { nearest } from '../lib/nearest.ts';
import { answerLine, requestLine, short } from '../lib/report/explain.ts';
import type { RecordedExchange, RecordedResult, RunRecord } from '../lib/report/record.ts';
import { sidesOf } from '../lib/report/recorded.ts';
import { Recorder } from '../lib/report/recorder.ts';
import { redactor } from '../lib/report/redact.ts';
import { replayOf } from '../lib/report/replay.ts';
import { readRecord } from '../lib/report/saved.ts';
import { estimate } from '../lib/run/estimate.ts';
import { events } from '../lib/run/run.ts';
import { UsageError } from '../lib/usage-error.ts';
import { announce } from './announce.ts';
import { settingsIn, withOptions } from './options.ts';

type Connection = Flags<'connection'>;

/** `replay`: a failure of a run, once more. */
export function replayCommand(exitWith: (code: number) => void): Command {
  const command = new Command('replay')
    .description('Sends the request that a check failed on again, and shows the answers of then and now.')
    .argument('<report>', 'the report.json of a run')
    .argument('<id>', 'the check, such as auth/rejects-missing-token')
    .argument('[base-url]', 'the store (default: the one of the report)');
  return withOptions(command, ['connection'])
    .addHelpText(
      'after',
      `
Where one request does not show the failure, the whole check is carried out again.

Exit codes:
  0 mended, 1 still failing, 2 the call is wrong, 3 could not be judged

Examples:
  PLANT_STORE_TOKEN=secret plant-store-conformance replay reports/report.json refuse/null
  PLANT_STORE_TOKEN=secret plant-store-conformance replay report.json create/answers-200 http://127.0.0.1:8080`,
    )
    .action(async (file: string, id: string, baseUrl: string | undefined, flags: Connection) => {
      exitWith(await replay(readRecord(file), file, id, baseUrl, flags));
    });
}

async function replay(
  record: RunRecord,
  file: string,
  id: string,
  given: string | undefined,
  flags: Connection,
): Promise<number> {
  const result = failedIn(record, file, id);
  const token = flags.token ?? process.env.PLANT_STORE_TOKEN;
  if (token === undefined || token === '')
    throw new UsageError(
      'There is no token: set PLANT_STORE_TOKEN to one that the store takes, or give --token.',
    );
  const { seed, cases, thorough, concurrency } = record.options;
  const baseUrl = given ?? record.target.baseUrl;
  const options = { ...settingsIn(flags), baseUrl, token, seed, cases, thorough, concurrency };
  const plan = await planOf({ ...options, only: [id] });
  if (plan.contract.document.sha256 !== record.document.sha256)
    throw new UsageError(
      `${file} was made with another document; give it with --openapi, and what was applied to it with --overlay.`,
    );
  const [check] = plan.catalogue.filter((one) => one.id === id);
  if (check === undefined) throw new UsageError(`This suite has no check ${id}.`);
  const alone = replayOf(result, check, record);
  if (alone === undefined && check.test.kind === 'standing')
    throw new UsageError(
      `${id} failed on a request that the record does not hold whole; run again with --seed ${seed}.`,
    );
  const redact = redactor(secretsOf(options));
  let last: Pick<RecordedExchange, 'response' | 'fault' | 'ms'> | undefined;
  const recorder = new Recorder(secretsOf(options));
  const onExchange: typeof plan.onExchange = (exchange, draft, during) => {
    if (during === id) last = sidesOf(exchange, draft, plan.baseUrl, redact);
  };
  const once = { ...plan, onExchange, catalogue: [alone ?? check] };
  announce(await estimate(once), plan.baseUrl);
  for await (const event of events(once)) recorder.take(event);
  const now = recorder.record();
  process.stdout.write(told(result, now, alone === undefined ? undefined : last, record));
  const verdict = now.results[0]?.verdict;
  return verdict === 'pass' ? 0 : verdict === 'fail' ? 1 : 3;
}

function failedIn({ results }: RunRecord, file: string, id: string): RecordedResult {
  const result = results.find((one) => one.id === id);
  const failed = results.filter(({ verdict }) => verdict === 'fail').map((one) => one.id);
  if (result?.verdict === 'fail') return result;
  const close = nearest(id, failed);
  const others =
    close === undefined ? `what failed is ${failed.join(', ') || 'nothing'}` : `did you mean ${close}?`;
  throw new UsageError(
    result === undefined
      ? `${file} has no check ${id}; ${others}`
      : `${id} did not fail in ${file} (${result.verdict}); ${others}`,
  );
}

/** Then and now, one under the other. */
function told(
  { id, level, statement, exchanges }: RecordedResult,
  { results: [now], stop, target }: RunRecord,
  answer: Pick<RecordedExchange, 'response' | 'fault' | 'ms'> | undefined,
  then: RunRecord,
): string {
  const [before] = exchanges;
  const [after] = now?.exchanges ?? [];
  const shown = after ?? answer;
  const verdict =
    now?.verdict === 'pass' ? 'MENDED' : now?.verdict === 'fail' ? 'STILL FAILING' : 'COULD NOT BE JUDGED';
  const line = (name: string, text: string) => `${name.padEnd(9)} ${text}`;
  return `${[
    `${id}  ${level}  ${statement}`,
    line('target', short(target.baseUrl, 200)),
    ...(before === undefined
      ? []
      : [
          line('request', requestLine((answer === undefined ? after : undefined)?.request ?? before.request)),
          line('expected', short(after?.expected ?? before.expected)),
          line('then', `${answerLine(before)}  ${then.startedAt}`),
        ]),
    line(
      'now',
      shown === undefined
        ? `${now?.cases ?? 0} requests of the whole check, ${now?.failed ?? 0} failed`
        : answerLine(shown),
    ),
    ...(answer === undefined && shown !== undefined
      ? [line('', `(the whole check again: ${now?.failed ?? 0} of ${now?.cases ?? 0} failed)`)]
      : []),
    '',
    stop === null ? verdict : `${verdict}  ${short(stop.reason)}; ${stop.remedy}`,
  ].join('\n')}\n`;
}
