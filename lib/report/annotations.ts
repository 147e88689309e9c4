import { entriesOf, excuse, openGroups, unjudged } from './deviations.ts';
import { short } from './explain.ts';
import type { Group } from './groups.ts';
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
 * What keeps the gate shut, and what is to be known though it is open, as workflow commands of GitHub: a line
 * each, to be written to the log of a step.
 */
export function annotations(record: RunRecord): string[] {
  const { strict } = record.options;
  const reason = unjudged(record);
  const should = openGroups(record, 'SHOULD').map((group) => failure('SHOULD', group));
  const errors: readonly Annotation[] = [
    ...(reason === undefined ? [] : [{ title: 'could not be judged', lines: [reason] }]),
    ...openGroups(record, 'MUST').map((group) => failure('MUST', group)),
    ...(strict ? should : []),
    ...entriesOf(record, 'mended', 'past').map(({ id, remedy = '' }) => ({
      title: `baseline ${short(id, 120)}`,
      lines: [short(remedy, LONGEST)],
    })),
  ];
  const notices = entriesOf(record, 'excuses').map((entry) => ({
    title: `known deviation ${short(entry.id, 120)}`,
    lines: [excuse(entry)],
  }));
  return [
    ...commands('error', errors),
    ...commands('warning', strict ? [] : should),
    ...commands('notice', notices),
  ];
}

function failure(level: 'MUST' | 'SHOULD', { cause, members }: Group): Annotation {
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
    lines: [`cause: ${short(cause, LONGEST)}`, ...details],
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
