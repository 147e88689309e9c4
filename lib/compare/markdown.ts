import { cell, code, inBlocks, lines, prose } from '../report/formats/markdown-text.ts';
import { countToJudge } from '../run/result/verdict.ts';
import { counted, squeezed } from '../text.ts';
import type { Comparison, Disagreement } from './comparison.ts';
import {
  causeCount,
  checksAt,
  differing,
  differingCount,
  disagreementCount,
  MARKS,
  type RunColumn,
  ran,
  reasonOf,
  sharedCauses,
  verdictOf,
} from './table.ts';

/** Keeps the text within the 65,536 characters of a GitHub comment. */
const MAX_ROWS = 120;
const MAX_DISAGREEMENTS = 12;
const MAX_TITLE_CHARACTERS = 300;

/** Returns a comparison in Markdown, for a page or a comment. Text from stores always appears as code. */
export function comparisonMarkdown(comparison: Comparison): string {
  return `${inBlocks([
    `## ${comparison.suite.name}: ${comparison.columns.length} stores side by side`,
    summaryTable(comparison),
    `Seed ${comparison.options.seed}, ${comparison.options.cases} cases${comparison.options.thorough === true ? ', thorough' : ''}, ${comparison.startedAt.slice(0, 10)}, suite ${comparison.suite.version}.`,
    causes(comparison),
    matrix(comparison),
    disagreements(comparison),
  ])}\n`;
}

export function summaryTable({ columns }: Comparison): string {
  const rows = columns.map((column) => {
    const { name, implementation } = column;
    const what =
      implementation === undefined
        ? ''
        : ` ${prose(implementation.framework)} ${prose(implementation.version)}`;
    const reason = reasonOf(column);
    const verdict = `${verdictOf(column).words}${reason === undefined ? '' : `: ${cell(reason, 240)}`}`;
    const head = `| ${cell(name, 40)}${what} | ${verdict} |`;
    if (column.state === 'not-run' || column.stop !== null) return `${head} | | |`;
    const { MUST, SHOULD } = column.summary;
    const passed = [MUST, SHOULD].map((count) => `${count.pass} of ${countToJudge(count)}`);
    return `${head} ${passed.join(' | ')} | ${column.latency?.median.toFixed(1) ?? ''} |`;
  });
  return lines([
    '| store | verdict | MUST | SHOULD | median ms |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
  ]);
}

function causes(comparison: Comparison): string {
  const shared = sharedCauses(comparison);
  if (shared.length === 0) return '';
  const columns = ran(comparison);
  return inBlocks([
    `### ${causeCount(shared)}`,
    'How many failed checks each cause explains.',
    lines([
      ...head('cause', ['level'], columns),
      ...shared
        .slice(0, MAX_ROWS)
        .map(
          (one, index) =>
            `| ${index + 1}. ${cell(one.cause.title, MAX_TITLE_CHARACTERS)} | ${one.cause.level} | ${columns.map((column) => checksAt(one, column) || '').join(' | ')} |`,
        ),
    ]),
    shared.length > MAX_ROWS ? `And ${shared.length - MAX_ROWS} more.` : '',
  ]);
}

const head = (title: string, more: readonly string[], columns: readonly RunColumn[]): readonly string[] => [
  `| ${[title, ...more, ...columns.map(({ name }) => cell(name, 40))].join(' | ')} |`,
  `| --- | ${more.map(() => '---').join(' | ')} | ${columns.map(() => ':-:').join(' | ')} |`,
];

const marked = (mark: string) => `\`${mark}\``;

function matrix(comparison: Comparison): string {
  const rows = differing(comparison);
  const count = differingCount(rows.length, comparison);
  if (rows.length === 0) return `${count}.`;
  const legend = Object.entries(MARKS).map(([verdict, mark]) => `${marked(mark)} ${verdict}`);
  return inBlocks([
    `<details>\n<summary>${count}</summary>`,
    `${legend.join(', ')}.`,
    lines([
      ...head('check', ['level', 'cause'], ran(comparison)),
      ...rows
        .slice(0, MAX_ROWS)
        .map(
          ({ id, level, causes: numbers, marks }) =>
            `| \`${id}\` | ${level} | ${numbers} | ${marks.map(marked).join(' | ')} |`,
        ),
    ]),
    '</details>',
  ]);
}

function disagreements({ differential }: Comparison): string {
  if (differential === null) return '';
  const { disagreements: list, more } = differential;
  if (list.length === 0) return disagreementCount(differential);
  const omitted = Math.max(0, list.length - MAX_DISAGREEMENTS) + more;
  return inBlocks([
    `### ${disagreementCount(differential)}`,
    ...list.slice(0, MAX_DISAGREEMENTS).map(formatDisagreement),
    omitted > 0 ? `And ${omitted} more.` : '',
  ]);
}

const formatDisagreement = ({ label, request, payloads, ways }: Disagreement): string =>
  inBlocks([
    `- ${code(label, 100)}, ${counted(payloads, 'payload')}, such as ${code('text' in request.body ? squeezed(request.body.text) : request.body.base64, 200)}`,
    lines(
      ways.map(
        ({ signature, answers }) =>
          `  - ${prose(signature)}: ${answers.map(({ name, status }) => `${code(name, 40)}${status === undefined ? '' : ` (${status})`}`).join(', ')}`,
      ),
    ),
  ]);
