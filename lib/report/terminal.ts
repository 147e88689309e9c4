import { groupBy } from '../groups.ts';
import type { Summary } from '../run/verdict.ts';
import { type Entry, entriesOf, excuse } from './deviations.ts';
import { documentName } from './document.ts';
import {
  closedUnder,
  coloured,
  explained,
  leftBehind,
  type Paint,
  plain,
  short,
  waitedFor,
} from './explain.ts';
import { isExcused } from './gate.ts';
import { groupsOf } from './groups.ts';
import { learntFromAll } from './learnt.ts';
import type { RecordedResult, RunRecord } from './record.ts';

/** The verdict alone. Ends with a line feed. */
export const verdictLines = (record: RunRecord, colour: boolean): string =>
  `${[verdict(record, colour ? coloured : plain), ...gate(record, colour ? coloured : plain)].join('\n').trimStart()}\n`;

/** The report of a run for a person at a terminal. Ends with a line feed. */
export function terminalReport(record: RunRecord, colour: boolean): string {
  const paint = colour ? coloured : plain;
  const { results } = record;
  const excused = entriesOf(record, 'excuses');
  const failing = results.filter(({ verdict: one }) => one === 'fail');
  const known = failing.filter((result) => isExcused(result, excused));
  const failed = (level: string) =>
    failing.filter((result) => result.level === level && !known.includes(result));
  return [
    head(record, paint),
    ...failures('MUST', failed('MUST'), paint),
    ...untestable(results, paint),
    ...failures('SHOULD', failed('SHOULD'), paint),
    ...deviations(known, excused, paint),
    ...observed(record, paint),
    ...generated(record, paint),
    verdict(record, paint),
    ...gate(record, paint),
    '',
  ].join('\n');
}

function head(record: RunRecord, paint: Paint): string {
  const { suite, target, document, options, requests, seconds, created } = record;
  const server = target.server === null ? '' : `  (${short(target.server, 60)})`;
  return [
    `${paint('bold', `${suite.name} ${suite.version}`)}`,
    `target    ${target.name === target.baseUrl ? '' : `${short(target.name, 60)}  `}${short(target.baseUrl, 200)}${server}`,
    `document  ${documentName(document, (file) => short(file, 200))}, version ${short(document.version, 40)}, sha256 ${document.sha256.slice(0, 12)}`,
    ...(document.warnings ?? []).map((warning) => `          ${short(warning, 400)}`),
    `run       --seed ${options.seed} --first-id ${options.firstId} --cases ${options.cases}${options.shard === null ? '' : ` --shard ${options.shard}`}; ${requests} requests in ${seconds.toFixed(1)} s${waitedFor(record)}${closedUnder(record)}, ${leftBehind(created)}`,
  ].join('\n');
}

function failures(level: 'MUST' | 'SHOULD', failed: readonly RecordedResult[], paint: Paint): string[] {
  if (failed.length === 0) return [];
  const groups = groupsOf(failed);
  const title = level === 'MUST' ? `${failed.length} MUST failed` : `${failed.length} SHOULD warned`;
  const causes =
    groups.length < failed.length
      ? `, for ${groups.length} ${groups.length === 1 ? 'cause' : 'causes'}, the likeliest first`
      : '';
  return [
    '',
    paint(level === 'MUST' ? ['red', 'bold'] : ['yellow', 'bold'], `${title}${causes}`),
    ...groups.flatMap(({ cause, members }, index) => {
      const [first, ...others] = members;
      if (first === undefined) return [];
      return [
        '',
        paint('bold', `${index + 1}. ${short(cause, 120)}`) +
          (others.length > 0 ? `  (${members.length} checks)` : ''),
        ...explained(first, paint),
        ...others.map(
          (other) =>
            `     also ${paint('bold', other.id)}: ${other.statement}${other.failed > 1 ? ` (${other.failed} of ${other.cases})` : ''}`,
        ),
      ];
    }),
  ];
}

/** What fails and is known to: a line each. */
function deviations(known: readonly RecordedResult[], entries: readonly Entry[], paint: Paint): string[] {
  if (known.length === 0) return [];
  return [
    '',
    paint('bold', `${known.length} known ${known.length === 1 ? 'deviation' : 'deviations'}`),
    ...known.map(({ id, level }) => {
      const entry = entries.find((one) => one.id === id);
      return `   ${id}  ${level}  ${entry === undefined ? '' : excuse(entry)}`;
    }),
  ];
}

function untestable(results: readonly RecordedResult[], paint: Paint): string[] {
  const blocked = results.filter(({ verdict }) => verdict === 'untestable');
  return groupBy(blocked, ({ reason = '' }) => reason).flatMap(([reason, members]) => {
    const ids = members.map(({ id }) => id);
    return [
      '',
      `${paint(['magenta', 'bold'], `${members.length} could not be tested`)}: ${short(reason)}`,
      `   ${ids.slice(0, 12).join(', ')}${ids.length > 12 ? ` and ${ids.length - 12} more` : ''}`,
    ];
  });
}

/** What most readers want to know of what the interface leaves open. */
const PROFILE: Readonly<Record<string, string>> = {
  'missing-token/status': 'no token',
  'refusal/not-json/status': 'not JSON',
  'refusal/wrong-type/status': 'wrong type',
  'same-id/second/status': 'same id again',
  'id/echo': 'id in the answer',
  'name/longest-taken': 'longest name',
  'response-time-ms/median': 'median ms',
};

function observed({ observations }: RunRecord, paint: Paint): string[] {
  const count = Object.keys(observations).length;
  if (count === 0) return [];
  const told = Object.entries(PROFILE)
    .filter(([key]) => key in observations)
    .map(([key, name]) => `${name}: ${short(String(observations[key]), 40)}`);
  return [
    '',
    `${paint('bold', 'observed')}  ${told.join(', ')}`,
    `          (${count} observations in all: --format html --out DIR)`,
  ];
}

function generated({ results }: RunRecord, paint: Paint): string[] {
  const learnt = learntFromAll(results);
  return learnt === undefined ? [] : ['', `${paint('bold', 'generated')} ${learnt}`];
}

function verdict({ outcome, summary, stop, advice, options, results }: RunRecord, paint: Paint): string {
  const colour = { conformant: 'green', nonconformant: 'red', undetermined: 'magenta' } as const;
  const title = {
    conformant: 'CONFORMANT',
    nonconformant: 'NOT CONFORMANT',
    undetermined: 'COULD NOT BE JUDGED',
  }[outcome];
  const left = results.filter(
    ({ verdict: one, blockedBy }) => one === 'skipped' && blockedBy === 'user',
  ).length;
  return [
    '',
    `${paint([colour[outcome], 'bold'], title)}  ${counts('MUST', summary)}; ${counts('SHOULD', summary)}${options.strict ? ' (strict)' : ''}; ${summary.OBSERVE.observed} observed${left > 0 ? `; ${left} left out` : ''}`,
    ...(stop === null ? [] : [`${short(stop.reason)}; ${stop.remedy}`]),
    ...(advice === null ? [] : [short(advice)]),
    ...(options.shard === null
      ? []
      : [`This is part ${options.shard} of a run; merge joins the records of all parts.`]),
  ].join('\n');
}

/** What the run means for a pipeline, where that is not what the verdict says. */
function gate({ gate: { baseline, exitCode, reason } }: RunRecord, paint: Paint): string[] {
  if (baseline === null) return [];
  const stale = baseline.entries.filter(({ remedy }) => remedy !== undefined);
  const state = { 0: 'open', 1: 'closed', 3: 'closed' } as const;
  return [
    `${paint('bold', `GATE ${state[exitCode]}`)}  ${reason} (${short(baseline.file, 120)})`,
    ...stale.map(({ remedy = '' }) => `   ${short(remedy)}`),
  ];
}

function counts(level: 'MUST' | 'SHOULD', summary: Summary): string {
  const { pass, fail, untestable: open } = summary[level];
  const failed = level === 'MUST' ? 'failed' : 'warned';
  return `${level} ${pass} passed, ${fail} ${failed}${open > 0 ? `, ${open} untestable` : ''}`;
}
