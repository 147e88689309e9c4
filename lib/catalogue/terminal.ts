import { areaOf, groupBy } from '../groups.ts';
import type { Paint } from '../report/explain.ts';
import type { About, Level } from '../run/check.ts';
import { aloneWith, countsOf, type Entry } from './entry.ts';

const COLOUR = { MUST: 'red', SHOULD: 'yellow', OBSERVE: 'cyan' } as const satisfies Record<Level, string>;

/** Columns that a statement needs beside its id; with fewer it stands below. */
const BESIDE = 40;
/** Columns that a text gets at least, however narrow the terminal. */
const NARROWEST = 20;

/** Checks as a table for a terminal of so many columns: a group for each area, and the counts below. */
export function table(checks: readonly About[], width: number, paint: Paint): string {
  const widest = Math.max(...checks.map(({ id }) => id.length));
  const below = width - widest - 13 < BESIDE;
  const rows = (members: readonly About[]) => {
    const longest = Math.max(...members.map(({ id }) => id.length));
    const indent = below ? 6 : longest + 13;
    return members.flatMap(({ id, level, statement }) => {
      const before = `  ${id.padEnd(longest)}  ${paint(COLOUR[level], level.padEnd(below ? 0 : 7))}`;
      const lines = wrapped(statement, width - indent);
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
    `${checks.length} ${checks.length === 1 ? 'check' : 'checks'}: ${countsOf(checks)}`,
    '',
  ].join('\n');
}

/** One check at length, for a terminal of so many columns. */
export function detail(entry: Entry, width: number, paint: Paint): string {
  const { id, level, statement, basis, sends, hint } = entry;
  const part = (name: string, ...paragraphs: readonly string[]) =>
    paragraphs
      .flatMap((paragraph) => wrapped(paragraph, width - 9))
      .map((line, index) => `  ${paint('dim', (index === 0 ? name : '').padEnd(5))}  ${line}`);
  return [
    `${paint('bold', id)}  ${paint(COLOUR[level], level)}`,
    ...wrapped(statement, width - 2).map((line) => `  ${line}`),
    '',
    ...part('basis', ...basis.map(({ ref, text }) => (text === undefined ? ref : `${ref}: ${text}`))),
    '',
    ...part('sends', sends.text),
    // Unbroken: what a terminal breaks by itself can still be copied.
    ...(sends.examples.length > 0 ? [''] : []),
    ...sends.examples.flatMap((example) =>
      example.split('\n').map((line) => (line === '' ? '' : `         ${line}`)),
    ),
    '',
    ...part('mend', hint),
    '',
    `  ${paint('dim', 'run')}    ${aloneWith(entry)}`,
    '',
  ].join('\n');
}

/** A text in lines of so many characters, broken at its spaces; a longer word has a line of its own. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > Math.max(width, NARROWEST)) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
