import { withWords } from './fresh.ts';
import type { FreshText } from './json.ts';
import { HOSTILE } from './string-samples.ts';

/** The empty string, white space, and single characters. These are too short to contain a fresh word. */
const SHORT_TEXTS = [
  ...['', ' ', '   ', '\t', '\n', '\u00a0', '\u2003', '\u3000'],
  ...['a', 'Z', '0', '-', "'", '_', 'é', '木', '🌵'],
];

/** Common sizes of columns and buffers, in characters or in bytes of UTF-8. */
const LENGTHS: readonly (readonly [letter: string, length: number])[] = [
  ...[64, 65, 100, 101, 128, 255, 256, 257, 1000, 4000].map((length) => ['a', length] as const),
  ['é', 128],
  ['木', 86],
  ['🌵', 64],
  ['🌵', 256],
];

/** Characters that a store may drop or reject at the beginning or end of a string. */
const EDGES: readonly (readonly [before: string, after: string])[] = [
  [' ', ''],
  ['', ' '],
  ['', '\n'],
  ['', '\u0000'],
  ['\ufeff', ''],
  // First and last characters of the blocks that strings are sampled from.
  ['~', '\u00ff'],
  ['\u0300', '\u036f'],
  ['\u0590', '\u06ff'],
  ['\u2000', '\u206f'],
  ['\u4e00', '\u9fff'],
  ['\ue000', '\uffff'],
  ['\u{1f300}', '\u{1faff}'],
  ['\u{10000}', '\u{10ffff}'],
  // ASCII punctuation, some of which allow lists often omit.
  ['.', ',;:!?'],
  ['(', ')[]{}'],
  ['#', '@&*+=/|^_`'],
  ['', '  inside'],
];

/** Strings with room for a word get a fresh word in each request, since names may have to be unique. */
export const edgeStrings: readonly (string | FreshText)[] = [
  ...SHORT_TEXTS,
  ...EDGES.map(([before, after]) => withWords((word) => `${before}${word(6)}${after}`)),
  ...LENGTHS.map(([letter, length]) => withWords((word) => `${word(6)}${letter.repeat(length - 6)}`)),
];

/** All strings on which stores are known to differ: the edge strings and the hostile ones. */
export const boundaryStrings: readonly (string | FreshText)[] = [
  ...edgeStrings,
  ...HOSTILE.filter((text) => !SHORT_TEXTS.includes(text)),
];
