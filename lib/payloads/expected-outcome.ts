import type { Contract } from '../contract/contract.ts';
import { utf8Text } from '../utf8.ts';
import type { Request } from '../wire/exchange.ts';
import { headerValue } from '../wire/headers.ts';
import { isAuthorised } from './credentials.ts';
import type { ExpectedOutcome, RequestTemplate } from './test-case.ts';
import { isPlantText } from './validity.ts';

/**
 * The interface states no size limit (section 8), so a store need not accept a body larger than this. It must
 * answer one of up to this size.
 */
const MAX_CONTRACT_BYTES = 64 * 1024;

const IS_PLANTS = /^\/plants(?:\?|$)/;

/**
 * Determines which outcome a request must have.
 * @param maxBytes maximum size of a body that must be accepted
 */
export function expectedOutcomeOf(
  request: Request,
  template: RequestTemplate,
  contract: Contract,
  token: string,
  maxBytes = MAX_CONTRACT_BYTES,
): ExpectedOutcome {
  if (template.outsideContract === true || request.rawBytes !== undefined) return 'accept-or-reject';
  // The template's path, since that of a request that was sent includes the path of the base URL.
  const { method = 'POST', path = '/plants' } = template;
  const isPlain = IS_PLANTS.test(path);
  if (method !== 'POST' || !(isPlain || IS_PLANTS.test(decodedLetters(path)))) return 'accept-or-reject';
  if (!isAuthorised(template.credential, token)) return 'reject-credential';
  const body = request.body ?? new Uint8Array();
  if (body.length > maxBytes) return 'accept-or-reject';
  if (!isPlant(contract, body)) return 'reject-body';
  const type = headerValue(request.headers, 'content-type') ?? '';
  const coding = headerValue(request.headers, 'content-encoding') ?? 'identity';
  const isDeclared = /^\s*application\/json\s*(?:;|$)/i.test(type) && coding === 'identity';
  return isDeclared && isPlain && request.delivery?.abortAfter === undefined ? 'accept' : 'accept-or-reject';
}

/** An encoded letter is equivalent to the letter itself (RFC 3986 section 6.2.2.2). */
const decodedLetters = (path: string): string =>
  path.replace(/%([46][1-9a-f]|[57][\da])/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );

function isPlant(contract: Contract, body: Uint8Array): boolean {
  // A parser may ignore a byte order mark (RFC 8259 section 8.1).
  const text = utf8Text(body)?.replace(/^\ufeff/, '');
  try {
    return text !== undefined && isPlantText(contract, text);
  } catch {
    return false;
  }
}
