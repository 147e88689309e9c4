import { describeExchange, fields, locationOf } from '../../judge/reading.ts';
import { noCredential, type RequestTemplate } from '../../payloads/test-case.ts';
import type { Endpoint } from '../../wire/endpoint.ts';
import type { Exchange } from '../../wire/exchange.ts';
import type { HttpClient } from '../../wire/http-client.ts';
import type { Stop } from '../result/result.ts';
import { truncate } from '../result/truncate.ts';
import type { RequestContext } from '../send/request-context.ts';
import type { Sender } from '../send/sender.ts';
import { isFromGateway } from '../send/unreachable.ts';
import {
  agreesOnlyOnHttp2,
  isNotHttp,
  stopForOtherProtocol,
  unreachableReason,
  wantsHttp2,
} from './unreachable-reason.ts';

/** Whether a run can begin: `stop` if it cannot; otherwise `advice` on a likely mistake of the user. */
export interface Readiness {
  readonly stop?: Stop;
  readonly advice?: string | undefined;
  /** The exchange in which the store accepted an ordinary plant. */
  readonly accepted?: Exchange | undefined;
}

/** After this many attempts, the token counts as rejected, the store as unreachable, or the URL as wrong. */
const MAX_ATTEMPTS = 3;

/**
 * Finds out whether the store can be judged. If it is reachable but does not answer, the run goes on, and its
 * checks fail.
 */
export async function preflight(
  client: HttpClient,
  sender: Sender,
  context: RequestContext,
  templates: readonly RequestTemplate[],
  basePaths: readonly string[],
): Promise<Readiness> {
  const { endpoint } = client;
  const url = `${endpoint.origin}${endpoint.prefix}/plants`;
  const exchanges: Exchange[] = [];
  for (const template of templates.slice(0, MAX_ATTEMPTS)) {
    const exchange = await sender.send(template, context.ids.next(), context);
    exchanges.push(exchange);
    if (isNotHttp(exchange)) continue;
    const stop = await unreachableReason(exchange, client, url);
    if (stop !== undefined) return { stop };
    const isRedirected = redirectedBaseOf(exchange, url) !== undefined;
    const mayBeWrongServer = isFromGateway(exchange) || isNotFound(exchange) || isRedirected;
    if (!rejectsToken(exchange) && !mayBeWrongServer) break;
  }
  const [first] = exchanges;
  const last = exchanges.at(-1);
  if (first === undefined || last === undefined) return {};
  const throughout = (is: (exchange: Exchange) => boolean) =>
    exchanges.length === MAX_ATTEMPTS && exchanges.every(is);
  if (exchanges.every(isNotHttp)) return { stop: await stopForOtherProtocol(first, endpoint, url) };
  if (throughout(isFromGateway)) return { stop: noStoreBehind(last, url) };
  if (throughout(isNotFound)) return { stop: notFound(last, endpoint, basePaths) };
  const base = redirectedBaseOf(first, url);
  if (base !== undefined && throughout((one) => redirectedBaseOf(one, url) === base))
    return { stop: redirected(last, base, url) };
  if (throughout(rejectsToken)) {
    if (await agreesOnlyOnHttp2(endpoint)) return { stop: wantsHttp2(url) };
    const without = await sender.send(withoutToken(templates), context.ids.next(), context);
    return { stop: tokenRejected(last, isSame(last, without), url) };
  }
  return { advice: adviceOn(last, url), accepted: last.response?.status === 200 ? last : undefined };
}

/** The base URL, on the same host, to which ordinary plants are redirected. */
function redirectedBaseOf({ response }: Exchange, url: string): string | undefined {
  const location = response === undefined ? undefined : locationOf(response);
  if (location === undefined || !URL.canParse(location, url)) return undefined;
  const { origin, protocol, hostname, pathname } = new URL(location, url);
  const own = new URL(url);
  if (origin !== own.origin && !(protocol === 'https:' && hostname === own.hostname)) return undefined;
  const base = /^(https?:\/\/.*?)\/plants\/?$/.exec(`${origin}${pathname}`)?.[1];
  return base === undefined || `${base}/plants` === url ? undefined : base;
}

const redirected = (last: Exchange, base: string, url: string): Stop => ({
  kind: 'not-found',
  reason: `POST ${url} redirects every ordinary plant to another URL (${truncate(describeExchange(last))}; ${MAX_ATTEMPTS} tried)`,
  remedy: `give ${truncate(base, 200)} as the base URL; redirects are not followed`,
});

function adviceOn({ response }: Exchange, url: string): string | undefined {
  const location = response === undefined ? undefined : locationOf(response);
  if (response === undefined || location === undefined) return undefined;
  return `POST ${url} is answered ${response.status} with Location: ${truncate(location, 200)}. Redirects are not followed. Give the base URL of the store itself.`;
}

const rejectsToken = ({ response }: Exchange): boolean =>
  response?.status === 401 || response?.status === 403;

const isNotFound = ({ response }: Exchange): boolean => response?.status === 404 || response?.status === 405;

const withoutToken = ([template]: readonly RequestTemplate[]): RequestTemplate => ({
  ...template,
  credential: noCredential,
  ordinary: false,
  outsideContract: true,
});

/** Whether two responses are identical as far as authentication matters: status, body and challenge. */
const isSame = (one: Exchange, other: Exchange): boolean =>
  one.response !== undefined &&
  other.response !== undefined &&
  one.response.status === other.response.status &&
  Buffer.compare(one.response.body, other.response.body) === 0 &&
  fields(one.response, 'www-authenticate').join() === fields(other.response, 'www-authenticate').join();

const tokenRejected = (last: Exchange, asWithout: boolean, url: string): Stop => ({
  kind: 'token-rejected',
  reason: `POST ${url} rejects the token on every request (${truncate(describeExchange(last))})${asWithout ? ', with the same response as without a token' : ''}`,
  remedy: `pass a valid token with PLANT_STORE_TOKEN=... or --token${asWithout ? '; if this one is valid, check whether a proxy drops Authorization' : ''}`,
});

/** Some stores also answer 404 to a wrong token, in order to hide from unauthorised clients. */
function notFound(last: Exchange, { origin, prefix }: Endpoint, basePaths: readonly string[]): Stop {
  const above = prefix.replace(/\/plants$/, '');
  const base = above === prefix ? basePaths.find((path) => path !== prefix) : above;
  return {
    kind: 'not-found',
    reason: `POST ${origin}${prefix}/plants answers every ordinary plant with ${truncate(describeExchange(last))} (${MAX_ATTEMPTS} tried)`,
    remedy: `${base === undefined ? 'check the base URL, which is the part before /plants' : `give ${origin}${base} as the base URL, since /plants is added to it`}; if the base URL is right as it is, check the token`,
  };
}

const noStoreBehind = (last: Exchange, url: string): Stop => ({
  kind: 'unreachable',
  reason: `${url}: the gateway cannot reach the store (${truncate(describeExchange(last))})`,
  remedy: 'start the store, and check the upstream address in the configuration of the gateway',
});
