export type HeaderPair = readonly [name: string, value: string];

/**
 * How the bytes of a request are put on its connection. By default head and body go out together, over any
 * connection.
 */
export interface Delivery {
  /**
   * Offsets in the body, before its transfer coding, after which a TCP segment ends and a pause follows.
   * Negative offsets count from the end; those outside the body are ignored.
   */
  readonly cuts?: readonly number[];
  /** Sends the head first, and the body after a pause. */
  readonly headFirst?: true;
  /** Sends the head itself in two segments, divided in its middle or between the two line ends at its end. */
  readonly headCut?: 'middle' | 'end';
  /** Milliseconds between two segments; by default a few. */
  readonly pauseMs?: number;
  /**
   * How a chunked body is divided: into one chunk, two (the default), or chunks of seven bytes; or into two
   * with chunk extensions, or followed by a trailer section (RFC 9112 section 7.1).
   */
  readonly chunks?: 'one' | 'halves' | 'many' | 'extensions' | 'trailer';
  /** Offset in the body at which the first of two chunks ends; by default the middle. */
  readonly chunkEnd?: number;
  /** Writes Content-Length and chunk sizes with leading zeros (RFC 9112 sections 6.2 and 7.1). */
  readonly leadingZeros?: true;
  /** What stands between the colon and the value of each header instead of a space (RFC 9112 section 5). */
  readonly headerGap?: string;
  /**
   * Sends Expect: 100-continue, and the body after 100 or a second without any response (RFC 9110 section
   * 10.1.1). The body is not sent after a final response.
   */
  readonly expectContinue?: true;
  /** Sends the target in absolute form (RFC 9112 section 3.2.2). */
  readonly absoluteTarget?: true;
  /** Writes the values of Expect and Transfer-Encoding with capital letters (RFC 9110 section 10.1.1, RFC 9112 section 7). */
  readonly capitals?: true;
  /** The version of HTTP in the request line, if it is not 1.1. */
  readonly version?: '1.0';
  /** Uses a connection that has carried no request before. */
  readonly freshConnection?: true;
  /**
   * Names of headers in the order and letter case in which they are sent, including `host`, `connection` and
   * the headers of framing; other headers follow. A header sent twice may be named twice. `connection` is
   * sent if it is named.
   */
  readonly headerOrder?: readonly string[];
  /**
   * Closes the connection after this many bytes of the body, before its transfer coding, whatever the store
   * sends.
   */
  readonly abortAfter?: number;
}

/** A request ready to send. */
export interface Request {
  readonly method: string;
  /** Path and query, below the path of the base URL. */
  readonly path: string;
  readonly headers: readonly HeaderPair[];
  readonly body: Uint8Array | undefined;
  readonly framing: 'length' | 'chunked';
  readonly delivery?: Delivery;
  /** The id that this request used for the first time. */
  readonly freshId?: bigint;
  /** The form in which a body that contains a secret may be recorded. */
  readonly publicBody?: string;
  /** Bytes to send as they are. Everything above is then only for the record. */
  readonly rawBytes?: Uint8Array;
}

/** The final response to a request, as it arrived. */
export interface Response {
  readonly status: number;
  readonly statusText: string;
  /** In order of arrival, names in their original case, Latin-1. */
  readonly headers: readonly HeaderPair[];
  /** Without its transfer coding, with its content coding. */
  readonly body: Uint8Array;
  /** The body was cut at the cap, or broke off. */
  readonly truncated: boolean;
  /** Size of the body in bytes, if not all of it is kept. */
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
  /** undici treats an unsolicited 100 Continue as an error; RFC 9110 section 15.2 lets a store send it. */
  | 'unsolicited-continue'
  /** We closed the connection, as the delivery of the request asks; this says nothing about the store. */
  | 'aborted';

/** Why there is no complete response. */
export interface Fault {
  readonly kind: FaultKind;
  /** The message of the transport. */
  readonly detail: string;
  /** The bytes do not even begin like HTTP/1: another protocol, not malformed HTTP. */
  readonly isOtherProtocol?: true;
}

/**
 * A request and its outcome. A broken exchange may still have a status: a store that sends 200 and then
 * stalls has answered 200.
 */
export type Exchange = {
  /** As sent, including the headers of framing. */
  readonly request: Request;
  /** Milliseconds from the first byte sent to the last byte received. */
  readonly ms: number;
  /** Statuses of the 1xx responses before the final one. */
  readonly interim: readonly number[];
  /** Milliseconds that the body waited for 100 Continue, in vain. */
  readonly continueWaitMs?: number;
  /** The store rejected the request because the id or name is already in use. */
  readonly collided?: true;
  /** The connection was closed, and nothing listened when the request was sent again. */
  readonly wentAway?: true;
  /** The exchange of the request that its template sends before it, or at the same time. */
  readonly preceding?: Exchange;
} & (
  | { readonly kind: 'answered'; readonly response: Response }
  | { readonly kind: 'broken'; readonly fault: Fault; readonly response: Response | undefined }
);

/** Whether we aborted the request, which says nothing about the store. */
export const isAborted = (exchange: Exchange): boolean =>
  exchange.kind === 'broken' && exchange.fault.kind === 'aborted';

/** Whether no complete response came in time. */
export const isTimeout = (exchange: Exchange): boolean =>
  exchange.kind === 'broken' && exchange.fault.kind === 'timeout';

const UNTRUSTED =
  /CERT|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)|ALTNAME|INVALID_CA|HOSTNAME_MISMATCH|PATH_LENGTH_EXCEEDED/;
const NOT_TLS = /^(?:EPROTO|ERR_SSL)/;
/** Part of the message of undici's parser for a first line that does not begin with HTTP. */
const FOREIGN = '(Expected HTTP/';

/** Classifies a transport error. */
export function faultOf(error: unknown): Fault {
  const inner = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  const { code = '', name = '', message = String(inner) } = (inner ?? {}) as Partial<NodeJS.ErrnoException>;
  const kind = (): FaultKind => {
    if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'unresolved';
    if (code === 'ECONNREFUSED' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return 'refused';
    if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') return 'connect-timeout';
    if (UNTRUSTED.test(code)) return 'untrusted';
    if (NOT_TLS.test(code)) return 'not-tls';
    if (message === 'bad response') return 'unsolicited-continue';
    if (
      name === 'HTTPParserError' ||
      code.startsWith('HPE_') ||
      code === 'UND_ERR_HEADERS_OVERFLOW' ||
      // undici does not handle every response: a status of 099 fails an assertion.
      code === 'ERR_ASSERTION' ||
      message.startsWith('bad ')
    )
      return 'not-http';
    return 'closed';
  };
  // The words of undici.
  if (code === 'UND_ERR_SOCKET' && message === 'other side closed')
    return { kind: 'closed', detail: 'the server closed the connection before the end of the response' };
  return {
    kind: kind(),
    detail: code !== '' && !message.includes(code) ? `${message} (${code})` : message,
    ...(message.includes(FOREIGN) ? { isOtherProtocol: true } : {}),
  };
}
