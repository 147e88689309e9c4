import type { Preceding } from '../../payloads/test-case.ts';
import { hasHeader } from '../../wire/headers.ts';
import type { RecordedRequest } from '../record/record.ts';

/** A request on a connection. If it is pipelined, the next one is sent without waiting for its response. */
export interface OnConnection {
  readonly request: RecordedRequest;
  readonly connection?: Preceding['connection'];
}

export interface Showing {
  /** What to print of the last response. The other responses are printed only with `response`. */
  readonly shows: 'response' | 'body and status' | 'status and media type' | 'status' | 'nothing';
  readonly givesUp: boolean;
  /** The names of the variables for numerals. */
  readonly variables: ReadonlyMap<string, string>;
}

export const MAX_SECONDS = 10;

export const isChunked = ({ headers }: RecordedRequest) => hasHeader(headers, 'transfer-encoding');

/** Returns the origin and the target of a URL, even if no parser accepts it. */
export function dividedUrl(url: string): { readonly origin: string; readonly target: string } {
  const [, origin = url, target = '/'] = /^([a-z]+:\/\/[^/?#]+)([\s\S]*)$/i.exec(url) ?? [];
  return { origin, target };
}

export const latin1 = (text: string) => Buffer.from(text).toString('latin1');
