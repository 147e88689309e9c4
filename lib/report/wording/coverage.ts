import { counted, grouped, sum } from '../../counts.ts';
import { present } from '../../list.ts';
import type { RecordedResult } from '../record/record.ts';

const NOUNS = { 2: 'pairs', 3: 'triples' } as const;

const fraction = (covered: number, all: number) =>
  covered === all ? `all ${grouped(all)}` : `${grouped(covered)} of ${grouped(all)}`;

/** How much of a covering array a check has tried, such as `all 5,812 pairs of 21 dimensions`. */
export function coverageText({ coverage }: RecordedResult): string | undefined {
  if (coverage === undefined) return undefined;
  const { covered, all, strength, dimensions, notApplicable, together } = coverage;
  return present(
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
