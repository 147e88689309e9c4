import type { Delivery } from '../wire/exchange.ts';
import { COMPACT, type Json, type Style, write } from './json.ts';

/** The outcome that the contract demands. `open`: the interface does not say, but it has to be answered. */
export type ExpectedOutcome = 'accept' | 'open' | 'reject-body' | 'reject-credential';

/** The body of a request before it has an id: JSON, and an edit of its text. */
export type Body =
  | { readonly json: Json; readonly style?: Style; readonly edit?: (text: string) => string | Uint8Array }
  | { readonly bytes: Uint8Array }
  /** A body that contains the token. */
  | { readonly secret: (token: string, id: bigint) => string };

export interface Credential {
  /** The name of the header; Authorization by default. */
  readonly header?: string;
  /** The values of the header lines, from the right token and the cookies that the store has set. */
  readonly values: (token: string, cookies?: string) => readonly string[];
  /** The same for a shell with the token in $PLANT_STORE_TOKEN: the only form that is recorded. */
  readonly shell: readonly string[];
  /** The credential whose scheme this one spells in another way. */
  readonly respelled?: { readonly scheme: string; readonly of: Credential };
}

/** A credential whose scheme is spelled in another way. One without Bearer stays as it is. */
export function withScheme(scheme: string, of: Credential): Credential {
  const spell = (value: string) => value.replace(/^Bearer /, scheme);
  if (of.shell.every((value) => spell(value) === value)) return of;
  const values: Credential['values'] = (token, cookies) => of.values(token, cookies).map(spell);
  return { ...of, values, shell: of.shell.map(spell), respelled: { scheme, of } };
}

export const validCredential: Credential = {
  values: (token) => [`Bearer ${token}`],
  shell: ['Bearer $PLANT_STORE_TOKEN'],
};

export const noCredential: Credential = { values: () => [], shell: [] };

/** A request without id and token. Omitted fields are as an ordinary client sends them. */
export interface RequestTemplate {
  readonly method?: string;
  /** Path and query below the base URL; `{id}` in it becomes the fresh id. */
  readonly path?: string;
  readonly credential?: Credential;
  /** The name of a query parameter that contains the token. */
  readonly tokenIn?: string;
  /** `undefined` sends none. */
  readonly contentType?: string | undefined;
  /** `{hostname}` in a value becomes the host of the base URL without its port. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: Body | undefined;
  readonly framing?: 'length' | 'chunked';
  readonly delivery?: Delivery;
  /** Names of default headers that this request omits. */
  readonly without?: readonly string[];
  /** Offsets in the body at which segments end. */
  readonly cut?: (body: Uint8Array) => readonly number[];
  /** Offset in the body at which the first of two chunks ends. */
  readonly chunkEnd?: (body: Uint8Array) => number;
  /** Offset in the body at which the connection is closed. */
  readonly abort?: (body: Uint8Array) => number;
  /** The request sent right before this one. */
  readonly preceding?: Predecessor;
  /** The raw bytes of a request that is not well-framed HTTP. */
  readonly rawBytes?: (host: string, path: string, authorization: string) => string;
  /** An ordinary plant, sent as any client would: the store must create it, regardless of why it is sent. */
  readonly ordinary?: boolean;
  /** Its id or name is in another request of its sequence: a store may remember it, even if it rejected that one. */
  readonly sentBefore?: true;
  /** The stable label of the test case that it was sent for, if any. */
  readonly sentAs?: string;
  /** Outside the contract (over 64 KiB, or malformed framing): a proxy may respond in its own way. */
  readonly outsideContract?: boolean;
}

/** A request sent right before another one, with the same fresh id. */
export interface Predecessor {
  readonly template: RequestTemplate;
  /**
   * On the same connection, after its response or without waiting for it; on another one; or at the same
   * time.
   */
  readonly connection: 'same' | 'pipelined' | 'other' | 'concurrent';
}

/**
 * Whether a request is outside the contract. This includes malformed HTTP: a duplicate of a field that is
 * allowed only once (RFC 9110 section 5.3) may be rejected by an intermediary.
 */
export const isOutsideContract = ({
  outsideContract,
  credential = validCredential,
}: RequestTemplate): boolean => outsideContract === true || credential.shell.length > 1;

/** A request to try, and the control request from which it differs in one respect. */
export interface TestCase {
  readonly label: string;
  /** The label without what varies between runs, if it contains such a thing. */
  readonly stableLabel?: string;
  readonly template: RequestTemplate;
  readonly control?: RequestTemplate;
}

/** Whether the fresh id changes the request. */
export const dependsOnFreshId = ({ body, path }: RequestTemplate, token: string): boolean =>
  path?.includes('{id}') === true ||
  (body !== undefined && !Buffer.from(bytesOf(body, 1n, token)).equals(bytesOf(body, 2n, token)));

/** The bytes of a body with a given fresh id. */
export function bytesOf(body: Body, id: bigint, token: string): Uint8Array {
  if ('bytes' in body) return body.bytes;
  if ('secret' in body) return Buffer.from(body.secret(token, id));
  const text = write(body.json, id, body.style ?? COMPACT);
  const edited = body.edit?.(text) ?? text;
  return typeof edited === 'string' ? Buffer.from(edited) : edited;
}

/** The request alone, without the one that is sent before it. */
export const withoutPredecessor = ({ preceding: _, ...template }: RequestTemplate): RequestTemplate =>
  template;
