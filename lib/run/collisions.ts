import type { Draft } from '../payloads/case.ts';
import { fixedFor, mayBeUsedUp } from '../payloads/fresh.ts';
import { FRESH, type Json, JsonObject } from '../payloads/json.ts';
import { ID } from '../payloads/plants.ts';
import type { Exchange } from '../wire/exchange.ts';
import type { CheckIds } from './ids.ts';
import type { Stop } from './result.ts';
import { Stopped } from './stopped.ts';

/** How requests are sent beside the one that is looked into. */
export interface Channel {
  /** Sends a request as it is. */
  deliver(draft: Draft, id: bigint): Promise<Exchange>;
  /** Tells everyone who listens of an exchange. */
  report(exchange: Exchange, draft: Draft): void;
}

/** The status with which a store rejects a second plant of one id, or of one name; undefined where it does not. */
interface HeldOnce {
  readonly id: number | undefined;
  readonly name: number | undefined;
}

/** The first id that the user gave, which an earlier run may have had as well. */
export interface Given {
  readonly firstId: bigint;
  /** An id that does not follow from it. */
  readonly elsewhere: () => bigint;
}

const NEITHER: HeldOnce = { id: undefined, name: undefined };
/** Plants that are sent to find out what becomes of a second one, until one of them is accepted. */
const MAX_PLANTS = 3;
/** How often a plant is sent again with other fresh values, and one whose values may be used up. */
const MAX_RETRIES = { fresh: 1, usedUp: 2 } as const;

/**
 * Whether a rejection says of a valid plant only that its id or name is in use: uniqueness is not shown (interface,
 * section 2), and a store may have been tested before.
 */
export class Collisions {
  /** Plants that were rejected for that, and sent again with other values or left at that. */
  count = 0;
  private readonly plain: () => JsonObject;
  private readonly freshId: () => bigint;
  private readonly given: Given | undefined;
  private asked: Promise<HeldOnce> | undefined;

  /**
   * @param plain makes a plant of which nothing is the point
   * @param freshId for plants that are sent to find out what becomes of a second one
   * @param given where the user gave the first id
   */
  constructor(plain: () => JsonObject, freshId: () => bigint, given?: Given) {
    this.plain = plain;
    this.freshId = freshId;
    this.given = given;
  }

  /**
   * Looks into the answer to a plant that is sent to be accepted. Where the store rejects duplicates with the same
   * status, other fresh values are tried.
   * @returns the exchange to judge, with a mark where its rejection is explained; all others are reported
   * @throws Stopped where the ids that follow from the user's first id are in use
   */
  async resolve(first: Exchange, draft: Draft, ids: CheckIds, channel: Channel): Promise<Exchange> {
    const status = first.response?.status;
    if (!isRejection(status)) return first;
    this.asked ??= this.ask(channel);
    const held = await this.asked;
    if (held.id !== status && held.name !== status) return first;
    const plant = draft.body !== undefined && 'json' in draft.body ? draft.body.json : undefined;
    const value = (name: string): Json | undefined =>
      plant instanceof JsonObject ? plant.get(name) : undefined;
    const usedUp =
      (held.id === status && mayBeUsedUp.id(value(ID))) ||
      (held.name === status && mayBeUsedUp.name(value('name')));
    for (let left = usedUp ? MAX_RETRIES.usedUp : MAX_RETRIES.fresh; left > 0; left -= 1) {
      const again = await channel.deliver(draft, ids.aside());
      if (again.response?.status === status) {
        channel.report(collided(again), draft);
        continue;
      }
      this.count += 1;
      channel.report(collided(first), draft);
      return again;
    }
    // Two fresh values are not both in use, unless the user has given the same first id before.
    if (!usedUp && this.given !== undefined) {
      const elsewhere = await channel.deliver(draft, this.given.elsewhere());
      channel.report(collided(elsewhere), draft);
      if (elsewhere.response?.status === 200) throw new Stopped(idsInUse(this.given.firstId));
    }
    if (!usedUp) return first;
    this.count += 1;
    return collided(first);
  }

  /** What becomes of a plant with the id, and of one with the name, of a plant that was accepted. */
  private async ask({ deliver, report }: Channel): Promise<HeldOnce> {
    const send = async (json: Json) => {
      const draft: Draft = { body: { json } };
      const exchange = await deliver(draft, this.freshId());
      report(exchange, draft);
      return exchange.response?.status;
    };
    const rejection = async (json: Json) => {
      const status = await send(json);
      return isRejection(status) ? status : undefined;
    };
    if (this.plain().get(ID) !== FRESH) return NEITHER;
    for (let left = MAX_PLANTS; left > 0; left -= 1) {
      const [id, other] = [this.freshId(), this.freshId()];
      const plant = fixedFor(this.plain(), id).with(ID, id);
      if ((await send(plant)) !== 200) continue;
      const held: HeldOnce = {
        id: await rejection(fixedFor(this.plain(), other).with(ID, id)),
        name: await rejection(plant.with(ID, this.freshId())),
      };
      // What rejects a new plant as well rejects for another reason.
      return (await send(this.plain())) === 200 && (await send(this.plain())) === 200 ? held : NEITHER;
    }
    return NEITHER;
  }
}

const idsInUse = (firstId: bigint): Stop => ({
  kind: 'ids-in-use',
  reason: `the store knows the ids from --first-id ${firstId} on already, and rejects duplicates`,
  remedy: 'leave --first-id out, or give one that no earlier run had',
});

const collided = (exchange: Exchange): Exchange => ({ ...exchange, collided: true });

/** Whether the store said no to what was sent, and not to who sent it or where. */
const isRejection = (status: number | undefined): boolean =>
  status !== undefined && status >= 400 && status < 500 && ![401, 403, 404, 405, 429].includes(status);
