import type { Draft } from '../payloads/case.ts';
import type { Exchange } from '../wire/exchange.ts';
import { answerLine, requestLine } from './explain.ts';
import { sidesOf } from './recorded.ts';
import type { Redact } from './redact.ts';

/** Characters of a body that are shown. */
const LONGEST = 160;

/** An exchange in one line, as it happens. */
export function traceLine(
  exchange: Exchange,
  draft: Draft,
  during: string,
  baseUrl: string,
  redact: Redact,
): string {
  const sides = sidesOf(exchange, draft, baseUrl, redact);
  return `${during}  ${requestLine(sides.request, LONGEST)} -> ${answerLine(sides, LONGEST)}`;
}
