import fc, { type Arbitrary } from 'fast-check';
import type { TextLimits } from '../contract/schema.ts';
import { freshText } from './fresh.ts';
import type { FreshText } from './json.ts';

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'];
const LOWER = LETTERS.slice(26);
const NAME_CHARACTERS = [...LETTERS, ...'0123456789', ' ', '-', "'"];

const lengths = (limits: TextLimits, least: number, most: number) => {
  const max = Math.min(limits.max ?? Number.POSITIVE_INFINITY, Math.max(most, limits.min));
  return { minLength: Math.min(Math.max(limits.min, least), max), maxLength: max };
};

/**
 * The shortest of the names that are drawn at random. Shorter ones repeat themselves within a run, and a
 * store may hold each name once: uniqueness is one of the things that the interface does not show.
 * Names of fewer characters have cases of their own.
 */
const DISTINCT = 6;

/** Names as any store takes them: letters, digits, spaces, hyphens and apostrophes, a letter first. */
export const ordinaryName = (limits: TextLimits): Arbitrary<string> => {
  const { minLength, maxLength } = lengths(limits, DISTINCT, 40);
  // A store that trims is not blamed for what it does not echo: the last character is no space either.
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

/** Names with nothing but letters, for cases in which the name is not the point. */
export const plainName = (limits: TextLimits): Arbitrary<string> => {
  const bounds = lengths(limits, 10, 14);
  return fc.array(fc.constantFrom(...LOWER), { ...bounds, size: 'max' }).map((letters) => {
    const word = letters.join('');
    return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
  });
};

/** Tags as any store takes them: 1 to 20 lower-case letters. */
export const ordinaryTag = (limits: TextLimits): Arbitrary<string> =>
  fc
    .array(fc.constantFrom(...LOWER), { ...lengths(limits, 1, 20), size: 'max' })
    .map((letters) => letters.join(''));

const FORMATS: Readonly<Record<string, () => Arbitrary<string>>> = {
  date: () =>
    fc
      .date({ min: new Date('1970-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10)),
  'date-time': () =>
    fc
      .date({ min: new Date('1970-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
      .map((date) => date.toISOString()),
  email: () => fc.emailAddress(),
  hostname: () => fc.domain(),
  ipv4: () => fc.ipV4(),
  ipv6: () => fc.ipV6(),
  uri: () => fc.webUrl(),
  uuid: () => fc.uuid(),
};

/** Strings for a pattern or a format of the document, or undefined where it sets none that can be drawn. */
export function patterned({ patterns, format, min, max }: TextLimits): Arbitrary<string> | undefined {
  const [first, ...others] = patterns;
  const source =
    first === undefined ? (format === undefined ? undefined : FORMATS[format]?.()) : matching(first);
  return source?.filter((text) => {
    const length = [...text].length;
    return (
      length >= min &&
      length <= (max ?? Infinity) &&
      others.every((pattern) => new RegExp(pattern, 'u').test(text))
    );
  });
}

/** Strings of a regular expression, or undefined for one that they cannot be made from (with lookaheads, say). */
function matching(pattern: string): Arbitrary<string> | undefined {
  try {
    return fc.stringMatching(new RegExp(pattern, 'u'));
  } catch {
    return undefined;
  }
}

/** Strings that mean something to whatever may stand behind a store: parsers, databases, shells, templates, logs. */
export const HOSTILE: readonly string[] = [
  '',
  ' ',
  '\u0000',
  'nul\u0000inside',
  '\t\r\n',
  'line\nbreak',
  '\u0007\u001b[31mred\u001b[0m',
  '\u007f\u0080\u009f',
  '"',
  "'",
  '\\',
  '\\u0041\\n\\x00',
  "'; DROP TABLE plants; --",
  "' OR '1'='1",
  '1; SELECT pg_sleep(0)',
  '<script>alert(1)</script>',
  '<!-- -->]]>&amp;&lt;',
  '$(id) `id` | id ; id && id',
  '%s%s%n%d%x %%',
  '{{7*7}} ${7*7} #{7*7} <%= 7*7 %>',
  '${jndi:ldap://127.0.0.1/a}',
  '../../../../etc/passwd',
  'C:\\Windows\\System32\\',
  'a\r\nSet-Cookie: a=b',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'undefined',
  'NaN',
  'true',
  '0',
  '-1',
  '1e400',
  '0x1F',
  '12345678901234567890',
  '{"id":1,"name":"nested"}',
  '[]',
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
  '𝔓𝔩𝔞𝔫𝔱 𠜎',
  'Z\u0351\u036b\u0343\u036a\u0302a\u0308\u0310lgo',
  '\u200b\u200d\ufeff',
  '\ufffd\ufffe\uffff',
  '\u2028\u2029',
  '\u{10ffff}',
];

const LONG = [63, 64, 100, 128, 255, 256, 257, 511, 1000, 4000];

/** Code points of a kind, ends included. */
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

/** Any Unicode string that the limits admit: hostile words, every plane, and lengths at which columns end. */
export const anyString = (limits: TextLimits): Arbitrary<string | FreshText> => {
  const { min, max = 16_000 } = limits;
  const fitting = HOSTILE.filter((text) => [...text].length >= min && [...text].length <= max);
  const long = LONG.filter((length) => length >= min && length <= max);
  const bounds = { minLength: min, maxLength: Math.min(max, min + 40), size: 'max' } as const;
  return fc.oneof(
    ...(fitting.length > 0 ? [{ weight: 4, arbitrary: fc.constantFrom(...fitting) }] : []),
    ...(long.length > 0
      ? [
          {
            weight: 2,
            arbitrary: fc
              .tuple(fc.constantFrom(...long), fc.constantFrom('a', 'é', '木', '🌵'))
              .map(([length, letter]) => freshText(letter.repeat(length))),
          },
        ]
      : []),
    {
      weight: 6,
      arbitrary: fc.array(character, bounds).map((characters) => freshText(characters.join(''))),
    },
  );
};
