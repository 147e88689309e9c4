import { describeExchange } from '../../judge/reading.ts';
import type { Endpoint } from '../../wire/endpoint.ts';
import { type Exchange, type Fault, failedBy } from '../../wire/exchange.ts';
import type { HttpClient } from '../../wire/http-client.ts';
import { type FirstBytes, probe } from '../../wire/probe.ts';
import type { Stop } from '../result/result.ts';
import { truncate } from '../result/truncate.ts';

/**
 * Says why a store cannot be reached: nothing listens, or a problem with TLS, a certificate, or the protocol;
 * undefined if it can.
 */
export async function unreachableReason(
  exchange: Exchange,
  client: HttpClient,
  url: string,
): Promise<Stop | undefined> {
  const { endpoint } = client;
  if (failedBy(exchange, 'not-tls') && (await agreesOnlyOnHttp2(endpoint))) return wantsHttp2(url);
  const stop = wantsCertificate(exchange, url) ?? stopIfUnreachable(exchange, url);
  if (stop !== undefined) return stop;
  if (mayWantTls(exchange) && (await speaksTls(endpoint))) return wantsTls(exchange, url);
  if (!isClosedSilently(exchange)) return undefined;
  return (await otherProtocol(endpoint, url)) ?? wantsCertificate(await sendPlainGet(client), url);
}

/** Returns whether the server accepts only HTTP/2 in ALPN. It may still answer HTTP/1.1, with a rejection. */
export async function agreesOnlyOnHttp2(endpoint: Endpoint): Promise<boolean> {
  if (!endpoint.secure) return false;
  const agreed = async (protocol: string) => (await probe(endpoint, '', { alpn: protocol })).alpn;
  return (await agreed('h2')) === 'h2' && (await agreed('http/1.1')) === undefined;
}

export const wantsHttp2 = (url: string): Stop => ({
  kind: 'not-http',
  reason: `${url}: the server speaks only HTTP/2, and this suite only HTTP/1.1`,
  remedy: 'enable HTTP/1.1 on the server, or test the store behind it',
});

export const isNotHttp = (exchange: Exchange): boolean =>
  exchange.kind === 'broken' && exchange.fault.isOtherProtocol === true && exchange.response === undefined;

export const stopForOtherProtocol = async (
  exchange: Exchange,
  endpoint: Endpoint,
  url: string,
): Promise<Stop> =>
  (await otherProtocol(endpoint, url)) ?? {
    kind: 'not-http',
    reason: `${url}: the server does not speak HTTP/1.1 (${exchange.kind === 'broken' ? exchange.fault.detail : ''})`,
    remedy: 'check the port, and whether the base URL needs https://',
  };

/** Sends a GET over a raw socket, whose reader sees how the connection ends. */
const sendPlainGet = (client: HttpClient): Promise<Exchange> =>
  client.send({
    method: 'GET',
    path: '/plants',
    headers: [],
    body: undefined,
    framing: 'length',
    rawBytes: Buffer.from(getRequestText(client.endpoint)),
  });

const getRequestText = ({ authority, prefix }: Endpoint): string =>
  `GET ${prefix}/plants HTTP/1.1\r\nhost: ${authority}\r\nconnection: close\r\n\r\n`;

/** RFC 9113 section 3.4: the client connection preface with an empty SETTINGS frame. */
const HTTP2_PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0';
const PROXY_LINE = 'PROXY TCP4 127.0.0.1 127.0.0.1 49152 80\r\n';

const isHttp1 = ({ bytes }: FirstBytes): boolean => bytes.toString('latin1').startsWith('HTTP/1.');
/** RFC 9113 section 6.5: the server begins with a SETTINGS frame on stream 0. */
const isHttp2 = ({ bytes }: FirstBytes): boolean =>
  bytes[3] === 4 && bytes.subarray(5, 9).equals(Buffer.alloc(4));

/** The protocol of a server that does not answer HTTP/1.1 at all, if it can be identified. */
async function otherProtocol(endpoint: Endpoint, url: string): Promise<Stop | undefined> {
  const request = getRequestText(endpoint);
  if (isHttp1(await probe(endpoint, request))) return undefined;
  if (isHttp2(await probe(endpoint, HTTP2_PREFACE, { alpn: 'h2' }))) return wantsHttp2(url);
  const proxied = await probe(endpoint, request, { before: PROXY_LINE });
  // A server that does not expect the PROXY protocol answers 400 to this line.
  return isHttp1(proxied) && !/^HTTP\/1\.. 400/.test(proxied.bytes.toString('latin1'))
    ? wantsProxyLine(url)
    : undefined;
}

const wantsProxyLine = (url: string): Stop => ({
  kind: 'not-http',
  reason: `${url}: the server expects the PROXY protocol and closes other connections`,
  remedy: 'use the address that clients connect to, or a port without the PROXY protocol',
});

/** How servers report a missing or untrusted client certificate: with a TLS alert, or with a 400 (nginx). */
const CERTIFICATE_ALERT =
  /alert (?:certificate required|bad certificate|certificate unknown|unknown ca|certificate expired)/;
const CERTIFICATE_PAGE = /No required SSL certificate was sent|The SSL certificate error/;

function wantsCertificate(exchange: Exchange, url: string): Stop | undefined {
  const stop = (reason: string): Stop => ({
    kind: 'untrusted',
    reason: `${url}: ${reason}`,
    remedy: 'pass a client certificate with --cert FILE and --key FILE',
  });
  if (exchange.kind === 'broken') {
    const { detail } = exchange.fault;
    const alert = CERTIFICATE_ALERT.exec(detail)?.[0];
    if (alert !== undefined)
      return stop(`the server requires a client certificate that it trusts (TLS ${alert})`);
    return detail.includes('alert handshake failure')
      ? stop(
          'the TLS handshake failed, perhaps for lack of a client certificate (TLS alert handshake failure)',
        )
      : undefined;
  }
  if (exchange.response.status !== 400) return undefined;
  const page = CERTIFICATE_PAGE.exec(Buffer.from(exchange.response.body).toString('latin1'))?.[0];
  return page === undefined
    ? undefined
    : stop(`the server requires a client certificate that it trusts (400: ${page})`);
}

/** Whether the server may require TLS: TLS servers close plain connections or answer them with a 400. */
const mayWantTls = (exchange: Exchange): boolean =>
  isClosedSilently(exchange) || exchange.response?.status === 400;

/** Whether the server speaks TLS although the base URL says http://. */
const speaksTls = async (endpoint: Endpoint): Promise<boolean> =>
  !endpoint.secure && (await probe({ ...endpoint, secure: true }, '')).isSecured;

/** Whether the connection was closed before the first byte of a response. */
const isClosedSilently = (exchange: Exchange): boolean =>
  failedBy(exchange, 'closed') && exchange.response === undefined;

/** What to do if nothing listens. */
export const START_STORE = 'start the store';

const UNREACHABLE: Partial<
  Readonly<Record<Fault['kind'], readonly [Stop['kind'], reason: string, remedy: string]>>
> = {
  unresolved: ['unreachable', 'the host name does not resolve', 'check the host in the base URL'],
  refused: ['unreachable', 'nothing listens there', START_STORE],
  'connect-timeout': ['unreachable', 'connecting timed out', 'check host and port, or raise --timeout'],
  untrusted: [
    'untrusted',
    'the certificate is not trusted',
    'pass the CA certificate with --ca FILE, or skip verification with --insecure',
  ],
  'not-tls': [
    'not-http',
    'the server does not speak TLS on this port',
    'use http:// in the base URL, or the port for https',
  ],
};

function stopIfUnreachable(exchange: Exchange, url: string): Stop | undefined {
  if (exchange.kind === 'answered') return undefined;
  const [kind, reason, remedy] = UNREACHABLE[exchange.fault.kind] ?? [];
  if (kind === undefined || remedy === undefined) return undefined;
  return { kind, reason: `${url}: ${reason} (${exchange.fault.detail})`, remedy };
}

const wantsTls = (exchange: Exchange, url: string): Stop => ({
  kind: 'not-http',
  reason: `${url}: the server speaks TLS, and ${isClosedSilently(exchange) ? 'closes plain connections' : `answers plain HTTP with ${truncate(describeExchange(exchange))}`}`,
  remedy: 'use https:// in the base URL',
});
