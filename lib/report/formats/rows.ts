import { joinNeighbours, sum } from '../../collections.ts';
import { MAX_WORD_CHARACTERS } from '../wording/format-text.ts';

/** Characters that take up two columns on a terminal: East Asian wide characters and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}]/u;

const widthOfCharacter = (character: string) => (/\p{M}/u.test(character) ? 0 : WIDE.test(character) ? 2 : 1);

/** Returns the number of columns that a text without colours takes up. */
export const widthOf = (text: string): number => sum([...text], widthOfCharacter);

export const rowsOf = (line: string, columns: number): number =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours.
  Math.max(1, Math.ceil(widthOf(line.replace(/\u001b\[[\d;]*m/g, '')) / columns));

export const heightOf = (lines: readonly string[], columns: number): number =>
  sum(lines, (line) => rowsOf(line, columns));

/** Matches beginnings of lines that runners execute as commands, even after white space. */
const COMMAND = /^(?:::|##)/;

/**
 * Breaks a text into at most `max` rows, after words if possible; an ellipsis ends what is too long. Only the
 * first row may begin like a command for a CI runner, since the text may come from a store.
 */
export function wrapped(text: string, width: number, max = Number.POSITIVE_INFINITY): readonly string[] {
  const rows: string[] = [];
  let rest = text.trimEnd();
  while (widthOf(rest) > width) {
    if (rows.length + 1 >= max)
      return [...rows, `${rest.slice(0, lastBreakIn(rest, width - 1)).replace(/[\s…]+$/, '')}…`];
    const end = breakIn(rest, width);
    rows.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).trimStart();
    if (COMMAND.test(rest)) rest = `\\u00${rest.charCodeAt(0).toString(16)}${rest.slice(1)}`;
  }
  return [...rows, rest];
}

/** How much of a text fits into a row; at least one character. */
function longestIn(text: string, width: number): number {
  let used = 0;
  let end = 0;
  for (const character of text) {
    used += widthOfCharacter(character);
    if (used > width) break;
    end += character.length;
  }
  return Math.max(end, 1);
}

/** Where to break a text that is too long for a row; always after at least one character. */
function breakIn(text: string, width: number): number {
  const longest = longestIn(text, width);
  const ends = [...text.slice(0, longest + 1).matchAll(/\s/g)].map(({ index }) => index);
  const isSafe = (end: number) => !COMMAND.test(text.slice(end).trimStart()) && !isBeforeUnit(text, end);
  return ends.findLast((end) => end > 0 && end > longest / 3 && isSafe(end)) ?? longest;
}

/** Where to end the last row of a text that is too long: a long word is cut rather than dropped. */
function lastBreakIn(text: string, width: number): number {
  const longest = longestIn(text, width);
  const end = breakIn(text, width);
  return end < longest - MAX_WORD_CHARACTERS ? longest : end;
}

/** Whether a number ends here and its unit follows, as in `0.1 s`. */
const isBeforeUnit = (text: string, end: number): boolean =>
  /\d$/.test(text.slice(0, end)) && /^\s(?:×|ms|s|min|KiB|MiB)(?!\p{L})/u.test(text.slice(end));

/** Puts a head before the first row, and an indent, which is as wide by default, before the others. */
export const hanging = (
  head: string,
  rows: readonly string[],
  indent = ' '.repeat(head.length),
): readonly string[] => rows.map((row, index) => `${index === 0 ? head : indent}${row}`);

/** Returns a text whose lines are broken at the width of a terminal, with their further rows indented. */
export const folded = (text: string, columns: number): string =>
  text
    .split('\n')
    .flatMap((line) => foldedLine(line, columns))
    .join('\n');

/** The further rows are below the text after a label, such as `   request   `. */
function foldedLine(line: string, columns: number): readonly string[] {
  if (widthOf(line) <= columns) return [line];
  const [head = ''] = /^ *(?:reproduce |[a-z]+ {2,})?/.exec(line) ?? [];
  const indent = ' '.repeat(head.trim() === '' ? head.length + HANGING : head.length);
  const text = line.slice(head.length);
  const width = columns - indent.length;
  const rows = head.trim() === 'reproduce' ? shellRows(text, width) : wrapped(text, width);
  return hanging(head, rows, indent);
}

/** The indent of the second and later rows of a line without a label. */
const HANGING = 3;

/**
 * Breaks a shell line into rows that a shell still reads as one line: only between arguments, which stay
 * whole, so that they can be copied. The first row has its own width.
 */
export function shellRows(line: string, width: number, others = width): readonly string[] {
  const rows: string[] = [];
  let row = '';
  for (const argument of argumentsOf(line)) {
    const longer = row === '' ? argument : `${row} ${argument}`;
    if (row !== '' && widthOf(longer) + ' \\'.length > (rows.length === 0 ? width : others)) {
      rows.push(`${row} \\`);
      row = argument;
    } else row = longer;
  }
  return [...rows, row];
}

/** The arguments as they are written; an option includes its value. A line with a comment stays whole. */
function argumentsOf(line: string): readonly string[] {
  const parts: readonly string[] = line.match(ARGUMENT) ?? [];
  if (/\\$|(?:^|\s)#/.test(line) || parts.join(' ') !== line) return [line];
  return joinNeighbours(parts, (last, part) =>
    /^--?[\w-]+$/.test(last) && !part.startsWith('-') ? `${last} ${part}` : undefined,
  );
}

const ARGUMENT = /(?:\$'(?:[^'\\]|\\.)*'|'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\])+/gs;
