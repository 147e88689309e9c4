import { capped, compact, firstNames } from '../../collections.ts';
import { aboutEntry, type ExplainedChecks, entriesOf, openCauses, whyKnown } from '../baseline/deviations.ts';
import type { RunRecord } from '../record/record.ts';
import { confirmedText, countsLabel } from '../wording/confirmed.ts';
import { shownText } from '../wording/format-text.ts';
import { deselected, headlineOf, unjudged } from '../wording/headline.ts';

interface Annotation {
  readonly title: string;
  readonly lines: readonly string[];
}

/** GitHub shows only this many annotations for each level and step, and silently drops the rest. */
const MAX_ANNOTATIONS = 10;

const MAX_LINE_CHARACTERS = 300;
const MAX_CHECKS = 5;

/** Returns GitHub workflow commands, one a line: errors for what fails the CI result, warnings, notices. */
export function annotations(record: RunRecord): string[] {
  const { strict } = record.options;
  const reason = unjudged(record);
  const should = openCauses(record, 'SHOULD').map(failure);
  const errors = [
    ...compact(reason !== undefined && { title: headlineOf(record), lines: [reason] }),
    ...openCauses(record, 'MUST').map(failure),
    ...(strict ? should : []),
    ...entriesOf(record, 'stale', 'expired').map((entry) => ({
      title: `${entry.state} baseline entry ${shownText(aboutEntry(entry, record), 120)}`,
      lines: [shownText(entry.remedy ?? '', MAX_LINE_CHARACTERS)],
    })),
  ];
  const notices = [
    ...compact(
      record.outcome === 'partial' &&
        record.ciResult.exitCode !== 2 && {
          title: headlineOf(record),
          lines: [`${deselected(record).length} checks were skipped by --only or --skip`],
        },
    ),
    ...entriesOf(record, 'known').map((entry) => ({
      title: `known deviation ${shownText(aboutEntry(entry, record), 120)}`,
      lines: [whyKnown(entry)],
    })),
  ];
  return [
    ...commands('error', errors),
    ...commands('warning', strict ? [] : should),
    ...commands('notice', notices),
  ];
}

function failure({ cause, level, checks, news }: ExplainedChecks): Annotation {
  const { statement, failed, cases, expected, actual } = checks[0] ?? {};
  return {
    title: `${level} ${shownText(cause.title, MAX_LINE_CHARACTERS)}`,
    lines: [
      `${countsLabel(cause)}: ${confirmedText(cause)}`,
      `checks: ${firstNames(
        MAX_CHECKS,
        checks.map(({ id }) => shownText(id, 120)),
      )}`,
      ...news,
      ...compact(
        statement !== undefined && `${statement} ${failed} of ${cases} failed.`,
        expected !== undefined && `expected: ${shownText(expected, MAX_LINE_CHARACTERS)}`,
        actual !== undefined && `actual: ${shownText(actual, MAX_LINE_CHARACTERS)}`,
      ),
      `fix: ${shownText(cause.advice, MAX_LINE_CHARACTERS)}`,
    ],
  };
}

function commands(level: 'error' | 'warning' | 'notice', list: readonly Annotation[]): string[] {
  const more = (count: number): Annotation => ({
    title: `${count} more`,
    lines: [`the reports of the run have ${count} more`],
  });
  return capped(MAX_ANNOTATIONS, list, more).map(
    ({ title, lines }) => `::${level} title=${property(title)}::${data(lines.join('\n'))}`,
  );
}

const data = (text: string) => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

/** Escapes the value of a property in a workflow command, where a colon or a comma would end it. */
const property = (text: string) => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
