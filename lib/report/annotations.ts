import { entriesOf, novelty, openGroups, unjudged, whyKnown } from './deviations.ts';
import { short } from './explain.ts';
import type { Group } from './groups.ts';
import { headlineOf } from './headline.ts';
import type { RunRecord } from './record.ts';

type Kind = 'error' | 'warning' | 'notice';

interface Annotation {
  readonly title: string;
  readonly lines: readonly string[];
}

/** How many annotations of one kind GitHub shows of a step; what comes after them is dropped without a word. */
const MOST = 10;

/** Characters of a line of an annotation. */
const LONGEST = 300;

/**
 * What makes the CI result fail, and what is to be known though it is pass, as workflow commands of GitHub: a line
 * each, to be written to the log of a step.
 */
export function annotations(record: RunRecord): string[] {
  const { strict } = record.options;
  const reason = unjudged(record);
  const should = openGroups(record, 'SHOULD').map((group) => failure('SHOULD', group, record));
  const errors: readonly Annotation[] = [
    ...(reason === undefined ? [] : [{ title: headlineOf(record), lines: [reason] }]),
    ...openGroups(record, 'MUST').map((group) => failure('MUST', group, record)),
    ...(strict ? should : []),
    ...entriesOf(record, 'stale', 'expired').map(({ id, state, remedy = '' }) => ({
      title: `${state} in the baseline ${short(id, 120)}`,
      lines: [short(remedy, LONGEST)],
    })),
  ];
  const left = record.results.filter(({ blockedBy }) => blockedBy === 'user').length;
  const notices = [
    ...(record.outcome === 'partial' && record.gate.exitCode !== 2
      ? [{ title: headlineOf(record), lines: [`${left} checks were left out by --only or --skip`] }]
      : []),
    ...entriesOf(record, 'known').map((entry) => ({
      title: `known deviation ${short(entry.id, 120)}`,
      lines: [whyKnown(entry)],
    })),
  ];
  return [
    ...commands('error', errors),
    ...commands('warning', strict ? [] : should),
    ...commands('notice', notices),
  ];
}

function failure(level: 'MUST' | 'SHOULD', { cause, members }: Group, record: RunRecord): Annotation {
  const [first] = members;
  const others = members.length - 1;
  const details =
    first === undefined
      ? []
      : [
          `${first.statement} ${first.failed} of ${first.cases} failed.`,
          ...(first.expected === undefined ? [] : [`expected: ${short(first.expected, LONGEST)}`]),
          ...(first.actual === undefined ? [] : [`actual: ${short(first.actual, LONGEST)}`]),
          `mend: ${first.hint}`,
        ];
  return {
    title: `${level} ${first?.id ?? ''}${others === 0 ? '' : ` and ${others} more`}`,
    lines: [
      `cause: ${short(cause, LONGEST)}`,
      ...members.flatMap((one) => novelty(one, record) ?? []),
      ...details,
    ],
  };
}

function commands(kind: Kind, list: readonly Annotation[]): string[] {
  const shown = list.length > MOST ? list.slice(0, MOST - 1) : list;
  const rest = list.length - shown.length;
  const last = {
    title: `${rest} more`,
    lines: [`${rest} more of this kind; the reports of the run have them`],
  };
  return [...shown, ...(rest === 0 ? [] : [last])].map(
    ({ title, lines }) => `::${kind} title=${property(title)}::${data(lines.join('\n'))}`,
  );
}

/** Text as the message of a workflow command. */
const data = (text: string) => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

/** Text as the value of a property of a workflow command, which ends at a colon or a comma. */
const property = (text: string) => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
