import { groupBy } from '../groups.ts';
import type { Summary } from '../run/verdict.ts';
import { confidenceOfAll } from './confidence.ts';
import { coverageOfAll } from './coverage.ts';
import { knownBy, newFirst, novelty, unjudged, whyKnown } from './deviations.ts';
import { documentName } from './document.ts';
import { groupsOf } from './groups.ts';
import { headlineOf, loudly } from './headline.ts';
import type { RecordedResult, RunRecord } from './record.ts';
import {
  coloured,
  createdText,
  formatFailure,
  type Paint,
  plain,
  resentText,
  summarise,
  waitedText,
} from './text.ts';

/** Only the verdict. Ends with a line feed. */
export const verdictLines = (record: RunRecord, colour: boolean): string =>
  `${[verdict(record, colour ? coloured : plain), ...ciResultLines(record, colour ? coloured : plain)].join('\n').trimStart()}\n`;

/** The report of a run for a terminal. Ends with a line feed. */
export function terminalReport(record: RunRecord, colour: boolean): string {
  const paint = colour ? coloured : plain;
  const { results } = record;
  const failing = results.filter(({ verdict: one }) => one === 'fail');
  const known = failing.filter((result) => knownBy(result, record).length > 0);
  const failed = (level: string) =>
    failing
      .filter((result) => result.level === level && !known.includes(result))
      .map((result) => newFirst(result, record));
  return [
    head(record, paint),
    ...failures('MUST', failed('MUST'), record, paint),
    ...untestable(results, paint),
    ...failures('SHOULD', failed('SHOULD'), record, paint),
    ...deviations(known, record, paint),
    ...observed(record, paint),
    ...generated(record, paint),
    verdict(record, paint),
    ...ciResultLines(record, paint),
    '',
  ].join('\n');
}

function head(record: RunRecord, paint: Paint): string {
  const { suite, target, document, options, requests, seconds, created } = record;
  const server = target.server === null ? '' : `  (${summarise(target.server, 60)})`;
  return [
    `${paint('bold', `${suite.name} ${suite.version}`)}`,
    `target    ${target.name === target.baseUrl ? '' : `${summarise(target.name, 60)}  `}${summarise(target.baseUrl, 200)}${server}`,
    `document  ${documentName(document, (file) => summarise(file, 200))}, version ${summarise(document.version, 40)}, sha256 ${document.sha256.slice(0, 12)}`,
    ...(document.warnings ?? []).map((warning) => `          ${summarise(warning, 400)}`),
    `run       --seed ${options.seed} --first-id ${options.firstId} --cases ${options.cases}${options.thorough === true ? ' --thorough' : ''}${options.shard === null ? '' : ` --shard ${options.shard}`}; ${requests} requests in ${seconds.toFixed(1)} s${waitedText(record)}${resentText(record)}, ${createdText(created)}`,
  ].join('\n');
}

function failures(
  level: 'MUST' | 'SHOULD',
  failed: readonly RecordedResult[],
  record: RunRecord,
  paint: Paint,
): string[] {
  if (failed.length === 0) return [];
  const groups = groupsOf(failed);
  const title = level === 'MUST' ? `${failed.length} MUST failed` : `${failed.length} SHOULD warned`;
  const causes =
    groups.length < failed.length
      ? `, for ${groups.length === 1 ? '1 cause' : `${groups.length} causes, most likely first`}`
      : '';
  return [
    '',
    paint(level === 'MUST' ? ['red', 'bold'] : ['yellow', 'bold'], `${title}${causes}`),
    ...groups.flatMap(({ cause, members }, index) => {
      const [first, ...others] = members;
      if (first === undefined) return [];
      return [
        '',
        paint('bold', `${index + 1}. ${summarise(cause, 120)}`) +
          (others.length > 0 ? `  (${members.length} checks)` : ''),
        ...formatFailure(first, paint),
        ...newCauseLines(first, record, paint),
        ...others.flatMap((other) => [
          `     also ${paint('bold', other.id)}: ${other.statement}${other.failed > 1 ? ` (${other.failed} of ${other.cases})` : ''}`,
          ...newCauseLines(other, record, paint),
        ]),
      ];
    }),
  ];
}

/** The new causes of a check that was known to fail for others. */
function newCauseLines(result: RecordedResult, record: RunRecord, paint: Paint): string[] {
  const news = novelty(result, record);
  return news === undefined ? [] : [`     ${paint('dim', 'new'.padEnd(9))} ${news}`];
}

/** The known deviations, one line each. */
function deviations(known: readonly RecordedResult[], record: RunRecord, paint: Paint): string[] {
  if (known.length === 0) return [];
  return [
    '',
    paint('bold', `${known.length} known ${known.length === 1 ? 'deviation' : 'deviations'}`),
    ...known.map((result) => {
      const [entry] = knownBy(result, record);
      return `   ${result.id}  ${result.level}  ${entry === undefined ? '' : whyKnown(entry)}`;
    }),
  ];
}

function untestable(results: readonly RecordedResult[], paint: Paint): string[] {
  const blocked = results.filter(({ verdict }) => verdict === 'untestable');
  return groupBy(blocked, ({ reason = '' }) => reason).flatMap(([reason, members]) => {
    const ids = members.map(({ id }) => id);
    return [
      '',
      `${paint(['magenta', 'bold'], `${members.length} could not be tested`)}: ${summarise(reason)}`,
      `   ${ids.slice(0, 12).join(', ')}${ids.length > 12 ? ` and ${ids.length - 12} more` : ''}`,
    ];
  });
}

/** The observations that interest most readers. */
const PROFILE: Readonly<Record<string, string>> = {
  'missing-token/status': 'no token',
  'rejection/not-json/status': 'not JSON',
  'rejection/wrong-type/status': 'wrong type',
  'same-id/second/status': 'same id again',
  'id/echo': 'id in the response',
  'name/longest-accepted': 'longest name',
  'response-time-ms/median': 'median ms',
};

function observed({ observations }: RunRecord, paint: Paint): string[] {
  const count = Object.keys(observations).length;
  if (count === 0) return [];
  const shown = Object.entries(PROFILE)
    .filter(([key]) => key in observations)
    .map(([key, name]) => `${name}: ${summarise(String(observations[key]), 40)}`);
  return [
    '',
    `${paint('bold', 'observed')}  ${shown.join(', ')}`,
    `          (${count} observations; --format html --out DIR shows all)`,
  ];
}

function generated({ results }: RunRecord, paint: Paint): string[] {
  const summaries = [
    ['covered  ', coverageOfAll(results)],
    ['generated', confidenceOfAll(results)],
  ] as const;
  const lines = summaries.flatMap(([name, text]) =>
    text === undefined ? [] : [`${paint('bold', name)} ${text}`],
  );
  return lines.length === 0 ? [] : ['', ...lines];
}

function verdict(record: RunRecord, paint: Paint): string {
  const { outcome, summary, stop, advice, options, results } = record;
  const colour = {
    conformant: 'green',
    nonconformant: 'red',
    undetermined: 'magenta',
    partial: 'yellow',
  } as const;
  const title = loudly(headlineOf(record));
  const reason = record.ciResult.exitCode === 2 ? unjudged(record) : undefined;
  const skipped = results.filter(
    ({ verdict: one, blockedBy }) => one === 'skipped' && blockedBy === 'user',
  ).length;
  return [
    '',
    `${paint([colour[outcome], 'bold'], title)}  ${counts('MUST', summary)}; ${counts('SHOULD', summary)}${options.strict ? ' (strict)' : ''}; ${summary.OBSERVE.observed} observed${skipped > 0 ? `; ${skipped} skipped by --only or --skip` : ''}`,
    ...(stop === null ? [] : [`${summarise(stop.reason)}; ${stop.remedy}`]),
    ...(reason === undefined ? [] : [reason]),
    ...(advice === null ? [] : [summarise(advice)]),
    ...(options.shard === null
      ? []
      : [`This is shard ${options.shard} of a run; merge joins the records of all shards.`]),
  ].join('\n');
}

/** The CI result, which may differ from the verdict if there is a baseline. */
function ciResultLines({ ciResult: { baseline, exitCode, reason } }: RunRecord, paint: Paint): string[] {
  if (baseline === null) return [];
  const outdated = baseline.entries.filter(({ remedy }) => remedy !== undefined);
  return [
    `${paint('bold', `CI RESULT ${exitCode === 0 ? 'pass' : 'fail'}`)}  ${reason} (${summarise(baseline.file, 120)})`,
    ...outdated.map(({ state, remedy = '' }) => `   ${state}: ${summarise(remedy)}`),
  ];
}

function counts(level: 'MUST' | 'SHOULD', summary: Summary): string {
  const { pass, fail, untestable: untested } = summary[level];
  const failed = level === 'MUST' ? 'failed' : 'warned';
  return `${level} ${pass} passed, ${fail} ${failed}${untested > 0 ? `, ${untested} untestable` : ''}`;
}
