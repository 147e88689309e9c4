import { briefly, fields, locationOf } from '../judge/reading.ts';
import { type Draft, nothing } from '../payloads/case.ts';
import type { Exchange } from '../wire/exchange.ts';
import type { Wire } from '../wire/wire.ts';
import { isFromGateway } from './away.ts';
import type { Errand } from './gate.ts';
import { shortly } from './keep.ts';
import { agreesOnHttp2Alone, foreign, inTheWay, isForeign, wantsHttp2 } from './listener.ts';
import type { Stop } from './result.ts';
import type { Sender } from './sender.ts';

/** Whether a run can begin; else why it cannot, or what the user may have got wrong. */
export interface Readiness {
  readonly stop?: Stop;
  readonly advice?: string | undefined;
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
  const { endpoint } = wire;
  const url = `${endpoint.origin}${endpoint.prefix}/plants`;
  const seen: Exchange[] = [];
  for (const draft of drafts.slice(0, TRIES)) {
    const exchange = await sender.send(draft, errand.ids.next(), errand);
    seen.push(exchange);
    if (isForeign(exchange)) continue;
    const stop = await inTheWay(exchange, wire, url);
    if (stop !== undefined) return { stop };
    if (!isRefusal(exchange) && !isFromGateway(exchange)) break;
  }
  const [first] = seen;
  const last = seen.at(-1);
  if (first === undefined || last === undefined) return {};
  const throughout = (is: (exchange: Exchange) => boolean) => seen.length === TRIES && seen.every(is);
  if (seen.every(isForeign)) return { stop: await foreign(first, endpoint, url) };
  if (throughout(isFromGateway)) return { stop: noStoreBehind(last, url) };
  if (throughout(isRefusal)) {
    if (await agreesOnHttp2Alone(endpoint)) return { stop: wantsHttp2(url) };
    const without = await sender.send(withoutToken(drafts), errand.ids.next(), errand);
    return { stop: tokenRefused(last, isSame(last, without), url) };
  }
  return { advice: adviceOn(last, url) };
}

/** What the base URL may be, where plants are not created at this one. */
function adviceOn({ response }: Exchange, url: string): string | undefined {
  if (response?.status === 404)
    return `POST ${url} is answered 404. If that is not where plants are created, give the base URL that stands before /plants.`;
  const location = response === undefined ? undefined : locationOf(response);
  if (response === undefined || location === undefined) return undefined;
  const target = URL.canParse(location, url) ? new URL(location, url) : undefined;
  const base = /^(https?:\/\/.*?)\/plants\/?$/.exec(`${target?.origin}${target?.pathname}`)?.[1];
  return `POST ${url} is answered ${response.status} with Location: ${shortly(location, 200)}; a redirect is not followed. ${
    base === undefined || `${base}/plants` === url
      ? 'Give the base URL of the store itself.'
      : `If the store is there, give ${shortly(base, 200)} as base URL.`
  }`;
}

const isRefusal = ({ response }: Exchange): boolean => response?.status === 401 || response?.status === 403;

const withoutToken = ([draft]: readonly Draft[]): Draft => ({
  ...draft,
  credential: nothing,
  ordinary: false,
  beyond: true,
});

/** Whether two requests are answered in the same words. */
const isSame = (one: Exchange, other: Exchange): boolean =>
  one.response !== undefined &&
  other.response !== undefined &&
  one.response.status === other.response.status &&
  Buffer.compare(one.response.body, other.response.body) === 0 &&
  fields(one.response, 'www-authenticate').join() === fields(other.response, 'www-authenticate').join();

const tokenRefused = (last: Exchange, asWithout: boolean, url: string): Stop => ({
  kind: 'token-refused',
  reason: `POST ${url} refuses the token on every request (${shortly(briefly(last))})${asWithout ? ', in the same words as a request without one' : ''}`,
  remedy: `give a token that the store takes: PLANT_STORE_TOKEN=... or --token${asWithout ? '; if this one is right, does a proxy drop Authorization?' : ''}`,
});

const noStoreBehind = (last: Exchange, url: string): Stop => ({
  kind: 'unreachable',
  reason: `${url}: the gateway does not reach the store (${shortly(briefly(last))})`,
  remedy: 'start the store behind it, and check where the gateway looks for it',
});
