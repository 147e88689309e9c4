import { briefly } from '../judge/reading.ts';
import type { Endpoint } from '../wire/endpoint.ts';
import type { Exchange } from '../wire/exchange.ts';
import { probe, type Said } from '../wire/probe.ts';
import type { Wire } from '../wire/wire.ts';
import { shortly } from './keep.ts';
import type { Stop } from './result.ts';

/** What keeps HTTP/1.1 from being spoken with whoever listens there: nobody, TLS, a certificate, another protocol. */
export async function inTheWay(exchange: Exchange, wire: Wire, url: string): Promise<Stop | undefined> {
  const { endpoint } = wire;
  if (isNotTls(exchange) && (await agreesOnHttp2Alone(endpoint))) return wantsHttp2(url);
  const stop = wantsCertificate(exchange, url) ?? unreachable(exchange, url);
  if (stop !== undefined) return stop;
  if (mayWantTls(exchange) && (await wire.speaksTls())) return wantsTls(exchange, url);
  if (!isWordless(exchange)) return undefined;
  return (await otherProtocol(endpoint, url)) ?? wantsCertificate(await plainly(wire), url);
}

/** Over TLS a server may answer HTTP/1.1 only to say that it does not speak it. */
export async function agreesOnHttp2Alone(endpoint: Endpoint): Promise<boolean> {
  if (!endpoint.secure) return false;
  const agreed = async (protocol: string) => (await probe(endpoint, '', { alpn: protocol })).alpn;
  return (await agreed('h2')) === 'h2' && (await agreed('http/1.1')) === undefined;
}

export const wantsHttp2 = (url: string): Stop => ({
  kind: 'not-http',
  reason: `${url}: the server speaks HTTP/2 alone, and this suite HTTP/1.1`,
  remedy: 'let it take HTTP/1.1 as well, or test the store behind it',
});

/** Whether another protocol than HTTP is spoken. */
export const isForeign = (exchange: Exchange): boolean =>
  exchange.kind === 'broken' && exchange.fault.foreign === true && exchange.response === undefined;

export const foreign = async (exchange: Exchange, endpoint: Endpoint, url: string): Promise<Stop> =>
  (await otherProtocol(endpoint, url)) ?? {
    kind: 'not-http',
    reason: `${url}: what answers does not speak HTTP/1.1 (${exchange.kind === 'broken' ? exchange.fault.detail : ''})`,
    remedy: 'check the port, and whether it wants https://',
  };

/** A request that only reads, over a connection and a reader of our own: they see how a connection ends. */
const plainly = (wire: Wire): Promise<Exchange> =>
  wire.send({
    method: 'GET',
    path: '/plants',
    headers: [],
    body: undefined,
    framing: 'length',
    verbatim: Buffer.from(readingRequest(wire.endpoint)),
  });

const readingRequest = ({ authority, prefix }: Endpoint): string =>
  `GET ${prefix}/plants HTTP/1.1\r\nhost: ${authority}\r\nconnection: close\r\n\r\n`;

/** RFC 9113 section 3.4: how a client that knows begins, and an empty SETTINGS frame. */
const HTTP2_PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0';
/** The first line of the PROXY protocol, version 1. */
const PROXY_LINE = 'PROXY TCP4 127.0.0.1 127.0.0.1 49152 80\r\n';

const isHttp1 = ({ bytes }: Said): boolean => bytes.toString('latin1').startsWith('HTTP/1.');
/** RFC 9113 section 6.5: a SETTINGS frame on stream 0 comes first. */
const isHttp2 = ({ bytes }: Said): boolean => bytes[3] === 4 && bytes.subarray(5, 9).equals(Buffer.alloc(4));

/** What a server speaks that does not answer HTTP/1.1 at all. */
async function otherProtocol(endpoint: Endpoint, url: string): Promise<Stop | undefined> {
  const request = readingRequest(endpoint);
  if (isHttp1(await probe(endpoint, request))) return undefined;
  if (isHttp2(await probe(endpoint, HTTP2_PREFACE, { alpn: 'h2' }))) return wantsHttp2(url);
  const proxied = await probe(endpoint, request, { before: PROXY_LINE });
  // 400 is what a server says to whom such a line is no HTTP.
  return isHttp1(proxied) && !/^HTTP\/1\.. 400/.test(proxied.bytes.toString('latin1'))
    ? wantsProxyLine(url)
    : undefined;
}

const wantsProxyLine = (url: string): Stop => ({
  kind: 'not-http',
  reason: `${url}: the server expects the PROXY protocol, and closes connections that do not begin with it`,
  remedy: 'give the address that clients connect to, or a port without the PROXY protocol',
});

/** What servers say that miss a certificate of the client, or do not trust the one they get: as a TLS alert, or nginx in a 400. */
const CERTIFICATE_ALERT =
  /alert (?:certificate required|bad certificate|certificate unknown|unknown ca|certificate expired)/;
const CERTIFICATE_PAGE = /No required SSL certificate was sent|The SSL certificate error/;

function wantsCertificate(exchange: Exchange, url: string): Stop | undefined {
  const stop = (reason: string): Stop => ({
    kind: 'untrusted',
    reason: `${url}: ${reason}`,
    remedy: 'give the certificate and its key with --cert FILE and --key FILE',
  });
  if (exchange.kind === 'broken') {
    const { detail } = exchange.fault;
    const alert = CERTIFICATE_ALERT.exec(detail)?.[0];
    if (alert !== undefined)
      return stop(`the server asks for a client certificate that it trusts (TLS ${alert})`);
    return detail.includes('alert handshake failure')
      ? stop(
          'the server breaks the TLS handshake off, as one does that misses a client certificate (TLS alert handshake failure)',
        )
      : undefined;
  }
  if (exchange.response.status !== 400) return undefined;
  const page = CERTIFICATE_PAGE.exec(Buffer.from(exchange.response.body).toString('latin1'))?.[0];
  return page === undefined
    ? undefined
    : stop(`the server asks for a client certificate that it trusts (400: ${page})`);
}

/** Servers that speak TLS close a connection that does not, or answer it with a 400. */
const mayWantTls = (exchange: Exchange): boolean => isWordless(exchange) || exchange.response?.status === 400;

/** Whether the connection was closed without a byte of an answer. */
const isWordless = (exchange: Exchange): boolean =>
  exchange.kind === 'broken' && exchange.fault.kind === 'closed' && exchange.response === undefined;

const isNotTls = (exchange: Exchange): boolean =>
  exchange.kind === 'broken' && exchange.fault.kind === 'not-tls';

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

const wantsTls = (exchange: Exchange, url: string): Stop => ({
  kind: 'not-http',
  reason: `${url}: the server speaks TLS, and ${isWordless(exchange) ? 'closes connections that do not' : `answers ${shortly(briefly(exchange))} to those that do not`}`,
  remedy: 'give https:// in the base URL',
});
