export type HeaderPair = readonly [name: string, value: string];

/**
 * How the bytes of a request are put on its connection, where it matters. What is left out is as usual: head and body
 * in one piece, over any connection.
 */
export interface Delivery {
  /**
   * Where the body is cut: a TCP segment ends after so many bytes of it, without its transfer coding, and a pause
   * follows. Negative ones count from its end; those that lie outside it say nothing.
   */
  readonly cuts?: readonly number[];
  /** The head is sent first, and the body after a pause. */
  readonly headFirst?: true;
  /** The head itself is sent in two segments. */
  readonly headCut?: true;
  /** Milliseconds between two segments; short, unless it is given. */
  readonly pauseMs?: number;
  /**
   * How a chunked body is divided: as one chunk, in two (as usual), or seven bytes at a time; in two with chunk
   * extensions, or with a trailer section after them (RFC 9112 section 7.1).
   */
  readonly chunks?: 'one' | 'halves' | 'many' | 'extensions' | 'trailer';
  /** Content-Length, and the sizes of chunks, have zeros in front (RFC 9112 sections 6.2 and 7.1). */
  readonly leadingZeros?: true;
  /** What stands between the colon and the value of each header, in the place of a space (RFC 9112 section 5). */
  readonly headerGap?: string;
  /**
   * Sends Expect: 100-continue, and the body after 100 or a second without any answer (RFC 9110 section 10.1.1). After a
   * final answer the body is not sent.
   */
  readonly expectContinue?: true;
  /** The target in absolute form (RFC 9112 section 3.2.2). */
  readonly absoluteTarget?: true;
  /** The connection has carried no request before. */
  readonly freshConnection?: true;
  /**
   * Names of headers, `host`, `connection` and those of framing among them, in the order and letter case in which they
   * are sent; others follow. A name that is sent twice may stand here twice. `connection` is sent where it is named.
   */
  readonly headerOrder?: readonly string[];
  /** Closes the connection after so many bytes of the body, without its transfer coding, whatever the store says. */
  readonly abortAfter?: number;
}

/** A request that is ready to be sent. */
export interface Request {
  readonly method: string;
  /** Path and query, below the path of the base URL. */
  readonly path: string;
  readonly headers: readonly HeaderPair[];
  readonly body: Uint8Array | undefined;
  readonly framing: 'length' | 'chunked';
  readonly delivery?: Delivery;
  /** The id that was fresh with this request. */
  readonly freshId?: bigint;
  /** What may be written down of a body that holds a secret. */
  readonly publicBody?: string;
  /** Bytes to send as they are, in the place of all of the above but for the record. */
  readonly verbatim?: Uint8Array;
}

/** The final answer to a request, as it came. */
export interface Response {
  readonly status: number;
  readonly statusText: string;
  /** In the order of their arrival, names in their own case, Latin-1. */
  readonly headers: readonly HeaderPair[];
  /** Without its transfer coding, with its content coding. */
  readonly body: Uint8Array;
  /** The body goes on; it was cut at the cap. */
  readonly truncated: boolean;
  /** How many bytes of body there were, where not all of them are kept. */
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
  /** undici takes a 100 Continue that nobody asked for as an error; RFC 9110 section 15.2 lets a store send it. */
  | 'unasked-continue'
  /** We closed the connection, as the request's delivery says; nothing is said of the store. */
  | 'aborted';

/** Why no whole answer came. */
export interface Fault {
  readonly kind: FaultKind;
  /** What the transport said. */
  readonly detail: string;
  /** What came does not even begin like HTTP/1: it is another protocol, rather than HTTP with a fault. */
  readonly foreign?: true;
}

/**
 * One request and what became of it. A broken exchange may still have got a status before it broke:
 * a store that says 200 and then stalls has said 200.
 */
export type Exchange = {
  /** As sent: with the headers that framing adds. */
  readonly request: Request;
  /** Milliseconds from the first byte sent to the last one received. */
  readonly ms: number;
  /** Statuses of the 1xx answers before the final one. */
  readonly interim: readonly number[];
  /** The rejection is explained by an id or a name that is in use already. */
  readonly collided?: true;
  /** Of requests in turn: this one went over another connection than the one before it. */
  readonly reconnected?: true;
} & (
  | { readonly kind: 'answered'; readonly response: Response }
  | { readonly kind: 'broken'; readonly fault: Fault; readonly response: Response | undefined }
);

/** Whether a request was broken off by us: nothing is said of the store. */
export const isAborted = (exchange: Exchange): boolean =>
  exchange.kind === 'broken' && exchange.fault.kind === 'aborted';

const UNTRUSTED =
  /CERT|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)|ALTNAME|INVALID_CA|HOSTNAME_MISMATCH|PATH_LENGTH_EXCEEDED/;
const NOT_TLS = /^(?:EPROTO|ERR_SSL)/;
/** What undici's parser says of a first line that does not begin with HTTP. */
const FOREIGN = '(Expected HTTP/';

/** Names a transport error. */
export function faultOf(error: unknown): Fault {
  const inner = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  const { code = '', name = '', message = String(inner) } = (inner ?? {}) as Partial<NodeJS.ErrnoException>;
  const kind = (): FaultKind => {
    if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'unresolved';
    if (code === 'ECONNREFUSED' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return 'refused';
    if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') return 'connect-timeout';
    if (UNTRUSTED.test(code)) return 'untrusted';
    if (NOT_TLS.test(code)) return 'not-tls';
    if (message === 'bad response') return 'unasked-continue';
    if (
      name === 'HTTPParserError' ||
      code.startsWith('HPE_') ||
      code === 'UND_ERR_HEADERS_OVERFLOW' ||
      // undici does not foresee every answer: a status of 099 meets an assertion.
      code === 'ERR_ASSERTION' ||
      message.startsWith('bad ')
    )
      return 'not-http';
    return 'closed';
  };
  return {
    kind: kind(),
    detail: code !== '' && !message.includes(code) ? `${message} (${code})` : message,
    ...(message.includes(FOREIGN) ? { foreign: true } : {}),
  };
}
