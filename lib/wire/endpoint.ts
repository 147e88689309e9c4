/** Where requests go, and how long and how much of an answer is waited for. */
export interface Endpoint {
  readonly origin: string;
  /** Host and port as the Host header says them. */
  readonly authority: string;
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  /** Path of the base URL, without a slash at its end. */
  readonly prefix: string;
  readonly tls: {
    readonly ca?: string;
    readonly cert?: string;
    readonly key?: string;
    readonly rejectUnauthorized?: boolean;
  };
  /** Milliseconds for the connection, and again for the whole answer. */
  readonly timeout: number;
  /** Bytes of body after which an answer is cut off. */
  readonly cap: number;
}

export const BODY_CAP = 8 * 1024 * 1024;
/** Bytes of a head, of a trailer section, or of one chunk's extensions: nobody who means well sends more. */
export const HEAD_CAP = 256 * 1024;
/** Interim answers that are noted down; the others are passed over. */
export const INTERIM_CAP = 1000;

/** The end of a base URL: `http://[::1]:8080/api/` and the like. */
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
    cap: BODY_CAP,
  };
}
