import { hash } from 'node:crypto';
import { type Arbitrary, Random, Value } from 'fast-check';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/**
 * One value of an arbitrary, by coordinates and not by turn: the same seed, stream and index give the same
 * value whatever was drawn before, so that any case can be made again alone.
 * The value comes with what fast-check needs to shrink it.
 */
export function draw<T>(arbitrary: Arbitrary<T>, seed: number, stream: string, index: number): Value<T> {
  const word = Number.parseInt(hash('sha256', `${seed}/${stream}/${index}`).slice(0, 8), 16);
  // Without a bias: a payload's chance is the same in a run of ten cases and of a million.
  return arbitrary.generate(new Random(xoroshiro128plus(word | 0)), undefined);
}

/** One value of a list, and beyond its end of an arbitrary: what has a name is not left to chance. */
export function drawAfter<T>(
  named: readonly T[],
  arbitrary: Arbitrary<T>,
  seed: number,
  stream: string,
  index: number,
): Value<T> {
  const first = named[index];
  return first === undefined ? draw(arbitrary, seed, stream, index) : new Value(first, undefined);
}
