import type { Contract } from '../../contract/contract.ts';
import { type RequestTemplate, validCredential } from '../../payloads/test-case.ts';
import { isValid } from '../../payloads/validity.ts';

/** Returns 2 for a request that any client could send, 1 for another valid plant, 0 for a likely culprit. */
export function ordinariness(template: RequestTemplate, contract: Contract): 0 | 1 | 2 {
  if (template.ordinary === true) return 2;
  const { body, credential = validCredential, method, path, headers } = template;
  if (credential !== validCredential || 'contentType' in template) return 0;
  if (method !== undefined || path !== undefined || headers !== undefined) return 0;
  if (body === undefined || !('json' in body) || body.edit !== undefined) return 0;
  try {
    return isValid(contract, body.json) ? 1 : 0;
  } catch {
    // A value may be written as text that is not JSON.
    return 0;
  }
}
