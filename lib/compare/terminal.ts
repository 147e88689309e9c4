import { widthOf, wrapped } from '../report/formats/rows.ts';
import { createdText, documentText } from '../report/wording/facts.ts';
import { type Paint, truncate, visible } from '../report/wording/format-text.ts';
import { counted } from '../text.ts';
import type { Column, Comparison, Disagreement } from './comparison.ts';
import {
  causeCount,
  checksAt,
  type Differential,
  differing,
  differingObservations,
  disagreementCount,
  MARKS,
  ran,
  reasonOf,
  sharedCauses,
  verdictOf,
} from './table.ts';

const MAX_DISAGREEMENTS = 8;

/** Width of a cause's title in columns. A longer title continues on the next row. */
const TITLE_COLUMNS = 48;

export function comparisonText(comparison: Comparison, paint: Paint): string {
  const { suite, document, options, checks, columns, differential } = comparison;
  const rows = differing(comparison);
  const changed = differingObservations(comparison).length;
  return `${[
    paint('bold', `${suite.name} ${suite.version}`),
    `document  ${documentText(document, truncate)}`,
    `run       --seed ${options.seed} --cases ${options.cases}${options.thorough === true ? ' --thorough' : ''}; ${columns.length} stores`,
    '',
    ...summary(columns, paint),
    '',
    ...causes(comparison, paint),
    ...(rows.length === 0
      ? ['No check differs between the stores.']
      : [
          paint('bold', `${rows.length} of ${checks.length} checks differ between the stores`),
          `   columns numbered as above: ${Object.entries(MARKS)
            .map(([verdict, mark]) => `${mark} ${verdict}`)
            .join(', ')}`,
          ...matrix(
            comparison,
            rows.map(({ id, ...row }) => ({ ...row, title: [id] })),
            paint,
          ),
        ]),
    '',
    `${counted(changed, 'observation differs', 'observations differ')} (--format html --out DIR shows them side by side)`,
    ...(differential === null ? [] : ['', ...disagreements(differential, paint)]),
    ...createdLines(columns),
  ].join('\n')}\n`;
}

/** The column heads of the summary, right-aligned. */
const HEADS = ['  pass', '  fail', '  untestable', '     pass', '  fail'] as const;
const MEDIAN = '  median time';

function summary(columns: readonly Column[], paint: Paint): string[] {
  const names = columns.map(({ name }) => truncate(name, 32));
  const width = Math.max(5, ...names.map(({ length }) => length));
  const rows = columns.map((column, index) => {
    const number = String(index + 1).padStart(3);
    const name = (names[index] ?? '').padEnd(width);
    const { colour, words } = verdictOf(column);
    const shownVerdict = paint(colour, words.padEnd(20));
    if (column.state === 'not-run' || column.stop !== null)
      return `${number}  ${name}  ${shownVerdict}${truncate(reasonOf(column) ?? '', 120)}`;
    const { MUST, SHOULD } = column.summary;
    const numbers = [MUST.pass, MUST.fail, MUST.untestable, SHOULD.pass, SHOULD.fail];
    const counts = numbers.map((count, place) => String(count).padStart(HEADS[place]?.length ?? 0));
    const median = column.latency === null ? '' : `${column.latency.median.toFixed(1)} ms`;
    return `${number}  ${name}  ${shownVerdict}${counts.join('')}${median.padStart(MEDIAN.length)}`;
  });
  const gap = ' '.repeat(5 + width + 2 + 20);
  return [
    paint(
      'dim',
      `${gap}${'MUST'.padStart(HEADS[0].length)}${'SHOULD'.padStart(HEADS.slice(1, 4).join('').length)}`,
    ),
    paint('dim', `     ${'store'.padEnd(width)}  ${'verdict'.padEnd(20)}${HEADS.join('')}${MEDIAN}`),
    ...rows,
  ];
}

function createdLines(columns: readonly Column[]): string[] {
  const lines = columns.flatMap((column) =>
    column.state === 'run' && column.created !== undefined && column.created.plants > 0
      ? [`   ${truncate(column.name, 32)}: ${createdText(column.created)}`]
      : [],
  );
  return lines.length === 0 ? [] : ['', 'Created in the stores', ...lines];
}

function causes(comparison: Comparison, paint: Paint): string[] {
  const shared = sharedCauses(comparison);
  if (shared.length === 0) return [];
  const rows = shared.map((one): TableRow => {
    const counts = ran(comparison).map((column) => checksAt(one, column));
    return {
      title: wrapped(visible(one.cause.title), TITLE_COLUMNS),
      level: one.cause.level,
      marks: counts.map((count) => (count === 0 ? '.' : String(count))),
    };
  });
  return [
    paint('bold', causeCount(shared)),
    '   columns numbered as above: how many failed checks a cause explains',
    ...matrix(comparison, rows, paint),
    '',
  ];
}

interface TableRow {
  readonly title: readonly string[];
  readonly level: string;
  readonly marks: readonly string[];
}

const isFailure = (mark: string) => /^\s*(?:F|\d+)$/.test(mark);

function matrix(comparison: Comparison, rows: readonly TableRow[], paint: Paint): string[] {
  const numbers = ran(comparison).map((column) => String(comparison.columns.indexOf(column) + 1));
  const width = Math.max(...rows.flatMap(({ title }) => title.map(widthOf)));
  const marksIn = (marks: readonly string[]) => marks.map((mark) => mark.padStart(3));
  return [
    paint('dim', `   ${' '.repeat(width)}        ${marksIn(numbers).join('')}`),
    ...rows.flatMap(({ title: [first = '', ...more], level, marks }) => [
      `   ${first}${' '.repeat(width - widthOf(first))}  ${level.padEnd(6)}${marksIn(marks)
        .map((mark) => (isFailure(mark) ? paint('red', mark) : mark))
        .join('')}`,
      ...more.map((line) => `   ${line}`),
    ]),
  ];
}

function disagreements(differential: Differential, paint: Paint): string[] {
  const { disagreements: list, more } = differential;
  if (list.length === 0) return [disagreementCount(differential)];
  const omitted = list.length - MAX_DISAGREEMENTS + more;
  return [
    paint('bold', disagreementCount(differential)),
    ...list.slice(0, MAX_DISAGREEMENTS).flatMap((one) => ['', ...formatDisagreement(one)]),
    ...(omitted > 0 ? ['', `and ${omitted} more`] : []),
  ];
}

function formatDisagreement({ label, request, payloads, ways }: Disagreement): string[] {
  const body = 'text' in request.body ? truncate(request.body.text, 160) : `(${request.body.bytes} bytes)`;
  return [
    `   ${truncate(label, 100)}: ${body}  (${counted(payloads, 'payload')})`,
    ...ways.map(
      ({ signature, answers }) =>
        `     ${signature}: ${answers.map(({ name, status }) => `${truncate(name, 32)}${status === undefined ? '' : ` ${status}`}`).join(', ')}`,
    ),
  ];
}
