import { fixedFor, mayBeUsedUp } from '../../payloads/fresh.ts';
import { FRESH, type Json, JsonObject } from '../../payloads/json.ts';
import { ID } from '../../payloads/plants.ts';
import type { RequestTemplate } from '../../payloads/test-case.ts';
import type { Exchange } from '../../wire/exchange.ts';
import type { CheckIds } from '../plan/ids.ts';
import type { Stop } from '../result/result.ts';
import { Stopped } from '../run-state.ts';

interface Channel {
  /** Sends a request as it is, even if its id or name is in use. */
  sendWithRetries(template: RequestTemplate, id: bigint): Promise<Exchange>;
  report(exchange: Exchange, template: RequestTemplate): void;
}

/** Statuses with which a store rejects a second plant with the same id, or name; empty if it accepts it. */
type DuplicateStatuses = Readonly<Record<'id' | 'name', readonly number[]>>;

/** The first id that the user gave, which an earlier run may have used as well. */
interface Given {
  readonly firstId: bigint;
  readonly otherFirstId: () => bigint;
}

const NEITHER: DuplicateStatuses = { id: [], name: [] };
/** Number of duplicates to send, since a store may not answer all of them alike. */
const MAX_DUPLICATES = 2;
const MAX_PLANTS = 3;
/** How often to resend a rejected plant with other values: if its own are certainly new, and if not. */
const MAX_RETRIES = { fresh: 1, usedUp: 2 } as const;

/**
 * Finds out whether a valid plant was rejected only because its id or name is in use: the interface does not
 * specify uniqueness (section 2), and the store may have been tested before.
 */
export class Collisions {
  /** Number of plants that were rejected for that reason, whether or not a retry succeeded. */
  count = 0;
  private readonly plain: () => JsonObject;
  private readonly freshId: () => bigint;
  private readonly given: Given | undefined;
  private hasAccepted = false;
  private duplicates: Promise<DuplicateStatuses> | undefined;

  /** @param freshId makes ids for the plants that show how the store treats duplicates */
  constructor(plain: () => JsonObject, freshId: () => bigint, given?: Given) {
    this.plain = plain;
    this.freshId = freshId;
    this.given = given;
  }

  /**
   * If the store rejects duplicates with the same status, sends the plant again with other fresh values.
   * @returns the exchange to judge, marked as collided if that explains its rejection; reports all others
   * @throws Stopped if the ids that follow the user's first id are in use
   */
  async resolve(
    first: Exchange,
    template: RequestTemplate,
    ids: CheckIds,
    channel: Channel,
  ): Promise<Exchange> {
    const status = first.response?.status;
    this.hasAccepted ||= status === 200;
    if (!rejectsPlant(status)) return first;
    // A store that redirects every plant is somewhere else.
    if (isRedirect(status) && !this.hasAccepted) return first;
    this.duplicates ??= this.tryDuplicates(channel);
    const duplicate = await this.duplicates;
    const isOfDuplicate = (one: number) => duplicate.id.includes(one) || duplicate.name.includes(one);
    if (!isOfDuplicate(status)) return first;
    const plant = template.body !== undefined && 'json' in template.body ? template.body.json : undefined;
    const value = (name: string): Json | undefined =>
      plant instanceof JsonObject ? plant.get(name) : undefined;
    const usedUp =
      template.sentBefore === true ||
      (duplicate.id.includes(status) && mayBeUsedUp.id(value(ID))) ||
      (duplicate.name.includes(status) && mayBeUsedUp.name(value('name')));
    for (let remaining = usedUp ? MAX_RETRIES.usedUp : MAX_RETRIES.fresh; remaining > 0; remaining -= 1) {
      const again = await channel.sendWithRetries(template, ids.retryId());
      if (again.response !== undefined && isOfDuplicate(again.response.status)) {
        channel.report(collided(again), template);
        continue;
      }
      this.count += 1;
      channel.report(collided(first), template);
      return again;
    }
    // Two fresh values cannot both be in use, unless the user chose the first id and has used it before.
    if (!usedUp && this.given !== undefined) {
      const another = await channel.sendWithRetries(template, this.given.otherFirstId());
      channel.report(collided(another), template);
      if (another.response?.status === 200) throw new Stopped(idsInUse(this.given.firstId));
    }
    if (!usedUp) return first;
    this.count += 1;
    return collided(first);
  }

  private async tryDuplicates({ sendWithRetries, report }: Channel): Promise<DuplicateStatuses> {
    const send = async (json: Json) => {
      const template: RequestTemplate = { body: { json } };
      const exchange = await sendWithRetries(template, this.freshId());
      report(exchange, template);
      return exchange.response?.status;
    };
    const rejections = async (make: () => Json) => {
      const statuses = new Set<number>();
      for (let remaining = MAX_DUPLICATES; remaining > 0; remaining -= 1) {
        const status = await send(make());
        if (rejectsPlant(status)) statuses.add(status);
      }
      return [...statuses];
    };
    if (this.plain().get(ID) !== FRESH) return NEITHER;
    for (let remaining = MAX_PLANTS; remaining > 0; remaining -= 1) {
      const id = this.freshId();
      const plant = fixedFor(this.plain(), id);
      if ((await send(plant)) !== 200) continue;
      const rejected: DuplicateStatuses = {
        id: await rejections(() => fixedFor(this.plain(), this.freshId()).with(ID, id)),
        name: await rejections(() => plant.with(ID, this.freshId())),
      };
      // A store that now rejects new plants, too, has another reason for its rejections.
      return (await send(this.plain())) === 200 && (await send(this.plain())) === 200 ? rejected : NEITHER;
    }
    return NEITHER;
  }
}

const idsInUse = (firstId: bigint): Stop => ({
  kind: 'ids-in-use',
  reason: `the ids from --first-id ${firstId} on are already in use, and the store rejects duplicates`,
  remedy: 'omit --first-id, or give a value that no earlier run used',
});

const collided = (exchange: Exchange): Exchange => ({ ...exchange, collided: true });

/** Statuses that lead to another resource, such as the plant that exists already (RFC 9110 section 15.4). */
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

const isRedirect = (status: number): boolean => REDIRECTS.includes(status);

/** Whether the store rejected the plant itself, rather than the credential, the path or the method. */
const rejectsPlant = (status: number | undefined): status is number =>
  status !== undefined &&
  (isRedirect(status) || (status >= 400 && status < 500 && ![401, 403, 404, 405, 429].includes(status)));
