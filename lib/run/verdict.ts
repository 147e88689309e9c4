import type { Level } from './check.ts';
import type { Stop, Verdict } from './result.ts';

/** `partial`: what was checked passed, and checks were left out by --only or --skip. */
export type Outcome = 'conformant' | 'nonconformant' | 'undetermined' | 'partial';

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

/**
 * @param stopped the run ended before it could judge
 * @param filtered checks were left out by the user
 */
export function outcomeOf(
  { MUST, SHOULD }: Summary,
  strict: boolean,
  stopped: boolean,
  filtered: boolean,
): Outcome {
  if (MUST.fail > 0 || (strict && SHOULD.fail > 0)) return 'nonconformant';
  if (stopped || MUST.untestable > 0) return 'undetermined';
  return filtered ? 'partial' : 'conformant';
}

/** Checks of a level that were carried out, or could not be. */
export const judgedOf = ({ pass, fail, untestable }: Count): number => pass + fail + untestable;
