/** Cases that a check sends by name at most, whatever the document declares. */
const MOST_CASES = 200;

/**
 * At most so many of a list, in its order: the first of each kind before the second of any, and where one more of each
 * kind would be too many, of every so many kinds.
 */
export function sampled<T>(list: readonly T[], kindOf: (one: T) => string, most = MOST_CASES): readonly T[] {
  if (list.length <= most) return list;
  const counts = new Map<string, number>();
  const ranks = list.map((one) => {
    const rank = counts.get(kindOf(one)) ?? 0;
    counts.set(kindOf(one), rank + 1);
    return rank;
  });
  const chosen = new Set<number>();
  for (let rank = 0; chosen.size < most; rank += 1) {
    const places = list.flatMap((_, place) => (ranks[place] === rank ? [place] : []));
    const share = Math.min(places.length, most - chosen.size);
    for (let index = 0; index < share; index += 1)
      chosen.add(places[Math.floor((index * places.length) / share)] ?? 0);
  }
  return list.filter((_, place) => chosen.has(place));
}

/**
 * Orders of a list: all there are of up to four elements, and beyond that so many that each element is the first and
 * the last of one, and of each two either comes before the other.
 */
export function ordersOf<T>(list: readonly T[]): readonly (readonly T[])[] {
  if (list.length <= 4) return permutations(list);
  const turned = (one: readonly T[]) => one.map((_, from) => [...one.slice(from), ...one.slice(0, from)]);
  return [...turned(list), ...turned(list.toReversed())];
}

const permutations = <T>(list: readonly T[]): T[][] =>
  list.length < 2
    ? [[...list]]
    : list.flatMap((one, index) => permutations(list.toSpliced(index, 1)).map((rest) => [one, ...rest]));
