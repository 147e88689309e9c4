import type { Finding } from '../judge/rules.ts';
import type { Exchange } from '../wire/exchange.ts';
import type { Failure } from './result.ts';

/** Bytes of an answer that are kept with a failure: more than a report shows, less than a store may send. */
const BODY = 16 * 1024;
/** Characters of a text that are kept where a store may have written it. */
const TEXT = 1000;

/** A text that is no longer than it takes to know it. */
export const shortly = (text: string, longest: number = TEXT): string =>
  text.length > longest ? `${text.slice(0, longest)}…` : text;

/** An exchange without most of a long body. Whatever was read of the whole answer can be forgotten with it. */
export function kept(exchange: Exchange): Exchange {
  const { response } = exchange;
  if (response === undefined || response.body.length <= BODY) return exchange;
  const body = Uint8Array.from(response.body.subarray(0, BODY));
  const short = { ...response, body, size: response.size ?? response.body.length };
  return exchange.kind === 'answered' ? { ...exchange, response: short } : { ...exchange, response: short };
}

const said = (finding: Finding): Finding => ({
  ...finding,
  expected: shortly(finding.expected),
  actual: shortly(finding.actual),
  cause: shortly(finding.cause),
});

/** A failure as it is kept: a store that answers with megabytes does not fill the memory with its failures. */
export const keptFailure = (failure: Failure): Failure => ({
  ...failure,
  finding: said(failure.finding),
  exchange: kept(failure.exchange),
  ...(failure.before === undefined
    ? {}
    : { before: failure.before.map(({ draft, exchange }) => ({ draft, exchange: kept(exchange) })) }),
});
