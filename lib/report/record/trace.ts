import type { RequestTemplate } from '../../payloads/test-case.ts';
import type { Exchange } from '../../wire/exchange.ts';
import { answerLine, requestLine } from '../wording/text.ts';
import { sentAndReceived } from './recorded.ts';
import type { Redact } from './redact.ts';

const MAX_BODY_CHARACTERS = 160;

export function traceLine(
  exchange: Exchange,
  template: RequestTemplate,
  source: string,
  baseUrl: string,
  redact: Redact,
): string {
  const messages = sentAndReceived(exchange, template, baseUrl, redact);
  return `${source}  ${requestLine(messages.request, MAX_BODY_CHARACTERS)} -> ${answerLine(messages, MAX_BODY_CHARACTERS)}`;
}
