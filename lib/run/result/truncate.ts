import type { Finding } from '../../judge/rules.ts';
import { beginningOf } from '../../text.ts';
import type { Exchange, HeaderPair, Response } from '../../wire/exchange.ts';
import type { FailedCase, Failure } from './result.ts';

/** Maximum size of a response body kept with a failure; more than a report shows. */
export const MAX_KEPT_BODY_BYTES = 16 * 1024;
/**
 * Maximum size of a body that is kept whole because it will be read again; larger than debug pages of
 * frameworks.
 */
export const MAX_WHOLE_BODY_BYTES = 256 * 1024;
/** Maximum length of one header value kept with a failure, and of all of them; a record keeps less. */
const MAX_VALUE_CHARACTERS = 4 * 1024;
const MAX_VALUES_CHARACTERS = 16 * 1024;
/** Maximum length of a text that may come from the store. */
const MAX_TEXT_CHARACTERS = 1000;

export const truncate = (text: string, limit: number = MAX_TEXT_CHARACTERS): string =>
  text.length > limit ? `${beginningOf(text, limit)}…` : text;

function shortened({ headers, statusText, body, size, ...rest }: Response, maxBodyBytes: number): Response {
  let charactersLeft = MAX_VALUES_CHARACTERS;
  const kept = headers.map(([name, value]): HeaderPair => {
    const beginning = beginningOf(value, Math.min(MAX_VALUE_CHARACTERS, charactersLeft));
    charactersLeft -= beginning.length;
    return [beginningOf(name, MAX_VALUE_CHARACTERS), beginning];
  });
  const isLong = body.length > maxBodyBytes;
  return {
    ...rest,
    headers: kept,
    statusText: beginningOf(statusText, MAX_VALUE_CHARACTERS),
    body: isLong ? Uint8Array.from(body.subarray(0, maxBodyBytes)) : body,
    ...(size !== undefined || isLong ? { size: size ?? body.length } : {}),
  };
}

/** Keeps the beginning of body and headers, copied so that the memory of the whole can be freed. */
export function truncated(
  { preceding, ...rest }: Exchange,
  maxBodyBytes: number = MAX_WHOLE_BODY_BYTES,
): Exchange {
  const exchange: Exchange =
    preceding === undefined ? rest : { ...rest, preceding: truncated(preceding, maxBodyBytes) };
  return exchange.response === undefined
    ? exchange
    : { ...exchange, response: shortened(exchange.response, maxBodyBytes) };
}

const truncatedFinding = (finding: Finding): Finding => ({
  ...finding,
  expected: truncate(finding.expected),
  actual: truncate(finding.actual),
  problem: truncate(finding.problem),
});

/** Keeps only the beginning of everything that a store may have written, except the response itself. */
export const truncatedCase = <T extends FailedCase>(failure: T): T => ({
  ...failure,
  finding: truncatedFinding(failure.finding),
  ...(failure.before && {
    before: failure.before.map(({ template, exchange }) => ({
      template,
      exchange: truncated(exchange, MAX_KEPT_BODY_BYTES),
    })),
  }),
});

/** Truncates a failure with its response: a store that sends megabytes must not fill the memory. */
export const truncatedFailure = (failure: Failure, maxBodyBytes: number): Failure => ({
  ...truncatedCase(failure),
  exchange: truncated(failure.exchange, maxBodyBytes),
});
