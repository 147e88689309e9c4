export type HeaderPair = readonly [name: string, value: string];

/** How a request is put on the connection; by default, head and body together, over any connection. */
export interface Delivery {
  /** Offsets in the plain body at which a TCP segment ends; negative ones count from the end. */
  readonly cuts?: readonly number[];
  /** Sends the head first and, after a pause, the body. */
  readonly headFirst?: true;
  /** Sends the head in two segments, divided in the middle or between the two line ends at its end. */
  readonly headCut?: 'middle' | 'end';
  /** Milliseconds between two segments; by default a few. */
  readonly pauseMs?: number;
  /**
   * One chunk, two (the default), chunks of seven bytes, two with extensions, or two with a trailer section
   * (RFC 9112 section 7.1).
   */
  readonly chunks?: 'one' | 'halves' | 'many' | 'extensions' | 'trailer';
  /** Offset in the body at which the first of two chunks ends; by default the middle of the body. */
  readonly chunkEnd?: number;
  /** Writes chunk sizes with leading zeros or with upper-case digits (RFC 9112 section 7.1). */
  readonly chunkSizes?: 'zeros' | 'capitals';
  /** Writes Content-Length with leading zeros (RFC 9112 section 6.2). */
  readonly leadingZeros?: true;
  /** Sends no Content-Length, as some clients do for a POST without a body (RFC 9112 section 6.3). */
  readonly noLength?: true;
  /** Replaces the space between the colon and the value of each header (RFC 9112 section 5). */
  readonly headerGap?: string;
  /** Sends the body after 100 Continue, or after a second without any response (RFC 9110 section 10.1.1). */
  readonly expectContinue?: true;
  /** Sends the target in absolute form (RFC 9112 section 3.2.2). */
  readonly absoluteTarget?: true;
  /** Capitalises the values of Expect and Transfer-Encoding (RFC 9110 section 10.1.1, RFC 9112 section 7). */
  readonly capitals?: true;
  /** The HTTP version in the request line, if it is not 1.1. */
  readonly version?: '1.0';
  /** Uses a connection that has carried no request before. */
  readonly freshConnection?: true;
  /**
   * Header names in the order and letter case to send; all others follow. A name may occur twice.
   * `connection` is sent only if named.
   */
  readonly headerOrder?: readonly string[];
  /** Closes the connection after this many bytes of the plain body, whatever the store sends. */
  readonly abortAfter?: number;
}

export interface Request {
  readonly method: string;
  /** Path and query, relative to the path of the base URL. */
  readonly path: string;
  readonly headers: readonly HeaderPair[];
  readonly body: Uint8Array | undefined;
  readonly framing: 'length' | 'chunked';
  readonly delivery?: Delivery;
  /** The id that is used for the first time in this request. */
  readonly freshId?: bigint;
  /** The form in which a body that contains a secret may be recorded. */
  readonly publicBody?: string;
  /** Bytes to send as they are. Everything above is then only for the record. */
  readonly rawBytes?: Uint8Array;
}

export interface Response {
  readonly status: number;
  readonly statusText: string;
  /** In order of arrival, with names in their original case; decoded as Latin-1. */
  readonly headers: readonly HeaderPair[];
  /** The body without its transfer coding, but still in its content coding. */
  readonly body: Uint8Array;
  /** Whether the body was cut off at the cap or is incomplete. */
  readonly truncated: boolean;
  /** Size of the body in bytes, if only a part of it is kept. */
  readonly size?: number;
}

export type FaultKind =
  | 'unresolved'
  | 'refused'
  | 'untrusted'
  | 'not-tls'
  | 'connect-timeout'
  | 'timeout'
  | 'closed'
  | 'not-http'
  /** undici treats it as an error, although RFC 9110 section 15.2 lets a store send it. */
  | 'unsolicited-continue'
  /** We closed the connection because the delivery asks for it; this says nothing about the store. */
  | 'aborted';

export interface Fault {
  readonly kind: FaultKind;
  readonly detail: string;
  /** The bytes do not even begin like HTTP/1: the server speaks another protocol, not malformed HTTP. */
  readonly isOtherProtocol?: true;
}

/** A broken exchange may have a response: a store that sends a 200 and then stalls has answered 200. */
export type Exchange = {
  /** The request as it was sent, including the framing headers. */
  readonly request: Request;
  /** Milliseconds from the first byte sent to the last byte received. */
  readonly ms: number;
  /** Statuses of the 1xx responses that preceded the final one. */
  readonly interim: readonly number[];
  /** Milliseconds for which the body waited in vain for 100 Continue. */
  readonly continueWaitMs?: number;
  /** The store rejected the request because its id or name is already in use. */
  readonly collided?: true;
  /** The connection was closed, and nothing listened when the request was sent again. */
  readonly wentAway?: true;
  /** The exchange of the request that its template sends before it, or at the same time. */
  readonly preceding?: Exchange;
} & (
  | { readonly kind: 'answered'; readonly response: Response }
  | { readonly kind: 'broken'; readonly fault: Fault; readonly response: Response | undefined }
);

/** Returns whether there is no complete response because of one of these faults. */
export const failedBy = (exchange: Exchange, ...kinds: readonly FaultKind[]): boolean =>
  exchange.kind === 'broken' && kinds.includes(exchange.fault.kind);

/** Returns whether we aborted the request ourselves, which says nothing about the store. */
export const isAborted = (exchange: Exchange): boolean => failedBy(exchange, 'aborted');

/** Returns whether no complete response arrived in time. */
export const isTimeout = (exchange: Exchange): boolean => failedBy(exchange, 'timeout');

const FAULTS_BY_CODE: readonly (readonly [code: RegExp, kind: FaultKind])[] = [
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, 'unresolved'],
  [/^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH)$/, 'refused'],
  [/^(?:UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/, 'connect-timeout'],
  [
    /CERT|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)|ALTNAME|INVALID_CA|HOSTNAME_MISMATCH|PATH_LENGTH_EXCEEDED/,
    'untrusted',
  ],
  [/^(?:EPROTO|ERR_SSL)/, 'not-tls'],
  // undici cannot handle every response: a status of 099 fails one of its assertions.
  [/^(?:HPE_.*|UND_ERR_HEADERS_OVERFLOW|ERR_ASSERTION)$/, 'not-http'],
];
/** OpenSSL's messages contain its reason between addresses and file names. */
const OPENSSL = /:error:[^:]*:[^:]*:[^:]*:([^:]+):/;
/** A part of the message with which undici's parser rejects a first line that does not begin with HTTP. */
const FOREIGN = '(Expected HTTP/';

export function faultOf(error: unknown): Fault {
  const inner = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  const { code = '', name = '', message = String(inner) } = (inner ?? {}) as Partial<NodeJS.ErrnoException>;
  // undici's wording for a connection that the server closed.
  if (code === 'UND_ERR_SOCKET' && message === 'other side closed')
    return { kind: 'closed', detail: 'the server closed the connection before the end of the response' };
  const isNotHttp = name === 'HTTPParserError' || message.startsWith('bad ');
  const kind: FaultKind =
    FAULTS_BY_CODE.find(([pattern]) => pattern.test(code))?.[1] ??
    (message === 'bad response' ? 'unsolicited-continue' : isNotHttp ? 'not-http' : 'closed');
  const [, reason] = OPENSSL.exec(message) ?? [];
  if (reason !== undefined) return { kind, detail: reason };
  return {
    kind,
    detail: code !== '' && !message.includes(code) ? `${message} (${code})` : message,
    ...(message.includes(FOREIGN) ? { isOtherProtocol: true } : {}),
  };
}
