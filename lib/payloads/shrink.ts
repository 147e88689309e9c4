import type { Arbitrary, Value } from 'fast-check';

const MAX_ATTEMPTS = 80;

interface Shrunk<R> {
  readonly result: R;
  /** For each step, the index of the chosen value among those to which the previous value shrinks. */
  readonly path: readonly number[];
}

/** Picks the first smaller value for which the attempt has a result, and continues from there. */
export async function shrink<T, R>(
  { value, context }: Value<T>,
  arbitrary: Arbitrary<T>,
  result: R,
  attempt: (smaller: T) => Promise<R | undefined>,
): Promise<Shrunk<R>> {
  const path: number[] = [];
  let [smallest, candidates, place] = [result, arbitrary.shrink(value, context), 0];
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
    const next = candidates.next();
    if (next.done === true) break;
    const { value: candidate } = next;
    const smaller = await attempt(candidate.value);
    if (smaller === undefined) place += 1;
    else {
      path.push(place);
      [smallest, candidates, place] = [smaller, arbitrary.shrink(candidate.value, candidate.context), 0];
    }
  }
  return { result: smallest, path };
}
