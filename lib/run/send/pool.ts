/**
 * Runs `work` for each index in order, at most `width` at a time. Rejects with the first error once all calls
 * have ended.
 */
export async function inPool(
  count: number,
  width: number,
  work: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  let failure: { error: unknown } | undefined;
  const slot = async () => {
    while (next < count && failure === undefined) {
      const index = next;
      next += 1;
      try {
        await work(index);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, count) }, slot));
  if (failure !== undefined) throw failure.error;
}
