import type { Delivery } from '../wire/exchange.ts';
import { COMPACT, type Json, type Style, write } from './json.ts';

/** What a payload is to the contract. `other` is whatever is not about a payload. */
export type Population = 'ordinary' | 'whole-shape' | 'malformed' | 'other';

/** The body of a request before it has an id: JSON, and what is then done to its text. */
export type Body =
  | { readonly json: Json; readonly style?: Style; readonly edit?: (text: string) => string | Uint8Array }
  | { readonly bytes: Uint8Array }
  /** A body that holds the token. */
  | { readonly secret: (token: string, id: bigint) => string };

/** The values of the Authorization headers to send. */
export interface Credential {
  /** The header in which they are sent; by default Authorization. */
  readonly header?: string;
  /** Made from the token that the store takes. */
  readonly values: (token: string) => readonly string[];
  /** The same for a shell that has the token in $PLANT_STORE_TOKEN: all that is ever written down. */
  readonly shell: readonly string[];
}

export const bearer: Credential = {
  values: (token) => [`Bearer ${token}`],
  shell: ['Bearer $PLANT_STORE_TOKEN'],
};

export const nothing: Credential = { values: () => [], shell: [] };

/** A request but for its id and token. What is left out is as an ordinary client sends it. */
export interface Draft {
  readonly method?: string;
  /** Path and query below the base URL; `{id}` in it becomes the fresh id. */
  readonly path?: string;
  readonly credential?: Credential;
  /** A query parameter that holds the token. */
  readonly tokenIn?: string;
  /** `undefined` sends none. */
  readonly contentType?: string | undefined;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: Body | undefined;
  readonly framing?: 'length' | 'chunked';
  readonly delivery?: Delivery;
  /** Names of headers that every request has, and this one does not. */
  readonly without?: readonly string[];
  /** Offsets in the body at which its segments end. */
  readonly cut?: (body: Uint8Array) => readonly number[];
  /** Offset in the body after which nothing more of it is sent: the connection is closed instead. */
  readonly abort?: (body: Uint8Array) => number;
  /** What is sent right before it. */
  readonly after?: Predecessor;
  /** The whole request as bytes, for one that is not well-framed HTTP. */
  readonly verbatim?: (host: string, path: string, authorization: string) => string;
  /** An ordinary plant, sent as any client would: a store has to create it, whatever it is sent for. */
  readonly ordinary?: boolean;
  /** The stable label of the case that it was sent for, if it was sent for one. */
  readonly sentAs?: string;
  /** Beyond what is promised of any request (64 KiB, sound framing): a proxy may answer in its own way. */
  readonly beyond?: boolean;
}

/** A request that is sent right before another one, with the same fresh id. */
export interface Predecessor {
  readonly draft: Draft;
  /** Over the connection of the other, after its own answer or without waiting for it; over another; or at the same time. */
  readonly connection: 'same' | 'pipelined' | 'other' | 'beside';
}

/**
 * Whether nothing is promised of a request. Malformed HTTP is among that: a field that is allowed once, sent twice
 * (RFC 9110 section 5.3), is answered by whatever stands in front.
 */
export const isOutsideContract = ({ beyond, credential = bearer }: Draft): boolean =>
  beyond === true || credential.shell.length > 1;

/** One thing to try: a request, what it is, and the well-formed request that it differs from in one respect. */
export interface Case {
  readonly label: string;
  /** The label without what is drawn anew in each run, where it holds such a thing. */
  readonly stableLabel?: string;
  readonly population: Population;
  readonly draft: Draft;
  readonly twin?: Draft;
}

/** Whether a request with another fresh id is another request. */
export const holdsFresh = ({ body, path }: Draft, token: string): boolean =>
  path?.includes('{id}') === true ||
  (body !== undefined && !Buffer.from(bytesOf(body, 1n, token)).equals(bytesOf(body, 2n, token)));

/** The bytes of a body, with `id` for its fresh id. */
export function bytesOf(body: Body, id: bigint, token: string): Uint8Array {
  if ('bytes' in body) return body.bytes;
  if ('secret' in body) return Buffer.from(body.secret(token, id));
  const text = write(body.json, id, body.style ?? COMPACT);
  const edited = body.edit?.(text) ?? text;
  return typeof edited === 'string' ? Buffer.from(edited) : edited;
}
