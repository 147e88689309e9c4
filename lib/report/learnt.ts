import type { RecordedResult } from './record.ts';

const BOUND = 'with 95 % confidence fewer than';

/**
 * What a check has shown that drew at random and met no failure: the rule of three. Rows of a covering array are not
 * drawn; what they show is what they cover.
 */
export const learntFrom = ({ kind, verdict, cases, coverage }: RecordedResult): string | undefined =>
  kind === 'property' && verdict === 'pass' && coverage === undefined
    ? `No failure in ${cases} cases: ${BOUND} 3/${cases} of payloads drawn like these fail.`
    : undefined;

/** The same of all such checks, in a line. */
export function learntFromAll(results: readonly RecordedResult[]): string | undefined {
  const passed = results.filter((result) => learntFrom(result) !== undefined);
  const counts = passed.map(({ cases }) => cases);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  if (passed.length === 0) return undefined;
  if (least === most)
    return `no failure in ${passed.length === 1 ? '' : `${passed.length} times `}${least} cases: ${BOUND} 3/${least} of payloads drawn like these fail`;
  return `no failure in ${passed.length} checks of N = ${least} to ${most} cases: ${BOUND} 3/N of payloads drawn like these fail`;
}
