import { freshText, withWords } from '../../payloads/fresh.ts';
import type { FreshText } from '../../payloads/json.ts';
import type { ModelRequest } from '../../payloads/model/model-request.ts';
import { joined } from '../../text.ts';
import { withinBudget } from '../experiment/experiments.ts';
import { REPEATS, type Search } from '../experiment/search.ts';
import { bisect, type SweepResult } from '../experiment/sweep.ts';
import { type Candidate, exactNameIn } from '../values/candidates.ts';
import { markWords, NOT_ASCII, stringCandidate, stringIn, withText } from '../values/strings.ts';

/**
 * Adds what a sweep of whole values misses: a character that straddles an offset or, if at most one value
 * shows the symptom, the smallest part of that text (or else of the failing one) that does.
 */
export async function addPartOfText(
  property: string,
  swept: SweepResult,
  request: ModelRequest,
  search: Search,
): Promise<SweepResult> {
  const [only, ...others] = swept.shown;
  const exact = exactNameIn(swept.named);
  const isClass = exact !== undefined && exact.condition !== only?.condition;
  const found = await withinBudget(async () => {
    const across = await findAcrossOffset(property, request, search);
    if (across !== undefined || others.length > 0 || isClass) return across;
    return findMinimalText(property, only?.apply(request) ?? request, search);
  });
  if (found === undefined) return swept;
  const tried = [...swept.ladder.tried, { value: found.value, shows: true }];
  return {
    ...swept,
    named: [{ condition: found.condition, candidates: [found], isExact: true }],
    ladder: { ...swept.ladder, tried },
    shown: [...swept.shown, found],
  };
}

/** Number of fresh letters at the start of a text, which make it new. */
const FRESH_LETTERS = 8;

/** Units in which programs measure text, each with a character that takes up two of them. */
const UNITS = [
  {
    sizeOf: (text: string) => Buffer.byteLength(text),
    wide: 'é',
    words: (offset: number) => `has a multi-byte character across byte ${offset} of its UTF-8`,
  },
  {
    sizeOf: (text: string) => text.length,
    wide: '🌵',
    words: (offset: number) => `has an astral character across the end of its first ${offset} UTF-16 units`,
  },
] as const;

/** Finds whether a text fails because a character straddles an offset at which a program cuts it in two. */
async function findAcrossOffset(
  property: string,
  failing: ModelRequest,
  search: Search,
): Promise<Candidate | undefined> {
  const text = stringIn(failing.plant.get(property));
  if (text === undefined || !NOT_ASCII.test(text) || search.isSlow) return undefined;
  for (const { sizeOf, wide, words } of UNITS) {
    const size = sizeOf(text);
    const last = size - sizeOf(wide);
    if (last <= FRESH_LETTERS) continue;
    const filled = (letters: number, count: number) =>
      withWords((word) => word(FRESH_LETTERS) + 'a'.repeat(letters - FRESH_LETTERS) + wide.repeat(count));
    /** Whether a text of this many letters, then wide characters up to the original size, fails. */
    const fails = async (letters: number) => {
      const own = filled(letters, Math.ceil((size - letters) / 2));
      return (await search.shows(withText(property, own)(failing))) === true;
    };
    const phases = [await fails(FRESH_LETTERS), await fails(FRESH_LETTERS + 1)];
    if (phases[0] === phases[1]) continue;
    const first = FRESH_LETTERS + phases.indexOf(true);
    const lettersAt = (point: bigint) => first + 2 * Number(point);
    const high = BigInt(Math.floor((last - first) / 2) + 1);
    const letters = lettersAt(
      await bisect({ low: 0n, high, shows: true }, (point) => fails(lettersAt(point))),
    );
    const across = filled(letters, 1);
    const shown = await search.showsEachTime(withText(property, across)(failing), 2);
    if (!shown || (await fails(letters + 1)) || (await fails(letters + 2))) continue;
    const says = words(letters + 1);
    return stringCandidate(property, across, says, says);
  }
  return undefined;
}

const NUMBERS = ['', '', 'two', 'three', 'four'];
const numberWords = (count: number): string => NUMBERS[count] ?? String(count);

/** The plural of the words for a character: `apostrophes` for `an apostrophe`. */
const pluralOf = (words: string): string => words.replace(/^an? (.*)$/, '$1s');

/** Longer texts would take too many experiments. */
const MAX_CHARACTERS = 400;
const MAX_PARTS = 4;

/** Ways to place a part in a text, next to words that are new each time. */
const PLACES: readonly (readonly [verb: string, around: (part: string) => FreshText])[] = [
  ['contains', (part) => withWords((word) => word(6) + part + word(6))],
  ['begins with', (part) => withWords((word) => part + word(9))],
  ['ends with', (part) => withWords((word) => word(9) + part)],
];

/** Finds the smallest part of a failing text that suffices for the symptom, or several such characters. */
async function findMinimalText(
  property: string,
  failing: ModelRequest,
  search: Search,
): Promise<Candidate | undefined> {
  const text = stringIn(failing.plant.get(property));
  if (text === undefined || text.length > MAX_CHARACTERS || search.isSlow) return undefined;
  const shows = async (own: FreshText) => (await search.shows(withText(property, own)(failing))) === true;
  // The fresh words around a part may complete what matters by chance, but not each time.
  const showsEachTime = (own: FreshText) => search.showsEachTime(withText(property, own)(failing), REPEATS);
  for (const [verb, around] of PLACES) {
    if (await shows(around(''))) return undefined;
    if (!(await shows(around(text)))) continue;
    const parts: string[] = [];
    for (let rest = text; parts.length < MAX_PARTS && (await showsEachTime(around(rest))); ) {
      const part = (await smallest([...rest], (some) => showsEachTime(around(some.join(''))))).join('');
      parts.push(part);
      if ([...part].length > 1) break;
      rest = rest.replaceAll(part, '');
    }
    const [part = ''] = parts;
    // If other letters and digits fail as well, the part of the text is not what matters.
    const other = [2n, 3n, 4n, 5n].map((id) => freshText(part).of(id)).find((like) => like !== part);
    if (other !== undefined && (await shows(around(other)))) return undefined;
    const [repeated = ''] = part;
    const count = [...part].length;
    const apart = withWords((word) => `${repeated}${word(4)}`.repeat(count));
    const isNumber = count > 1 && part === repeated.repeat(count) && (await showsEachTime(apart));
    const says = isNumber
      ? `contains ${numberWords(count)} or more ${pluralOf(markWords(repeated))}`
      : `${verb} ${joined(parts.map(markWords), 'or')}`;
    return stringCandidate(property, isNumber ? apart : around(part), says, says);
  }
  return undefined;
}

/** Leaves out halves, then quarters and so on, as long as the rest shows the symptom. */
async function smallest<T>(
  items: readonly T[],
  shows: (items: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  let kept = items;
  for (let size = Math.ceil(items.length / 2); size >= 1; size = Math.floor(size / 2))
    for (let from = 0; from < kept.length; ) {
      const rest = [...kept.slice(0, from), ...kept.slice(from + size)];
      if (rest.length > 0 && (await shows(rest))) kept = rest;
      else from += size;
    }
  return kept;
}
