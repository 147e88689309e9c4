import { randomInt } from 'node:crypto';
import type { IdRange } from '../payloads/plants.ts';

/** Where the ids of a check begin, in places from the first id of the run: those of its cases upwards, the others downwards. */
export interface Room {
  readonly up: number;
  /** So many cases were foreseen; those beyond have their place at `overflow`. */
  readonly size: number;
  readonly overflow: number;
  readonly down: number;
  /** In how many parts those lie that go downwards; the cases share them out. */
  readonly slots: number;
  /** The slot for what belongs to no case: another in each shard. */
  readonly own: number;
}

/** Ids that were never sent before: those of cases count upwards from the first id of the run, all others downwards. */
export class Ids {
  private readonly range: IdRange;
  private readonly start: bigint;
  private readonly places: bigint;

  constructor(range: IdRange, firstId: bigint) {
    this.range = range;
    this.places = (range.last - range.first) / range.step + 1n;
    this.start = (firstId - range.first) / range.step;
  }

  /** How many there are. */
  get count(): number {
    return Number(this.places);
  }

  /** The ids of one check. */
  in(room: Room): CheckIds {
    return new CheckIds((place) => this.at(place), room);
  }

  /** How far an id is from the first, upwards or downwards, in the order of the plan. */
  placeOf(id: bigint): number {
    const place = this.within((id - this.range.first) / this.range.step - this.start);
    return Number(place <= this.places / 2n ? place : this.places - place);
  }

  private at(place: number): bigint {
    return this.range.first + this.within(this.start + BigInt(place)) * this.range.step;
  }

  private within(place: bigint): bigint {
    return ((place % this.places) + this.places) % this.places;
  }
}

/** Ids aside in one slot: to find out whether a failure comes again takes the most. */
export const ASIDE = 512;

/**
 * The ids of one check. They follow from the plan of the run and from the place of the case alone, so that they
 * are the same whatever else is carried out, by whom, and in which order.
 */
export class CheckIds {
  private readonly at: (place: number) => bigint;
  private readonly room: Room;
  private reserved = 0;
  private readonly taken = new Map<number, number>();

  constructor(at: (place: number) => bigint, room: Room) {
    this.at = at;
    this.room = room;
  }

  /** The next `count` ids for cases, by their index. */
  reserve(count: number): (index: number) => bigint {
    const { up, size, overflow } = this.room;
    const from = this.reserved;
    this.reserved += count;
    return (index) => {
      const place = from + index;
      return this.at(place < size ? up + place : overflow + place - size);
    };
  }

  next(): bigint {
    return this.reserve(1)(0);
  }

  /** An id for a request that the plan of the run does not know: to look into the case at a place, or for no case. */
  aside(place?: number): bigint {
    const { slots, down, own } = this.room;
    const slot = place === undefined ? own : (place + 1) % slots;
    const taken = (this.taken.get(slot) ?? 0) + 1;
    this.taken.set(slot, taken);
    return this.at(-(down + slot * ASIDE + taken));
  }
}

/** A place to start from that earlier runs have most likely not been near. */
export function anyFirstId({ first, last }: IdRange): bigint {
  const span = last - first;
  return first + (span < 2n ** 40n ? BigInt(randomInt(0, Number(span) + 1)) : BigInt(randomInt(0, 2 ** 40)));
}
