import { exactInteger, sourceAt } from '../contract/numeral.ts';
import type { Draft } from '../payloads/case.ts';
import { FRESH, JsonObject } from '../payloads/json.ts';
import { ID } from '../payloads/plants.ts';
import type { Exchange } from '../wire/exchange.ts';
import { IdRanges } from './id-ranges.ts';

/** The plants that a store said it created: what a run leaves behind. */
export class Created {
  plants = 0;
  /** The ids that they were sent with; the store may have given them others. */
  readonly ids = new IdRanges();

  note({ request, response }: Exchange, draft: Draft): void {
    if (request.method !== 'POST' || response === undefined) return;
    if (response.status < 200 || response.status >= 300) return;
    this.plants += 1;
    const id = idIn(request.body, draft, request.freshId);
    if (id !== undefined) this.ids.add(id);
  }
}

/** The id in a body, to the last digit. */
function idIn(bytes: Uint8Array | undefined, { body }: Draft, fresh: bigint | undefined): bigint | undefined {
  const json = body !== undefined && 'json' in body ? body.json : undefined;
  if (json instanceof JsonObject && json.get(ID) === FRESH) return fresh;
  try {
    const text = Buffer.from(bytes ?? new Uint8Array()).toString('utf8');
    JSON.parse(text);
    return exactInteger(sourceAt(text, [ID]) ?? '');
  } catch {
    return undefined;
  }
}
