import { freshId } from '../../payloads/fresh.ts';
import type { RecordedRequest } from '../record/record.ts';
import { bytesIn } from './untruncated-body.ts';

/** The id in the body of a request, even if it is only a part of a number or of a form. */
export function sentIdIn({ body }: RecordedRequest): bigint | undefined {
  const text = bytesIn(body).toString('latin1');
  const numeral = /\bid"?\s*[:=]\s*"?(-?\d+)/.exec(text)?.[1];
  return numeral === undefined ? undefined : BigInt(numeral);
}

/** Limits of integer types. A similar id must be on the same side of each limit as the original. */
const BOUNDS = [31n, 32n, 53n, 63n].map((bits) => 2n ** bits);
export const MAX_RANDOM_DIGITS = 9;

/** A range of numbers with as many digits, on the same side of all type limits. */
export function rangeLike(number: bigint): { readonly base: bigint; readonly size: bigint } {
  const size = 10n ** BigInt(Math.min(MAX_RANDOM_DIGITS, String(number).length - 1));
  let base = number - (number % size);
  for (const bound of BOUNDS) {
    if (number < bound && base + size > bound) base -= size;
    if (number >= bound && base < bound) base += size;
  }
  return { base, size };
}

/** The first number from the base on with the same remainder. */
export const firstLike = (number: bigint, base: bigint, step: bigint): bigint =>
  base + ((((number - base) % step) + step) % step);

/** Returns a similar id that no request has used, with the same sign and remainder. */
export function freshIdLike(id: bigint, modulus: number, unused: bigint): bigint {
  const number = id < 0n ? -id : id;
  const { base, size } = rangeLike(number);
  const step = BigInt(modulus);
  const like = BigInt(freshId(firstLike(number, base, step), base + size, step).written(unused));
  return id < 0n ? -like : like;
}
