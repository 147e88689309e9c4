import { short } from './explain.ts';

/** Characters of a line of a code block. */
const LONGEST_LINE = 2500;

/** Blocks with an empty line between them. */
export const joined = (blocks: readonly string[]) => blocks.filter((block) => block !== '').join('\n\n');

export const lines = (list: readonly string[]) => list.join('\n');

/** A row of backticks that is longer than any in a text, so that nothing in it ends the code. */
const fence = (text: string, least: number) =>
  '`'.repeat(Math.max(least, 1 + Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length))));

/** Untrusted text in a line. */
export function code(text: string, longest?: number): string {
  const shown = short(text, longest);
  if (shown.trim() === '') return '(nothing)';
  const ticks = fence(shown, 1);
  // One space at either end is taken off again.
  const pad = /^[ `]|[ `]$/.test(shown) ? ' ' : '';
  return `${ticks}${pad}${shown}${pad}${ticks}`;
}

/** Lines with untrusted text in them, each beginning with a word of ours. */
export function fenced(block: readonly string[], language: string): string {
  const text = lines(
    block.map((line) => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line)),
  );
  const ticks = fence(text, 3);
  return `${ticks}${language}\n${text}\n${ticks}`;
}

/** The suite's own words in Markdown: names such as __proto__ are not meant to be bold. */
export const prose = (text: string) => text.replace(/[`*_{}[\]<>#|~$@&]|\\(?=[!-/:-@[-`{-~])/g, '\\$&');

/** Untrusted text in a cell of a table, where a bar would end it even in code. */
export const cell = (text: string, longest?: number) => code(text, longest).replaceAll('|', '\\|');
