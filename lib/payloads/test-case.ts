import { TOKEN_IN_SHELL } from '../token-variable.ts';
import type { Delivery, HeaderPair } from '../wire/exchange.ts';
import { COMPACT, type Json, type Style, write } from './json.ts';

/** `accept-or-reject`: the interface does not say, but the request must be answered. */
export type ExpectedOutcome = 'accept' | 'accept-or-reject' | 'reject-body' | 'reject-credential';

/**
 * The body of a request before it has an id: JSON, perhaps with an edit of its text; bytes; or a text that
 * contains the token.
 */
export type Body =
  | { readonly json: Json; readonly style?: Style; readonly edit?: (text: string) => string | Uint8Array }
  | { readonly bytes: Uint8Array }
  | { readonly secret: (token: string, id: bigint) => string };

export interface Credential {
  /** The name of the header; by default Authorization. */
  readonly header?: string;
  /** The values of the header lines, given the right token and the cookies that the store has set. */
  readonly values: (token: string, cookies?: string) => readonly string[];
  /** As a shell would write them, with $PLANT_STORE_TOKEN for the token. Only this form is recorded. */
  readonly shell: readonly string[];
  /** If only the scheme is spelled differently: that spelling, and the original credential. */
  readonly respelled?: { readonly scheme: string; readonly of: Credential };
}

/** Returns the credential with a different spelling of its scheme; one without Bearer is unchanged. */
export function withScheme(scheme: string, of: Credential): Credential {
  const spell = (value: string) => value.replace(/^Bearer /, scheme);
  if (of.shell.every((value) => spell(value) === value)) return of;
  const values: Credential['values'] = (token, cookies) => of.values(token, cookies).map(spell);
  return { ...of, values, shell: of.shell.map(spell), respelled: { scheme, of } };
}

export const validCredential: Credential = {
  values: (token) => [`Bearer ${token}`],
  shell: [`Bearer ${TOKEN_IN_SHELL}`],
};

export const noCredential: Credential = { values: () => [], shell: [] };

/** A request without id and token. Absent fields have the values that an ordinary client would send. */
export interface RequestTemplate {
  readonly method?: string;
  /** Path and query below the base URL; `{id}` is replaced with the fresh id. */
  readonly path?: string;
  readonly credential?: Credential;
  /** The name of a query parameter that contains the token. */
  readonly tokenIn?: string;
  /** If `undefined`, the header is not sent. */
  readonly contentType?: string | undefined;
  /** `{hostname}` in a value is replaced with the host of the base URL, without its port. */
  readonly headers?: readonly HeaderPair[];
  readonly body?: Body | undefined;
  readonly framing?: 'length' | 'chunked';
  readonly delivery?: Delivery;
  /** Names of default headers that are not sent. */
  readonly without?: readonly string[];
  /** Chooses the offsets in the body at which segments end. */
  readonly cut?: (body: Uint8Array) => readonly number[];
  /** Chooses the offset in the body at which the first of two chunks ends. */
  readonly chunkEnd?: (body: Uint8Array) => number;
  /** Chooses the offset in the body at which the connection is closed. */
  readonly abort?: (body: Uint8Array) => number;
  /** The request to send right before this one, or at the same time. */
  readonly preceding?: Preceding;
  /** The raw bytes of a request that is not well-framed HTTP. */
  readonly rawBytes?: (host: string, path: string, authorization: string) => string;
  /** Any client would send the request: the store must create the plant, whatever the request is for. */
  readonly ordinary?: boolean;
  /**
   * Another request of the sequence had the same id or name, which the store may remember even if it rejected
   * that request.
   */
  readonly sentBefore?: true;
  /** The stable label of the case that sent it; failures of invariants quote it. */
  readonly sentAs?: string;
  /** Over 64 KiB, or malformed framing: a proxy may respond in its own way. */
  readonly outsideContract?: boolean;
}

/** A request that is sent right before another one, or at the same time, with the same fresh id. */
export interface Preceding {
  readonly template: RequestTemplate;
  /**
   * How the main request follows. `same`: on the same connection, after the response to this one.
   * `pipelined`: before that response. `other`: on another connection. `other-open`: the same, while this one
   * stays open. `concurrent`: at the same time.
   */
  readonly connection: 'same' | 'pipelined' | 'other' | 'other-open' | 'concurrent';
}

/**
 * Returns whether a request is outside the contract. One with two Authorization headers is, since an
 * intermediary may reject duplicates (RFC 9110 section 5.3).
 */
export const isOutsideContract = ({
  outsideContract,
  credential = validCredential,
}: RequestTemplate): boolean => outsideContract === true || credential.shell.length > 1;

/** A request to try, and the control request from which it differs in a single respect. */
export interface TestCase {
  readonly label: string;
  /** The label without what varies from run to run; by default the label. */
  readonly stableLabel?: string;
  readonly template: RequestTemplate;
  readonly control?: RequestTemplate;
}

export const dependsOnFreshId = ({ body, path }: RequestTemplate, token: string): boolean =>
  path?.includes('{id}') === true ||
  (body !== undefined && !Buffer.from(bytesOf(body, 1n, token)).equals(bytesOf(body, 2n, token)));

export function bytesOf(body: Body, id: bigint, token: string): Uint8Array {
  if ('bytes' in body) return body.bytes;
  if ('secret' in body) return Buffer.from(body.secret(token, id));
  const text = write(body.json, id, body.style ?? COMPACT);
  const edited = body.edit?.(text) ?? text;
  return typeof edited === 'string' ? Buffer.from(edited) : edited;
}

export const withoutPreceding = ({ preceding: _, ...template }: RequestTemplate): RequestTemplate => template;

export const onFreshConnection = (template: RequestTemplate): RequestTemplate => ({
  ...template,
  delivery: { ...template.delivery, freshConnection: true },
});

/** Gives a template connections of its own, so that no other request affects it. */
export function onOwnConnections(template: RequestTemplate): RequestTemplate {
  const { preceding } = template;
  if (preceding === undefined) return onFreshConnection(template);
  const apart = { ...template, preceding: { ...preceding, template: onFreshConnection(preceding.template) } };
  return preceding.connection === 'same' || preceding.connection === 'pipelined'
    ? apart
    : onFreshConnection(apart);
}
