import { freshText, withWords } from '../../payloads/fresh.ts';
import type { FreshText } from '../../payloads/json.ts';
import type { RequestState } from '../../payloads/model/dimension.ts';
import { joined } from '../../text.ts';
import { REPEATS, type Search } from '../search.ts';
import type { Candidate } from './candidates.ts';
import { markWords, stringIn, topicsOfText, withText } from './sweeps/strings.ts';

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
export async function minimalText(
  property: string,
  failing: RequestState,
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
    const says = `${verb} ${joined(parts.map(markWords), 'or')}`;
    return {
      value: says,
      condition: { clause: `${property} ${says}`, property, topics: topicsOfText(part) },
      apply: withText(property, around(part)),
      classes: [],
    };
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
