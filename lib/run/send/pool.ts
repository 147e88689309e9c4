/**
 * Calls `work` with the indices below `count`, in order. After an error, starts no further calls, and rejects
 * with the first one once the running calls have ended.
 * @param width maximum number of concurrent calls; a function is reevaluated after each call
 */
export async function inPool(
  count: number,
  width: number | (() => number),
  work: (index: number) => Promise<void>,
): Promise<void> {
  const limit = typeof width === 'number' ? () => width : width;
  let [next, running] = [0, 0];
  let failure: { error: unknown } | undefined;
  await new Promise<void>((resolve) => {
    const fill = () => {
      while (running < Math.max(1, limit()) && next < count && failure === undefined) {
        running += 1;
        void ended(next);
        next += 1;
      }
      if (running === 0) resolve();
    };
    const ended = async (index: number) => {
      try {
        await work(index);
      } catch (error) {
        failure ??= { error };
      }
      running -= 1;
      fill();
    };
    fill();
  });
  if (failure !== undefined) throw failure.error;
}

/** Returns the results of `work` for each item of a list, in its order. */
export async function mapInPool<T, R>(
  list: readonly T[],
  width: number | (() => number),
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  await inPool(list.length, width, async (index) => {
    results[index] = await work(list[index] as T, index);
  });
  return results;
}
