/** Maximum number of named cases of a check, regardless of the document. */
const MAX_CASES = 200;

/**
 * Picks at most `maxCount` members of a list, in order: the first one of each kind before the second one of
 * any kind. If there are more kinds than that, picks one member of evenly spaced kinds.
 */
export function pickByKind<T>(
  list: readonly T[],
  kindOf: (one: T) => string,
  maxCount = MAX_CASES,
): readonly T[] {
  if (list.length <= maxCount) return list;
  const counts = new Map<string, number>();
  const ranks = list.map((one) => {
    const rank = counts.get(kindOf(one)) ?? 0;
    counts.set(kindOf(one), rank + 1);
    return rank;
  });
  const chosen = new Set<number>();
  for (let rank = 0; chosen.size < maxCount; rank += 1) {
    const places = list.flatMap((_, place) => (ranks[place] === rank ? [place] : []));
    const fraction = Math.min(places.length, maxCount - chosen.size);
    for (let index = 0; index < fraction; index += 1)
      chosen.add(places[Math.floor((index * places.length) / fraction)] ?? 0);
  }
  return list.filter((_, place) => chosen.has(place));
}

/**
 * Returns orders of a list: all permutations of up to four elements. For a longer list, enough orders for
 * each element to come first and last once, and for any two elements to occur in both orders.
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
