import { withWords } from './fresh.ts';
import type { FreshText } from './json.ts';
import { HOSTILE } from './strings.ts';

/** The empty string, white space alone, and single characters: too short to hold anything new. */
const SHORTEST = [
  ...['', ' ', '   ', '\t', '\n', '\u00a0', '\u2003', '\u3000'],
  ...['a', 'Z', '0', '-', "'", '_', 'é', '木', '🌵'],
];

/** Where columns and buffers end, in characters or in bytes of UTF-8. */
const LENGTHS: readonly (readonly [letter: string, length: number])[] = [
  ...[64, 65, 100, 101, 128, 255, 256, 257, 1000, 4000].map((length) => ['a', length] as const),
  ['é', 128],
  ['木', 86],
  ['🌵', 64],
  ['🌵', 256],
];

/** What may stand at the beginning or at the end of a string, and not be kept or not be taken there. */
const EDGES: readonly (readonly [before: string, after: string])[] = [
  [' ', ''],
  ['', ' '],
  ['', '\n'],
  ['', '\u0000'],
  ['\ufeff', ''],
  // The ends of the blocks that strings are drawn from.
  ['~', '\u00ff'],
  ['\u0300', '\u036f'],
  ['\u0590', '\u06ff'],
  ['\u2000', '\u206f'],
  ['\u4e00', '\u9fff'],
  ['\ue000', '\uffff'],
  ['\u{1f300}', '\u{1faff}'],
  ['\u{10000}', '\u{10ffff}'],
  // Punctuation of ASCII, of which some sets of allowed characters leave a part out.
  ['.', ',;:!?'],
  ['(', ')[]{}'],
  ['#', '@&*+=/|^_`'],
  ['', '  inside'],
];

/**
 * Strings at the ends of what a store may accept: the shortest, what stands at an end, the lengths where columns end.
 * Where there is room for a word, it is another one in each request: a store may hold each string once.
 */
export const edgeStrings: readonly (string | FreshText)[] = [
  ...SHORTEST,
  ...EDGES.map(([before, after]) => withWords((word) => `${before}${word(6)}${after}`)),
  ...LENGTHS.map(([letter, length]) => withWords((word) => `${word(6)}${letter.repeat(length - 6)}`)),
];

/** All strings at which stores are known to differ: those, and those that mean something to what stands behind one. */
export const boundaryStrings: readonly (string | FreshText)[] = [
  ...edgeStrings,
  ...HOSTILE.filter((text) => !SHORTEST.includes(text)),
];
