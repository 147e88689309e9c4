import type { Contract } from '../../contract/contract.ts';
import { isAuthorised } from '../../payloads/credentials.ts';
import type { ExpectedOutcome, RequestTemplate } from '../../payloads/test-case.ts';
import { isPlantText } from '../../payloads/validity.ts';
import type { Request } from '../../wire/exchange.ts';

export const mustReject = (expected: ExpectedOutcome): boolean =>
  expected === 'reject-body' || expected === 'reject-credential';

/** Size up to which a request is within the contract. */
const MAX_BYTES = 64 * 1024;

/** The outcome that the contract demands of a request, from what was sent. */
export function expectedOutcomeOf(
  request: Request,
  template: RequestTemplate,
  contract: Contract,
  token: string,
): ExpectedOutcome {
  if (template.outsideContract === true || request.rawBytes !== undefined) return 'open';
  const { method = 'POST', path = '/plants' } = template;
  if (method !== 'POST' || !/^\/plants(?:\?|$)/.test(path)) return 'open';
  if (!isAuthorised(template.credential, token)) return 'reject-credential';
  const body = request.body ?? new Uint8Array();
  if (body.length > MAX_BYTES) return 'open';
  const text = textOf(body);
  if (text === undefined || !isPlant(contract, text)) return 'reject-body';
  const type = request.headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  const coding =
    request.headers.find(([name]) => name.toLowerCase() === 'content-encoding')?.[1] ?? 'identity';
  return /^\s*application\/json\s*(?:;|$)/i.test(type) && coding === 'identity' ? 'accept' : 'open';
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function isPlant(contract: Contract, text: string): boolean {
  try {
    return isPlantText(contract, text);
  } catch {
    return false;
  }
}
