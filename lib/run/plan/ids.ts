import { randomInt } from 'node:crypto';
import type { Contract } from '../../contract/contract.ts';
import { type IdRange, ordinaryIds } from '../../payloads/plants.ts';

/** Offsets from the first id of the run: cases lie above it, retries and other unplanned requests below. */
export interface IdLayout {
  /** Offset of the first id for a case. */
  readonly up: number;
  /** Number of planned cases. The ids of further cases begin at `overflow`. */
  readonly size: number;
  readonly overflow: number;
  /** Offset, below the first id of the run, of the ids for retries. */
  readonly down: number;
  /** Number of slots that share the ids for retries. Each case belongs to one slot. */
  readonly slots: number;
  /** The slot for requests that belong to no case. It differs from shard to shard. */
  readonly own: number;
}

/** Fresh ids. Ids of cases count upwards from the first id of the run, all others downwards. */
export class Ids {
  private readonly range: IdRange;
  private readonly start: bigint;
  private readonly positions: bigint;

  constructor(range: IdRange, firstId: bigint) {
    this.range = range;
    this.positions = (range.last - range.first) / range.step + 1n;
    this.start = (firstId - range.first) / range.step;
  }

  get count(): number {
    return Number(this.positions);
  }

  in(layout: IdLayout): CheckIds {
    return new CheckIds((position) => this.at(position), layout);
  }

  /** The distance of an id from the first id in either direction, which reflects the order of the plan. */
  positionOf(id: bigint): number {
    const position = this.within((id - this.range.first) / this.range.step - this.start);
    return Number(position <= this.positions / 2n ? position : this.positions - position);
  }

  private at(position: number): bigint {
    return this.range.first + this.within(this.start + BigInt(position)) * this.range.step;
  }

  private within(position: bigint): bigint {
    return ((position % this.positions) + this.positions) % this.positions;
  }
}

/** Number of ids for retries in one slot. Confirming a failure needs the most. */
export const RETRY_IDS_PER_CASE = 512;

/** The ids of one check. They depend only on the plan of the run and the position of the case. */
export class CheckIds {
  private readonly at: (position: number) => bigint;
  private readonly layout: IdLayout;
  private reserved = 0;
  private readonly usedBySlot = new Map<number, number>();

  constructor(at: (position: number) => bigint, layout: IdLayout) {
    this.at = at;
    this.layout = layout;
  }

  /** Reserves the next `count` ids for cases. Returns a function from an index to an id. */
  reserve(count: number): (index: number) => bigint {
    const { up, size, overflow } = this.layout;
    const from = this.reserved;
    this.reserved += count;
    return (index) => {
      const position = from + index;
      return this.at(position < size ? up + position : overflow + position - size);
    };
  }

  next(): bigint {
    return this.reserve(1)(0);
  }

  /** An id for an unplanned request: a retry of the case at `position`, or one that belongs to no case. */
  retryId(position?: number): bigint {
    const { slots, down, own } = this.layout;
    const slot = position === undefined ? own : (position + 1) % slots;
    const used = (this.usedBySlot.get(slot) ?? 0) + 1;
    this.usedBySlot.set(slot, used);
    return this.at(-(down + slot * RETRY_IDS_PER_CASE + used));
  }
}

/** Returns a random ordinary first id, which is most likely far from those of earlier runs. */
export const firstIdFor = ({ newPlant }: Pick<Contract, 'newPlant'>): bigint =>
  anyFirstId(ordinaryIds(newPlant.shape));

export function anyFirstId({ first, last }: IdRange): bigint {
  return first + BigInt(randomInt(0, Math.min(Number(last - first) + 1, 2 ** 40)));
}
