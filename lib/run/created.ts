import type { Draft } from '../payloads/case.ts';
import { JsonObject } from '../payloads/json.ts';
import type { Exchange } from '../wire/exchange.ts';

/** Ids that are noted down one by one. */
const MOST = 10_000;

/** The plants that a store said it created: what a run leaves behind. */
export class Created {
  plants = 0;
  /** Ids that a check chose, and not the plan of the run; the first of them. */
  readonly others: string[] = [];
  /** The span of the ids that were sent for all the rest. */
  lowest: bigint;
  highest: bigint;

  constructor(firstId: bigint) {
    this.lowest = firstId;
    this.highest = firstId;
  }

  note({ request, response }: Exchange, draft: Draft, id: bigint): void {
    if (request.method !== 'POST' || response === undefined) return;
    if (response.status < 200 || response.status >= 300) return;
    this.plants += 1;
    const own = ownIdOf(draft);
    if (own !== undefined) {
      if (this.others.length < MOST) this.others.push(String(own));
      return;
    }
    if (id < this.lowest) this.lowest = id;
    if (id > this.highest) this.highest = id;
  }
}

/** The id that a request was given by its check, where that is not a fresh one. */
function ownIdOf({ body }: Draft): bigint | undefined {
  const id =
    body !== undefined && 'json' in body && body.json instanceof JsonObject ? body.json.get('id') : undefined;
  return typeof id === 'bigint' ? id : undefined;
}
