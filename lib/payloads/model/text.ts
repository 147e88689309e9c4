import { withWords } from '../fresh.ts';
import { COMPACT, type Json, JsonObject, Raw, type Style } from '../json.ts';
import { anyOf, type Dimension, dimension, type Value } from './dimension.ts';

/** How long a body is, and how its JSON text is written. */

const OPTIONAL = { optional: true } as const;

const editing = (name: string, edit: (text: string) => string, rest: Partial<Value> = {}): Value => ({
  name,
  apply: (making) => ({ ...making, edits: [...making.edits, edit] }),
  ...rest,
});

const growing = (
  name: string,
  grow: (plant: JsonObject) => JsonObject,
  rest: Partial<Value> = {},
): Value => ({
  name,
  apply: (making) => ({ ...making, plant: grow(making.plant) }),
  ...OPTIONAL,
  ...rest,
});

/** What would be longer than 64 KiB with an escape for every character. */
const UNESCAPED = { apart: ['escapes'] } as const;

/** The same value in a longer text. */
const widened = (count: number) => (text: string) => {
  const end = text.trimEnd().length - 1;
  return text[end] === '}' ? `${text.slice(0, end)}${' '.repeat(count)}${text.slice(end)}` : text;
};

const KIB = 1024;
/** The same value in a text of exactly so many bytes, unless it is longer: readers and buffers have round sizes. */
const upTo = (bytes: number): Value =>
  editing(
    `in exactly ${bytes} bytes`,
    (text) => widened(Math.max(0, bytes - Buffer.byteLength(text)))(text),
    OPTIONAL,
  );
const long = (length: number) => withWords((word) => `${word(8)}${'a'.repeat(length - 8)}`);
const spaces = (name: string, count: number, rest: Partial<Value> = OPTIONAL) =>
  editing(name, widened(count), rest);
const adding = (plant: JsonObject, members: JsonObject['members']) =>
  new JsonObject([...plant.members, ...members]);

const MANY_PROPERTIES = Array.from({ length: 600 }, (_, index): readonly [string, Json] => [
  `property${index}`,
  1n,
]);
const LONG_LIST = new Raw(`[${Array.from({ length: 9000 }, (_, index) => index % 1000).join()}]`);

/** What looks at a body may do so up to a size alone. Above 1 KiB a store may say 413, and above 64 KiB nothing is promised. */
const size = dimension('size', [
  {
    name: 'in less than 30 bytes',
    apply: (making) => ({
      ...making,
      plant: making.plant
        .with(
          'name',
          withWords((word) => word(2)),
        )
        .without('tag'),
    }),
    apart: ['name', 'tag', 'escapes', 'undeclared names', 'undeclared values'],
  },
  spaces('in 900 bytes by white space', 700, {}),
  anyOf([upTo(4 * KIB), upTo(KIB), upTo(8 * KIB), upTo(16 * KIB)]),
  spaces('in over 1 KiB by white space', KIB),
  growing('in over 2 KiB by undeclared text', (plant) => adding(plant, [['notes', 'n'.repeat(2 * KIB)]])),
  growing('in over 4 KiB by the name', (plant) => plant.with('name', long(4 * KIB))),
  anyOf([spaces('in over 4 KiB by white space', 4 * KIB), spaces('in over 16 KiB by white space', 16 * KIB)]),
  growing('in over 8 KiB by the tag', (plant) => plant.with('tag', long(8 * KIB)), UNESCAPED),
  growing('in over 8 KiB by many properties', (plant) => adding(plant, MANY_PROPERTIES)),
  growing(
    'in over 16 KiB by undeclared text',
    (plant) => adding(plant, [['notes', 'n'.repeat(16 * KIB)]]),
    UNESCAPED,
  ),
  growing('in over 32 KiB by a list', (plant) => adding(plant, [['list', LONG_LIST]])),
  spaces('in over 48 KiB by white space', 48 * KIB),
  growing(
    'in over 48 KiB by a property name',
    (plant) => adding(plant, [['k'.repeat(48 * KIB), 1n]]),
    UNESCAPED,
  ),
]);

const written = (name: string, style: Partial<Style>): Value => ({
  name,
  apply: (making) => ({ ...making, style: { ...COMPACT, ...making.style, ...style } }),
});

/** As the serializers of most languages put it: each gap in its place, where a style has them in turn. */
const printed = (name: string, between: string, atEnd: string): Value => ({
  name,
  apply: (making) => ({
    ...making,
    style: { ...making.style, gaps: [' ', '', between, ''] },
    edits: [
      ...making.edits,
      (text) => text.replace(between === ' ' ? '{ ' : '{', '{').replace(/}(?=\s*$)/, `${atEnd}}`),
    ],
  }),
});

const whiteSpace = dimension('white space', [
  printed('printed as Python does', ' ', ''),
  printed('printed with an indentation', '\n  ', '\n'),
  printed('printed with tabs', '\n\t', '\n'),
  written('written with spaces around everything', { gaps: [' '] }),
  written('written with carriage returns', { gaps: ['\r\n'] }),
  editing('followed by a line feed', (text) => `${text}\n`),
  editing('between white space', (text) => `\n  ${text}  `),
  // Of which a reader in pieces may find nothing but white space in one. More would be above 1 KiB.
  editing('after 300 spaces', (text) => `${' '.repeat(300)}${text}`, { apart: ['size', 'escapes'] }),
  editing('followed by 300 spaces', (text) => `${text}${' '.repeat(300)}`, { apart: ['size', 'escapes'] }),
]);

const escapes = dimension('escapes', [
  written('with escaped values', { escapes: 'values' }),
  written('with escaped property names', { escapes: 'names' }),
  written('with everything escaped in capital digits', { escapes: 'both', digits: 'upper' }),
  written('with every other character escaped', { escapes: 'both', every: 2 }),
]);

/** Before what is wrong with a plant, since it changes the plant. */
export const sizeDimension: Dimension = size;
export const textDimensions: readonly Dimension[] = [whiteSpace, escapes];
