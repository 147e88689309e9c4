import { exactInteger, sourceAt } from '../../contract/numeral.ts';
import { isSuccess } from '../../judge/reading.ts';
import { FRESH, JsonObject } from '../../payloads/json.ts';
import { ID } from '../../payloads/plants.ts';
import type { RequestTemplate } from '../../payloads/test-case.ts';
import { bodyText } from '../../utf8.ts';
import type { Exchange } from '../../wire/exchange.ts';
import { IdRanges } from '../plan/id-ranges.ts';

export class Created {
  plants = 0;
  /** The ids that were sent; the store may have assigned others. */
  readonly ids = new IdRanges();

  record({ request, response }: Exchange, template: RequestTemplate): void {
    if (request.method !== 'POST' || !isSuccess(response?.status)) return;
    this.plants += 1;
    const id = idIn(request.body, template, request.freshId);
    if (id !== undefined) this.ids.add(id);
  }
}

function idIn(
  bytes: Uint8Array | undefined,
  { body }: RequestTemplate,
  fresh: bigint | undefined,
): bigint | undefined {
  const json = body !== undefined && 'json' in body ? body.json : undefined;
  if (json instanceof JsonObject && json.get(ID) === FRESH) return fresh;
  try {
    const text = bodyText(bytes);
    JSON.parse(text);
    return exactInteger(sourceAt(text, [ID]) ?? '');
  } catch {
    return undefined;
  }
}
