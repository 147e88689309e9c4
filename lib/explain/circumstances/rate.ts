import type { Repeat } from '../../run/result/cause.ts';

/** At a failure rate of 1/n, the probability that 5n requests all pass is e⁻⁵ ≈ 1/150. */
const TIMES_RATE = 5;

/** Maximum number of repetitions that the steps of a rare failure send. */
const MAX_REPEATS = 500;

/** Returns n such that about one request in n fails; at least 2, since some pass. */
export const oneIn = (failed: number, tried: number): number => Math.max(2, Math.round(tried / failed));

/** Returns the number of requests that almost certainly show a failure of one request in `every`. */
export const triesAtRate = (every: number): number => every * TIMES_RATE;

/** Says how often to repeat a request of which one in `every` fails. */
export const repeatAtRate = (every: number): Repeat => ({
  times: Math.min(triesAtRate(every), MAX_REPEATS),
  inFlight: 1,
});
