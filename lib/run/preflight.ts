import { briefly } from '../judge/reading.ts';
import type { Draft } from '../payloads/case.ts';
import type { Exchange } from '../wire/exchange.ts';
import type { Wire } from '../wire/wire.ts';
import type { Errand } from './gate.ts';
import { shortly } from './keep.ts';
import type { Stop } from './result.ts';
import type { Sender } from './sender.ts';

/** Whether a run can begin; else why it cannot, or what the user may have got wrong. */
export interface Readiness {
  readonly stop?: Stop;
  readonly advice?: string;
}

/** Requests after which a token counts as refused throughout, and a store as one that only closes connections. */
const TRIES = 3;

/**
 * Sends an ordinary plant and tells what stands in the way of a verdict from what the store does wrong.
 * A store that is there and does not answer is not excused: the checks will say so.
 */
export async function preflight(
  wire: Wire,
  sender: Sender,
  errand: Errand,
  drafts: readonly Draft[],
): Promise<Readiness> {
  const { origin, prefix } = wire.endpoint;
  const url = `${origin}${prefix}/plants`;
  const seen: Exchange[] = [];
  for (const draft of drafts.slice(0, TRIES)) {
    const exchange = await sender.send(draft, errand.ids.next(), errand);
    seen.push(exchange);
    if (isForeign(exchange)) continue;
    const stop = unreachable(exchange, url);
    if (stop !== undefined) return { stop };
    if (isWordless(exchange) && (await wire.speaksTls())) return { stop: wantsTls(url) };
    const status = exchange.response?.status;
    if (status !== 401 && status !== 403) break;
  }
  if (seen.length > 0 && seen.every(isForeign)) return { stop: foreign(seen[0], url) };
  const last = seen.at(-1);
  if (
    seen.length === TRIES &&
    seen.every(({ response }) => response?.status === 401 || response?.status === 403)
  ) {
    return {
      stop: {
        kind: 'token-refused',
        reason: `POST ${url} refuses the token on every request (${last === undefined ? '' : shortly(briefly(last))})`,
        remedy: 'give a token that the store takes: PLANT_STORE_TOKEN=... or --token',
      },
    };
  }
  if (last?.response?.status === 404) {
    return {
      advice: `POST ${url} is answered 404. If that is not where plants are created, give the base URL that stands before /plants.`,
    };
  }
  return {};
}

/** Whether the connection was closed without a byte of an answer. */
const isWordless = (exchange: Exchange): boolean =>
  exchange.kind === 'broken' && exchange.fault.kind === 'closed' && exchange.response === undefined;

/** Whether another protocol than HTTP is spoken. */
const isForeign = (exchange: Exchange): boolean =>
  exchange.kind === 'broken' && exchange.fault.foreign === true && exchange.response === undefined;

/** Whether a store was reached, and gave no answer or none that can be read. */
export const isSilence = (exchange: Exchange): boolean =>
  exchange.kind === 'broken' &&
  (exchange.fault.kind === 'closed' ||
    exchange.fault.kind === 'timeout' ||
    (exchange.fault.kind === 'not-http' && !isForeign(exchange)));

function unreachable(exchange: Exchange, url: string): Stop | undefined {
  if (exchange.kind === 'answered') return undefined;
  const { kind, detail } = exchange.fault;
  switch (kind) {
    case 'unresolved':
      return {
        kind: 'unreachable',
        reason: `${url}: the name does not resolve (${detail})`,
        remedy: 'check the host in the base URL',
      };
    case 'refused':
      return {
        kind: 'unreachable',
        reason: `${url}: nothing listens there (${detail})`,
        remedy: 'start the store, or let --start CMD do it and --wait S wait for it',
      };
    case 'connect-timeout':
      return {
        kind: 'unreachable',
        reason: `${url}: no connection (${detail})`,
        remedy: 'check host and port, or give more time with --timeout',
      };
    case 'untrusted':
      return {
        kind: 'untrusted',
        reason: `${url}: the certificate is not trusted (${detail})`,
        remedy: 'give its authority with --ca FILE, or try without with --insecure',
      };
    case 'not-tls':
      return {
        kind: 'not-http',
        reason: `${url}: this is no TLS (${detail})`,
        remedy: 'the store may want http:// in the base URL',
      };
    default:
      return undefined;
  }
}

const wantsTls = (url: string): Stop => ({
  kind: 'not-http',
  reason: `${url}: the server speaks TLS, and closes connections that do not`,
  remedy: 'give https:// in the base URL',
});

const foreign = (exchange: Exchange | undefined, url: string): Stop => ({
  kind: 'not-http',
  reason: `${url}: what answers does not speak HTTP/1.1 (${exchange?.kind === 'broken' ? exchange.fault.detail : ''})`,
  remedy: 'check the port, and whether it wants https://',
});
