import { type AST, RegExpParser } from '@eslint-community/regexpp';
import { sum } from '../collections.ts';

/** Chooses an integer from 0 to, but not including, a bound. */
type Choose = (bound: number) => number;

interface Writing {
  readonly choose: Choose;
  /** Whether to use any printable character of a class, and not only its letters and digits. */
  readonly wide: boolean;
  readonly groups: Map<AST.CapturingGroup, string>;
}

/** Writes strings for a part of a regular expression. `minLength` and `maxLength` are in code points. */
interface PatternPart {
  readonly minLength: number;
  readonly maxLength: number;
  /** Tries to reach a length, which some parts cannot do exactly. */
  write(length: number, writing: Writing): string;
}

/** Writes strings for a regular expression. Ignores assertions within it, so the strings must be tested. */
interface Pattern {
  readonly minLength: number;
  readonly maxLength: number;
  write(length: number, choose: Choose, wide: boolean): string;
}

/**
 * Parses a regular expression. Strings have some text before and after the match, unless it is anchored.
 * @throws SyntaxError if the source is not a regular expression
 */
export function patternOf(source: string): Pattern {
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, { unicode: true });
  const { minLength, maxLength, write } = choice(
    pattern.alternatives.map(({ elements }) =>
      sequence([
        ...(isEdge(elements[0], 'start') ? [] : [PADDING]),
        ...elements.map(partOf),
        ...(isEdge(elements.at(-1), 'end') ? [] : [PADDING]),
      ]),
    ),
  );
  return {
    minLength,
    maxLength,
    write: (length, choose, wide) => write(length, { choose, wide, groups: new Map() }),
  };
}

const isEdge = (element: AST.Element | undefined, kind: 'start' | 'end') =>
  element?.type === 'Assertion' && element.kind === kind;

const NOTHING: PatternPart = { minLength: 0, maxLength: 0, write: () => '' };

function partOf(element: AST.Element): PatternPart {
  switch (element.type) {
    case 'Character':
      return character([String.fromCodePoint(element.value)]);
    case 'CharacterSet':
    case 'CharacterClass':
    case 'ExpressionCharacterClass':
      return ofClass(element.raw);
    case 'Group':
      return anyOf(element.alternatives);
    case 'CapturingGroup': {
      const inner = anyOf(element.alternatives);
      return {
        ...inner,
        write(length, writing) {
          const text = inner.write(length, writing);
          writing.groups.set(element, text);
          return text;
        },
      };
    }
    case 'Backreference': {
      const groups = [element.resolved].flat();
      return {
        ...NOTHING,
        write: (_, writing) => groups.map((group) => writing.groups.get(group) ?? '').join(''),
      };
    }
    case 'Quantifier':
      return repetition(partOf(element.element), element.min, element.max);
    case 'Assertion':
      return NOTHING;
  }
}

const anyOf = (alternatives: readonly AST.Alternative[]): PatternPart =>
  choice(alternatives.map(({ elements }) => sequence(elements.map(partOf))));

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];
const WORD = [...LETTERS, ...'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'];
const PRINTABLE = Array.from({ length: 0x7f - 0x20 }, (_, index) => String.fromCharCode(0x20 + index));
/** Maximum number of characters used of a class that contains no printable ASCII. */
const MAX_CLASS_CHARACTERS = 32;

function character(narrow: readonly string[], wide = narrow): PatternPart {
  return {
    minLength: 1,
    maxLength: 1,
    write(_, { choose, wide: any }) {
      const from = any ? wide : narrow;
      return from[choose(from.length)] ?? '';
    },
  };
}

const PADDING = repetition(character(LETTERS, ['a', 'b', ' ']), 0, Number.POSITIVE_INFINITY);

function ofClass(raw: string): PatternPart {
  const isIn = new RegExp(`^${raw}$`, 'u');
  const among = (characters: readonly string[]) => characters.filter((one) => isIn.test(one));
  const printable = among(PRINTABLE);
  if (printable.length === 0) return character(anywhere(isIn));
  const word = among(WORD);
  return character(word.length === 0 ? printable : word, printable);
}

function anywhere(isIn: RegExp): string[] {
  const characters: string[] = [];
  for (let code = 0; code <= 0x10ffff && characters.length < MAX_CLASS_CHARACTERS; code += 1) {
    // Skip surrogates, which are not characters.
    if (code === 0xd800) code = 0xe000;
    const one = String.fromCodePoint(code);
    if (isIn.test(one)) characters.push(one);
  }
  return characters;
}

function sequence(parts: readonly PatternPart[]): PatternPart {
  const minLength = sum(parts, (part) => part.minLength);
  return {
    minLength,
    maxLength: sum(parts, (part) => part.maxLength),
    write(length, writing) {
      const lengths = spread(
        length - minLength,
        parts.map((part) => part.maxLength - part.minLength),
        writing.choose,
      );
      return parts.map((part, index) => part.write(part.minLength + (lengths[index] ?? 0), writing)).join('');
    },
  };
}

function choice(parts: readonly PatternPart[]): PatternPart {
  return {
    minLength: Math.min(...parts.map((part) => part.minLength)),
    maxLength: Math.max(...parts.map((part) => part.maxLength)),
    write(length, writing) {
      const fitting = parts.filter((part) => part.minLength <= length && length <= part.maxLength);
      const from = fitting.length === 0 ? parts : fitting;
      const part = from[writing.choose(from.length)] ?? NOTHING;
      return part.write(Math.min(Math.max(length, part.minLength), part.maxLength), writing);
    },
  };
}

function repetition(part: PatternPart, min: number, max: number): PatternPart {
  if (part.maxLength === 0) return { ...NOTHING, write: (_, writing) => copies(part, min).write(0, writing) };
  return {
    minLength: min * part.minLength,
    maxLength: max === 0 ? 0 : max * part.maxLength,
    write(length, writing) {
      const minCopies = Math.max(min, Math.ceil(length / part.maxLength), Math.min(length, 1));
      const maxCopies = Math.min(
        max,
        part.minLength === 0 ? Math.max(length, min) : Math.floor(length / part.minLength),
      );
      const count = minCopies + (maxCopies > minCopies ? writing.choose(maxCopies - minCopies + 1) : 0);
      return copies(part, count).write(length, writing);
    },
  };
}

const copies = (part: PatternPart, count: number): PatternPart =>
  sequence(Array.from({ length: count }, () => part));

/** Distributes `extra` at random among the parts that have room for more. */
function spread(extra: number, rooms: readonly number[], choose: Choose): number[] {
  const lengths = rooms.map(() => 0);
  const open = rooms.flatMap((room, index) => (room > 0 ? [index] : []));
  for (let remaining = extra; remaining > 0 && open.length > 0; ) {
    const at = choose(open.length);
    const index = open[at] ?? 0;
    const room = (rooms[index] ?? 0) - (lengths[index] ?? 0);
    const given = 1 + choose(Math.min(room, remaining, Math.ceil((2 * remaining) / open.length)));
    lengths[index] = (lengths[index] ?? 0) + given;
    remaining -= given;
    if (given === room) open.splice(at, 1);
  }
  return lengths;
}
