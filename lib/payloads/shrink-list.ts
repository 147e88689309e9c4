/**
 * Shortens a list as long as a property holds, by delta debugging: first finds a short suffix, then removes
 * smaller and smaller pieces.
 * @param shows whether the property holds for a part of the list; undefined ends the search
 */
export async function shortest<T>(
  list: readonly T[],
  shows: (some: readonly T[]) => Promise<boolean | undefined>,
): Promise<readonly T[]> {
  let least = list;
  for (let count = 1; count < list.length; count *= 2) {
    const end = list.slice(list.length - count);
    const does = await shows(end);
    if (does === undefined) return least;
    if (!does) continue;
    least = end;
    break;
  }
  for (let size = Math.ceil(least.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < least.length; ) {
      const without = least.toSpliced(from, size);
      const does = await shows(without);
      if (does === undefined) return least;
      if (does) least = without;
      else from += size;
    }
  }
  return least;
}
