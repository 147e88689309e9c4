import type { Level } from '../check.ts';
import type { Stop, Verdict } from './result.ts';

/** `partial`: all checks that ran passed, but --only or --skip excluded some. */
export type Outcome = 'conformant' | 'nonconformant' | 'undetermined' | 'partial';

export type VerdictCount = Readonly<Record<Verdict, number>>;
export type Summary = Readonly<Record<Level, VerdictCount>>;

interface Judged {
  readonly level: Level;
  readonly verdict: Verdict;
}

export function summaryOf(results: readonly Judged[]): Summary {
  const none = (): Record<Verdict, number> => ({ pass: 0, fail: 0, observed: 0, untestable: 0, skipped: 0 });
  const summary = { MUST: none(), SHOULD: none(), OBSERVE: none() };
  for (const { level, verdict } of results) summary[level][verdict] += 1;
  return summary;
}

/**
 * Returns whether the run was stopped before it could judge every check. A limit that is reached late enough
 * leaves no check untestable.
 */
export const cutShort = (stop: Stop | null | undefined, results: readonly Judged[]): boolean =>
  stop !== null &&
  stop !== undefined &&
  (stop.kind !== 'limit' || results.some(({ verdict }) => verdict === 'untestable'));

/**
 * @param stopped whether the run ended before it could judge everything
 * @param filtered whether the user excluded some checks
 */
export function runOutcome(
  { MUST, SHOULD }: Summary,
  strict: boolean,
  stopped: boolean,
  filtered: boolean,
): Outcome {
  if (MUST.fail > 0 || (strict && SHOULD.fail > 0)) return 'nonconformant';
  if (stopped || MUST.untestable > 0) return 'undetermined';
  return filtered ? 'partial' : 'conformant';
}

/** Counts the checks that a run was meant to judge: those that passed, failed or were untestable. */
export const countToJudge = ({ pass, fail, untestable }: VerdictCount): number => pass + fail + untestable;
