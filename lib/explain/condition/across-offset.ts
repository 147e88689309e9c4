import { withWords } from '../../payloads/fresh.ts';
import type { RequestState } from '../../payloads/model/dimension.ts';
import type { Search } from '../search.ts';
import type { Candidate } from './candidates.ts';
import { bisect } from './sweep.ts';
import { NOT_ASCII, stringIn, withText } from './sweeps/strings.ts';

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

/**
 * Finds whether a text fails because a character straddles a certain offset, where a program cuts it in two.
 *
 * @param failing a request whose `property` is a text that fails
 */
export async function acrossOffset(
  property: string,
  failing: RequestState,
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
    const across = withText(property, filled(letters, 1));
    const shown = await search.showsEachTime(across(failing), 2);
    if (!shown || (await fails(letters + 1)) || (await fails(letters + 2))) continue;
    const says = words(letters + 1);
    return {
      value: says,
      condition: { clause: `${property} ${says}`, property, topics: ['beyond ASCII'] },
      apply: across,
      classes: [],
    };
  }
  return undefined;
}
