import fc, { type Arbitrary } from 'fast-check';
import { capitalised } from '../text.ts';
import { FRESH, FreshText, type Json, type JsonObject, Raw } from './json.ts';
import { sample } from './random.ts';

/** Values derived from the fresh id are new in each request: a store may require unique ids or names. */

/** With more possible values than this, a sampled one is almost certainly new. */
const NEAR_CERTAIN = { ids: 2 ** 20, texts: 2 ** 28 } as const;

/** Sets of characters that may replace one another. Hexadecimal digits stay hexadecimal digits. */
const ALPHABETS = ['abcdef', 'ghijklmnopqrstuvwxyz', 'ABCDEF', 'GHIJKLMNOPQRSTUVWXYZ', '0123456789'] as const;
const ALPHABET_OF: ReadonlyMap<string, string> = new Map(
  ALPHABETS.flatMap((alphabet) => [...alphabet].map((character) => [character, alphabet])),
);
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';

/** Generates integers below 2^32 from an id (splitmix32, keyed with both halves of the id). */
function numbersFrom(id: bigint): () => number {
  let state = mix(Number(BigInt.asUintN(32, id)) ^ mix(Number(BigInt.asUintN(32, id >> 32n)) ^ 0x9e3779b9));
  return () => {
    state = (state + 0x9e3779b9) | 0;
    return mix(state) >>> 0;
  };
}

function mix(value: number): number {
  let mixed = value | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return mixed ^ (mixed >>> 15);
}

/** Returns a text that `make` composes of characters, each a fresh one of several. */
function withCharacters(make: (oneOf: (characters: string) => string) => string): FreshText {
  let choices = 1;
  make((characters) => {
    choices *= characters.length;
    return characters.charAt(0);
  });
  return new FreshText((id) => {
    const next = numbersFrom(id);
    return make((characters) => characters.charAt(next() % characters.length));
  }, choices);
}

/** Returns the text with each letter and digit replaced by a fresh one of the same kind. */
export const freshText = (text: string): FreshText =>
  withCharacters((oneOf) => {
    const fresh = (character: string) => oneOf(ALPHABET_OF.get(character) ?? character);
    return text.replace(/[a-z\d]/gi, fresh);
  });

/** Returns a text that `make` composes from fresh lower-case words of a given length and fresh digits. */
export const withWords = (
  make: (word: (length: number) => string, digit: () => string) => string,
): FreshText =>
  withCharacters((oneOf) =>
    make(
      (length) => Array.from({ length }, () => oneOf(LOWER)).join(''),
      () => oneOf(DIGITS),
    ),
  );

/**
 * Puts six fresh letters in place of each `word` (`WORD`: in capitals, `Word`: capitalised), and a fresh
 * digit in place of each #.
 */
export const freshLike = (form: string): FreshText =>
  withWords((word, digit) =>
    form
      .replace(/word|Word|WORD/g, (letters) => {
        const fresh = word(6);
        return letters === 'WORD' ? fresh.toUpperCase() : letters === 'Word' ? capitalised(fresh) : fresh;
      })
      .replaceAll('#', () => digit()),
  );

/** Returns fresh samples of an arbitrary. They count as used up, since it is unknown how many there are. */
export const freshFrom = (texts: Arbitrary<string>): Arbitrary<FreshText> =>
  fc.nat().map((seed) => new FreshText((id) => sample(texts, seed, `fresh/${id}`, 0).value, 1));

/** Returns a fresh id: one of `from`, `from + step` and so on, below `below`. */
export function freshId(from: bigint, below: bigint, step = 1n): Raw {
  const places = (below - from + step - 1n) / step;
  return new Raw((id) => {
    const next = numbersFrom(id);
    const number = (BigInt(next()) << 32n) | BigInt(next());
    return String(from + (number % places) * step);
  }, Number(places));
}

export function fixedFor(plant: JsonObject, id: bigint): JsonObject {
  return plant.withValues((_, value) => {
    if (value === FRESH) return id;
    if (value instanceof FreshText) return value.of(id);
    return value instanceof Raw ? new Raw(value.written(id)) : value;
  });
}

/** Whether an earlier run, or another client, may already have sent the value. */
export const mayBeUsedUp = {
  id: (id: Json | undefined): boolean =>
    typeof id === 'bigint' || (id instanceof Raw && id.choices < NEAR_CERTAIN.ids),
  name: (name: Json | undefined): boolean =>
    typeof name === 'string' || (name instanceof FreshText && name.choices < NEAR_CERTAIN.texts),
} as const;
