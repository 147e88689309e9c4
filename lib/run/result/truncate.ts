import type { Finding } from '../../judge/rules.ts';
import type { Exchange } from '../../wire/exchange.ts';
import type { Failure } from './result.ts';

/** Bytes of a response body that are kept with a failure: more than a report shows. */
const MAX_BODY_BYTES = 16 * 1024;
/** Characters that are kept of a text which may come from the store. */
const MAX_TEXT_CHARACTERS = 1000;

export const truncate = (text: string, limit: number = MAX_TEXT_CHARACTERS): string =>
  text.length > limit ? `${text.slice(0, limit)}…` : text;

/**
 * An exchange with at most the beginning of its response body, copied so that the memory of the rest can be
 * freed.
 */
export function truncated({ preceding, ...own }: Exchange): Exchange {
  const exchange: Exchange = preceding === undefined ? own : { ...own, preceding: truncated(preceding) };
  const { response } = exchange;
  if (response === undefined || response.body.length <= MAX_BODY_BYTES) return exchange;
  const body = Uint8Array.from(response.body.subarray(0, MAX_BODY_BYTES));
  const shortened = { ...response, body, size: response.size ?? response.body.length };
  return exchange.kind === 'answered'
    ? { ...exchange, response: shortened }
    : { ...exchange, response: shortened };
}

const truncatedFinding = (finding: Finding): Finding => ({
  ...finding,
  expected: truncate(finding.expected),
  actual: truncate(finding.actual),
  problem: truncate(finding.problem),
});

/**
 * A failure in the form in which it is kept, so that the failures of a store that sends megabytes do not fill
 * the memory.
 */
export const truncatedFailure = (failure: Failure): Failure => ({
  ...failure,
  finding: truncatedFinding(failure.finding),
  exchange: truncated(failure.exchange),
  ...(failure.before === undefined
    ? {}
    : {
        before: failure.before.map(({ template, exchange }) => ({ template, exchange: truncated(exchange) })),
      }),
});
