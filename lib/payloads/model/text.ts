import { withWords } from '../fresh.ts';
import { COMPACT, type Json, padded, Raw, type Style } from '../json.ts';
import {
  adding,
  anyOf,
  changing,
  type Dimension,
  dimension,
  editing,
  inGroup,
  optional,
  type Value,
  type ValueGroup,
} from './dimension.ts';

/** Values that would exceed 64 KiB if every character were escaped. */
const UNESCAPED = { incompatibleWith: ['escapes'] } as const;

const KIB = 1024;
/** Pads the body to exactly this many bytes. */
const paddedTo = (bytes: number, name = `of exactly ${bytes} bytes`): Value =>
  editing(name, (text) => padded(Math.max(0, bytes - Buffer.byteLength(text)))(text));
const long = (length: number) => withWords((word) => `${word(8)}${'a'.repeat(length - 8)}`);
const spaces = (name: string, count: number) => editing(name, padded(count));

const TWO_LETTERS = withWords((word) => word(2));
const MANY_PROPERTIES = Array.from({ length: 600 }, (_, index): readonly [string, Json] => [
  `property${index}`,
  1n,
]);
/** Limits on a single string are usually round, too. */
const OVER = 64;
const LONG_LIST = new Raw(`[${Array.from({ length: 9000 }, (_, index) => index % 1000).join()}]`);

/**
 * The size of the body. Some software inspects only the first part of a body. Above 1 KiB, a store may answer
 * 413; above 64 KiB, a request is outside the contract. Applied before a defect, since it changes the plant.
 */
export const sizeDimension: Dimension = dimension('size', [
  changing('of less than 30 bytes', (plant) => plant.with('name', TWO_LETTERS).without('tag'), {
    incompatibleWith: ['name', 'tag', 'escapes', 'undeclared names', 'undeclared values'],
  }),
  ...inGroup('larger body', [
    paddedTo(900, 'of 900 bytes with white space'),
    ...optional([
      // Buffers usually have round sizes.
      anyOf([paddedTo(4 * KIB), paddedTo(KIB), paddedTo(8 * KIB), paddedTo(16 * KIB)]),
      spaces('of over 1 KiB with white space', KIB),
      adding('of over 2 KiB with undeclared text', [['notes', 'n'.repeat(OVER + 2 * KIB)]]),
      changing('of over 4 KiB with a long name', (plant) => plant.with('name', long(OVER + 4 * KIB))),
      anyOf([
        spaces('of over 4 KiB with white space', 4 * KIB),
        spaces('of over 16 KiB with white space', 16 * KIB),
      ]),
      changing(
        'of over 8 KiB with a long tag',
        (plant) => plant.with('tag', long(OVER + 8 * KIB)),
        UNESCAPED,
      ),
      adding('of over 8 KiB with many properties', MANY_PROPERTIES),
      adding('of over 16 KiB with undeclared text', [['notes', 'n'.repeat(OVER + 16 * KIB)]], UNESCAPED),
      adding('of over 32 KiB with a long list', [['list', LONG_LIST]]),
      spaces('of over 48 KiB with white space', 48 * KIB),
      adding('of over 48 KiB with a long property name', [['k'.repeat(48 * KIB), 1n]], UNESCAPED),
    ]),
  ]),
]);

const written = (name: string, style: Partial<Style>, ...groups: readonly ValueGroup[]): Value => ({
  name,
  groups,
  apply: (request) => ({ ...request, style: { ...COMPACT, ...request.style, ...style } }),
});

/** JSON as most serializers print it. Its gaps depend on the place; those of a `Style` repeat in a cycle. */
const printed = (name: string, between: string, atEnd: string): Value => ({
  name,
  apply: (request) => ({
    ...request,
    style: { ...request.style, gaps: [' ', '', between, ''] },
    edits: [
      ...request.edits,
      (text) => text.replace(between === ' ' ? '{ ' : '{', '{').replace(/}(?=\s*$)/, `${atEnd}}`),
    ],
  }),
});

export const WITH_CARRIAGE_RETURNS = 'written with carriage returns';
export const WITH_BLANK_LINES = 'written with blank lines between its parts';

const whiteSpace = dimension('white space', [
  printed('with JSON spaced as by Python', ' ', ''),
  printed('with indented JSON', '\n  ', '\n'),
  printed('with JSON indented with tabs', '\n\t', '\n'),
  written('written with spaces around everything', { gaps: [' '] }),
  anyOf([
    written(WITH_CARRIAGE_RETURNS, { gaps: ['\r\n'] }),
    // Two line ends also end the head of a message.
    written(WITH_BLANK_LINES, { gaps: ['\r\n\r\n'] }),
  ]),
  editing('followed by a line feed', (text) => `${text}\n`),
  editing('surrounded by white space', (text) => `\n  ${text}  `),
  // Enough for a segment that contains nothing but white space. More would exceed 1 KiB.
  editing('after 300 spaces', (text) => `${' '.repeat(300)}${text}`, {
    incompatibleWith: ['size', 'escapes'],
  }),
  editing('followed by 300 spaces', (text) => `${text}${' '.repeat(300)}`, {
    incompatibleWith: ['size', 'escapes'],
  }),
]);

const escapes = dimension('escapes', [
  written('with escaped values', { escapes: 'values' }, 'escaped values', 'lower-case escapes'),
  written('with escaped property names', { escapes: 'names' }, 'escaped names', 'lower-case escapes'),
  written(
    'with everything escaped in upper-case hexadecimal',
    { escapes: 'both', digits: 'upper' },
    'escaped names',
    'escaped values',
    'upper-case escapes',
  ),
  written(
    'with every other character escaped',
    { escapes: 'both', every: 2 },
    'escaped names',
    'escaped values',
    'lower-case escapes',
  ),
]);

export const textDimensions: readonly Dimension[] = [whiteSpace, escapes];
