import { compact, sum } from '../../collections.ts';
import { counted, withSeparators } from '../../text.ts';
import type { RecordedResult } from '../record/record.ts';

const NOUNS = { 2: 'pairs', 3: 'triples' } as const;

const fraction = (covered: number, all: number) =>
  covered === all ? `all ${withSeparators(all)}` : `${withSeparators(covered)} of ${withSeparators(all)}`;

/** Says how much of a covering array a check tried, such as `all 5,812 pairs of 21 dimensions`. */
export function coverageText({ coverage }: RecordedResult): string | undefined {
  if (coverage === undefined) return undefined;
  const { covered, all, strength, dimensions, notApplicable, together } = coverage;
  return compact(
    `${fraction(covered, all)} ${NOUNS[strength]} of ${dimensions} dimensions${together === undefined ? '' : ' in this shard'}`,
    notApplicable > 0 && `${withSeparators(notApplicable)} values not applicable`,
  ).join('; ');
}

export function coverageOfAll(results: readonly RecordedResult[]): string | undefined {
  const each = results.flatMap(({ coverage }) => coverage ?? []);
  const [first] = each;
  if (first === undefined) return undefined;
  const covered = fraction(
    sum(each, (one) => one.covered),
    sum(each, ({ all }) => all),
  );
  return `${covered} ${NOUNS[first.strength]} of request variations, in ${counted(each.length, 'check')}`;
}

const BOUND = 'with 95% confidence, fewer than';

/** The rule of three, as a percentage. */
const bound = (cases: number): string => `${Number((300 / cases).toPrecision(2))}%`;

/** Minimum number of random cases for the bound to mean anything. */
const MIN_RANDOM_CASES = 30;

/** Named cases, such as rows of a covering array, say nothing about other payloads. */
const randomCasesOf = ({ verdict, random = 0 }: RecordedResult): number =>
  verdict === 'pass' && random >= MIN_RANDOM_CASES ? random : 0;

/** Says what a check without failures proves about other random payloads, by the rule of three. */
export function confidenceText(result: RecordedResult): string | undefined {
  const random = randomCasesOf(result);
  return random === 0
    ? undefined
    : `No failure in ${random} random cases: ${BOUND} ${bound(random)} of such payloads fail.`;
}

export function confidenceOfAll(results: readonly RecordedResult[]): string | undefined {
  const counts = results.map(randomCasesOf).filter((count) => count > 0);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  if (counts.length === 0) return undefined;
  if (least === most)
    return `no failure in ${counts.length === 1 ? `${least} random cases` : `${counts.length} checks of ${least} random cases each`}: ${BOUND} ${bound(least)} of such payloads fail`;
  return `no failure in ${counts.length} checks of ${least} to ${most} random cases: ${BOUND} ${bound(most)} to ${bound(least)} of such payloads fail`;
}
