import { present } from '../../list.ts';
import type { RecordedResult } from '../record/record.ts';

type Counterexample = NonNullable<RecordedResult['counterexample']>;
type RetryCount = readonly [failed: number, tried: number];

const count = ([failed, tried]: RetryCount = [0, 0]) => `${failed} of ${tried}`;

const inIsolation = ({
  same = [0, 0],
  fresh = [0, 0],
}: NonNullable<Counterexample['retries']>): RetryCount => [same[0] + fresh[0], same[1] + fresh[1]];

/** How often a failure occurred again on a retry; undefined if it was not retried. */
export function retrySummary({ when, retries = {} }: Counterexample): string | undefined {
  const { same, fresh, concurrent } = retries;
  const isolated = `${count(inIsolation(retries))} in isolation`;
  const underConcurrency = concurrent === undefined ? '' : `, ${count(concurrent)} under concurrency`;
  switch (when) {
    case undefined:
      return undefined;
    case 'always':
      return `fails again in isolation: ${present(
        same && `${count(same)} with the same request`,
        fresh && `${count(fresh)} with a fresh id`,
      ).join(', ')}`;
    case 'this-request':
      return `fails with this request (${count(same)}), not with a fresh id and name (${count(fresh)})`;
    case 'now-and-then':
      return `fails intermittently: ${isolated}${underConcurrency}; replicas or workers may differ`;
    case 'under-concurrency':
      return `fails only while other requests are in flight: ${isolated}${underConcurrency}`;
    case 'once':
      return `failed once, not when retried: ${isolated}${underConcurrency}`;
  }
}
