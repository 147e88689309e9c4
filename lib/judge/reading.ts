import type { Validator } from '../contract/validator.ts';
import { utf8Text } from '../utf8.ts';
import { codingsOf, decoded, isTooLarge } from '../wire/codings.ts';
import type { Exchange, Response } from '../wire/exchange.ts';
import { headerValues } from '../wire/headers.ts';
import { LARGE_BODY_BYTES } from '../wire/large-bodies.ts';
import { parsedLarge } from './large-json.ts';

/** Maximum size of a decoded body, whatever its compressed size. A larger body is unreadable. */
const MAX_DECODED_BYTES = 8 * 1024 * 1024;

export const fields = ({ headers }: Response, name: string): string[] => headerValues(headers, name);

/** Returns the media types in every Content-Type of a response, without parameters, in lower case. */
export const mediaTypes = (response: Response): string[] => fields(response, 'content-type').flatMap(typesIn);

/** The value parsed last. Most responses of a store have the same Content-Type. */
let latest: { readonly value: string; readonly types: readonly string[] } = { value: '', types: [''] };

function typesIn(value: string): readonly string[] {
  if (value !== latest.value) {
    const types = commaParts(value).map((part) => (part.split(';')[0] ?? '').trim().toLowerCase());
    latest = { value, types };
  }
  return latest.types;
}

/** Splits a field value at commas outside quotes: a proxy may have joined several field lines. */
const commaParts = (value: string) => value.match(/(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g) ?? [''];

export type Content =
  | { readonly kind: 'json'; readonly text: string; readonly value: unknown; readonly bom: boolean }
  | { readonly kind: 'unreadable'; readonly problem: string };

interface Reading {
  readonly response: Response;
  readonly content: Content;
  /** Size of the body without its content codings, as far as it was unpacked. */
  readonly bytes: number;
}

/** The response read last, since several rules in a row check one response. */
let latestReading: Reading | undefined;

function readingOf(response: Response): Reading {
  if (latestReading?.response === response) return latestReading;
  // Free the previous content first: two large bodies at once would take twice the memory.
  latestReading = undefined;
  latestReading = { response, ...read(response) };
  return latestReading;
}

/** Reads the body as a single JSON value in UTF-8 (RFC 8259). */
export const contentOf = (response: Response): Content => readingOf(response).content;

/** Returns the size of the body in bytes without its content codings; at most what the suite unpacks. */
export const unpackedBytes = (response: Response): number =>
  codingsOf(response.headers).length === 0 ? response.body.length : readingOf(response).bytes;

/** Returns the value of a JSON body; undefined if it does not have the declared shape. */
export function objectOf(response: Response, validate: Validator): Record<string, unknown> | undefined {
  const content = contentOf(response);
  return content.kind === 'json' && validate(content.text, content.value).length === 0
    ? (content.value as Record<string, unknown>)
    : undefined;
}

const unreadable = (problem: string): Content => ({ kind: 'unreadable', problem });

function read(response: Response): Omit<Reading, 'response'> {
  const { length } = response.body;
  if (response.truncated)
    return { content: unreadable(`an incomplete body (${length} bytes)`), bytes: length };
  let plain = response.body;
  for (const coding of codingsOf(response.headers).reverse()) {
    try {
      plain = decoded(coding, plain, MAX_DECODED_BYTES);
    } catch (error) {
      const problem = `a body that does not decode as ${coding} (${(error as Error).message})`;
      return { content: unreadable(problem), bytes: isTooLarge(error) ? MAX_DECODED_BYTES : length };
    }
  }
  return { content: contentIn(plain), bytes: plain.length };
}

function contentIn(plain: Uint8Array): Content {
  if (plain.length === 0) return unreadable('no body');
  const whole = utf8Text(plain);
  if (whole === undefined) return unreadable('a body that is not valid UTF-8');
  // A parser may ignore a byte order mark (RFC 8259 section 8.1); another rule objects to it.
  const bom = whole.startsWith('\ufeff');
  const text = bom ? whole.slice(1) : whole;
  try {
    // The values in a large text may take much more memory than the text.
    const value: unknown = text.length > LARGE_BODY_BYTES ? parsedLarge(text) : JSON.parse(text);
    return { kind: 'json', text, value, bom };
  } catch (error) {
    return unreadable(`a body that is not valid JSON (${(error as Error).message})`);
  }
}

/** Returns the status of the response, even if the response is incomplete. */
export const statusOf = (exchange: Exchange): number | undefined => exchange.response?.status;

/** Returns whether a status is 2xx. */
export const isSuccess = (status: number | undefined): boolean =>
  status !== undefined && status >= 200 && status < 300;

export const locationOf = (response: Response): string | undefined =>
  response.status >= 300 && response.status < 400 ? fields(response, 'location')[0] : undefined;

/** Describes an exchange: `500 text/html`, `308 to /plants/`, `no response: connection closed`. */
export function describeExchange(exchange: Exchange): string {
  const { response } = exchange;
  const status = response === undefined ? '' : statusLine(response);
  if (exchange.kind === 'answered') return status;
  return `${status === '' ? 'no response' : `${status}, but incomplete`}: ${exchange.fault.detail}`;
}

function statusLine(response: Response): string {
  const location = locationOf(response);
  const to = location === undefined ? '' : `to ${location}`;
  return [response.status, fields(response, 'content-type').join(', '), to].filter(Boolean).join(' ');
}

/** Matches bodies nested so deeply that an indented echo of them may exceed the limit on responses. */
const DEEPLY_NESTED = /(?:\[|\{"[^"]{0,20}":){300}/;

/** Returns whether a response is too long only because it echoes a deeply nested body with indentation. */
export const isLongEcho = ({ kind, response, request }: Exchange): boolean =>
  kind === 'answered' &&
  response.truncated &&
  DEEPLY_NESTED.test(Buffer.from(request.body ?? []).toString('latin1'));

/** Returns whether a response is longer than the suite reads, and the request does not explain why. */
export const isTooLong = (exchange: Exchange): boolean =>
  exchange.kind === 'answered' && exchange.response.truncated && !isLongEcho(exchange);
