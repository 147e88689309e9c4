import { shownText } from '../wording/format-text.ts';

const MAX_LINE_CHARACTERS = 2500;

/** Joins paragraphs and other blocks with empty lines, and omits empty ones. */
export const inBlocks = (blocks: readonly string[]) => blocks.filter((block) => block !== '').join('\n\n');

export const lines = (list: readonly string[]) => list.join('\n');

/** A run of backticks that is longer than any in the text, so that nothing in the text can end the code. */
const fence = (text: string, minimum: number) =>
  '`'.repeat(Math.max(minimum, 1 + Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length))));

export function code(text: string, maxCharacters?: number): string {
  const shown = shownText(text, maxCharacters);
  if (shown.trim() === '') return '(nothing)';
  const ticks = fence(shown, 1);
  // Renderers strip one space at each end of inline code.
  const pad = /^[ `]|[ `]$/.test(shown) ? ' ' : '';
  return `${ticks}${pad}${shown}${pad}${ticks}`;
}

export function fenced(block: readonly string[], language: string): string {
  const text = lines(
    block.map((line) =>
      line.length > MAX_LINE_CHARACTERS ? `${line.slice(0, MAX_LINE_CHARACTERS)}…` : line,
    ),
  );
  const ticks = fence(text, 3);
  return `${ticks}${language}\n${text}\n${ticks}`;
}

/** Escapes the suite's own text for Markdown, where a name such as __proto__ would be bold. */
export const prose = (text: string) => text.replace(/[`*_{}[\]<>#|~$@&]|\\(?=[!-/:-@[-`{-~])/g, '\\$&');

/** Formats untrusted text as code in a table cell, where a bar would end the cell even within code. */
export const cell = (text: string, maxCharacters?: number) =>
  code(text, maxCharacters).replaceAll('|', '\\|');
