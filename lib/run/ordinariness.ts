import type { Contract } from '../contract/contract.ts';
import { admits } from '../payloads/admits.ts';
import { bearer, type Draft } from '../payloads/case.ts';

/**
 * How ordinary a request is: 2 what any client sends, 1 another valid plant, 0 all else. Of several requests that
 * are left without an answer the least ordinary is the likeliest cause, and the others are its victims.
 */
export function ordinariness(draft: Draft, contract: Contract): 0 | 1 | 2 {
  if (draft.ordinary === true) return 2;
  const { body, credential = bearer, method, path, headers } = draft;
  if (credential !== bearer || 'contentType' in draft) return 0;
  if (method !== undefined || path !== undefined || headers !== undefined) return 0;
  if (body === undefined || !('json' in body) || body.edit !== undefined) return 0;
  try {
    return admits(contract, body.json) ? 1 : 0;
  } catch {
    // A value may be written as a text that is no JSON.
    return 0;
  }
}
