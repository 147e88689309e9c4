import { codingsOf, decoded } from '../wire/codings.ts';
import type { Exchange, Response } from '../wire/exchange.ts';

/** Bytes of a decoded body after which it counts as unreadable, whatever it was compressed to. */
const DECODED_CAP = 8 * 1024 * 1024;

/** Every value of a header field, in the order of arrival. */
export function fields(response: Response, name: string): string[] {
  const values: string[] = [];
  for (const [own, value] of response.headers)
    if (own.length === name.length && own.toLowerCase() === name) values.push(value);
  return values;
}

/** The media types of every Content-Type of an answer, without parameters, in lower case. */
export const mediaTypes = (response: Response): string[] => fields(response, 'content-type').flatMap(typesIn);

/** The value that was read last: a store says the same of most of its answers. */
let latest: { readonly value: string; readonly types: readonly string[] } = { value: '', types: [''] };

function typesIn(value: string): readonly string[] {
  if (value !== latest.value) {
    const types = commaParts(value).map((part) => (part.split(';')[0] ?? '').trim().toLowerCase());
    latest = { value, types };
  }
  return latest.types;
}

/** Fields that a proxy joined into one line; a comma within a quoted parameter does not part them. */
const commaParts = (value: string) => value.match(/(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g) ?? [''];

/** What the body of an answer holds. */
export type Content =
  | { readonly kind: 'json'; readonly text: string; readonly value: unknown; readonly bom: boolean }
  | { readonly kind: 'unreadable'; readonly problem: string };

/** What was read last: an answer is held against one rule after the other. */
let reading: { readonly response: Response; readonly content: Content } | undefined;

/** Reads the body as one JSON value in UTF-8, RFC 8259, with nothing after it. */
export function contentOf(response: Response): Content {
  if (reading?.response !== response) reading = { response, content: read(response) };
  return reading.content;
}

const unreadable = (problem: string): Content => ({ kind: 'unreadable', problem });

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function read(response: Response): Content {
  if (response.truncated)
    return unreadable(`a body that does not end (${response.body.length} bytes so far)`);
  const plain = decode(response);
  if (typeof plain === 'string') return unreadable(plain);
  if (plain.length === 0) return unreadable('no body');
  let text: string;
  try {
    text = utf8.decode(plain);
  } catch {
    return unreadable('a body that is not valid UTF-8');
  }
  // A reader may ignore a byte order mark (RFC 8259 section 8.1); that one was sent is judged elsewhere.
  const bom = text.startsWith('\ufeff');
  if (bom) text = text.slice(1);
  try {
    return { kind: 'json', text, value: JSON.parse(text), bom };
  } catch (error) {
    return unreadable(`a body that is not one JSON value (${(error as Error).message})`);
  }
}

/** The body without its content codings (RFC 9110 section 8.4), or what is wrong with them. */
function decode(response: Response): Uint8Array | string {
  let bytes = response.body;
  for (const coding of codingsOf(response.headers).reverse()) {
    try {
      bytes = decoded(coding, bytes, DECODED_CAP);
    } catch (error) {
      return `a body that does not decode as ${coding} (${(error as Error).message})`;
    }
  }
  return bytes;
}

/** The status that the store gave, even where the rest of its answer is missing. */
export const statusOf = (exchange: Exchange): number | undefined => exchange.response?.status;

/** Where a redirect leads, as it says so. */
export const locationOf = (response: Response): string | undefined =>
  response.status >= 300 && response.status < 400 ? fields(response, 'location')[0] : undefined;

/** An exchange in a few words: `500 text/html`, `308 to /plants/`, `no answer: connection closed`. */
export function briefly(exchange: Exchange): string {
  const { response } = exchange;
  const status = response === undefined ? '' : statusLine(response);
  if (exchange.kind === 'answered') return status;
  return `${status === '' ? 'no answer' : `${status}, then no end of it`}: ${exchange.fault.detail}`;
}

function statusLine(response: Response): string {
  const location = locationOf(response);
  return [
    response.status,
    fields(response, 'content-type').join(', '),
    location === undefined ? '' : `to ${location}`,
  ]
    .filter(Boolean)
    .join(' ');
}
