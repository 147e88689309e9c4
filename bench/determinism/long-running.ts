import { availableParallelism } from 'node:os';
import { mapInPool } from '../../lib/run/send/pool.ts';
import { uniqueness } from '../../mutants/right/uniqueness.ts';
import { messagesFrom, table } from './fleet.ts';

/** How runs against one long-running store differ from one another. */
export const WAYS = ['with one seed', 'without a seed', 'in three shards'] as const;

/** The result of one run against a long-running store. */
export interface LivingRun {
  readonly way: (typeof WAYS)[number];
  /** The checks that failed, although the store is right; empty for a conformant run. */
  readonly objections: readonly string[];
}

/**
 * Runs the suite repeatedly with --strict against stores that keep ids or names unique, and so remember
 * earlier runs.
 *
 * @param times number of runs with one seed, and as many without; two fifths of that number in shards
 * @returns the table, and the failures
 */
export async function repeatAgainstLiving(
  times: number,
): Promise<{ readonly text: string; readonly objections: readonly string[] }> {
  const objections: string[] = [];
  const rows = await mapInPool(uniqueness, availableParallelism(), async ({ name, odd }) => {
    const runs = await messagesFrom<LivingRun>('living-store', name, times);
    process.stderr.write(`${name}: ${runs.length} runs done\n`);
    objections.push(...runs.flatMap((one) => one.objections.map((text) => `${name}, ${one.way}: ${text}`)));
    return [
      name,
      odd,
      ...WAYS.map((way) => {
        const runsOfWay = runs.filter((one) => one.way === way);
        return `${runsOfWay.filter((one) => one.objections.length === 0).length} of ${runsOfWay.length}`;
      }),
    ];
  });
  return {
    text: table(['long-running store', 'what it does', ...WAYS.map((way) => `conformant ${way}`)], rows),
    objections,
  };
}
