import { counted, grouped, sum } from '../../counts.ts';
import { compact } from '../../list.ts';
import type { RecordedResult } from '../record/record.ts';

const NOUNS = { 2: 'pairs', 3: 'triples' } as const;

const fraction = (covered: number, all: number) =>
  covered === all ? `all ${grouped(all)}` : `${grouped(covered)} of ${grouped(all)}`;

/** How much of a covering array a check has tried, such as `all 5,812 pairs of 21 dimensions`. */
export function coverageText({ coverage }: RecordedResult): string | undefined {
  if (coverage === undefined) return undefined;
  const { covered, all, strength, dimensions, notApplicable, together } = coverage;
  return compact(
    `${fraction(covered, all)} ${NOUNS[strength]} of ${dimensions} dimensions${together === undefined ? '' : ' in this shard'}`,
    notApplicable > 0 && `${grouped(notApplicable)} values not applicable`,
  ).join('; ');
}

/** The coverage of all such checks together, in one line. */
export function coverageOfAll(results: readonly RecordedResult[]): string | undefined {
  const each = results.flatMap(({ coverage }) => coverage ?? []);
  const [first] = each;
  if (first === undefined) return undefined;
  const covered = fraction(
    sum(each, (one) => one.covered),
    sum(each, ({ all }) => all),
  );
  return `${covered} ${NOUNS[first.strength]} of ways to send a request, in ${counted(each.length, 'check')}`;
}

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
