import { capped, compact } from '../collections.ts';
import type { Observations } from '../run/result/result.ts';
import { counted } from '../text.ts';
import { problemText } from './record/fingerprint.ts';
import type { RecordedCause, RecordedResult, RunRecord } from './record/record.ts';
import { isResponseTime } from './wording/facts.ts';
import { type Paint, shownText, uncoloured } from './wording/format-text.ts';
import { headlineOf } from './wording/headline.ts';

type Diff = ReturnType<typeof diffOf>;

const JUDGED = ['pass', 'fail', 'observed'];

/** Compares two records, the earlier one first. Ignores response times, which always differ. */
export function diffOf(before: RunRecord, now: RunRecord) {
  const earlier = new Map(before.results.map((result) => [result.id, result]));
  const later = new Set(now.results.map(({ id }) => id));
  const was = ({ id }: RecordedResult) => earlier.get(id)?.verdict;
  const failing = now.results.filter(({ verdict }) => verdict === 'fail');
  // If a check already failed before, `problems` are the new ones.
  const newlyFailing = failing.flatMap((result) => {
    const known = earlier.get(result.id);
    const problems = known?.verdict === 'fail' ? newSince(known, result) : undefined;
    return problems?.length === 0 ? [] : [{ result, problems }];
  });
  const causes = causesOf(before, now);
  // If a cause has the same symptom under another condition, it has merely changed and did not hide anything.
  const isGone = ({ symptom }: RecordedCause) => !causes.added.some((one) => one.symptom === symptom);
  const gone = causes.fixed.filter(isGone);
  const hiddenBefore = new Set(gone.flatMap(({ checks }) => checks));
  const isOld = ({ id }: RecordedResult) =>
    gone.length > 0 && !causes.added.some(({ checks }) => checks.includes(id));
  const isRevealed = ({ result, problems }: (typeof newlyFailing)[number]) =>
    problems === undefined
      ? !JUDGED.includes(was(result) ?? 'pass')
      : hiddenBefore.has(result.id) || isOld(result);
  const keys = [...new Set([...Object.keys(before.observations), ...Object.keys(now.observations)])];
  return {
    causes,
    regressions: newlyFailing.filter((one) => !isRevealed(one)),
    /**
     * Failures that were hidden before: the check was untestable, or a cause that has been fixed hid them.
     */
    revealed: newlyFailing.filter(isRevealed),
    stillFailing: failing.filter((one) => !newlyFailing.some(({ result }) => result === one)),
    fixed: now.results.filter((result) => result.verdict === 'pass' && was(result) === 'fail'),
    unjudged: now.results.filter(
      (result) => JUDGED.includes(was(result) ?? '') && !JUDGED.includes(result.verdict),
    ),
    // Present only if the records come from different versions of the suite.
    onlyInOne: [
      ...[...later].filter((id) => !earlier.has(id)),
      ...[...earlier.keys()].filter((id) => !later.has(id)),
    ],
    observations: keys
      .filter((key) => !isResponseTime(key))
      .map((key) => ({ key, before: before.observations[key], now: now.observations[key] }))
      .filter((one) => one.before !== one.now),
  };
}

/** A cause without experimental evidence matches any cause that covers the same checks. */
function causesOf(before: RunRecord, now: RunRecord) {
  const names = (causes: readonly RecordedCause[]) => new Set(causes.map(({ fingerprint }) => fingerprint));
  const [earlier, later] = [names(before.causes), names(now.causes)];
  const vague = new Set(before.causes.filter(({ kind }) => kind === 'once').flatMap(({ checks }) => checks));
  const wasThere = ({ fingerprint, checks }: RecordedCause) =>
    earlier.has(fingerprint) || checks.every((id) => vague.has(id));
  const verdicts = new Map(now.results.map(({ id, verdict }) => [id, verdict]));
  // Without experiments, the same cause has a different fingerprint.
  const isVagueNow = (id: string) =>
    now.causes.some(({ kind, checks }) => kind === 'once' && checks.includes(id));
  const isFixed = ({ fingerprint, kind, checks }: RecordedCause) =>
    !later.has(fingerprint) &&
    checks.every((id) => {
      const verdict = verdicts.get(id);
      return verdict === 'pass' || (verdict === 'fail' && kind !== 'once' && !isVagueNow(id));
    });
  return {
    added: now.causes.filter((cause) => !wasThere(cause)),
    fixed: before.causes.filter(isFixed),
    stillThere: now.causes.filter(wasThere),
  };
}

function newSince(before: RecordedResult, now: RecordedResult): RecordedResult['problems'] {
  const known = new Set(before.problems.map(({ fingerprint }) => fingerprint));
  return now.problems.filter(({ fingerprint }) => !known.has(fingerprint));
}

/** Returns 1 if there are regressions; otherwise 3 if a MUST can no longer be judged; otherwise 0. */
export function diffExitCode({ regressions, unjudged }: Diff): 0 | 1 | 3 {
  if (regressions.length > 0) return 1;
  return unjudged.some(({ level, blockedBy }) => level === 'MUST' && blockedBy !== 'user') ? 3 : 0;
}

export function diffText(diff: Diff, before: RunRecord, now: RunRecord, paint: Paint = uncoloured): string {
  const { causes, regressions, revealed, fixed, stillFailing, unjudged, onlyInOne, observations } = diff;
  const isInBoth = (one: Diff['observations'][number]) => one.before !== undefined && one.now !== undefined;
  const changed = observations.filter(isInBoth);
  const others = observations.length - changed.length;
  const name = (record: RunRecord) =>
    `${shownText(record.target.name, 60)}  ${record.startedAt}  --seed ${record.options.seed}${record.options.thorough === true ? ' --thorough' : ''}  ${headlineOf(record)}`;
  const regressed = counted(regressions.length, 'regression');
  const lines = [
    `before  ${name(before)}`,
    `now     ${name(now)}`,
    ...compact(
      before.document.sha256 !== now.document.sha256 &&
        'The runs used different documents, so the stores were checked against different requirements.',
    ),
    ...section(paint(['red', 'bold'], counted(causes.added.length, 'new cause')), causes.added, formatCause),
    ...section(
      paint(['green', 'bold'], counted(causes.fixed.length, 'fixed cause')),
      causes.fixed,
      formatCause,
    ),
    ...section(`${counted(causes.stillThere.length, 'cause')} still there`, causes.stillThere, formatCause),
    ...section(paint(['red', 'bold'], regressed), regressions, formatFailure),
    ...section(`${counted(revealed.length, 'failure')} hidden in the earlier run`, revealed, formatFailure),
    ...section(paint(['green', 'bold'], `${fixed.length} fixed`), fixed, ({ id, level, statement }) => [
      `${id}  ${level}  ${statement}`,
    ]),
    ...section(`${stillFailing.length} still failing`, stillFailing, ({ id, level, problems }) => [
      `${id}  ${level}  ${shownText(problems[0]?.problem ?? '', 80)}`,
    ]),
    ...section(`${unjudged.length} no longer judged`, unjudged, ({ id, reason = '' }) => [
      `${id}  ${shownText(reason, 120)}`,
    ]),
    ...section(`${counted(onlyInOne.length, 'check')} in only one of the runs`, onlyInOne, (id) => [id]),
    ...section(`${counted(changed.length, 'observation')} changed`, changed, (one) => [
      `${one.key}  ${value(one.before)} -> ${value(one.now)}`,
    ]),
    ...(others === 0 ? [] : ['', `${counted(others, 'observation')} made in only one of the runs`]),
    '',
    `${regressions.length === 0 ? 'No regressions' : regressed}${causes.added.length === 0 ? '' : `; ${counted(causes.added.length, 'new cause')}`}${progressOf(causes, before)}.`,
  ];
  return `${lines.join('\n')}\n`;
}

const progressOf = ({ fixed }: Diff['causes'], { causes, startedAt }: RunRecord): string =>
  causes.length === 0
    ? ''
    : `; ${fixed.length} of ${counted(causes.length, 'cause')} fixed since ${startedAt.slice(0, 10)}`;

const formatCause = ({ title, level, checks, fingerprint }: RecordedCause): readonly string[] => [
  `${shownText(title)}  (${counted(checks.length, 'check')}, ${level}, ${fingerprint})`,
];

const MAX_NEW_PROBLEMS = 6;

function formatFailure({ result, problems }: Diff['regressions'][number]): readonly string[] {
  const { id, level, statement, expected = '', actual = '', exchanges } = result;
  const head = `${id}  ${level}  ${statement}`;
  if (problems !== undefined) {
    const texts = problems.map((problem) => shownText(problemText(problem), 120));
    const shown = capped(MAX_NEW_PROBLEMS, texts, (count) => `and ${count} more`).map((text) => `   ${text}`);
    return [head, `   failed before, too; ${counted(problems.length, 'new problem')}`, ...shown];
  }
  return compact(
    head,
    `   expected  ${shownText(expected)}`,
    `   actual    ${shownText(actual)}`,
    exchanges[0] && `   reproduce ${shownText(exchanges[0].command, 2000)}`,
  );
}

const section = <T>(title: string, list: readonly T[], lines: (one: T) => readonly string[]): string[] =>
  list.length === 0 ? [] : ['', title, ...list.flatMap((one) => lines(one).map((line) => `   ${line}`))];

const value = (observed: Observations[string] | undefined) => shownText(String(observed), 80);
