import { compact } from '../../collections.ts';
import type { FailureCount } from '../../run/result/result.ts';
import { counted, withSeparators } from '../../text.ts';
import type { ExplainedChecks } from '../baseline/deviations.ts';
import type { ComparedCause, RecordedResult } from '../record/record.ts';

const of = ([failed, tried]: FailureCount) => `${failed} of ${tried}`;

/** How to word the confirming requests that meet the condition of a cause, and those that do not. */
type Words = readonly [inside: string, outside?: string];

const CONFIRMED: Readonly<Record<ComparedCause['kind'], Words>> = {
  always: ['such requests failed', 'others'],
  intermittent: ['requests failed, intermittently', 'others'],
  'under-concurrency': ['tries with such requests in flight failed', 'without'],
  sequence: ['tries failed after such requests', 'without them'],
  'from-then-on': ['requests failed from that point on', 'before'],
  once: ['cases failed'],
};
const WITHOUT_CONDITION: Words = ['requests failed, whatever they contained', 'others'];
const OF_REJECTIONS: Words = ['rejected requests failed, whatever was wrong with them', 'others'];

function wordsFor({ kind, condition, symptom }: ComparedCause): Words {
  if (kind !== 'always' || condition !== null) return CONFIRMED[kind];
  return symptom.startsWith('answers 400') ? OF_REJECTIONS : WITHOUT_CONDITION;
}

/** After fewer tries, a condition is a guess. */
const MIN_CONFIRMING_TRIES = 3;

/** Names the counts of a cause: `confirmed` only if experiments reproduced it several times. */
export const countsLabel = ({ kind, confirmed: { inside } }: ComparedCause): string =>
  kind === 'once' || inside[1] < MIN_CONFIRMING_TRIES ? 'seen' : 'confirmed';

export function confirmedText(cause: ComparedCause): string {
  const { kind, confirmed, until = [], notExamined } = cause;
  const { inside, outside } = confirmed;
  const isOne = inside[1] === 1;
  const [text, others] = wordsFor(cause);
  const outsideText = others === undefined || outside[1] === 0 ? '' : `, ${of(outside)} ${others}`;
  const before = until.map(({ status, count }) => `${withSeparators(count)} × ${status}`).join(', ');
  return compact(
    `${of(inside)} ${isOne ? text.replace(/^cases/, 'case') : text}${outsideText}`,
    before !== '' && `until then ${before}`,
    notExamined !== undefined && `not examined: ${notExamined}`,
    kind === 'once' && notExamined === undefined && 'no experiment reproduced it',
  ).join('; ');
}

const NOTHING_TRIED: FailureCount = [0, 0];

/** Says how often a failure recurred when it was retried; undefined if it was not retried. */
export function retrySummary({
  when,
  retries = {},
}: NonNullable<RecordedResult['counterexample']>): string | undefined {
  const { same = NOTHING_TRIED, fresh = NOTHING_TRIED, concurrent } = retries;
  const isolated = `${of([same[0] + fresh[0], same[1] + fresh[1]])} in isolation`;
  const underConcurrency = concurrent === undefined ? '' : `, ${of(concurrent)} under concurrency`;
  switch (when) {
    case undefined:
      return undefined;
    case 'always':
      return `reproduced in isolation: ${compact(
        retries.same && `${of(same)} with the same request`,
        retries.fresh && `${of(fresh)} with a new id`,
      ).join(', ')}`;
    case 'this-request':
      return `fails with this request (${of(same)}), not with a new id and name (${of(fresh)})`;
    case 'intermittent':
      return `fails intermittently: ${isolated}${underConcurrency}; replicas or workers may differ`;
    case 'under-concurrency':
      return `fails only while other requests are in flight: ${isolated}${underConcurrency}`;
    case 'once':
      return `not reproduced on retry: ${isolated}${underConcurrency}`;
  }
}

/** The number of checks of a cause, by level: `(9 MUST, 2 SHOULD)`. */
export function weightOf({ level, checks }: Pick<ExplainedChecks, 'level' | 'checks'>): string {
  const ofLevel = checks.filter((check) => check.level === level).length;
  const others = checks.length - ofLevel;
  return others === 0
    ? `(${counted(checks.length, 'check')}, ${level})`
    : `(${ofLevel} ${level}, ${others} SHOULD)`;
}
