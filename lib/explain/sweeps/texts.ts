import { withWords } from '../../payloads/fresh.ts';
import type { FreshText } from '../../payloads/json.ts';
import type { Cell, CellClass, Scale, Sweep } from '../cells.ts';

/** Values of a string property, and whether it is there at all. */
export function textSweep(property: string, isRequired: boolean): Sweep {
  const cellOf = (
    value: string,
    clause: string,
    text: FreshText | string,
    classes: readonly string[],
  ): Cell => ({
    value,
    words: { clause: `${property} ${clause}` },
    apply: (state) => ({ ...state, plant: state.plant.with(property, text) }),
    classes: [...(text === '' ? [] : ['present']), ...classes],
  });
  const marks = MARKS.map(([mark, words, ...classes]) =>
    cellOf(
      words,
      `contains ${words}`,
      withWords((word) => `${word(6)}${mark}${word(5)}`),
      ['mark', ...classes],
    ),
  );
  const forms = FORMS.map(([words, form, ...classes]) =>
    cellOf(words, words, form === '' ? '' : withWords((word, digit) => filled(form, word, digit)), classes),
  );
  const absent: Cell = {
    value: `no ${property}`,
    words: { clause: `there is no ${property}` },
    apply: (state) => ({ ...state, plant: state.plant.without(property) }),
    classes: ['absent'],
  };
  return {
    part: property,
    cells: [...marks, ...forms, ...(isRequired ? [] : [absent])],
    classes: classesOf(property),
    scale: lengths(property),
  };
}

const filled = (form: string, word: (length: number) => string, digit: () => string): string =>
  form
    .replaceAll('WORD', () => word(6).toUpperCase())
    .replaceAll('Word', () => word(6).replace(/^./, (letter) => letter.toUpperCase()))
    .replaceAll('word', () => word(6))
    .replaceAll('#', () => digit());

/** Characters with a meaning to software, their words, and their classes. */
const MARKS: readonly (readonly [mark: string, words: string, ...classes: string[]])[] = [
  [' ', 'a space'],
  ['-', 'a hyphen', 'punctuation'],
  ["'", 'an apostrophe', 'punctuation', 'quotes'],
  ['7', 'a digit'],
  ['"', 'a quotation mark', 'punctuation', 'quotes', 'escaped'],
  ['\\', 'a backslash', 'punctuation', 'escaped'],
  ['/', 'a slash', 'punctuation'],
  ['<', '<', 'punctuation', 'markup'],
  ['>', '>', 'punctuation', 'markup'],
  ['&', '&', 'punctuation', 'markup'],
  ['%', '%', 'punctuation'],
  ['%s', 'a format such as %s'],
  ['{{7*7}}', 'a template such as {{7*7}}', 'template'],
  ['${x}', 'a template such as ${x}', 'template'],
  [';', 'a semicolon', 'punctuation'],
  ['.', 'a full stop', 'punctuation'],
  ['_', 'an underscore', 'punctuation'],
  ['é', 'an accented letter', 'not ASCII', 'accents'],
  ['e\u0301', 'a combining character', 'not ASCII', 'accents'],
  ['木', 'a Chinese character', 'not ASCII'],
  ['ש', 'a right-to-left letter', 'not ASCII'],
  ['🌵', 'an astral character', 'not ASCII'],
  ['\u200b', 'an invisible character', 'not ASCII'],
  ['\u2028', 'a line separator', 'not ASCII'],
  ['\u0001', 'a control character', 'control'],
  ['\t', 'a tab', 'control'],
  ['\n', 'a line feed', 'control'],
  ['\u0000', 'a NUL', 'control'],
];

const FORMS: readonly (readonly [clause: string, form: string, ...classes: string[]])[] = [
  ['begins with a lower-case letter', 'wordword', 'lower case'],
  ['begins with a capital letter', 'Wordword', 'capital'],
  ['is in capital letters', 'WORDWORD', 'capital', 'capitals'],
  ['ends with a space', 'wordword '],
  ['begins with a space', ' wordword'],
  ['contains two spaces in a row', 'word  word'],
  ['is a numeral', '########'],
  ['begins with a digit', '#wordword'],
  ['is two words', 'word word'],
  ['begins with null', 'null word'],
  ['is empty', ''],
];

function classesOf(property: string): CellClass[] {
  const one = (id: string, clause: string): CellClass => ({
    id,
    words: { clause: `${property} ${clause}` },
    topic: property,
  });
  return [
    { id: 'present', words: { clause: `there is a ${property}` }, topic: property },
    one('mark', 'contains anything but letters'),
    one('not ASCII', 'is not ASCII'),
    one('punctuation', 'contains punctuation'),
    one('control', 'contains a control character'),
    one('escaped', 'contains a quotation mark or backslash'),
    one('markup', 'contains <, > or &'),
    one('template', 'contains a template placeholder'),
    one('quotes', 'contains a quotation mark or apostrophe'),
    one('accents', 'contains an accent'),
    one('capital', 'begins with a capital letter'),
  ];
}

const POINTS = [
  1, 2, 3, 4, 6, 8, 10, 12, 15, 16, 20, 24, 30, 32, 36, 40, 50, 64, 100, 128, 200, 255, 256, 500, 1000, 2000,
  4000, 8000, 16000,
];

/** Lengths in characters. */
function lengths(property: string): Scale {
  return {
    points: POINTS.map(BigInt),
    cellAt: (point) => ({
      value: `${point} ${point === 1n ? 'letter' : 'letters'}`,
      words: { clause: `${property} has ${point} characters` },
      apply: (state) => ({
        ...state,
        plant: state.plant.with(
          property,
          withWords((word) => word(Math.min(Number(point), 12)).padEnd(Number(point), 'a')),
        ),
      }),
      classes: [],
    }),
    above: (point) => ({ clause: `${property} is longer than ${point} characters` }),
    below: (point) => ({ clause: `${property} is shorter than ${point} characters` }),
    between: (first, last) => ({ clause: `${property} has ${first} to ${last} characters` }),
  };
}
