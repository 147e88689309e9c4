/**
 * The shortest part of a list, in its order, that still shows what the whole shows: first the fewest from its end, then
 * without every other piece that can go, ever smaller ones (delta debugging).
 * @param shows tries some of the list; it is asked no more once it says undefined
 */
export async function shortest<T>(
  list: readonly T[],
  shows: (some: readonly T[]) => Promise<boolean | undefined>,
): Promise<readonly T[]> {
  let left = list;
  for (let count = 1; count < list.length; count *= 2) {
    const end = list.slice(list.length - count);
    const does = await shows(end);
    if (does === undefined) return left;
    if (!does) continue;
    left = end;
    break;
  }
  for (let size = Math.ceil(left.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < left.length; ) {
      const without = left.toSpliced(from, size);
      const does = await shows(without);
      if (does === undefined) return left;
      if (does) left = without;
      else from += size;
    }
  }
  return left;
}
