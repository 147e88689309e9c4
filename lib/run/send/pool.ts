/**
 * Calls `work` for each item of a list, in order. Returns the results in the same order. After an error, starts
 * no further calls, and rejects with the first one once the running calls have ended.
 * @param width maximum number of concurrent calls; a function is reevaluated after each call
 */
export async function mapInPool<T, R>(
  list: readonly T[],
  width: number | (() => number),
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const limit = typeof width === 'number' ? () => width : width;
  const results: R[] = [];
  const items = list.entries();
  let running = 0;
  let failure: { error: unknown } | undefined;
  await new Promise<void>((resolve) => {
    const fill = () => {
      while (running < Math.max(1, limit()) && failure === undefined) {
        const { value: next } = items.next();
        if (next === undefined) break;
        running += 1;
        void run(...next);
      }
      if (running === 0) resolve();
    };
    const run = async (index: number, item: T) => {
      try {
        results[index] = await work(item, index);
      } catch (error) {
        failure ??= { error };
      }
      running -= 1;
      fill();
    };
    fill();
  });
  if (failure !== undefined) throw failure.error;
  return results;
}
