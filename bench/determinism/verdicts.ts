import { availableParallelism } from 'node:os';
import { mapInPool } from '../../lib/run/send/pool.ts';
import { messagesFrom, named, table } from './fleet.ts';

/**
 * Right stores that a careless suite would accuse by chance, and broken ones whose fault shows only for
 * random cases, under concurrency, or intermittently.
 */
const STORES = [
  'reference',
  'out-of-order',
  'short-keep-alive',
  '429-at-times',
  'id-numeral-tagless',
  'crash-apostrophe',
  'auth-guards-odd',
  'auth-crowd',
  'load-4-500',
  'state-25th-500',
];

/** The result of one run. */
export interface Verdict {
  readonly outcome: string;
  readonly failed: readonly string[];
}

/**
 * Runs the suite many times against each of ten stores, with a new random seed each time, as users do.
 *
 * @returns the table, and the stores whose outcome varied
 */
export async function repeatVerdicts(
  times: number,
): Promise<{ readonly text: string; readonly unequal: readonly string[] }> {
  const unequal: string[] = [];
  const rows = await mapInPool(STORES, availableParallelism(), async (name) => {
    const verdicts = await messagesFrom<Verdict>('repeat', name, times);
    if (verdicts.length !== times)
      throw new Error(`${name}: only ${verdicts.length} of ${times} runs were done`);
    process.stderr.write(`${name}: ${times} runs done\n`);
    const outcomes = tally(verdicts.map(({ outcome }) => outcome));
    if (outcomes.size > 1) unequal.push(name);
    const failed = [...tally(verdicts.flatMap((one) => one.failed))];
    return [
      name,
      named(name).does,
      [...outcomes].map(([outcome, count]) => `${count} ${outcome}`).join(', '),
      String(failed.filter(([, count]) => count === times).length),
      failed.flatMap(([id, count]) => (count === times ? [] : [`${id} ${count}`])).join(', '),
    ];
  });
  const head = [
    'store',
    'what it does',
    'outcomes',
    'checks that failed in every run',
    'in some runs, and in how many',
  ];
  return { text: table(head, rows), unequal };
}

function tally(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of [...names].sort()) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
