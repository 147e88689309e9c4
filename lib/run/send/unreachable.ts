import { statusOf } from '../../judge/reading.ts';
import { type Exchange, failedBy } from '../../wire/exchange.ts';

/** Texts in the 503 of a gateway that cannot reach its server: HAProxy, Apache, Envoy, Varnish. */
const UNREACHED =
  /No server is available to handle this request|temporarily unable to service your\s+request due to maintenance|no healthy upstream|upstream connect error|Backend fetch failed/;

/** Returns whether the response comes from a gateway that could not reach the store. */
export function isFromGateway(exchange: Exchange): boolean {
  const status = statusOf(exchange);
  if (status === 502 || status === 504) return true;
  if (status !== 503 || exchange.response === undefined) return false;
  return UNREACHED.test(Buffer.from(exchange.response.body.subarray(0, 1024)).toString('latin1'));
}

/** Returns whether no complete response of the store itself arrived. */
export const isUnanswered = (exchange: Exchange): boolean =>
  exchange.kind === 'broken' || isFromGateway(exchange);

export const didNotReachStore = (exchange: Exchange): boolean =>
  isFromGateway(exchange) || failedBy(exchange, 'refused', 'connect-timeout', 'unresolved');
