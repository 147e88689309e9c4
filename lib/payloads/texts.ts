import { gzipSync } from 'node:zlib';
import fc, { type Arbitrary } from 'fast-check';

/** Something done to the text of a NewPlant. */
export interface Edit {
  readonly name: string;
  readonly apply: (text: string) => string | Uint8Array;
}

const edit = (name: string, apply: Edit['apply']): Edit => ({ name, apply });

const cut = (share: number) => (text: string) => text.slice(0, Math.max(1, Math.floor(text.length * share)));

/** The id in the text of a plant: a fresh one, so that nothing is refused for being there already. */
const idIn = (text: string): string => /"id"\s*:\s*(\d+)/.exec(text)?.[1] ?? '12';

/** Texts that no reading of RFC 8259 lets pass for one JSON object. */
export const notJson: readonly Edit[] = [
  edit('white space only', () => ' \r\n\t '),
  edit('cut off after its first character', (text) => text.slice(0, 1)),
  edit('cut off in the middle', cut(0.5)),
  edit('cut off before its last quarter', cut(0.75)),
  edit('without its last brace', (text) => text.slice(0, text.lastIndexOf('}'))),
  edit('without the end of a string', (text) => text.replace(/}\s*$/, ',"colour":"green}')),
  edit('without its first brace', (text) => text.slice(text.indexOf('{') + 1)),
  edit('separators left out', (text) =>
    text.includes(',"') ? text.replaceAll(',"', ' "') : text.replaceAll('":', '" '),
  ),
  edit('words', () => 'a plant called Aloe'),
  edit('markup', () => '<plant><id>1</id><name>Aloe</name></plant>'),
  edit('random bytes', () => Uint8Array.from([0x8b, 0x1f, 0x00, 0xff, 0x10, 0x7f, 0x80, 0xc0])),
  edit('twice in a row', (text) => text + text),
  edit('two values, one on each line', (text) => `${text}\n${text}`),
  edit('followed by another value', (text) => `${text} null`),
  edit('followed by words', (text) => `${text} and more`),
  edit('followed by a NUL', (text) => `${text}\0`),
  edit('followed by a brace', (text) => `${text}}`),
  edit('after words', (text) => `plant: ${text}`),
  edit('two values with a comma between', (text) => `${text},${text}`),
  edit('a form', (text) => `id=${idIn(text)}&name=Aloe&tag=succulent`),
];

/** The plant as a form of the media type multipart/form-data with the boundary b. */
export const multipart: Edit = edit('a multipart form', (text) =>
  [
    '--b\r\nContent-Disposition: form-data; name="id"\r\n',
    `${idIn(text)}\r\n--b\r\nContent-Disposition: form-data; name="name"\r\n`,
    'Aloe\r\n--b--\r\n',
  ].join('\r\n'),
);

/** Texts that RFC 8259 section 9 lets a parser take beyond JSON, and what it may do with each. */
export const extensions: readonly Edit[] = [
  edit('trailing-comma', (text) => text.replace(/}\s*$/, ',}')),
  edit('comment', (text) => text.replace('{', '{/* a comment */')),
  edit('single-quotes', (text) => text.replaceAll('"', "'")),
  edit('unquoted-names', (text) => text.replace(/"(\w+)":/g, '$1:')),
  edit('nan', (text) => text.replace(/}\s*$/, ',"height":NaN}')),
  edit('leading-zero', (text) => text.replace(/}\s*$/, ',"height":01}')),
  edit('raw-newline-in-string', (text) => text.replace(/("name":"[^"])/, '$1\n')),
];

/** The text in a content coding (RFC 9110 section 8.4). */
export const gzipped: Edit = edit('gzip', (text) => gzipSync(text));

/** The same value in a longer text: what looks at a body may do so up to a size alone. */
export const padded = (spaces: number): Edit =>
  edit(`${spaces} spaces`, (text) => text.replace(/}(?=\s*$)/, `${' '.repeat(spaces)}}`));

/** Bytes that are not UTF-8 (RFC 8259 section 8.1), inside of a string. */
export const notUtf8: readonly Edit[] = (
  [
    ['a lone continuation byte', [0x80]],
    ['a truncated sequence', [0xe2, 0x82]],
    ['a letter of Latin-1', [0xe9]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['an encoded surrogate', [0xed, 0xa0, 0x80]],
    ['a byte that never occurs', [0xff]],
  ] as const
).map(([name, bytes]) => edit(name, (text) => inside(text, bytes)));

/** Puts bytes into the first string value of a text. */
function inside(text: string, bytes: readonly number[]): Uint8Array {
  const at = text.indexOf(':"') + 2;
  return Buffer.concat([Buffer.from(text.slice(0, at)), Uint8Array.from(bytes), Buffer.from(text.slice(at))]);
}

/** Random ways of spoiling a text: cut anywhere, followed or preceded by anything but white space. */
export const spoilt: Arbitrary<Edit> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .integer({ min: 1, max: 998 })
      .map((mill) => edit('cut off', (text) => cutShort(text, mill))),
  },
  { weight: 2, arbitrary: tail().map((after) => edit('followed by something', (text) => `${text}${after}`)) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('', ' ', '\n', ', ', '\u001e')
      .map((gap) => edit('twice', (text) => `${text}${gap}${text}`)),
  },
  { weight: 1, arbitrary: word().map((garbage) => edit('garbage', () => garbage)) },
);

/** Never before the object has begun nor after it has ended, whatever white space stands around it. */
function cutShort(text: string, mill: number): string {
  const [start, end] = [text.indexOf('{') + 1, text.lastIndexOf('}')];
  return text.slice(0, start + Math.floor(((end - start) * mill) / 1000));
}

function tail(): Arbitrary<string> {
  return fc.oneof(fc.constantFrom('}', ']', ':', '"', ' 0', ' {}', ' []', ' null', '\n"x"', ' x'), word());
}

function word(): Arbitrary<string> {
  return fc
    .array(fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz{[(<&=:;@!'), { minLength: 2, maxLength: 12 })
    .map((letters) => letters.join(''))
    .map((text) => (['null', 'true', 'false'].includes(text) ? `${text}s` : text));
}
