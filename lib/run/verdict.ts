import type { Level } from './check.ts';
import type { Stop, Verdict } from './result.ts';

export type Outcome = 'conformant' | 'nonconformant' | 'undetermined';

export type Count = Readonly<Record<Verdict, number>>;
export type Summary = Readonly<Record<Level, Count>>;

interface Judged {
  readonly level: Level;
  readonly verdict: Verdict;
}

/** How many checks of each level came to each verdict. */
export function summaryOf(results: readonly Judged[]): Summary {
  const none = (): Record<Verdict, number> => ({ pass: 0, fail: 0, observed: 0, untestable: 0, skipped: 0 });
  const summary = { MUST: none(), SHOULD: none(), OBSERVE: none() };
  for (const { level, verdict } of results) summary[level][verdict] += 1;
  return summary;
}

/**
 * Whether a run ended before it could judge. A limit of the user's that came late enough leaves no check untried.
 */
export const cutShort = (stop: Stop | null | undefined, results: readonly Judged[]): boolean =>
  stop !== null &&
  stop !== undefined &&
  (stop.kind !== 'limit' || results.some(({ verdict }) => verdict === 'untestable'));

export function outcomeOf({ MUST, SHOULD }: Summary, strict: boolean, stopped: boolean): Outcome {
  if (MUST.fail > 0 || (strict && SHOULD.fail > 0)) return 'nonconformant';
  return stopped || MUST.untestable > 0 ? 'undetermined' : 'conformant';
}
