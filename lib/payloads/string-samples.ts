import fc, { type Arbitrary, Random } from 'fast-check';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { compact } from '../collections.ts';
import type { TextLimits } from '../contract/shape.ts';
import { capitalised } from '../text.ts';
import { freshText } from './fresh.ts';
import type { FreshText } from './json.ts';
import { memoised } from './memoised.ts';
import { patternOf } from './pattern.ts';

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'];
const LOWER = LETTERS.slice(26);
const NAME_CHARACTERS = [...LETTERS, ...'0123456789', ' ', '-', "'"];

const lengths = (limits: TextLimits, least: number, most: number) => {
  const max = Math.min(limits.max ?? Number.POSITIVE_INFINITY, Math.max(most, limits.min));
  return { minLength: Math.min(Math.max(limits.min, least), max), maxLength: max };
};

/** Shorter names would repeat within a run, and a store may require unique ones. */
const MIN_DISTINCT_LENGTH = 6;

/** Names that any store accepts: letters, digits, spaces, hyphens and apostrophes, starting with a letter. */
export const ordinaryName = (limits: TextLimits): Arbitrary<string> => {
  const { minLength, maxLength } = lengths(limits, MIN_DISTINCT_LENGTH, 40);
  // No space at the end, since a store may trim names.
  return fc
    .tuple(
      fc.constantFrom(...LETTERS),
      fc.array(fc.constantFrom(...NAME_CHARACTERS), {
        minLength: Math.max(0, minLength - 1),
        maxLength: Math.max(0, maxLength - 1),
        size: 'max',
      }),
    )
    .map(([first, rest]) => [first, ...rest].join('').replace(/ $/, 'n'));
};

/** Names that consist only of letters, for cases in which the name does not matter. */
export const plainName = (limits: TextLimits): Arbitrary<string> =>
  lowerCase(lengths(limits, 10, 14)).map(capitalised);

/** Tags that any store accepts: 1 to 20 lower-case letters. Plants share tags, so every third is the same. */
export const ordinaryTag = (limits: TextLimits): Arbitrary<string> => {
  const bounds = lengths(limits, 1, 20);
  const isAllowed = bounds.minLength <= SHARED_TAG.length && SHARED_TAG.length <= bounds.maxLength;
  const shared = { arbitrary: fc.constant(SHARED_TAG), weight: isAllowed ? 1 : 0 };
  return fc.oneof({ arbitrary: lowerCase(bounds), weight: 2 }, shared);
};

const SHARED_TAG = 'indoor';

const lowerCase = (bounds: { readonly minLength: number; readonly maxLength: number }): Arbitrary<string> =>
  fc.array(fc.constantFrom(...LOWER), { ...bounds, size: 'max' }).map((letters) => letters.join(''));

const DATE = '20[0-9]{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])';
const TIME = '(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z';
const HOST = '(?:[a-z]{1,30}\\.){1,6}example';
const POINTER = '(?:/[a-z]{1,20})+';
const FORMATS: Readonly<Record<string, string>> = {
  date: `^${DATE}$`,
  time: `^${TIME}$`,
  'iso-time': `^${TIME}$`,
  'date-time': `^${DATE}T${TIME}$`,
  'iso-date-time': `^${DATE}T${TIME}$`,
  duration: '^P[1-9][0-9]{0,2}DT[1-9][0-9]?H$',
  email: `^[a-z]{1,60}@${HOST}$`,
  hostname: `^${HOST}$`,
  ipv4: '^10(?:\\.[1-9][0-9]?){3}$',
  ipv6: '^2001:db8(?::[1-9a-f][0-9a-f]{0,3}){6}$',
  uri: `^https://${HOST}/[a-z]*$`,
  url: `^https://${HOST}/[a-z]*$`,
  'uri-reference': `^https://${HOST}/[a-z]*$`,
  'uri-template': `^https://${HOST}/\\{[a-z]{1,20}\\}$`,
  uuid: '^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$',
  regex: '^[a-z]+$',
  'json-pointer': `^${POINTER}$`,
  'json-pointer-uri-fragment': `^#${POINTER}$`,
  'relative-json-pointer': `^[1-9]${POINTER}$`,
  byte: '^(?:[A-Za-z0-9+/]{4})+$',
};

/** Limits on the search for a string that matches everything: attempts, and characters in total. */
const [MAX_TRIES, MAX_CHARACTERS] = [200, 400_000];
const MAX_FREE_CHARACTERS = 24;

/** Samples strings of a pattern or format; undefined if there is neither, or no string can be found. */
export const patterned = memoised(stringsFor);

export const isPatterned = ({ patterns, format = '' }: TextLimits): boolean =>
  patterns.length > 0 || Object.hasOwn(FORMATS, format);

function stringsFor(limits: TextLimits): Arbitrary<string> | undefined {
  if (!isPatterned(limits)) return undefined;
  const format = FORMATS[limits.format ?? ''];
  const sources = [...limits.patterns, ...(format === undefined ? [] : [format])].map(patternOf);
  const tests = limits.patterns.map((pattern) => new RegExp(pattern, 'u'));
  const { min, max = Number.POSITIVE_INFINITY } = limits;
  const make = (seed: number): string | undefined => {
    const random = new Random(xoroshiro128plus(seed));
    const choose = (bound: number) => random.nextInt(0, bound - 1);
    for (let [attempt, effort] = [0, 0]; attempt < MAX_TRIES && effort < MAX_CHARACTERS; attempt += 1) {
      const source = sources[attempt % sources.length];
      if (source === undefined) break;
      const minLength = Math.max(min, source.minLength);
      const maxLength = Math.min(max, source.maxLength, minLength + MAX_FREE_CHARACTERS);
      if (minLength > maxLength) continue;
      const text = source.write(minLength + choose(maxLength - minLength + 1), choose, attempt % 4 > 1);
      const length = [...text].length;
      effort += length;
      if (length >= min && length <= max && tests.every((one) => one.test(text))) return text;
    }
    return undefined;
  };
  const known = make(0);
  return known === undefined ? undefined : fc.nat().map((seed) => make(seed) ?? known);
}

/** Strings that mean something to software behind a store: parsers, databases, shells, templates, logs. */
export const HOSTILE: readonly string[] = [
  ...['', ' ', '\u0000', 'nul\u0000inside', '\t\r\n', 'line\nbreak'],
  ...['\u0007\u001b[31mred\u001b[0m', '\u007f\u0080\u009f'],
  ...['"', "'", '\\', '\\u0041\\n\\x00'],
  "'; DROP TABLE plants; --",
  "' OR '1'='1",
  '1; SELECT pg_sleep(0)',
  '<script>alert(1)</script>',
  '<!-- -->]]>&amp;&lt;',
  '$(id) `id` | id ; id && id',
  '%s%s%n%d%x %%',
  '{{7*7}} ${7*7} #{7*7} <%= 7*7 %>',
  // For functions that replace text: references to the match.
  "$& $1 $$ $` $' \\1",
  // For patterns that backtrack exponentially.
  `${'a'.repeat(64)}!`,
  '${jndi:ldap://127.0.0.1/a}',
  '../../../../etc/passwd',
  // Escapes of many languages, but \u is not followed by digits.
  'C:\\users\\xenia\\Notes\\',
  'a\r\nSet-Cookie: a=b',
  ...['__proto__', 'constructor', 'toString', 'null', 'undefined', 'NaN', 'true'],
  ...['0', '-1', '1e400', '0x1F', '12345678901234567890'],
  // For readers of numerals: digits that are not decimal, and decimal ones of another script.
  ...['plot 7²', 'bed ①', '٣', '½ Ⅻ'],
  ...['{"id":1,"name":"nested"}', '[]'],
  // For readers that guess types: of YAML, dates, spreadsheets, URLs and HTML.
  ...['yes', '1_000', '2026-02-30', '=1+1', '%41%2e+&eacute;'],
  'Ünïcödé Ærøskøbing ß ẞ',
  'e\u0301 is not \u00e9',
  'İstanbul ıi',
  'Ω≈ç√∫˜µ≤≥÷',
  'サボテン 仙人掌 선인장',
  'صبار',
  '\u202eright to left\u202c',
  'שָׁלוֹם mixed עברית',
  '🌵',
  '👩🏽‍🌾🪴🇳🇴',
  // Truncation after an even number of UTF-16 code units splits a character.
  `a${'🌵'.repeat(130)}`,
  '𝔓𝔩𝔞𝔫𝔱 𠜎',
  'Z\u0351\u036b\u0343\u036a\u0302a\u0308\u0310lgo',
  ...['\u200b\u200d\ufeff', '\ufffd\ufffe\uffff', '\u2028\u2029', '\u{10ffff}'],
];

const LONG = [63, 64, 100, 128, 255, 256, 257, 511, 1000, 4000];

/** Ranges of code points, inclusive. */
const BLOCKS: readonly (readonly [weight: number, from: number, to: number])[] = [
  [5, 0x20, 0x7e],
  [2, 0x00, 0xff],
  [1, 0x0300, 0x036f], // combining
  [1, 0x0590, 0x06ff], // right to left
  [1, 0x2000, 0x206f], // spaces, joiners, directions
  [1, 0x4e00, 0x9fff],
  [1, 0xe000, 0xffff],
  [2, 0x1f300, 0x1faff],
  [1, 0x10000, 0x10ffff],
];

const character: Arbitrary<string> = fc.oneof(
  ...BLOCKS.map(([weight, min, max]) => ({
    weight,
    arbitrary: fc.integer({ min, max }).map((code) => String.fromCodePoint(code)),
  })),
);

export const anyString = (limits: TextLimits): Arbitrary<string | FreshText> => {
  const { min, max = 16_000 } = limits;
  const fitting = HOSTILE.filter((text) => [...text].length >= min && [...text].length <= max);
  const long = LONG.filter((length) => length >= min && length <= max);
  const bounds = { minLength: min, maxLength: Math.min(max, min + 40), size: 'max' } as const;
  const mixed = fc.array(character, bounds).map((characters) => freshText(characters.join('')));
  return fc.oneof(
    ...compact<fc.WeightedArbitrary<string | FreshText>>(
      fitting.length > 0 && { weight: 4, arbitrary: fc.constantFrom(...fitting) },
      long.length > 0 && {
        weight: 2,
        arbitrary: fc
          .tuple(fc.constantFrom(...long), fc.constantFrom('a', 'é', '木', '🌵'))
          .map(([length, letter]) => freshText(letter.repeat(length))),
      },
      { weight: 6, arbitrary: mixed },
    ),
  );
};
