export interface Endpoint {
  readonly origin: string;
  /** Host and port, as in the Host header. */
  readonly authority: string;
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  /** Path of the base URL, without a trailing slash. */
  readonly prefix: string;
  readonly tls: {
    readonly ca?: string;
    readonly cert?: string;
    readonly key?: string;
    readonly rejectUnauthorized?: boolean;
  };
  /** Milliseconds to connect, and again to receive the complete response. */
  readonly timeout: number;
  /** Size of a body in bytes at which a response is truncated. */
  readonly maxBodyBytes: number;
}

/** A response is read up to this size. */
export const MAX_RESPONSE_BODY_BYTES = 8 * 1024 * 1024;
/** Limit on a head, a trailer section, or the extensions of one chunk. No reasonable server sends more. */
export const MAX_HEAD_BYTES = 256 * 1024;
/** Maximum number of interim responses that are recorded; further ones are ignored. */
export const MAX_INTERIM_RESPONSES = 1000;

/** Returns the endpoint of a base URL such as `http://[::1]:8080/api/`. */
export function endpointOf(
  baseUrl: string,
  options: {
    readonly timeout: number;
    readonly ca?: string | undefined;
    readonly client?: { readonly cert: string; readonly key: string } | undefined;
    readonly insecure?: boolean | undefined;
  },
): Endpoint {
  const { origin, host: authority, hostname, port, protocol, pathname } = new URL(baseUrl);
  const secure = protocol === 'https:';
  return {
    origin,
    authority,
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (secure ? 443 : 80) : Number(port),
    secure,
    prefix: pathname.replace(/\/+$/, ''),
    tls: {
      ...(options.ca === undefined ? {} : { ca: options.ca }),
      ...options.client,
      ...(options.insecure === true ? { rejectUnauthorized: false } : {}),
    },
    timeout: options.timeout,
    maxBodyBytes: MAX_RESPONSE_BODY_BYTES,
  };
}
