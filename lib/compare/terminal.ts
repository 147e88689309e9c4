import { hanging, widthOf, wrapped } from '../report/formats/rows.ts';
import { createdText, documentText } from '../report/wording/facts.ts';
import { type Paint, shownText, uncoloured, visible } from '../report/wording/format-text.ts';
import { countToJudge } from '../run/result/verdict.ts';
import { counted, squeezed } from '../text.ts';
import type { Column, Comparison, Disagreement } from './comparison.ts';
import { isAnsweredDifferently, questionsOf } from './questions.ts';
import { resultSentence } from './result.ts';
import {
  causeCount,
  checksAt,
  type Differential,
  differing,
  differingCount,
  disagreementCount,
  MARKS,
  ran,
  reasonOf,
  sharedCauses,
  verdictOf,
} from './table.ts';

const MAX_DISAGREEMENTS = 8;

/** Width of the report, of which the table of stores fills the most. */
const COLUMNS = 80;

/** Width of a cause's title in columns. A longer title continues on the next row. */
const TITLE_COLUMNS = 48;

/** Reports a comparison on a terminal: stores, causes, checks and disagreements, then one sentence. */
export function comparisonText(comparison: Comparison, paint: Paint = uncoloured): string {
  const { suite, document, options, differential } = comparison;
  return `${[
    paint('bold', `${suite.name} ${suite.version}`),
    `document  ${documentText(document, shownText)}`,
    `run       --seed ${options.seed} --cases ${options.cases}${options.thorough === true ? ' --thorough' : ''}; ${comparison.columns.length} stores`,
    '',
    ...summary(comparison.columns, paint),
    '',
    ...causes(comparison, paint),
    ...checks(comparison, paint),
    '',
    ...behaviour(comparison),
    ...(differential === null ? [] : ['', ...disagreements(differential, paint)]),
    ...createdLines(comparison.columns),
    '',
    ...wrapped(resultSentence(comparison), COLUMNS).map((row) => paint('bold', row)),
  ].join('\n')}\n`;
}

/** A text in rows, each after an indent; rows after the first are indented further. */
const indented = (text: string, indent: string): readonly string[] =>
  hanging(indent, wrapped(text, COLUMNS - indent.length - 2), `${indent}  `);

const HEADS = ['verdict'.padEnd(19), 'MUST'.padEnd(9), 'SHOULD'.padEnd(9), 'median time'] as const;
const NUMBER_COLUMNS = 5;

function summary(stores: readonly Column[], paint: Paint): readonly string[] {
  const heads = HEADS.join('  ');
  const room = COLUMNS - NUMBER_COLUMNS - 2 - heads.length;
  const names = stores.map(({ name }) => wrapped(visible(name), room, 1)[0] ?? '');
  const width = Math.max('store'.length, ...names.map(widthOf));
  const padded = (name: string) => `${name}${' '.repeat(width - widthOf(name))}`;
  const rows = stores.flatMap((column, index) => {
    const { colour, words } = verdictOf(column);
    const first = `${String(index + 1).padStart(3)}  ${padded(names[index] ?? '')}  `;
    const verdict = paint(colour, words.padEnd(HEADS[0].length));
    const reason = reasonOf(column);
    if (column.state === 'not-run' || column.stop !== null)
      return [
        `${first}${verdict}`.trimEnd(),
        ...(reason === undefined ? [] : indented(shownText(reason), ' '.repeat(NUMBER_COLUMNS))),
      ];
    const { MUST, SHOULD } = column.summary;
    const median = column.latency === null ? '' : `${column.latency.median.toFixed(1)} ms`;
    const passed = [MUST, SHOULD].map((counts) => `${counts.pass} of ${countToJudge(counts)}`.padEnd(9));
    return [
      `${first}${[verdict, ...passed, median.padStart(HEADS[3].length)].join('  ')}`.trimEnd(),
      ...(MUST.untestable === 0
        ? []
        : [`${' '.repeat(NUMBER_COLUMNS)}${counted(MUST.untestable, 'MUST check')} could not be tested`]),
    ];
  });
  return [paint('dim', `${' '.repeat(NUMBER_COLUMNS)}${padded('store')}  ${heads}`), ...rows];
}

function createdLines(stores: readonly Column[]): readonly string[] {
  const lines = stores.flatMap((column) =>
    column.state === 'run' && column.created !== undefined && column.created.plants > 0
      ? indented(`${shownText(column.name, 32)}: ${createdText(column.created)}`, '   ')
      : [],
  );
  return lines.length === 0 ? [] : ['', 'Created in the stores', ...lines];
}

function causes(comparison: Comparison, paint: Paint): readonly string[] {
  const shared = sharedCauses(comparison);
  if (shared.length === 0) return [];
  const rows = shared.map((one, index): TableRow => {
    const counts = ran(comparison).map((column) => checksAt(one, column));
    const number = `${index + 1}. `;
    return {
      title: hanging(number, wrapped(visible(one.cause.title), TITLE_COLUMNS - number.length)),
      aside: one.cause.level,
      marks: counts.map((count) => (count === 0 ? '.' : String(count))),
    };
  });
  return [
    paint('bold', causeCount(shared)),
    '   columns as above: how many failed checks a cause explains',
    ...matrix(comparison, '', rows, paint),
    '',
  ];
}

function checks(comparison: Comparison, paint: Paint): readonly string[] {
  const rows = differing(comparison);
  const count = differingCount(rows.length, comparison);
  if (rows.length === 0) return [`${count}.`];
  const legend = Object.entries(MARKS).map(([verdict, mark]) => `${mark} ${verdict}`);
  return [
    paint('bold', `${count}, grouped by cause`),
    ...indented(`columns as above: ${legend.join(', ')}`, '   '),
    ...matrix(
      comparison,
      'cause',
      rows.map(({ id, level, causes: numbers, marks }) => ({
        title: [id],
        aside: `${level.padEnd(7)} ${numbers}`,
        marks,
      })),
      paint,
    ),
  ];
}

interface TableRow {
  readonly title: readonly string[];
  /** What stands between the title and the marks: the level, and notes. */
  readonly aside: string;
  readonly marks: readonly string[];
}

const isFailure = (mark: string) => /^\s*(?:F|\d+)$/.test(mark);

function matrix(
  comparison: Comparison,
  head: string,
  rows: readonly TableRow[],
  paint: Paint,
): readonly string[] {
  const numbers = ran(comparison).map((column) => String(comparison.columns.indexOf(column) + 1));
  const width = Math.max(...rows.flatMap(({ title }) => title.map(widthOf)));
  const headAside = `${' '.repeat(8)}${head}`;
  const asideWidth = Math.max(head === '' ? 0 : headAside.length, ...rows.map(({ aside }) => aside.length));
  const marksIn = (marks: readonly string[]) => marks.map((mark) => mark.padStart(3));
  return [
    paint(
      'dim',
      `   ${' '.repeat(width)}  ${headAside.slice(0, asideWidth).padEnd(asideWidth)}${marksIn(numbers).join('')}`,
    ),
    ...rows.flatMap(({ title: [first = '', ...more], aside, marks }) => [
      `   ${first}${' '.repeat(width - widthOf(first))}  ${aside.padEnd(asideWidth)}${marksIn(marks)
        .map((mark) => (isFailure(mark) ? paint('red', mark) : mark))
        .join('')}`,
      ...more.map((line) => `   ${line}`),
    ]),
  ];
}

function behaviour(comparison: Comparison): readonly string[] {
  const questions = questionsOf(comparison);
  const open = questions.filter(isAnsweredDifferently).length;
  if (open === 0) return wrapped('The stores agree on what the interface leaves open.', COLUMNS);
  return wrapped(
    `${open} of ${counted(questions.length, 'question')} that the interface leaves open ${open === 1 ? 'is' : 'are'} answered differently (--format html --out DIR shows how)`,
    COLUMNS,
  );
}

function disagreements(differential: Differential, paint: Paint): readonly string[] {
  const { disagreements: list, more } = differential;
  if (list.length === 0) return [disagreementCount(differential)];
  const omitted = Math.max(0, list.length - MAX_DISAGREEMENTS) + more;
  return [
    paint('bold', disagreementCount(differential)),
    ...list.slice(0, MAX_DISAGREEMENTS).flatMap((one) => ['', ...formatDisagreement(one)]),
    ...(omitted > 0 ? ['', `and ${omitted} more`] : []),
  ];
}

function formatDisagreement({ label, request, payloads, ways }: Disagreement): readonly string[] {
  const { body } = request;
  const text = 'text' in body ? shownText(squeezed(body.text), 160) : `(${counted(body.bytes, 'byte')})`;
  return [
    ...indented(`${shownText(label, 100)}: ${text}  (${counted(payloads, 'payload')})`, '   '),
    ...ways.flatMap(({ signature, answers }) => {
      const names = answers.map(
        ({ name, status }) => `${shownText(name, 32)}${status === undefined ? '' : ` ${status}`}`,
      );
      return indented(`${signature}: ${names.join(', ')}`, '     ');
    }),
  ];
}
