import { areaOf } from '../check-ids.ts';
import { groupBy } from '../collections.ts';
import type { Paint } from '../report/wording/format-text.ts';
import type { About, Level } from '../run/check.ts';
import { counted } from '../text.ts';
import { type CatalogueEntry, commandFor, countsOf } from './entry.ts';

const COLOUR = { MUST: 'red', SHOULD: 'yellow', OBSERVE: 'cyan' } as const satisfies Record<Level, string>;

/** If fewer columns than this are left next to the id, the statement goes below it. */
const MIN_STATEMENT_CHARACTERS = 40;
const MIN_COLUMN_CHARACTERS = 20;

/** Checks as a table of `width` columns, grouped by area, with counts at the end. */
export function table(checks: readonly About[], width: number, paint: Paint): string {
  const widest = Math.max(...checks.map(({ id }) => id.length));
  const below = width - widest - 13 < MIN_STATEMENT_CHARACTERS;
  const rows = (members: readonly About[]) => {
    const longest = Math.max(...members.map(({ id }) => id.length));
    const indent = below ? 6 : longest + 13;
    return members.flatMap(({ id, level, statement }) => {
      const before = `  ${id.padEnd(longest)}  ${paint(COLOUR[level], level.padEnd(below ? 0 : 7))}`;
      const lines = wrappedLines(statement, width - indent);
      const rest = (from: number) => lines.slice(from).map((line) => `${' '.repeat(indent)}${line}`);
      return below ? [before, ...rest(0)] : [`${before}  ${lines[0]}`, ...rest(1)];
    });
  };
  return [
    ...groupBy(checks, areaOf).flatMap(([area, members]) => [
      `${paint('bold', area)}  ${paint('dim', countsOf(members))}`,
      ...rows(members),
      '',
    ]),
    `${counted(checks.length, 'check')}: ${countsOf(checks)}`,
    '',
  ].join('\n');
}

export function detail(entry: CatalogueEntry, width: number, paint: Paint): string {
  const { id, level, statement, basis, sends, hint } = entry;
  const part = (name: string, ...paragraphs: readonly string[]) =>
    paragraphs
      .flatMap((paragraph) => wrappedLines(paragraph, width - 9))
      .map((line, index) => `  ${paint('dim', (index === 0 ? name : '').padEnd(5))}  ${line}`);
  return [
    `${paint('bold', id)}  ${paint(COLOUR[level], level)}`,
    ...wrappedLines(statement, width - 2).map((line) => `  ${line}`),
    '',
    ...part('basis', ...basis.map(({ ref, text }) => (text === undefined ? ref : `${ref}: ${text}`))),
    '',
    ...part('sends', sends.text),
    // Not wrapped, since lines that the terminal wraps can still be copied.
    ...(sends.examples.length > 0 ? [''] : []),
    ...sends.examples.flatMap((example) =>
      example.split('\n').map((line) => (line === '' ? '' : `         ${line}`)),
    ),
    '',
    ...part('fix', hint),
    '',
    `  ${paint('dim', 'run')}    ${commandFor(entry)}`,
    '',
  ].join('\n');
}

/** Wraps a text at its spaces. A word that is longer than `width` gets a line of its own. */
export function wrappedLines(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > Math.max(width, MIN_COLUMN_CHARACTERS)) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
