import { bytesOf, type RequestTemplate, validCredential } from '../../payloads/test-case.ts';
import { wordsCapitalised } from '../../text.ts';
import { TOKEN_IN_SHELL, TOKEN_VARIABLE } from '../../token-variable.ts';
import type { Delivery, HeaderPair, Request } from '../../wire/exchange.ts';
import { hasHeader } from '../../wire/headers.ts';

/** Headers of every request, unless the template or the user sets them. */
export const DEFAULT_HEADERS: readonly HeaderPair[] = [
  ['accept', 'application/json'],
  ['user-agent', 'plant-store-conformance'],
];

export const withDefaultHeaders = (headers: readonly HeaderPair[]): readonly HeaderPair[] => [
  ...DEFAULT_HEADERS.filter(([name]) => !hasHeader(headers, name)),
  ...headers,
];

interface RequestDefaults {
  readonly token: string;
  /** The cookies that the store has set, as the value of a Cookie header. */
  readonly cookies?: string;
  /** `host:port` of the target. */
  readonly host: string;
  /** Path of the base URL, without a trailing slash. */
  readonly prefix: string;
  readonly headers: readonly HeaderPair[];
  readonly query?: readonly HeaderPair[];
}

/** Appends query parameters to a path, except those that it already has. */
function withQuery(path: string, parameters: readonly (readonly [name: string, value: string])[]): string {
  if (parameters.length === 0) return path;
  const [, query] = path.split('?');
  const present = new URLSearchParams(query);
  const added = parameters
    .filter(([name]) => !present.has(name))
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  if (added.length === 0) return path;
  return `${path}${query === undefined ? '?' : query === '' ? '' : '&'}${added.join('&')}`;
}

/** The delivery of a request. Its cuts and chunks may depend on the bytes of the body. */
function deliveryOf(
  { delivery, cut, chunkEnd, abort }: RequestTemplate,
  body: Uint8Array | undefined,
): Delivery | undefined {
  if (body === undefined || (cut ?? chunkEnd ?? abort) === undefined) return delivery;
  return {
    ...delivery,
    ...(cut === undefined ? {} : { cuts: cut(body) }),
    ...(chunkEnd === undefined ? {} : { chunkEnd: chunkEnd(body) }),
    ...(abort === undefined ? {} : { abortAfter: abort(body) }),
  };
}

/**
 * Returns a header name in the letter case of most clients: a store may have been tested with no other. Keeps
 * names that the user has spelled in another way.
 */
export const inUsualCase = (name: string): string =>
  name === name.toLowerCase() ? wordsCapitalised(name) : name;

export function fill(
  template: RequestTemplate,
  id: bigint,
  { token, cookies = '', host, prefix, headers, query = [] }: RequestDefaults,
): Request {
  const { method = 'POST', credential = validCredential, body, framing = 'length' } = template;
  const added = template.tokenIn === undefined ? query : [...query, [template.tokenIn, token] as const];
  const path = withQuery((template.path ?? '/plants').replace('{id}', String(id)), added);
  const contentType =
    'contentType' in template ? template.contentType : body === undefined ? undefined : 'application/json';
  const { header = 'authorization' } = credential;
  const requestHeaders: HeaderPair[] = credential.values(token, cookies).map((value) => [header, value]);
  if (contentType !== undefined) requestHeaders.push(['content-type', contentType]);
  for (const [name, value] of template.headers ?? [])
    requestHeaders.push([name, value.replace('{hostname}', () => host.replace(/:\d+$/, ''))]);
  const bytes = body === undefined ? undefined : bytesOf(body, id, token);
  const delivery = deliveryOf(template, bytes);
  const request: Request = {
    method,
    path,
    headers: [
      ...requestHeaders,
      ...headers.filter(
        ([name]) =>
          !hasHeader(requestHeaders, name.toLowerCase()) && template.without?.includes(name) !== true,
      ),
    ].map(([name, value]): HeaderPair => [inUsualCase(name), value]),
    body: bytes,
    framing,
    ...(delivery === undefined ? {} : { delivery }),
    freshId: id,
    ...(body !== undefined && 'secret' in body
      ? // Without `$`, which the body may percent-encode.
        { publicBody: body.secret(TOKEN_VARIABLE, id).replaceAll(TOKEN_VARIABLE, () => TOKEN_IN_SHELL) }
      : {}),
  };
  if (template.rawBytes === undefined) return request;
  const authorization = credential.values(token)[0] ?? '';
  return {
    ...request,
    rawBytes: Buffer.from(template.rawBytes(host, `${prefix}${path}`, authorization), 'latin1'),
  };
}
