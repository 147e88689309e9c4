import type { Observations } from '../run/result.ts';
import { type Paint, plain, short } from './explain.ts';
import { causeText } from './fingerprint.ts';
import { headlineOf } from './headline.ts';
import type { RecordedResult, RunRecord } from './record.ts';

/** What changed from one run to a later one. */
export interface Diff {
  /** Fails now, and did not before, or not for these causes. */
  readonly regressions: readonly Regression[];
  /** Failed before, and passes now. */
  readonly fixed: readonly RecordedResult[];
  /** Fails for causes that it failed for before, and no others. */
  readonly stillFailing: readonly RecordedResult[];
  /** Was judged before, and cannot be now. */
  readonly unjudged: readonly RecordedResult[];
  /** Checks that only one of the records knows: the suites are not the same. */
  readonly unknown: readonly string[];
  /** What is observed is not what it was. */
  readonly changed: readonly { readonly key: string; readonly before: Observed; readonly now: Observed }[];
}

export interface Regression {
  readonly result: RecordedResult;
  /** What is new in a check that failed before; undefined where it did not. */
  readonly causes?: RecordedResult['causes'];
}

type Observed = Observations[string] | undefined;

const JUDGED = ['pass', 'fail', 'observed'];

/** Compares two records, the earlier one first. Times of answers always change, and are left out. */
export function diffOf(before: RunRecord, now: RunRecord): Diff {
  const earlier = new Map(before.results.map((result) => [result.id, result]));
  const later = new Set(now.results.map(({ id }) => id));
  const was = ({ id }: RecordedResult) => earlier.get(id)?.verdict;
  const failing = now.results.filter(({ verdict }) => verdict === 'fail');
  const regressions = failing.flatMap((result): readonly Regression[] => {
    const known = earlier.get(result.id);
    if (known?.verdict !== 'fail') return [{ result }];
    const causes = newSince(known, result);
    return causes.length === 0 ? [] : [{ result, causes }];
  });
  const keys = [...new Set([...Object.keys(before.observations), ...Object.keys(now.observations)])];
  return {
    regressions,
    stillFailing: failing.filter((one) => !regressions.some(({ result }) => result === one)),
    fixed: now.results.filter((result) => result.verdict === 'pass' && was(result) === 'fail'),
    unjudged: now.results.filter(
      (result) => JUDGED.includes(was(result) ?? '') && !JUDGED.includes(result.verdict),
    ),
    unknown: [
      ...[...later].filter((id) => !earlier.has(id)),
      ...[...earlier.keys()].filter((id) => !later.has(id)),
    ],
    changed: keys
      .filter((key) => !key.startsWith('response-time-ms/'))
      .map((key) => ({ key, before: before.observations[key], now: now.observations[key] }))
      .filter((one) => one.before !== one.now),
  };
}

/** The causes of a failed check that it did not fail for before. Records of earlier suites do not say what was asked. */
function newSince(before: RecordedResult, now: RecordedResult): RecordedResult['causes'] {
  const known = new Set(
    before.causes.flatMap(({ fingerprint, request, cause }) =>
      request === undefined ? [fingerprint, cause] : [fingerprint],
    ),
  );
  return now.causes.filter(({ fingerprint, cause }) => !known.has(fingerprint) && !known.has(cause));
}

/** 1 where there are regressions, 3 where there are none but a MUST that was judged before cannot be judged now, else 0. */
export function diffExitCode({ regressions, unjudged }: Diff): 0 | 1 | 3 {
  if (regressions.length > 0) return 1;
  return unjudged.some(({ level, blockedBy }) => level === 'MUST' && blockedBy !== 'user') ? 3 : 0;
}

/** The difference for a person. Ends with a line feed. */
export function diffText(diff: Diff, before: RunRecord, now: RunRecord, paint: Paint = plain): string {
  const { regressions, fixed, stillFailing, unjudged, unknown, changed } = diff;
  const name = (record: RunRecord) =>
    `${short(record.target.name, 60)}  ${record.startedAt}  --seed ${record.options.seed}${record.options.thorough === true ? ' --thorough' : ''}  ${headlineOf(record)}`;
  const counted = `${regressions.length} ${regressions.length === 1 ? 'regression' : 'regressions'}`;
  const lines = [
    `before  ${name(before)}`,
    `now     ${name(now)}`,
    ...(before.document.sha256 === now.document.sha256
      ? []
      : ['The documents are not the same: what is asked of the stores differs.']),
    ...section(paint(['red', 'bold'], counted), regressions, told),
    ...section(paint(['green', 'bold'], `${fixed.length} fixed`), fixed, ({ id, level, statement }) => [
      `${id}  ${level}  ${statement}`,
    ]),
    ...section(`${stillFailing.length} still failing`, stillFailing, ({ id, level, causes }) => [
      `${id}  ${level}  ${short(causes[0]?.cause ?? '', 80)}`,
    ]),
    ...section(`${unjudged.length} no longer judged`, unjudged, ({ id, reason = '' }) => [
      `${id}  ${short(reason, 120)}`,
    ]),
    ...section(
      `${unknown.length} ${unknown.length === 1 ? 'check' : 'checks'} that one of the runs does not know`,
      unknown,
      (id) => [id],
    ),
    ...section(
      `${changed.length} ${changed.length === 1 ? 'observation' : 'observations'} changed`,
      changed,
      (one) => [`${one.key}  ${value(one.before)} -> ${value(one.now)}`],
    ),
    '',
    regressions.length === 0 ? 'No regressions: nothing newly fails.' : `${counted}: newly failing.`,
  ];
  return `${lines.join('\n')}\n`;
}

/** Causes that are named of a regression. */
const NAMED = 5;

function told({ result, causes }: Regression): readonly string[] {
  const { id, level, statement, expected = '', actual = '', exchanges } = result;
  const head = `${id}  ${level}  ${statement}`;
  if (causes !== undefined) {
    const named = causes.slice(0, NAMED).map((cause) => `   ${short(causeText(cause), 120)}`);
    const more = causes.length > NAMED ? [`   and ${causes.length - NAMED} more`] : [];
    return [
      head,
      `   failed before, now for ${causes.length} new ${causes.length === 1 ? 'cause' : 'causes'} as well`,
      ...named,
      ...more,
    ];
  }
  return [
    head,
    `   expected  ${short(expected)}`,
    `   actual    ${short(actual)}`,
    ...(exchanges[0] === undefined ? [] : [`   repeat    ${short(exchanges[0].curl, 2000)}`]),
  ];
}

const section = <T>(title: string, list: readonly T[], lines: (one: T) => readonly string[]): string[] =>
  list.length === 0 ? [] : ['', title, ...list.flatMap((one) => lines(one).map((line) => `   ${line}`))];

const value = (observed: Observed) => (observed === undefined ? '(not seen)' : short(String(observed), 80));
