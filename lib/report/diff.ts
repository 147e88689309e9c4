import type { Observations } from '../run/result.ts';
import { type Paint, plain, short } from './explain.ts';
import type { RecordedResult, RunRecord } from './record.ts';

/** What changed from one run to a later one. */
export interface Diff {
  /** Fails now, and did not before. */
  readonly broken: readonly RecordedResult[];
  /** Failed before, and passes now. */
  readonly mended: readonly RecordedResult[];
  readonly still: readonly RecordedResult[];
  /** Was judged before, and cannot be now. */
  readonly lost: readonly RecordedResult[];
  /** Checks that only one of the records knows: the suites are not the same. */
  readonly foreign: readonly string[];
  readonly moved: readonly { readonly key: string; readonly before: Observed; readonly now: Observed }[];
}

type Observed = Observations[string] | undefined;

const JUDGED = ['pass', 'fail', 'observed'];

/** Compares two records, the earlier one first. Times of answers always move, and are left out. */
export function diffOf(before: RunRecord, now: RunRecord): Diff {
  const earlier = new Map(before.results.map((result) => [result.id, result]));
  const later = new Set(now.results.map(({ id }) => id));
  const was = ({ id }: RecordedResult) => earlier.get(id)?.verdict;
  const failing = now.results.filter(({ verdict }) => verdict === 'fail');
  const keys = [...new Set([...Object.keys(before.observations), ...Object.keys(now.observations)])];
  return {
    broken: failing.filter((result) => was(result) !== 'fail'),
    still: failing.filter((result) => was(result) === 'fail'),
    mended: now.results.filter((result) => result.verdict === 'pass' && was(result) === 'fail'),
    lost: now.results.filter(
      (result) => JUDGED.includes(was(result) ?? '') && !JUDGED.includes(result.verdict),
    ),
    foreign: [
      ...[...later].filter((id) => !earlier.has(id)),
      ...[...earlier.keys()].filter((id) => !later.has(id)),
    ],
    moved: keys
      .filter((key) => !key.startsWith('response-time-ms/'))
      .map((key) => ({ key, before: before.observations[key], now: now.observations[key] }))
      .filter((one) => one.before !== one.now),
  };
}

/**
 * 1 where something newly fails, 3 where nothing does but a MUST that was judged before cannot be judged
 * now, else 0.
 */
export function diffExitCode({ broken, lost }: Diff): 0 | 1 | 3 {
  if (broken.length > 0) return 1;
  return lost.some(({ level, blockedBy }) => level === 'MUST' && blockedBy !== 'user') ? 3 : 0;
}

/** The difference for a person. Ends with a line feed. */
export function diffText(diff: Diff, before: RunRecord, now: RunRecord, paint: Paint = plain): string {
  const { broken, mended, still, lost, foreign, moved } = diff;
  const name = ({ target, startedAt, outcome, options }: RunRecord) =>
    `${short(target.name, 60)}  ${startedAt}  --seed ${options.seed}  ${outcome}`;
  const lines = [
    `before  ${name(before)}`,
    `now     ${name(now)}`,
    ...(before.document.sha256 === now.document.sha256
      ? []
      : ['The documents are not the same: what is asked of the stores differs.']),
    ...section(paint(['red', 'bold'], `${broken.length} newly failing`), broken, told),
    ...section(paint(['green', 'bold'], `${mended.length} mended`), mended, ({ id, level, statement }) => [
      `${id}  ${level}  ${statement}`,
    ]),
    ...section(`${still.length} still failing`, still, ({ id, level, causes }) => [
      `${id}  ${level}  ${short(causes[0]?.cause ?? '', 80)}`,
    ]),
    ...section(`${lost.length} no longer judged`, lost, ({ id, reason = '' }) => [
      `${id}  ${short(reason, 120)}`,
    ]),
    ...section(
      `${foreign.length} ${foreign.length === 1 ? 'check' : 'checks'} that one of the runs does not know`,
      foreign,
      (id) => [id],
    ),
    ...section(`${moved.length} observations moved`, moved, (one) => [
      `${one.key}  ${value(one.before)} -> ${value(one.now)}`,
    ]),
    '',
    broken.length === 0 ? 'Nothing newly fails.' : `${broken.length} newly failing.`,
  ];
  return `${lines.join('\n')}\n`;
}

const told = ({ id, level, statement, expected = '', actual = '', exchanges }: RecordedResult) => [
  `${id}  ${level}  ${statement}`,
  `   expected  ${short(expected)}`,
  `   actual    ${short(actual)}`,
  ...(exchanges[0] === undefined ? [] : [`   repeat    ${short(exchanges[0].curl, 2000)}`]),
];

const section = <T>(title: string, list: readonly T[], lines: (one: T) => readonly string[]): string[] =>
  list.length === 0 ? [] : ['', title, ...list.flatMap((one) => lines(one).map((line) => `   ${line}`))];

const value = (observed: Observed) => (observed === undefined ? '(not seen)' : short(String(observed), 80));
