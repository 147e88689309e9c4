import type { Value } from '../../../payloads/model/dimension.ts';

/** Each character of white space at all places of a kind where it may stand, in an otherwise compact text. */
export function placedWhiteSpace(): readonly Value[] {
  const characters = { 'a space': ' ', 'a tab': '\t', 'a line feed': '\n', 'a carriage return': '\r' };
  const places: Readonly<Record<string, RegExp>> = {
    'before the JSON value': /^/,
    'before the first name': /(?<=^\s*\{)/,
    'before a name': /(?<=,)(?=")/g,
    'before a colon': /(?<=")(?=:)/g,
    'before a string': /(?<=":)(?=")/g,
    'before a number': /(?<=":)(?=[-\d])/g,
    'before a comma': /(?=,")/g,
    'before the closing brace': /(?=\}\s*$)/,
    'after the JSON value': /$/,
  };
  return Object.entries(characters).flatMap(([words, character]) =>
    Object.entries(places).map(
      ([place, at]): Value => ({
        name: `with ${words} ${place}`,
        apply: (state) => ({ ...state, edits: [...state.edits, (text) => text.replace(at, character)] }),
      }),
    ),
  );
}
