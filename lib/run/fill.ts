import { bearer, bytesOf, type Draft } from '../payloads/case.ts';
import type { Delivery, HeaderPair, Request } from '../wire/exchange.ts';

/** What a request says of itself where its draft says nothing else. */
export const USUAL: readonly HeaderPair[] = [
  ['accept', 'application/json'],
  ['user-agent', 'plant-store-conformance'],
];

const isAmong = (pairs: readonly HeaderPair[], name: string) =>
  pairs.some(([own]) => own === name || own.toLowerCase() === name.toLowerCase());

/** The usual ones, where the user asks for no others of the same name. */
export const withUsual = (headers: readonly HeaderPair[]): readonly HeaderPair[] => [
  ...USUAL.filter(([name]) => !isAmong(headers, name)),
  ...headers,
];

/** What a run adds to every request. */
export interface Surroundings {
  readonly token: string;
  /** `host:port` of the target. */
  readonly host: string;
  /** Path of the base URL, without a slash at its end. */
  readonly prefix: string;
  /** The usual ones, and those that the user asked for. */
  readonly headers: readonly HeaderPair[];
  /** Query parameters that the document requires. */
  readonly query?: readonly (readonly [name: string, value: string])[];
}

/** A path with parameters at its end, but for those that it has already. */
function withQuery(path: string, parameters: readonly (readonly [name: string, value: string])[]): string {
  const [, own] = path.split('?');
  const there = new URLSearchParams(own);
  const added = parameters
    .filter(([name]) => !there.has(name))
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  if (added.length === 0) return path;
  return `${path}${own === undefined ? '?' : own === '' ? '' : '&'}${added.join('&')}`;
}

/** How it is put on its connection, once its bytes are there. */
function deliveryOf({ delivery, cut, abort }: Draft, body: Uint8Array | undefined): Delivery | undefined {
  if (body === undefined || (cut === undefined && abort === undefined)) return delivery;
  return {
    ...delivery,
    ...(cut === undefined ? {} : { cuts: cut(body) }),
    ...(abort === undefined ? {} : { abortAfter: abort(body) }),
  };
}

/** Stands for the token where it may be encoded; a `$` would be. */
const PLACE = 'PLANT_STORE_TOKEN';

/** Makes a draft ready to be sent, with `id` for its fresh id. */
export function fill(
  draft: Draft,
  id: bigint,
  { token, host, prefix, headers, query = [] }: Surroundings,
): Request {
  const { method = 'POST', credential = bearer, body, framing = 'length' } = draft;
  const added = draft.tokenIn === undefined ? query : [...query, [draft.tokenIn, token] as const];
  const path = withQuery((draft.path ?? '/plants').replace('{id}', String(id)), added);
  const contentType =
    'contentType' in draft ? draft.contentType : body === undefined ? undefined : 'application/json';
  const { header = 'authorization' } = credential;
  const own: HeaderPair[] = credential.values(token).map((value) => [header, value]);
  if (contentType !== undefined) own.push(['content-type', contentType]);
  if (draft.headers !== undefined) own.push(...draft.headers);
  const bytes = body === undefined ? undefined : bytesOf(body, id, token);
  const delivery = deliveryOf(draft, bytes);
  const request: Request = {
    method,
    path,
    headers: [
      ...own,
      ...headers.filter(([name]) => !isAmong(own, name) && draft.without?.includes(name) !== true),
    ],
    body: bytes,
    framing,
    ...(delivery === undefined ? {} : { delivery }),
    freshId: id,
    ...(body !== undefined && 'secret' in body
      ? { publicBody: body.secret(PLACE, id).replaceAll(PLACE, '$PLANT_STORE_TOKEN') }
      : {}),
  };
  if (draft.verbatim === undefined) return request;
  const authorization = credential.values(token)[0] ?? '';
  return {
    ...request,
    verbatim: Buffer.from(draft.verbatim(host, `${prefix}${path}`, authorization), 'latin1'),
  };
}
