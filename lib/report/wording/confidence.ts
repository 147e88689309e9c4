import type { RecordedResult } from '../record/record.ts';

const BOUND = 'with 95 % confidence, fewer than';

/**
 * What a check without failures shows about other random payloads, by the rule of three. It does not apply to
 * a covering array, whose rows are not random.
 */
export const confidenceText = ({ kind, verdict, cases, coverage }: RecordedResult): string | undefined =>
  kind === 'property' && verdict === 'pass' && coverage === undefined
    ? `No failure in ${cases} cases: ${BOUND} 3/${cases} of such payloads fail.`
    : undefined;

/** The same for all such checks, in one line. */
export function confidenceOfAll(results: readonly RecordedResult[]): string | undefined {
  const passed = results.filter((result) => confidenceText(result) !== undefined);
  const counts = passed.map(({ cases }) => cases);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  if (passed.length === 0) return undefined;
  if (least === most)
    return `no failure in ${passed.length === 1 ? `${least} cases` : `${passed.length} checks of ${least} cases each`}: ${BOUND} 3/${least} of such payloads fail`;
  return `no failure in ${passed.length} checks of N = ${least} to ${most} cases: ${BOUND} 3/N of such payloads fail`;
}
