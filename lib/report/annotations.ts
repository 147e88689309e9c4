import { entriesOf, novelty, openGroups, unjudged, whyKnown } from './deviations.ts';
import type { CauseGroup } from './groups.ts';
import { headlineOf } from './headline.ts';
import type { RunRecord } from './record.ts';
import { summarise } from './text.ts';

type AnnotationLevel = 'error' | 'warning' | 'notice';

interface Annotation {
  readonly title: string;
  readonly lines: readonly string[];
}

/** GitHub shows so many annotations per level and step, and silently drops the rest. */
const MAX_ANNOTATIONS = 10;

const MAX_LINE_CHARACTERS = 300;

/**
 * GitHub workflow commands for the log of a step, one line each: errors for everything that makes the CI
 * result fail, then warnings and notices.
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
      title: `${state} baseline entry ${summarise(id, 120)}`,
      lines: [summarise(remedy, MAX_LINE_CHARACTERS)],
    })),
  ];
  const skipped = record.results.filter(({ blockedBy }) => blockedBy === 'user').length;
  const notices = [
    ...(record.outcome === 'partial' && record.ciResult.exitCode !== 2
      ? [{ title: headlineOf(record), lines: [`${skipped} checks were skipped by --only or --skip`] }]
      : []),
    ...entriesOf(record, 'known').map((entry) => ({
      title: `known deviation ${summarise(entry.id, 120)}`,
      lines: [whyKnown(entry)],
    })),
  ];
  return [
    ...commands('error', errors),
    ...commands('warning', strict ? [] : should),
    ...commands('notice', notices),
  ];
}

function failure(level: 'MUST' | 'SHOULD', { cause, members }: CauseGroup, record: RunRecord): Annotation {
  const [first] = members;
  const others = members.length - 1;
  const details =
    first === undefined
      ? []
      : [
          `${first.statement} ${first.failed} of ${first.cases} failed.`,
          ...(first.expected === undefined
            ? []
            : [`expected: ${summarise(first.expected, MAX_LINE_CHARACTERS)}`]),
          ...(first.actual === undefined ? [] : [`actual: ${summarise(first.actual, MAX_LINE_CHARACTERS)}`]),
          `fix: ${first.hint}`,
        ];
  return {
    title: `${level} ${first?.id ?? ''}${others === 0 ? '' : ` and ${others} more`}`,
    lines: [
      `cause: ${summarise(cause, MAX_LINE_CHARACTERS)}`,
      ...members.flatMap((one) => novelty(one, record) ?? []),
      ...details,
    ],
  };
}

function commands(level: AnnotationLevel, list: readonly Annotation[]): string[] {
  const shown = list.length > MAX_ANNOTATIONS ? list.slice(0, MAX_ANNOTATIONS - 1) : list;
  const rest = list.length - shown.length;
  const last = {
    title: `${rest} more`,
    lines: [`the reports of the run have ${rest} more`],
  };
  return [...shown, ...(rest === 0 ? [] : [last])].map(
    ({ title, lines }) => `::${level} title=${property(title)}::${data(lines.join('\n'))}`,
  );
}

/** Escapes the message of a workflow command. */
const data = (text: string) => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

/** Escapes the value of a property of a workflow command, which ends at a colon or a comma. */
const property = (text: string) => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
