import { randomInt } from 'node:crypto';

export interface IdRange {
  readonly first: bigint;
  readonly last: bigint;
  readonly step: bigint;
}

/**
 * Ids that were never sent before: the cases of a run count upwards from its first id, what is sent to
 * look into a failure counts downwards, so that a failure does not move the ids of the cases after it.
 */
export class Ids {
  private readonly range: IdRange;
  private readonly start: bigint;
  private readonly places: bigint;
  private up = 0n;
  private down = 0n;

  constructor(range: IdRange, firstId: bigint) {
    this.range = range;
    this.places = (range.last - range.first) / range.step + 1n;
    this.start = (firstId - range.first) / range.step;
  }

  /** The next `count` ids for cases, by their index. */
  reserve(count: number): (index: number) => bigint {
    const from = this.start + this.up;
    this.up += BigInt(count);
    return (index) => this.at(from + BigInt(index));
  }

  next(): bigint {
    return this.reserve(1)(0);
  }

  /** An id for a request that the plan of the run does not know. */
  aside(): bigint {
    this.down += 1n;
    return this.at(this.start - this.down);
  }

  /** The place of an id in the plan; what is sent aside comes after all of it. */
  placeOf(id: bigint): number {
    const place = (id - this.range.first) / this.range.step - this.start;
    return Number(((place % this.places) + this.places) % this.places);
  }

  private at(place: bigint): bigint {
    const within = ((place % this.places) + this.places) % this.places;
    return this.range.first + within * this.range.step;
  }
}

/** A place to start from that earlier runs have most likely not been near. */
export function anyFirstId({ first, last }: IdRange): bigint {
  const span = last - first;
  return first + (span < 2n ** 40n ? BigInt(randomInt(0, Number(span) + 1)) : BigInt(randomInt(0, 2 ** 40)));
}
