import type { RecordedResult } from './record.ts';

type Counterexample = NonNullable<RecordedResult['counterexample']>;
type Tried = readonly [failed: number, tried: number];

const count = ([failed, tried]: Tried = [0, 0]) => `${failed} of ${tried}`;

const inIsolation = ({ same = [0, 0], fresh = [0, 0] }: NonNullable<Counterexample['retries']>): Tried => [
  same[0] + fresh[0],
  same[1] + fresh[1],
];

/** Whether a failure came again when its request was sent again, and how often; undefined where that was not tried. */
export function comesAgain({ when, retries = {} }: Counterexample): string | undefined {
  const { same, fresh, concurrent } = retries;
  const isolated = `${count(inIsolation(retries))} in isolation`;
  const together = concurrent === undefined ? '' : `, ${count(concurrent)} under concurrency`;
  switch (when) {
    case undefined:
      return undefined;
    case 'always':
      return `fails again in isolation: ${[
        ...(same === undefined ? [] : [`${count(same)} with the same request`]),
        ...(fresh === undefined ? [] : [`${count(fresh)} with a fresh id`]),
      ].join(', ')}`;
    case 'this-request':
      return `fails with this request (${count(same)}), not with a fresh id and name (${count(fresh)})`;
    case 'now-and-then':
      return `fails now and then: ${isolated}${together}; does one of several replicas or workers differ?`;
    case 'under-concurrency':
      return `fails only while other requests are in flight: ${isolated}${together}`;
    case 'once':
      return `failed once and not again: ${isolated}${together}`;
  }
}
